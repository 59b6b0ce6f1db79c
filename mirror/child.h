/* Runs another program: no shell, no descriptor of ours, exactly the environment that is given, its
 * output to one descriptor, and an end for certain: with its parent, at its time limit, and when it
 * and everything that it started hold too much memory. All of them end together.
 *
 * A program that runs somebody else's code is confined in one of two ways:
 *
 * CHILD_NAMESPACES: own user, mount, PID, network, IPC and UTS namespaces (namespaces(7)). It has
 * no network and no sight of other processes; the machine is read-only but for a few mounts; it
 * has no capability; PID numbers begin anew with every run.
 *
 * CHILD_SECCOMP: where the kernel refuses those, a filter that lets it open sockets of the kind
 * AF_UNIX alone (seccomp(2)). Mounts and hidden folders do not exist then.
 *
 * CHILD_OPEN confines nothing: for the machine's own programs.
 *
 * Only for a process with one thread: what runs between clone and exec is ordinary code. */
#ifndef MIRROR_CHILD_H
#define MIRROR_CHILD_H

#include "manifests/base/buf.h"
#include "manifests/base/err.h"

#include <stdint.h>

enum child_way { CHILD_OPEN = 1, CHILD_SECCOMP, CHILD_NAMESPACES };

struct child_mount {      /* in this order; a later one may lie inside an earlier one */
	const char *from; /* an existing folder outside; the path holds no links */
	const char *to;   /* absolute path inside */
	bool is_writable;
};

struct child_limits {       /* 0: no limit */
	unsigned seconds;   /* of wall time */
	uint64_t memory;    /* bytes resident in all its processes together, page cache left out */
	uint64_t file_size; /* of each file that it writes */
	unsigned files;     /* open at once, in each process */
};

struct child_spec {
	const char *const *argv; /* NULL-terminated; argv[0] is an absolute path, inside */
	const char *const *env;  /* NULL-terminated "NAME=value" */
	const char *folder;      /* working directory, inside */
	int output;              /* standard output and error; standard input is empty */
	enum child_way way;
	struct child_limits limits;
	/* CHILD_NAMESPACES only; all paths are free of links: */
	const char *root; /* an empty folder on which the new root is mounted, inside only */
	const struct child_mount *mounts;
	size_t nmounts;
	const char *const *hide; /* NULL-terminated folders that look empty inside; may be NULL */
};

struct child_result {
	int status;                      /* of exit; -1 when a signal ended it */
	int signal;                      /* 0: none */
	bool out_of_time, out_of_memory; /* ended by a limit */
	uint64_t memory_peak;            /* bytes seen resident */
	double seconds;
};

/* 0 whenever the program was started, however it ended. RC_TOOL where it cannot be started or
 * confined; RC_BUILD when a signal asks this process to end (INT, TERM, HUP). */
int child_run(const struct child_spec *spec, struct child_result *out, struct err *e);
/* Runs it and keeps what it says, at most `max` bytes; `output` is not used. */
int child_capture(const struct child_spec *spec, uint64_t max, struct child_result *result,
	struct buf *out, struct err *e);

/* The best way of confining that works here, tried for real. `root` as above. RC_TOOL: none is. */
int child_find_way(const char *root, enum child_way *out, struct err *e);
const char *child_way_name(enum child_way way); /* "namespaces", "seccomp", "open" */

/* The signal that asked this process to end during the last run; 0: none. */
int child_stopped_by(void);

bool child_is_ok(const struct child_result *r); /* it ended by itself, with status 0 */
/* "exit status 1", "ended by signal 9 (Killed)", "stopped at its time limit after 60 seconds" */
void child_describe(const struct child_result *r, struct buf *out);

#endif
