#include "manifests/base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *p)
{
	if (!p) {
		static const char text[] = "gpkg-bundle: out of memory\n";
		ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
		(void)n;
		_exit(3);
	}
	return p;
}

void *mem_alloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *mem_grow(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		return checked(NULL);
	}
	return checked(realloc(old, bytes ? bytes : 1));
}

char *mem_dup(const char *text)
{
	return checked(strdup(text));
}

void cleanup_fd(int *fd)
{
	if (*fd >= 0) {
		close(*fd);
	}
}

/* The address of a `T *` is not the address of a `void *` to the type system: copy it out. */
static void *pointed(void *address)
{
	void *p;

	memcpy(&p, address, sizeof(p));
	return p;
}

void cleanup_free(void *pointer)
{
	free(pointed(pointer));
}

void cleanup_file(void *file)
{
	FILE *f = pointed(file);

	if (f) {
		fclose(f);
	}
}

void cleanup_dir(void *dir)
{
	DIR *d = pointed(dir);

	if (d) {
		closedir(d);
	}
}
