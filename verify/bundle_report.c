#include "verify/bundle_report.h"
#include "manifests/base/clock.h"
#include "manifests/base/log.h"
#include "manifests/target_text.h"

uint64_t bundle_target_total(const struct manifest *m, const struct manifest_target *t)
{
	uint64_t total = 0;

	for (size_t i = 0; i < t->npicks; i++) {
		total += m->files[t->picks[i].file].size;
	}
	return total;
}

static void target_lines(const struct manifest *m, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char size[24];

	for (size_t i = 0; i < m->ntargets; i++) {
		const struct manifest_target *t = &m->targets[i];

		buf_addf(out, "  target    %.*s: %zu files, %s; %s\n", STR_ARG(t->target.name), t->npicks,
			log_size(bundle_target_total(m, t), size), target_line(&a, &t->target));
		for (size_t j = 0; j < t->nrecipes; j++) {
			const struct manifest_file *f = &m->files[t->recipes[j].file];

			buf_addf(out, "            to build: %.*s\n", STR_ARG(f->file));
		}
	}
	arena_release(&a);
}

static void warning_lines(const struct manifest *m, struct buf *out)
{
	for (size_t i = 0; i < m->nwaivers; i++) {
		const struct manifest_waiver *w = &m->waivers[i];

		buf_addf(out, "  waived    %.*s%s%.*s (%.*s): %.*s\n", STR_ARG(w->project),
			w->target.n ? " for " : "", STR_ARG(w->target), STR_ARG(w->what),
			STR_ARG(w->reason));
	}
	for (size_t i = 0; i < m->nfiles; i++) {
		const struct manifest_file *f = &m->files[i];

		if (f->hash_from == HASH_FROM_FIRST_USE) {
			buf_addf(out, "  note      %.*s: its hash was first seen when it was packed\n",
				STR_ARG(f->file));
		}
		if (f->is_yanked) {
			buf_addf(out, "  note      %.*s: yanked by its publisher: %.*s\n",
				STR_ARG(f->file), STR_ARG(f->yanked.n ? f->yanked : STR("no reason given")));
		}
	}
}

void bundle_report_text(const struct verified *v, struct buf *out)
{
	const struct manifest *m = verified_manifest(v);
	const struct trust_key *signer = verified_signer(v);
	char time[CLOCK_TEXT], id[KEY_ID_HEX + 1], size[24], hex[DIGEST_HEX + 1];

	buf_addf(out, "  channel   %.*s, serial %llu, made %s by %.*s\n", STR_ARG(m->channel),
		(unsigned long long)m->serial, clock_text(m->created, time), STR_ARG(m->tool));
	buf_addf(out, "  expires   %s\n", m->expires ? clock_text(m->expires, time) : "never");
	buf_addf(out, "  signed by %s (%.*s)\n", public_key_id(&signer->key, id), STR_ARG(signer->from));
	buf_addf(out, "  manifest  sha256 %s\n", digest_hex(verified_manifest_sha256(v), hex));
	buf_addf(out, "  files     %zu, %s\n", m->nfiles, log_size(manifest_total(m), size));
	target_lines(m, out);
	warning_lines(m, out);
}

static void put_targets(const struct manifest *m, struct json_out *o)
{
	json_put_key(o, "targets");
	json_begin_array(o);
	for (size_t i = 0; i < m->ntargets; i++) {
		const struct manifest_target *t = &m->targets[i];

		json_begin_object(o);
		json_u64(o, "builds", t->nrecipes);
		json_u64(o, "bytes", bundle_target_total(m, t));
		json_u64(o, "files", t->npicks);
		json_str(o, "name", t->target.name);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_waivers(const struct manifest *m, struct json_out *o)
{
	json_put_key(o, "waivers");
	json_begin_array(o);
	for (size_t i = 0; i < m->nwaivers; i++) {
		json_begin_object(o);
		json_str(o, "project", m->waivers[i].project);
		json_str(o, "reason", m->waivers[i].reason);
		json_str(o, "target", m->waivers[i].target);
		json_str(o, "what", m->waivers[i].what);
		json_end_object(o);
	}
	json_end_array(o);
}

void bundle_report_json(const struct verified *v, struct json_out *o)
{
	const struct manifest *m = verified_manifest(v);
	char hex[DIGEST_HEX + 1], id[KEY_ID_HEX + 1];

	json_u64(o, "bytes", manifest_total(m));
	json_str(o, "channel", m->channel);
	json_u64(o, "created", m->created);
	json_u64(o, "epoch", m->epoch);
	json_u64(o, "expires", m->expires);
	json_u64(o, "files", m->nfiles);
	json_cstr(o, "manifest_sha256", digest_hex(verified_manifest_sha256(v), hex));
	json_u64(o, "serial", m->serial);
	json_cstr(o, "signer", public_key_id(&verified_signer(v)->key, id));
	put_targets(m, o);
	put_waivers(m, o);
}
