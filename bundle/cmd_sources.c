/* gpkg-bundle sources: where packages come from besides the index, and who would ask there. */
#include "bundle/http_login.h"
#include "bundle/source_list.h"
#include "bundle/source_project.h"
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"

#include <stdio.h>
#include <stdlib.h>

int cmd_sources(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words;
	const char *registry;
};

/* What messages call the credential that a request there would carry; "" none. A secret is never
 * shown. */
static const char *credential_for(struct http_keyring *k, struct arena *a, const struct source *s)
{
	const struct target nobody = { .name = STR_NULL };
	struct http_login login = { .place = "" };
	struct source_pages pages = { .n = 0 };
	struct source of_any_torch = *s;
	struct err e = ERR_INIT;
	struct str url = s->url;

	of_any_torch.torch_compat = STR_NULL;
	if (s->kind == SOURCE_GITHUB &&
		!source_locate(&of_any_torch, &nobody, source_github_api(), a, &pages, &e)) {
		url = pages.urls[0];
	}
	if (str_starts(url, "file:")) {
		return "";
	}
	return http_login_choose(k, a, url, &login, &e) ? arena_dup(a, str_of(e.text))
							: login.place;
}

static void put_packages(const struct source *s, struct buf *out)
{
	for (size_t i = 0; i < s->npackages; i++) {
		buf_addf(out, "%s%.*s", i ? ", " : "", STR_ARG(s->packages[i]));
	}
	if (!s->npackages) {
		buf_adds(out, "any package");
	}
}

static void show_text(const struct source *s, const char *credential, struct buf *out)
{
	buf_addf(out, "%-30.*s  %-8s  ", STR_ARG(s->name), source_kind_text(s->kind));
	put_packages(s, out);
	buf_addf(out, "\n    %.*s\n", STR_ARG(s->url));
	if (s->description.n) {
		buf_addf(out, "    %.*s\n", STR_ARG(s->description));
	}
	if (*credential) {
		buf_addf(out, "    asked with: %s\n", credential);
	}
}

static void show_json(const struct source *s, const char *credential, struct json_out *o)
{
	json_begin_object(o);
	json_cstr(o, "credential", *credential ? credential : NULL);
	json_str(o, "description", s->description);
	json_cstr(o, "kind", source_kind_text(s->kind));
	json_str(o, "name", s->name);
	json_cstr(o, "origin", s->origin);
	json_put_key(o, "packages");
	json_begin_array(o);
	for (size_t i = 0; i < s->npackages; i++) {
		json_put_str(o, s->packages[i]);
	}
	json_end_array(o);
	json_str(o, "where", s->url);
	json_end_object(o);
}

static void show(const struct source_list *list, struct http_keyring *k, struct arena *a, bool json,
	struct buf *out)
{
	struct json_out w;

	json_out_init(&w, out, true);
	if (json) {
		json_begin_object(&w);
		json_put_key(&w, "sources");
		json_begin_array(&w);
	}
	for (size_t i = 0; i < list->n; i++) {
		const char *credential = credential_for(k, a, &list->v[i]);

		if (json) {
			show_json(&list->v[i], credential, &w);
		} else {
			show_text(&list->v[i], credential, out);
		}
	}
	if (json) {
		json_end_array(&w);
		json_end_object(&w);
		buf_addc(out, '\n');
	}
}

static int run(const struct arguments *a)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct http_keyring keys = { .arena = ARENA_INIT };
	struct arena arena = ARENA_INIT;
	struct source_list list;
	struct err e = ERR_INIT;
	const char *path;
	int status = 0;

	if (source_list_choose(a->registry, &arena, &list, &path, &e) ||
		http_keyring_init(&keys, NULL, 0, getenv("NETRC"), &e)) {
		status = log_error("gpkg-bundle sources", &e, a->common.json);
	} else {
		show(&list, &keys, &arena, a->common.json, &text);
		fputs(text.n ? text.p : "", stdout);
	}
	http_keyring_release(&keys);
	arena_release(&arena);
	return status;
}

int cmd_sources(int argc, char **argv)
{
	struct arguments a = { .registry = NULL };
	const struct opt options[] = {
		{ 0, "registry", OPT_TEXT, &a.registry, "FILE",
			"a registry (TOML) instead of the built-in sources" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "sources", "",
		"Show the places besides the index that a lock may take packages from.", options, 0,
		0 };
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		status = run(&a);
	}
	vec_release(&a.words);
	return status;
}
