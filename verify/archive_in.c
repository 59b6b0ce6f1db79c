#include "verify/archive_in.h"

#include "manifests/limits.h"
#include "manifests/base/mem.h"
#include "verify/member_name.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 };
/* As for wheels: PyPI's measure of a decompression bomb. */
enum { BOMB_SIZE = 64 * 1024 * 1024, BOMB_RATIO = 50 };

struct archive_in {
	struct archive *reader;
	int fd;
	uint64_t size;     /* of the file */
	uint64_t count;    /* members so far */
	uint64_t inflated; /* bytes of contents so far */
	uint64_t left;     /* of the member's declared size */
	bool in_member;
	char *piece;
};

/* ---- errors ---- */

static int reader_error(struct archive_in *a, struct err *e)
{
	const char *why = archive_error_string(a->reader);

	return err_set(e, RC_WHEEL, "the archive is damaged: %s", why ? why : "no reason is given");
}

/* libarchive's answers below ARCHIVE_OK are all taken as damage, but for one: it cannot put a name
 * into the character set of the locale, where we take the name's bytes. */
static bool is_name_warning(struct archive_in *a, int rc)
{
	const char *why = archive_error_string(a->reader);

	return rc == ARCHIVE_WARN && why && str_has(str_of(why), "can't be converted");
}

/* ---- opening ---- */

static int reader_begin(struct archive_in *a, enum archive_kind kind, struct err *e)
{
	struct archive *r = a->reader;
	int rc;

	/* Only what an sdist is made of: libarchive's other readers are where its faults were
	 * found. */
	if (kind == ARCHIVE_TAR_GZ) {
		rc = archive_read_support_filter_gzip(r);
		rc = rc == ARCHIVE_OK ? archive_read_support_format_tar(r) : rc;
	} else {
		rc = archive_read_support_format_zip_seekable(r);
	}
	if (rc != ARCHIVE_OK) {
		return err_set(e, RC_BUG, "libarchive cannot read this kind of archive");
	}
	return archive_read_open_fd(r, a->fd, PIECE) == ARCHIVE_OK ? 0 : reader_error(a, e);
}

int archive_in_open(int fd, enum archive_kind kind, struct archive_in **out, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
		return err_sys(e, "the archive");
	}
	if (!S_ISREG(st.st_mode)) {
		return err_set(e, RC_WHEEL, "not a regular file");
	}
	struct archive_in *a = mem_alloc(sizeof(*a));
	a->fd = fd;
	a->size = (uint64_t)st.st_size;
	a->piece = mem_alloc(PIECE);
	a->reader = archive_read_new();
	int rc = a->reader ? reader_begin(a, kind, e)
			   : err_set(e, RC_BUG, "libarchive cannot start");
	if (rc) {
		archive_in_close(a);
		return rc;
	}
	*out = a;
	return 0;
}

void archive_in_close(struct archive_in *a)
{
	if (a) {
		archive_read_free(a->reader);
		free(a->piece);
		free(a);
	}
}

void cleanup_archive_in(struct archive_in **a)
{
	archive_in_close(*a);
}

/* ---- members ---- */

static int entry_kind_check(struct archive_entry *entry, struct err *e)
{
	mode_t type = archive_entry_filetype(entry);

	if (archive_entry_hardlink(entry) || archive_entry_hardlink_utf8(entry)) {
		return err_set(e, RC_WHEEL, "it is a hard link");
	}
	if (type == AE_IFLNK) {
		return err_set(e, RC_WHEEL, "it is a symbolic link");
	}
	if (type != AE_IFREG && type != AE_IFDIR) {
		return err_set(e, RC_WHEEL, "it is neither a file nor a folder");
	}
	if (archive_entry_sparse_count(entry) > 0) {
		return err_set(e, RC_WHEEL, "it is a sparse file");
	}
	if (archive_entry_is_encrypted(entry)) {
		return err_set(e, RC_WHEEL, "it is encrypted");
	}
	if (type == AE_IFREG &&
		(!archive_entry_size_is_set(entry) || archive_entry_size(entry) < 0)) {
		return err_set(e, RC_WHEEL, "its size is not declared");
	}
	return 0;
}

static int amount_check(struct archive_in *a, uint64_t more, struct err *e)
{
	if (more > LIMIT_WHEEL_INFLATED - a->inflated) {
		return err_set(e, RC_LIMIT, "its members inflate to over %" PRIu64 " GiB",
			LIMIT_WHEEL_INFLATED / GIB);
	}
	uint64_t sum = a->inflated + more;
	if (sum > BOMB_SIZE && sum / BOMB_RATIO > a->size) {
		return err_set(e, RC_WHEEL,
			"a decompression bomb: %" PRIu64 " bytes inflate to %" PRIu64 " or more",
			a->size, sum);
	}
	return 0;
}

static int name_take(struct archive_entry *entry, struct str *out, struct err *e)
{
	const char *text = archive_entry_pathname_utf8(entry);

	text = text ? text : archive_entry_pathname(entry);
	struct str name = str_of(text);
	while (str_starts(name, "./")) {
		name = str_skip(name, 2);
	}
	if (name.n && name.p[name.n - 1] == '/' && archive_entry_filetype(entry) == AE_IFDIR) {
		name.n--;
	}
	/* The folder itself, as `tar c .` writes it. */
	if ((name.n == 0 || str_is(name, ".")) && text && text[0] == '.') {
		*out = STR_NULL;
		return 0;
	}
	*out = name;
	int rc = member_name_check(name, MEMBER_NAME_ANY_SYSTEM, e);
	if (!rc && name.p[name.n - 1] == '/') {
		rc = err_set(e, RC_WHEEL, "member \"%.*s\": a file that is named like a folder",
			STR_ARG(name));
	}
	return rc;
}

static int entry_take(struct archive_in *a, struct archive_entry *entry, struct archive_member *out,
	struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	struct archive_member m = {
		.is_dir = archive_entry_filetype(entry) == AE_IFDIR,
		.is_executable = archive_entry_perm(entry) & S_IXUSR,
		.mtime = archive_entry_mtime_is_set(entry) ? archive_entry_mtime(entry) : 0,
	};
	int rc = name_take(entry, &m.name, e);

	if (rc || m.name.n == 0) {
		*out = m;
		return rc;
	}
	rc = entry_kind_check(entry, e);
	if (!rc && !m.is_dir) {
		m.size = (uint64_t)archive_entry_size(entry);
		rc = amount_check(a, m.size, e);
	}
	if (rc) {
		return err_wrap(e, "member \"%s\"", member_name_show(m.name, shown));
	}
	a->left = m.size;
	a->in_member = true;
	*out = m;
	return 0;
}

static int rest_skip(struct archive_in *a, struct err *e)
{
	struct str piece = { "", 1 };
	int rc = 0;

	while (a->in_member && !rc && piece.n) {
		rc = archive_in_read(a, &piece, e);
	}
	return rc;
}

int archive_in_next(struct archive_in *a, struct archive_member *out, bool *found, struct err *e)
{
	struct archive_entry *entry = NULL;
	struct archive_member m = { .name = STR_NULL };
	int rc = rest_skip(a, e);

	while (!rc && m.name.n == 0) {
		int got = archive_read_next_header(a->reader, &entry);

		if (got == ARCHIVE_EOF) {
			*found = false;
			return 0;
		}
		if (got != ARCHIVE_OK && !is_name_warning(a, got)) {
			return reader_error(a, e);
		}
		if (++a->count > LIMIT_WHEEL_MEMBERS) {
			return err_set(e, RC_LIMIT, "more than %d members", LIMIT_WHEEL_MEMBERS);
		}
		rc = entry_take(a, entry, &m, e);
	}
	if (!rc) {
		*out = m;
		*found = true;
	}
	return rc;
}

int archive_in_read(struct archive_in *a, struct str *piece, struct err *e)
{
	la_ssize_t n = archive_read_data(a->reader, a->piece, PIECE);

	if (n < 0) {
		return reader_error(a, e);
	}
	if ((uint64_t)n > a->left) {
		return err_set(e, RC_WHEEL, "the archive: a member is longer than declared");
	}
	if (n == 0 && a->left) {
		return err_set(e, RC_WHEEL, "the archive: a member is shorter than declared");
	}
	a->left -= (uint64_t)n;
	a->inflated += (uint64_t)n;
	a->in_member = n > 0;
	*piece = (struct str){ a->piece, (size_t)n };
	return 0;
}
