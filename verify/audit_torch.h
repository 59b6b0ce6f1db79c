/* What a torch wheel offers to extensions, out of its native code. */
#ifndef VERIFY_AUDIT_TORCH_H
#define VERIFY_AUDIT_TORCH_H

#include "verify/audit.h"

struct torch_offer { /* owns what `torch` points to */
	struct arena arena;
	struct audit_torch torch;
};
#define TORCH_OFFER_INIT            \
	{                           \
		.arena = ARENA_INIT \
	}

/* Is it torch itself? */
bool torch_is(const struct dist_name *name);

/* `w` is the wheel that `n` was read from. Version and CUDA are taken from the text of its
 * torch/version.py, where METADATA leaves the local part out. RC_NOT_FOUND: there is nothing to
 * compare with, because it has no such file or no library. RC_WHEEL: a file that says something
 * else than torch's do. Nothing of `w` and `n` need outlive the call. */
int torch_offer_read(
	struct wheel *w, const struct native *n, struct torch_offer *out, struct err *e);
void torch_offer_release(struct torch_offer *o);

/* As text and back, for a cache: canonical JSON. RC_SYNTAX, RC_LIMIT as in verify/native_json.h. */
#define TORCH_OFFER_KIND "torch-offer-1"
void torch_offer_write(const struct torch_offer *o, struct buf *out);
int torch_offer_parse(struct str text, struct torch_offer *out, struct err *e);

/* Of torch/version.py: `__version__ = '2.15.0+cu132'`, `cuda: Optional[str] = '13.2'`; read, never
 * run. A CPU build has `cuda = None`. RC_WHEEL. */
int torch_version_read(
	struct str text, struct str *version, struct cuda_version *cuda, struct err *e);

/* Is it the target's torch? Its version, with the local part where both have one; a target that
 * states none takes any. */
bool torch_offer_is_for(const struct torch_offer *o, const struct target *t);

#endif
