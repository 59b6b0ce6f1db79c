#include "bundle/audit_plan_report.h"

#include "manifests/base/log.h"

#include <stdio.h>

enum { SHOWN_MAX = 240 }; /* of a doubt's text: the whole stands in --json and in the manifest */

/* ---- what does not fit ---- */

static void tell_finding(const struct audit_finding *f)
{
	fprintf(stderr, "    %s: %.*s%s%.*s\n", audit_check_title(f->check), STR_ARG(f->member),
		f->member.n ? ": " : "", STR_ARG(f->text));
	if (f->avoids.n) {
		fprintf(stderr, "      avoids: %.*s\n", STR_ARG(f->avoids));
	}
	if (f->remedy.n) {
		fprintf(stderr, "      do: %.*s\n", STR_ARG(f->remedy));
	}
}

static void tell_unfit(
	const struct plan_target *t, const struct plan_file *f, const struct plan_audited *x)
{
	fprintf(stderr, "%s %.*s: %.*s does not fit%s%.*s\n", x->waived.n ? "waived" : "audit",
		STR_ARG(t->target->name), STR_ARG(f->from.name.file), x->waived.n ? ": " : "",
		STR_ARG(x->waived));
	for (size_t i = 0; i < x->nfindings; i++) {
		if (x->findings[i].result == AUDIT_FAIL) {
			tell_finding(&x->findings[i]);
		}
	}
}

/* ---- what is doubtful: a file's targets together ---- */

/* The gravest doubt of a check, or NULL. */
static const struct audit_finding *find_doubt(const struct plan_audited *x, enum audit_check check)
{
	const struct audit_finding *found = NULL;

	for (size_t i = 0; i < x->nfindings; i++) {
		const struct audit_finding *f = &x->findings[i];

		if (f->check == check && f->result != AUDIT_FAIL &&
			(!found || f->result > found->result)) {
			found = f;
		}
	}
	return found;
}

static void tell_doubt(
	const struct plan *p, const struct plan_audit *a, size_t file, enum audit_check check)
{
	const struct audit_finding *first = NULL;
	CLEANUP_BUF struct buf names = BUF_INIT;

	for (size_t i = 0; i < p->ntargets; i++) {
		const struct plan_target *t = &p->targets[i];

		for (size_t k = 0; k < t->npicks; k++) {
			const struct audit_finding *f = t->picks[k].file == file
								? find_doubt(&a->picks[i][k], check)
								: NULL;

			if (f) {
				buf_addf(&names, "%s%.*s", first ? ", " : "",
					STR_ARG(t->target->name));
				first = first ? first : f;
			}
		}
	}
	if (first) {
		struct str text = str_first(first->text, SHOWN_MAX);

		log_warn("audit %s: %.*s: %s%s: %.*s%s", names.p,
			STR_ARG(p->files[file].from.name.file), audit_check_title(check),
			first->result == AUDIT_UNKNOWN ? " unknown" : "", STR_ARG(text),
			text.n < first->text.n ? "..." : "");
	}
}

void audit_plan_report(const struct plan *p, const struct plan_audit *a)
{
	if (!a->picks) {
		return;
	}
	for (size_t i = 0; i < p->nfiles; i++) {
		for (size_t c = 0; c < AUDIT_CHECKS; c++) {
			tell_doubt(p, a, i, (enum audit_check)c);
		}
	}
	for (size_t i = 0; i < p->ntargets; i++) {
		const struct plan_target *t = &p->targets[i];

		for (size_t k = 0; k < t->npicks; k++) {
			if (a->picks[i][k].is_unfit) {
				tell_unfit(t, &p->files[t->picks[k].file], &a->picks[i][k]);
			}
		}
	}
}

/* ---- JSON ---- */

static void put_finding(struct json_out *o, const struct audit_finding *f)
{
	json_begin_object(o);
	json_str(o, "avoids", f->avoids);
	json_cstr(o, "check", audit_check_name(f->check));
	json_str(o, "member", f->member);
	json_str(o, "remedy", f->remedy);
	json_cstr(o, "result", audit_result_text(f->result));
	json_str(o, "text", f->text);
	json_end_object(o);
}

static void put_audited(struct json_out *o, const struct plan_target *t, const struct plan_file *f,
	const struct plan_audited *x)
{
	json_begin_object(o);
	json_str(o, "file", f->from.name.file);
	json_put_key(o, "findings");
	json_begin_array(o);
	for (size_t i = 0; i < x->nfindings; i++) {
		put_finding(o, &x->findings[i]);
	}
	json_end_array(o);
	json_bool(o, "fits", !x->is_unfit);
	json_str(o, "line", x->line);
	json_str(o, "project", f->project);
	json_str(o, "target", t->target->name);
	json_str(o, "waived", x->waived);
	json_end_object(o);
}

void audit_plan_put(const struct plan *p, const struct plan_audit *a, struct json_out *o)
{
	json_put_key(o, "audit");
	json_begin_array(o);
	for (size_t i = 0; a->picks && i < p->ntargets; i++) {
		const struct plan_target *t = &p->targets[i];

		for (size_t k = 0; k < t->npicks; k++) {
			if (a->picks[i][k].line.n) {
				put_audited(o, t, &p->files[t->picks[k].file], &a->picks[i][k]);
			}
		}
	}
	json_end_array(o);
}
