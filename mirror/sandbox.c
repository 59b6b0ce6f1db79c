#include "mirror/sandbox.h"

#include "manifests/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's header has these from glibc 2.36 on; the numbers are the kernel's, on every
 * machine. */
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
enum { ATTR_READ_ONLY = 1, ALL_BELOW = 0x8000 }; /* MOUNT_ATTR_RDONLY, AT_RECURSIVE */
struct mount_attributes {
	uint64_t set, clear, propagation, user_namespace;
};

/* While the new root is made: what was the root, and what will be. */
#define OLD "/old"
#define NEW "/new"

/* "base/path" in `out`; false where it is too long. */
static bool join(char out[PATH_MAX], const char *base, const char *path)
{
	int n = snprintf(out, PATH_MAX, "%s/%s", base, path + strspn(path, "/"));

	if (n >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	return true;
}

static int make_folders(const char *path)
{
	char part[PATH_MAX];

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (char *p = strchr(part + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(part, 0755) && errno != EEXIST) {
			return -1;
		}
		*p = '/';
	}
	return mkdir(part, 0755) && errno != EEXIST ? -1 : 0;
}

static int bind_folder(const char *from, const char *to)
{
	return mount(from, to, "none", MS_BIND | MS_REC, NULL);
}

/* One entry of the old root at the same place in the new one. */
static int take_entry(const char *name)
{
	char from[PATH_MAX], to[PATH_MAX], link[PATH_MAX];
	struct stat st;

	if (!join(from, OLD, name) || !join(to, NEW, name)) {
		return -1;
	}
	if (lstat(from, &st)) {
		return errno == ENOENT || errno == EACCES ? 0 : -1;
	}
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlink(from, link, sizeof(link) - 1);

		if (n < 0) {
			return -1;
		}
		link[n] = '\0';
		return symlink(link, to);
	}
	if (!S_ISDIR(st.st_mode)) {
		return 0; /* stray files in / are nobody's need */
	}
	if (mkdir(to, 0755)) {
		return -1;
	}
	/* A dead network mount stays behind as an empty folder; a refusal of all binding ends it.
	 */
	return bind_folder(from, to) && (errno == EPERM || errno == EINVAL) ? -1 : 0;
}

static int take_machine(void)
{
	CLEANUP(dir) DIR *dir = opendir(OLD);

	if (!dir) {
		return -1;
	}
	for (struct dirent *d; (d = readdir(dir));) {
		bool is_skipped = strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
				  strcmp(d->d_name, "proc") == 0;

		if (!is_skipped && take_entry(d->d_name)) {
			return -1;
		}
	}
	return 0;
}

/* A mount's own flags must be said again when it is changed, or the kernel refuses (they are
 * locked). */
static unsigned long kept_flags(const char *path)
{
	struct statvfs st;
	unsigned long flags = 0;

	if (statvfs(path, &st)) {
		return 0;
	}
	flags |= st.f_flag & ST_NOSUID ? MS_NOSUID : 0;
	flags |= st.f_flag & ST_NODEV ? MS_NODEV : 0;
	flags |= st.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
	flags |= st.f_flag & ST_NOATIME ? MS_NOATIME : 0;
	flags |= st.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0;
	flags |= st.f_flag & ST_RELATIME ? MS_RELATIME : 0;
	return flags;
}

/* Kernels before 5.12: each mount on its own. One that cannot be changed is covered by another. */
static int make_each_read_only(void)
{
	FILE *mounts = setmntent(OLD "/proc/self/mounts", "re");
	struct mntent entry;
	char text[4 * PATH_MAX];

	if (!mounts) {
		return -1;
	}
	while (getmntent_r(mounts, &entry, text, sizeof(text))) {
		if (strncmp(entry.mnt_dir, NEW, strlen(NEW)) == 0) {
			mount("none", entry.mnt_dir, "none",
				MS_REMOUNT | MS_BIND | MS_RDONLY | kept_flags(entry.mnt_dir), NULL);
		}
	}
	endmntent(mounts);
	return 0;
}

static int make_machine_read_only(void)
{
	struct mount_attributes read_only = { .set = ATTR_READ_ONLY };

	if (syscall(SYS_mount_setattr, AT_FDCWD, NEW, ALL_BELOW, &read_only, sizeof(read_only)) ==
		0) {
		return 0;
	}
	return errno == ENOSYS ? make_each_read_only() : -1;
}

/* An empty read-only folder over one that exists. */
static int hide_folder(const char *path)
{
	char place[PATH_MAX], target[PATH_MAX];
	struct stat st;

	if (!join(place, NEW, path)) {
		return -1;
	}
	/* A link (/var/run) would lead to the old root while this one is not in force. */
	if (lstat(place, &st) || !S_ISDIR(st.st_mode) || !realpath(place, target) ||
		strcmp(place, target) != 0) {
		return 0;
	}
	return mount("empty", place, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k,mode=755");
}

static int hide_folders(const char *const *paths)
{
	if (hide_folder("/run")) {
		return -1;
	}
	for (; paths && *paths; paths++) {
		if (hide_folder(*paths)) {
			return -1;
		}
	}
	return 0;
}

static int mount_one(const struct child_mount *m)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!join(from, OLD, m->from) || !join(to, NEW, m->to) || make_folders(to) ||
		bind_folder(from, to)) {
		return -1;
	}
	/* The copy comes from the old root, whose mounts are as they were. */
	if (m->is_writable) {
		return 0;
	}
	return mount("none", to, "none", MS_REMOUNT | MS_BIND | MS_RDONLY | kept_flags(to), NULL);
}

/* Semaphores of Python's multiprocessing live in /dev/shm. */
static int mount_shm(void)
{
	struct stat st;

	if (stat(NEW "/dev/shm", &st) || !S_ISDIR(st.st_mode)) {
		return 0;
	}
	return mount("shm", NEW "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=1777");
}

/* A fresh /proc is refused inside containers that cover parts of theirs: then the old one has to
 * do. */
static int mount_proc(void)
{
	if (mkdir(NEW "/proc", 0755)) {
		return -1;
	}
	if (mount("proc", NEW "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0) {
		return 0;
	}
	return bind_folder(OLD "/proc", NEW "/proc");
}

/* Two steps, as the old root must not hold the mounts of the new one, or each bind would copy them.
 */
static int make_base(const char *root)
{
	char path[PATH_MAX];

	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
		mount("root", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") ||
		!join(path, root, OLD) || mkdir(path, 0755) ||
		syscall(SYS_pivot_root, root, path) || chdir("/") || mkdir(NEW, 0755)) {
		return -1;
	}
	return mount("new", NEW, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755");
}

static int enter_new_root(void)
{
	if (chdir(NEW) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH)) {
		return -1;
	}
	return chdir("/");
}

static int mount_all(const struct child_spec *spec)
{
	for (size_t i = 0; i < spec->nmounts; i++) {
		if (mount_one(&spec->mounts[i])) {
			return -1;
		}
	}
	return 0;
}

/* The places for mounts are made while the new root can still be written to. */
static int make_mount_points(const struct child_spec *spec)
{
	char to[PATH_MAX];

	for (size_t i = 0; i < spec->nmounts; i++) {
		if (!join(to, NEW, spec->mounts[i].to)) {
			return -1;
		}
		if (make_folders(to) && errno != EROFS) {
			return -1;
		}
	}
	return 0;
}

#define STEP(call, text)        \
	if (call) {             \
		*what = (text); \
		return -1;      \
	}

int sandbox_enter(const struct child_spec *spec, const char **what)
{
	STEP(make_base(spec->root), "make a new root");
	STEP(take_machine(), "bind the machine's folders");
	STEP(mount_proc(), "mount /proc");
	STEP(hide_folders(spec->hide), "hide folders");
	STEP(make_mount_points(spec), "make mount points");
	STEP(make_machine_read_only(), "make the machine's folders read-only");
	STEP(mount_shm(), "mount /dev/shm");
	STEP(mount_all(spec), "mount the folders of the work");
	STEP(enter_new_root(), "enter the new root");
	STEP(sethostname("localhost", 9), "set the host name");
	return 0;
}
