#include "manifests/dist_name.h"
#include "manifests/limits.h"
#include "manifests/name.h"

enum { WHEEL_PARTS = 5, WHEEL_PARTS_WITH_BUILD = 6 };

static bool is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

/* Letter, digit or '_': what a Python identifier has. */
static bool is_identifier_char(char c)
{
	return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int dist_name_invalid(struct err *e, struct str file, const char *what)
{
	return err_set(e, RC_INVALID, "%.*s: %s", STR_ARG(file), what);
}

static int check_text(struct str file, struct err *e)
{
	if (file.n > LIMIT_FILE_NAME) {
		return err_set(e, RC_INVALID, "%.*s...: a file name has at most %d bytes",
			STR_ARG(str_first(file, 60)), LIMIT_FILE_NAME);
	}
	for (size_t i = 0; i < file.n; i++) {
		if (file.p[i] == '\0' || (unsigned char)file.p[i] > 0x7f) {
			return dist_name_invalid(
				e, file, "a distribution's file name is ASCII text");
		}
	}
	return 0;
}

/* The text itself where there is nothing to lower, as for nearly all tags. */
static struct str to_lower(struct arena *a, struct str text)
{
	size_t i = 0;

	while (i < text.n && !(text.p[i] >= 'A' && text.p[i] <= 'Z')) {
		i++;
	}
	if (i == text.n) {
		return text;
	}
	char *copy = arena_dup(a, text);
	for (; i < text.n; i++) {
		copy[i] = (char)(copy[i] >= 'A' && copy[i] <= 'Z' ? copy[i] - 'A' + 'a' : copy[i]);
	}
	return (struct str){ copy, text.n };
}

static int set_version(struct arena *a, struct str version, struct dist_name *d, struct err *e)
{
	return version_parse(a, version, &d->version, e) ? err_wrap(e, "%.*s", STR_ARG(d->file))
							 : 0;
}

static void set_project(struct arena *a, struct str project, struct dist_name *d)
{
	d->project = project;
	d->name = str_of(name_normalize(a, project));
}

/* PEP 427 "Escaping and Unicode": one '_' for every run of other characters. */
static int read_project(struct arena *a, struct str project, struct dist_name *d, struct err *e)
{
	bool is_valid = project.n > 0 && !str_has(project, "__");

	for (size_t i = 0; i < project.n; i++) {
		is_valid = is_valid && (is_identifier_char(project.p[i]) || project.p[i] == '.');
	}
	if (!is_valid) {
		return err_set(e, RC_INVALID,
			"%.*s: \"%.*s\" is no project name as wheels write it (letters, digits, "
			"'.' "
			"and single '_')",
			STR_ARG(d->file), STR_ARG(project));
	}
	set_project(a, project, d);
	return 0;
}

static int read_build(struct str build, struct dist_name *d, struct err *e)
{
	struct str digits = build;

	digits.n = 0;
	while (digits.n < build.n && is_decimal(build.p[digits.n])) {
		digits.n++;
	}
	if (digits.n == 0 || str_find(build, '\n') < build.n ||
		!str_to_u64(digits, &d->build_number)) {
		return err_set(e, RC_INVALID,
			"%.*s: \"%.*s\" is no build tag, which starts with a number of at most 64 "
			"bits",
			STR_ARG(d->file), STR_ARG(build));
	}
	d->build = build;
	return 0;
}

/* PEP 425 "Compressed Tag Sets": members between dots, none empty. */
static bool is_tag_set(struct str set)
{
	struct str member;

	if (set.n == 0) {
		return false;
	}
	while (str_cut(&set, '.', &member)) {
		if (member.n == 0) {
			return false;
		}
	}
	return true;
}

static bool is_python_tag_set(struct str set)
{
	struct str rest = set, member;

	while (str_cut(&rest, '.', &member)) {
		if (member.n == 0 || is_decimal(member.p[0])) {
			return false;
		}
		for (size_t i = 0; i < member.n; i++) {
			if (!is_identifier_char(member.p[i])) {
				return false;
			}
		}
	}
	return is_tag_set(set);
}

static int read_tags(struct arena *a, const struct str part[3], struct dist_name *d, struct err *e)
{
	if (!is_python_tag_set(part[0])) {
		return err_set(e, RC_INVALID, "%.*s: \"%.*s\" is no Python tag (such as cp312)",
			STR_ARG(d->file), STR_ARG(part[0]));
	}
	if (!is_tag_set(part[1]) || !is_tag_set(part[2])) {
		return dist_name_invalid(e, d->file, "its ABI or platform tag has an empty member");
	}
	d->python = to_lower(a, part[0]);
	d->abi = to_lower(a, part[1]);
	d->platform = to_lower(a, part[2]);
	return 0;
}

static int hint_hyphen(struct err *e)
{
	return err_hint(e, "a '-' in the project's name or version is written '_' there");
}

static int parse_wheel(struct arena *a, struct dist_name *d, struct err *e)
{
	struct str rest = str_first(d->file, d->file.n - sizeof(".whl") + 1), piece;
	struct str part[WHEEL_PARTS_WITH_BUILD];
	size_t n = 0;

	while (str_cut(&rest, '-', &piece)) {
		if (n < WHEEL_PARTS_WITH_BUILD) {
			part[n] = piece;
		}
		n++;
	}
	if (n != WHEEL_PARTS && n != WHEEL_PARTS_WITH_BUILD) {
		err_set(e, RC_INVALID, "%.*s: a wheel's name has 5 or 6 parts between '-', not %zu",
			STR_ARG(d->file), n);
		return hint_hyphen(e);
	}
	int failed = read_project(a, part[0], d, e);
	if (!failed) {
		failed = set_version(a, part[1], d, e) ? hint_hyphen(e) : 0;
	}
	if (!failed && n == WHEEL_PARTS_WITH_BUILD) {
		failed = read_build(part[2], d, e);
	}
	return failed ? failed : read_tags(a, part + n - 3, d, e);
}

/* The name without its extension, which goes into d; empty where it has another. */
static struct str sdist_stem(struct dist_name *d)
{
	static const char *const extensions[] = { ".tar.gz", ".zip" };

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (str_ends(d->file, extensions[i])) {
			d->extension = str_of(extensions[i]);
			return str_first(d->file, d->file.n - d->extension.n);
		}
	}
	return STR_NULL;
}

static int parse_sdist(struct arena *a, struct dist_name *d, struct err *e)
{
	struct str stem = sdist_stem(d);
	size_t hyphen = str_rfind(stem, '-');

	if (d->extension.n == 0) {
		return dist_name_invalid(
			e, d->file, "neither a wheel (.whl) nor an sdist (.tar.gz, .zip)");
	}
	if (hyphen == 0 || hyphen == stem.n) {
		return dist_name_invalid(
			e, d->file, "an sdist is called PROJECT-VERSION.tar.gz (or .zip)");
	}
	set_project(a, str_first(stem, hyphen), d);
	return set_version(a, str_skip(stem, hyphen + 1), d, e);
}

int dist_name_parse(struct arena *a, struct str file, struct dist_name *out, struct err *e)
{
	struct dist_name d = { .kind = str_ends(file, ".whl") ? DIST_WHEEL : DIST_SDIST };
	int failed = check_text(file, e);

	if (failed) {
		return failed;
	}
	d.file = arena_str(a, file);
	failed = d.kind == DIST_WHEEL ? parse_wheel(a, &d, e) : parse_sdist(a, &d, e);
	if (failed) {
		return failed;
	}
	*out = d;
	return 0;
}

int dist_name_parse_sdist(
	struct arena *a, struct str file, struct str project, struct dist_name *out, struct err *e)
{
	struct dist_name d = { .kind = DIST_SDIST };
	int failed = check_text(file, e);

	if (failed) {
		return failed;
	}
	d.file = arena_str(a, file);
	struct str stem = sdist_stem(&d);
	for (size_t i = 1; i < stem.n; i++) {
		if (stem.p[i] != '-' || !name_eq(str_first(stem, i), project)) {
			continue;
		}
		set_project(a, str_first(stem, i), &d);
		failed = set_version(a, str_skip(stem, i + 1), &d, e);
		if (!failed) {
			*out = d;
		}
		return failed;
	}
	return err_set(e, RC_INVALID,
		"%.*s: an sdist of %.*s is called %.*s-VERSION.tar.gz (or .zip)", STR_ARG(file),
		STR_ARG(project), STR_ARG(project));
}

bool dist_name_is_safe(struct str file)
{
	if (file.n == 0 || file.n > LIMIT_FILE_NAME || file.p[0] == '.' || file.p[0] == '-') {
		return false;
	}
	for (size_t i = 0; i < file.n; i++) {
		char c = file.p[i];

		if (c <= ' ' || c > '~' || c == '/' || c == '\\' || c == ',') {
			return false;
		}
	}
	return true;
}
