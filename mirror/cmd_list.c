/* gpkg-bundle list: what the store holds, by target and by bundle. */
#include "manifests/base/clock.h"
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "manifests/target_text.h"
#include "mirror/store.h"
#include "verify/store_place.h"

#include <stdio.h>

int cmd_list(int argc, char **argv);

struct target_counts {
	size_t wheels, sdists, built;
	uint64_t bytes;
};

static struct target_counts count_target(const struct store_target *t)
{
	struct target_counts c = { .wheels = 0 };

	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];

		if (!f->is_listed) {
			continue;
		}
		c.wheels += f->file.kind == DIST_WHEEL;
		c.sdists += f->file.kind == DIST_SDIST;
		c.built += f->is_built;
		c.bytes += f->file.size;
	}
	return c;
}

static void put_bundle(struct json_out *o, const struct store_bundle *b)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_str(o, "channel", b->channel);
	json_u64(o, "created", b->created);
	json_u64(o, "epoch", b->epoch);
	json_u64(o, "imported", b->imported);
	json_cstr(o, "manifest", digest_hex(&b->manifest, hex));
	json_u64(o, "serial", b->serial);
	json_str(o, "signer", b->signer);
	json_end_object(o);
}

static void put_packages(struct json_out *o, const struct store_target *t)
{
	json_begin_array(o);
	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];
		char hex[DIGEST_HEX + 1];

		if (!f->is_listed) {
			continue;
		}
		json_begin_object(o);
		json_bool(o, "built", f->is_built);
		json_str(o, "file", f->file.file);
		json_str(o, "name", f->file.name);
		json_cstr(o, "sha256", digest_hex(&f->file.sha256, hex));
		json_u64(o, "size", f->file.size);
		json_str(o, "version", f->file.version);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_target(struct json_out *o, const struct store_target *t)
{
	struct target_counts c = count_target(t);

	json_begin_object(o);
	json_u64(o, "built", c.built);
	json_u64(o, "bytes", c.bytes);
	json_str(o, "channel", t->channel);
	json_u64(o, "files", c.wheels + c.sdists);
	json_str(o, "name", t->target.name);
	json_put_key(o, "packages");
	put_packages(o, t);
	json_u64(o, "sdists", c.sdists);
	json_put_key(o, "target");
	json_begin_object(o);
	target_put_json(&t->target, o);
	json_end_object(o);
	json_u64(o, "wheels", c.wheels);
	json_end_object(o);
}

static void print_json(const struct store *s, const struct store_view *v)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_put_key(&o, "bundles");
	json_begin_array(&o);
	for (size_t i = 0; i < v->nbundles; i++) {
		put_bundle(&o, &v->bundles[i]);
	}
	json_end_array(&o);
	json_u64(&o, "generation", v->generation);
	json_cstr(&o, "store", store_dir(s));
	json_put_key(&o, "targets");
	json_begin_array(&o);
	for (size_t i = 0; i < v->ntargets; i++) {
		put_target(&o, &v->targets[i]);
	}
	json_end_array(&o);
	json_end_object(&o);
	puts(text.p);
}

/* A line for every release: "  torch 2.11.0+cu130". */
static void print_packages(const struct store_target *t)
{
	const struct manifest_file *last = NULL;

	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];

		if (!f->is_listed ||
			(last && str_eq(last->name, f->file.name) &&
				str_eq(last->version, f->file.version) && !f->is_built)) {
			continue;
		}
		printf("  %.*s %.*s%s%s\n", STR_ARG(f->file.name), STR_ARG(f->file.version),
			f->is_built                  ? "  (wheel built here)"
			: f->file.kind == DIST_SDIST ? "  (source)"
						     : "",
			f->file.is_yanked ? "  (yanked)" : "");
		last = &f->file;
	}
}

static void print_text(const struct store_view *v)
{
	struct arena a = ARENA_INIT;
	char size[24], when[CLOCK_TEXT];

	for (size_t i = 0; i < v->ntargets; i++) {
		const struct store_target *t = &v->targets[i];
		struct target_counts c = count_target(t);

		printf("target %.*s  %s: %zu wheels (%zu built here), %zu sources, %s\n",
			STR_ARG(t->target.name), target_line(&a, &t->target), c.wheels, c.built,
			c.sdists, log_size(c.bytes, size));
		print_packages(t);
	}
	for (size_t i = 0; i < v->nbundles; i++) {
		const struct store_bundle *b = &v->bundles[i];

		printf("bundle %.*s serial %llu, imported %s\n", STR_ARG(b->channel),
			(unsigned long long)b->serial, clock_text(b->imported, when));
	}
	arena_release(&a);
}

static int run(const char *dir, bool json, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	struct store_view v = STORE_VIEW_INIT;
	int r = store_open(dir, STORE_READ, &s, e);

	if (!r) {
		r = store_view_load(s, &v, e);
	}
	if (!r && json) {
		print_json(s, &v);
	} else if (!r) {
		print_text(&v);
	}
	store_view_release(&v);
	return r;
}

int cmd_list(int argc, char **argv)
{
	const struct opt options[] = { { .name = NULL } };
	const struct opt_verb verb = { "list", "", "Show the targets and the bundles of the store.",
		options, 0, 0 };
	struct opt_common common = { .store = NULL };
	struct opt_list words = VEC_INIT;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &common, &words);

	if (status == OPT_GO) {
		int r = run(store_place(&a, common.store), common.json, &e);

		status = r ? log_error("gpkg-bundle list", &e, common.json) : 0;
	}
	vec_release(&words);
	arena_release(&a);
	return status;
}
