#include "bundle/http_get.h"
#include "bundle/http_login.h"
#include "manifests/base/uri.h"

bool http_status_is_refusal(long status)
{
	return status == 401 || status == 403 || status == 407;
}

static const char *credentials(struct arena *a, const struct http_response *r)
{
	if (!http_status_is_refusal(r->status)) {
		return "";
	}
	if (*r->login) {
		return arena_printf(a, " (sent: %s)", r->login);
	}
	if (*r->withheld) {
		return arena_printf(
			a, " (no credential was sent: %s is for https alone)", r->withheld);
	}
	return " (no credential was sent)";
}

static int advise(const struct http_response *r, struct arena *a, struct err *e)
{
	struct str url = str_of(r->url);
	const char *variable = http_token_advice(a, url);

	if (r->status == 407) {
		return err_hint(e,
			"the proxy asks for credentials: put them into PIP_PROXY or https_proxy");
	}
	if (!http_status_is_refusal(r->status)) {
		return err_hint(e, "try again later, or look at the URL with another client");
	}
	if (*r->login) {
		return err_hint(e, "is it still valid, and may its owner read this?");
	}
	if (*r->withheld) {
		return err_hint(e, "name the place with https");
	}
	return err_hint(e,
		"if %.*s asks for credentials, put a login into ~/.netrc or into the index URL of "
		"pip%s%s",
		STR_ARG(uri_host(url)), variable ? ", or a token into " : "",
		variable ? variable : "");
}

int http_refuse(const struct http_response *r, const char *url, struct err *e)
{
	struct arena a = ARENA_INIT;

	err_set(e, RC_INDEX, "%s: %.*s answers %ld %s%s", url, STR_ARG(uri_host(str_of(r->url))),
		r->status, http_status_text(r->status), credentials(&a, r));
	advise(r, &a, e);
	arena_release(&a);
	return -(int)RC_INDEX;
}
