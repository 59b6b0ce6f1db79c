#include "mirror/arch_flags.h"

#include "manifests/base/buf.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
	const struct gpu *x = a, *y = b;

	if (x->major != y->major) {
		return x->major < y->major ? -1 : 1;
	}
	return (x->minor > y->minor) - (x->minor < y->minor);
}

/* Sorted, each once; returns how many are left. */
static size_t gpus_sorted(struct gpu *v, size_t n)
{
	size_t kept = 0;

	if (n) {
		qsort(v, n, sizeof(*v), by_number);
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_number(&v[kept - 1], &v[i]) != 0) {
			v[kept++] = v[i];
		}
	}
	return kept;
}

enum spelling { SPELL_TORCH, SPELL_SM, SPELL_BASE, SPELL_CMAKE, SPELL_GENCODE };

static void spell_one(struct buf *b, enum spelling how, const struct gpu *g)
{
	switch (how) {
	case SPELL_TORCH:
		buf_addf(b, "%u.%u", g->major, g->minor);
		break;
	case SPELL_SM:
		buf_addf(b, "%u%u", g->major, g->minor);
		break;
	case SPELL_BASE:
		buf_addf(b, "%u0", g->major);
		break;
	case SPELL_CMAKE:
		buf_addf(b, "%u%u-real", g->major, g->minor);
		break;
	case SPELL_GENCODE:
		buf_addf(b, "-gencode=arch=compute_%u%u,code=sm_%u%u", g->major, g->minor, g->major,
			g->minor);
		break;
	}
}

static struct str spell(struct arena *a, enum spelling how, const struct gpu *v, size_t n)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (how == SPELL_BASE && i > 0 && v[i].major == v[i - 1].major) {
			continue;
		}
		if (i > 0) {
			buf_addc(&b, how == SPELL_GENCODE ? ' ' : ';');
		}
		spell_one(&b, how, &v[i]);
	}
	return arena_str(a, buf_str(&b));
}

void arch_flags_of(
	struct arena *a, const struct gpu *gpus, size_t n, unsigned jobs, struct arch_flags *out)
{
	struct gpu *v = arena_array(a, n, sizeof(*v));

	if (n) {
		memcpy(v, gpus, n * sizeof(*v));
	}
	n = gpus_sorted(v, n);
	out->torch = spell(a, SPELL_TORCH, v, n);
	out->sm = spell(a, SPELL_SM, v, n);
	out->base = spell(a, SPELL_BASE, v, n);
	out->cmake = spell(a, SPELL_CMAKE, v, n);
	out->gencode = spell(a, SPELL_GENCODE, v, n);
	out->jobs = jobs;
}

static bool add_value(struct buf *b, const struct arch_flags *f, struct str name)
{
	const struct {
		const char *name;
		struct str value;
	} known[] = {
		{ "arch_list", f->torch },
		{ "sm_list", f->sm },
		{ "sm_base_list", f->base },
		{ "cmake_list", f->cmake },
		{ "gencode", f->gencode },
	};

	if (str_is(name, "jobs")) {
		buf_addf(b, "%u", f->jobs);
		return true;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_is(name, known[i].name)) {
			buf_addstr(b, known[i].value);
			return true;
		}
	}
	return false;
}

int arch_flags_fill(struct arena *a, const struct arch_flags *f, struct str pattern,
	struct str *out, struct err *e)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	struct str rest = pattern;

	while (rest.n) {
		if (!str_starts(rest, "${")) {
			buf_addc(&b, rest.p[0]);
			rest = str_skip(rest, 1);
			continue;
		}
		size_t end = str_find(rest, '}');
		struct str name = str_skip(str_first(rest, end), 2);

		if (end == rest.n || !add_value(&b, f, name)) {
			err_set(e, RC_INVALID, "recipe value \"%.*s\": \"${%.*s%s\" has no meaning",
				STR_ARG(pattern), STR_ARG(name), end == rest.n ? "" : "}");
			return err_hint(e, "known are ${arch_list}, ${sm_list}, ${sm_base_list}, "
					   "${cmake_list}, ${gencode} and ${jobs}");
		}
		rest = str_skip(rest, end + 1);
	}
	*out = arena_str(a, buf_str(&b));
	return 0;
}
