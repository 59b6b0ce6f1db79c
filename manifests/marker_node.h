/* The parsed form of a marker: private to marker.c, marker_parse.c and marker_eval.c. */
#ifndef MANIFESTS_MARKER_NODE_H
#define MANIFESTS_MARKER_NODE_H

#include "manifests/marker.h"
#include "manifests/specifier.h"

enum marker_op {
	MARKER_LT, MARKER_LE, MARKER_EQ, MARKER_NE, MARKER_GE, MARKER_GT, MARKER_COMPATIBLE,
	MARKER_ARBITRARY, MARKER_IN, MARKER_NOT_IN
};

struct marker_side {
	bool is_var;
	enum marker_var var;
	struct str text; /* the quoted text, or the variable's present name */
};

struct marker { /* a comparison, or a group: the whole marker or what stands in parentheses */
	struct marker *first; /* of a group's members; NULL: a comparison */
	struct marker *next;  /* in the same group */
	bool is_or;           /* joined to the member before it by "or", else by "and" */
	struct marker_side left, right;
	enum marker_op op;
	const struct specifier_set *specifier; /* op and right text where they are one, or NULL */
};

const char *marker_op_text(enum marker_op op); /* "not in" */
bool marker_var_is_version(enum marker_var var);
bool marker_var_is_set(enum marker_var var);
/* `op text` as one PEP 440 specifier; false where it is none. */
bool marker_specifier(struct arena *a, enum marker_op op, struct str text,
	struct specifier_set *out);

#endif
