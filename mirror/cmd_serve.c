/* gpkg-bundle serve: the store, for pip and uv. */
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/mem.h"
#include "manifests/base/opt.h"
#include "manifests/base/uri.h"
#include "mirror/http_serve.h"
#include "verify/store_place.h"

#include <signal.h>
#include <stdio.h>

int cmd_serve(int argc, char **argv);

struct serve_options {
	const char *listen, *url;
	struct opt_list hosts;
};

/* The address goes into pages and files as it is: nothing in it may need escaping there. */
static int check_url(const char *url, struct str *out, struct err *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"-._~:/[]";
	struct str s = str_of(url);
	bool is_ok = uri_host(s).n && (str_starts(s, "http://") || str_starts(s, "https://"));

	for (size_t i = 0; i < s.n; i++) {
		is_ok = is_ok && str_find(str_of(allowed), s.p[i]) < sizeof(allowed) - 1;
	}
	if (!is_ok) {
		err_set(e, RC_USAGE, "--url %s: not the address of a mirror", url);
		return err_hint(e, "write http://HOST, http://HOST:PORT or https://HOST/PREFIX");
	}
	while (str_ends(s, "/")) {
		s.n--;
	}
	*out = s;
	return 0;
}

static void print_address(const struct listener *l, bool json)
{
	CLEANUP_BUF struct buf text = BUF_INIT, url = BUF_INIT;
	struct json_out o;

	buf_addf(&url, "http://%s:%u/", l->address, l->port);
	if (json) {
		json_out_init(&o, &text, true);
		json_begin_object(&o);
		json_cstr(&o, "address", l->address);
		json_u64(&o, "port", l->port);
		json_str(&o, "url", buf_str(&url));
		json_end_object(&o);
	} else {
		buf_addstr(&text, buf_str(&url));
	}
	puts(text.p);
	fflush(stdout); /* who started us waits for this line */
}

/* What a user of each target pastes. */
static void say_targets(const struct store_view *v, const struct listener *l, struct str url)
{
	CLEANUP_BUF struct buf base = BUF_INIT, trust = BUF_INIT;

	if (url.n) {
		buf_addstr(&base, url);
	} else {
		buf_addf(&base, "http://%s:%u", l->address, l->port);
	}
	buf_adds(&trust, "");
	if (!l->is_loopback && !str_starts(url, "https:")) {
		buf_addf(&trust, " --trusted-host %.*s", STR_ARG(uri_host(buf_str(&base))));
	}
	for (size_t i = 0; i < v->ntargets; i++) {
		struct str name = v->targets[i].target.name;

		log_say("target %.*s:", STR_ARG(name));
		log_say("  pip install%s --index-url %s/t/%.*s/simple/ PACKAGE", trust.p, base.p,
			STR_ARG(name));
		log_say("  uv pip install --default-index %s/t/%.*s/simple/ PACKAGE", base.p,
			STR_ARG(name));
	}
}

static int wait_for_signal(const sigset_t *set)
{
	int signal_number = 0;

	while (sigwait(set, &signal_number) || signal_number == 0) {
	}
	return signal_number;
}

static int serve(struct store *store, const struct serve_options *options,
	const struct opt_common *common, const sigset_t *signals, struct err *e)
{
	struct store_view v = STORE_VIEW_INIT;
	struct http_setting setting = { .url = STR_NULL, .speed = 1 };
	CLEANUP(free) struct str *hosts = mem_array(options->hosts.n, sizeof(*hosts));
	struct http_server *server = NULL;
	struct listener l;
	int r = options->url ? check_url(options->url, &setting.url, e) : 0;

	for (size_t i = 0; i < options->hosts.n; i++) {
		hosts[i] = str_of(options->hosts.v[i]);
	}
	setting.hosts = hosts;
	setting.nhosts = options->hosts.n;
	if (!r) {
		r = store_view_load(store, &v, e);
	}
	if (!r) {
		r = listen_open(options->listen, &l, e);
	}
	if (!r) {
		r = http_server_start(store, &l, &setting, &server, e);
	}
	if (!r) {
		print_address(&l, common->json);
		say_targets(&v, &l, setting.url);
	}
	store_view_release(&v);
	if (!r) {
		wait_for_signal(signals);
		http_server_stop(server);
	}
	return r;
}

/* Threads inherit the mask: the signals are blocked before the first one is made. */
static int run(const char *dir, const struct serve_options *options,
	const struct opt_common *common, struct err *e)
{
	CLEANUP_STORE struct store *store = NULL;
	sigset_t signals;
	int r = store_open(dir, STORE_READ, &store, e);

	if (r) {
		return r;
	}
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	return serve(store, options, common, &signals, e);
}

int cmd_serve(int argc, char **argv)
{
	struct serve_options o = { .listen = NULL };
	const struct opt options[] = {
		{ 0, "listen", OPT_TEXT, &o.listen, "ADDRESS:PORT",
			"default 127.0.0.1:8080; port 0 picks one" },
		{ 0, "url", OPT_TEXT, &o.url, "URL",
			"the mirror's address for clients (default: as they name it)" },
		{ 0, "host", OPT_LIST, &o.hosts, "NAME",
			"answer only requests for this host; may be repeated" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "serve", "", "Serve the store to pip, uv and browsers.",
		options, 0, 0 };
	struct opt_common common = { .store = NULL };
	struct opt_list words = VEC_INIT;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &common, &words);

	if (status == OPT_GO) {
		o.listen = o.listen ? o.listen : "127.0.0.1:8080";
		int r = run(store_place(&a, common.store), &o, &common, &e);

		status = r ? log_error("gpkg-bundle serve", &e, common.json) : 0;
	}
	vec_release(&words);
	vec_release(&o.hosts);
	arena_release(&a);
	return status;
}
