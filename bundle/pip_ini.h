/* pip.conf: the dialect of Python's configparser.RawConfigParser, strict, as pip uses it. Sections
 * in brackets; "name = value" or "name: value"; names in lower case with '-' for '_'; a
 * deeper-indented line goes on with the value; '#' and ';' begin comments only at the start of a
 * line; a [DEFAULT] section gives its values to every other one. A name (in any spelling) or a
 * section that stands twice is an error, as in pip 26. */
#ifndef BUNDLE_PIP_INI_H
#define BUNDLE_PIP_INI_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"
#include "manifests/base/vec.h"

struct pip_setting {
	const char *section, *name, *value; /* lines of a value are separated by '\n' */
	const char *from; /* the file, or the environment's variable: for messages */
};

/* In the order in which they were first set: a later value takes the earlier one's place. */
struct pip_settings {
	VEC(struct pip_setting) list;
};

void pip_settings_put(struct pip_settings *s, struct pip_setting setting);
void pip_settings_release(struct pip_settings *s);

/* Adds what a file says. RC_SYNTAX names `from` and the line. */
int pip_ini_read(struct arena *a, struct str text, const char *from, struct pip_settings *out,
	struct err *e);
/* "PIP_Index_Url" and "--index-url" -> "index-url". */
char *pip_ini_name(struct arena *a, struct str name);

#endif
