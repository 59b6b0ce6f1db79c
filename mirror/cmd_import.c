/* gpkg-bundle import: verify bundles and take them into the store, each in one pass. */
#include "manifests/base/clock.h"
#include "manifests/base/json.h"
#include "manifests/base/mem.h"
#include "manifests/base/opt.h"
#include "mirror/import.h"
#include "verify/store_place.h"
#include "verify/trust_options.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cmd_import(int argc, char **argv);

static void report_json(struct json_out *o, const char *path, const struct verified *v,
	const struct import_result *x)
{
	const struct manifest *m = verified_manifest(v);
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_u64(o, "bytes", x->bytes);
	json_str(o, "channel", m->channel);
	json_u64(o, "epoch", m->epoch);
	json_cstr(o, "file", path);
	json_u64(o, "files", x->files);
	json_bool(o, "known", x->was_known);
	json_cstr(o, "manifest", digest_hex(verified_manifest_sha256(v), hex));
	json_u64(o, "new_bytes", x->new_bytes);
	json_u64(o, "new_files", x->new_files);
	json_u64(o, "serial", m->serial);
	json_put_key(o, "targets");
	json_begin_array(o);
	for (size_t i = 0; i < m->ntargets; i++) {
		json_put_str(o, m->targets[i].target.name);
	}
	json_end_array(o);
	json_end_object(o);
}

static void report_text(const struct verified *v, const struct import_result *x)
{
	const struct manifest *m = verified_manifest(v);
	char all[24], added[24];

	printf("%s %.*s serial %llu: %zu files, %s (%zu new, %s); targets:",
		x->was_known ? "already imported" : "imported", STR_ARG(m->channel),
		(unsigned long long)m->serial, x->files, log_size(x->bytes, all), x->new_files,
		log_size(x->new_bytes, added));
	for (size_t i = 0; i < m->ntargets; i++) {
		printf(" %.*s", STR_ARG(m->targets[i].target.name));
	}
	puts("");
}

/* The store is made only for a bundle whose signature is right. */
static int import_verified(const char *store, struct verified *v, uint64_t now,
	struct import_result *result, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	struct log_progress progress;
	int r = store_open(store, STORE_WRITE, &s, e);

	if (!r) {
		log_progress_begin(&progress, "import", manifest_total(verified_manifest(v)));
		r = import_bundle(s, v, now, &progress, result, e);
	}
	if (!r) {
		log_progress_end(&progress);
	}
	return r;
}

static int import_file(const char *path, const char *store, const struct trust *trust,
	struct json_out *json, struct err *e)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	CLEANUP(fd) int opened = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP_VERIFIED struct verified *v = NULL;
	struct import_result result;
	uint64_t now = clock_now();

	if (!is_stdin && opened < 0) {
		return err_sys(e, "%s: cannot open", path);
	}
	int r = verified_open(is_stdin ? STDIN_FILENO : opened, name, trust, now, &v, e);
	if (!r) {
		r = import_verified(store, v, now, &result, e);
	}
	if (r) {
		return str_starts(str_of(e->text), name) ? r : err_wrap(e, "%s", name);
	}
	if (json) {
		report_json(json, path, v, &result);
	} else {
		report_text(v, &result);
	}
	return 0;
}

static int import_all(const struct opt_list *files, const struct opt_list *pubs, const char *store,
	bool json, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct trust trust = TRUST_INIT;
	struct json_out o;
	int r = trust_from_options(&trust, pubs, store, e);

	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_put_key(&o, "bundles");
	json_begin_array(&o);
	for (size_t i = 0; !r && i < files->n; i++) {
		r = import_file(files->v[i], store, &trust, json ? &o : NULL, e);
	}
	json_end_array(&o);
	json_cstr(&o, "store", store);
	json_end_object(&o);
	if (!r && json) {
		puts(text.p);
	}
	trust_release(&trust);
	return r;
}

int cmd_import(int argc, char **argv)
{
	struct opt_list pubs = VEC_INIT, files = VEC_INIT;
	const struct opt options[] = {
		{ 0, "pub", OPT_LIST, &pubs, "PUB",
			"trust this public key file instead of the store's keys" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "import", "FILE...",
		"Verify bundles and take them into the store, in this order (\"-\": standard "
		"input).",
		options, 1, OPT_MANY };
	struct opt_common common = { .store = NULL };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &common, &files);

	if (status == OPT_GO) {
		int r = import_all(&files, &pubs, store_place(&a, common.store), common.json, &e);

		status = r ? log_error("gpkg-bundle import", &e, common.json) : 0;
	}
	arena_release(&a);
	vec_release(&pubs);
	vec_release(&files);
	return status;
}
