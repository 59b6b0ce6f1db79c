#include "verify/wheel_layout.h"

#include "manifests/name.h"
#include "verify/member_name.h"

#include <stdlib.h>

static bool first_component(const struct wheel_member *m, struct str *out)
{
	size_t n = str_find(m->name, '/');

	*out = str_first(m->name, n);
	return n < m->name.n;
}

/* "{name}-{version}.dist-info", compared normalised. The local version may differ: publishers
 * rename files after the build (wheel_metadata reports it). */
static int info_check(const struct dist_name *name, struct str info, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	struct arena a = ARENA_INIT;
	struct str stem = str_first(info, info.n - (sizeof(".dist-info") - 1));
	size_t dash = str_rfind(stem, '-');
	struct version version;
	bool fits =
		dash < stem.n && name_eq(str_first(stem, dash), name->name) &&
		version_parse(&a, str_skip(stem, dash + 1), &version, &(struct err)ERR_INIT) == 0 &&
		version_cmp_public(&version, &name->version) == 0;

	arena_release(&a);
	return fits ? 0
		    : err_set(e, RC_WHEEL, "its folder \"%s\" does not belong to its file name",
			      member_name_show(info, shown));
}

static int info_find(const struct wheel_member *members, size_t n, struct str *info, struct err *e)
{
	char one[MEMBER_NAME_SHOWN], two[MEMBER_NAME_SHOWN];
	struct str found = STR_NULL, first;

	for (size_t i = 0; i < n; i++) {
		if (!first_component(&members[i], &first) || !str_ends(first, ".dist-info")) {
			continue;
		}
		if (found.p && !str_eq(found, first)) {
			return err_set(e, RC_WHEEL, "two .dist-info folders: \"%s\" and \"%s\"",
				member_name_show(found, one), member_name_show(first, two));
		}
		found = first;
	}
	if (!found.p) {
		return err_set(e, RC_WHEEL, "no .dist-info folder: it is no wheel");
	}
	*info = found;
	return 0;
}

static int info_files_check(
	const struct wheel_member *members, size_t n, struct str info, struct err *e)
{
	bool has_metadata = false, has_wheel = false;

	for (size_t i = 0; i < n; i++) {
		struct str name = members[i].name;

		if (name.n > info.n && str_eq(str_first(name, info.n), info)) {
			has_metadata = has_metadata || str_is(str_skip(name, info.n), "/METADATA");
			has_wheel = has_wheel || str_is(str_skip(name, info.n), "/WHEEL");
		}
	}
	if (!has_metadata || !has_wheel) {
		return err_set(e, RC_WHEEL, "its .dist-info folder has no %s",
			has_metadata ? "WHEEL" : "METADATA");
	}
	return 0;
}

/* Installers stop at a scheme that they do not know. */
static int scheme_check(const struct wheel_member *m, struct err *e)
{
	static const char *const schemes[] = { "purelib", "platlib", "headers", "scripts", "data" };
	char shown[MEMBER_NAME_SHOWN];
	struct str first, rest, scheme = STR_NULL;

	if (!first_component(m, &first) || !str_ends(first, ".data")) {
		return 0;
	}
	rest = str_skip(m->name, first.n + 1);
	if (rest.n == 0) {
		return 0;
	}
	scheme = str_first(rest, str_find(rest, '/'));
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (str_is(scheme, schemes[i]) && scheme.n < rest.n) {
			return 0;
		}
	}
	return err_set(e, RC_WHEEL,
		"member \"%s\": not under a scheme (purelib, platlib, headers, scripts, data)",
		member_name_show(m->name, shown));
}

static bool is_linux_only(const struct dist_name *name)
{
	struct str rest = name->platform, tag;

	while (str_cut(&rest, '.', &tag)) {
		if (!str_has(tag, "linux")) {
			return false;
		}
	}
	return true;
}

static int text_cmp(const void *a, const void *b)
{
	const struct str *x = a, *y = b;

	return str_cmp(*x, *y);
}

/* File systems of Windows and macOS keep one of two names that differ in case; the wheels that hold
 * such pairs on purpose (headers of the Linux kernel) are for Linux. ASCII letters only. */
static int twins_check(const struct wheel_member *members, size_t n, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	struct arena a = ARENA_INIT;
	struct str *folded = arena_array(&a, n ? n : 1, sizeof(*folded));
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		char *p = arena_dup(&a, members[i].name);

		for (size_t k = 0; k < members[i].name.n; k++) {
			p[k] = p[k] >= 'A' && p[k] <= 'Z' ? (char)(p[k] - 'A' + 'a') : p[k];
		}
		folded[i] = (struct str){ p, members[i].name.n };
	}
	qsort(folded, n, sizeof(*folded), text_cmp);
	for (size_t i = 1; i < n && !rc; i++) {
		if (str_eq(folded[i], folded[i - 1])) {
			rc = err_set(e, RC_WHEEL, "two members differ only in case: \"%s\"",
				member_name_show(folded[i], shown));
		}
	}
	arena_release(&a);
	return rc;
}

static int names_check(const struct wheel_member *members, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		rc = member_name_check(members[i].name, MEMBER_NAME_ANY_SYSTEM, e);
	}
	return rc;
}

int wheel_layout_check(const struct dist_name *name, const struct wheel_member *members, size_t n,
	struct str *info, struct err *e)
{
	struct str found = STR_NULL;
	int rc = info_find(members, n, &found, e);

	rc = rc ? rc : info_check(name, found, e);
	rc = rc ? rc : info_files_check(members, n, found, e);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = scheme_check(&members[i], e);
	}
	if (!rc && !is_linux_only(name)) {
		rc = names_check(members, n, e);
		rc = rc ? rc : twins_check(members, n, e);
	}
	if (!rc) {
		*info = found;
	}
	return rc;
}
