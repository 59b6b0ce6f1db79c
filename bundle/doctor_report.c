#include "bundle/doctor.h"
#include "manifests/base/json.h"

static const char *verdict(const struct doctor_report *r)
{
	return r->is_offline ? "there is no network"
	       : r->nfailed  ? "not everything that the lock names is there"
			     : "everything that the lock names is there";
}

/* The text of a failure begins with its URL. */
void doctor_report_text(const struct doctor_report *r, struct buf *out)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "[ok]  ", [DOCTOR_FAIL] = "[FAIL]", [DOCTOR_SKIP] = "[skip]"
	};

	for (size_t i = 0; i < r->n; i++) {
		const struct doctor_check *c = &r->checks[i];

		buf_addf(out, "%s ", words[c->status]);
		if (c->status == DOCTOR_FAIL) {
			buf_addf(out, "%s%s%s\n", c->text, *c->hint ? "; " : "", c->hint);
		} else {
			buf_addf(out, "%s: %s\n", c->url, c->text);
		}
	}
	buf_addf(out, "%zu ok, %zu failed, %zu skipped: %s\n", r->nok, r->nfailed, r->nskipped,
		verdict(r));
}

static void put_check(struct json_out *o, const struct doctor_check *c)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_FAIL] = "FAIL", [DOCTOR_SKIP] = "skip"
	};
	static const char *const kinds[] = {
		[DOCTOR_FILE] = "file", [DOCTOR_INDEX] = "index", [DOCTOR_LINKS] = "links"
	};

	json_begin_object(o);
	json_cstr(o, "hint", c->hint);
	json_cstr(o, "kind", kinds[c->kind]);
	json_cstr(o, "reason", c->status == DOCTOR_FAIL ? err_reason(c->rc) : NULL);
	json_cstr(o, "status", words[c->status]);
	json_cstr(o, "text", c->text);
	json_cstr(o, "url", c->url);
	json_end_object(o);
}

void doctor_report_json(const struct doctor_report *r, struct buf *out)
{
	struct json_out w, *o = &w;

	json_out_init(o, out, true);
	json_begin_object(o);
	json_put_key(o, "checks");
	json_begin_array(o);
	for (size_t i = 0; i < r->n; i++) {
		put_check(o, &r->checks[i]);
	}
	json_end_array(o);
	json_u64(o, "failed", r->nfailed);
	json_bool(o, "offline", r->is_offline);
	json_bool(o, "ok", !r->nfailed);
	json_u64(o, "passed", r->nok);
	json_u64(o, "skipped", r->nskipped);
	json_cstr(o, "verdict", verdict(r));
	json_end_object(o);
	buf_addc(out, '\n');
}
