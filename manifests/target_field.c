/* One parser a field. What users are likely to write instead gets a hint with the right
 * spelling. */
#include "manifests/target_field.h"

#include <stdio.h>

enum { OLDEST_PYTHON = 8, NEWEST_PYTHON = 15, FIRST_FREE_THREADED = 13 }; /* CPython 3.x */
enum { OLDEST_GLIBC = 5, NEWEST_LIBC = 99 };                              /* minor versions */
enum { OLDEST_DRIVER = 300, NEWEST_DRIVER = 9999 };
enum { OLDEST_CUDA = 8, NEWEST_CUDA = 19 };
enum { OLDEST_GPU = 5, NEWEST_GPU = 12 };
enum { GUESS_SIZE = 24 };

static int refuse(struct err *e, const char *field, struct str value, const char *allowed)
{
	struct str shown = str_first(value, 100);

	return err_set(e, RC_INVALID, "%s \"%.*s\": %s", field, STR_ARG(shown), allowed);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str leading_digits(struct str text)
{
	size_t n = 0;

	while (n < text.n && is_digit(text.p[n])) {
		n++;
	}
	return str_first(text, n);
}

/* A number of at most four digits, without leading zeros, taken off *rest. */
static bool take_number(struct str *rest, unsigned *out)
{
	struct str digits = leading_digits(*rest);
	uint64_t value;

	if (digits.n > 4 || (digits.n > 1 && digits.p[0] == '0') || !str_to_u64(digits, &value)) {
		return false;
	}
	*out = (unsigned)value;
	*rest = str_skip(*rest, digits.n);
	return true;
}

static bool take_char(struct str *rest, char c)
{
	if (rest->n == 0 || rest->p[0] != c) {
		return false;
	}
	*rest = str_skip(*rest, 1);
	return true;
}

static bool read_pair(struct str text, unsigned *major, unsigned *minor)
{
	return take_number(&text, major) && take_char(&text, '.') && take_number(&text, minor) &&
	       text.n == 0;
}

/* What other tools write before the number ("sm_", "cp", "==", "manylinux_") says nothing here. */
static struct str without_prefix(struct str text)
{
	while (text.n && !is_digit(text.p[0])) {
		text = str_skip(text, 1);
	}
	return text;
}

/* ---- python ---- */

static bool read_python(struct str text, struct target_python *out)
{
	struct target_python p = { 0 };

	if (!take_number(&text, &p.major) || !take_char(&text, '.') ||
		!take_number(&text, &p.minor)) {
		return false;
	}
	p.has_patch = take_char(&text, '.');
	if (p.has_patch && !take_number(&text, &p.patch)) {
		return false;
	}
	p.free_threaded = take_char(&text, 't');
	if (text.n) {
		return false;
	}
	*out = p;
	return true;
}

static bool is_known_python(const struct target_python *p)
{
	return p->major == 3 && p->minor >= OLDEST_PYTHON && p->minor <= NEWEST_PYTHON &&
	       (!p->free_threaded || p->minor >= FIRST_FREE_THREADED);
}

/* "cp312", "python3.12", "==3.12", "312": the same with its dot and nothing before it. */
static void hint_python(struct str text, struct err *e)
{
	struct str bare = without_prefix(text), digits = leading_digits(bare);
	struct target_python p;
	char guess[GUESS_SIZE] = "";

	if (str_is(text, "3.1")) {
		err_hint(e,
			"did you mean \"3.10\"? Without quotes TOML reads 3.10 as the number 3.1");
	} else if (str_is(text, "3.1t")) {
		err_hint(e, "did you mean \"3.13t\"?");
	} else if (bare.n < GUESS_SIZE - 2) {
		const char *dot = digits.n > 1 ? "." : "";

		snprintf(guess, sizeof(guess), "%.1s%s%.*s", bare.n ? bare.p : "", dot,
			STR_ARG(str_skip(bare, 1)));
	}
	if (read_python(str_of(guess), &p) && is_known_python(&p)) {
		err_hint(e, "did you mean \"%s\"?", guess);
	}
}

int python_field_parse(struct str text, struct target_python *out, struct err *e)
{
	struct target_python p;

	if (!read_python(text, &p) || !is_known_python(&p)) {
		refuse(e, "python", text,
			"CPython \"3.8\" to \"3.15\" is allowed, with a patch level where it "
			"matters (\"3.12.4\"), and free-threaded from \"3.13t\" on");
		hint_python(text, e);
		return -(int)e->rc;
	}
	*out = p;
	return 0;
}

/* ---- platform ---- */

static const struct platform {
	const char *name;
	enum target_os os;
	const char *machine; /* as in tags */
} platforms[] = {
	{ "linux_x86_64", TARGET_LINUX, "x86_64" },
	{ "linux_aarch64", TARGET_LINUX, "aarch64" },
	{ "win_amd64", TARGET_WINDOWS, "amd64" },
};

static const struct {
	const char *written, *meant;
} platform_aliases[] = {
	{ "linux", "linux_x86_64" },
	{ "x86_64", "linux_x86_64" },
	{ "amd64", "linux_x86_64" },
	{ "linux-x86_64", "linux_x86_64" },
	{ "linux_amd64", "linux_x86_64" },
	{ "aarch64", "linux_aarch64" },
	{ "arm64", "linux_aarch64" },
	{ "sbsa", "linux_aarch64" },
	{ "linux-aarch64", "linux_aarch64" },
	{ "linux_arm64", "linux_aarch64" },
	{ "windows", "win_amd64" },
	{ "win64", "win_amd64" },
	{ "win-amd64", "win_amd64" },
	{ "win_x86_64", "win_amd64" },
	{ "windows_x86_64", "win_amd64" },
};

static void hint_platform(struct str text, struct err *e)
{
	if (str_starts(text, "manylinux") || str_starts(text, "musllinux")) {
		err_hint(e, "give the two apart: platform = \"linux_%s\" and %s = \"...\"",
			str_ends(text, "aarch64") ? "aarch64" : "x86_64",
			str_starts(text, "musl") ? "musl" : "glibc");
	}
	for (size_t i = 0; i < sizeof(platform_aliases) / sizeof(platform_aliases[0]); i++) {
		if (str_eq_nocase(text, str_of(platform_aliases[i].written))) {
			err_hint(e, "did you mean \"%s\"?", platform_aliases[i].meant);
		}
	}
}

int platform_field_parse(struct str text, struct target *out, struct err *e)
{
	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
		if (str_is(text, platforms[i].name)) {
			out->platform = str_of(platforms[i].name);
			out->os = platforms[i].os;
			out->machine = str_of(platforms[i].machine);
			return 0;
		}
	}
	refuse(e, "platform", text,
		"\"linux_x86_64\", \"linux_aarch64\" and \"win_amd64\" are allowed");
	hint_platform(text, e);
	return -(int)e->rc;
}

/* ---- libc ---- */

/* "manylinux_2_28_x86_64", "glibc 2.28", "2.28-0ubuntu9": the first two numbers in it. */
static void hint_libc(struct str text, unsigned major, unsigned oldest, struct err *e)
{
	struct str rest = without_prefix(text);
	unsigned v[2];

	if (take_number(&rest, &v[0]) && (take_char(&rest, '.') || take_char(&rest, '_')) &&
		take_number(&rest, &v[1]) && v[0] == major && v[1] >= oldest &&
		v[1] <= NEWEST_LIBC) {
		err_hint(e, "did you mean \"%u.%u\"?", v[0], v[1]);
	}
}

int glibc_field_parse(struct str text, struct target *out, struct err *e)
{
	unsigned major, minor;

	if (!read_pair(text, &major, &minor) || major != 2 || minor < OLDEST_GLIBC ||
		minor > NEWEST_LIBC) {
		refuse(e, "glibc", text,
			"\"2.5\" to \"2.99\" is allowed; \"ldd --version\" shows it");
		hint_libc(text, 2, OLDEST_GLIBC, e);
		return -(int)e->rc;
	}
	out->libc = TARGET_GLIBC;
	out->libc_major = major;
	out->libc_minor = minor;
	return 0;
}

int musl_field_parse(struct str text, struct target *out, struct err *e)
{
	unsigned major, minor;

	if (!read_pair(text, &major, &minor) || major != 1 || minor > NEWEST_LIBC) {
		refuse(e, "musl", text, "\"1.0\" to \"1.99\" is allowed, like \"1.2\"");
		hint_libc(text, 1, 0, e);
		return -(int)e->rc;
	}
	out->libc = TARGET_MUSL;
	out->libc_major = major;
	out->libc_minor = minor;
	return 0;
}

/* ---- GPU, driver, CUDA ---- */

static bool read_gpu(struct str text, struct gpu *out)
{
	static const char *const early[] = { "5.0", "5.2", "5.3", "6.0", "6.1", "6.2", "7.0", "7.2",
		"7.5", "8.0", "8.6", "8.7", "8.8", "8.9", "9.0" };
	struct gpu g;

	if (!read_pair(text, &g.major, &g.minor) || g.major < OLDEST_GPU || g.major > NEWEST_GPU ||
		g.minor > 9) {
		return false;
	}
	/* Generations that are complete are listed; the later ones may still get siblings. */
	bool is_real = g.major > 9;
	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++) {
		is_real = is_real || str_is(text, early[i]);
	}
	if (is_real) {
		*out = g;
	}
	return is_real;
}

/* "90", "sm_90a", "compute_120", "9": with the dot, and without the letter of a code variant. */
static void hint_gpu(struct str text, struct err *e)
{
	struct str bare = without_prefix(text), digits = leading_digits(bare);
	char guess[GUESS_SIZE];
	struct gpu g;

	if (bare.n && (str_ends(bare, "a") || str_ends(bare, "f"))) {
		bare.n--;
	}
	if (bare.n > 8 || bare.n == 0) {
		return;
	}
	if (digits.n < bare.n) {
		snprintf(guess, sizeof(guess), "%.*s", STR_ARG(bare));
	} else if (digits.n == 1) {
		snprintf(guess, sizeof(guess), "%.*s.0", STR_ARG(digits));
	} else {
		snprintf(guess, sizeof(guess), "%.*s.%c", (int)digits.n - 1, digits.p,
			digits.p[digits.n - 1]);
	}
	if (read_gpu(str_of(guess), &g)) {
		err_hint(e, "did you mean \"%s\"?", guess);
	}
}

int gpu_parse(struct str text, struct gpu *out, struct err *e)
{
	if (!read_gpu(text, out)) {
		refuse(e, "gpus", text,
			"a compute capability from \"5.0\" to \"12.9\" is allowed, like \"9.0\"");
		hint_gpu(text, e);
		return -(int)e->rc;
	}
	return 0;
}

int driver_field_check(struct str text, struct err *e)
{
	struct str rest = text, piece;
	uint64_t number = 0, first = 0;
	size_t n = 0;
	bool is_right = true;

	for (; str_cut(&rest, '.', &piece); n++) {
		is_right = is_right && piece.n <= 5 && str_to_u64(piece, &number);
		first = n == 0 ? number : first;
	}
	if (is_right && n >= 1 && n <= 3 && first >= OLDEST_DRIVER && first <= NEWEST_DRIVER) {
		return 0;
	}
	refuse(e, "driver", text, "the version of NVIDIA's driver is allowed, like \"580.65.06\"");
	return err_hint(e, "nvidia-smi shows it as \"Driver Version\", beside the CUDA version");
}

/* Labels of wheels write "cu" before it, tools "CUDA". */
static struct str without_cuda_prefix(struct str text)
{
	static const char *const words[] = { "cuda", "cu" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct str word = str_of(words[i]);

		if (str_eq_nocase(str_first(text, word.n), word)) {
			return str_skip(text, word.n);
		}
	}
	return text;
}

/* "130" is 13.0 and "92" is 9.2, as in the labels of wheels; "13" is every 13.x. */
static bool read_cuda_digits(struct str text, struct cuda_version *out, bool *is_any_minor)
{
	unsigned number;
	size_t n = text.n;

	if (!take_number(&text, &number) || text.n || n > 3) {
		return false;
	}
	*is_any_minor = n < 3 && number <= NEWEST_CUDA;
	*out = *is_any_minor ? (struct cuda_version){ number, 0 }
			     : (struct cuda_version){ number / 10, number % 10 };
	return true;
}

/* "13.0", and "13.0.88" as nvcc says it. */
static bool read_cuda_dotted(struct str text, struct cuda_version *out)
{
	unsigned patch;

	if (!take_number(&text, &out->major) || !take_char(&text, '.') ||
		!take_number(&text, &out->minor)) {
		return false;
	}
	return text.n == 0 || (take_char(&text, '.') && take_number(&text, &patch) && text.n == 0);
}

int cuda_field_parse(struct str text, struct target *out, struct err *e)
{
	struct str bare = without_cuda_prefix(text);
	struct cuda_version v = { 0, 0 };
	bool is_any_minor = false;

	if (str_is(text, "none")) {
		out->cuda = v;
		return 0;
	}
	if ((!read_cuda_digits(bare, &v, &is_any_minor) && !read_cuda_dotted(bare, &v)) ||
		v.major < OLDEST_CUDA || v.major > NEWEST_CUDA || v.minor > 9) {
		refuse(e, "cuda", text,
			"a version like \"13.0\" is allowed, \"13\" for every 13.x, or \"none\"");
		return without_prefix(text).n ? -(int)e->rc : err_hint(e, "did you mean \"none\"?");
	}
	out->cuda = v;
	out->is_any_cuda_minor = is_any_minor;
	return 0;
}
