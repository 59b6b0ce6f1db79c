/* A pylock.toml from anybody, for two machines: rows that `resolve` can rely on, or an error. */
#include "manifests/lock.h"
#include "manifests/dist_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

/* The reader wants a file with the targets: one in memory, for as long as the program runs. */
static const char *targets_file(void)
{
	static const char text[] =
		"lock-version = 1\n"
		"[[target]]\nname = \"lin\"\npython = \"3.12.4\"\nplatform = \"linux_x86_64\"\n"
		"glibc = \"2.28\"\n"
		"[[target]]\nname = \"win\"\npython = \"3.13\"\nplatform = \"win_amd64\"\n";
	static char path[64];

	if (!path[0]) {
		int fd = memfd_create("targets", MFD_CLOEXEC);

		require(fd >= 0 && dprintf(fd, "%s", text) == (int)sizeof(text) - 1);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	return path;
}

static void check_file(const struct lock_file *f)
{
	require(f->has_sha256 && f->line > 0 && dist_name_is_safe(f->file));
	require(str_starts(f->url, "https://") || str_starts(f->url, "http://") ||
		str_starts(f->url, "file:///"));
}

static void check_package(const struct lock *l, const struct lock_package *p)
{
	require(p->req.name.n > 0 && p->req.raw.n > 0 && !p->req.marker && p->req.nextras == 0);
	require(p->req.specifiers.n == 1 && specifier_pin(&p->req.specifiers));
	require(p->nfiles > 0 && p->url.n == 0 && p->use == LOCK_RUN && p->line > 0);
	for (size_t i = 0; i < p->nfiles; i++) {
		check_file(&p->files[i]);
	}
	require(p->ntargets > 0 && p->ntargets <= l->ntargets);
	for (size_t i = 0; i < p->ntargets; i++) {
		require(lock_target(l, p->targets[i]) != NULL);
	}
}

/* PEP 751: of one name a target gets one entry. */
static void check_once(const struct lock *l, size_t which)
{
	const struct lock_package *p = &l->packages[which];

	for (size_t i = 0; i < which; i++) {
		const struct lock_package *other = &l->packages[i];

		for (size_t t = 0; t < l->ntargets && str_eq(p->req.name, other->req.name); t++) {
			require(!lock_package_is_for(p, &l->targets[t]) ||
				!lock_package_is_for(other, &l->targets[t]));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str extras[] = { { "fast", 4 } }, groups[] = { { "dev", 3 } };
	struct lock_options options = { .targets_file = targets_file() };
	struct lock lock = LOCK_INIT;
	struct err e = ERR_INIT;

	for (int i = 0; i < 2; i++) { /* without and with what a user may ask for */
		options.extras = extras;
		options.groups = groups;
		options.nextras = options.ngroups = (size_t)i;
		options.no_default_groups = i > 0;
		if (lock_parse((struct str){ (const char *)data, size }, "fuzz", &options, &lock,
			    &e)) {
			require(str_starts(str_of(e.text), "fuzz: ") && lock.arena.pages == NULL);
			continue;
		}
		for (size_t k = 0; lock.kind == LOCK_PYLOCK && k < lock.npackages; k++) {
			check_package(&lock, &lock.packages[k]);
			check_once(&lock, k);
		}
		lock_release(&lock);
	}
	return 0;
}
