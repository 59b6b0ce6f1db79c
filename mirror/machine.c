#include "mirror/machine.h"

#include "manifests/base/buf.h"
#include "manifests/base/fs.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static const uint64_t bytes_per_compiler = UINT64_C(5) << 30;

static unsigned count_cores(void)
{
	cpu_set_t *set = NULL;
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	int most = configured > 0 ? (int)configured : 1;
	unsigned n = 0;

	set = CPU_ALLOC((size_t)most);
	if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(most), set) == 0) {
		n = (unsigned)CPU_COUNT_S(CPU_ALLOC_SIZE(most), set);
	}
	CPU_FREE(set);
	return n ? n : (unsigned)most;
}

static bool read_limit(const char *mounted, struct str folder, const char *file, uint64_t *out)
{
	CLEANUP_BUF struct buf path = BUF_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;

	buf_addf(&path, "%s%.*s/%s", mounted, STR_ARG(folder), file);
	/* "max" is no number: no limit. */
	return fs_read(path.p, 64, &text, &ignored) == 0 &&
	       str_to_u64(str_trim(buf_str(&text)), out);
}

/* A group's limit binds those inside it, so every parent counts. */
static uint64_t least_of_group(
	const char *mounted, struct str folder, const char *file, uint64_t least)
{
	for (;;) {
		uint64_t limit;

		if (read_limit(mounted, folder, file, &limit) && limit < least) {
			least = limit;
		}
		if (folder.n == 0) {
			return least;
		}
		folder = str_first(
			folder, str_rfind(folder, '/') < folder.n ? str_rfind(folder, '/') : 0);
	}
}

static bool has_controller(struct str list, const char *name)
{
	struct str one;

	while (str_cut(&list, ',', &one)) {
		if (str_is(one, name)) {
			return true;
		}
	}
	return false;
}

uint64_t machine_cgroup_memory(struct str cgroups, const char *mounted, uint64_t none)
{
	CLEANUP_BUF struct buf first = BUF_INIT;
	uint64_t least = none;
	struct str line, number, controllers;

	buf_addf(&first, "%s/memory", mounted);
	while (str_cut(&cgroups, '\n', &line)) {
		if (!str_cut(&line, ':', &number) || !str_cut(&line, ':', &controllers)) {
			continue;
		}
		if (str_is(line, "/")) {
			line = STR_NULL;
		}
		if (controllers.n == 0) {
			least = least_of_group(mounted, line, "memory.max", least);
		} else if (has_controller(controllers, "memory")) {
			least = least_of_group(first.p, line, "memory.limit_in_bytes", least);
		}
	}
	return least;
}

static uint64_t find_memory(void)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (fs_read("/proc/self/cgroup", 1 << 20, &text, &ignored)) {
		return all;
	}
	return machine_cgroup_memory(buf_str(&text), "/sys/fs/cgroup", all);
}

void machine_look(struct arena *a, struct machine *out)
{
	struct utsname u = { .machine = "unknown" };
	char libc[64] = "";

	uname(&u);
	*out = (struct machine){
		.libc = TARGET_MUSL, .cores = count_cores(), .memory = find_memory()
	};
	out->platform = str_of(arena_printf(a, "linux_%s", u.machine));
#ifdef _CS_GNU_LIBC_VERSION
	if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc)) > 0 &&
		sscanf(libc, "glibc %u.%u", &out->libc_major, &out->libc_minor) == 2) {
		out->libc = TARGET_GLIBC;
	}
#endif
}

int machine_fits(const struct machine *m, const struct target *t, struct err *e)
{
	if (!str_eq(m->platform, t->platform)) {
		return err_set(e, RC_TOOL, "target %.*s is for %.*s, this machine is %.*s",
			STR_ARG(t->name), STR_ARG(t->platform), STR_ARG(m->platform));
	}
	if (m->libc != t->libc) {
		return err_set(e, RC_TOOL, "target %.*s is for %s, this machine has %s",
			STR_ARG(t->name), t->libc == TARGET_MUSL ? "musl" : "glibc",
			m->libc == TARGET_MUSL ? "musl" : "glibc");
	}
	bool is_older = m->libc_major < t->libc_major ||
			(m->libc_major == t->libc_major && m->libc_minor < t->libc_minor);

	if (m->libc == TARGET_GLIBC && is_older) {
		return err_set(e, RC_TOOL, "target %.*s is for glibc %u.%u, this machine has %u.%u",
			STR_ARG(t->name), t->libc_major, t->libc_minor, m->libc_major,
			m->libc_minor);
	}
	return 0;
}

unsigned machine_jobs(const struct machine *m)
{
	uint64_t by_memory = m->memory / bytes_per_compiler;
	uint64_t jobs = by_memory < m->cores ? by_memory : m->cores;

	return jobs ? (unsigned)jobs : 1;
}

struct str machine_path(void)
{
	const char *path = getenv("PATH");

	return path && *path ? str_of(path) : STR("/usr/local/bin:/usr/bin:/bin");
}

char *machine_program(struct arena *a, struct str path, const char *name)
{
	struct str folder;
	struct stat st;

	while (str_cut(&path, ':', &folder)) {
		char *at;

		if (!str_starts(folder, "/")) {
			continue;
		}
		at = arena_printf(a, "%.*s/%s", STR_ARG(folder), name);
		if (access(at, X_OK) == 0 && stat(at, &st) == 0 && S_ISREG(st.st_mode)) {
			return at;
		}
	}
	return NULL;
}
