/* Sdists: what they say about their build, and archives that must not be unpacked. */
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include "manifests/base/fs.h"
#include "verify/sdist_in.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- making tar.gz files ---- */

struct made_tar {
	const char *name, *contents; /* contents: the target of a link */
	char type;                   /* 0: a file, or a folder where the name ends in '/' */
	unsigned mode;
	unsigned long size_add;
};

/* A number field of tar: octal digits to the last byte but one. */
static void octal(char *to, size_t n, uint64_t value)
{
	to[n - 1] = '\0';
	for (size_t i = n - 1; i-- > 0; value >>= 3) {
		to[i] = (char)('0' + (value & 7));
	}
}

static void tar_add(const struct made_tar *made, struct buf *out)
{
	char block[512] = { 0 };
	size_t length = strlen(made->name), n = made->contents ? strlen(made->contents) : 0;
	bool is_folder = length && made->name[length - 1] == '/';
	char type = made->type ? made->type : is_folder ? '5' : '0';
	unsigned sum = 0;

	memcpy(block, made->name, length < 100 ? length : 100);
	octal(block + 100, 8, made->mode ? made->mode : 0644);
	octal(block + 124, 12, type == '0' ? n + made->size_add : 0);
	octal(block + 136, 12, 1500000000);
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 257, "ustar\00000", 8);
	if (type == '1' || type == '2') {
		snprintf(block + 157, 100, "%s", made->contents);
		n = 0;
	}
	for (size_t i = 0; i < sizeof(block); i++) {
		sum += (unsigned char)block[i];
	}
	octal(block + 148, 7, sum);
	buf_add(out, block, sizeof(block));
	buf_add(out, made->contents, n);
	while (out->n % 512) {
		buf_addc(out, '\0');
	}
}

static void gzip(struct str bytes, struct buf *out)
{
	z_stream z = { .next_in = NULL };
	uLong bound = compressBound((uLong)bytes.n) + 64;

	deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (Bytef *)(uintptr_t)bytes.p;
	z.avail_in = (uInt)bytes.n;
	z.next_out = (Bytef *)buf_room(out, bound);
	z.avail_out = (uInt)bound;
	deflate(&z, Z_FINISH);
	out->n += z.total_out;
	deflateEnd(&z);
}

static void tar_make(const struct made_tar *v, size_t n, struct buf *out)
{
	char end[1024] = { 0 };
	struct buf tar = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		tar_add(&v[i], &tar);
	}
	buf_add(&tar, end, sizeof(end));
	gzip(buf_str(&tar), out);
	buf_release(&tar);
}

static int read_bytes(
	struct str bytes, const char *file, const char *project, struct sdist *s, struct err *e)
{
	FILE *f = tmpfile();

	ck_assert_uint_eq(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	fflush(f);
	int rc = sdist_read(fileno(f), str_of(file), str_of(project), s, e);
	fclose(f);
	return rc;
}

#define PKG_INFO "Metadata-Version: 2.1\nName: Demo\nVersion: 1.0\nRequires-Dist: numpy\n\nText.\n"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what it says ---- */

UNIT(sdist_tells_its_build_requirements)
{
	static const struct {
		const char *pyproject;          /* NULL: none, but setup.py */
		const char *backend, *requires; /* joined by '|' */
		bool is_stub;
	} cases[] = {
		{ NULL, "setuptools.build_meta:__legacy__", "setuptools>=40.8.0", false },
		{ "[project]\nname = \"demo\"\n", "setuptools.build_meta:__legacy__",
			"setuptools>=40.8.0", false },
		{ "[build-system]\nrequires = [\"setuptools>=61\", \"torch\"]\n",
			"setuptools.build_meta:__legacy__", "setuptools>=61|torch", false },
		{ "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = "
		  "\"hatchling.build\"\n",
			"hatchling.build", "hatchling", false },
		{ "[build-system]\nrequires = []\nbuild-backend = \"own\"\nbackend-path = "
		  "[\".\"]\n",
			"own", "", false },
		{ "[build-system]\nrequires = [\"nvidia-stub\"]\nbuild-backend = "
		  "\"nvidia_stub.buildapi\"\n",
			"nvidia_stub.buildapi", "nvidia-stub", true },
		{ "[build-system]\nrequires = [\"wheel_stub==1\"]\nbuild-backend = "
		  "\"wheel_stub.buildapi\"\n",
			"wheel_stub.buildapi", "wheel_stub==1", true },
		{ "[build-system]\nrequires = [\"setuptools\", \"Wheel.Stub>=0.1\"]\n",
			"setuptools.build_meta:__legacy__", "setuptools|Wheel.Stub>=0.1", true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct made_tar v[] = {
			{ .name = "demo-1.0/" },
			{ .name = "demo-1.0/PKG-INFO", .contents = PKG_INFO },
			{ .name = cases[i].pyproject ? "demo-1.0/pyproject.toml"
						     : "demo-1.0/setup.py",
				.contents = cases[i].pyproject ? cases[i].pyproject : "setup()\n" },
			{ .name = "demo-1.0/src/setup.py", .contents = "not this\n" },
		};
		struct buf bytes = BUF_INIT, requires = BUF_INIT;
		struct sdist s = SDIST_INIT;
		struct err e = ERR_INIT;

		tar_make(v, COUNT(v), &bytes);
		int rc = read_bytes(buf_str(&bytes), "demo-1.0.tar.gz", "demo", &s, &e);
		ck_assert_msg(rc == 0, "%zu: %s", i, e.text);
		for (size_t k = 0; k < s.nbuild_requires; k++) {
			buf_addf(&requires, "%s%.*s", k ? "|" : "", STR_ARG(s.build_requires[k]));
		}
		buf_adds(&requires, "");
		ck_assert_str_eq(requires.p, cases[i].requires);
		ck_assert(str_is(s.build_backend, cases[i].backend));
		ck_assert_int_eq(s.is_stub, cases[i].is_stub);
		ck_assert_int_eq(s.has_pyproject, cases[i].pyproject != NULL);
		ck_assert_int_eq(s.has_setup_py, cases[i].pyproject == NULL);
		ck_assert(str_is(s.core.name, "Demo") && s.core.nrequires_dist == 1);
		sdist_release(&s);
		buf_release(&bytes);
		buf_release(&requires);
	}
}

UNIT(sdist_takes_odd_but_sound_archives)
{
	/* Old: no PKG-INFO, "./" in front, no entry for the folder. */
	static const struct made_tar v[] = {
		{ .name = "./" },
		{ .name = "./demo-1.0-4/setup.py", .contents = "" },
		{ .name = "./demo-1.0-4/empty/" },
		{ .name = "./demo-1.0-4/empty/" },
	};
	struct buf bytes = BUF_INIT;
	struct sdist s = SDIST_INIT;
	struct err e = ERR_INIT;

	tar_make(v, COUNT(v), &bytes);
	ck_assert_msg(read_bytes(buf_str(&bytes), "demo-1.0-4.tar.gz", "demo", &s, &e) == 0, "%s",
		e.text);
	ck_assert_uint_eq(s.core.name.n, 0);
	ck_assert(s.has_setup_py);
	sdist_release(&s);
	buf_release(&bytes);
}

UNIT(sdist_tells_what_no_build_can_use)
{
	static const struct {
		const char *summary, *setup, *pyproject, *missing;
		bool is_placeholder;
	} cases[] = {
		{ "A tool", "setup()\n", "", "", false },
		{ "DEPRECATED: Use demo-2 instead", "sys.exit(1)\n", "", "", true },
		{ "Deprecated, and builds", "setup()\n", "", "", false },
		{ "A tool", "raise RuntimeError('only a placeholder project here')\n", "", "", true },
		{ "A tool", "E(sources=['csrc/a.cu', 'csrc/b.cu'])\n", "", "csrc/b.cu", false },
		{ "A tool", "E(sources=['csrc/b.cu'])\n",
			"[build-system]\nrequires = []\nbuild-backend = \"mesonpy\"\n", "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf info = BUF_INIT, bytes = BUF_INIT;
		struct sdist s = SDIST_INIT;
		struct err e = ERR_INIT;

		buf_addf(&info, "Metadata-Version: 2.1\nName: Demo\nVersion: 1.0\nSummary: %s\n",
			cases[i].summary);
		struct made_tar v[] = {
			{ .name = "demo-1.0/" },
			{ .name = "demo-1.0/setup.py", .contents = cases[i].setup },
			{ .name = "demo-1.0/pyproject.toml", .contents = cases[i].pyproject },
			{ .name = "demo-1.0/PKG-INFO", .contents = info.p },
			{ .name = "demo-1.0/csrc/b.cu/" }, /* a folder is no source */
			{ .name = "demo-1.0/csrc/a.cu", .contents = "\n" },
		};
		tar_make(v, COUNT(v), &bytes);
		int rc = read_bytes(buf_str(&bytes), "demo-1.0.tar.gz", "demo", &s, &e);
		ck_assert_msg(rc == 0, "%zu: %s", i, e.text);
		ck_assert_msg(s.is_placeholder == cases[i].is_placeholder, "%zu", i);
		ck_assert_uint_eq(s.nmissing, cases[i].missing[0] != 0);
		ck_assert(!s.nmissing || str_is(s.missing[0], cases[i].missing));
		sdist_release(&s);
		buf_release(&info);
		buf_release(&bytes);
	}
}

UNIT(sdist_reads_zip_archives)
{
	struct wheel_maker m = WHEEL_MAKER("");
	struct buf bytes = BUF_INIT;
	struct sdist s = SDIST_INIT;
	struct err e = ERR_INIT;

	wheel_maker_add(&m, "demo-1.0/", STR(""));
	wheel_maker_add(&m, "demo-1.0/PKG-INFO", STR(PKG_INFO));
	wheel_maker_add(&m, "demo-1.0/setup.py", STR("setup()\n"))->descriptor = 16;
	wheel_maker_write(&m, &bytes);
	ck_assert_msg(
		read_bytes(buf_str(&bytes), "demo-1.0.zip", "demo", &s, &e) == 0, "%s", e.text);
	ck_assert(s.has_setup_py && str_is(s.core.version, "1.0"));
	sdist_release(&s);

	m.members.v[2].mode = 0120777;
	buf_clear(&bytes);
	wheel_maker_write(&m, &bytes);
	ck_assert_int_eq(read_bytes(buf_str(&bytes), "demo-1.0.zip", "demo", &s, &e), -RC_WHEEL);
	ck_assert_msg(str_has(str_of(e.text), "symbolic link"), "%s", e.text);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

/* ---- what is refused ---- */

static const struct made_tar bad_members[][1] = {
	{ { .name = "../evil.py", .contents = "x" } },
	{ { .name = "demo-1.0/../../evil.py", .contents = "x" } },
	{ { .name = "/etc/evil", .contents = "x" } },
	{ { .name = "demo-1.0//x", .contents = "x" } },
	{ { .name = "demo-1.0/a\\b", .contents = "x" } },
	{ { .name = "demo-1.0/a\nb", .contents = "x" } },
	{ { .name = "demo-1.0/\377", .contents = "x" } },
	{ { .name = "demo-1.0/link", .contents = "/etc/passwd", .type = '2' } },
	{ { .name = "demo-1.0/hard", .contents = "demo-1.0/setup.py", .type = '1' } },
	{ { .name = "demo-1.0/device", .type = '3' } },
	{ { .name = "demo-1.0/block", .type = '4' } },
	{ { .name = "demo-1.0/fifo", .type = '6' } },
	{ { .name = "other/x.py", .contents = "x" } },
	{ { .name = "x.py", .contents = "x" } },
	{ { .name = "demo-1.0/setup.py", .contents = "again" } },
	{ { .name = "demo-1.0/cut", .contents = "x", .size_add = 100000 } },
	{ { .name = "demo-1.0/PKG-INFO",
		.contents = "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n" } },
	{ { .name = "demo-1.0/PKG-INFO",
		.contents = "Metadata-Version: 2.1\nName: demo\nVersion: 2.0\n" } },
	{ { .name = "demo-1.0/PKG-INFO",
		.contents = "Metadata-Version: 2.1\nName: demo\nVersion: one\n" } },
	{ { .name = "demo-1.0/PKG-INFO", .contents = "" } },
	{ { .name = "demo-1.0/pyproject.toml", .contents = "[build-system]\n" } },
	{ { .name = "demo-1.0/pyproject.toml",
		.contents = "[build-system]\nrequires = \"setuptools\"\n" } },
	{ { .name = "demo-1.0/pyproject.toml",
		.contents = "[build-system]\nrequires = [\">=1\"]\n" } },
	{ { .name = "demo-1.0/pyproject.toml", .contents = "build-system = 1\n" } },
	{ { .name = "demo-1.0/pyproject.toml", .contents = "= broken" } },
};
static const char *const bad_texts[] = {
	"it has a \".\" or \"..\" component",
	"it has a \".\" or \"..\" component",
	"it is absolute",
	"it has an empty component",
	"it has a backslash",
	"it has a control character",
	"it is not UTF-8",
	"member \"demo-1.0/link\": it is a symbolic link",
	"member \"demo-1.0/hard\": it is a hard link",
	"it is neither a file nor a folder",
	"it is neither a file nor a folder",
	"it is neither a file nor a folder",
	"\"other/x.py\" lies outside of the top folder \"demo-1.0\"",
	"\"x.py\" lies outside of a top folder",
	"two members are named \"demo-1.0/setup.py\"",
	"the archive is damaged",
	"PKG-INFO: Name \"other\" is not \"demo\"",
	"PKG-INFO: Version \"2.0\" is not that of the file, \"1.0\"",
	"PKG-INFO: ",
	"PKG-INFO: ",
	"pyproject.toml: [build-system] has no requires",
	"pyproject.toml: ",
	"pyproject.toml: build-system.requires: ",
	"pyproject.toml: ",
	"pyproject.toml: ",
};
_Static_assert(COUNT(bad_members) == COUNT(bad_texts), "one text a member");

UNIT(sdist_refuses_every_bad_member)
{
	for (size_t i = 0; i < COUNT(bad_members); i++) {
		struct made_tar v[] = {
			{ .name = "demo-1.0/setup.py", .contents = "setup()\n" },
			bad_members[i][0],
		};
		struct buf bytes = BUF_INIT;
		struct sdist s = SDIST_INIT;
		struct err e = ERR_INIT;

		tar_make(v, COUNT(v), &bytes);
		int rc = read_bytes(buf_str(&bytes), "demo-1.0.tar.gz", "demo", &s, &e);
		ck_assert_msg(rc == -RC_WHEEL, "%zu: %d %s", i, rc, e.text);
		ck_assert_msg(str_has(str_of(e.text), bad_texts[i]), "%zu: \"%s\" lacks \"%s\"", i,
			e.text, bad_texts[i]);
		ck_assert(str_starts(str_of(e.text), "demo-1.0.tar.gz: "));
		buf_release(&bytes);
	}
}

UNIT(sdist_refuses_what_cannot_be_built_or_read)
{
	static const struct made_tar v[] = { { .name = "demo-1.0/README", .contents = "hello" } };
	struct buf bytes = BUF_INIT;
	struct sdist s = SDIST_INIT;
	struct err e = ERR_INIT;

	tar_make(v, 1, &bytes);
	ck_assert_int_eq(read_bytes(buf_str(&bytes), "demo-1.0.tar.gz", "demo", &s, &e), -RC_WHEEL);
	ck_assert(str_has(str_of(e.text), "it cannot be built"));
	err_clear(&e);
	ck_assert_int_eq(read_bytes(buf_str(&bytes), "demo-1.0.zip", "demo", &s, &e), -RC_WHEEL);
	err_clear(&e);
	ck_assert_int_eq(
		read_bytes(buf_str(&bytes), "other-1.0.tar.gz", "demo", &s, &e), -RC_INVALID);
	err_clear(&e);
	ck_assert_int_eq(
		read_bytes(STR("plain text"), "demo-1.0.tar.gz", "demo", &s, &e), -RC_WHEEL);
	err_clear(&e);
	ck_assert_int_eq(read_bytes(STR(""), "demo-1.0.tar.gz", "demo", &s, &e), -RC_WHEEL);
	buf_release(&bytes);
}

UNIT(sdist_refuses_a_decompression_bomb)
{
	struct buf tar = BUF_INIT, bytes = BUF_INIT;
	struct sdist s = SDIST_INIT;
	struct err e = ERR_INIT;
	size_t n = 66 << 20;

	tar_add(&(struct made_tar){ .name = "demo-1.0/zeros", .contents = "", .size_add = n },
		&tar);
	memset(buf_room(&tar, n), 0, n);
	tar.n += n;
	gzip(buf_str(&tar), &bytes);
	ck_assert_int_eq(read_bytes(buf_str(&bytes), "demo-1.0.tar.gz", "demo", &s, &e), -RC_WHEEL);
	ck_assert_msg(str_has(str_of(e.text), "a decompression bomb"), "%s", e.text);
	buf_release(&tar);
	buf_release(&bytes);
}

UNIT(sdist_survives_every_cut)
{
	static const struct made_tar v[] = {
		{ .name = "demo-1.0/setup.py", .contents = "setup()\n" },
		{ .name = "demo-1.0/PKG-INFO", .contents = PKG_INFO },
	};
	struct buf bytes = BUF_INIT;

	tar_make(v, 2, &bytes);
	/* The last eight bytes are gzip's own check, behind the end of the tar. */
	for (size_t n = 0; n + 16 < bytes.n; n++) {
		struct sdist s = SDIST_INIT;
		struct err e = ERR_INIT;

		ck_assert_int_lt(
			read_bytes((struct str){ bytes.p, n }, "demo-1.0.tar.gz", "demo", &s, &e),
			0);
	}
	buf_release(&bytes);
}

/* ---- unpacking ---- */

static int extract(const struct made_tar *v, size_t n, const char *into, struct arena *a,
	char **top, struct err *e)
{
	struct buf bytes = BUF_INIT;
	FILE *f = tmpfile();

	tar_make(v, n, &bytes);
	ck_assert_uint_eq(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	fflush(f);
	int rc = sdist_extract(fileno(f), STR("demo-1.0.tar.gz"), into, a, top, e);
	fclose(f);
	buf_release(&bytes);
	return rc;
}

UNIT(sdist_extract_writes_files_and_folders)
{
	static const struct made_tar v[] = {
		{ .name = "demo-1.0/setup.py", .contents = "setup()\n", .mode = 0444 },
		{ .name = "demo-1.0/a/b/run", .contents = "#!\n", .mode = 0700 },
		{ .name = "demo-1.0/empty/" },
		{ .name = "demo-1.0/a/" },
	};
	char into[] = "/tmp/sdist_test.XXXXXX";
	struct arena a = ARENA_INIT;
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct stat st;
	char *top = NULL;

	ck_assert_ptr_nonnull(mkdtemp(into));
	mode_t old = umask(077);
	ck_assert_msg(extract(v, COUNT(v), into, &a, &top, &e) == 0, "%s", e.text);
	umask(old);
	ck_assert_str_eq(top, "demo-1.0");
	ck_assert_int_eq(
		fs_read(arena_printf(&a, "%s/demo-1.0/setup.py", into), 100, &text, &e), 0);
	ck_assert_str_eq(text.p, "setup()\n");
	ck_assert_int_eq(stat(arena_printf(&a, "%s/demo-1.0/setup.py", into), &st), 0);
	ck_assert_uint_eq(st.st_mode, 0100644);
	ck_assert_int_eq(st.st_mtime, 1500000000);
	ck_assert_int_eq(stat(arena_printf(&a, "%s/demo-1.0/a/b/run", into), &st), 0);
	ck_assert_uint_eq(st.st_mode, 0100755);
	ck_assert(fs_exists(arena_printf(&a, "%s/demo-1.0/empty", into)));
	/* The folder must be empty: nothing is replaced. */
	ck_assert_int_eq(extract(v, COUNT(v), into, &a, &top, &e), -RC_WHEEL);
	ck_assert_int_eq(fs_remove_tree(into, &e), 0);
	buf_release(&text);
	arena_release(&a);
}

UNIT(sdist_extract_writes_nothing_outside)
{
	static const struct made_tar tricks[][2] = {
		{ { .name = "demo-1.0/a", .contents = "x" },
			{ .name = "demo-1.0/a/b", .contents = "y" } },
		{ { .name = "demo-1.0/a/b", .contents = "x" },
			{ .name = "demo-1.0/a", .contents = "y" } },
		{ { .name = "demo-1.0/a", .contents = "x" }, { .name = "demo-1.0/a/" } },
		{ { .name = "demo-1.0/l", .contents = "..", .type = '2' },
			{ .name = "demo-1.0/l/evil", .contents = "x" } },
		{ { .name = "../evil", .contents = "x" },
			{ .name = "demo-1.0/x", .contents = "x" } },
	};

	for (size_t i = 0; i < COUNT(tricks); i++) {
		char into[] = "/tmp/sdist_test.XXXXXX";
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		char *top = NULL, **names = NULL;
		size_t n = 0;

		ck_assert_ptr_nonnull(mkdtemp(into));
		const char *inner = arena_printf(&a, "%s/in", into);
		ck_assert_int_eq(mkdir(inner, 0755), 0);
		ck_assert_msg(extract(tricks[i], 2, inner, &a, &top, &e) == -RC_WHEEL, "%zu: %s", i,
			e.text);
		ck_assert_ptr_null(top);
		err_clear(&e);
		ck_assert_int_eq(fs_list(into, &a, &names, &n, &e), 0);
		ck_assert_uint_eq(n, 1);
		ck_assert_int_eq(fs_remove_tree(into, &e), 0);
		arena_release(&a);
	}
}
