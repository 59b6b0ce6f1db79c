/* The tags of CPython in the order of "Platform compatibility tags", as `packaging` spells it
 * out: the version's own ABI, the stable ABI, none; the stable ABI of older versions; pure
 * Python. */
#include "manifests/tag.h"
#include "manifests/base/vec.h"

#include <string.h>

enum {
	OLDEST_STABLE_ABI = 2,   /* CPython 3.2 brought abi3 (PEP 384) */
	OLDEST_GLIBC_X86_64 = 5, /* manylinux1 (PEP 513) */
	OLDEST_GLIBC = 17,       /* manylinux2014 brought the other architectures (PEP 599) */
};

struct tag_maker {
	struct arena *arena;
	VEC(struct str) platforms; /* best first */
	VEC(struct tag) tags;
};

/* PEP 600 keeps the names of the policies before it as aliases. */
static const char *legacy_policy(unsigned glibc_minor)
{
	switch (glibc_minor) {
	case 17:
		return "manylinux2014";
	case 12:
		return "manylinux2010";
	case 5:
		return "manylinux1";
	default:
		return NULL;
	}
}

static void add_platform(struct tag_maker *m, const char *name)
{
	vec_push(&m->platforms, str_of(name));
}

static void add_manylinux(struct tag_maker *m, const struct target *t)
{
	unsigned oldest = str_is(t->machine, "x86_64") ? OLDEST_GLIBC_X86_64 : OLDEST_GLIBC;

	for (unsigned minor = t->libc_minor; minor >= oldest; minor--) {
		const char *legacy = legacy_policy(minor);

		add_platform(m,
			arena_printf(m->arena, "manylinux_2_%u_%.*s", minor, STR_ARG(t->machine)));
		if (legacy) {
			add_platform(
				m, arena_printf(m->arena, "%s_%.*s", legacy, STR_ARG(t->machine)));
		}
	}
}

static void add_musllinux(struct tag_maker *m, const struct target *t)
{
	for (unsigned minor = t->libc_minor + 1; minor-- > 0;) {
		add_platform(m, arena_printf(m->arena, "musllinux_%u_%u_%.*s", t->libc_major, minor,
					STR_ARG(t->machine)));
	}
}

static void add_platforms(struct tag_maker *m, const struct target *t)
{
	if (t->os == TARGET_LINUX && t->libc == TARGET_GLIBC) {
		add_manylinux(m, t);
	} else if (t->os == TARGET_LINUX) {
		add_musllinux(m, t);
	}
	vec_push(&m->platforms, t->platform);
}

static void add_tag(struct tag_maker *m, const char *python, const char *abi, struct str platform)
{
	vec_push(&m->tags, (struct tag){ str_of(python), str_of(abi), platform });
}

static void add_tags(struct tag_maker *m, const char *python, const char *abi)
{
	vec_each(struct str, platform, &m->platforms) {
		add_tag(m, python, abi, *platform);
	}
}

static const char *python_tag(struct tag_maker *m, const char *implementation, unsigned minor)
{
	return arena_printf(m->arena, "%s3%u", implementation, minor);
}

/* A free-threaded build cannot load abi3, only its own abi3t (PEP 703, PEP 803). */
static void add_cpython(struct tag_maker *m, const struct target_python *p)
{
	const char *python = python_tag(m, "cp", p->minor);
	const char *stable = p->free_threaded ? "abi3t" : "abi3";

	add_tags(m, python, p->free_threaded ? arena_printf(m->arena, "%st", python) : python);
	add_tags(m, python, stable);
	add_tags(m, python, "none");
	for (unsigned minor = p->minor - 1; minor >= OLDEST_STABLE_ABI; minor--) {
		add_tags(m, python_tag(m, "cp", minor), stable);
	}
}

/* py312, py3, py311, ... py30: on the target's platforms, or on "any". */
static void add_pure(struct tag_maker *m, const struct target_python *p, bool is_any)
{
	for (unsigned minor = p->minor + 1; minor-- > 0;) {
		const char *pythons[] = { python_tag(m, "py", minor),
			minor == p->minor ? "py3" : NULL };

		for (size_t i = 0; i < 2 && pythons[i]; i++) {
			if (is_any) {
				add_tag(m, pythons[i], "none", STR("any"));
			} else {
				add_tags(m, pythons[i], "none");
			}
		}
	}
}

/* Eight bytes at a time: every wheel of a page is looked up for every target. */
static uint64_t hash_text(uint64_t hash, struct str text)
{
	uint64_t word;

	for (; text.n >= sizeof(word); text = str_skip(text, sizeof(word))) {
		memcpy(&word, text.p, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	word = text.n + 1;
	for (size_t i = 0; i < text.n; i++) {
		word = word << 8 | (unsigned char)text.p[i];
	}
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t hash_tag(const struct tag *t)
{
	return hash_text(hash_text(hash_text(0, t->python), t->abi), t->platform);
}

static bool is_same_tag(const struct tag *a, const struct tag *b)
{
	return str_eq(a->platform, b->platform) && str_eq(a->python, b->python) &&
	       str_eq(a->abi, b->abi);
}

/* The slot of the tag, or the empty one where it belongs. */
static size_t find_slot(const struct tag_list *l, const struct tag *t)
{
	size_t at = (size_t)hash_tag(t) & (l->nslots - 1);

	while (l->slots[at] && !is_same_tag(&l->v[l->slots[at] - 1], t)) {
		at = (at + 1) & (l->nslots - 1);
	}
	return at;
}

static void index_tags(struct arena *a, struct tag_list *l)
{
	for (l->nslots = 16; l->nslots < 2 * l->n;) {
		l->nslots *= 2;
	}
	l->slots = arena_array(a, l->nslots, sizeof(*l->slots));
	for (size_t i = 0; i < l->n; i++) {
		l->slots[find_slot(l, &l->v[i])] = (uint32_t)i + 1;
	}
}

void tag_list_of(struct arena *a, const struct target *t, struct tag_list *out)
{
	struct tag_maker m = { .arena = a };

	add_platforms(&m, t);
	add_cpython(&m, &t->python);
	add_pure(&m, &t->python, false);
	add_tag(&m, python_tag(&m, "cp", t->python.minor), "none", STR("any"));
	add_pure(&m, &t->python, true);
	*out = (struct tag_list){ .v = arena_array(a, m.tags.n, sizeof(struct tag)),
		.n = m.tags.n };
	for (size_t i = 0; i < out->n; i++) {
		out->v[i] = m.tags.v[i];
	}
	index_tags(a, out);
	vec_release(&m.platforms);
	vec_release(&m.tags);
}

/* Each part of a wheel's tag is a set with dots between; the wheel fits with any combination. */
int tag_rank(const struct tag_list *tags, const struct dist_name *wheel)
{
	struct tag t;
	uint32_t best = 0;

	for (struct str pythons = wheel->python; str_cut(&pythons, '.', &t.python);) {
		for (struct str abis = wheel->abi; str_cut(&abis, '.', &t.abi);) {
			for (struct str rest = wheel->platform; str_cut(&rest, '.', &t.platform);) {
				uint32_t rank = tags->slots[find_slot(tags, &t)];

				best = rank && (!best || rank < best) ? rank : best;
			}
		}
	}
	return (int)best - 1;
}
