#include "bundle/pip_config.h"
#include "bundle/pip_ini.h"
#include "bundle/pip_python.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { RETRIES = 5 };

static const char *home_folder(void)
{
	const char *home = getenv("HOME");
	struct passwd *user = home ? NULL : getpwuid(geteuid());

	return home ? home : user ? user->pw_dir : "/";
}

/* "~" and "~/x"; other users' homes are left alone. */
static const char *expand_home(struct arena *a, const char *path)
{
	if (path[0] != '~' || (path[1] && path[1] != '/')) {
		return path;
	}
	return arena_printf(a, "%s%s", home_folder(), path + 1);
}

/* ---- the layers ---- */

/* A file that is missing or cannot be opened says nothing, as in pip. */
static int read_layer(struct arena *a, const char *path, struct pip_settings *out, struct err *e)
{
	struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;
	struct stat st;
	int r = 0;

	if (!stat(path, &st) && S_ISREG(st.st_mode) &&
		!fs_read(path, LIMIT_LOCK, &text, &ignored)) {
		r = pip_ini_read(a, buf_str(&text), path, out, e);
	}
	buf_release(&text);
	return r;
}

static int read_global(struct arena *a, struct pip_settings *out, struct err *e)
{
	const char *dirs = getenv("XDG_CONFIG_DIRS");
	struct str rest = str_of(dirs && *dirs ? dirs : "/etc/xdg"), dir;

	while (str_cut(&rest, ':', &dir)) {
		int r = dir.n ? read_layer(a, arena_printf(a, "%.*s/pip/pip.conf", STR_ARG(dir)),
					out, e)
			      : 0;

		if (r) {
			return r;
		}
	}
	return read_layer(a, "/etc/pip.conf", out, e);
}

static int read_user(struct arena *a, struct pip_settings *out, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = home_folder();

	int r = read_layer(a, arena_printf(a, "%s/.pip/pip.conf", home), out, e);
	if (r) {
		return r;
	}
	return read_layer(a,
		xdg && *xdg ? arena_printf(a, "%s/pip/pip.conf", xdg)
			    : arena_printf(a, "%s/.config/pip/pip.conf", home),
		out, e);
}

static int read_files(struct arena *a, const char *prefix, struct pip_settings *out, struct err *e)
{
	const char *named = getenv("PIP_CONFIG_FILE");

	int r = read_global(a, out, e);
	if (!r && !(named && *named && fs_exists(named))) {
		r = read_user(a, out, e);
	}
	if (!r && prefix) {
		r = read_layer(a, arena_printf(a, "%s/pip.conf", prefix), out, e);
	}
	if (!r && named && *named) {
		r = read_layer(a, named, out, e);
	}
	return r;
}

static bool has_no_files(void)
{
	const char *named = getenv("PIP_CONFIG_FILE");

	return named && strcmp(named, "/dev/null") == 0;
}

static void read_environment(struct arena *a, struct pip_settings *out)
{
	for (char **v = environ; *v; v++) {
		struct str value = str_of(*v), name;

		str_cut(&value, '=', &name);
		if (str_starts(name, "PIP_")) {
			pip_settings_put(out,
				(struct pip_setting){ ":env:", pip_ini_name(a, str_skip(name, 4)),
					value.p ? value.p : "", arena_dup(a, name) });
		}
	}
}

/* ---- the values ---- */

struct values {
	struct arena *a;
	struct pip_config *to;
	const char *index;
	const char **extra;
	size_t nextra;
};

static int wrong_value(const struct pip_setting *s, const char *what, struct err *e)
{
	return err_set(e, RC_INVALID, "%s: %s \"%.200s\" is %s", s->from, s->name, s->value, what);
}

static size_t word_length(const char *p)
{
	size_t n = 0;

	while (p[n] && !isspace((unsigned char)p[n])) {
		n++;
	}
	return n;
}

/* At white space, whatever kind: pip's str.split(). */
static void set_list(struct arena *a, const char *text, const char ***list, size_t *count)
{
	const char **words = arena_array(a, strlen(text) / 2 + 1, sizeof(*words));
	size_t n = 0;

	while (*text) {
		size_t length = word_length(text);

		if (length) {
			words[n++] = arena_dup(a, (struct str){ text, length });
		}
		text += length ? length : 1;
	}
	*list = words;
	*count = n;
}

static int set_one(struct arena *a, const struct pip_setting *s, const char **out, struct err *e)
{
	struct str text = str_trim(str_of(s->value));
	const char *copy = arena_dup(a, text);

	if (copy[word_length(copy)]) {
		return err_set(
			e, RC_INVALID, "%s: %s takes one value without spaces", s->from, s->name);
	}
	*out = copy;
	return 0;
}

static void set_path(struct arena *a, const struct pip_setting *s, const char **out)
{
	*out = expand_home(a, arena_dup(a, str_trim(str_of(s->value))));
}

/* Python's distutils.util.strtobool, which pip copies. */
static int set_bool(const struct pip_setting *s, bool *out, struct err *e)
{
	static const char *const yes[] = { "y", "yes", "t", "true", "on", "1" };
	static const char *const no[] = { "n", "no", "f", "false", "off", "0" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (str_eq_nocase(str_of(s->value), str_of(yes[i]))) {
			*out = true;
			return 0;
		}
		if (str_eq_nocase(str_of(s->value), str_of(no[i]))) {
			*out = false;
			return 0;
		}
	}
	return wrong_value(s, "neither yes nor no", e);
}

/* Seconds, rounded up: "15", "2.5". */
static int set_seconds(const struct pip_setting *s, unsigned *out, struct err *e)
{
	struct str fraction = str_trim(str_of(s->value)), whole;
	uint64_t seconds = 0, part = 0;

	str_cut(&fraction, '.', &whole);
	if (!str_to_u64(whole, &seconds) || seconds > 86400 ||
		(fraction.n && !str_to_u64(str_first(fraction, 18), &part))) {
		return wrong_value(s, "no number of seconds", e);
	}
	*out = (unsigned)(seconds + (part != 0));
	return 0;
}

static int set_count(const struct pip_setting *s, unsigned *out, struct err *e)
{
	uint64_t n = 0;

	if (!str_to_u64(str_trim(str_of(s->value)), &n) || n > 1000) {
		return wrong_value(s, "no number from 0 to 1000", e);
	}
	*out = (unsigned)n;
	return 0;
}

static int apply_value(struct values *v, const struct pip_setting *s, struct err *e)
{
	struct str name = str_of(s->name);
	struct pip_config *to = v->to;
	int r = 0;

	if (str_is(name, "index-url") || str_is(name, "pypi-url")) {
		r = set_one(v->a, s, &v->index, e);
	} else if (str_is(name, "extra-index-url")) {
		set_list(v->a, s->value, &v->extra, &v->nextra);
	} else if (str_is(name, "find-links")) {
		set_list(v->a, s->value, &to->find_links, &to->nfind_links);
	} else if (str_is(name, "trusted-host")) {
		set_list(v->a, s->value, &to->trusted_hosts, &to->ntrusted_hosts);
	} else if (str_is(name, "no-index")) {
		r = set_bool(s, &to->no_index, e);
	} else if (str_is(name, "cert")) {
		set_path(v->a, s, &to->cert);
	} else if (str_is(name, "client-cert")) {
		set_path(v->a, s, &to->client_cert);
	} else if (str_is(name, "proxy")) {
		r = set_one(v->a, s, &to->proxy, e);
	} else if (str_is(name, "timeout") || str_is(name, "default-timeout")) {
		r = set_seconds(s, &to->timeout, e);
	} else if (str_is(name, "retries")) {
		r = set_count(s, &to->retries, e);
	}
	return r;
}

static int apply_all(struct values *v, const struct pip_settings *settings, struct err *e)
{
	static const char *const sections[] = { "global", "wheel", "download", "install", ":env:" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		vec_each(struct pip_setting, s, &settings->list) {
			int r = strcmp(s->section, sections[i]) == 0 && *s->value
					? apply_value(v, s, e)
					: 0;

			if (r) {
				return r;
			}
		}
	}
	return 0;
}

/* ---- the index ---- */

static int no_index_known(const char *python, const struct err *why, struct err *e)
{
	if (why->rc) {
		*e = *why;
	} else {
		err_set(e, RC_TOOL, "%s: has no pip that could be asked for its index", python);
	}
	err_wrap(e, "no package index is configured");
	return err_hint(e, "name one: PIP_INDEX_URL=https://HOST/simple, or index-url in the "
			   "[global] section of "
			   "pip.conf");
}

static void join_indexes(struct values *v)
{
	const char **all = arena_array(v->a, v->nextra + 1, sizeof(*all));

	all[0] = v->index;
	for (size_t i = 0; i < v->nextra; i++) {
		all[i + 1] = v->extra[i];
	}
	v->to->indexes = all;
	v->to->nindexes = v->nextra + 1;
}

/* find-links is a path or a URL; pip expands "~" only where that exists. */
static void finish_find_links(struct values *v)
{
	for (size_t i = 0; i < v->to->nfind_links; i++) {
		const char *path = expand_home(v->a, v->to->find_links[i]);

		if (fs_exists(path)) {
			v->to->find_links[i] = path;
		}
	}
}

static int read_all(
	const char *python, struct pip_config *out, struct pip_settings *settings, struct err *e)
{
	struct values v = { .a = &out->arena, .to = out };
	struct pip_python answer = { NULL, NULL };
	struct err why = ERR_INIT;
	bool is_asked = !has_no_files();
	int r = 0;

	if (is_asked) {
		pip_python_ask(python, &out->arena, &answer, &why);
		r = read_files(&out->arena, answer.prefix, settings, e);
	}
	read_environment(&out->arena, settings);
	if (!r) {
		r = apply_all(&v, settings, e);
	}
	if (r) {
		return r;
	}
	finish_find_links(&v);
	if (out->no_index) {
		return 0;
	}
	if (!v.index && !is_asked) {
		pip_python_ask(python, &out->arena, &answer, &why);
	}
	v.index = v.index ? v.index : answer.index;
	if (!v.index) {
		return no_index_known(python, &why, e);
	}
	join_indexes(&v);
	return 0;
}

int pip_config_read(const char *python, struct pip_config *out, struct err *e)
{
	struct pip_config c = PIP_CONFIG_INIT;
	struct pip_settings settings = { .list = VEC_INIT };

	c.retries = RETRIES;
	int r = read_all(python && *python ? python : "python3", &c, &settings, e);
	pip_settings_release(&settings);
	if (r) {
		pip_config_release(&c);
		return r;
	}
	*out = c;
	return 0;
}

void pip_config_release(struct pip_config *c)
{
	arena_release(&c->arena);
	*c = (struct pip_config)PIP_CONFIG_INIT;
}
