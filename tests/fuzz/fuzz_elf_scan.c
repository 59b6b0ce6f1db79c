/* ELF files for the reader of what the loader reads. The same bytes must give the same module
 * however they are cut into pieces: the first byte of the input says how. Names are text, lists of
 * symbols are sorted. */
#include "verify/elf_scan.h"

#include "manifests/base/buf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void write_names(struct buf *out, const char *word, const struct str *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%s ", word);
		buf_addstr(out, names[i]);
		buf_addc(out, '\n');
	}
}

static void write_symbols(struct buf *out, const char *word, const struct str *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		require(native_symbol_kind(names[i]) != NATIVE_SYMBOL_OTHER);
		require(i == 0 || str_cmp(names[i - 1], names[i]) < 0);
	}
	write_names(out, word, names, n);
}

static void write_module(struct buf *out, const struct native_module *m)
{
	buf_addf(
		out, "%d %u %d %d\n", (int)m->machine, m->elf_machine, m->is_readable, m->has_relr);
	write_names(out, "soname", &m->soname, 1);
	write_names(out, "rpath", &m->rpath, 1);
	write_names(out, "needed", m->needed, m->nneeded);
	for (size_t i = 0; i < m->nversions; i++) {
		write_names(out, "version", &m->versions[i].library, 1);
		write_names(out, "version", &m->versions[i].name, 1);
	}
	require(str_is_utf8(buf_str(out)));
	write_symbols(out, "undefined", m->undefined, m->nundefined);
	write_symbols(out, "exported", m->exported, m->nexported);
}

static int scan(struct str bytes, size_t piece, struct buf *out, struct err *e)
{
	struct elf_scan *s = elf_scan_new(bytes.n);
	struct native_module m = { .member = 0 };
	struct arena a = ARENA_INIT;
	int rc = 0;

	for (; !rc && bytes.n; bytes = str_skip(bytes, piece)) {
		struct str part = str_first(bytes, piece);

		rc = elf_scan_add(s, part.p, part.n, e);
	}
	rc = rc ? rc : elf_scan_end(s, &a, &m, e);
	require(rc <= 0); /* so small a file is kept whole */
	if (!rc) {
		write_module(out, &m);
	}
	elf_scan_free(s);
	arena_release(&a);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf whole = BUF_INIT, parts = BUF_INIT;
	struct err e = ERR_INIT, f = ERR_INIT;

	if (size == 0) {
		return 0;
	}
	struct str bytes = { (const char *)data + 1, size - 1 };
	int rc = scan(bytes, bytes.n, &whole, &e);
	require(scan(bytes, 1 + data[0], &parts, &f) == rc);
	require(str_eq(buf_str(&whole), buf_str(&parts)));
	require(str_eq(str_of(e.text), str_of(f.text)));
	return 0;
}
