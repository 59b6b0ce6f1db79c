#include "mirror/site_key.h"

#include "manifests/base/fs.h"

int site_key_open(struct store *s, struct secret_key **out, struct err *e)
{
	struct arena a = ARENA_INIT;
	char *base = arena_printf(&a, "%s/site", store_dir(s));
	char *path = arena_printf(&a, "%s.key", base);
	const struct password_source none = { .file = NULL };
	struct secret_key *key = NULL;
	int r = 0;

	if (fs_exists(path)) {
		r = secret_key_read(path, &none, &key, e);
	} else {
		r = secret_key_generate(&key, e);
		if (!r) {
			r = secret_key_write(key, base, NULL, e);
		}
	}
	arena_release(&a);
	if (r) {
		secret_key_free(key);
		return err_wrap(e, "site key");
	}
	*out = key;
	return 0;
}
