/* TOML from anybody: a tree whose parts agree with each other, or an error with a place. */
#include "manifests/toml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void walk(const struct toml *v)
{
	const struct toml *last = NULL;
	size_t n = 0;

	require(v->type >= TOML_STRING && v->type <= TOML_TABLE && v->line > 0 && v->column > 0);
	require(str_is_utf8(v->text) && str_is_utf8(v->key));
	for (const struct toml *c = v->first; c; c = c->next) {
		/* A key with U+0000 in it cannot be asked for. */
		if (v->type == TOML_TABLE && str_find(c->key, '\0') == c->key.n) {
			CLEANUP_BUF struct buf key = BUF_INIT;

			buf_addstr(&key, c->key);
			buf_addc(&key, '\0');
			require(toml_get(v, key.p) == c);
		}
		walk(c);
		last = c;
		n++;
	}
	require(n == v->count && last == v->last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;

	if (toml_parse(&a, (struct str){ (const char *)data, size }, &root, &e) == 0) {
		require(root->type == TOML_TABLE);
		walk(root);
	} else {
		require(!root && str_starts(str_of(e.text), "line "));
	}
	arena_release(&a);
	return 0;
}
