/* device_show [--time] FILE...: the device code of wheels and of loose files, as the readers see
 *it. FILE: MEMBER                     (a loose file: FILE) cubin sm_90a zstd 13.2.86 x12 ptx
 *compute_120 zstd 13.2.86 x1 isa 9.2 unreadable x2                  containers; "old x2" says how
 *many of them are of the old form
 * --time adds the seconds of CPU that reading took. */
#include "verify/device_scan.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void entry_show(const struct device_entry *d)
{
	static const char *const packings[] = { "-", "raw", "lz4", "raw+lz4", "zstd", "raw+zstd",
		"lz4+zstd", "raw+lz4+zstd" };
	CLEANUP_BUF struct buf toolkit = BUF_INIT;

	toolkit_release_format(d->toolkit, &toolkit);
	printf("  %s_%u%.1s %s %s x%u",
		d->kind == DEVICE_CUBIN ? "cubin sm"
		: d->kind == DEVICE_PTX ? "ptx compute"
					: "lto lto",
		d->sm, d->suffix ? &d->suffix : "", packings[d->packing & 7], toolkit.p, d->count);
	if (d->kind == DEVICE_PTX) {
		printf(" isa %u.%u", d->isa_major, d->isa_minor);
	}
	puts("");
}

static void code_show(const struct device_code *code)
{
	if (code->nunreadable) {
		printf("  unreadable x%zu, old x%zu\n", code->nunreadable, code->nold);
	}
}

static int wheel_code(int fd, const char *path, struct err *e)
{
	struct device_code code = { .n = 0 };
	CLEANUP_WHEEL struct wheel *w = NULL;
	size_t n = 0;
	int rc = wheel_open_fd(fd, str_of(fs_basename(path)), &w, e);

	rc = rc ? rc : device_code_of_wheel(w, &code, e);
	const struct wheel_member *members = rc ? NULL : wheel_members(w, &n);
	for (size_t m = 0; m < n; m++) {
		bool is_shown = false;

		for (size_t i = 0; i < code.n; i++) {
			if (code.v[i].member != m) {
				continue;
			}
			if (!is_shown) {
				printf("%s: %.*s\n", path, STR_ARG(members[m].name));
				is_shown = true;
			}
			entry_show(&code.v[i]);
		}
	}
	code_show(&code);
	device_code_release(&code);
	return rc;
}

static int file_feed(int fd, struct device_scan *s, struct err *e)
{
	static char piece[256 * 1024];
	ssize_t n;
	int rc = 0;

	while (!rc && (n = read(fd, piece, sizeof(piece))) != 0) {
		rc = n < 0 ? err_sys(e, "reading") : device_scan_add(s, piece, (size_t)n, e);
	}
	return rc ? rc : device_scan_end(s, e);
}

static int file_code(int fd, const char *path, struct err *e)
{
	struct device_code code = { .n = 0 };
	struct device_scan s;
	struct stat st;

	if (fstat(fd, &st) != 0) {
		return err_sys(e, "%s", path);
	}
	device_scan_init(&s, 0, (uint64_t)st.st_size, &code);
	int rc = file_feed(fd, &s, e);
	device_scan_release(&s);
	if (!rc) {
		device_code_sort(&code);
		printf("%s\n", path);
		for (size_t i = 0; i < code.n; i++) {
			entry_show(&code.v[i]);
		}
		code_show(&code);
	}
	device_code_release(&code);
	return rc;
}

static int show(const char *path, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return err_sys(e, "%s", path);
	}
	return str_ends(str_of(path), ".whl") ? wheel_code(fd, path, e) : file_code(fd, path, e);
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	bool is_timed = argc > 1 && strcmp(argv[1], "--time") == 0;
	int status = 0;

	for (int i = 1 + is_timed; i < argc; i++) {
		struct err e = ERR_INIT;
		double begin = cpu_seconds();

		if (show(argv[i], &e)) {
			printf("%s: REFUSED (%s): %s\n", argv[i], err_reason(e.rc), e.text);
			status = err_exit_status(e.rc);
		}
		if (is_timed) {
			printf("  %.3f s\n", cpu_seconds() - begin);
		}
	}
	return status;
}
