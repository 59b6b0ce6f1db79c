/* sdist_show PROJECT FILE [FOLDER]: what the reader sees in an sdist; unpacks it into FOLDER. */
#include "verify/sdist_in.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <fcntl.h>
#include <stdio.h>

static int show(
	const char *project, const char *path, const char *into, struct sdist *s, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct str file = str_of(fs_basename(path));

	if (fd < 0) {
		return err_sys(e, "%s", path);
	}
	int rc = sdist_read(fd, file, str_of(project), s, e);
	if (rc) {
		return rc;
	}
	printf("%.*s\n  name %.*s, version %.*s, backend %.*s%s\n", STR_ARG(file),
		STR_ARG(s->core.name), STR_ARG(s->core.version), STR_ARG(s->build_backend),
		s->is_stub ? " (a stub)" : s->is_placeholder ? " (a placeholder)" : "");
	for (size_t i = 0; i < s->nbuild_requires; i++) {
		printf("  requires %.*s\n", STR_ARG(s->build_requires[i]));
	}
	for (size_t i = 0; i < s->nmissing; i++) {
		printf("  missing %.*s\n", STR_ARG(s->missing[i]));
	}
	char *top;
	rc = into ? sdist_extract(fd, file, into, &s->arena, &top, e) : 0;
	if (into && !rc) {
		printf("  unpacked to %s\n", top);
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct sdist s = SDIST_INIT;

	if (argc < 3) {
		fputs("sdist_show PROJECT FILE [FOLDER]\n", stderr);
		return 2;
	}
	if (show(argv[1], argv[2], argv[3], &s, &e)) {
		printf("  REFUSED (%s): %s\n", err_reason(e.rc), e.text);
	}
	sdist_release(&s);
	return err_exit_status(e.rc);
}
