/* Sdists from anybody: the first byte says tar.gz, zip, or the tar that is packed here so that
 * mutations reach it. libarchive does the reading; what comes out of it must keep archive_in.h's
 * promises. */
#include "verify/member_name.h"
#include "verify/sdist_in.h"
#include "verify/sdist_walk.h"

#include "manifests/base/mem.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void gzip_stored(struct str bytes, struct buf *out)
{
	z_stream z = { .next_in = NULL };
	uLong bound = compressBound((uLong)bytes.n) + 64;

	require(deflateInit2(&z, 0, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = (Bytef *)(uintptr_t)bytes.p;
	z.avail_in = (uInt)bytes.n;
	z.next_out = (Bytef *)buf_room(out, bound);
	z.avail_out = (uInt)bound;
	require(deflate(&z, Z_FINISH) == Z_STREAM_END);
	out->n += z.total_out;
	deflateEnd(&z);
}

static void walk(int fd, struct str file)
{
	CLEANUP_SDIST_WALK struct sdist_walk w = SDIST_WALK_INIT;
	struct archive_member m;
	struct str below;
	struct err e = ERR_INIT;
	bool found = true;
	int rc = sdist_walk_open(&w, fd, file, &e);

	while (!rc && found) {
		rc = sdist_walk_next(&w, &m, &below, &found, &e);
		if (!rc && found) {
			require(member_name_check(m.name, MEMBER_NAME_ANY_SYSTEM, &e) == 0 && w.top.n > 0);
			require(str_eq(str_first(m.name, w.top.n), w.top));
		}
	}
	require(!rc || e.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data + (size > 0), size - (size > 0) };
	struct sdist s = SDIST_INIT;
	struct err e = ERR_INIT;

	if (size == 0) {
		return 0;
	}
	struct str file = data[0] % 3 == 1 ? STR("demo-1.0.zip") : STR("demo-1.0.tar.gz");
	CLEANUP_BUF struct buf packed = BUF_INIT;
	CLEANUP(fd) int fd = memfd_create("sdist", MFD_CLOEXEC);
	if (data[0] % 3 == 2) {
		gzip_stored(bytes, &packed);
		bytes = buf_str(&packed);
	}
	require(fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n);
	if (sdist_read(fd, file, STR("demo"), &s, &e) == 0) {
		require(s.has_pyproject || s.has_setup_py);
		require(s.build_backend.n > 0);
	} else {
		require(e.rc != RC_BUG && e.text[0]);
	}
	sdist_release(&s);
	walk(fd, file);
	return 0;
}
