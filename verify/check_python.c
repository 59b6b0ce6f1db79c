/* Demand 4. Tags are what installers look at, suffixes what the importer looks at, imported
 * functions what the loader looks at; they are made by different hands. */
#include "manifests/specifier.h"
#include "manifests/stable_abi.h"
#include "manifests/tag.h"
#include "verify/audit_checks.h"

enum { SHOWN = 3 };

/* Do Python and ABI tags fit, on whatever platform? */
static bool tags_fit(const struct dist_name *name, const struct target *t, struct arena *a)
{
	struct dist_name here = *name;
	struct tag_list tags;

	here.platform = str_is(name->platform, "any") ? STR("any") : t->platform;
	tag_list_of(a, t, &tags);
	return tag_rank(&tags, &here) >= 0;
}

static const char *python_text(struct audit *a, const struct target *t)
{
	return target_python_text(&a->arena, &t->python);
}

static void check_tags(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	const struct dist_name *n = w->name;
	bool is_for_threads = str_ends(n->abi, "t") && !str_is(n->abi, "abi3t");

	if (tags_fit(n, t, &a->arena)) {
		return;
	}
	audit_say(a, AUDIT_python, AUDIT_FAIL, NULL,
		"pip: ERROR: Could not find a version that satisfies the requirement (no matching "
		"distribution)",
		"take its file for that Python, or let the site build it from its sdist",
		"is for %.*s-%.*s%s; %s has Python %s", STR_ARG(n->python), STR_ARG(n->abi),
		is_for_threads ? " (free-threaded)" : "", target_text(a, t), python_text(a, t));
}

/* ---- Requires-Python ---- */

static bool admits(struct audit *a, const struct specifier_set *set, const struct target_python *p,
	unsigned patch)
{
	struct err ignored = ERR_INIT;
	struct version v;
	const char *text = arena_printf(&a->arena, "3.%u.%u", p->minor, patch);

	return version_parse(&a->arena, str_of(text), &v, &ignored) == 0 &&
	       specifier_contains(set, &v);
}

static void check_requires_python(
	const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	const struct target_python *p = &t->python;
	struct str requires = w->metadata->core.requires_python;
	struct specifier_set set;
	struct err ignored = ERR_INIT;
	enum { LAST_PATCH = 99 };

	if (!requires.n || specifier_parse(&a->arena, requires, &set, &ignored)) {
		return;
	}
	bool first = admits(a, &set, p, p->has_patch ? p->patch : 0);
	bool last = p->has_patch ? first : admits(a, &set, p, LAST_PATCH);
	if (first && last) {
		return;
	}
	audit_say(a, AUDIT_python, first || last ? AUDIT_UNKNOWN : AUDIT_FAIL, NULL,
		"pip: ERROR: Package requires a different Python",
		first || last ? "state python with its patch level in the [[target]]"
			      : "take a release of it for that Python",
		"METADATA requires Python %.*s; %s has %s", STR_ARG(requires), target_text(a, t),
		python_text(a, t));
}

/* ---- suffixes ---- */

enum suffix_kind { SUFFIX_NONE = 0, SUFFIX_CPYTHON, SUFFIX_ABI3 };

struct suffix {
	enum suffix_kind kind;
	unsigned minor;
	bool is_free_threaded;
	struct str stem; /* the module's name */
};

/* "313t" is 3.13, free-threaded. */
static bool read_python_number(struct str digits, struct suffix *out)
{
	uint64_t number;

	out->is_free_threaded = str_ends(digits, "t");
	digits.n -= out->is_free_threaded;
	if (digits.n < 2 || digits.p[0] != '3' || !str_to_u64(str_skip(digits, 1), &number)) {
		return false;
	}
	out->minor = (unsigned)number;
	return true;
}

/* "_C.cpython-312-x86_64-linux-gnu.so", "_C.abi3.so", "_C.cp312-win_amd64.pyd"; others have none.
 */
static struct suffix suffix_of(const struct native_module *m)
{
	struct str file = module_file_name(m), middle;
	struct suffix s = { .kind = SUFFIX_NONE, .stem = str_first(file, str_find(file, '.')) };

	if (!str_ends(file, ".so") && !str_ends(file, ".pyd")) {
		return s;
	}
	middle = str_skip(file, s.stem.n + 1);
	middle = str_first(middle, str_find(middle, '.'));
	struct str version = str_skip(middle, str_starts(middle, "cpython-") ? 8 : 2);
	version = str_first(version, str_find(version, '-'));
	if (str_is(middle, "abi3")) {
		s.kind = SUFFIX_ABI3;
	} else if ((str_starts(middle, "cpython-") || str_starts(middle, "cp3")) &&
		   read_python_number(version, &s)) {
		s.kind = SUFFIX_CPYTHON;
	}
	return s;
}

static bool suffix_fits(const struct suffix *s, const struct target_python *p)
{
	switch (s->kind) {
	case SUFFIX_CPYTHON:
		return s->minor == p->minor && s->is_free_threaded == p->free_threaded;
	case SUFFIX_ABI3:
		return !p->free_threaded;
	case SUFFIX_NONE:
		break;
	}
	return true;
}

static struct str module_path(const struct native_module *m, const struct suffix *s)
{
	return str_first(m->name, m->name.n - module_file_name(m).n + s->stem.n);
}

/* A wheel may bring a module once for each Python: one that fits is enough. */
static void check_suffixes(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	const struct native_module *m;
	struct map fitting = MAP_INIT;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		struct suffix s = suffix_of(m);

		if (suffix_fits(&s, &t->python)) {
			map_put(&fitting, module_path(m, &s), 1);
		}
	}
	for (size_t i = 0; (m = next_used(w, a, &i));) {
		struct suffix s = suffix_of(m);

		if (!suffix_fits(&s, &t->python) && !map_get(&fitting, module_path(m, &s))) {
			map_put(&fitting, module_path(m, &s), 1); /* said once */
			audit_say(a, AUDIT_python, AUDIT_FAIL, module_text(a, m),
				arena_printf(&a->arena,
					"ModuleNotFoundError: No module named '%.*s'",
					STR_ARG(s.stem)),
				"take its file for that Python, or let the site build it from its "
				"sdist",
				"has the suffix of another Python; %s has %s", target_text(a, t),
				python_text(a, t));
		}
	}
	map_release(&fitting);
}

/* ---- the function that import calls ---- */

/* "_native" of "_native_cu131": the package chooses a file, and imports it under the shorter name.
 */
static bool exports_shorter(const struct native_module *m, struct str stem)
{
	for (size_t n = stem.n; n > 1; n--) {
		if (stem.p[n - 1] == '_' && module_exports_init(m, str_first(stem, n - 1))) {
			return true;
		}
	}
	return module_exports_init(m, stem);
}

/* torch.ops.load_library needs no such function, so what uses torch may do without. */
static void check_init(const struct audit_wheel *w, struct audit *a)
{
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		struct suffix s = suffix_of(m);

		if (m->format != NATIVE_ELF || s.kind == SUFFIX_NONE ||
			exports_shorter(m, s.stem) || module_uses_torch(m)) {
			continue;
		}
		audit_say(a, AUDIT_python, AUDIT_WARN, module_text(a, m),
			arena_printf(&a->arena,
				"ImportError: dynamic module does not define module export "
				"function "
				"(PyInit_%.*s)",
				STR_ARG(s.stem)),
			"nothing, if the package loads it by other means",
			"is named like an extension module and does not export PyInit_%.*s",
			STR_ARG(s.stem));
	}
}

/* ---- the stable ABI ---- */

/* The oldest Python that the tag promises: 9 of "cp39-abi3"; 0: it is no abi3 wheel. */
static unsigned abi3_floor(const struct dist_name *n)
{
	struct str pythons = n->python, python;
	uint64_t minor, lowest = 0;

	if (!str_is(n->abi, "abi3")) {
		return 0;
	}
	while (str_cut(&pythons, '.', &python)) {
		if (str_starts(python, "cp3") && str_to_u64(str_skip(python, 3), &minor) &&
			minor < 1000 && (!lowest || minor < lowest)) {
			lowest = minor;
		}
	}
	return (unsigned)lowest;
}

struct beyond { /* what a module imports and should not */
	size_t n;
	struct str first;
	struct buf list;
};

static void beyond_add(struct beyond *b, struct str symbol)
{
	if (b->n++ == 0) {
		b->first = symbol;
	}
	if (b->n <= SHOWN) {
		buf_addf(
			&b->list, "%s%.*s", b->n == 1 ? "" : ", ", STR_ARG(str_first(symbol, 100)));
	}
}

static void say_beyond(struct audit *a, const struct native_module *m, const struct beyond *b,
	enum audit_result r, const char *of)
{
	if (b->n) {
		audit_say(a, AUDIT_python, r, module_text(a, m),
			arena_printf(&a->arena, "ImportError: undefined symbol: %.*s",
				STR_ARG(b->first)),
			r == AUDIT_FAIL ? "take its file for that Python, or another release of it"
					: "nothing there; older Pythons that the tag promises "
					  "cannot load it",
			"is tagged abi3 and imports %zu name%s outside of %s: %s%s", b->n,
			b->n == 1 ? "" : "s", of, b->list.p, b->n > SHOWN ? ", ..." : "");
	}
}

static void check_stable_abi(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	unsigned floor = abi3_floor(w->name);
	const struct native_module *m;

	for (size_t i = 0; floor && (m = next_used(w, a, &i));) {
		struct beyond here = { .n = 0 }, there = { .n = 0 };

		for (size_t k = 0; k < m->nundefined; k++) {
			if (native_symbol_kind(m->undefined[k]) != NATIVE_SYMBOL_PYTHON) {
				continue;
			}
			unsigned since = stable_abi_since(m->undefined[k]);
			if (since == 0 || since > t->python.minor) {
				beyond_add(&here, m->undefined[k]);
			} else if (since > floor) {
				beyond_add(&there, m->undefined[k]);
			}
		}
		say_beyond(a, m, &here, AUDIT_FAIL,
			arena_printf(&a->arena, "the stable ABI of Python 3.%u, which %s has",
				t->python.minor, target_text(a, t)));
		say_beyond(a, m, &there, AUDIT_WARN,
			arena_printf(&a->arena, "the stable ABI of Python 3.%u, which its tag says",
				floor));
		buf_release(&here.list);
		buf_release(&there.list);
	}
}

void check_python(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;

	check_tags(w, t, a);
	check_requires_python(w, t, a);
	check_suffixes(w, t, a);
	check_init(w, a);
	check_stable_abi(w, t, a);
	if (!a->tally[AUDIT_python].said) {
		audit_say(a, AUDIT_python, AUDIT_PASS, NULL, NULL, NULL, "%.*s-%.*s fits Python %s",
			STR_ARG(w->name->python), STR_ARG(w->name->abi), python_text(a, t));
	}
}
