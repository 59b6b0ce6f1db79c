/* PEP 440 versions ("Version specifiers" of the packaging specifications).
 * ASCII, any case, an optional 'v', white space around trimmed. Numbers are 64-bit: larger ones are
 * refused. Everything a version points to belongs to the arena it was parsed into. */
#ifndef MANIFESTS_VERSION_H
#define MANIFESTS_VERSION_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/base/err.h"

enum version_pre { VERSION_A = 1, VERSION_B, VERSION_RC };

struct version_local { /* one segment: text in lower case, or a number */
	struct str text; /* n == 0: numeric */
	uint64_t number;
};

struct version {
	struct str raw; /* as written, trimmed */
	uint64_t epoch;
	uint64_t *release;
	size_t nrelease; /* >= 1 */
	enum version_pre pre; /* 0: none */
	uint64_t pre_number;
	bool has_post, has_dev;
	uint64_t post, dev;
	struct version_local *local;
	size_t nlocal; /* 0: no local part */
};

int version_parse(struct arena *a, struct str text, struct version *out, struct err *e); /* RC_INVALID */
int version_cmp(const struct version *a, const struct version *b); /* total order of PEP 440 */
int version_cmp_public(const struct version *a, const struct version *b); /* local parts ignored */
bool version_is_prerelease(const struct version *v); /* pre or dev */
/* Normal form: "1.0rc1.post2.dev3+cu128"; the second leaves the local part out. */
void version_format(const struct version *v, struct buf *out);
void version_format_public(const struct version *v, struct buf *out);
/* The local part in normal form ("cu12torch2.8"), or empty. */
void version_format_local(const struct version *v, struct buf *out);

#endif
