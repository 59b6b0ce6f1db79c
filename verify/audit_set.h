/* Wheels that are audited together: each is judged by itself, and the others are what is installed
 * beside it. */
#ifndef VERIFY_AUDIT_SET_H
#define VERIFY_AUDIT_SET_H

#include "verify/audit_torch.h"
#include "verify/audit_wheel.h"

struct audit_entry {
	const char *path;
	struct err fault; /* rc 0: it was read */
	struct audit_file file;
};

struct audit_set_torch {
	struct dist_name name; /* of its file, in the set's arena */
	struct torch_offer offer;
};

struct audit_set {
	struct arena arena;
	struct audit_entry *entries; /* in order of adding */
	size_t nentries;
	VEC(struct audit_set_torch) torches;
};
#define AUDIT_SET_INIT              \
	{                           \
		.arena = ARENA_INIT \
	}

/* Reads the wheels at these paths, which must outlive the set. What is wrong with one of them is
 * its entry's fault. One that is torch itself is what the others are compared with, too. */
void audit_set_read(struct audit_set *s, const char *const *paths, size_t n);
/* A torch wheel that is not audited itself. RC_USAGE: it is none; RC_NOT_FOUND as torch_offer_read.
 */
int audit_set_add_torch(struct audit_set *s, const char *path, struct err *e);
void audit_set_release(struct audit_set *s);

/* The torch wheel among those given that is the target's (torch_offer_is_for); of several one whose
 * tags fit. NULL: none is. */
const struct audit_torch *audit_set_torch_for(const struct audit_set *s, const struct target *t);
/* An entry without fault against a target. `out` is AUDIT_INIT. */
void audit_set_run(const struct audit_set *s, const struct audit_entry *of, const struct target *t,
	struct audit *out);

#endif
