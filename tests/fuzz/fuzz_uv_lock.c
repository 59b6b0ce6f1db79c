/* uv.lock from anybody: rows that `resolve` can rely on, or an error. */
#include "manifests/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

/* A file of targets that lasts as long as the program. */
static const char *targets_file(void)
{
	static const char text[] =
		"lock-version = 1\n[[target]]\nname = \"lin\"\npython = \"3.12.4\"\nplatform = "
		"\"linux_x86_64\"\nglibc = \"2.28\"\n[[target]]\nname = \"win\"\npython = "
		"\"3.11\"\nplatform = \"win_amd64\"\n[[package]]\nname = \"given\"\nversion = "
		"\"==1\"\n[waive]\nwaived = \"it is there\"\n";
	static char path[64];

	if (path[0] == '\0') {
		int fd = memfd_create("targets", MFD_CLOEXEC);

		require(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	return path;
}

static void check_file(const struct lock_file *f)
{
	struct str url = f->url;

	require(f->file.n > 0 && memchr(f->file.p, '/', f->file.n) == NULL);
	require(str_starts(url, "https://") || str_starts(url, "http://") ||
		str_starts(url, "file:///"));
}

static void check_package(const struct lock *l, const struct lock_package *p)
{
	require(p->req.name.n > 0 && p->req.raw.n > 0 && !p->req.marker && p->req.url.n == 0);
	require(p->req.specifiers.n == 1 && specifier_pin(&p->req.specifiers));
	require(p->ntargets > 0 && p->ntargets <= l->ntargets && p->files);
	for (size_t i = 0; i < p->ntargets; i++) {
		require(lock_target(l, p->targets[i]) != NULL);
	}
	for (size_t i = 0; i < p->nfiles; i++) {
		check_file(&p->files[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str chosen[] = { { "x", 1 } };
	struct lock_options options = { .targets_file = targets_file() };

	for (int i = 0; i < 3; i++) {
		struct lock lock = LOCK_INIT;
		struct err e = ERR_INIT;

		options.extras = options.groups = chosen;
		options.nextras = i == 1;
		options.ngroups = i == 1;
		options.all_projects = i == 2;
		if (lock_parse((struct str){ (const char *)data, size }, "uv.lock", &options, &lock,
			    &e)) {
			require(str_starts(str_of(e.text), "uv.lock: ") && !lock.arena.pages);
			continue;
		}
		for (size_t j = lock.kind == LOCK_UV ? 1 : lock.npackages; j < lock.npackages;
			j++) {
			check_package(&lock, &lock.packages[j]);
		}
		lock_release(&lock);
	}
	return 0;
}
