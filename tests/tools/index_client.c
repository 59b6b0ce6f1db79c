/* Drives the connected side's network modules from a script:
 *
 *	index_client config                       what pip is configured with
 *	index_client projects NAME...             the files of projects
 *	index_client metadata NAME FILE           METADATA of one wheel
 *	index_client fetch {URL SHA256 SIZE}...   into the cache; "-" where unknown
 *	index_client cache [clear]
 *
 * Results are lines on stdout; an error is "reason: text" and its hint on stderr. */
#include "bundle/fetch.h"
#include "bundle/index.h"
#include "manifests/base/uri.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct client {
	struct arena arena;
	struct pip_config config;
	struct cache *cache;
	struct index *index;
};

static int client_open(struct client *c, struct err *e)
{
	int r = pip_config_read(NULL, &c->config, e);

	r = r ? r : cache_open(NULL, &c->cache, e);
	return r ? r : index_open(&c->config, c->cache, &c->index, e);
}

static void client_close(struct client *c)
{
	index_close(c->index);
	cache_close(c->cache);
	pip_config_release(&c->config);
	arena_release(&c->arena);
}

static void print_list(const char *name, const char **list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		printf("%s %s\n", name, list[i]);
	}
}

static void print_one(const char *name, const char *text)
{
	if (text) {
		printf("%s %s\n", name, text);
	}
}

static int run_config(struct client *c, struct err *e)
{
	struct pip_config *p = &c->config;

	int r = pip_config_read(NULL, p, e);
	if (r) {
		return r;
	}
	print_list("index", p->indexes, p->nindexes);
	print_list("find-links", p->find_links, p->nfind_links);
	print_list("trusted-host", p->trusted_hosts, p->ntrusted_hosts);
	print_one("cert", p->cert);
	print_one("client-cert", p->client_cert);
	print_one("proxy", p->proxy);
	printf("timeout %u\nretries %u\nno-index %d\n", p->timeout, p->retries, p->no_index);
	return 0;
}

static void print_file(const struct index_file *f)
{
	char hex[DIGEST_HEX + 1];

	printf("  %.*s %s sha256=%s", STR_ARG(f->name.file), f->url,
		f->has_sha256 ? digest_hex(&f->sha256, hex) : "-");
	if (f->has_size) {
		printf(" size=%" PRIu64, f->size);
	}
	if (f->requires_python.n) {
		printf(" python=%.*s", STR_ARG(f->requires_python));
	}
	if (f->is_yanked) {
		printf(" yanked=(%.*s)", STR_ARG(f->yanked));
	}
	if (f->has_metadata) {
		printf(" metadata=%s",
			f->has_metadata_sha256 ? digest_hex(&f->metadata_sha256, hex) : "-");
	}
	if (f->conflict) {
		printf(" conflict=%s", f->conflict);
	}
	printf(" from=%s\n", f->source);
}

static int run_projects(struct client *c, int argc, char **argv, struct err *e)
{
	size_t n = (size_t)argc;
	struct str *names = arena_array(&c->arena, n + 1, sizeof(*names));
	struct index_project *out = arena_array(&c->arena, n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		names[i] = str_of(argv[i]);
	}
	int r = client_open(c, e);
	r = r ? r : index_projects(c->index, names, n, &c->arena, out, e);
	for (size_t i = 0; !r && i < n; i++) {
		printf("%.*s: %zu files, %zu unreadable\n", STR_ARG(out[i].name), out[i].nfiles,
			out[i].nunreadable);
		for (size_t j = 0; j < out[i].nfiles; j++) {
			print_file(&out[i].files[j]);
		}
		if (!out[i].nfiles) {
			printf("  not on %s\n", index_where(c->index, &c->arena));
		}
	}
	return r;
}

static int run_metadata(struct client *c, const char *name, const char *file, struct err *e)
{
	struct str asked = str_of(name), text;
	struct index_project project;

	int r = client_open(c, e);
	r = r ? r : index_projects(c->index, &asked, 1, &c->arena, &project, e);
	if (r) {
		return r;
	}
	for (size_t i = 0; i < project.nfiles; i++) {
		const struct index_file *f = &project.files[i];

		if (str_is(f->name.file, file)) {
			r = index_metadata(c->index, &f, 1, &c->arena, &text, NULL, e);
			return r ? r : fwrite(text.p, 1, text.n, stdout) != text.n;
		}
	}
	return err_set(e, RC_NOT_FOUND, "%s: not on %s", file, index_where(c->index, &c->arena));
}

static int run_fetch(struct client *c, int argc, char **argv, struct err *e)
{
	size_t n = (size_t)argc / 3;
	struct fetch_item *items = arena_array(&c->arena, n + 1, sizeof(*items));
	char hex[DIGEST_HEX + 1];

	int r = client_open(c, e);
	for (size_t i = 0; !r && i < n; i++) {
		char **a = argv + 3 * i;

		items[i].url = a[0];
		items[i].file = arena_dup(&c->arena, uri_last_segment(str_of(a[0])));
		items[i].has_sha256 = strcmp(a[1], "-") != 0;
		items[i].has_size = strcmp(a[2], "-") != 0;
		if (items[i].has_sha256) {
			r = digest_parse(str_of(a[1]), &items[i].sha256, e);
		}
		if (!r && items[i].has_size && !str_to_u64(str_of(a[2]), &items[i].size)) {
			r = err_set(e, RC_USAGE, "%s: not a size", a[2]);
		}
	}
	r = r ? r : fetch_files(c->cache, index_http(c->index), items, n, 0, NULL, e);
	for (size_t i = 0; !r && i < n; i++) {
		printf("%s %s %" PRIu64 " %s\n", items[i].was_cached ? "cached" : "fetched",
			digest_hex(&items[i].sha256, hex), items[i].size, items[i].file);
	}
	return r;
}

static int run_cache(struct client *c, bool clear, struct err *e)
{
	struct cache_usage u;

	int r = cache_open(NULL, &c->cache, e);
	if (!r && clear) {
		r = cache_clear(c->cache, UINT64_MAX, &u, e);
	}
	r = r ? r : cache_measure(c->cache, &u, e);
	if (!r) {
		printf("files %" PRIu64 " %" PRIu64 "\npartials %" PRIu64 " %" PRIu64
		       "\npages %" PRIu64 "\ntexts %" PRIu64 "\n",
			u.files, u.file_bytes, u.partials, u.partial_bytes, u.pages, u.texts);
	}
	return r;
}

static int run(struct client *c, int argc, char **argv, struct err *e)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "config")) {
		return run_config(c, e);
	}
	if (!strcmp(verb, "projects")) {
		return run_projects(c, argc - 2, argv + 2, e);
	}
	if (!strcmp(verb, "metadata") && argc == 4) {
		return run_metadata(c, argv[2], argv[3], e);
	}
	if (!strcmp(verb, "fetch") && argc > 2 && (argc - 2) % 3 == 0) {
		return run_fetch(c, argc - 2, argv + 2, e);
	}
	if (!strcmp(verb, "cache")) {
		return run_cache(c, argc > 2 && !strcmp(argv[2], "clear"), e);
	}
	return err_set(e, RC_USAGE, "index_client config | projects | metadata | fetch | cache");
}

int main(int argc, char **argv)
{
	struct client c = { .config = PIP_CONFIG_INIT };
	struct err e = ERR_INIT;

	int r = run(&c, argc, argv, &e);
	client_close(&c);
	if (r) {
		fprintf(stderr, "%s: %s\n", err_reason(e.rc), e.text);
		if (e.hint[0]) {
			fprintf(stderr, "  %s\n", e.hint);
		}
		return err_exit_status(e.rc);
	}
	return 0;
}
