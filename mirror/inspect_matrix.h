/* The coverage matrix: a column for each kind of machine (target and GPU), a row for each package.
 */
#ifndef MIRROR_INSPECT_MATRIX_H
#define MIRROR_INSPECT_MATRIX_H

#include "mirror/inspect.h"

enum matrix_mark {       /* in order of gravity */
	MATRIX_NONE = 0, /* the target does not need it */
	MATRIX_THERE,
	MATRIX_DOUBT, /* WARN or UNKNOWN in its audit, or only PTX for this GPU */
	MATRIX_LACK,  /* a hole, a FAIL, or device code for other GPUs alone */
};

struct matrix_cell {
	struct str text; /* "2.8.3", "2.8.3 PTX", "hole", "-" */
	enum matrix_mark mark;
};

struct matrix_column {
	const struct inspect_target *target;
	const struct gpu *gpu; /* NULL: the target has none */
};

enum matrix_axis {
	MATRIX_TARGET = 0,
	MATRIX_PYTHON,
	MATRIX_TORCH,
	MATRIX_CUDA,
	MATRIX_GPU,
	MATRIX_PLATFORM,
	MATRIX_LIBC,
	MATRIX_AXES
};

struct matrix {
	struct matrix_column *columns; /* in the order of targets and of their GPUs */
	size_t ncolumns;
	struct str *axes[MATRIX_AXES]; /* of each column: "3.12", "2.11.0+cu130", "13.0", "9.0",
					  "-", ... */
	struct str *projects;          /* sorted; those that are missing too */
	size_t nprojects;
	struct matrix_cell **cells; /* of each project, of each column */
};

const char *matrix_axis_name(enum matrix_axis axis); /* "python" */
/* All of it in the arena. */
void matrix_make(struct arena *a, const struct inspection *x, struct matrix *out);
void inspection_matrix(const struct inspection *x, struct buf *out); /* as text */

#endif
