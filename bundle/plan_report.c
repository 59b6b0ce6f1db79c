#include "bundle/plan_report.h"
#include "manifests/base/log.h"

#include <stdio.h>

static void tell_hole(const struct plan_hole *h)
{
	struct str rest = h->text, line = STR_NULL;

	str_cut(&rest, '\n', &line);
	fprintf(stderr, "%s %.*s: %.*s\n", h->waived.n ? "waived" : "hole", STR_ARG(h->target),
		STR_ARG(line));
	while (str_cut(&rest, '\n', &line)) {
		fprintf(stderr, "    %.*s\n", STR_ARG(line));
	}
}

void plan_report_problems(const struct plan *p)
{
	for (size_t i = 0; i < p->nholes; i++) {
		tell_hole(&p->holes[i]);
	}
	for (size_t i = 0; i < p->nnotes; i++) {
		log_warn("%.*s", STR_ARG(p->notes[i]));
	}
}

void plan_put_holes(const struct plan *p, struct json_out *o)
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

void plan_put_notes(const struct plan *p, struct json_out *o)
{
	json_put_key(o, "notes");
	json_begin_array(o);
	for (size_t i = 0; i < p->nnotes; i++) {
		json_put_str(o, p->notes[i]);
	}
	json_end_array(o);
}

void plan_put_error(const struct err *failed, struct json_out *o)
{
	json_put_key(o, "error");
	json_begin_object(o);
	json_cstr(o, "hint", failed->hint);
	json_cstr(o, "reason", err_reason(failed->rc));
	json_cstr(o, "text", failed->text);
	json_end_object(o);
}
