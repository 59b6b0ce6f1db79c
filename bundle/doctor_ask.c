#include "bundle/doctor_private.h"
#include "bundle/http_wire.h"

enum { FAILURES_MAX = 3 };

static struct doctor_host *host_of(struct doctor_work *w, const struct doctor_item *item)
{
	struct str name = str_of(http_url_origin(w->arena, str_of(item->url)));
	size_t *at = map_get(&w->host_of, name);

	if (!at) {
		map_put(&w->host_of, name, w->hosts.n);
		vec_push(&w->hosts, (struct doctor_host){ .failures = 0 });
	}
	return &w->hosts.v[at ? *at : w->hosts.n - 1];
}

static const char *folder_url(struct doctor_work *w, const char *url)
{
	return str_ends(str_of(url), "/") ? url : arena_printf(w->arena, "%s/", url);
}

static void make_request(
	struct doctor_work *w, const struct doctor_item *item, struct http_request *out)
{
	const char *url = item->kind == DOCTOR_INDEX ? folder_url(w, item->url) : item->url;

	*out = (struct http_request){ .url = url, .identity = true, .max = 1 };
	if (item->step == DOCTOR_PROJECT) {
		out->url = arena_printf(w->arena, "%s%s/", url, w->project);
	}
	if (item->step == DOCTOR_BYTE) {
		out->has_range = true; /* bytes 0 to 0 */
	} else {
		out->head = true;
	}
}

static void give_up(struct doctor_work *w, struct doctor_item *item)
{
	struct err e = ERR_INIT;

	err_set(&e, RC_NETWORK, "%s: not asked, because its host failed %d times in a row",
		item->result.url, FAILURES_MAX);
	err_hint(&e, "see the failures above");
	doctor_fail(w, item, &e);
}

static int next_question(void *context, struct http_request *out, size_t *i, struct err *e)
{
	struct doctor_work *w = context;

	(void)e;
	while (w->again.n || w->next < w->items.n) {
		size_t at = w->again.n ? w->again.v[--w->again.n] : w->next++;
		struct doctor_item *item = &w->items.v[at];

		if (item->step == DOCTOR_SETTLED) {
			continue;
		}
		if (host_of(w, item)->failures >= FAILURES_MAX) {
			give_up(w, item);
			continue;
		}
		make_request(w, item, out);
		*i = at;
		return 1;
	}
	return 0;
}

/* Some servers answer HEAD with an error, or without a size; an index may list its projects to
 * nobody. */
static bool ask_otherwise(
	struct doctor_work *w, struct doctor_item *item, const struct http_response *r)
{
	bool is_found = r->status == 200 || r->status == 206;

	if (item->kind == DOCTOR_INDEX && item->step == DOCTOR_HEAD && !is_found && w->project) {
		item->step = DOCTOR_PROJECT;
		return true;
	}
	if (item->kind != DOCTOR_INDEX && item->step == DOCTOR_HEAD &&
		(!is_found || (item->has_size && !r->has_total))) {
		item->step = DOCTOR_BYTE;
		return true;
	}
	return false;
}

static void judge(struct doctor_work *w, struct doctor_item *item, const struct http_response *r)
{
	struct err e = ERR_INIT;

	if (r->status != 200 && r->status != 206) {
		http_refuse(r, item->result.url, &e);
		doctor_fail(w, item, &e);
	} else if (item->kind == DOCTOR_FILE) {
		doctor_size(w, item, r->has_total, r->total);
	} else {
		doctor_ok(item, item->step == DOCTOR_PROJECT
					? arena_printf(w->arena, "it has %s", w->project)
					: "it answers");
	}
}

static int take_answer(void *context, size_t i, struct http_response *response,
	const struct err *failed, struct err *e)
{
	struct doctor_work *w = context;
	struct doctor_item *item = &w->items.v[i];
	struct doctor_host *host = host_of(w, item);

	(void)e;
	host->has_answered = host->has_answered || response->status;
	if (failed) {
		host->failures++;
		doctor_fail(w, item, failed);
		return 0;
	}
	host->failures = 0;
	if (ask_otherwise(w, item, response)) {
		vec_push(&w->again, i);
	} else {
		judge(w, item, response);
	}
	return 0;
}

int doctor_ask(struct doctor_work *w, struct err *e)
{
	return http_get_stream(
		index_http(w->index), w->options->parallel, next_question, take_answer, w, e);
}
