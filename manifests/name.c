#include "manifests/name.h"
#include "manifests/limits.h"

static bool is_name_end(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

bool name_is_valid(struct str name)
{
	if (name.n == 0 || name.n > LIMIT_NAME || !is_name_end(name.p[0]) ||
		!is_name_end(name.p[name.n - 1])) {
		return false;
	}
	for (size_t i = 0; i < name.n; i++) {
		if (!is_name_end(name.p[i]) && !is_name_separator(name.p[i])) {
			return false;
		}
	}
	return true;
}

/* Takes the next byte of the normalised name off *name. */
static bool take_normal(struct str *name, char *out)
{
	if (name->n == 0) {
		return false;
	}
	char c = name->p[0];
	*name = str_skip(*name, 1);
	if (is_name_separator(c)) {
		while (name->n && is_name_separator(name->p[0])) {
			*name = str_skip(*name, 1);
		}
		c = '-';
	} else if (c >= 'A' && c <= 'Z') {
		c = (char)(c - 'A' + 'a');
	}
	*out = c;
	return true;
}

char *name_normalize(struct arena *a, struct str name)
{
	char *normal = arena_alloc(a, name.n + 1);

	for (char *to = normal; take_normal(&name, to);) {
		to++;
	}
	return normal;
}

bool name_eq(struct str a, struct str b)
{
	char x = '\0', y = '\0';

	while (a.n && b.n) {
		if (!take_normal(&a, &x) || !take_normal(&b, &y) || x != y) {
			return false;
		}
	}
	return a.n == 0 && b.n == 0;
}
