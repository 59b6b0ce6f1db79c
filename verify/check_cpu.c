/* Demand 5. Some wheels bring binaries for several processors on purpose, with the processor in
 * their names; one that is not named for its own was put there by mistake. */
#include "manifests/platform_tag.h"
#include "verify/audit_checks.h"

static const char wrong_machine[] =
	"ImportError: cannot open shared object file: wrong ELF class or architecture";

struct machine { /* e_machine of the gABI and its names in paths */
	unsigned elf;
	const char *name;
	const char *const words[5];
};

static const struct machine machines[] = {
	{ 3, "x86 (32 bits)", { "i386", "i686", "linux32", "x86" } },
	{ 40, "arm (32 bits)", { "arm", "armv7", "armv7l", "armhf", "armv6" } },
	{ 62, "x86_64", { "x86_64", "amd64", "x64", "x86-64" } },
	{ 183, "aarch64", { "aarch64", "arm64", "sbsa", "armv8" } },
	{ 21, "ppc64", { "ppc64le", "ppc64", "powerpc" } },
	{ 22, "s390x", { "s390x" } },
	{ 243, "riscv64", { "riscv64", "riscv" } },
};

/* Not for any host processor: device code of NVIDIA and AMD, BPF. */
static bool is_device_machine(unsigned elf)
{
	return elf == 190 || elf == 224 || elf == 247;
}

static const struct machine *find_machine(const struct native_module *m)
{
	unsigned elf = m->elf_machine;

	if (m->machine == NATIVE_X86_64) {
		elf = 62;
	} else if (m->machine == NATIVE_AARCH64) {
		elf = 183;
	}
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (machines[i].elf == elf) {
			return &machines[i];
		}
	}
	return NULL;
}

static const char *machine_text(struct audit *a, const struct native_module *m)
{
	const struct machine *machine = find_machine(m);

	if (!m->is_readable) {
		return "a machine of 32 bits or of another byte order";
	}
	return machine ? machine->name
		       : arena_printf(&a->arena, "machine number %u", m->elf_machine);
}

/* Does its path name its own processor? */
static bool is_named_for_it(const struct native_module *m)
{
	const struct machine *machine = find_machine(m);

	for (size_t i = 0; machine && i < 5 && machine->words[i]; i++) {
		if (str_has(m->name, machine->words[i])) {
			return true;
		}
	}
	return false;
}

static bool is_host_format(const struct native_module *m, const struct target *t)
{
	return m->format == (t->os == TARGET_WINDOWS ? NATIVE_PE : NATIVE_ELF) &&
	       !is_device_machine(m->elf_machine);
}

static bool has_right_one(const struct audit_wheel *w, const struct target *t)
{
	for (size_t i = 0; i < w->native->nmodules; i++) {
		if (module_runs(&w->native->modules[i], t)) {
			return true;
		}
	}
	return false;
}

/* "amd64" of Windows is the x86_64 of Linux. */
static bool is_same_machine(struct str a, struct str b)
{
	bool a_is_x86 = str_is(a, "amd64") || str_is(a, "x86_64");
	bool b_is_x86 = str_is(b, "amd64") || str_is(b, "x86_64");

	return str_eq(a, b) || (a_is_x86 && b_is_x86);
}

static void check_tag(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	struct str tags = w->name->platform, text;
	struct platform_tag tag;

	while (str_cut(&tags, '.', &text)) {
		platform_tag_parse(text, &tag);
		if (tag.kind == PLATFORM_ANY || is_same_machine(tag.machine, t->machine)) {
			return;
		}
	}
	audit_say(a, AUDIT_cpu, AUDIT_FAIL, NULL,
		"pip: ERROR: is not a supported wheel on this platform",
		"take its file for that processor, or let the site build it from its sdist",
		"is tagged %.*s; %s has %.*s", STR_ARG(w->name->platform), target_text(a, t),
		STR_ARG(t->machine));
}

void check_cpu(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;
	bool has_right = has_right_one(w, t);
	size_t n = 0;

	check_tag(w, t, a);
	for (size_t i = 0; i < w->native->nmodules; i++) {
		const struct native_module *m = &w->native->modules[i];

		if (!is_host_format(m, t)) {
			continue;
		}
		n++;
		if (!module_runs(m, t) && (module_is_library(m) || !has_right)) {
			bool is_meant = (has_right && is_named_for_it(m)) || !module_is_library(m);

			audit_say(a, AUDIT_cpu, is_meant ? AUDIT_WARN : AUDIT_FAIL,
				module_text(a, m), wrong_machine,
				is_meant ? "nothing, unless it is needed there: its name says so, or it "
					   "is a program of its own"
					 : "take its file for that processor, or build it from its "
					   "sdist",
				"is for %s, the tag says %.*s; %s has %.*s", machine_text(a, m),
				STR_ARG(w->name->platform), target_text(a, t), STR_ARG(t->machine));
		}
	}
	if (!a->tally[AUDIT_cpu].said) {
		audit_say(a, AUDIT_cpu, AUDIT_PASS, NULL, NULL, NULL,
			n ? "all binaries are for %.*s" : "no binaries; fits %.*s",
			STR_ARG(t->machine));
	}
}
