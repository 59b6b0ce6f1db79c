/* PE files. The same bytes must give the same imports however they are cut into pieces: the first
 * byte of the input says how. */
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

static int scan(struct str bytes, size_t piece, struct buf *out, struct err *e)
{
	struct pe_scan *s = pe_scan_new(bytes.n);
	struct native_module m = { .member = 0 };
	struct arena a = ARENA_INIT;
	int rc = 0;

	for (; !rc && bytes.n; bytes = str_skip(bytes, piece)) {
		struct str part = str_first(bytes, piece);

		rc = pe_scan_add(s, part.p, part.n, e);
	}
	rc = rc ? rc : pe_scan_end(s, &a, &m, e);
	require(rc <= 0); /* so small a file is kept whole */
	buf_addf(out, "%d %d\n", (int)m.machine, m.is_readable);
	for (size_t i = 0; i < m.nneeded; i++) {
		require(str_is_utf8(m.needed[i]));
		buf_addstr(out, m.needed[i]);
		buf_addc(out, '\n');
	}
	pe_scan_free(s);
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
