#include "manifests/system_library.h"

#include <strings.h>

struct row {
	const char *soname;
	enum library_owner owner;
};

#define SYSTEM(soname) { soname, LIBRARY_SYSTEM },
#define RUNTIME(soname) { soname, LIBRARY_RUNTIME },
#define DRIVER(soname) { soname, LIBRARY_DRIVER },

static const struct row rows[] = {
#include "manifests/data/system_library.def"
};

static bool is_dll(struct str name)
{
	return name.n > 4 && str_eq_nocase(str_skip(name, name.n - 4), STR(".dll"));
}

static bool starts_nocase(struct str name, const char *prefix)
{
	struct str wanted = str_of(prefix);

	return name.n >= wanted.n && str_eq_nocase(str_first(name, wanted.n), wanted);
}

enum library_owner library_owner(struct str soname)
{
	bool is_windows = is_dll(soname);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (is_windows ? str_eq_nocase(soname, str_of(rows[i].soname))
			       : str_is(soname, rows[i].soname)) {
			return rows[i].owner;
		}
	}
	if (is_windows &&
		(starts_nocase(soname, "api-ms-win-") || starts_nocase(soname, "ext-ms-win-"))) {
		return LIBRARY_SYSTEM;
	}
	if (str_starts(soname, "libpython") || (is_windows && starts_nocase(soname, "python3"))) {
		return LIBRARY_PYTHON;
	}
	return LIBRARY_OTHER;
}
