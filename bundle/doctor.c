#include "bundle/doctor.h"
#include "bundle/doctor_private.h"
#include "manifests/base/log.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

void doctor_release(struct doctor_report *r)
{
	arena_release(&r->arena);
	*r = (struct doctor_report)DOCTOR_REPORT_INIT;
}

/* ---- verdicts ---- */

void doctor_ok(struct doctor_item *item, const char *text)
{
	item->step = DOCTOR_SETTLED;
	item->result.status = DOCTOR_OK;
	item->result.text = text;
}

void doctor_fail(struct doctor_work *w, struct doctor_item *item, const struct err *failed)
{
	item->step = DOCTOR_SETTLED;
	item->result.status = DOCTOR_FAIL;
	item->result.rc = failed->rc;
	item->result.text = arena_dup(w->arena, str_of(failed->text));
	item->result.hint = arena_dup(w->arena, str_of(failed->hint));
}

void doctor_size(struct doctor_work *w, struct doctor_item *item, bool has_size, uint64_t size)
{
	struct err e = ERR_INIT;
	char text[24];

	if (!has_size) {
		doctor_ok(item, "there, its size is not told");
	} else if (!item->has_size || item->size == size) {
		doctor_ok(item, arena_printf(w->arena, "%s%s", log_size(size, text),
					item->has_size ? " as recorded" : ""));
	} else {
		err_set(&e, RC_HASH, "%s: %" PRIu64 " bytes long, the lock records %" PRIu64,
			item->result.url, size, item->size);
		err_hint(&e, "find out whether it was replaced upstream or a proxy changes it, then "
			     "lock again");
		doctor_fail(w, item, &e);
	}
}

/* ---- this machine ---- */

static void look_at(struct doctor_work *w, struct doctor_item *item)
{
	struct err e = ERR_INIT;
	struct stat st;

	if (stat(item->path, &st)) {
		err_sys(&e, "%s: cannot be looked at", item->path);
		doctor_fail(w, item, &e);
	} else if (item->kind != DOCTOR_FILE) {
		doctor_ok(item, "it is there");
	} else if (S_ISREG(st.st_mode)) {
		doctor_size(w, item, true, (uint64_t)st.st_size);
	} else {
		err_set(&e, RC_IO, "%s: not a regular file", item->path);
		doctor_fail(w, item, &e);
	}
}

void doctor_look(struct doctor_work *w)
{
	vec_each(struct doctor_item, item, &w->items) {
		if (item->path && item->step != DOCTOR_SETTLED) {
			look_at(w, item);
		}
	}
}

/* ---- the whole ---- */

static void close_list(struct doctor_work *w, struct doctor_report *out)
{
	bool has_answer = false;

	out->checks = arena_array(w->arena, w->items.n + 1, sizeof(*out->checks));
	vec_each(struct doctor_item, item, &w->items) {
		out->checks[out->n++] = item->result;
		out->nok += item->result.status == DOCTOR_OK;
		out->nfailed += item->result.status == DOCTOR_FAIL;
		out->nskipped += item->result.status == DOCTOR_SKIP;
	}
	vec_each(struct doctor_host, host, &w->hosts) {
		has_answer = has_answer || host->has_answered;
	}
	out->is_offline = w->hosts.n && !has_answer;
}

int doctor_run(const struct lock *lock, const struct pip_config *config, struct index *index,
	const struct doctor_options *options, struct doctor_report *out, struct err *e)
{
	struct doctor_report report = DOCTOR_REPORT_INIT;
	struct doctor_work w = { .arena = &report.arena, .index = index, .options = options };

	doctor_list(&w, lock, config);
	doctor_look(&w);
	int r = doctor_ask(&w, e);
	if (!r && options->deep) {
		r = doctor_fetch(&w, e);
	}
	if (!r) {
		close_list(&w, &report);
		*out = report;
	} else {
		doctor_release(&report);
	}
	vec_release(&w.items);
	vec_release(&w.again);
	vec_release(&w.hosts);
	map_release(&w.host_of);
	return r;
}
