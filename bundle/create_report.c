#include "bundle/create_report.h"
#include "bundle/audit_plan_report.h"
#include "bundle/plan_report.h"
#include "manifests/base/log.h"
#include "verify/bundle_report.h"

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

void create_report_json(const struct create_result *r, const struct err *failed, struct buf *out)
{
	const struct manifest *m = &r->manifest;
	const struct plan *plan = &r->resolution.plan;
	struct json_out w, *o = &w;

	json_out_init(o, out, true);
	json_begin_object(o);
	audit_plan_put(plan, &r->audit, o);
	if (failed) {
		plan_put_error(failed, o);
		plan_put_holes(plan, o);
		plan_put_notes(plan, o);
		json_bool(o, "ok", false);
		json_end_object(o);
		return;
	}
	json_cstr(o, "bundle", r->path);
	json_u64(o, "bundle_bytes", r->bundle_size);
	json_u64(o, "bytes", manifest_total(m));
	json_str(o, "channel", m->channel);
	json_u64(o, "fetched_bytes", r->fetched.bytes);
	json_u64(o, "files", m->nfiles);
	plan_put_holes(plan, o);
	plan_put_notes(plan, o);
	json_bool(o, "ok", true);
	json_u64(o, "reused_files", r->fetched.reused);
	json_u64(o, "serial", m->serial);
	json_u64(o, "targets", m->ntargets);
	json_end_object(o);
}
