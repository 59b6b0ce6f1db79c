/* gpkg-bundle trust: the public keys whose bundles this site takes. */
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "verify/store_place.h"
#include "verify/trust.h"

#include <stdio.h>

int cmd_trust(int argc, char **argv);

static void put_key(
	struct json_out *o, const struct public_key *key, struct str comment, struct str file)
{
	char id[KEY_ID_HEX + 1], line[PUBLIC_KEY_LINE + 1];

	json_begin_object(o);
	if (file.n) {
		json_str(o, "comment", comment);
		json_str(o, "file", file);
	}
	json_cstr(o, "id", public_key_id(key, id));
	json_cstr(o, "public_key", public_key_line(key, line));
	json_end_object(o);
}

/* One key that was added or removed. */
static void print_change(
	const char *what, const struct public_key *key, const char *store, bool json)
{
	char id[KEY_ID_HEX + 1], line[PUBLIC_KEY_LINE + 1];

	if (json) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct json_out o;

		json_out_init(&o, &text, true);
		json_begin_object(&o);
		json_put_key(&o, what);
		put_key(&o, key, STR_NULL, STR_NULL);
		json_cstr(&o, "store", store);
		json_end_object(&o);
		puts(text.p);
	} else {
		printf("%s  %s  %s\n", what, public_key_id(key, id), public_key_line(key, line));
	}
}

static void print_keys(const struct trust *t, const char *store, bool json)
{
	char id[KEY_ID_HEX + 1], line[PUBLIC_KEY_LINE + 1];
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	if (!json) {
		vec_each(struct trust_key, k, t) {
			printf("%s  %s  %.*s\n", public_key_id(&k->key, id),
				public_key_line(&k->key, line), STR_ARG(k->comment));
		}
		if (t->n == 0) {
			log_say("no key is trusted in %s; add one with: gpkg-bundle trust add PUB",
				store);
		}
		return;
	}
	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_put_key(&o, "keys");
	json_begin_array(&o);
	vec_each(struct trust_key, k, t) {
		put_key(&o, &k->key, k->comment, k->from);
	}
	json_end_array(&o);
	json_cstr(&o, "store", store);
	json_end_object(&o);
	puts(text.p);
}

static int list(const char *store, bool json, struct err *e)
{
	struct trust t = TRUST_INIT;
	int r = trust_load_store(&t, store, e);

	if (!r) {
		print_keys(&t, store, json);
	}
	trust_release(&t);
	return r;
}

static int run(const struct opt_list *words, const char *store, bool json, struct err *e)
{
	struct str action = words->n ? str_of(words->v[0]) : STR_NULL;
	struct public_key key;
	int r = 0;

	if (str_is(action, "list") && words->n == 1) {
		return list(store, json, e);
	}
	if (str_is(action, "add") && words->n == 2) {
		r = trust_add(store, words->v[1], &key, e);
	} else if (str_is(action, "remove") && words->n == 2) {
		r = trust_remove(store, words->v[1], &key, e);
	} else {
		err_set(e, RC_USAGE, "expected one of: add PUB, list, remove ID");
		return err_hint(e, "see: gpkg-bundle trust --help");
	}
	if (!r) {
		print_change(str_is(action, "add") ? "added" : "removed", &key, store, json);
	}
	return r;
}

int cmd_trust(int argc, char **argv)
{
	const struct opt options[] = { { .name = NULL } };
	const struct opt_verb verb = { "trust", "add PUB | list | remove ID",
		"Say whose bundles this site takes: add, list or remove a public key.", options, 0,
		2 };
	struct opt_common common = { .store = NULL };
	struct opt_list words = VEC_INIT;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &common, &words);

	if (status == OPT_GO) {
		int r = run(&words, store_place(&a, common.store), common.json, &e);

		status = r ? log_error("gpkg-bundle trust", &e, common.json) : 0;
	}
	vec_release(&words);
	arena_release(&a);
	return status;
}
