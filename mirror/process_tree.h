/* A process and its descendants, as /proc shows them (proc(5)). */
#ifndef MIRROR_PROCESS_TREE_H
#define MIRROR_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of memory that only they hold: resident, less pages of files and shared memory. */
uint64_t process_tree_memory(pid_t root);
/* SIGKILL to all descendants until none is left to be seen; `and_root`: to the root too. */
void process_tree_kill(pid_t root, bool and_root);

#endif
