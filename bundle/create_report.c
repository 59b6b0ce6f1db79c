#include "bundle/create_report.h"
#include "manifests/base/json.h"
#include "verify/bundle_report.h"

#include <stdio.h>

void create_report_text(const struct create_result *r, struct buf *out)
{
	const struct manifest *m = &r->manifest;
	char size[24], sum[24], bundle[24];
	uint64_t by_target = 0;
	size_t picks = 0;

	for (size_t i = 0; i < m->ntargets; i++) {
		const struct manifest_target *t = &m->targets[i];
		uint64_t total = bundle_target_total(m, t);

		buf_addf(out, "%-12.*s %3zu files, %s", STR_ARG(t->target.name), t->npicks,
			log_size(total, size));
		for (size_t j = 0; j < t->nrecipes; j++) {
			buf_addf(out, "%s%.*s", j ? ", " : "; to build: ",
				STR_ARG(m->files[t->recipes[j].file].name));
		}
		buf_addc(out, '\n');
		by_target += total;
		picks += t->npicks;
	}
	buf_addf(out, "%s: %s, %zu distinct files of %s (the targets' sum: %zu files, %s)\n", r->path,
		log_size(r->bundle_size, bundle), m->nfiles, log_size(manifest_total(m), size), picks,
		log_size(by_target, sum));
	buf_addf(out, "channel %.*s, serial %llu\n", STR_ARG(m->channel), (unsigned long long)m->serial);
}

static void put_holes(const struct plan *p, struct json_out *o)
{
	json_put_key(o, "holes");
	json_begin_array(o);
	for (size_t i = 0; i < p->nholes; i++) {
		json_begin_object(o);
		json_str(o, "project", p->holes[i].project);
		json_str(o, "target", p->holes[i].target);
		json_str(o, "text", p->holes[i].text);
		json_str(o, "waived", p->holes[i].waived);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_notes(const struct plan *p, struct json_out *o)
{
	json_put_key(o, "notes");
	json_begin_array(o);
	for (size_t i = 0; i < p->nnotes; i++) {
		json_put_str(o, p->notes[i]);
	}
	json_end_array(o);
}

static void put_error(const struct err *failed, struct json_out *o)
{
	json_put_key(o, "error");
	json_begin_object(o);
	json_cstr(o, "hint", failed->hint);
	json_cstr(o, "reason", err_reason(failed->rc));
	json_cstr(o, "text", failed->text);
	json_end_object(o);
}

void create_report_json(const struct create_result *r, const struct err *failed, struct buf *out)
{
	const struct manifest *m = &r->manifest;
	struct json_out w, *o = &w;

	json_out_init(o, out, true);
	json_begin_object(o);
	if (failed) {
		put_error(failed, o);
		put_holes(&r->plan, o);
		put_notes(&r->plan, o);
		json_bool(o, "ok", false);
		json_end_object(o);
		return;
	}
	json_cstr(o, "bundle", r->path);
	json_u64(o, "bundle_bytes", r->bundle_size);
	json_u64(o, "bytes", manifest_total(m));
	json_str(o, "channel", m->channel);
	json_u64(o, "fetched_bytes", r->fetched);
	json_u64(o, "files", m->nfiles);
	put_holes(&r->plan, o);
	put_notes(&r->plan, o);
	json_bool(o, "ok", true);
	json_u64(o, "reused_files", r->reused);
	json_u64(o, "serial", m->serial);
	json_u64(o, "targets", m->ntargets);
	json_end_object(o);
}

void create_report_problems(const struct plan *p)
{
	for (size_t i = 0; i < p->nholes; i++) {
		const struct plan_hole *h = &p->holes[i];

		fprintf(stderr, "%s %.*s: %.*s\n", h->waived.n ? "waived" : "hole", STR_ARG(h->target),
			STR_ARG(h->text));
	}
	for (size_t i = 0; i < p->nnotes; i++) {
		log_warn("%.*s", STR_ARG(p->notes[i]));
	}
}
