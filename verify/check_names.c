/* File name, METADATA and WHEEL tell name, version and tags three times; installers believe
 * different ones. */
#include "manifests/name.h"
#include "verify/audit_checks.h"

#include <stdlib.h>

static void check_version(const struct audit_wheel *w, struct audit *a)
{
	const struct version *file = &w->name->version, *inside = &w->metadata->version;

	if (version_cmp_public(file, inside) != 0) {
		audit_say(a, AUDIT_names, AUDIT_FAIL, NULL,
			"pip: WARNING: Requested ... has inconsistent version; and it is left out",
			"take another file: one of the two is wrong",
			"the file name says %.*s, METADATA %.*s", STR_ARG(file->raw),
			STR_ARG(inside->raw));
	} else if (version_cmp(file, inside) != 0) {
		audit_say(a, AUDIT_names, AUDIT_WARN, NULL,
			"pip, from any index: has inconsistent version, and it is left out; uv "
			"installs it",
			"serve it from this program, which lists it under a name that pip takes, "
			"or give pip "
			"the file's path",
			"the file name says %.*s, METADATA %.*s: it was renamed after it was built",
			STR_ARG(file->raw), STR_ARG(inside->raw));
	}
}

static void check_name(const struct audit_wheel *w, struct audit *a)
{
	if (!name_eq(w->name->name, w->metadata->core.name)) {
		audit_say(a, AUDIT_names, AUDIT_FAIL, NULL, "pip: ERROR: has inconsistent name",
			"take another file: one of the two is wrong",
			"the file name says %.*s, METADATA %.*s", STR_ARG(w->name->project),
			STR_ARG(w->metadata->core.name));
	}
}

/* ---- tags ---- */

static int text_cmp(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The product of the file name's sets, sorted. */
static struct str *expand_tags(struct arena *a, const struct dist_name *name, size_t *n)
{
	VEC(struct str) tags = VEC_INIT;
	struct str python, abi, platform;

	for (struct str pythons = name->python; str_cut(&pythons, '.', &python);) {
		for (struct str abis = name->abi; str_cut(&abis, '.', &abi);) {
			for (struct str rest = name->platform; str_cut(&rest, '.', &platform);) {
				vec_push(&tags,
					str_of(arena_printf(a, "%.*s-%.*s-%.*s", STR_ARG(python),
						STR_ARG(abi), STR_ARG(platform))));
			}
		}
	}
	struct str *out = arena_strs(a, tags.v, tags.n);
	*n = tags.n;
	vec_release(&tags);
	qsort(out, *n, sizeof(*out), text_cmp);
	return out;
}

static bool is_same_set(const struct str *a, size_t na, const struct str *b, size_t nb)
{
	size_t i = 0, k = 0;

	while (i < na && k < nb && str_eq(a[i], b[k])) {
		while (i + 1 < na && str_eq(a[i], a[i + 1])) {
			i++;
		}
		while (k + 1 < nb && str_eq(b[k], b[k + 1])) {
			k++;
		}
		i++;
		k++;
	}
	return i == na && k == nb;
}

static void check_tags(const struct audit_wheel *w, struct audit *a)
{
	size_t n;
	struct str *claimed = expand_tags(&a->arena, w->name, &n);
	struct str *inside = arena_strs(&a->arena, w->wheel_tags, w->nwheel_tags);

	qsort(inside, w->nwheel_tags, sizeof(*inside), text_cmp);
	if (!is_same_set(claimed, n, inside, w->nwheel_tags)) {
		audit_say(a, AUDIT_names, AUDIT_WARN, NULL,
			"pip check: is not supported on this platform",
			"nothing: installers go by the file name",
			"WHEEL says %.*s%s, the file name %.*s",
			STR_ARG(w->nwheel_tags ? inside[0] : STR("no tag")),
			w->nwheel_tags > 1 ? " and others" : "", STR_ARG(claimed[0]));
	}
}

static void check_purelib(const struct audit_wheel *w, struct audit *a)
{
	const struct native_module *m;
	size_t i = 0;

	/* NVIDIA's wheels say so all along; with a platform in the name that has no effect worth telling. */
	if (w->is_purelib && str_is(w->name->platform, "any") && (m = next_used(w, a, &i)) != NULL &&
		module_is_library(m)) {
		audit_say(a, AUDIT_names, AUDIT_WARN, module_text(a, m),
			"ImportError, where pure and other packages go to different folders "
			"(RHEL's lib and "
			"lib64)",
			"nothing in a virtual environment",
			"WHEEL says that it is pure (Root-Is-Purelib), and it has binaries");
	}
}

void check_names(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	(void)site;
	check_name(w, a);
	check_version(w, a);
	check_tags(w, a);
	check_purelib(w, a);
	if (!a->tally[AUDIT_names].said) {
		bool is_other_spelling = !str_eq(w->metadata->core.name, w->name->project);

		audit_say(a, AUDIT_names, AUDIT_PASS, NULL, NULL, NULL, "%.*s %.*s%s%.*s",
			STR_ARG(w->name->name), STR_ARG(w->name->version.raw),
			is_other_spelling ? ", in METADATA spelt " : "",
			STR_ARG(is_other_spelling ? w->metadata->core.name : STR_NULL));
	}
}
