/* Streams that may hold fat binary containers. The same bytes must give the same entries however
 * they are cut into pieces: the first byte of the input says how. Then as a member of a wheel,
 * where payloads are opened; and as a cubin, and as PTX text. */
#include "verify/device_scan.h"
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

/* What a member is, is told by its first piece, which readers make long enough. */
static int member_scan(struct str bytes, size_t piece, struct buf *found, struct err *e)
{
	struct device_code code = { .n = 0 };
	struct device_scan s;
	struct str part = str_first(bytes, 256);

	device_scan_init(&s, 0, bytes.n, &code);
	int rc = 0;
	while (!rc && part.n) {
		rc = device_scan_add(&s, part.p, part.n, e);
		bytes = str_skip(bytes, part.n);
		part = str_first(bytes, piece);
	}
	rc = rc ? rc : device_scan_end(&s, e);
	device_scan_release(&s);
	device_code_sort(&code);
	for (size_t i = 0; i < code.n; i++) {
		buf_addf(found, "%u %u %u ", code.v[i].kind, code.v[i].sm, code.v[i].count);
		toolkit_release_format(code.v[i].toolkit, found);
	}
	device_code_release(&code);
	return rc;
}

static void compare_members(struct str bytes, size_t piece)
{
	CLEANUP_BUF struct buf whole = BUF_INIT, parts = BUF_INIT;
	struct err e = ERR_INIT, f = ERR_INIT;
	int rc = member_scan(bytes, bytes.n, &whole, &e);

	if (member_scan(bytes, piece, &parts, &f) != rc ||
		!str_eq(buf_str(&whole), buf_str(&parts)) ||
		!str_eq(str_of(e.text), str_of(f.text))) {
		abort();
	}
}

static void cubin_read(struct str bytes)
{
	struct cubin_facts facts;
	struct cubin_scan s;
	struct err e = ERR_INIT;

	cubin_scan_init(&s, bytes.n);
	cubin_scan_add(&s, bytes.p, bytes.n);
	if (cubin_scan_end(&s, &facts, &e) ? e.rc != RC_WHEEL : facts.sm > 255) {
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
	cubin_read(bytes);
	if (!ptx_arch_read(bytes, &arch)) {
		compare_members(bytes, 1 + data[0]);
	} else if (arch.suffix != 0 && arch.suffix != 'a' && arch.suffix != 'f') {
		abort();
	}
	return 0;
}
