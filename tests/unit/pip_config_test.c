#include "bundle/pip_config.h"
#include "bundle/pip_ini.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena a;

/* ---- the ini dialect ---- */

static const char *ini_value(const struct pip_settings *s, const char *section, const char *name)
{
	vec_each(struct pip_setting, v, &s->list) {
		if (!strcmp(v->section, section) && !strcmp(v->name, name)) {
			return v->value;
		}
	}
	return NULL;
}

UNIT(pip_ini_values)
{
	static const struct {
		const char *text, *section, *name, *value; /* value NULL: not there */
	} cases[] = {
		{ "[global]\nindex-url = https://h/s\n", "global", "index-url", "https://h/s" },
		{ "[global]\r\nindex-url=https://h/s\r\n", "global", "index-url", "https://h/s" },
		{ "[global]\nIndex_URL : https://h/s", "global", "index-url", "https://h/s" },
		{ "[global]\nx: a=b", "global", "x", "a=b" },
		{ "[global]\nx = a:b", "global", "x", "a:b" },
		{ "[global]\nx =", "global", "x", "" },
		{ "[global]\nx = a ; b # c", "global", "x", "a ; b # c" },
		{ "# c\n ; d\n\n[global]\n# c\nx = a\n", "global", "x", "a" },
		{ "[global]\nx =\n  a\n\tb\n", "global", "x", "\na\nb" },
		{ "[global]\nx = a\n # comment\n\n  b\ny = c", "global", "x", "a\nb" },
		{ "[global]\nx = a\n  b = c\n", "global", "x", "a\nb = c" },
		{ "[global]\n  x = a\n  y = b\n", "global", "y", "b" },
		{ "[global]\nx = a\n[install]\nx = b\n", "install", "x", "b" },
		{ "[global]\nx = a\n[install]\nx = b\n", "global", "x", "a" },
		{ "[DEFAULT]\nx = a\n[global]\ny = b\n", "global", "x", "a" },
		{ "[DEFAULT]\nx = a\n[global]\nx = b\n", "global", "x", "b" },
		{ "[DEFAULT]\nx = a\n", "global", "x", NULL },
		{ "[Global]\nx = a\n", "global", "x", NULL },
		{ "[global]\n--x = a\n", "global", "x", "a" },
		{ "\xEF\xBB\xBF[global]\nx = a\n", "global", "x", "a" },
		{ "[a]b]\nx = c", "a]b", "x", "c" },
		{ "[global]\nx = %(home)s", "global", "x", "%(home)s" },
		{ "", "global", "x", NULL },
		{ "\n\n# nothing\n", "global", "x", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pip_settings s = { .list = VEC_INIT };
		struct err e = ERR_INIT;

		ck_assert_msg(pip_ini_read(&a, str_of(cases[i].text), "f", &s, &e) == 0, "%s: %s",
			cases[i].text, e.text);
		const char *value = ini_value(&s, cases[i].section, cases[i].name);
		ck_assert_msg(cases[i].value ? value && !strcmp(value, cases[i].value) : !value,
			"%s: %s", cases[i].text, value);
		pip_settings_release(&s);
	}
	arena_release(&a);
}

UNIT(pip_ini_errors)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "x = a\n", "f:1:" },
		{ "[global]\nx\n", "f:2:" },
		{ "[global]\n\nindex-url https\n", "f:3:" },
		{ "[global]\n= a\n", "f:2:" },
		{ "[global]\nx = a\nx = b\n", "f:3:" },
		{ "[global]\nx_y = a\nx-y = b\n", "f:3:" },
		{ "[global]\n[install]\n[global]\n", "f:3:" },
		{ "[]\nx = a\n", "f:1:" },
		{ "[global\nx = a\n", "f:1:" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pip_settings s = { .list = VEC_INIT };
		struct err e = ERR_INIT;

		ck_assert_msg(pip_ini_read(&a, str_of(cases[i].text), "f", &s, &e) == -RC_SYNTAX,
			"%s", cases[i].text);
		ck_assert_msg(str_starts(str_of(e.text), cases[i].message), "%s: %s", cases[i].text,
			e.text);
		pip_settings_release(&s);
	}
	struct pip_settings s = { .list = VEC_INIT };
	struct err e = ERR_INIT;
	ck_assert_int_eq(pip_ini_read(&a, STR("[a]\nx=\0\n"), "f", &s, &e), -RC_SYNTAX);
	arena_release(&a);
}

/* ---- the configuration ---- */

struct machine {
	const char *folder;
	struct pip_config config;
	struct err e;
};

/* A home, an interpreter that answers with `index` (NULL: there is no pip), and nothing in the
 * environment. */
static void machine_make(struct machine *m, const char *index)
{
	static const char *const gone[] = { "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL",
		"PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY",
		"PIP_TRUSTED_HOST", "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES",
		"PIP_CONFIG_FILE", "PIP_PYPI_URL" };
	const char *base = getenv("TMPDIR");
	struct err e = ERR_INIT;

	*m = (struct machine){ .config = PIP_CONFIG_INIT };
	char *folder = arena_printf(&a, "%s/pip-config-XXXXXX", base ? base : P_tmpdir);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	m->folder = folder;
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		unsetenv(gone[i]);
	}
	setenv("HOME", folder, 1);
	setenv("XDG_CONFIG_HOME", arena_printf(&a, "%s/xdg", folder), 1);
	setenv("XDG_CONFIG_DIRS", arena_printf(&a, "%s/etc1:%s/etc2", folder, folder), 1);
	setenv("PATH", arena_printf(&a, "%s/bin:%s", folder, getenv("PATH")), 1);
	ck_assert_int_eq(fs_mkdirs(arena_printf(&a, "%s/bin", folder), 0700, &e), 0);
	const char *script = arena_printf(&a, "#!/bin/sh\necho %s/prefix\n%s%s\n", folder,
		index ? "echo " : "", index ? index : "");
	ck_assert_int_eq(
		fs_write(arena_printf(&a, "%s/bin/python3", folder), str_of(script), 0700, &e), 0);
}

static void machine_file(struct machine *m, const char *name, const char *text)
{
	const char *path = arena_printf(&a, "%s/%s", m->folder, name);
	struct err e = ERR_INIT;

	ck_assert_int_eq(fs_mkdirs(fs_dirname(&a, path), 0700, &e), 0);
	ck_assert_int_eq(fs_write(path, str_of(text), 0600, &e), 0);
}

static int machine_read(struct machine *m)
{
	pip_config_release(&m->config);
	err_clear(&m->e);
	return pip_config_read(NULL, &m->config, &m->e);
}

static void machine_end(struct machine *m)
{
	struct err e = ERR_INIT;

	pip_config_release(&m->config);
	ck_assert_int_eq(fs_remove_tree(m->folder, &e), 0);
	arena_release(&a);
}

static void expect_index(struct machine *m, const char *want)
{
	ck_assert_msg(machine_read(m) == 0, "%s", m->e.text);
	ck_assert_uint_ge(m->config.nindexes, 1);
	ck_assert_str_eq(m->config.indexes[0], want);
}

UNIT(pip_config_layers_in_pips_order)
{
	struct machine m;

	machine_make(&m, "https://default/simple");
	expect_index(&m, "https://default/simple");
	ck_assert_uint_eq(m.config.nindexes, 1);
	ck_assert_uint_eq(m.config.retries, 5);
	ck_assert_uint_eq(m.config.timeout, 0);
	machine_file(&m, "etc1/pip/pip.conf", "[global]\nindex-url = https://etc1\n");
	expect_index(&m, "https://etc1");
	machine_file(&m, "etc2/pip/pip.conf", "[global]\nindex-url = https://etc2\n");
	expect_index(&m, "https://etc2");
	machine_file(&m, ".pip/pip.conf", "[global]\nindex-url = https://legacy\n");
	expect_index(&m, "https://legacy");
	machine_file(&m, "xdg/pip/pip.conf", "[global]\nindex-url = https://user\n");
	expect_index(&m, "https://user");
	machine_file(&m, "prefix/pip.conf", "[global]\nindex-url = https://site\n");
	expect_index(&m, "https://site");
	machine_file(&m, "named.conf", "[global]\nindex-url = https://named\n");
	setenv("PIP_CONFIG_FILE", arena_printf(&a, "%s/named.conf", m.folder), 1);
	expect_index(&m, "https://named");
	machine_file(&m, "etc1/pip/pip.conf", "[install]\nindex-url = https://install\n");
	expect_index(&m, "https://install");
	setenv("PIP_INDEX_URL", "https://environment", 1);
	expect_index(&m, "https://environment");
	setenv("PIP_INDEX_URL", "", 1); /* empty is not set */
	expect_index(&m, "https://install");
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	expect_index(&m, "https://default/simple");
	machine_end(&m);
}

UNIT(pip_config_named_file_replaces_the_users)
{
	struct machine m;

	machine_make(&m, "https://default/simple");
	machine_file(&m, "xdg/pip/pip.conf",
		"[global]\nindex-url = https://user\nextra-index-url = https://more\n");
	machine_file(&m, "named.conf", "[global]\ntimeout = 7\n");
	setenv("PIP_CONFIG_FILE", arena_printf(&a, "%s/named.conf", m.folder), 1);
	expect_index(&m, "https://default/simple");
	ck_assert_uint_eq(m.config.nindexes, 1);
	ck_assert_uint_eq(m.config.timeout, 7);
	setenv("PIP_CONFIG_FILE", arena_printf(&a, "%s/missing.conf", m.folder), 1);
	expect_index(&m, "https://user");
	machine_end(&m);
}

UNIT(pip_config_sections)
{
	struct machine m;

	machine_make(&m, NULL);
	machine_file(&m, "xdg/pip/pip.conf",
		"[install]\nindex-url = https://i\n[download]\nindex-url = https://d\nretries = 2\n"
		"[wheel]\nindex-url = https://w\nproxy = http://p:1\n[global]\nindex-url = "
		"https://g\n"
		"[list]\ntimeout = 99\nno-index = true\n");
	expect_index(&m, "https://i");
	ck_assert_uint_eq(m.config.retries, 2);
	ck_assert_str_eq(m.config.proxy, "http://p:1");
	ck_assert_uint_eq(m.config.timeout, 0);
	ck_assert(!m.config.no_index);
	machine_end(&m);
}

UNIT(pip_config_values)
{
	struct machine m;

	machine_make(&m, NULL);
	machine_file(&m, "xdg/pip/pip.conf",
		"[global]\nindex-url = https://me:p%40ss@one/simple\nextra-index-url =\n    "
		"https://two/simple\n"
		"    # not this\n    https://three/simple\nfind-links = ~/wheels\n  "
		"https://h/flat.html ~/gone\n"
		"trusted-host = one\n\ttwo:8080\ncert = ~/ca.pem\nclient-cert = /me.pem\ntimeout = "
		"2.5\n"
		"retries = 0\nno_index = off\n");
	machine_file(&m, "wheels/readme", "");
	expect_index(&m, "https://me:p%40ss@one/simple");
	ck_assert_uint_eq(m.config.nindexes, 3);
	ck_assert_str_eq(m.config.indexes[1], "https://two/simple");
	ck_assert_str_eq(m.config.indexes[2], "https://three/simple");
	ck_assert_uint_eq(m.config.nfind_links, 3);
	ck_assert_str_eq(m.config.find_links[0], arena_printf(&a, "%s/wheels", m.folder));
	ck_assert_str_eq(m.config.find_links[1], "https://h/flat.html");
	ck_assert_str_eq(m.config.find_links[2], "~/gone");
	ck_assert_uint_eq(m.config.ntrusted_hosts, 2);
	ck_assert_str_eq(m.config.trusted_hosts[1], "two:8080");
	ck_assert_str_eq(m.config.cert, arena_printf(&a, "%s/ca.pem", m.folder));
	ck_assert_str_eq(m.config.client_cert, "/me.pem");
	ck_assert_uint_eq(m.config.timeout, 3);
	ck_assert_uint_eq(m.config.retries, 0);
	setenv("PIP_EXTRA_INDEX_URL", "https://four https://five", 1); /* replaces, does not add */
	setenv("PIP_FIND_LINKS", "a b\tc", 1);
	setenv("PIP_DEFAULT_TIMEOUT", "180", 1);
	expect_index(&m, "https://me:p%40ss@one/simple");
	ck_assert_uint_eq(m.config.nindexes, 3);
	ck_assert_str_eq(m.config.indexes[1], "https://four");
	ck_assert_uint_eq(m.config.nfind_links, 3);
	ck_assert_uint_eq(m.config.timeout, 180);
	setenv("PIP_NO_INDEX", "1", 1);
	ck_assert_int_eq(machine_read(&m), 0);
	ck_assert(m.config.no_index);
	ck_assert_uint_eq(m.config.nindexes, 0);
	ck_assert_uint_eq(m.config.nfind_links, 3);
	machine_end(&m);
}

UNIT(pip_config_wrong_values)
{
	static const struct {
		const char *name, *value;
	} cases[] = {
		{ "PIP_NO_INDEX", "maybe" },
		{ "PIP_TIMEOUT", "soon" },
		{ "PIP_TIMEOUT", "-1" },
		{ "PIP_TIMEOUT", "1.x" },
		{ "PIP_DEFAULT_TIMEOUT", "99999999999" },
		{ "PIP_RETRIES", "-1" },
		{ "PIP_RETRIES", "1.5" },
		{ "PIP_INDEX_URL", "https://a https://b" },
	};
	struct machine m;

	machine_make(&m, "https://default/simple");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv(cases[i].name, cases[i].value, 1);
		ck_assert_msg(
			machine_read(&m) == -RC_INVALID, "%s=%s", cases[i].name, cases[i].value);
		ck_assert_msg(strstr(m.e.text, cases[i].name) != NULL, "%s", m.e.text);
		unsetenv(cases[i].name);
	}
	machine_file(&m, "xdg/pip/pip.conf", "[global\n");
	ck_assert_int_eq(machine_read(&m), -RC_SYNTAX);
	ck_assert_ptr_nonnull(strstr(m.e.text, "xdg/pip/pip.conf:1"));
	machine_end(&m);
}

UNIT(pip_config_asks_pip_only_where_nothing_names_an_index)
{
	struct machine m;

	machine_make(&m, NULL);
	ck_assert_int_eq(machine_read(&m), -RC_TOOL);
	ck_assert_ptr_nonnull(strstr(m.e.hint, "PIP_INDEX_URL"));
	setenv("PIP_INDEX_URL", "https://one", 1);
	expect_index(&m, "https://one");
	machine_file(&m, "bin/python3", "no program");
	expect_index(&m, "https://one");
	unsetenv("PIP_INDEX_URL");
	setenv("PIP_NO_INDEX", "yes", 1);
	ck_assert_int_eq(machine_read(&m), 0);
	unsetenv("PIP_NO_INDEX");
	setenv("PATH", m.folder, 1);
	ck_assert_int_eq(machine_read(&m), -RC_TOOL);
	ck_assert_ptr_nonnull(strstr(m.e.text, "python3"));
	ck_assert_int_eq(pip_config_read("/no/such/python", &m.config, &m.e), -RC_TOOL);
	machine_end(&m);
}
