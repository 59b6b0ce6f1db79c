#include "verify/wheel_scripts.h"

#include "verify/member_name.h"
#include "verify/wheel_private.h"

enum { INFO_FILE_MAX = 4 * 1024 * 1024 };

/* "Installing a wheel": a greater major version must not be installed. */
static int version_line_check(struct str text, struct err *e)
{
	struct str line, key;

	while (str_cut(&text, '\n', &line)) {
		if (!str_cut(&line, ':', &key) ||
			!str_eq_nocase(str_trim(key), STR("Wheel-Version"))) {
			continue;
		}
		struct str version = str_trim(line);
		uint64_t major = 0, minor = 0;
		size_t dot = str_find(version, '.');
		if (!str_to_u64(str_first(version, dot), &major) ||
			!str_to_u64(str_skip(version, dot + 1), &minor) || major != 1) {
			return err_set(e, RC_WHEEL,
				"WHEEL: Wheel-Version \"%.*s\": installers know 1.x only",
				STR_ARG(str_first(version, 32)));
		}
		return 0;
	}
	return err_set(e, RC_WHEEL, "WHEEL: no Wheel-Version");
}

static int script_name_check(struct str name, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	if (member_name_check(name, MEMBER_NAME_ANY_SYSTEM, e) == 0 && str_find(name, '/') == name.n) {
		return 0;
	}
	err_clear(e);
	return err_set(e, RC_WHEEL, "entry_points.txt: the script \"%s\" is no plain file name",
		member_name_show(name, shown));
}

/* "Entry points": an INI file. */
static int entry_points_check(struct str text, struct err *e)
{
	struct str line, name;
	bool is_scripts = false;
	int rc = 0;

	while (!rc && str_cut(&text, '\n', &line)) {
		line = str_trim(line);
		if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';') {
			continue;
		}
		if (line.p[0] == '[') {
			is_scripts = str_starts(line, "[console_scripts]") ||
				     str_starts(line, "[gui_scripts]");
			continue;
		}
		str_cut(&line, '=', &name);
		rc = is_scripts ? script_name_check(str_trim(name), e) : 0;
	}
	return rc;
}

static int info_file_check(
	struct wheel *w, const char *name, int (*check)(struct str, struct err *), struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	const struct wheel_member *m = wheel_find_info(w, name);

	if (!m) {
		return 0;
	}
	int rc = member_load(w, m, INFO_FILE_MAX, &text, e);
	return rc ? rc : check(buf_str(&text), e);
}

int wheel_scripts_check(struct wheel *w, struct err *e)
{
	int rc = info_file_check(w, "WHEEL", version_line_check, e);

	return rc ? rc : info_file_check(w, "entry_points.txt", entry_points_check, e);
}
