#include "verify/member_name.h"

#include "manifests/limits.h"

#include <stdio.h>

const char *member_name_show(struct str name, char out[MEMBER_NAME_SHOWN])
{
	const size_t room = MEMBER_NAME_SHOWN - sizeof("\\xNN...");
	bool is_utf8 = str_is_utf8(name);
	size_t n = 0, i = 0;

	for (; i < name.n && n < room; i++) {
		unsigned char c = (unsigned char)name.p[i];

		/* A sequence that no longer fits as a whole would be cut in its middle. */
		if (is_utf8 && c >= 0xc0 && n + 4 > room) {
			break;
		}
		if (c < 0x20 || c == 0x7f || (c >= 0x80 && !is_utf8)) {
			n += (size_t)snprintf(out + n, MEMBER_NAME_SHOWN - n, "\\x%02x", c);
		} else {
			out[n++] = (char)c;
		}
	}
	snprintf(out + n, MEMBER_NAME_SHOWN - n, "%s", i < name.n ? "..." : "");
	return out;
}

static const char *component_fault(struct str part, enum member_name_system on)
{
	char last = part.n ? part.p[part.n - 1] : '/';


	if (part.n == 0) {
		return "it has an empty component";
	}
	if (str_is(part, ".") || str_is(part, "..")) {
		return "it has a \".\" or \"..\" component";
	}
	return last == ' ' || (last == '.' && on == MEMBER_NAME_ANY_SYSTEM)
		       ? "a component ends in a dot or a space"
		       : NULL;
}

static const char *bytes_fault(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c < 0x20 || c == 0x7f) {
			return "it has a control character";
		}
		if (c == '\\') {
			return "it has a backslash";
		}
	}
	return str_is_utf8(name) ? NULL : "it is not UTF-8";
}

static bool is_drive(struct str name)
{
	return name.n >= 2 && name.p[1] == ':' &&
	       ((name.p[0] >= 'A' && name.p[0] <= 'Z') || (name.p[0] >= 'a' && name.p[0] <= 'z'));
}

static const char *name_fault(struct str name, enum member_name_system on)
{
	if (name.n == 0) {
		return "it is empty";
	}
	if (name.n > LIMIT_MEMBER_NAME) {
		return "it is too long";
	}
	if (name.p[0] == '/' || is_drive(name)) {
		return "it is absolute";
	}
	const char *fault = bytes_fault(name);
	struct str rest = name, part;

	if (rest.p[rest.n - 1] == '/') {
		rest.n--;
	}
	while (!fault && str_cut(&rest, '/', &part)) {
		fault = component_fault(part, on);
	}
	return fault;
}

int member_name_check(struct str name, enum member_name_system on, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	const char *fault = name_fault(name, on);

	if (!fault) {
		return 0;
	}
	return err_set(e, RC_WHEEL, "member \"%s\": unsafe name: %s", member_name_show(name, shown),
		fault);
}
