/* Search paths of the loader: where a path of the building machine stays, whoever may write there
 * decides what is loaded. */
#include "verify/audit_checks.h"

/* From a folder of site-packages: site-packages, python3.12, lib, the environment. */
enum { FOLDERS_ABOVE = 3 };

/* How far below (or, negative, above) the wheel's root does the path lead? */
static bool stays_inside(const struct native_module *m, struct str path)
{
	struct str folders = str_first(m->name, m->name.n - module_file_name(m).n), piece;
	int depth = 0;

	while (str_cut(&folders, '/', &piece)) {
		depth += piece.n > 0;
	}
	while (str_cut(&path, '/', &piece)) {
		if (str_is(piece, "..")) {
			depth--;
		} else if (piece.n && !str_is(piece, ".")) {
			depth++;
		}
		if (depth < -FOLDERS_ABOVE) {
			return false;
		}
	}
	return true;
}

static const char *fault_of(const struct native_module *m, struct str path)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };

	if (path.n == 0) {
		return "an empty entry, which is the current folder";
	}
	for (size_t i = 0; i < 2; i++) {
		struct str rest = str_skip(path, str_of(origins[i]).n);

		if (str_starts(path, origins[i]) && (rest.n == 0 || rest.p[0] == '/')) {
			return stays_inside(m, rest) ? NULL : "leads out of the installation";
		}
	}
	return path.p[0] == '/' ? "a path of the machine that built it"
				: "relative to the current folder";
}

void check_rpath(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct native_module *m;

	(void)site;
	for (size_t i = 0; (m = next_used(w, a, &i));) {
		struct str rest = m->rpath, path;

		while (m->rpath.n && str_cut(&rest, ':', &path)) {
			const char *fault = fault_of(m, path);

			if (fault) {
				audit_say(a, AUDIT_rpath, AUDIT_WARN, module_text(a, m),
					"a foreign library in place of its own, if that folder "
					"exists there",
					"see that nobody else can write to that folder on the "
					"machines",
					"search path \"%.*s\": %s", STR_ARG(path), fault);
				break;
			}
		}
	}
	if (!a->tally[AUDIT_rpath].said) {
		audit_say(a, AUDIT_rpath, AUDIT_PASS, NULL, NULL, NULL,
			"no search path leads out of the installation");
	}
}
