#include "verify/egg_requires.h"
#include "manifests/base/buf.h"

/* The marker that a section stands for: "extra == 'x'", the marker itself, or both; empty before the first. */
static struct str section_marker(struct arena *a, struct str section)
{
	struct str extra = section, marker = STR_NULL;
	size_t colon = str_find(section, ':');

	if (colon < section.n) {
		extra = str_trim(str_first(section, colon));
		marker = str_trim(str_skip(section, colon + 1));
	}
	if (!extra.n) {
		return marker;
	}
	if (!marker.n) {
		return str_of(arena_printf(a, "extra == \"%.*s\"", STR_ARG(extra)));
	}
	return str_of(arena_printf(a, "(%.*s) and extra == \"%.*s\"", STR_ARG(marker), STR_ARG(extra)));
}

static struct str with_marker(struct arena *a, struct str line, struct str marker)
{
	size_t at = str_find(line, ';');

	if (!marker.n) {
		return arena_str(a, line);
	}
	if (at == line.n) {
		return str_of(arena_printf(a, "%.*s ; %.*s", STR_ARG(line), STR_ARG(marker)));
	}
	return str_of(arena_printf(a, "%.*s ; (%.*s) and (%.*s)", STR_ARG(str_trim(str_first(line, at))),
		STR_ARG(str_trim(str_skip(line, at + 1))), STR_ARG(marker)));
}

int egg_requires_parse(struct arena *a, struct str text, struct str **out, size_t *n, struct err *e)
{
	struct str rest = text, line, marker = STR_NULL;
	size_t lines = 1, count = 0;

	for (size_t i = 0; i < text.n; i++) {
		lines += text.p[i] == '\n';
	}
	struct str *list = arena_array(a, lines, sizeof(*list));
	while (str_cut(&rest, '\n', &line)) {
		line = str_trim(line);
		if (line.n == 0 || line.p[0] == '#') {
			continue;
		}
		if (line.p[0] != '[') {
			list[count++] = with_marker(a, line, marker);
		} else if (line.p[line.n - 1] == ']') {
			marker = section_marker(a, str_first(str_skip(line, 1), line.n - 2));
		} else {
			return err_set(e, RC_WHEEL, "requires.txt: section \"%.*s\" is not closed",
				STR_ARG(str_first(line, 80)));
		}
	}
	*out = list;
	*n = count;
	return 0;
}
