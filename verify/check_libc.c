/* Demand 7: the oldest glibc and libstdc++ that the binaries can be loaded with. Tags are claims,
 * and a plain linux tag claims nothing. */
#include "manifests/dotted.h"
#include "manifests/libc_policy.h"
#include "manifests/platform_tag.h"
#include "verify/audit_checks.h"

static const char relr_glibc[] = "2.36"; /* the first whose loader knows DT_RELR */

enum floor_kind { FLOOR_GLIBC, FLOOR_GLIBCXX, FLOOR_CXXABI, FLOOR_GCC, FLOORS };

static const char *const prefixes[FLOORS] = { "GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_" };

struct floors { /* the newest version of each that is referred to; "" = none */
	struct str v[FLOORS];
	const struct native_module *module[FLOORS];
	bool is_private; /* GLIBC_PRIVATE */
};

static void raise_floor(
	struct floors *f, size_t kind, struct str version, const struct native_module *m)
{
	if (!f->v[kind].n || dotted_cmp(version, f->v[kind]) > 0) {
		f->v[kind] = version;
		f->module[kind] = m;
	}
}

static void add_version(struct floors *f, struct str name, const struct native_module *m)
{
	if (str_is(name, "GLIBC_ABI_DT_RELR")) {
		raise_floor(f, FLOOR_GLIBC, str_of(relr_glibc), m);
	}
	f->is_private = f->is_private || str_is(name, "GLIBC_PRIVATE");
	for (size_t kind = 0; kind < FLOORS; kind++) {
		struct str version = str_skip(name, str_of(prefixes[kind]).n);

		if (str_starts(name, prefixes[kind]) && dotted_is(version)) {
			raise_floor(f, kind, version, m);
		}
	}
}

static struct floors floors_of(const struct native_module *m)
{
	struct floors f = { .is_private = false };

	for (size_t i = 0; i < m->nversions; i++) {
		add_version(&f, m->versions[i].name, m);
	}
	if (m->has_relr) {
		raise_floor(&f, FLOOR_GLIBC, str_of(relr_glibc), m);
	}
	return f;
}

static void merge_floors(struct floors *all, const struct floors *f)
{
	for (size_t kind = 0; kind < FLOORS; kind++) {
		if (f->v[kind].n) {
			raise_floor(all, kind, f->v[kind], f->module[kind]);
		}
	}
}

static struct str target_glibc(struct audit *a, const struct target *t)
{
	return str_of(arena_printf(&a->arena, "%u.%u", t->libc_major, t->libc_minor));
}

/* ---- against the target ---- */

static void check_module(const struct native_module *m, const struct floors *f, bool is_spare,
	const struct target *t, struct audit *a)
{
	struct str need = f->v[FLOOR_GLIBC];
	struct str has = target_glibc(a, t);

	if (need.n && dotted_cmp(need, has) > 0) {
		audit_say(a, AUDIT_libc, is_spare ? AUDIT_WARN : AUDIT_FAIL, module_text(a, m),
			arena_printf(&a->arena,
				"ImportError: /lib64/libc.so.6: version `GLIBC_%.*s' not found",
				STR_ARG(need)),
			is_spare ? "nothing: it is for other GPU software than the target's"
				 : "take an older release or a manylinux build of it, or let the "
				   "site build it "
				   "from its sdist",
			"needs glibc %.*s%s; %s has %.*s", STR_ARG(need),
			m->has_relr && str_is(need, relr_glibc) ? " (packed relocations, DT_RELR)"
								: "",
			target_text(a, t), STR_ARG(has));
	}
	if (f->is_private) {
		audit_say(a, AUDIT_libc, AUDIT_WARN, module_text(a, m),
			"ImportError: undefined symbol, version GLIBC_PRIVATE, with another glibc",
			"test it there",
			"refers to GLIBC_PRIVATE, which is of one build of glibc alone");
	}
}

static bool is_brought(const struct audit_site *site, const struct audit *a, const char *soname)
{
	return wheel_brings(a, str_of(soname)) ||
	       is_among(site->provided, site->nprovided, str_of(soname));
}

/* A target says its glibc; the libstdc++ of a machine is that of its distribution, unless somebody
 * brought another. */
static void check_libstdcxx(const struct audit_site *site, const struct floors *f, struct audit *a)
{
	const struct target *t = site->target;
	struct libc_policy has;

	if (is_brought(site, a, "libstdc++.so.6") || !distribution_policy(t->libc_minor, &has)) {
		return;
	}
	for (size_t kind = FLOOR_GLIBCXX; kind <= FLOOR_CXXABI; kind++) {
		const char *newest = kind == FLOOR_GLIBCXX ? has.glibcxx : has.cxxabi;

		if (f->v[kind].n && dotted_cmp(f->v[kind], str_of(newest)) > 0) {
			audit_say(a, AUDIT_libc, AUDIT_WARN, module_text(a, f->module[kind]),
				arena_printf(&a->arena,
					"ImportError: /lib64/libstdc++.so.6: version `%s%.*s' not "
					"found",
					prefixes[kind], STR_ARG(f->v[kind])),
				"see which libstdc++ the machine has, or bring one (conda does)",
				"needs %s%.*s; the libstdc++ of %s, with glibc 2.%u, has up to %s",
				prefixes[kind], STR_ARG(f->v[kind]), has.whose, t->libc_minor,
				newest);
			return;
		}
	}
}

/* ---- against the tag ---- */

/* The lowest glibc of its tags for that processor. False: it has a tag that claims nothing. */
static bool tag_glibc(const struct dist_name *name, const struct target *t, unsigned *minor)
{
	struct str tags = name->platform, text;
	struct platform_tag tag;
	bool is_found = false;

	while (str_cut(&tags, '.', &text)) {
		platform_tag_parse(text, &tag);
		if (tag.kind == PLATFORM_LINUX || tag.kind == PLATFORM_ANY) {
			return false;
		}
		if (tag.kind == PLATFORM_MANYLINUX && str_eq(tag.machine, t->machine) &&
			(!is_found || tag.libc_minor < *minor)) {
			*minor = tag.libc_minor;
			is_found = true;
		}
	}
	return is_found;
}

static void say_mistagged(
	struct audit *a, const struct floors *f, size_t kind, unsigned minor, const char *allows)
{
	audit_say(a, AUDIT_libc, AUDIT_WARN, module_text(a, f->module[kind]),
		arena_printf(&a->arena,
			"pip installs it on older machines, and there: version `%s%.*s' "
			"not found",
			prefixes[kind], STR_ARG(f->v[kind])),
		"nothing here; do not trust its tag elsewhere",
		"needs %s%.*s, and its tag manylinux_2_%u allows up to %s", prefixes[kind],
		STR_ARG(f->v[kind]), minor, allows);
}

static void check_tag(const struct audit_wheel *w, const struct target *t, const struct floors *f,
	struct audit *a)
{
	unsigned minor = 0;
	struct libc_policy allows;

	if (!tag_glibc(w->name, t, &minor)) {
		return;
	}
	if (minor > t->libc_minor) {
		audit_say(a, AUDIT_libc, AUDIT_FAIL, NULL,
			"pip: ERROR: Could not find a version that satisfies the requirement",
			"take an older release of it, or let the site build it from its sdist",
			"is tagged for glibc 2.%u; %s has %u.%u", minor, target_text(a, t),
			t->libc_major, t->libc_minor);
	}
	const char *claimed = arena_printf(&a->arena, "2.%u", minor);
	/* On aarch64 manylinux_2_17 allows 2.18. */
	bool is_excused =
		minor == 17 && str_is(t->machine, "aarch64") && str_is(f->v[FLOOR_GLIBC], "2.18");
	if (f->v[FLOOR_GLIBC].n && dotted_cmp(f->v[FLOOR_GLIBC], str_of(claimed)) > 0 &&
		!is_excused) {
		say_mistagged(a, f, FLOOR_GLIBC, minor, claimed);
	}
	if (!manylinux_policy(minor, t->machine, &allows)) {
		return;
	}
	const char *const ceilings[FLOORS] = { NULL, allows.glibcxx, allows.cxxabi, allows.gcc };
	for (size_t kind = FLOOR_GLIBCXX; kind < FLOORS; kind++) {
		if (f->v[kind].n && dotted_cmp(f->v[kind], str_of(ceilings[kind])) > 0) {
			say_mistagged(a, f, kind, minor, ceilings[kind]);
			return; /* the others say the same of the same compiler */
		}
	}
}

/* ---- */

static void check_musl(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	struct str tags = w->name->platform, text;
	struct platform_tag tag;
	bool is_claimed = false;
	unsigned lowest = 0;

	while (str_cut(&tags, '.', &text)) {
		platform_tag_parse(text, &tag);
		if (tag.kind == PLATFORM_MUSLLINUX && (!is_claimed || tag.libc_minor < lowest)) {
			is_claimed = true;
			lowest = tag.libc_minor;
		}
	}
	if (is_claimed && lowest > t->libc_minor) {
		audit_say(a, AUDIT_libc, AUDIT_FAIL, NULL,
			"pip: ERROR: Could not find a version that satisfies the requirement",
			"take an older release of it, or let the site build it from its sdist",
			"is tagged for musl 1.%u; %s has %u.%u", lowest, target_text(a, t),
			t->libc_major, t->libc_minor);
	} else {
		audit_say(a, AUDIT_libc, AUDIT_PASS, NULL, NULL, NULL, "%s",
			is_claimed ? "its tag fits the target's musl"
				   : "no glibc is asked for by its tag");
	}
}

static void check_glibc(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;
	struct floors all = { .is_private = false }, used = { .is_private = false };

	for (size_t i = 0; i < w->native->nmodules; i++) {
		if (a->parts[i] == MODULE_USED || a->parts[i] == MODULE_SPARE) {
			const struct native_module *m = &w->native->modules[i];
			struct floors f = floors_of(m);

			check_module(m, &f, a->parts[i] == MODULE_SPARE, t, a);
			merge_floors(&all, &f);
			if (a->parts[i] == MODULE_USED) {
				merge_floors(&used, &f);
			}
		}
	}
	check_libstdcxx(site, &used, a);
	check_tag(w, t, &all, a);
	if (!a->tally[AUDIT_libc].said && all.v[FLOOR_GLIBC].n) {
		audit_say(a, AUDIT_libc, AUDIT_PASS, NULL, NULL, NULL,
			"needs glibc %.*s%s%.*s; %s has %u.%u", STR_ARG(all.v[FLOOR_GLIBC]),
			all.v[FLOOR_GLIBCXX].n ? " and GLIBCXX_" : "",
			STR_ARG(all.v[FLOOR_GLIBCXX]), target_text(a, t), t->libc_major,
			t->libc_minor);
	} else if (!a->tally[AUDIT_libc].said) {
		audit_say(
			a, AUDIT_libc, AUDIT_PASS, NULL, NULL, NULL, "no binary of it needs glibc");
	}
}

void check_libc(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;

	if (t->os != TARGET_LINUX) {
		audit_say(a, AUDIT_libc, AUDIT_PASS, NULL, NULL, NULL, "does not apply to Windows");
	} else if (t->libc == TARGET_MUSL) {
		check_musl(w, t, a);
	} else {
		check_glibc(w, site, a);
	}
}
