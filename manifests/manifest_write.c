/* struct manifest -> the canonical bytes. Keys stand in byte order; json_out checks that. */
#include "manifests/base/json.h"
#include "manifests/manifest.h"
#include "manifests/target_text.h"

static void put_digest(struct json_out *o, const char *key, const struct digest *d)
{
	char hex[DIGEST_HEX + 1];

	json_cstr(o, key, digest_hex(d, hex));
}

static void put_strs(struct json_out *o, const char *key, const struct str *v, size_t n)
{
	json_put_key(o, key);
	json_begin_array(o);
	for (size_t i = 0; i < n; i++) {
		json_put_str(o, v[i]);
	}
	json_end_array(o);
}

static const char *hash_from_text(enum manifest_hash_from from)
{
	return from == HASH_FROM_LOCK ? "lock" : from == HASH_FROM_FIRST_USE ? "first-use" : "index";
}

static void put_metadata(struct json_out *o, const struct manifest_file *f)
{
	json_put_key(o, "metadata");
	if (f->kind != DIST_WHEEL) {
		json_put_null(o);
		return;
	}
	json_begin_object(o);
	put_digest(o, "sha256", &f->metadata_sha256);
	json_u64(o, "size", f->metadata_size);
	json_end_object(o);
}

static void put_file(struct json_out *o, const struct manifest_file *f)
{
	json_begin_object(o);
	json_str(o, "device_code", f->device_code);
	json_cstr(o, "encoding", "plain");
	json_str(o, "file", f->file);
	json_cstr(o, "hash_from", hash_from_text(f->hash_from));
	json_cstr(o, "kind", f->kind == DIST_WHEEL ? "wheel" : "sdist");
	json_str(o, "license", f->license);
	json_bool(o, "local_mismatch", f->local_mismatch);
	put_metadata(o, f);
	json_str(o, "name", f->name);
	json_str(o, "origin", f->origin);
	json_str(o, "requires_python", f->requires_python);
	put_digest(o, "sha256", &f->sha256);
	json_u64(o, "size", f->size);
	json_str(o, "version", f->version);
	json_put_key(o, "yanked");
	if (f->is_yanked) {
		json_put_str(o, f->yanked);
	} else {
		json_put_null(o);
	}
	json_end_object(o);
}

static void put_use(struct json_out *o, unsigned use)
{
	static const char *const words[] = { "run", "build", "toolkit" };

	json_put_key(o, "use");
	json_begin_array(o);
	for (unsigned i = 0; i < 3; i++) {
		if (use & 1u << i) {
			json_put_str(o, str_of(words[i]));
		}
	}
	json_end_array(o);
}

static void put_findings(struct json_out *o, const struct manifest_pick *p)
{
	json_put_key(o, "findings");
	json_begin_array(o);
	for (size_t i = 0; i < p->nfindings; i++) {
		json_begin_object(o);
		json_str(o, "check", p->findings[i].check);
		json_str(o, "member", p->findings[i].member);
		json_str(o, "result", p->findings[i].result);
		json_str(o, "text", p->findings[i].text);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_pick(struct json_out *o, const struct manifest *m, const struct manifest_pick *p)
{
	bool has_audit = m->spec >= MANIFEST_SPEC_AUDIT;

	json_begin_object(o);
	if (has_audit) {
		json_str(o, "audit", p->audit);
	}
	put_strs(o, "extras", p->extras, p->nextras);
	json_u64(o, "file", p->file);
	if (has_audit) {
		put_findings(o, p);
	}
	json_bool(o, "requested", p->is_requested);
	put_use(o, p->use);
	json_end_object(o);
}

static void put_recipe(struct json_out *o, const struct manifest_recipe *r)
{
	json_begin_object(o);
	json_bool(o, "device_code", r->device_code);
	json_put_key(o, "env");
	json_begin_array(o);
	for (size_t i = 0; i < r->nenv; i++) {
		json_begin_array(o);
		json_put_str(o, r->env_names[i]);
		json_put_str(o, r->env_values[i]);
		json_end_array(o);
	}
	json_end_array(o);
	json_put_key(o, "environment");
	json_begin_array(o);
	for (size_t i = 0; i < r->nenvironment; i++) {
		json_put_u64(o, r->environment[i]);
	}
	json_end_array(o);
	json_u64(o, "file", r->file);
	json_end_object(o);
}

static void put_target(struct json_out *o, const struct manifest *m, const struct manifest_target *t)
{
	json_begin_object(o);
	json_put_key(o, "machine");
	json_begin_object(o);
	target_put_json(&t->target, o);
	json_end_object(o);
	json_put_key(o, "plan");
	json_begin_array(o);
	for (size_t i = 0; i < t->npicks; i++) {
		put_pick(o, m, &t->picks[i]);
	}
	json_end_array(o);
	json_put_key(o, "recipes");
	json_begin_array(o);
	for (size_t i = 0; i < t->nrecipes; i++) {
		put_recipe(o, &t->recipes[i]);
	}
	json_end_array(o);
	json_str(o, "toolkit", t->toolkit);
	json_end_object(o);
}

static void put_waiver(struct json_out *o, const struct manifest_waiver *w)
{
	json_begin_object(o);
	json_str(o, "project", w->project);
	json_str(o, "reason", w->reason);
	json_str(o, "target", w->target);
	json_str(o, "what", w->what);
	json_end_object(o);
}

static void put_previous(struct json_out *o, const struct manifest *m)
{
	json_put_key(o, "previous");
	if (!m->has_previous) {
		json_put_null(o);
		return;
	}
	json_begin_object(o);
	json_u64(o, "serial", m->previous_serial);
	put_digest(o, "sha256", &m->previous_sha256);
	json_end_object(o);
}

#define PUT_LIST(o, key, put, v, n)                                                                \
	do {                                                                                       \
		json_put_key(o, key);                                                              \
		json_begin_array(o);                                                                     \
		for (size_t i = 0; i < (n); i++) {                                                 \
			put(o, &(v)[i]);                                                           \
		}                                                                                  \
		json_end_array(o);                                                                 \
	} while (0)

void manifest_write(const struct manifest *m, struct buf *out)
{
	struct json_out w, *o = &w;

	json_out_init(o, out, true);
	json_begin_object(o);
	/* Room that this spec leaves empty: advisories, a delta's base, volumes. */
	put_strs(o, "advisories", NULL, 0);
	json_cstr(o, "base", NULL);
	json_str(o, "channel", m->channel);
	json_u64(o, "created", m->created);
	json_u64(o, "epoch", m->epoch);
	json_u64(o, "expires", m->expires);
	PUT_LIST(o, "files", put_file, m->files, m->nfiles);
	json_cstr(o, "kind", "full");
	put_digest(o, "lock_sha256", &m->lock_sha256);
	put_previous(o, m);
	json_u64(o, "serial", m->serial);
	json_u64(o, "spec", m->spec);
	json_put_key(o, "targets");
	json_begin_array(o);
	for (size_t i = 0; i < m->ntargets; i++) {
		put_target(o, m, &m->targets[i]);
	}
	json_end_array(o);
	json_str(o, "tool", m->tool);
	json_cstr(o, "type", "gpkg-bundle-manifest");
	json_cstr(o, "volumes", NULL);
	PUT_LIST(o, "waivers", put_waiver, m->waivers, m->nwaivers);
	json_end_object(o);
	buf_addc(out, '\n');
}
