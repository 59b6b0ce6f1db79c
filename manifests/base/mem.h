/* Allocation that cannot fail (out of memory ends the program with exit status 3, nothing half-done
 * is visible because every output is renamed into place last) and cleanup for the C library's handles.
 *
 *	CLEANUP(fd) int fd = open(...);        closed when it leaves scope, -1 is ignored
 *	CLEANUP(free) char *text = ...;
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);                             /* zeroed */
void *mem_array(size_t count, size_t size);               /* zeroed; overflow is out of memory */
void *mem_grow(void *old, size_t count, size_t size);     /* new bytes are not zeroed */
char *mem_dup(const char *text);

#define CLEANUP(kind) __attribute__((cleanup(cleanup_##kind)))

void cleanup_fd(int *fd);
void cleanup_free(void *pointer);  /* address of any pointer made by mem_* or the C library */
void cleanup_file(void *file);     /* address of a FILE * */
void cleanup_dir(void *dir);       /* address of a DIR * */

#endif
