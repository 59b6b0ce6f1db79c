/* Demand 3: one CUDA major in a process. What is linked says it, else what made the device code;
 * names only where nothing else does. */
#include "manifests/cuda_library.h"
#include "manifests/variant.h"
#include "verify/audit_checks.h"

struct cuda_site {
	struct cuda_version cuda; /* major 0: none */
	bool is_known, is_any_minor;
	const char *whose;    /* "torch 2.15.0+cu130" */
	struct variant label; /* of the wheel's file name */
};

struct cuda_seen {                  /* by the modules that the target loads */
	bool is_used;               /* CUDA at all */
	bool is_linked;             /* by libraries of CUDA, which say their major */
	bool is_bound;              /* made code and torch or CUDA's libraries are in one module */
	bool is_wrong;              /* said so */
	struct cuda_version newest; /* toolkit of device code; major 0: none */
};

static bool read_release(struct str text, struct cuda_version *out)
{
	struct str major, minor;
	uint64_t x, y;

	if (!str_cut(&text, '.', &major) || !str_cut(&text, '.', &minor) ||
		!str_to_u64(major, &x) || !str_to_u64(minor, &y)) {
		return false;
	}
	*out = (struct cuda_version){ (unsigned)x, (unsigned)y };
	return true;
}

static const char *cuda_text(struct audit *a, const struct cuda_site *s)
{
	if (s->cuda.major == 0) {
		return "no CUDA";
	}
	return s->is_any_minor
		       ? arena_printf(&a->arena, "CUDA %u", s->cuda.major)
		       : arena_printf(&a->arena, "CUDA %u.%u", s->cuda.major, s->cuda.minor);
}

static const char *remedy_text(struct audit *a, const struct cuda_site *s)
{
	return s->cuda.major ? arena_printf(&a->arena,
				       "take a build for %s, or torch for the wheel's CUDA",
				       cuda_text(a, s))
			     : "take a build for the CPU, or give the target CUDA";
}

/* ---- libraries ---- */

static bool is_provided(const struct audit_site *site, struct str soname)
{
	return is_among(site->provided, site->nprovided, soname);
}

static void say_library(struct audit *a, const struct native_module *m,
	const struct cuda_library *l, const struct cuda_site *s, bool is_harmless)
{
	const char *of =
		l->min_cuda == l->max_cuda
			? arena_printf(&a->arena, "CUDA %u", l->max_cuda)
			: arena_printf(&a->arena, "CUDA %u to %u", l->min_cuda, l->max_cuda);

	audit_say(a, AUDIT_cuda, is_harmless ? AUDIT_WARN : AUDIT_FAIL, module_text(a, m),
		is_harmless ? "two CUDA runtimes in one process"
			    : arena_printf(&a->arena,
				      "ImportError: %s: cannot open shared object file: No such "
				      "file or "
				      "directory",
				      l->soname),
		is_harmless ? "nothing, while it shares no device memory with torch"
			    : remedy_text(a, s),
		"needs %s, of %s; %s has %s%s", l->soname, of, s->whose, cuda_text(a, s),
		is_harmless ? ", but its requirements bring that library" : "");
}

static void look_at_libraries(const struct audit_site *site, const struct native_module *m,
	const struct cuda_site *s, struct cuda_seen *seen, struct audit *a)
{
	for (size_t i = 0; i < m->nneeded; i++) {
		const struct cuda_library *l = cuda_library_find(m->needed[i]);

		if (!l) {
			continue;
		}
		seen->is_used = true;
		if (wheel_brings(a, m->needed[i])) {
			continue;
		}
		seen->is_linked = seen->is_linked || l->min_cuda == l->max_cuda;
		if (s->is_known && (s->cuda.major < l->min_cuda || s->cuda.major > l->max_cuda)) {
			bool is_harmless = !module_uses_torch(m) && is_provided(site, m->needed[i]);

			seen->is_wrong = true;
			say_library(a, m, l, s, is_harmless);
			return; /* the others of that module would say the same */
		}
	}
}

/* ---- device code ---- */

static void say_name(struct audit *a, const struct native_module *m, struct cuda_version says,
	bool has_minor, struct str release)
{
	const char *said = has_minor ? arena_printf(&a->arena, "CUDA %u.%u", says.major, says.minor)
				     : arena_printf(&a->arena, "CUDA %u", says.major);

	audit_say(a, AUDIT_cuda, AUDIT_WARN, module_text(a, m),
		"a choice by name that takes the wrong build",
		"believe the device code; the driver that it needs follows from that",
		"its name says %s; its device code was made by %.*s", said, STR_ARG(release));
}

/* Does one of the toolkits that made its code agree with the name? */
static bool agrees(const struct native_module *m, struct cuda_version says, bool has_minor)
{
	for (size_t i = 0; i < m->ntoolkits; i++) {
		struct cuda_version made;

		if (read_release(m->toolkits[i], &made) && made.major == says.major &&
			(!has_minor || made.minor == says.minor)) {
			return true;
		}
	}
	return m->ntoolkits == 0;
}

static void look_at_toolkits(const struct native_module *m, const struct cuda_site *s,
	struct cuda_seen *seen, struct audit *a)
{
	struct cuda_version says = { 0, 0 }, made = { 0, 0 };
	bool has_minor;

	for (size_t i = 0; i < m->ntoolkits; i++) {
		if (read_release(m->toolkits[i], &made) &&
			(made.major > seen->newest.major ||
				(made.major == seen->newest.major &&
					made.minor > seen->newest.minor))) {
			seen->newest = made;
		}
	}
	seen->is_used = seen->is_used || m->ntoolkits;
	seen->is_bound =
		seen->is_bound || (m->ntoolkits && (seen->is_linked || module_uses_torch(m)));
	if (module_name_cuda(m, &says, &has_minor)) {
		if (!agrees(m, says, has_minor)) {
			say_name(a, m, says, has_minor, m->toolkits[m->ntoolkits - 1]);
		}
	} else if (s->label.accelerator == VARIANT_CUDA &&
		   !agrees(m, s->label.cuda, s->label.has_cuda_minor)) {
		say_name(a, m, s->label.cuda, s->label.has_cuda_minor,
			m->toolkits[m->ntoolkits - 1]);
	}
	if (m->ntoolkits && s->is_known && s->cuda.major && module_uses_torch(m) &&
		!seen->is_wrong && !agrees(m, s->cuda, false)) {
		seen->is_wrong = true;
		audit_say(a, AUDIT_cuda, AUDIT_FAIL, module_text(a, m),
			"CUDA error: invalid device function, or another CUDA runtime than torch's",
			remedy_text(a, s), "its device code was made by CUDA %.*s; %s has %s",
			STR_ARG(m->toolkits[m->ntoolkits - 1]), s->whose, cuda_text(a, s));
	}
}

/* ---- the wheel ---- */

static void look_at_label(const struct audit_site *site, const struct cuda_site *s,
	struct cuda_seen *seen, struct audit *a)
{
	struct variant v = s->label;
	struct str why;

	v.ntorch = 0; /* the check of torch asks for these */
	v.cxx11_abi = -1;
	v.ngpus = 0;
	if (!variant_judge(&v, site->target, &a->arena, &why)) {
		return;
	}
	bool is_minor = v.accelerator == VARIANT_CUDA && v.cuda.major == s->cuda.major;
	bool is_refuted = seen->is_linked || seen->newest.major;
	if (is_minor || (is_refuted && !seen->is_wrong)) {
		audit_say(a, AUDIT_cuda, AUDIT_WARN, NULL,
			"a missing function where it uses one that is newer",
			"nothing, or take the build of that CUDA", "%.*s%s", STR_ARG(why),
			is_minor ? "; within a major they fit, PTX apart"
				 : "; its binaries say otherwise");
	} else if (!seen->is_wrong) {
		seen->is_wrong = true;
		audit_say(a, AUDIT_cuda, AUDIT_FAIL, NULL,
			"ImportError: a library of another CUDA, or no use of the GPU",
			remedy_text(a, s), "%.*s", STR_ARG(why));
	}
}

static void say_seen(const struct audit_wheel *w, const struct cuda_site *s,
	const struct cuda_seen *seen, struct audit *a)
{
	bool is_torch =
		str_is(w->name->name, "torch"); /* whatever it was made with is what it has */

	if (!seen->is_used) {
		audit_say(a, AUDIT_cuda, AUDIT_PASS, NULL, NULL, NULL, "uses no CUDA of its own");
	} else if (!s->is_known && seen->is_linked) {
		audit_say(a, AUDIT_cuda, AUDIT_UNKNOWN, NULL,
			"ImportError: a library of another CUDA",
			"state torch or cuda in the [[target]]",
			"is linked with libraries of CUDA; the target does not say which it has");
	} else if (s->is_known && s->cuda.major == seen->newest.major && !s->is_any_minor &&
		   !is_torch && seen->is_bound && seen->newest.minor > s->cuda.minor) {
		audit_say(a, AUDIT_cuda, AUDIT_WARN, NULL,
			"a missing function where it uses one that is newer",
			"nothing; PTX needs the driver of its own CUDA",
			"its device code was made by CUDA %u.%u; %s has %s", seen->newest.major,
			seen->newest.minor, s->whose, cuda_text(a, s));
	} else if (seen->newest.major) {
		audit_say(a, AUDIT_cuda, AUDIT_PASS, NULL, NULL, NULL,
			"made by CUDA %u.%u; %s has %s", seen->newest.major, seen->newest.minor,
			s->whose, s->is_known ? cuda_text(a, s) : "not said");
	} else {
		audit_say(a, AUDIT_cuda, AUDIT_PASS, NULL, NULL, NULL,
			"needs libraries of CUDA that fit %s", cuda_text(a, s));
	}
}

void check_cuda(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	struct cuda_site s = { .whose = site_torch_text(a, site) };
	struct cuda_seen seen = { .is_used = false };
	const struct native_module *m;

	wheel_label(w, a, &s.label);
	s.is_known = site_cuda(site, &s.cuda, &s.is_any_minor);
	for (size_t i = 0; (m = next_used(w, a, &i));) {
		look_at_libraries(site, m, &s, &seen, a);
		look_at_toolkits(m, &s, &seen, a);
	}
	look_at_label(site, &s, &seen, a);
	if (!seen.is_wrong) {
		say_seen(w, &s, &seen, a);
	}
}
