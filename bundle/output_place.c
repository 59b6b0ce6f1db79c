#include "bundle/output_place.h"
#include "manifests/base/fs.h"

#include <sys/stat.h>
#include <unistd.h>

static int check_folder(const char *dir, const char *what, const char *option, struct err *e)
{
	struct stat st;

	if (stat(dir, &st) || !S_ISDIR(st.st_mode)) {
		err_set(e, RC_IO, "%s: no such folder to write %s to", dir, what);
		return err_hint(e, "make it, or name another place with %s FILE", option);
	}
	if (access(dir, W_OK | X_OK)) {
		err_sys(e, "%s: cannot write %s there", dir, what);
		return err_hint(e, "name another place with %s FILE", option);
	}
	return 0;
}

int output_place_check(const char *path, const char *what, const char *option, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct stat st;
	int r = check_folder(fs_dirname(&a, path), what, option, e);

	arena_release(&a);
	if (!r && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		return err_set(e, RC_USAGE, "%s %s: is a folder; name a file in it", option, path);
	}
	if (!r && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		return err_set(e, RC_USAGE, "%s %s: is not an ordinary file", option, path);
	}
	return r;
}
