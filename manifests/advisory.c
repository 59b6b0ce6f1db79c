#include "manifests/advisory.h"
#include "manifests/specifier.h"

#define KNOWN_BAD(project, specifiers, label, what, remedy, source) \
	{ project, specifiers, label, what, remedy, source },

static const struct advisory rows[] = {
#include "manifests/data/known_bad.def"
};

const struct advisory *advisory_list(size_t *n)
{
	*n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

static bool holds(const struct advisory *row, const struct version *v)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	CLEANUP_BUF struct buf label = BUF_INIT;
	struct specifier_set set;

	version_format_local(v, &label);
	bool is_hit = str_starts(buf_str(&label), row->label) &&
		      !specifier_parse(&a, str_of(row->specifiers), &set, &ignored) &&
		      specifier_contains(&set, v);
	arena_release(&a);
	return is_hit;
}

const struct advisory *advisory_next(struct str project, const struct version *v, size_t *at)
{
	while (*at < sizeof(rows) / sizeof(rows[0])) {
		const struct advisory *row = &rows[(*at)++];

		if (str_is(project, row->project) && holds(row, v)) {
			return row;
		}
	}
	return NULL;
}
