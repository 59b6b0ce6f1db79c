/* wheel_show FILE...: what the readers see in wheels: metadata, device code, the verdict on RECORD.
 */
#include "verify/device_code.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int show_metadata(struct wheel *w, struct err *e)
{
	const struct wheel_metadata *md;
	char hex[DIGEST_HEX + 1];
	size_t n;
	int rc = wheel_metadata(w, &md, e);

	if (rc) {
		return rc;
	}
	wheel_members(w, &n);
	printf("  name %.*s, version %.*s%s, %zu members, %zu requirements\n",
		STR_ARG(md->core.name), STR_ARG(md->core.version),
		md->has_local_mismatch ? " (the file's local version differs)" : "", n,
		md->core.nrequires_dist);
	printf("  metadata sha256 %s\n", digest_hex(&md->sha256, hex));
	return 0;
}

static const char *kind_name(enum device_kind kind)
{
	return kind == DEVICE_PTX ? "ptx" : kind == DEVICE_CUBIN ? "cubin" : "lto";
}

static int show_device_code(struct wheel *w, struct err *e)
{
	struct device_code code = { .n = 0 };
	CLEANUP_BUF struct buf line = BUF_INIT;
	size_t n;
	const struct wheel_member *members = wheel_members(w, &n);
	int rc = device_code_of_wheel(w, &code, e);

	if (rc) {
		return rc;
	}
	device_code_format(&code, &line);
	printf("  device code: %s", line.n ? line.p : "none");
	if (code.nunreadable) {
		printf(" (and %zu unreadable containers)", code.nunreadable);
	}
	puts("");
	for (size_t i = 0; i < code.n; i++) {
		const struct device_entry *d = &code.v[i];

		printf("    %-5s %u%.1s isa %u.%u x%u in %.*s\n", kind_name(d->kind), d->sm,
			d->suffix ? &d->suffix : "", d->isa_major, d->isa_minor, d->count,
			STR_ARG(members[d->member].name));
	}
	device_code_release(&code);
	return 0;
}

static int show(const char *path, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP_WHEEL struct wheel *w = NULL;

	printf("%s\n", fs_basename(path));
	if (fd < 0) {
		return err_sys(e, "%s", path);
	}
	int rc = wheel_open_fd(fd, str_of(fs_basename(path)), &w, e);
	rc = rc ? rc : show_metadata(w, e);
	rc = rc ? rc : show_device_code(w, e);
	rc = rc ? rc : wheel_check_record(w, e);
	if (!rc) {
		puts("  RECORD: every member fits");
	}
	return rc;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++) {
		struct err e = ERR_INIT;

		if (show(argv[i], &e)) {
			printf("  REFUSED (%s): %s\n", err_reason(e.rc), e.text);
			status = err_exit_status(e.rc);
		}
	}
	return status;
}
