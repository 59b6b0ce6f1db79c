/* native_show [-j THREADS] FILE...: the map of the native code of wheels. */
#include "verify/native_text.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static int show(const char *path, unsigned threads, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct native native = NATIVE_INIT;

	printf("%s\n", fs_basename(path));
	if (fd < 0) {
		return err_sys(e, "%s", path);
	}
	int rc = native_read(fd, str_of(fs_basename(path)), threads, &native, e);
	if (rc) {
		return rc;
	}
	native_text_write(&native, &text);
	fputs(text.p, stdout);
	native_release(&native);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0, first = 1;
	uint64_t threads = 0;

	if (argc > 2 && strcmp(argv[1], "-j") == 0 && str_to_u64(str_of(argv[2]), &threads)) {
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		struct err e = ERR_INIT;

		if (show(argv[i], (unsigned)threads, &e)) {
			printf("REFUSED (%s): %s\n", err_reason(e.rc), e.text);
			status = err_exit_status(e.rc);
		}
	}
	return status;
}
