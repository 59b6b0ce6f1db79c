/* Whom a verb trusts: the keys named by --pub, or else those of the store. */
#ifndef VERIFY_TRUST_OPTIONS_H
#define VERIFY_TRUST_OPTIONS_H

#include "manifests/base/opt.h"
#include "verify/trust.h"

/* RC_STORE where no --pub is given and the store trusts nobody: the hint says how to add a key. */
int trust_from_options(struct trust *t, const struct opt_list *pubs, const char *store, struct err *e);

#endif
