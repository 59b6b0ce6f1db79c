#include "manifests/build_limit.h"

struct row {
	const char *torch, *project, *specifiers, *reason, *source;
};

#define BUILD_LIMIT(torch, project, specifiers, reason, source) \
	{ torch, project, specifiers, reason, source },

static const struct row rows[] = {
#include "manifests/data/build_limits.def"
};

_Static_assert(
	sizeof(rows) / sizeof(rows[0]) <= BUILD_LIMITS_MAX, "every row may hold for one target");

static bool is_below(struct arena *a, const struct version *torch, const char *limit)
{
	struct version v;
	struct err ignored = ERR_INIT;

	return version_parse(a, str_of(limit), &v, &ignored) == 0 && version_cmp(torch, &v) < 0;
}

size_t build_limits(const struct target *t, struct build_limit out[BUILD_LIMITS_MAX])
{
	struct arena a = ARENA_INIT;
	struct version torch;
	struct err ignored = ERR_INIT;
	bool is_known = t->torch.n && version_parse(&a, t->torch, &torch, &ignored) == 0;
	size_t n = 0;

	for (size_t i = 0; is_known && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (is_below(&a, &torch, rows[i].torch)) {
			out[n++] = (struct build_limit){ .project = str_of(rows[i].project),
				.specifiers = str_of(rows[i].specifiers),
				.reason = str_of(rows[i].reason) };
		}
	}
	arena_release(&a);
	return n;
}
