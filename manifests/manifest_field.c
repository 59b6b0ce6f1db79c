/* Members of a manifest, by type and range. */
#include "manifests/limits.h"
#include "manifests/manifest_reader.h"

int field_text(struct arena *a, const struct json *v, const char *key, size_t max, struct str *out,
	struct err *e)
{
	struct str s;
	int r = json_need_str(v, key, &s, e);

	if (r) {
		return r;
	}
	if (s.n > max) {
		return err_set(e, RC_LIMIT, "%s: longer than %zu bytes", key, max);
	}
	*out = arena_str(a, s);
	return 0;
}

int field_digest(const struct json *v, const char *key, struct digest *out, struct err *e)
{
	struct str s;
	int r = json_need_str(v, key, &s, e);

	if (!r) {
		r = digest_parse(s, out, e);
	}
	return r ? err_wrap(e, "%s", key) : 0;
}

/* The index of `text` among `words`, counted from 1. */
int field_word(
	const struct json *v, const char *key, const char *const *words, int *out, struct err *e)
{
	struct str s;
	int r = json_need_str(v, key, &s, e);

	if (r) {
		return r;
	}
	for (int i = 0; words[i]; i++) {
		if (str_is(s, words[i])) {
			*out = i + 1;
			return 0;
		}
	}
	return err_set(e, RC_BUNDLE_SPEC, "%s: \"%.*s\" is not known to this version", key,
		STR_ARG(str_first(s, 64)));
}

int field_list(const struct json *v, const char *key, size_t max, const struct json **first,
	size_t *n, struct err *e)
{
	const struct json *list;
	int r = json_need_array(v, key, &list, e);

	if (r) {
		return r;
	}
	*n = json_count(list);
	if (*n > max) {
		return err_set(
			e, RC_LIMIT, "%s: %zu entries, at most %zu are allowed", key, *n, max);
	}
	*first = json_first(list);
	return 0;
}

int field_strs(struct arena *a, const struct json *v, const char *key, struct str **out, size_t *n,
	struct err *e)
{
	const struct json *item;
	int r = field_list(v, key, LIMIT_LIST, &item, n, e);

	if (r) {
		return r;
	}
	*out = arena_array(a, *n, sizeof(**out));
	for (size_t i = 0; i < *n; i++, item = json_next(item)) {
		struct str s;

		r = json_to_str(item, key, &s, e);
		if (r) {
			return r;
		}
		(*out)[i] = arena_str(a, s);
	}
	return 0;
}
