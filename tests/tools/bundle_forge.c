/* Takes a bundle apart and puts it together wrongly, as an attacker without the key would.
 *
 *	bundle_forge list IN                    the members, a line each
 *	bundle_forge drop IN OUT NAME           leaves a member out
 *	bundle_forge add IN OUT NAME NEW        puts a member NEW behind NAME
 *	bundle_forge twice IN OUT NAME          repeats a member
 *	bundle_forge swap IN OUT NAME           exchanges a member with the one that follows
 *	bundle_forge change IN OUT NAME         changes the last byte of its contents
 *	bundle_forge field IN OUT NAME AT TEXT  writes TEXT at byte AT of its header (checksum mended)
 *	bundle_forge tail IN OUT TEXT           puts TEXT behind the end marker, in a frame of its own
 *	bundle_forge endless IN OUT             leaves the end marker out
 */
#include "bundle/zstd_out.h"
#include "manifests/base/fs.h"
#include "manifests/base/vec.h"
#include "manifests/tar.h"
#include "verify/zstd_in.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct part { /* header, contents and padding of one member */
	char *name;
	struct buf bytes;
	size_t header;
	uint64_t size;
	bool is_file;
};

struct parts {
	struct part *v;
	size_t n, cap;
};

static _Noreturn void die(const struct err *e)
{
	fprintf(stderr, "bundle_forge: %s\n", e->text);
	exit(3);
}

static void read_parts(const char *path, struct parts *out)
{
	struct err e = ERR_INIT;
	struct zstd_in *z;
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		err_sys(&e, "%s", path);
		die(&e);
	}
	z = zstd_in_open(fd);
	for (;;) {
		struct part p = { .bytes = BUF_INIT };
		struct tar_member m;
		size_t more = 0;
		int r = zstd_in_exact(z, buf_room(&p.bytes, TAR_BLOCK), TAR_BLOCK, &e);

		p.bytes.n = TAR_BLOCK;
		r = r ? r : tar_read_header(buf_str(&p.bytes), &more, &m, &e);
		if (!r && more) {
			r = zstd_in_exact(z, buf_room(&p.bytes, more), more, &e);
			p.bytes.n += more;
			r = r ? r : tar_read_header(buf_str(&p.bytes), &more, &m, &e);
		}
		if (r) {
			die(&e);
		}
		if (m.is_end) {
			buf_release(&p.bytes);
			break;
		}
		size_t body = (size_t)(m.size + tar_padding(m.size));
		p.header = p.bytes.n;
		p.size = m.size;
		p.name = strndup(m.path.p, m.path.n);
		p.is_file = str_starts(m.path, "files/");
		if (zstd_in_exact(z, buf_room(&p.bytes, body), body, &e)) {
			die(&e);
		}
		p.bytes.n += body;
		vec_push(out, p);
	}
	zstd_in_close(z);
	close(fd);
}

static void write_frame(struct zstd_out *z, struct str bytes)
{
	struct err e = ERR_INIT;

	if (zstd_out_begin(z, bytes.n, &e) || zstd_out_add(z, bytes.p, bytes.n, &e)) {
		die(&e);
	}
}

static void write_parts(const char *path, const struct parts *parts, bool end, const char *tail)
{
	CLEANUP_BUF struct buf metadata = BUF_INIT;
	char zeros[TAR_END] = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	struct zstd_out *z = zstd_out_new(fd, path);
	size_t i = 0;

	for (; i < parts->n && !parts->v[i].is_file; i++) {
		buf_addstr(&metadata, buf_str(&parts->v[i].bytes));
	}
	write_frame(z, buf_str(&metadata));
	for (; i < parts->n; i++) {
		write_frame(z, buf_str(&parts->v[i].bytes));
	}
	if (end) {
		write_frame(z, (struct str){ zeros, TAR_END });
	}
	if (tail) {
		write_frame(z, str_of(tail));
	}
	zstd_out_free(z);
	close(fd);
}

static size_t find(const struct parts *parts, const char *name)
{
	for (size_t i = 0; i < parts->n; i++) {
		if (strcmp(parts->v[i].name, name) == 0) {
			return i;
		}
	}
	fprintf(stderr, "bundle_forge: no member %s\n", name);
	exit(2);
}

static void insert(struct parts *parts, size_t at, struct part p)
{
	vec_push(parts, p);
	memmove(&parts->v[at + 1], &parts->v[at], (parts->n - 1 - at) * sizeof(p));
	parts->v[at] = p;
}

static struct part new_part(const struct part *like, const char *name)
{
	struct part p = { .name = strdup(name), .bytes = BUF_INIT, .size = 4, .is_file = like->is_file };
	struct tar_member m;
	struct err e = ERR_INIT;
	char zeros[TAR_BLOCK] = { 0 };
	size_t more;

	if (tar_read_header(str_first(buf_str(&like->bytes), TAR_BLOCK), &more, &m, &e)) {
		die(&e);
	}
	tar_put_header(&p.bytes, str_of(name), 4, m.mtime);
	p.header = p.bytes.n;
	buf_adds(&p.bytes, "evil");
	buf_add(&p.bytes, zeros, TAR_BLOCK - 4);
	return p;
}

static void set_field(struct part *p, size_t at, const char *text)
{
	char *block = p->bytes.p + p->header - TAR_BLOCK;
	unsigned sum = 0;
	char octal[16];

	memcpy(block + at, text, strlen(text));
	memset(block + 148, ' ', 8);
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		sum += (unsigned char)block[i];
	}
	snprintf(octal, sizeof(octal), "%06o", sum);
	memcpy(block + 148, octal, 7);
}

int main(int argc, char **argv)
{
	struct parts parts = VEC_INIT;
	const char *verb = argc > 2 ? argv[1] : "";
	const char *name = argc > 4 ? argv[4] : "";

	if (argc < 3) {
		fputs("usage: bundle_forge VERB IN [OUT [NAME ...]]\n", stderr);
		return 2;
	}
	read_parts(argv[2], &parts);
	if (strcmp(verb, "list") == 0) {
		vec_each(struct part, p, &parts) {
			puts(p->name);
		}
		return 0;
	}
	if (strcmp(verb, "tail") == 0) {
		write_parts(argv[3], &parts, true, name);
		return 0;
	}
	if (strcmp(verb, "endless") == 0) {
		write_parts(argv[3], &parts, false, NULL);
		return 0;
	}
	size_t i = find(&parts, name);
	if (strcmp(verb, "drop") == 0) {
		memmove(&parts.v[i], &parts.v[i + 1], (--parts.n - i) * sizeof(parts.v[0]));
	} else if (strcmp(verb, "add") == 0 && argc > 5) {
		insert(&parts, i + 1, new_part(&parts.v[i], argv[5]));
	} else if (strcmp(verb, "twice") == 0) {
		insert(&parts, i, parts.v[i]);
	} else if (strcmp(verb, "swap") == 0 && i + 1 < parts.n) {
		struct part p = parts.v[i];

		parts.v[i] = parts.v[i + 1];
		parts.v[i + 1] = p;
	} else if (strcmp(verb, "change") == 0) {
		parts.v[i].bytes.p[parts.v[i].header + parts.v[i].size - 1] ^= 1;
	} else if (strcmp(verb, "field") == 0 && argc > 6) {
		set_field(&parts.v[i], (size_t)strtoul(argv[5], NULL, 10), argv[6]);
	} else {
		fprintf(stderr, "bundle_forge: %s: not known, or it lacks arguments\n", verb);
		return 2;
	}
	write_parts(argv[3], &parts, true, NULL);
	return 0;
}
