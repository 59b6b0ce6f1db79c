#include "mirror/wheel_alias.h"

enum { PARTS_MAX = 6 };

char *wheel_alias(struct arena *a, struct str file)
{
	struct str part[PARTS_MAX], rest = file, piece, build = STR("1");
	size_t n = 0;

	while (str_cut(&rest, '-', &piece)) {
		if (n == PARTS_MAX) {
			return NULL;
		}
		part[n++] = piece;
	}
	if (n < PARTS_MAX - 1 || !str_ends(file, ".whl")) {
		return NULL;
	}
	size_t plus = str_find(part[1], '+');
	if (plus == part[1].n || plus + 1 == part[1].n) {
		return NULL;
	}
	struct str local = str_skip(part[1], plus + 1);
	if (n == PARTS_MAX) {
		build = part[2];
	}
	/* A build tag is a number and a text: a label that begins with a digit must not lengthen
	 * it. */
	bool is_digit = local.p[0] >= '0' && local.p[0] <= '9';
	return arena_printf(a, "%.*s-%.*s-%.*s%s%.*s-%.*s-%.*s-%.*s", STR_ARG(part[0]),
		STR_ARG(str_first(part[1], plus)), STR_ARG(build), is_digit ? "_" : "",
		STR_ARG(local), STR_ARG(part[n - 3]), STR_ARG(part[n - 2]), STR_ARG(part[n - 1]));
}
