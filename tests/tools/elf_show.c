/* elf_show FILE...: what the reader for the dynamic loader sees in ELF and PE files, a word and a
 * value a line. */
#include "verify/elf_scan.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 << 10 };

/* One of the two scanners, under one protocol. */
struct scanner {
	void *state;
	int (*add)(void *state, const void *bytes, size_t n, struct err *e);
	int (*end)(void *state, struct arena *a, struct native_module *out, struct err *e);
};

static int elf_add(void *state, const void *bytes, size_t n, struct err *e)
{
	return elf_scan_add(state, bytes, n, e);
}

static int elf_end(void *state, struct arena *a, struct native_module *out, struct err *e)
{
	return elf_scan_end(state, a, out, e);
}

static int pe_add(void *state, const void *bytes, size_t n, struct err *e)
{
	return pe_scan_add(state, bytes, n, e);
}

static int pe_end(void *state, struct arena *a, struct native_module *out, struct err *e)
{
	return pe_scan_end(state, a, out, e);
}

static int feed(const struct scanner *s, int fd, struct err *e)
{
	static char piece[PIECE];
	uint64_t at = 0;
	int rc = 0;

	for (;;) {
		ssize_t n = pread(fd, piece, sizeof(piece), (off_t)at);

		if (n < 0) {
			return err_sys(e, "read");
		}
		if (rc || n == 0) {
			return rc;
		}
		rc = s->add(s->state, piece, (size_t)n, e);
		at += (uint64_t)n;
	}
}

static void show_names(const char *word, const struct str *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		printf("%s %.*s\n", word, STR_ARG(names[i]));
	}
}

static void show_module(const struct native_module *m, int passes)
{
	static const char *const machines[] = { "other", "x86_64", "aarch64" };

	printf("machine %s %u%s\n", machines[m->machine], m->elf_machine,
		m->is_readable ? "" : " not readable");
	printf("passes %d\n", passes);
	show_names("soname", &m->soname, m->soname.n != 0);
	show_names("rpath", &m->rpath, m->rpath.n != 0);
	show_names("needed", m->needed, m->nneeded);
	for (size_t i = 0; i < m->nversions; i++) {
		printf("version %.*s %.*s\n", STR_ARG(m->versions[i].library),
			STR_ARG(m->versions[i].name));
	}
	if (m->has_relr) {
		puts("relr");
	}
	show_names("undefined", m->undefined, m->nundefined);
	show_names("exported", m->exported, m->nexported);
}

static int show_fd(int fd, struct arena *a, struct err *e)
{
	struct native_module m = { .member = 0 };
	struct stat st;
	char magic[4] = "";

	if (fstat(fd, &st) || pread(fd, magic, sizeof(magic), 0) < 0) {
		return err_sys(e, "read");
	}
	uint64_t size = (uint64_t)st.st_size;
	bool is_pe = magic[0] == 'M' && magic[1] == 'Z';
	struct scanner s = { is_pe ? (void *)pe_scan_new(size) : elf_scan_new(size),
		is_pe ? pe_add : elf_add, is_pe ? pe_end : elf_end };
	int rc = 1, passes = 0;

	while (rc == 1) {
		rc = feed(&s, fd, e);
		rc = rc ? rc : s.end(s.state, a, &m, e);
		passes++;
	}
	if (!rc) {
		show_module(&m, passes);
	}
	if (is_pe) {
		pe_scan_free(s.state);
	} else {
		elf_scan_free(s.state);
	}
	return rc;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++) {
		CLEANUP(fd) int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;

		printf("file %s\n", argv[i]);
		if (fd < 0 ? err_sys(&e, "open") : show_fd(fd, &a, &e)) {
			printf("REFUSED (%s): %s\n", err_reason(e.rc), e.text);
			status = err_exit_status(e.rc);
		}
		arena_release(&a);
	}
	return status;
}
