/* Streams that may hold fat binary containers. The same bytes must give the same entries however
 * they are cut into pieces: the first byte of the input says how. PTX text is tried too. */
#include "verify/fatbin.h"
#include "verify/ptx.h"

#include "manifests/base/buf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int entry_write(void *context, const struct fatbin_entry *entry, struct err *e)
{
	(void)e;
	buf_addf(context, "%u %u %d %u %u;", entry->kind, entry->sm, entry->suffix,
		entry->isa_major, entry->isa_minor);
	return 0;
}

static int scan(struct str bytes, size_t piece, unsigned step, struct buf *found,
	size_t *nunreadable, struct err *e)
{
	struct fatbin_scan s;
	int rc = 0;

	fatbin_scan_init(&s, bytes.n, step, entry_write, found);
	while (!rc && bytes.n) {
		struct str part = str_first(bytes, piece);

		rc = fatbin_scan_add(&s, part.p, part.n, e);
		bytes = str_skip(bytes, part.n);
	}
	*nunreadable = s.nunreadable;
	return rc ? rc : fatbin_scan_end(&s, e);
}

static void compare(struct str bytes, size_t piece, unsigned step)
{
	CLEANUP_BUF struct buf whole = BUF_INIT, parts = BUF_INIT;
	struct err e = ERR_INIT, f = ERR_INIT;
	size_t n = 0, m = 0;
	int rc = scan(bytes, bytes.n, step, &whole, &n, &e);

	if (scan(bytes, piece, step, &parts, &m, &f) != rc || m != n ||
		!str_eq(buf_str(&whole), buf_str(&parts)) ||
		!str_eq(str_of(e.text), str_of(f.text))) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data + (size > 0), size - (size > 0) };
	struct ptx_arch arch;

	if (size == 0) {
		return 0;
	}
	compare(bytes, 1 + data[0], 8);
	compare(bytes, 1 + data[0], 2);
	if (ptx_arch_read(bytes, &arch) && arch.suffix != 0 && arch.suffix != 'a' &&
		arch.suffix != 'f') {
		abort();
	}
	return 0;
}
