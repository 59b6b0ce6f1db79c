/* native_bench read THREADS FILE     reads a wheel's native code
 * native_bench plain 1 FILE          the yardstick: inflates every member and hashes its contents,
 * nothing else Prints one line: seconds of CPU, seconds by the clock, KiB of memory at most. */
#include "verify/hash.h"
#include "verify/native.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int hash_take(void *context, const void *bytes, size_t n, struct err *e)
{
	(void)e;
	hash_add(context, bytes, n);
	return 0;
}

static int read_plainly(int fd, struct str name, struct err *e)
{
	CLEANUP_WHEEL struct wheel *w = NULL;
	CLEANUP_HASH struct hash *hash = hash_new();
	int rc = wheel_open_fd(fd, name, &w, e);
	size_t n = 0;
	const struct wheel_member *members = rc ? NULL : wheel_members(w, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		struct digest digest;

		rc = wheel_stream(w, &members[i], hash_take, hash, e);
		hash_final(hash, &digest);
	}
	return rc;
}

static int read_native(int fd, struct str name, unsigned threads, struct err *e)
{
	struct native native = NATIVE_INIT;
	int rc = native_read(fd, name, threads, &native, e);

	native_release(&native);
	return rc;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void print_usage(const struct timespec *begin)
{
	struct timespec end;
	struct rusage usage;

	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f %.3f %ld\n", seconds(&usage.ru_utime) + seconds(&usage.ru_stime),
		(double)(end.tv_sec - begin->tv_sec) + (double)(end.tv_nsec - begin->tv_nsec) / 1e9,
		usage.ru_maxrss);
}

int main(int argc, char **argv)
{
	struct timespec begin;
	struct err e = ERR_INIT;
	uint64_t threads;

	if (argc != 4 || !str_to_u64(str_of(argv[2]), &threads)) {
		fputs("usage: native_bench read|plain THREADS FILE\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	CLEANUP(fd) int fd = open(argv[3], O_RDONLY | O_CLOEXEC);
	struct str name = str_of(fs_basename(argv[3]));
	int rc = strcmp(argv[1], "read") == 0 ? read_native(fd, name, (unsigned)threads, &e)
					      : read_plainly(fd, name, &e);
	if (rc) {
		fprintf(stderr, "%s\n", e.text);
		return err_exit_status(e.rc);
	}
	print_usage(&begin);
	return 0;
}
