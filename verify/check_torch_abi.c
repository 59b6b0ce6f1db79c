/* Demand 2. What decides is whether the target's torch exports what the wheel's binaries want of
 * it; where that torch is not at hand, names and numbers can only refuse. */
#include "manifests/requirement.h"
#include "manifests/stable_abi.h"
#include "manifests/variant.h"
#include "verify/audit_checks.h"
#include "verify/cxx_name.h"

enum { SHOWN = 3, SHOWN_BYTES = 300 };

struct torch_use {                           /* by the modules that the target loads */
	const struct native_module *user;    /* the first that uses torch; NULL: none */
	const struct native_module *cxx;     /* the first that wants C++ of it */
	size_t nsymbols;                     /* wanted by all, each once */
	unsigned stable_major, stable_minor; /* the torch that first had all C functions */
	struct str newest;                   /* of these functions */
	bool is_unread;                      /* a module whose symbols are not known */
};

static bool is_of_torch(enum native_symbol_kind kind)
{
	return kind == NATIVE_SYMBOL_TORCH_CXX || kind == NATIVE_SYMBOL_TORCH_C;
}

static void use_add(struct torch_use *use, const struct native_module *m, struct map *wanted)
{
	for (size_t i = 0; i < m->nundefined; i++) {
		enum native_symbol_kind kind = native_symbol_kind(m->undefined[i]);
		unsigned major, minor;

		if (is_of_torch(kind)) {
			map_put(wanted, m->undefined[i], 1);
		}
		if (kind == NATIVE_SYMBOL_TORCH_CXX) {
			use->cxx = use->cxx ? use->cxx : m;
		} else if (kind == NATIVE_SYMBOL_TORCH_C) {
			torch_stable_since(m->undefined[i], &major, &minor);
			if (major > use->stable_major ||
				(major == use->stable_major && minor > use->stable_minor)) {
				use->stable_major = major;
				use->stable_minor = minor;
				use->newest = m->undefined[i];
			}
		}
	}
}

static struct torch_use use_of(const struct audit_wheel *w, const struct audit *a)
{
	struct torch_use use = { .user = NULL };
	struct map wanted = MAP_INIT;
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		if (module_uses_torch(m)) {
			use.user = use.user ? use.user : m;
			use.is_unread = use.is_unread || m->format != NATIVE_ELF;
			use_add(&use, m, &wanted);
		}
	}
	use.nsymbols = wanted.n;
	map_release(&wanted);
	return use;
}

/* ---- what the names say ---- */

/* The label against the target's torch and C++ ABI; `why` is "" where it does not contradict. FAIL,
 * or UNKNOWN where the label or the target has two readings. */
static enum audit_result label_misfit(
	const struct audit_wheel *w, const struct target *t, struct audit *a, struct str *why)
{
	struct variant v;

	wheel_label(w, a, &v);
	v.accelerator = VARIANT_UNSAID; /* the check of CUDA and that of GPU code ask for these */
	v.ngpus = 0;
	enum variant_misfit misfit = variant_judge(&v, t, &a->arena, why);
	bool is_open = misfit == VARIANT_AMBIGUOUS_TORCH ||
		       (misfit == VARIANT_WRONG_ABI && t->cxx11_abi < 0);
	return is_open ? AUDIT_UNKNOWN : misfit ? AUDIT_FAIL : AUDIT_PASS;
}

static const char *build_remedy(struct audit *a, const struct audit_site *site)
{
	return arena_printf(&a->arena,
		"take a build for %s, or let the site build it from its sdist",
		site_torch_text(a, site));
}

static void check_requirement(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	struct err ignored = ERR_INIT;
	struct version torch;

	if (!t->torch.n || version_parse(&a->arena, t->torch, &torch, &ignored)) {
		return;
	}
	for (size_t i = 0; i < w->metadata->core.nrequires_dist; i++) {
		struct requirement r;

		if (requirement_parse(
			    &a->arena, w->metadata->core.requires_dist[i], &r, &ignored) ||
			!str_is(r.name, "torch") || r.marker || r.url.n ||
			specifier_contains(&r.specifiers, &torch)) {
			continue;
		}
		audit_say(a, AUDIT_torch_abi, AUDIT_FAIL, NULL,
			"pip: ResolutionImpossible, conflicting dependencies",
			version_is_prerelease(&torch) ? "a pre-release does not satisfy that; "
							"override the requirement if it does "
							"work"
						      : "take a release of it for that torch, or "
							"override the requirement",
			"METADATA requires %.*s; %s has %.*s", STR_ARG(r.raw), target_text(a, t),
			STR_ARG(t->torch));
	}
}

/* ---- the C++ ABI ---- */

struct abi_seen {
	const struct native_module *module;
	struct str symbol;
};

static void abi_of(const struct audit_wheel *w, const struct audit *a, struct abi_seen seen[2])
{
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		for (size_t k = 0; k < m->nundefined; k++) {
			int abi = native_symbol_kind(m->undefined[k]) == NATIVE_SYMBOL_TORCH_CXX
					  ? cxx_name_abi(m->undefined[k])
					  : -1;

			if (abi >= 0 && !seen[abi].module) {
				seen[abi] = (struct abi_seen){ m, m->undefined[k] };
			}
		}
	}
}

static void say_abi(struct audit *a, const struct abi_seen *seen, int abi, const char *against,
	const struct audit_site *site)
{
	audit_say(a, AUDIT_torch_abi, AUDIT_FAIL, module_text(a, seen->module),
		arena_printf(&a->arena, "ImportError: undefined symbol: %.*s",
			STR_ARG(str_first(seen->symbol, SHOWN_BYTES))),
		build_remedy(a, site), "built for torch with the %s; %s",
		abi ? "C++11 ABI" : "C++ ABI before C++11", against);
}

static void check_cxx11_abi(
	const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	struct abi_seen seen[2] = { { .module = NULL } };
	struct variant label;

	abi_of(w, a, seen);
	wheel_label(w, a, &label);
	for (int abi = 0; abi < 2; abi++) {
		if (!seen[abi].module) {
			continue;
		}
		if (site->target->cxx11_abi == !abi) {
			say_abi(a, &seen[abi], abi,
				arena_printf(
					&a->arena, "%s has the other", site_torch_text(a, site)),
				site);
		} else if (label.cxx11_abi == !abi) {
			say_abi(a, &seen[abi], abi, "its name says the other", site);
		}
	}
}

/* ---- symbols ---- */

/* Names that neither torch nor the wheel itself exports. */
static size_t list_missing(const struct native_module *m, const struct audit_torch *torch,
	const struct map *own, struct buf *out, struct str *first)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nundefined; i++) {
		struct str symbol = m->undefined[i];

		if (!is_of_torch(native_symbol_kind(symbol)) ||
			is_among(torch->symbols, torch->nsymbols, symbol) || map_get(own, symbol)) {
			continue;
		}
		if (n++ == 0) {
			*first = symbol;
		}
		if (n <= SHOWN) {
			CLEANUP_BUF struct buf name = BUF_INIT;

			cxx_name_format(symbol, &name);
			buf_addf(out, "%s%.*s", n == 1 ? "" : ", ",
				STR_ARG(str_first(buf_str(&name), SHOWN_BYTES)));
		}
	}
	return n;
}

static void own_symbols(const struct audit_wheel *w, const struct audit *a, struct map *own)
{
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		for (size_t k = 0; k < m->nexported; k++) {
			map_put(own, m->exported[k], 1);
		}
	}
}

static void check_symbols(const struct audit_wheel *w, const struct audit_site *site,
	const struct torch_use *use, struct audit *a)
{
	struct map own = MAP_INIT;
	const struct native_module *m;
	size_t nmissing = 0;

	own_symbols(w, a, &own);
	for (size_t i = 0; (m = next_used(w, a, &i));) {
		CLEANUP_BUF struct buf list = BUF_INIT;
		struct str first = STR_NULL;
		size_t n = list_missing(m, site->torch, &own, &list, &first);

		nmissing += n;
		if (n) {
			audit_say(a, AUDIT_torch_abi, AUDIT_FAIL, module_text(a, m),
				arena_printf(&a->arena, "ImportError: %.*s: undefined symbol: %.*s",
					STR_ARG(module_file_name(m)),
					STR_ARG(str_first(first, SHOWN_BYTES))),
				build_remedy(a, site),
				"wants %zu symbol%s that %s does not export: %s%s", n,
				n == 1 ? "" : "s", site_torch_text(a, site), list.p,
				n > SHOWN ? ", ..." : "");
		}
	}
	map_release(&own);
	struct str misfit;
	enum audit_result label = label_misfit(w, site->target, a, &misfit);
	if (nmissing == 0 && label == AUDIT_FAIL) {
		audit_say(a, AUDIT_torch_abi, AUDIT_WARN, NULL,
			"undefined symbol, or a crash where a class has another layout",
			"test it there, or take the build for that torch",
			"%.*s; all symbols are there, but torch promises its C++ ABI within one "
			"minor release "
			"only",
			STR_ARG(misfit));
	} else if (nmissing == 0) {
		audit_say(a, AUDIT_torch_abi, AUDIT_PASS, NULL, NULL, NULL,
			"wants %zu symbol%s%s, all exported by %s", use->nsymbols,
			use->nsymbols == 1 ? "" : "s", use->cxx ? "" : " of the stable ABI alone",
			site_torch_text(a, site));
	}
}

/* ---- without the target's torch ---- */

static void check_stable(const struct target *t, const struct torch_use *use, struct audit *a)
{
	struct err ignored = ERR_INIT;
	struct version v;
	unsigned major = use->stable_major, minor = use->stable_minor;

	if (!t->torch.n || version_parse(&a->arena, t->torch, &v, &ignored)) {
		audit_say(a, AUDIT_torch_abi, AUDIT_UNKNOWN, NULL, NULL,
			"state torch in the [[target]]",
			"uses the stable ABI of torch alone, %u.%u or newer; the target's torch is "
			"not "
			"known",
			major, minor);
		return;
	}
	uint64_t has_minor = v.nrelease > 1 ? v.release[1] : 0;
	if (v.release[0] > major || (v.release[0] == major && has_minor >= minor)) {
		audit_say(a, AUDIT_torch_abi, AUDIT_PASS, NULL, NULL, NULL,
			"uses the stable ABI of torch alone, %u.%u or newer", major, minor);
		return;
	}
	audit_say(a, AUDIT_torch_abi, AUDIT_FAIL, module_text(a, use->user),
		arena_printf(
			&a->arena, "ImportError: undefined symbol: %.*s", STR_ARG(use->newest)),
		arena_printf(
			&a->arena, "take an older release of it, or torch %u.%u", major, minor),
		"uses the stable ABI of torch %u.%u, for %.*s; the target has torch %.*s", major,
		minor, STR_ARG(use->newest), STR_ARG(t->torch));
}

static void check_by_name(const struct audit_wheel *w, const struct audit_site *site,
	const struct torch_use *use, struct audit *a)
{
	static const char avoids[] = "ImportError: undefined symbol, of c10, at or torch";
	struct str misfit;
	enum audit_result label = label_misfit(w, site->target, a, &misfit);
	enum torch_kind kind = target_torch_kind(site->target);

	if (label != AUDIT_PASS) {
		audit_say(a, AUDIT_torch_abi, label, module_text(a, use->user), avoids,
			build_remedy(a, site), "%.*s", STR_ARG(misfit));
		return;
	}
	if (kind == TORCH_CONTAINER || kind == TORCH_PRERELEASE) {
		audit_say(a, AUDIT_torch_abi, AUDIT_WARN, NULL, avoids,
			"test it there, or let the site build it from its sdist",
			"uses C++ of torch, and %.*s is no release: builds for releases may not "
			"fit it",
			STR_ARG(site->target->torch));
	}
	audit_say(a, AUDIT_torch_abi, AUDIT_UNKNOWN, module_text(a, use->user), avoids,
		"give the target's torch wheel with --torch-wheel",
		use->is_unread ? "linked with torch; its symbols are not read"
			       : "wants %zu symbols of torch; the target's torch is not at hand to "
				 "compare",
		use->nsymbols);
}

void check_torch_abi(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	struct torch_use use = use_of(w, a);

	if (str_is(w->name->name, "torch")) {
		audit_say(a, AUDIT_torch_abi, AUDIT_PASS, NULL, NULL, NULL, "this is torch itself");
		return;
	}
	check_requirement(w, site->target, a);
	if (!use.user) {
		audit_say(a, AUDIT_torch_abi, AUDIT_PASS, NULL, NULL, NULL,
			"no binary of it uses torch");
		return;
	}
	if (site->torch && !use.is_unread) {
		check_symbols(w, site, &use, a);
		return;
	}
	if (use.nsymbols == 0 && !use.is_unread) {
		audit_say(a, AUDIT_torch_abi, AUDIT_PASS, NULL, NULL, NULL,
			"linked with torch, but wants no symbol of it");
		return;
	}
	check_cxx11_abi(w, site, a);
	if (!use.cxx && use.stable_major && !use.is_unread) {
		check_stable(site->target, &use, a);
	} else {
		check_by_name(w, site, &use, a);
	}
}
