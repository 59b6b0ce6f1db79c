#include "bundle/http_get.h"
#include "bundle/http_cause.h"
#include "bundle/http_transfer.h"
#include "manifests/base/uri.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { PARALLEL = 8, TIMEOUT_S = 15, RETRIES_WITHOUT_HOST = 2, POLL_MS = 1000 };

struct http {
	CURLM *multi;
	struct arena arena;
	struct http_options o; /* texts in the arena */
	const char *ca_file, *ca_folder;
	struct http_keyring keyring;
};

struct run {
	struct http *h;
	unsigned parallel;
	http_next *next;
	http_done *done;
	void *context;
	VEC(struct transfer *) slots;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- options ---- */

static const char *copy(struct http *h, const char *text)
{
	return text && *text ? arena_dup(&h->arena, str_of(text)) : NULL;
}

static const char *const *copy_list(struct http *h, const char *const *list, size_t n)
{
	const char **to = arena_array(&h->arena, n + 1, sizeof(*to));

	for (size_t i = 0; i < n; i++) {
		to[i] = arena_dup(&h->arena, str_of(list[i]));
	}
	return to;
}

static const char *first_env(const char *const *names)
{
	for (; *names; names++) {
		const char *value = getenv(*names);

		if (value && *value) {
			return value;
		}
	}
	return NULL;
}

/* A bundle that configuration names must be there; one from the environment is used where it is. */
static int choose_ca(struct http *h, struct err *e)
{
	static const char *const names[] = { "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
		"SSL_CERT_FILE", "SSL_CERT_DIR", NULL };
	const char *ca = h->o.cert ? h->o.cert : copy(h, first_env(names));
	struct stat st;

	if (!ca || (stat(ca, &st) && !h->o.cert)) {
		return 0;
	}
	if (stat(ca, &st)) {
		err_set(e, RC_INVALID, "%s: no such certificate bundle", ca);
		return err_hint(e, "correct PIP_CERT, or \"cert\" in pip.conf");
	}
	*(S_ISDIR(st.st_mode) ? &h->ca_folder : &h->ca_file) = ca;
	return 0;
}

static int choose_client_cert(struct http *h, struct err *e)
{
	struct stat st;

	if (!h->o.client_cert || !stat(h->o.client_cert, &st)) {
		return 0;
	}
	err_set(e, RC_INVALID, "%s: no such client certificate", h->o.client_cert);
	return err_hint(e, "correct PIP_CLIENT_CERT, or \"client-cert\" in pip.conf");
}

static int start_library(struct http *h, struct err *e)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT)) {
		return err_set(e, RC_NETWORK, "the HTTP library does not start");
	}
	h->multi = curl_multi_init();
	if (!h->multi) {
		curl_global_cleanup();
		return err_set(e, RC_NETWORK, "the HTTP library does not start");
	}
	return 0;
}

int http_new(const struct http_options *options, struct http **out, struct err *e)
{
	struct http *h = mem_alloc(sizeof(*h));

	h->o = *options;
	h->o.cert = copy(h, options->cert);
	h->o.client_cert = copy(h, options->client_cert);
	h->o.proxy = copy(h, options->proxy);
	h->o.netrc = copy(h, options->netrc ? options->netrc : getenv("NETRC"));
	h->o.trusted_hosts = copy_list(h, options->trusted_hosts, options->ntrusted_hosts);
	h->o.logins = copy_list(h, options->logins, options->nlogins);
	int r = choose_ca(h, e);
	r = r ? r : choose_client_cert(h, e);
	r = r ? r : http_keyring_init(&h->keyring, h->o.logins, h->o.nlogins, h->o.netrc, e);
	r = r ? r : start_library(h, e);
	if (r) {
		http_keyring_release(&h->keyring);
		arena_release(&h->arena);
		free(h);
		return r;
	}
	*out = h;
	return 0;
}

void http_free(struct http *h)
{
	if (h) {
		curl_multi_cleanup(h->multi);
		curl_global_cleanup();
		http_keyring_release(&h->keyring);
		arena_release(&h->arena);
		free(h);
	}
}

/* ---- one try ---- */

static size_t on_head(char *line, size_t size, size_t n, void *context)
{
	struct transfer *t = context;

	http_head_line(&t->head, str_trim((struct str){ line, size * n }));
	return size * n;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
	return transfer_take(context, bytes, size * n) ? CURL_WRITEFUNC_ERROR : size * n;
}

static void add_header(struct transfer *t, const char *name, const char *value)
{
	if (value && *value) {
		t->headers = curl_slist_append(
			t->headers, arena_printf(&t->arena, "%s: %s", name, value));
	}
}

static void set_headers(struct transfer *t)
{
	const struct http_request *q = &t->request;

	add_header(t, "Accept", q->accept);
	add_header(t, "If-None-Match", q->if_none_match);
	add_header(t, "If-Modified-Since", q->if_modified_since);
	if (q->identity || q->has_range) {
		add_header(t, "Accept-Encoding", "identity");
	} else {
		curl_easy_setopt(
			t->easy, CURLOPT_ACCEPT_ENCODING, ""); /* all that libcurl decodes */
	}
	add_header(t, "Range", transfer_range(t));
	add_header(t, "If-Range", t->given ? t->validator : NULL);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void set_login(struct transfer *t)
{
	const struct http_login *login = &t->login;

	if (login->token) {
		curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
		curl_easy_setopt(t->easy, CURLOPT_XOAUTH2_BEARER, login->token);
	} else if (login->user) {
		curl_easy_setopt(t->easy, CURLOPT_USERNAME, login->user);
		curl_easy_setopt(t->easy, CURLOPT_PASSWORD, login->password);
	}
}

static void set_proxy(struct transfer *t)
{
	static const char *const names[] = { "http_proxy", "HTTP_PROXY", NULL };
	const char *proxy = first_env(names);

	if (t->options->proxy) { /* pip's --proxy knows no exceptions */
		curl_easy_setopt(t->easy, CURLOPT_PROXY, t->options->proxy);
		curl_easy_setopt(t->easy, CURLOPT_NOPROXY, "");
	} else if (proxy && !getenv("REQUEST_METHOD") && str_starts(str_of(t->url), "http:")) {
		/* libcurl reads only the lower-case name, because a CGI server sets the other one
		 * from a request ("httpoxy"); pip reads both outside CGI. */
		curl_easy_setopt(t->easy, CURLOPT_PROXY, proxy);
	}
}

static void set_certificates(struct transfer *t, const struct http *h)
{
	if (h->ca_file) {
		curl_easy_setopt(t->easy, CURLOPT_CAINFO, h->ca_file);
	}
	if (h->ca_folder) {
		curl_easy_setopt(t->easy, CURLOPT_CAPATH, h->ca_folder);
	}
	if (h->o.client_cert) {
		curl_easy_setopt(t->easy, CURLOPT_SSLCERT, h->o.client_cert);
		curl_easy_setopt(t->easy, CURLOPT_SSLKEY, h->o.client_cert);
	}
	if (http_host_is_trusted(str_of(t->url), h->o.trusted_hosts, h->o.ntrusted_hosts)) {
		curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

/* False where the request must not go out. */
static bool try_start(struct transfer *t, struct http *h)
{
	long timeout = h->o.timeout ? (long)h->o.timeout : TIMEOUT_S;
	CURL *c = t->easy;

	transfer_reset(t);
	if (http_login_choose(&h->keyring, &t->arena, str_of(t->url), &t->login, &t->err)) {
		err_wrap(&t->err, "%s", transfer_where(t));
		t->is_failed = true;
		return false;
	}
	curl_easy_reset(c);
	curl_slist_free_all(t->headers);
	t->headers = NULL;
	curl_easy_setopt(c, CURLOPT_URL, http_url_without_login(&t->arena, str_of(t->url)));
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_USERAGENT, "gpkg-bundle");
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(c, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, timeout);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, timeout);
	curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, 256L * 1024);
	curl_easy_setopt(c, CURLOPT_NOBODY, t->request.head ? 1L : 0L);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	set_headers(t);
	set_login(t);
	set_proxy(t);
	set_certificates(t, h);
	curl_multi_add_handle(h->multi, c);
	t->is_running = true;
	return true;
}

static void say_cause(struct transfer *t, CURLcode code)
{
	const struct http_cause *cause = http_cause_of(code);
	const char *hint = cause ? cause->hint : NULL;

	transfer_fail(t, err_set(&t->err, RC_NETWORK, "%s: %s", transfer_where(t),
				 cause ? cause->text : curl_easy_strerror(code)));
	err_hint(&t->err, "%s", hint ? hint : "run it again: what was fetched stays in the cache");
}

/* ---- the loop ---- */

static bool goes_on_after(struct transfer *t, CURLcode code)
{
	const struct http_cause *cause = http_cause_of(code);
	unsigned limit = t->options->retries;
	curl_off_t retry_after = 0;

	if (t->is_failed) {
		return false;
	}
	if (code == CURLE_OK || t->is_stopped) {
		curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry_after);
		return transfer_goes_on(t, retry_after > 0 ? (uint64_t)retry_after : 0, now_ms());
	}
	/* A host that is not there is not worth the pauses that a busy one gets. */
	if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT) {
		limit = limit < RETRIES_WITHOUT_HOST ? limit : RETRIES_WITHOUT_HOST;
	}
	if (cause && cause->is_transient && transfer_retries(t, limit, now_ms())) {
		return true;
	}
	say_cause(t, code);
	return false;
}

static void slot_free(struct run *run, struct transfer *t)
{
	for (size_t i = 0; i < run->slots.n; i++) {
		if (run->slots.v[i] == t) {
			run->slots.v[i] = run->slots.v[--run->slots.n];
			break;
		}
	}
	if (t->is_running) {
		curl_multi_remove_handle(run->h->multi, t->easy);
	}
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	transfer_release(t);
}

static int hand_over(struct run *run, struct transfer *t, struct err *e)
{
	struct http_response response = { 0 };

	if (t->is_failed && t->err.rc == RC_INDEX) {
		err_hint(&t->err, "look at that URL with another client: the server, or a proxy before it, "
				  "answers wrongly");
	}
	transfer_response(t, &response);
	int r = run->done(run->context, t->id, &response, t->is_failed ? &t->err : NULL, e);
	http_response_release(&response);
	slot_free(run, t);
	return r;
}

static int try_ended(struct run *run, struct transfer *t, CURLcode code, struct err *e)
{
	bool again = goes_on_after(t, code);

	curl_multi_remove_handle(run->h->multi, t->easy);
	t->is_running = false;
	return again ? 0 : hand_over(run, t, e);
}

static int collect_ended(struct run *run, struct err *e)
{
	struct CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(run->h->multi, &left))) {
		struct transfer *t = NULL;
		CURLcode code = m->data.result;

		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
		int r = m->msg == CURLMSG_DONE ? try_ended(run, t, code, e) : 0;
		if (r) {
			return r;
		}
	}
	return 0;
}

static int fill_slots(struct run *run, struct err *e)
{
	while (run->slots.n < run->parallel) {
		struct http_request request = { 0 };
		size_t id = 0;
		int r = run->next(run->context, &request, &id, e);

		if (r <= 0) {
			return r;
		}
		struct transfer *t = mem_alloc(sizeof(*t));
		t->options = &run->h->o;
		t->id = id;
		t->request = request;
		t->base = request.has_range && !request.range_is_suffix ? request.range_first : 0;
		t->reached = t->base;
		t->url = http_url_wire(&t->arena, str_of(request.url), false);
		t->easy = curl_easy_init();
		vec_push(&run->slots, t);
		if (!t->easy) {
			return err_set(e, RC_NETWORK, "the HTTP library gives no handle");
		}
	}
	return 0;
}

static int wake_due(struct run *run, struct err *e)
{
	uint64_t now = now_ms();
	int r = 0;

	for (size_t i = 0; i < run->slots.n && !r;) {
		struct transfer *t = run->slots.v[i];

		if (t->is_running || t->wake_ms > now || try_start(t, run->h)) {
			i++;
		} else {
			r = hand_over(run, t, e); /* and another one has its slot */
		}
	}
	return r;
}

/* How long to wait for the network before the next pause is over: 0 where one is already. */
static int ms_to_wait(const struct run *run)
{
	uint64_t now = now_ms(), wait = POLL_MS;

	vec_each(struct transfer *, slot, &run->slots) {
		uint64_t wake = (*slot)->wake_ms;

		if (!(*slot)->is_running) {
			wait = wake <= now ? 0 : wake - now < wait ? wake - now : wait;
		}
	}
	return (int)wait;
}

static int run_step(struct run *run, struct err *e)
{
	int running = 0;

	int r = wake_due(run, e);
	CURLMcode code = curl_multi_perform(run->h->multi, &running);
	size_t before = run->slots.n;

	r = r ? r : collect_ended(run, e);
	if (r) {
		return r;
	}
	r = fill_slots(run, e);
	if (r || code != CURLM_OK) {
		return r ? r : err_set(e, RC_NETWORK, "HTTP: %s", curl_multi_strerror(code));
	}
	if (run->slots.n && run->slots.n == before) {
		curl_multi_poll(run->h->multi, NULL, 0, ms_to_wait(run), NULL);
	}
	return 0;
}

int http_get_stream(struct http *h, unsigned parallel, http_next *next, http_done *done,
	void *context, struct err *e)
{
	struct run run = { .h = h,
		.parallel = parallel ? parallel : PARALLEL,
		.next = next,
		.done = done,
		.context = context };

	int r = fill_slots(&run, e);
	while (!r && run.slots.n) {
		r = run_step(&run, e);
	}
	while (run.slots.n) {
		slot_free(&run, run.slots.v[0]);
	}
	vec_release(&run.slots);
	return r;
}
