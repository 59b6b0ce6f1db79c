#include "bundle/http_transfer.h"
#include "manifests/base/clock.h"
#include "manifests/base/uri.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REDIRECTS_MAX = 10, OTHER_BODY_MAX = 64 * 1024 };

const char *transfer_where(struct transfer *t)
{
	char *url = uri_redact(&t->arena, str_of(t->request.url));

	if (!t->hops) {
		return url;
	}
	return arena_printf(
		&t->arena, "%s (redirected to %.*s)", url, STR_ARG(uri_host(str_of(t->url))));
}

int transfer_fail(struct transfer *t, int r)
{
	t->is_failed = true;
	return r;
}

void transfer_reset(struct transfer *t)
{
	http_head_clear(&t->head);
	t->is_begun = t->is_delivering = t->is_stopped = t->is_rewound = false;
	if (!t->request.take) {
		t->given = 0;
	}
	t->asked_range = t->request.has_range || t->given;
	buf_clear(&t->body);
}

const char *transfer_range(struct transfer *t)
{
	const struct http_request *q = &t->request;
	uint64_t first = t->base + t->given;

	if (!t->asked_range) {
		return NULL;
	}
	if (q->has_range && q->range_is_suffix) {
		return arena_printf(&t->arena, "bytes=-%" PRIu64, q->range_last);
	}
	if (q->has_range && q->range_last != UINT64_MAX) {
		return arena_printf(&t->arena, "bytes=%" PRIu64 "-%" PRIu64, first, q->range_last);
	}
	return arena_printf(&t->arena, "bytes=%" PRIu64 "-", first);
}

/* ---- the body ---- */

/* The bytes so far are void; the resource is taken, or asked for again, from byte 0. */
static int rewind_to_start(struct transfer *t)
{
	if (t->request.restart(t->request.context, &t->err)) {
		return transfer_fail(t, -1);
	}
	t->base = t->given = 0;
	t->request.has_range = false;
	t->has_size = false;
	free(t->validator);
	t->validator = NULL;
	return 0;
}

/* An answer that cannot follow the bytes that were taken. */
static int refuse_part(struct transfer *t, const char *what)
{
	if (!t->request.restart) {
		return transfer_fail(
			t, err_set(&t->err, RC_INDEX, "%s: %s", transfer_where(t), what));
	}
	t->is_rewound = t->is_stopped = true;
	return rewind_to_start(t);
}

static int begin_part(struct transfer *t)
{
	if (!t->asked_range) {
		return transfer_fail(t, err_set(&t->err, RC_INDEX,
						"%s: answers with a part, the whole was asked for",
						transfer_where(t)));
	}
	if (!t->request.range_is_suffix &&
		(!t->head.has_first || t->head.first != t->base + t->given)) {
		return refuse_part(t, "answers with another range of bytes than was asked for");
	}
	if (t->has_size && t->head.has_size && t->head.size != t->size) {
		return refuse_part(t, "has changed its size while it was fetched");
	}
	t->is_delivering = true;
	return 0;
}

/* 200 to a request for a range, which RFC 9110 section 14.2 allows. */
static int begin_whole_for_part(struct transfer *t)
{
	if (t->request.restart) {
		t->is_delivering = true;
		return rewind_to_start(t);
	}
	t->is_delivering = t->head.has_length && t->head.length <= t->request.max;
	t->is_stopped = !t->is_delivering;
	return 0;
}

int transfer_begin_body(struct transfer *t)
{
	long status = t->head.status;
	int r = 0;

	t->is_begun = true;
	if (status == 206) {
		r = begin_part(t);
	} else if (status == 200 && t->asked_range) {
		r = begin_whole_for_part(t);
	} else {
		t->is_delivering = status == 200 || status == 203;
	}
	if (r || !t->is_delivering) {
		return r;
	}
	if (t->head.etag && t->head.etag[0] == '"' && !t->validator) {
		t->validator = mem_dup(t->head.etag);
	}
	if (status == 206 ? t->head.has_size : t->head.has_length) {
		t->has_size = true;
		t->size = status == 206 ? t->head.size : t->head.length;
	}
	return 0;
}

static int deliver(struct transfer *t, const char *bytes, size_t n)
{
	if (t->given + n > t->request.max) {
		return transfer_fail(t, err_set(&t->err, RC_INDEX,
						"%s: the answer is longer than the %" PRIu64
						" bytes that are allowed",
						transfer_where(t), t->request.max));
	}
	if (!t->request.take) {
		buf_add(&t->body, bytes, n);
	} else if (t->request.take(t->request.context, bytes, n, &t->err)) {
		return transfer_fail(t, -1);
	}
	t->given += n;
	return 0;
}

int transfer_take(struct transfer *t, const char *bytes, size_t n)
{
	if (!t->is_begun && transfer_begin_body(t)) {
		return -1;
	}
	if (!t->is_stopped && t->is_delivering) {
		return deliver(t, bytes, n);
	}
	if (!t->is_stopped) {
		buf_add(&t->body, bytes, n);
		t->is_stopped = t->body.n > OTHER_BODY_MAX;
	}
	return t->is_stopped ? -1 : 0;
}

/* ---- what follows an answer ---- */

static bool follow(struct transfer *t)
{
	char *to = uri_resolve(&t->arena, str_of(t->url), str_of(t->head.location));
	struct str scheme = uri_scheme(str_of(to));
	bool to_http = str_eq_nocase(scheme, STR("http"));

	if (++t->hops > REDIRECTS_MAX) {
		t->hops--;
		transfer_fail(t, err_set(&t->err, RC_INDEX, "%s: more than %d redirects",
					 transfer_where(t), REDIRECTS_MAX));
		return false;
	}
	if (!to || !(to_http || str_eq_nocase(scheme, STR("https"))) || !uri_host(str_of(to)).n) {
		t->hops--;
		transfer_fail(t, err_set(&t->err, RC_INDEX,
					 "%s: redirects to something that is no http or https URL",
					 transfer_where(t)));
		return false;
	}
	if (to_http && str_eq_nocase(uri_scheme(str_of(t->url)), STR("https"))) {
		t->url = to;
		transfer_fail(t, err_set(&t->err, RC_INDEX,
					 "%s: the redirect leads from https to http: refused",
					 transfer_where(t)));
		return false;
	}
	/* RFC 9110 section 10.2.2: the fragment is the user agent's business; credentials that a
	 * redirect itself carries are not taken over ("userinfo tricks"). */
	t->url = http_url_wire(
		&t->arena, str_of(http_url_without_login(&t->arena, str_of(to))), true);
	return true;
}

static bool schedule(struct transfer *t, unsigned limit, uint64_t retry_after, uint64_t now_ms)
{
	if (t->request.take && t->base + t->given > t->reached) {
		t->reached = t->base + t->given;
		t->tries = 0;
	}
	if (t->tries >= limit || (t->given && t->request.take && !t->request.restart)) {
		return false;
	}
	t->tries++;
	t->wake_ms = now_ms + http_pause_ms(t->tries, retry_after);
	return true;
}

bool transfer_retries(struct transfer *t, unsigned limit, uint64_t now_ms)
{
	return schedule(t, limit, 0, now_ms);
}

/* "until 2026-11-30 15:07:00 UTC, in 12 minutes" */
static const char *end_of_limit(struct transfer *t, uint64_t retry_after)
{
	char when[CLOCK_TEXT];
	uint64_t now = clock_now(), end = retry_after ? now + retry_after : t->head.reset;
	uint64_t left = end > now ? end - now : 0;

	if (!end) {
		return "for now";
	}
	return arena_printf(&t->arena, "until %s, in %" PRIu64 " %s", clock_text(end, when),
		left < 120 ? left : left / 60, left < 120 ? "seconds" : "minutes");
}

static void refuse_limit(struct transfer *t, uint64_t retry_after)
{
	struct str url = str_of(t->url);
	const char *advice = *t->login.place ? NULL : http_token_advice(&t->arena, url);

	transfer_fail(t, err_set(&t->err, RC_INDEX, "%s: %.*s takes no more requests %s (%s%s)",
				 transfer_where(t), STR_ARG(uri_host(url)), end_of_limit(t, retry_after),
				 *t->login.place ? "sent: " : "no credential was sent", t->login.place));
	if (advice) {
		err_hint(&t->err, "wait until then, or set %s: who says who asks is often allowed more", advice);
	} else {
		err_hint(&t->err, "wait until then: what was fetched stays in the cache");
	}
}

bool transfer_goes_on(struct transfer *t, uint64_t retry_after, uint64_t now_ms)
{
	long status = t->head.status;

	if (t->is_failed) {
		return false;
	}
	if (t->is_rewound) {
		return schedule(t, t->options->retries + 1, 0, now_ms);
	}
	if (http_status_is_redirect(status) && t->head.location) {
		return follow(t);
	}
	if (status == 416 && t->asked_range && t->request.restart) {
		return !rewind_to_start(t) && schedule(t, t->options->retries + 1, 0, now_ms);
	}
	if (http_head_is_limit(&t->head, retry_after)) {
		refuse_limit(t, retry_after);
		return false;
	}
	if (http_status_is_retried(status) && retry_after <= HTTP_RETRY_AFTER_MAX) {
		return schedule(t, t->options->retries, retry_after, now_ms);
	}
	if (!t->is_begun) {
		transfer_begin_body(t);
	}
	return !t->is_failed && t->is_rewound;
}

static char *text_or_empty(char **from)
{
	char *text = *from ? *from : mem_dup("");

	*from = NULL;
	return text;
}

void transfer_response(struct transfer *t, struct http_response *out)
{
	struct http_head *h = &t->head;
	bool part = h->status == 206;

	*out = (struct http_response){
		.status = h->status,
		.url = mem_dup(http_url_without_login(&t->arena, str_of(t->url))),
		.content_type = text_or_empty(&h->content_type),
		.etag = text_or_empty(&h->etag),
		.last_modified = text_or_empty(&h->last_modified),
		.next = text_or_empty(&h->next),
		.accepts_ranges = h->accepts_ranges || part,
		.has_total = part ? h->has_size : h->has_length,
		.total = part ? h->size : h->length,
		.first = part ? h->first : 0,
		.age_left = h->max_age > h->age ? h->max_age - h->age : 0,
		.no_cache = h->no_cache || (h->max_age && h->max_age <= h->age),
		.no_store = h->no_store,
		.login = mem_dup(t->login.place ? t->login.place : ""),
		.withheld = mem_dup(t->login.withheld ? t->login.withheld : ""),
		.body = t->body,
	};
	t->body = (struct buf)BUF_INIT;
}

void transfer_release(struct transfer *t)
{
	http_head_clear(&t->head);
	buf_release(&t->body);
	free(t->validator);
	arena_release(&t->arena);
	free(t);
}
