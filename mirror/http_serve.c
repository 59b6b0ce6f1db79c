#include "mirror/http_serve.h"
#include "manifests/base/log.h"
#include "manifests/base/mem.h"
#include "mirror/site_source.h"
#include "mirror/slow_client.h"

#include <microhttpd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
	CONNECTIONS = 4096,
	CONNECTIONS_PER_ADDRESS = 2048, /* a whole cluster may stand behind one address */
	HEADER_MEMORY = 16 << 10,
	SILENCE_SECONDS = 60,
	LAST_WORDS_MS = 5000,
	SPARE_FILES = 64,
	THREADS_MAX = 64
};

struct http_server {
	struct MHD_Daemon *daemon;
	struct store *store;
	struct site_source *source;
	struct slow_watch *watch;
	struct respond_setting setting;
	struct metrics metrics;
	_Atomic unsigned active; /* requests being answered */
};

/* ---- the request ---- */

static bool is_name(const char *key, size_t n, const char *name)
{
	return str_eq_nocase((struct str){ key, n }, str_of(name));
}

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *key,
	size_t key_size, const char *value, size_t value_size)
{
	struct request *q = context;
	struct str v = { value ? value : "", value_size };

	(void)kind;
	if (is_name(key, key_size, "Host")) {
		q->host = v;
		q->nhosts++;
	} else if (is_name(key, key_size, "Accept")) {
		if (q->naccept < REQUEST_ACCEPT_MAX) {
			q->accept[q->naccept++] = v;
		}
	} else if (is_name(key, key_size, "Range")) {
		q->range = v;
		q->nranges++;
	} else if (is_name(key, key_size, "If-None-Match")) {
		q->if_none_match = v;
	} else if (is_name(key, key_size, "If-Range")) {
		q->if_range = v;
	} else if (is_name(key, key_size, "Content-Length") ||
		   is_name(key, key_size, "Transfer-Encoding")) {
		q->has_body = true;
	} else if (!request_is_token((struct str){ key, key_size })) {
		q->has_bad_field = true;
	}
	return MHD_YES;
}

/* The path must reach us as it was sent: route.c decodes it, once. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

/* ---- the answer ---- */

static struct MHD_Response *add_headers(struct MHD_Response *made, const struct response *r)
{
	for (size_t i = 0; made && i < r->nheaders; i++) {
		MHD_add_response_header(made, r->headers[i].name, r->headers[i].value);
	}
	return made;
}

/* A page's answer is made once and shared by all requests, 304 included: libmicrohttpd leaves the
 * body out then. Who comes second drops his. */
static struct MHD_Response *page_answer(const struct response *r)
{
	_Atomic(void *) *slot = &r->page->prepared;
	void *known = atomic_load_explicit(slot, memory_order_acquire);

	if (known) {
		return known;
	}
	void *body = NULL; /* libmicrohttpd does not write to a persistent buffer */
	memcpy(&body, &r->page->body.p, sizeof(body));
	struct MHD_Response *made = add_headers(
		MHD_create_response_from_buffer(r->page->body.n, body, MHD_RESPMEM_PERSISTENT), r);
	if (made && !atomic_compare_exchange_strong(slot, &known, made)) {
		MHD_destroy_response(made);
		return known;
	}
	return made;
}

static void forget_answer(void *prepared)
{
	MHD_destroy_response(prepared);
}

/* The object must be there whole, or its index entry was a promise that cannot be kept. */
static struct MHD_Response *object_answer(struct http_server *server, const struct response *r)
{
	struct err e = ERR_INIT;
	uint64_t size = 0;
	int fd = -1;

	if (store_object_open(server->store, &r->object, &fd, &size, &e)) {
		log_warn("%s", e.text);
		return NULL;
	}
	if (size != r->total) {
		char hex[DIGEST_HEX + 1];

		log_warn("object %s: has %llu bytes instead of %llu", digest_hex(&r->object, hex),
			(unsigned long long)size, (unsigned long long)r->total);
		close(fd);
		return NULL;
	}
	struct MHD_Response *made =
		MHD_create_response_from_fd_at_offset64(r->length, fd, r->offset);
	if (!made) {
		close(fd);
	}
	return add_headers(made, r);
}

static ssize_t no_body(void *context, uint64_t at, char *to, size_t n)
{
	(void)context;
	(void)at;
	(void)to;
	(void)n;
	return MHD_CONTENT_READER_END_WITH_ERROR;
}

/* It has the length that 200 would have (RFC 9110 section 8.6); nobody asks for its bytes. */
static struct MHD_Response *not_modified(const struct response *r)
{
	return add_headers(MHD_create_response_from_callback(r->total, 1, no_body, NULL, NULL), r);
}

static struct MHD_Response *made_answer(struct response *r)
{
	size_t n = r->made.n;
	char *bytes = n ? buf_detach(&r->made) : NULL;

	return add_headers(MHD_create_response_from_buffer(n, bytes,
				   bytes ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT),
		r);
}

static enum MHD_Result send_answer(struct http_server *server, struct MHD_Connection *connection,
	bool is_get, struct response *r)
{
	struct MHD_Response *made = NULL;
	bool is_shared = r->page != NULL;

	if (is_shared) {
		made = page_answer(r);
	} else if (r->is_object) {
		made = object_answer(server, r);
	} else if (r->status == 304) {
		made = not_modified(r);
	}
	if (!made && r->is_object) {
		response_release(r);
		respond_failure(500, "this file is damaged here; the admin's log says more", r);
	}
	if (!made) {
		made = made_answer(r);
	}
	metrics_count(&server->metrics, r->status, is_get ? r->length : 0);
	enum MHD_Result queued = made ? MHD_queue_response(connection, r->status, made) : MHD_NO;
	if (made && !is_shared) {
		MHD_destroy_response(made);
	}
	return queued;
}

static struct slow_client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static bool has_body(struct MHD_Connection *connection)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length") ||
	       MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding");
}

static enum MHD_Result answer_request(struct http_server *server, struct MHD_Connection *connection,
	struct request *q, struct site *site)
{
	struct response r;

	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, take_header, q);
	respond(site, &server->setting, q, &r);
	enum MHD_Result result = send_answer(server, connection, str_is(q->method, "GET"), &r);
	response_release(&r);
	return result;
}

/* Called twice for each request. An answer to the first call ends the connection: a request with a
 * body gets that, before a byte of it is read, so nothing can be smuggled in it. All others are
 * answered at the second. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **state)
{
	struct http_server *server = context;
	struct request q = { .method = str_of(method), .target = str_of(url) };

	(void)version;
	(void)upload;
	(void)upload_size;
	if (*state) {
		return answer_request(server, connection, &q, *state);
	}
	struct slow_client *client = client_of(connection);
	if (client) {
		slow_client_busy(client);
	}
	struct site *site = site_source_take(server->source);
	*state = site;
	atomic_fetch_add(&server->active, 1);
	return has_body(connection) ? answer_request(server, connection, &q, site) : MHD_YES;
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode why)
{
	struct http_server *server = context;
	struct slow_client *client = client_of(connection);

	(void)why;
	if (*state) {
		site_source_give(server->source, *state);
		*state = NULL;
		atomic_fetch_sub(&server->active, 1);
	}
	if (client) {
		slow_client_idle(client);
	}
}

static void connection_changed(void *context, struct MHD_Connection *connection,
	void **socket_context, enum MHD_ConnectionNotificationCode what)
{
	struct http_server *server = context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

		*socket_context = info ? slow_watch_add(server->watch, info->connect_fd) : NULL;
		atomic_fetch_add(&server->metrics.connections, 1);
	} else {
		if (*socket_context) {
			slow_watch_remove(server->watch, *socket_context);
			*socket_context = NULL;
		}
		atomic_fetch_sub(&server->metrics.connections, 1);
	}
}

/* ---- start and stop ---- */

static unsigned core_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set)) {
		return 1;
	}
	int n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

/* A connection has a socket, and an open object while it is answered. */
static unsigned connection_limit(void)
{
	const rlim_t want = 2 * CONNECTIONS + SPARE_FILES;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files)) {
		return 256;
	}
	if (files.rlim_cur < want) {
		files.rlim_cur = files.rlim_max < want ? files.rlim_max : want;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= want) {
		return CONNECTIONS;
	}
	return files.rlim_cur > 4 * SPARE_FILES ? (unsigned)(files.rlim_cur - SPARE_FILES) / 2
						: SPARE_FILES;
}

static struct MHD_Daemon *start_daemon(struct http_server *server, int fd)
{
	unsigned threads = core_count(), connections = connection_limit();
	const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC;

	const struct MHD_OptionItem options[] = {
		{ MHD_OPTION_LISTEN_SOCKET, fd, NULL },
		{ MHD_OPTION_THREAD_POOL_SIZE, threads > 1 ? threads : 0, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, connections, NULL },
		{ MHD_OPTION_PER_IP_CONNECTION_LIMIT, CONNECTIONS_PER_ADDRESS, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEADER_MEMORY, NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_SECONDS, NULL },
		{ MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL }, /* respond.c is strict */
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, NULL },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)completed, server },
		{ MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connection_changed, server },
		{ MHD_OPTION_END, 0, NULL },
	};

	return MHD_start_daemon(
		flags, 0, NULL, NULL, handle, server, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static void release(struct http_server *server)
{
	slow_watch_free(server->watch);
	site_source_close(server->source);
	free(server);
}

int http_server_start(struct store *store, const struct listener *listener,
	const struct http_setting *setting, struct http_server **out, struct err *e)
{
	struct http_server *server = mem_alloc(sizeof(*server));

	server->store = store;
	server->setting = (struct respond_setting){ .url = setting->url,
		.hosts = setting->hosts,
		.nhosts = setting->nhosts,
		.metrics = &server->metrics };
	int r = site_source_open(store, &server->metrics, forget_answer, &server->source, e);
	if (!r) {
		server->watch = slow_watch_new(&server->metrics.cut_connections, setting->speed);
		server->daemon = server->watch ? start_daemon(server, listener->fd) : NULL;
		if (!server->daemon) {
			r = err_set(e, RC_IO,
				"%s:%u: the server does not start: threads or memory are short",
				listener->address, listener->port);
		}
	}
	if (r) {
		close(listener->fd);
		release(server);
		return r;
	}
	*out = server;
	return 0;
}

void http_server_stop(struct http_server *server)
{
	const struct timespec nap = { .tv_nsec = 10 * 1000000L };
	MHD_socket fd = MHD_quiesce_daemon(server->daemon);

	if (fd != MHD_INVALID_SOCKET) {
		close(fd); /* new connections are refused from now on */
	}
	for (int ms = 0; ms < LAST_WORDS_MS && atomic_load(&server->active); ms += 10) {
		nanosleep(&nap, NULL);
	}
	MHD_stop_daemon(server->daemon);
	release(server);
}
