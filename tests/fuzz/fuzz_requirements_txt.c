/* requirements.txt from anybody, for two targets: rows that `resolve` can rely on, or an error. */
#include "manifests/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char targets[] =
	"lock-version = 1\n"
	"[[target]]\nname = \"a\"\npython = \"3.12\"\nplatform = \"linux_x86_64\"\nglibc = "
	"\"2.28\"\n"
	"[[target]]\nname = \"b\"\npython = \"3.13\"\nplatform = \"win_amd64\"\n";

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void check_package(const struct lock *l, const struct lock_package *p)
{
	require(p->req.name.n > 0 && p->req.raw.n > 0 && !p->req.marker && p->url.n == 0);
	require(!l->is_closed || (p->nhashes > 0 && lock_package_pin(p)));
	require(!p->nfiles || (p->req.specifiers.n == 1 && lock_package_pin(p)));
	require(p->ntargets > 0 && p->ntargets <= l->ntargets && p->nfiles <= 1);
	for (size_t i = 0; i < p->ntargets; i++) {
		require(lock_target(l, p->targets[i]) != NULL);
	}
	for (size_t i = 0; i < p->nfiles; i++) {
		require(p->files[i].url.n > 0 && p->files[i].file.n > 0);
		require(!p->files[i].has_sha256 || p->nhashes == 1);
	}
}

/* The file with the targets, once for the life of the program. */
static const char *targets_path(void)
{
	static char path[64];

	if (!path[0]) {
		int fd = memfd_create("targets", MFD_CLOEXEC);

		require(fd >= 0 && dprintf(fd, "%s", targets) > 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct lock_options options = { .targets_file = targets_path() };
	struct lock lock = LOCK_INIT;
	struct err e = ERR_INIT;

	/* The folder holds no file that a line could include. */
	if (lock_parse((struct str){ (const char *)data, size }, "/proc/self/fdinfo/fuzz.txt",
		    &options, &lock, &e)) {
		require(str_starts(str_of(e.text), "/proc/self/fdinfo/fuzz.txt: line "));
		require(lock.arena.pages == NULL);
		return 0;
	}
	require(lock.ntargets == 2 && (!lock.no_index || lock.index_url.n == 0));
	for (size_t i = 0; i < lock.npackages; i++) {
		check_package(&lock, &lock.packages[i]);
	}
	lock_release(&lock);
	return 0;
}
