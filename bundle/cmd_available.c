/* gpkg-bundle available: what there is of a package, for which torch, CUDA, Python and machine. */
#include "bundle/available.h"
#include "bundle/source_list.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "manifests/name.h"

#include <stdio.h>

int cmd_available(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words;
	const char *registry, *source, *python, *platform, *cache;
};

struct work { /* what the answer points to */
	struct arena arena;
	struct source_list sources;
	struct pip_config config;
	struct cache *cache;
	struct index *index;
};

static void release(struct work *w)
{
	index_close(w->index);
	if (w->cache) {
		cache_close(w->cache);
	}
	pip_config_release(&w->config);
	arena_release(&w->arena);
}

static int find(const struct arguments *a, struct work *w, struct str *project,
	struct available *out, struct err *e)
{
	const char *path = NULL;
	struct available_options o = { .sources = &w->sources,
		.source = str_of(a->source),
		.python = str_of(a->python),
		.platform = str_of(a->platform) };

	if (!name_is_valid(str_of(a->words.v[0]))) {
		return err_set(e, RC_USAGE, "%.200s: not the name of a package", a->words.v[0]);
	}
	*project = o.project = str_of(name_normalize(&w->arena, str_of(a->words.v[0])));
	int r = source_list_choose(a->registry, &w->arena, &w->sources, &path, e);
	r = r ? r : pip_config_read(NULL, &w->config, e);
	r = r ? r : cache_open(a->cache, &w->cache, e);
	r = r ? r : index_open(&w->config, w->cache, &w->index, e);
	return r ? r : available_find(w->index, &o, out, e);
}

static void tell(const struct available *found)
{
	vec_each(const struct available_trouble, t, &found->troubles) {
		log_warn("%.*s gives no answer: %.*s", STR_ARG(t->source), STR_ARG(t->text));
	}
	if (found->combinations.n) {
		log_say("sources with pages for each pair were asked for %.*s",
			STR_ARG(found->combinations));
	}
}

/* Nobody answered: the first of them says why. */
static int check_answers(const struct available *found, struct err *e)
{
	if (found->nanswers || !found->troubles.n) {
		return 0;
	}
	return err_set(e, RC_NETWORK, "none of %zu places answers", found->nasked);
}

static int run(const struct arguments *a)
{
	struct work w = { .arena = ARENA_INIT, .config = PIP_CONFIG_INIT };
	struct available found = AVAILABLE_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct str project = STR_NULL;
	struct err e = ERR_INIT;
	int r = find(a, &w, &project, &found, &e), status;

	if (!r) {
		tell(&found);
		r = check_answers(&found, &e);
	}
	if (r) {
		status = log_error("gpkg-bundle available", &e, a->common.json);
	} else {
		if (a->common.json) {
			available_json(&found, &text);
		} else {
			available_text(&found, project, &text);
		}
		fputs(text.p, stdout);
		status = found.files.n ? 0 : 1;
	}
	available_release(&found);
	release(&w);
	return status;
}

int cmd_available(int argc, char **argv)
{
	struct arguments a = { .source = NULL };
	const struct opt options[] = {
		{ 0, "registry", OPT_TEXT, &a.registry, "FILE",
			"a registry (TOML) instead of the built-in sources" },
		{ 0, "source", OPT_TEXT, &a.source, "NAME",
			"ask only this source; \"index\" is pip's" },
		{ 0, "python", OPT_TEXT, &a.python, "VERSION",
			"only wheels for this Python, as 3.12 or 3.13t" },
		{ 0, "platform", OPT_TEXT, &a.platform, "NAME",
			"only linux_x86_64, linux_aarch64 or win_amd64" },
		{ 0, "cache", OPT_TEXT, &a.cache, "DIR", "where downloads are kept" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "available", "PKG",
		"Show what the sources and the index have of a package.", options, 1, 1 };
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		status = run(&a);
	}
	vec_release(&a.words);
	return status;
}
