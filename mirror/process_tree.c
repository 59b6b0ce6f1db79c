#include "mirror/process_tree.h"

#include "manifests/base/mem.h"
#include "manifests/base/str.h"
#include "manifests/base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KILL_ROUNDS = 200, KILL_PAUSE_NS = 5 * 1000 * 1000 };

struct process {
	pid_t pid, parent;
	bool is_inside, is_zombie;
};
typedef VEC(struct process) process_list;

static bool read_proc(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (n <= 0) {
		return false; /* it has ended since */
	}
	text[n] = '\0';
	return true;
}

static void add_process(process_list *all, pid_t pid)
{
	char text[512], state = 0;
	int parent = 0;

	if (!read_proc(pid, "stat", text, sizeof(text))) {
		return;
	}
	/* The name in parentheses may hold anything, even parentheses: what follows the last one
	 * counts. */
	const char *after = strrchr(text, ')');

	if (after && sscanf(after, ") %c %d", &state, &parent) == 2) {
		vec_push(all, (struct process){ pid, parent, false, state == 'Z' || state == 'X' });
	}
}

static void list_processes(process_list *all)
{
	CLEANUP(dir) DIR *dir = opendir("/proc");
	uint64_t pid = 0;

	for (struct dirent *d; dir && (d = readdir(dir));) {
		if (str_to_u64(str_of(d->d_name), &pid)) {
			add_process(all, (pid_t)pid);
		}
	}
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct process *)a)->pid, y = ((const struct process *)b)->pid;

	return (x > y) - (x < y);
}

static bool has_inside(const process_list *all, pid_t pid)
{
	struct process key = { .pid = pid };
	const struct process *p =
		all->n ? bsearch(&key, all->v, all->n, sizeof(key), by_pid) : NULL;

	return p && p->is_inside;
}

/* Marks descendants until a pass finds no more: numbers wrap around, so a child may come first. */
static void mark_tree(process_list *all, pid_t root)
{
	bool found = true;

	if (all->n) {
		qsort(all->v, all->n, sizeof(*all->v), by_pid);
	}
	vec_each(struct process, p, all) {
		p->is_inside = p->pid == root;
	}
	while (found) {
		found = false;
		vec_each(struct process, p, all) {
			if (!p->is_inside && has_inside(all, p->parent)) {
				p->is_inside = found = true;
			}
		}
	}
}

static uint64_t private_pages(pid_t pid)
{
	char text[128];
	unsigned long long total = 0, resident = 0, shared = 0;

	if (!read_proc(pid, "statm", text, sizeof(text)) ||
		sscanf(text, "%llu %llu %llu", &total, &resident, &shared) != 3) {
		return 0;
	}
	return resident > shared ? resident - shared : 0;
}

uint64_t process_tree_memory(pid_t root)
{
	process_list all = VEC_INIT;
	uint64_t pages = 0;

	list_processes(&all);
	mark_tree(&all, root);
	vec_each(struct process, p, &all) {
		pages += p->is_inside ? private_pages(p->pid) : 0;
	}
	vec_release(&all);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* One pass over the descendants; true while somebody was there to be killed. */
static bool kill_once(pid_t root)
{
	process_list all = VEC_INIT;
	bool found = false;

	list_processes(&all);
	mark_tree(&all, root);
	vec_each(struct process, p, &all) {
		if (p->is_inside && !p->is_zombie && p->pid != root) {
			kill(p->pid, SIGKILL);
			found = true;
		}
	}
	vec_release(&all);
	return found;
}

void process_tree_kill(pid_t root, bool and_root)
{
	/* A process may fork while the list is read: its child is found in the next round. */
	for (int i = 0; i < KILL_ROUNDS && kill_once(root); i++) {
		nanosleep(&(struct timespec){ .tv_nsec = KILL_PAUSE_NS }, NULL);
	}
	if (and_root) {
		kill(root, SIGKILL);
	}
}
