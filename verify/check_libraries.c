/* Every library that the loader will look for. libtorch and libc10 have no search path in
 * extensions: they are found because torch is imported first. */
#include "manifests/cuda_library.h"
#include "manifests/system_library.h"
#include "verify/audit_checks.h"

struct wanted { /* a library that somebody must bring */
	struct str soname;
	const struct native_module *first; /* that needs it */
	size_t nmodules;
	bool is_by_plugins; /* all that need it may be left out */
};

struct wanted_list {
	struct wanted *v;
	size_t n, cap;
};

enum place { /* where it comes from */
	PLACE_FOUND = 0,
	PLACE_DRIVER,
	PLACE_PYTHON,
	PLACE_RUNTIME,
	PLACE_TORCH_UNSEEN, /* torch's; that wheel is not at hand */
	PLACE_MISSING,
};

/* DLLs are found in any case, so the sorted list does not help. */
static bool is_provided_dll(const struct audit_site *site, struct str soname)
{
	for (size_t i = 0; i < site->nprovided; i++) {
		if (str_eq_nocase(site->provided[i], soname)) {
			return true;
		}
	}
	return false;
}

static bool is_provided(const struct audit_site *site, struct str soname)
{
	const struct audit_torch *torch = site->torch;

	if (is_among(site->provided, site->nprovided, soname) ||
		(torch && is_among(torch->libraries, torch->nlibraries, soname))) {
		return true;
	}
	return site->target->os == TARGET_WINDOWS && is_provided_dll(site, soname);
}

static enum place place_of(const struct audit_site *site, const struct audit *a, struct str soname)
{
	if (wheel_brings(a, soname) || is_provided(site, soname)) {
		return PLACE_FOUND;
	}
	switch (library_owner(soname)) {
	case LIBRARY_SYSTEM:
		return PLACE_FOUND;
	case LIBRARY_DRIVER:
		return PLACE_DRIVER;
	case LIBRARY_PYTHON:
		return PLACE_PYTHON;
	case LIBRARY_RUNTIME:
		return PLACE_RUNTIME;
	case LIBRARY_OTHER:
		break;
	}
	return is_torch_library(soname) && !site->torch ? PLACE_TORCH_UNSEEN : PLACE_MISSING;
}

/* Neither imported by Python nor linked by another module nor with torch: something that its
 * package opens where it can (transports of NVSHMEM and cuFile). */
static bool is_plugin(const struct native_module *m, const struct map *linked)
{
	return m->format == NATIVE_ELF && !module_exports_init(m, STR_NULL) &&
	       !module_uses_torch(m) && !map_get(linked, module_file_name(m)) &&
	       !(m->soname.n && map_get(linked, m->soname));
}

static const char *modules_text(struct audit *a, const struct wanted *l)
{
	return l->nmodules == 1 ? ""
				: arena_printf(&a->arena, " (%zu binaries need it)", l->nmodules);
}

static const char *bringer_text(struct audit *a, const struct audit_site *site, struct str soname)
{
	const struct cuda_library *l = cuda_library_find(soname);
	struct cuda_version cuda = { 0, 0 };
	bool is_any_minor;

	site_cuda(site, &cuda, &is_any_minor);
	if (!l) {
		return "add the package that brings it to the lock, or install it on the machines";
	}
	return arena_printf(
		&a->arena, "add %s to the lock", cuda_library_project(&a->arena, l, cuda.major));
}

/* "libpython3.12.so.1.0" for Python 3.12? */
static bool is_own_python(struct str soname, const struct target *t, struct audit *a)
{
	const char *linux_name = arena_printf(&a->arena, "libpython3.%u%s.so", t->python.minor,
		t->python.free_threaded ? "t" : "");
	const char *dll = arena_printf(
		&a->arena, "python3%u%s.dll", t->python.minor, t->python.free_threaded ? "t" : "");

	return str_starts(soname, linux_name) || str_eq_nocase(soname, str_of(dll)) ||
	       str_eq_nocase(soname, STR("python3.dll")) || str_starts(soname, "libpython3.so");
}

static void say_python(const struct audit_site *site, const struct wanted *l, struct audit *a)
{
	const struct target *t = site->target;
	bool is_own = is_own_python(l->soname, t, a);

	if (is_own && t->os == TARGET_WINDOWS) {
		return; /* every Python there has it */
	}
	audit_say(a, AUDIT_libraries, is_own ? AUDIT_WARN : AUDIT_FAIL, module_text(a, l->first),
		arena_printf(&a->arena, "ImportError: %.*s: cannot open shared object file",
			STR_ARG(l->soname)),
		is_own ? "see that the Python there has its shared library"
		       : "take its file for that Python",
		"needs %.*s, %s", STR_ARG(l->soname),
		is_own ? "which a Python that is linked statically does not have"
		       : "of another Python than the target's");
}

/* One finding for all libraries of torch: they come together. */
static void say_torch(
	const struct wanted *v, size_t n, const struct audit_site *site, struct audit *a)
{
	CLEANUP_BUF struct buf list = BUF_INIT;
	const struct wanted *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (place_of(site, a, v[i].soname) == PLACE_TORCH_UNSEEN) {
			buf_addf(&list, "%s%.*s", first ? ", " : "", STR_ARG(v[i].soname));
			first = first ? first : &v[i];
		}
	}
	if (first) {
		audit_say(a, AUDIT_libraries, AUDIT_UNKNOWN, module_text(a, first->first),
			arena_printf(&a->arena,
				"ImportError: %.*s: cannot open shared object file: No such file "
				"or "
				"directory",
				STR_ARG(first->soname)),
			"give the target's torch wheel with --torch-wheel",
			"needs %s of torch, which is not at hand", list.p);
	}
}

static void say_missing(const struct audit_site *site, const struct wanted *l, struct audit *a)
{
	const char *avoids = arena_printf(&a->arena,
		"ImportError: %.*s: cannot open shared object file: No such file or directory",
		STR_ARG(l->soname));
	bool is_certain = site->is_closed || is_torch_library(l->soname);

	if (is_certain && l->is_by_plugins && !cuda_library_find(l->soname)) {
		audit_say(a, AUDIT_libraries, AUDIT_WARN, module_text(a, l->first), avoids,
			"nothing, unless that part of it is wanted: then install the library there",
			"needs %.*s, which nobody brings; nothing in the wheel is linked with this "
			"binary%s",
			STR_ARG(l->soname), modules_text(a, l));
	} else if (is_certain) {
		audit_say(a, AUDIT_libraries, AUDIT_FAIL, module_text(a, l->first), avoids,
			bringer_text(a, site, l->soname),
			"needs %.*s, which neither it nor its requirements nor the system bring%s",
			STR_ARG(l->soname), modules_text(a, l));
	} else {
		audit_say(a, AUDIT_libraries, AUDIT_UNKNOWN, module_text(a, l->first), avoids,
			bringer_text(a, site, l->soname),
			"needs %.*s, which it does not bring; its requirements were not looked "
			"into%s",
			STR_ARG(l->soname), modules_text(a, l));
	}
}

static void say_runtime(const struct wanted *l, struct audit *a)
{
	audit_say(a, AUDIT_libraries, AUDIT_WARN, module_text(a, l->first),
		arena_printf(&a->arena, "ImportError: %.*s: cannot open shared object file",
			STR_ARG(l->soname)),
		"see that the machines have it: it is a package of the distribution's compiler",
		"needs %.*s, which most machines have and no tag promises%s", STR_ARG(l->soname),
		modules_text(a, l));
}

static void say_driver(const struct audit_site *site, const struct wanted *l, struct audit *a)
{
	if (site->target->ngpus == 0) {
		audit_say(a, AUDIT_libraries, AUDIT_WARN, module_text(a, l->first),
			arena_printf(&a->arena,
				"ImportError: %.*s: cannot open shared object file, where "
				"no driver is installed",
				STR_ARG(l->soname)),
			"import it on machines with NVIDIA's driver only",
			"needs %.*s of NVIDIA's driver; %s states no GPU", STR_ARG(l->soname),
			target_text(a, site->target));
	}
}

static void judge(const struct audit_site *site, const struct wanted *l, struct audit *a)
{
	switch (place_of(site, a, l->soname)) {
	case PLACE_FOUND:
	case PLACE_TORCH_UNSEEN: /* say_torch does */
		break;
	case PLACE_DRIVER:
		say_driver(site, l, a);
		break;
	case PLACE_PYTHON:
		say_python(site, l, a);
		break;
	case PLACE_RUNTIME:
		say_runtime(l, a);
		break;
	case PLACE_MISSING:
		say_missing(site, l, a);
		break;
	}
}

/* Whatever one of the wheel's modules is linked with. */
static void linked_names(const struct audit_wheel *w, const struct audit *a, struct map *linked)
{
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		for (size_t k = 0; k < m->nneeded; k++) {
			map_put(linked, m->needed[k], 1);
		}
	}
}

static void collect(const struct audit_wheel *w, const struct audit *a, struct wanted_list *all)
{
	struct map index = MAP_INIT, linked = MAP_INIT;
	const struct native_module *m;

	linked_names(w, a, &linked);
	for (size_t i = 0; (m = next_used(w, a, &i));) {
		bool may_fail = is_plugin(m, &linked);

		for (size_t k = 0; k < m->nneeded; k++) {
			const size_t *known = map_get(&index, m->needed[k]);

			if (!known) {
				map_put(&index, m->needed[k], all->n);
				vec_push(all, (struct wanted){ m->needed[k], m, 1, may_fail });
				continue;
			}
			struct wanted *l = &all->v[*known];
			l->nmodules++;
			l->first = l->is_by_plugins && !may_fail ? m : l->first;
			l->is_by_plugins = l->is_by_plugins && may_fail;
		}
	}
	map_release(&index);
	map_release(&linked);
}

void check_libraries(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	struct wanted_list all = VEC_INIT;

	collect(w, a, &all);
	vec_each(struct wanted, l, &all) {
		judge(site, l, a);
	}
	say_torch(all.v, all.n, site, a);
	if (!a->tally[AUDIT_libraries].said) {
		audit_say(a, AUDIT_libraries, AUDIT_PASS, NULL, NULL, NULL,
			all.n ? "libraries that its binaries need: %zu, all there"
			      : "needs no library",
			all.n);
	}
	vec_release(&all);
}
