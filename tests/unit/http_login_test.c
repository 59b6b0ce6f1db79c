#include "bundle/http_login.h"
#include "bundle/http_netrc.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct arena a;

UNIT(netrc_entries)
{
	static const struct {
		const char *text, *host;
		const char *user, *password; /* NULL: no entry */
	} cases[] = {
		{ "", "h", NULL, NULL },
		{ "machine h login u password p", "h", "u", "p" },
		{ "machine h login u password p", "H", "u", "p" },
		{ "machine h login u password p", "i", NULL, NULL },
		{ "machine h login u password p", "sub.h", NULL, NULL },
		{ "machine\n\th\r\n\tpassword\tp\r\n\tlogin u\r\n", "h", "u", "p" },
		{ "machine h login a password 1\nmachine h login b password 2", "h", "a", "1" },
		{ "machine i login a password 1 machine h login b password 2", "h", "b", "2" },
		{ "machine h login u account x password p", "h", "u", "p" },
		{ "machine h user u password p", "h", "u", "p" },
		{ "machine h password p", "h", "", "p" },
		{ "machine h", "h", "", "" },
		{ "machine", "h", NULL, NULL },
		{ "machine h login", "h", "", "" },
		{ "default login d password e", "h", "d", "e" },
		{ "default login d password e machine h login u password p", "h", "u", "p" },
		{ "machine h login u password p default login d password e", "i", "d", "e" },
		{ "# machine h login u password p\n", "h", NULL, NULL },
		{ "\n\n # all of it\nmachine h # mine\n login u password #p\n", "h", "u", "#p" },
		{ "machine h login \"a b\" password \"x\\\"\\\\y\"", "h", "a b", "x\"\\y" },
		{ "machine h login u password \"open", "h", "u", "open" },
		{ "machine h login \"\" password p", "h", "", "p" },
		{ "machine h login u password p\"q", "h", "u", "p\"q" },
		{ "macdef init\nmachine h login m password n\n\nmachine h login u password p", "h",
			"u", "p" },
		{ "macdef init\ncd /x", "h", NULL, NULL },
		{ "machine i macdef x\ny\n\nmachine h login u password p", "h", "u", "p" },
		{ "nonsense machine h nonsense login u password p", "h", "u", "p" },
		{ "machine ::1 login u password p", "[::1]", "u", "p" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *user = NULL, *password = NULL;
		bool found = netrc_find(
			str_of(cases[i].text), str_of(cases[i].host), &a, &user, &password);

		ck_assert_msg(found == (cases[i].user != NULL), "%s", cases[i].text);
		if (found) {
			ck_assert_msg(!strcmp(user, cases[i].user) &&
					      !strcmp(password, cases[i].password),
				"%s: %s %s", cases[i].text, user, password);
		}
	}
	arena_release(&a);
}

UNIT(http_token_variables)
{
	static const struct {
		const char *url, *variable, *advice;
	} cases[] = {
		{ "https://example.org/x", "GPKG_BUNDLE_TOKEN_EXAMPLE_ORG", NULL },
		{ "https://u:p@Wheels.Example.org:8443/", "GPKG_BUNDLE_TOKEN_WHEELS_EXAMPLE_ORG",
			NULL },
		{ "https://a-b.c_d/", "GPKG_BUNDLE_TOKEN_A_B_C_D", NULL },
		{ "https://127.0.0.1:1/", "GPKG_BUNDLE_TOKEN_127_0_0_1", NULL },
		{ "https://github.com/o/r", "GPKG_BUNDLE_TOKEN_GITHUB_COM", "GITHUB_TOKEN" },
		{ "https://API.github.com/", "GPKG_BUNDLE_TOKEN_API_GITHUB_COM", "GITHUB_TOKEN" },
		{ "https://sub.github.com/", "GPKG_BUNDLE_TOKEN_SUB_GITHUB_COM", NULL },
		{ "https://[::1]/", NULL, NULL },
		{ "https://%41.example/", NULL, NULL },
		{ "file:///x", NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *variable = http_token_variable(&a, str_of(cases[i].url));
		const char *advice = http_token_advice(&a, str_of(cases[i].url));
		const char *expected = cases[i].advice ? cases[i].advice : cases[i].variable;

		ck_assert_pstr_eq(variable, cases[i].variable);
		ck_assert_pstr_eq(advice, expected);
	}
	arena_release(&a);
}

/* ---- which one goes with a request ---- */

struct scene {
	const char *urls[2];
	struct http_keyring keyring;
	const char *netrc;
};

static void begin(struct scene *s, const char *netrc_text, mode_t mode)
{
	char name[] = P_tmpdir "/netrc-XXXXXX";
	struct err e = ERR_INIT;
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	fclose(fdopen(fd, "w"));
	s->netrc = arena_dup(&a, str_of(name));
	ck_assert_int_eq(fs_write(name, str_of(netrc_text), 0600, &e), 0);
	ck_assert_int_eq(chmod(name, mode), 0);
	ck_assert_int_eq(http_keyring_init(&s->keyring, s->urls,
				 s->urls[0] ? s->urls[1] ? 2 : 1 : 0, s->netrc, &e),
		0);
}

static void end_scene(struct scene *s)
{
	remove(s->netrc);
	http_keyring_release(&s->keyring);
	arena_release(&a);
}

static struct http_login choose(struct scene *s, const char *url)
{
	struct http_login login;
	struct err e = ERR_INIT;

	ck_assert_msg(!http_login_choose(&s->keyring, &a, str_of(url), &login, &e), "%s", e.text);
	return login;
}

static int refusal(struct scene *s, const char *url, struct err *e)
{
	struct http_login login = { .place = "untouched" };

	*e = (struct err)ERR_INIT;
	int r = http_login_choose(&s->keyring, &a, str_of(url), &login, e);
	ck_assert_str_eq(login.place, "untouched");
	return r;
}

UNIT(http_login_order)
{
	struct scene s = { .urls = { "https://u:p@example.org/simple" } };

	setenv("GPKG_BUNDLE_TOKEN_EXAMPLE_ORG", "t0ken", 1);
	setenv("UVFORGE_TOKEN_EXAMPLE_ORG", "other", 1);
	setenv("UVFORGE_TOKEN_OLD_EXAMPLE", "old", 1);
	setenv("GITHUB_TOKEN", "gh", 1);
	begin(&s, "machine plain.example login n password secret\ndefault login d password e\n",
		0600);
	struct http_login l = choose(&s, "https://a:b@example.org/x");
	ck_assert(!strcmp(l.user, "a") && !strcmp(l.password, "b") && !l.token);
	l = choose(&s, "https://example.org/x");
	ck_assert(
		!strcmp(l.user, "u") && !l.token && !strcmp(l.place, "the login in the index URL"));
	l = choose(&s, "https://example.org:8443/x"); /* another origin, the same host */
	ck_assert(!l.user && !strcmp(l.token, "t0ken") &&
		  !strcmp(l.place, "the token in GPKG_BUNDLE_TOKEN_EXAMPLE_ORG"));
	l = choose(&s, "https://old.example/");
	ck_assert_str_eq(l.place, "the token in UVFORGE_TOKEN_OLD_EXAMPLE");
	l = choose(&s, "https://api.github.com/repos");
	ck_assert_str_eq(l.token, "gh");
	l = choose(&s, "https://github.com.example.org/");
	ck_assert(!l.token && !strcmp(l.user, "d"));
	l = choose(&s, "https://plain.example/");
	ck_assert(!strcmp(l.user, "n") && !strcmp(l.password, "secret"));
	ck_assert_str_eq(l.place, arena_printf(&a, "the login in %s", s.netrc));
	end_scene(&s);
}

UNIT(http_login_over_plain_http)
{
	struct scene s = { .netrc = NULL };

	setenv("GPKG_BUNDLE_TOKEN_EXAMPLE_ORG", "t0ken", 1);
	setenv("GPKG_BUNDLE_TOKEN_127_0_0_1", "t0ken", 1);
	begin(&s, "default login d password e\n", 0600);
	struct http_login l = choose(&s, "http://example.org/");
	ck_assert(!l.token && !l.user && !*l.place);
	ck_assert_str_eq(l.withheld, "the token in GPKG_BUNDLE_TOKEN_EXAMPLE_ORG");
	l = choose(&s, "http://other.example/");
	ck_assert(!l.user && !strncmp(l.withheld, "the login in ", 13));
	l = choose(&s, "http://127.0.0.1:99/"); /* this machine: the password, but no token */
	ck_assert(!l.token && !strcmp(l.user, "d"));
	end_scene(&s);
}

UNIT(http_login_refusals)
{
	struct scene s = { .netrc = NULL };
	struct err e;

	setenv("GPKG_BUNDLE_TOKEN_A_B_C", "t0ken", 1);
	setenv("GPKG_BUNDLE_TOKEN_LINE_EXAMPLE", "t0ken\nHost: x", 1);
	begin(&s, "machine u.example login u\nmachine p.example login u password s3cret\n", 0644);
	choose(&s, "https://a-b.c/x");
	choose(&s, "https://A-B.c:99/y");
	ck_assert_int_eq(refusal(&s, "https://a.b.c/", &e), -(int)RC_INVALID);
	ck_assert_msg(strstr(e.text, "a-b.c") && strstr(e.text, "a.b.c") &&
			      strstr(e.hint, "netrc") && !strstr(e.text, "t0ken"),
		"%s", e.text);
	ck_assert_int_eq(refusal(&s, "https://line.example/", &e), -(int)RC_INVALID);
	ck_assert(strstr(e.text, "GPKG_BUNDLE_TOKEN_LINE_EXAMPLE") && !strstr(e.text, "t0ken"));
	choose(&s, "https://u.example/"); /* no password, nothing to hide */
	ck_assert_int_eq(refusal(&s, "https://p.example/", &e), -(int)RC_PERMISSION);
	ck_assert(strstr(e.text, s.netrc) && strstr(e.hint, "chmod 600") &&
		  !strstr(e.text, "s3cret"));
	end_scene(&s);
}

UNIT(http_login_of_two_configured_indexes)
{
	const char *const urls[] = { "https://a-b.c/simple", "https://a.b.c/simple" };
	struct http_keyring k;
	struct err e = ERR_INIT;

	ck_assert_int_eq(http_keyring_init(&k, urls, 2, NULL, &e), 0);
	http_keyring_release(&k);
	setenv("GPKG_BUNDLE_TOKEN_A_B_C", "t0ken", 1);
	ck_assert_int_eq(http_keyring_init(&k, urls, 2, NULL, &e), -(int)RC_INVALID);
	ck_assert(strstr(e.text, "GPKG_BUNDLE_TOKEN_A_B_C") && strstr(e.hint, "netrc"));
}
