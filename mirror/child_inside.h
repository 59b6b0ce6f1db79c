/* What happens between clone and exec (child.c starts it): the first process inside sets up its
 * place, starts the program, collects orphans, and reports through a pipe. */
#ifndef MIRROR_CHILD_INSIDE_H
#define MIRROR_CHILD_INSIDE_H

#include "mirror/child.h"

struct child_note { /* one write to the report pipe: whole, for it is shorter than PIPE_BUF */
	enum { NOTE_FAILED = 1, NOTE_ENDED } kind;
	int value;     /* errno, or the wait status */
	char what[48]; /* NOTE_FAILED: "mount /proc" */
};

struct child_pipes {
	int go;     /* read end: a byte when the maps are written; its end: the parent is gone */
	int report; /* write end */
};

/* Never returns. The calling process is the new one. */
void child_inside(const struct child_spec *spec, const struct child_pipes *pipes)
	__attribute__((noreturn));

#endif
