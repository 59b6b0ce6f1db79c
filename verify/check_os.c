/* Demand 6: formats and C library. Wheels for every platform may bring programs for Windows beside
 * (setuptools does); what is imported must be for the target. */
#include "manifests/platform_tag.h"
#include "verify/audit_checks.h"

static const char not_supported[] = "pip: ERROR: is not a supported wheel on this platform";

static const char *format_text(enum native_format f)
{
	switch (f) {
	case NATIVE_ELF:
		return "ELF, for Linux";
	case NATIVE_PE:
		return "PE, for Windows";
	case NATIVE_MACHO:
		return "Mach-O, for macOS";
	case NATIVE_ARCHIVE:
		break;
	}
	return "an archive";
}

static const char *os_text(struct audit *a, const struct target *t)
{
	if (t->os == TARGET_WINDOWS) {
		return "Windows";
	}
	return arena_printf(&a->arena, "Linux with %s %u.%u",
		t->libc == TARGET_MUSL ? "musl" : "glibc", t->libc_major, t->libc_minor);
}

static bool tag_fits(const struct platform_tag *tag, const struct target *t)
{
	switch (tag->kind) {
	case PLATFORM_ANY:
		return true;
	case PLATFORM_LINUX:
		return t->os == TARGET_LINUX;
	case PLATFORM_MANYLINUX:
		return t->os == TARGET_LINUX && t->libc == TARGET_GLIBC;
	case PLATFORM_MUSLLINUX:
		return t->os == TARGET_LINUX && t->libc == TARGET_MUSL;
	case PLATFORM_WINDOWS:
		return t->os == TARGET_WINDOWS;
	case PLATFORM_MACOS:
	case PLATFORM_OTHER:
		break;
	}
	return false;
}

static void check_tag(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	struct str tags = w->name->platform, text;
	struct platform_tag tag;

	while (str_cut(&tags, '.', &text)) {
		platform_tag_parse(text, &tag);
		if (tag_fits(&tag, t)) {
			return;
		}
	}
	audit_say(a, AUDIT_os, AUDIT_FAIL, NULL, not_supported,
		"take its file for that system, or let the site build it from its sdist",
		"is tagged %.*s; %s is %s", STR_ARG(w->name->platform), target_text(a, t),
		os_text(a, t));
}

static bool is_program(const struct native_module *m)
{
	return str_ends(m->name, ".exe");
}

static enum native_format target_format(const struct target *t)
{
	return t->os == TARGET_WINDOWS ? NATIVE_PE : NATIVE_ELF;
}

/* Binaries for another system: bad where there is none for the target's. */
static void check_formats(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	const struct native_module *stranger = NULL;
	bool is_any = str_is(w->name->platform, "any"), has_own = false;
	size_t nstrangers = 0;

	for (size_t i = 0; i < w->native->nmodules; i++) {
		const struct native_module *m = &w->native->modules[i];

		if (m->format == NATIVE_ARCHIVE || (is_any && is_program(m))) {
			continue;
		}
		if (m->format == target_format(t)) {
			has_own = true;
		} else {
			stranger = stranger ? stranger : m;
			nstrangers++;
		}
	}
	if (stranger) {
		bool is_bad = !has_own && !is_any;

		audit_say(a, AUDIT_os, is_bad ? AUDIT_FAIL : AUDIT_WARN, module_text(a, stranger),
			is_bad ? "ModuleNotFoundError: No module named, of its extension module"
			       : "a module that is missing there",
			is_bad ? "take its file for that system, or build it from its sdist"
			       : "nothing, if it picks its binaries when it is imported",
			"is %s%s; %s is %s", format_text(stranger->format),
			nstrangers > 1 ? ", and others are" : "", target_text(a, t), os_text(a, t));
	}
}

/* ---- the C library ---- */

enum libc_use { USES_NONE = 0, USES_GLIBC = 1, USES_MUSL = 2 };

static enum libc_use libc_of(const struct native_module *m)
{
	for (size_t i = 0; i < m->nneeded; i++) {
		if (str_starts(m->needed[i], "libc.musl-") ||
			str_starts(m->needed[i], "ld-musl-") || str_is(m->needed[i], "libc.so")) {
			return USES_MUSL;
		}
		if (str_is(m->needed[i], "libc.so.6") || str_starts(m->needed[i], "ld-linux")) {
			return USES_GLIBC;
		}
	}
	return USES_NONE;
}

static void check_libc_kind(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	enum libc_use own = t->libc == TARGET_MUSL ? USES_MUSL : USES_GLIBC;
	const struct native_module *m;

	for (size_t i = 0; t->os == TARGET_LINUX && (m = next_used(w, a, &i));) {
		enum libc_use used = libc_of(m);

		if (used != USES_NONE && used != own) {
			bool is_musl = used == USES_MUSL;

			audit_say(a, AUDIT_os, AUDIT_FAIL, module_text(a, m),
				is_musl ? "ImportError: libc.musl-x86_64.so.1: cannot open shared "
					  "object "
					  "file"
					: "ImportError: Error loading shared library "
					  "ld-linux-x86-64.so.2, "
					  "or a missing symbol",
				is_musl ? "take its manylinux file" : "take its musllinux file",
				"is linked with %s; %s is %s", is_musl ? "musl" : "glibc",
				target_text(a, t), os_text(a, t));
			return;
		}
	}
}

void check_os(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	check_tag(w, site->target, a);
	check_formats(w, site->target, a);
	check_libc_kind(w, site->target, a);
	if (!a->tally[AUDIT_os].said) {
		audit_say(a, AUDIT_os, AUDIT_PASS, NULL, NULL, NULL, "%.*s fits %s",
			STR_ARG(w->name->platform), os_text(a, site->target));
	}
}
