#include "bundle/http_login.h"
#include "bundle/http_netrc.h"
#include "bundle/http_wire.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *variable, *host;
} agreed[] = {
#define TOKEN(variable, host) { variable, host },
#include "manifests/data/tokens.def"
#undef TOKEN
};

static bool is_https(struct str url)
{
	return str_eq_nocase(uri_scheme(url), STR("https"));
}

static char *lower_host(struct arena *a, struct str url)
{
	char *host = arena_dup(a, uri_host(url));

	for (char *p = host; *p; p++) {
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p | 32 : *p);
	}
	return host;
}

/* ---- tokens ---- */

/* Prefix and host in capitals; NULL where a character of the host has none ("[::1]"). */
static const char *spell(struct arena *a, const char *prefix, struct str host)
{
	char *name = arena_printf(a, "%s%.*s", prefix, STR_ARG(host));
	char *p = name + strlen(prefix);

	for (; *p; p++) {
		if (*p >= 'a' && *p <= 'z') {
			*p = (char)(*p & ~32);
		} else if (strchr(".-_", *p)) {
			*p = '_';
		} else if (!(*p >= 'A' && *p <= 'Z') && !(*p >= '0' && *p <= '9')) {
			return NULL;
		}
	}
	return host.n ? name : NULL;
}

const char *http_token_variable(struct arena *a, struct str url)
{
	return spell(a, "GPKG_BUNDLE_TOKEN_", uri_host(url));
}

static const char *agreed_variable(struct str host)
{
	for (size_t i = 0; i < sizeof(agreed) / sizeof(agreed[0]); i++) {
		if (str_eq_nocase(host, str_of(agreed[i].host))) {
			return agreed[i].variable;
		}
	}
	return NULL;
}

const char *http_token_advice(struct arena *a, struct str url)
{
	const char *variable = agreed_variable(uri_host(url));

	return variable ? variable : http_token_variable(a, url);
}

static const char *set_value(const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;

	return value && *value ? value : NULL;
}

/* One spelling may be that of two hosts, and a token is for one: the first that comes, configured
 * ones before all others. */
static int claim(struct http_keyring *k, const char *variable, struct str url, struct err *e)
{
	const char *host = lower_host(&k->arena, url);

	vec_each(struct http_token_use, use, &k->uses) {
		if (strcmp(use->variable, variable) != 0) {
			continue;
		}
		if (strcmp(use->host, host) == 0) {
			return 0;
		}
		err_set(e, RC_INVALID,
			"%s: would be the token of %s and of %s, which have one spelling", variable,
			use->host, host);
		return err_hint(e, "unset it and put both into ~/.netrc: machine HOST login USER "
				   "password TOKEN");
	}
	vec_push(&k->uses, (struct http_token_use){ arena_dup(&k->arena, str_of(variable)), host });
	return 0;
}

/* The b64token of RFC 6750 section 2.1 is narrower; what matters is that it stays within its line.
 */
static int check_token(const char *variable, const char *token, struct err *e)
{
	for (; *token; token++) {
		if (*token <= ' ' || *token > '~') {
			err_set(e, RC_INVALID, "%s: holds a space or a byte that is in no token",
				variable);
			return err_hint(e, "set it to the token alone, without a line end");
		}
	}
	return 0;
}

static int use_variable(struct http_keyring *k, struct arena *a, struct str url,
	const char *variable, bool is_spelled, struct http_login *login, struct err *e)
{
	const char *token = set_value(variable);

	if (!token || login->token) {
		return 0;
	}
	const char *place = arena_printf(a, "the token in %s", variable);
	if (!is_https(url)) {
		login->withheld = *login->withheld ? login->withheld : place;
		return 0;
	}
	int r = check_token(variable, token, e);
	if (!r && is_spelled) {
		r = claim(k, variable, url, e);
	}
	if (!r) {
		login->token = token;
		login->place = place;
	}
	return r;
}

static int use_tokens(struct http_keyring *k, struct arena *a, struct str url,
	struct http_login *login, struct err *e)
{
	struct str host = uri_host(url);
	int r = use_variable(k, a, url, http_token_variable(a, url), true, login, e);

	r = r ? r : use_variable(k, a, url, spell(a, "UVFORGE_TOKEN_", host), true, login, e);
	return r ? r : use_variable(k, a, url, agreed_variable(host), false, login, e);
}

/* ---- netrc ---- */

/* A file that is not there or cannot be read is no reason to stop: most hosts ask for nothing. */
static void read_netrc(struct http_keyring *k)
{
	struct err ignored = ERR_INIT;
	struct stat st;

	if (k->is_netrc_read || !k->netrc) {
		return;
	}
	k->is_netrc_read = true;
	CLEANUP(fd) int fd = open(k->netrc, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) &&
		!fs_read_fd(fd, k->netrc, LIMIT_NETRC, &k->netrc_text, &ignored)) {
		k->is_netrc_shared = st.st_mode & (S_IRGRP | S_IROTH);
	}
}

static int use_netrc(struct http_keyring *k, struct arena *a, struct str url,
	struct http_login *login, struct err *e)
{
	const char *user, *password;

	read_netrc(k);
	if (!k->netrc_text.n ||
		!netrc_find(buf_str(&k->netrc_text), uri_host(url), a, &user, &password)) {
		return 0;
	}
	const char *place = arena_printf(a, "the login in %s", k->netrc);
	if (!is_https(url) && !http_host_is_loopback(url)) {
		login->withheld = *login->withheld ? login->withheld : place;
		return 0;
	}
	if (k->is_netrc_shared && *password) {
		err_set(e, RC_PERMISSION,
			"%s: the password for %.*s stands there, and others can read it", k->netrc,
			STR_ARG(uri_host(url)));
		return err_hint(e, "chmod 600 %s", k->netrc);
	}
	login->user = user;
	login->password = password;
	login->place = place;
	return 0;
}

/* ---- the choice ---- */

static bool use_urls(
	const struct http_keyring *k, struct arena *a, struct str url, struct http_login *login)
{
	const char *origin = http_url_origin(a, url), *other;

	if (http_url_login(a, url, &login->user, &login->password)) {
		login->place = "the login in the URL";
		return true;
	}
	for (size_t i = 0; i < k->nurls && origin; i++) {
		other = http_url_origin(a, str_of(k->urls[i]));
		if (other && strcmp(origin, other) == 0 &&
			http_url_login(a, str_of(k->urls[i]), &login->user, &login->password)) {
			login->place = "the login in the index URL";
			return true;
		}
	}
	return false;
}

int http_login_choose(struct http_keyring *k, struct arena *a, struct str url,
	struct http_login *out, struct err *e)
{
	struct http_login login = { .place = "", .withheld = "" };
	int r = 0;

	if (!use_urls(k, a, url, &login)) {
		login.user = login.password = NULL;
		r = use_tokens(k, a, url, &login, e);
		if (!r && !login.token) {
			r = use_netrc(k, a, url, &login, e);
		}
	}
	if (!r) {
		*out = login;
	}
	return r;
}

int http_keyring_init(struct http_keyring *k, const char *const *urls, size_t nurls,
	const char *netrc, struct err *e)
{
	struct http_keyring made = { .urls = urls, .nurls = nurls, .netrc = netrc };
	const char *home = getenv("HOME");
	struct http_login ignored;
	int r = 0;

	if (!netrc && home && *home) {
		made.netrc = arena_printf(&made.arena, "%s/.netrc", home);
	}
	for (size_t i = 0; i < nurls && !r; i++) {
		if (uri_host(str_of(urls[i])).n) {
			ignored = (struct http_login){ .place = "", .withheld = "" };
			r = use_tokens(&made, &made.arena, str_of(urls[i]), &ignored, e);
		}
	}
	if (r) {
		http_keyring_release(&made);
		return r;
	}
	*k = made;
	return 0;
}

void http_keyring_release(struct http_keyring *k)
{
	vec_release(&k->uses);
	buf_release(&k->netrc_text);
	arena_release(&k->arena);
}
