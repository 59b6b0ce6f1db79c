/* Wheels from anybody, read from memory: everything that create and audit ask of one, or an error.
 * What wheel_open accepts keeps its promises about names and places. */
#include "verify/device_code.h"
#include "verify/member_name.h"

#include "manifests/limits.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static int memory_read_at(void *context, uint64_t offset, void *to, size_t n, struct err *e)
{
	const struct str *bytes = context;

	(void)e;
	/* The reader checks its numbers before it asks. */
	require(offset <= bytes->n && n <= bytes->n - offset);
	if (n) {
		memcpy(to, bytes->p + offset, n);
	}
	return 0;
}

static int length_take(void *context, const void *bytes, size_t n, struct err *e)
{
	uint64_t *left = context;

	(void)bytes;
	(void)e;
	require(n > 0 && n <= 256 * 1024 && n <= *left);
	*left -= n;
	return 0;
}

static void check_members(struct wheel *w, uint64_t file_size)
{
	size_t n;
	const struct wheel_member *m = wheel_members(w, &n);

	for (size_t i = 0; i < n; i++) {
		struct err e = ERR_INIT;
		uint64_t left = m[i].size;

		require(member_name_check(m[i].name, MEMBER_NAME_LINUX, &e) == 0);
		require(m[i].offset < m[i].next && m[i].next <= file_size);
		require(m[i].packed <= m[i].next - m[i].offset);
		if (wheel_stream(w, &m[i], length_take, &left, &e) == 0) {
			require(left == 0);
		} else {
			require(e.rc == RC_WHEEL && e.text[0]);
		}
	}
}

static void check_contents(struct wheel *w)
{
	struct device_code code = { .n = 0 };
	CLEANUP_BUF struct buf text = BUF_INIT;
	const struct wheel_metadata *md = NULL;
	struct err e = ERR_INIT;

	if (wheel_metadata(w, &md, &e) == 0) {
		require(md->core.name.n > 0);
	}
	err_clear(&e);
	if (wheel_check_record(w, &e)) {
		require(e.rc == RC_WHEEL || e.rc == RC_LIMIT);
	}
	err_clear(&e);
	if (device_code_of_wheel(w, &code, &e) == 0) {
		device_code_format(&code, &text);
		require((text.n > 0) == (code.n > 0));
	}
	device_code_release(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct wheel_source source = { memory_read_at, &bytes, size };
	CLEANUP_WHEEL struct wheel *w = NULL;
	struct err e = ERR_INIT;

	if (wheel_open(&source, STR("demo-1.0-py3-none-any.whl"), &w, &e)) {
		require(e.rc == RC_WHEEL || e.rc == RC_LIMIT);
		return 0;
	}
	check_members(w, size);
	check_contents(w);
	return 0;
}
