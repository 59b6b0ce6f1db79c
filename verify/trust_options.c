#include "verify/trust_options.h"

int trust_from_options(struct trust *t, const struct opt_list *pubs, const char *store, struct err *e)
{
	for (size_t i = 0; i < pubs->n; i++) {
		int r = trust_load_file(t, pubs->v[i], e);

		if (r) {
			return r;
		}
	}
	int r = pubs->n ? 0 : trust_load_store(t, store, e);
	if (!r && t->n == 0) {
		err_set(e, RC_STORE, "no public key is trusted in %s", store);
		return err_hint(e, "name one with --pub PUB, or keep it: gpkg-bundle trust add PUB");
	}
	return r;
}
