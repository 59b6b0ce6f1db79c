/* The releases of torch: which exist, how they read without dots, which CUDA PyPI's have. */
#include "manifests/variant.h"

enum { NEWER_MINORS = 10 }; /* a minor no farther behind the table is taken for one to come */

struct release {
	unsigned major, minor, last_patch;
	bool is_x86_known, is_arm_known;
	struct cuda_version x86, arm;
};

#define UNKNOWN false, 0, 0
#define CPU true, 0, 0
#define CUDA(major, minor) true, major, minor
#define TORCH(...) TORCH_ROW(__VA_ARGS__) /* once UNKNOWN, CPU and CUDA are what they stand for */
#define TORCH_ROW(major, minor, patch, is_x86_known, x86, x86_minor, is_arm_known, arm, arm_minor) \
	{ major, minor, patch, is_x86_known, is_arm_known, { x86, x86_minor }, { arm, arm_minor } },

static const struct release releases[] = {
#include "manifests/data/torch.def"
};

enum { NRELEASES = sizeof(releases) / sizeof(releases[0]) };

static const struct release *find_release(uint64_t major, uint64_t minor, uint64_t patch)
{
	for (size_t i = 0; i < NRELEASES; i++) {
		const struct release *r = &releases[i];

		if (r->major == major && r->minor == minor && patch <= r->last_patch) {
			return r;
		}
	}
	return NULL;
}

bool torch_is_release(unsigned major, unsigned minor, unsigned patch)
{
	return find_release(major, minor, patch) != NULL;
}

/* ---- digits ---- */

/* "2.10" of "210", "2.8" of "28". */
static bool read_as_minor(struct str digits, struct variant_torch *out)
{
	uint64_t minor;

	if (digits.n < 2 || digits.n > 3 || (digits.n == 3 && digits.p[1] == '0') ||
		!str_to_u64(str_skip(digits, 1), &minor)) {
		return false;
	}
	*out = (struct variant_torch){ .major = (unsigned)(digits.p[0] - '0'),
		.minor = (unsigned)minor };
	return true;
}

/* "2.1.0" of "210", "2.11.0" of "2110". */
static bool read_as_full(struct str digits, struct variant_torch *out)
{
	uint64_t minor;

	if (digits.n < 3 || digits.n > 4 || (digits.n == 4 && digits.p[1] == '0') ||
		!str_to_u64(str_first(str_skip(digits, 1), digits.n - 2), &minor)) {
		return false;
	}
	*out = (struct variant_torch){ .major = (unsigned)(digits.p[0] - '0'),
		.minor = (unsigned)minor,
		.patch = (unsigned)(digits.p[digits.n - 1] - '0'),
		.has_patch = true };
	return true;
}

/* 2: exists; 1: newer than the table; 0: neither. */
static int likelihood(const struct variant_torch *t)
{
	const struct release *newest = &releases[NRELEASES - 1];

	if (torch_is_release(t->major, t->minor, t->patch)) {
		return 2;
	}
	return t->major > newest->major || (t->major == newest->major && t->minor > newest->minor &&
						   t->minor <= newest->minor + NEWER_MINORS);
}

/* Of two readings that are likely to the same degree; -1: not to be told. A minor beyond all to
 * come is none. */
static int chosen_by_style(enum variant_torch_style style, int degree)
{
	if (style == VARIANT_TORCH_FULL || degree == 0) {
		return 1;
	}
	return style == VARIANT_TORCH_MINOR ? 0 : -1;
}

unsigned torch_read_digits(
	struct str digits, enum variant_torch_style style, struct variant_torch out[2])
{
	struct variant_torch reading[2]; /* minor, full */
	bool has_minor = read_as_minor(digits, &reading[0]),
	     has_full = read_as_full(digits, &reading[1]);

	if (digits.n == 0 || digits.p[0] == '0' || (!has_minor && !has_full)) {
		return 0;
	}
	if (!has_minor || !has_full) {
		out[0] = reading[has_minor ? 0 : 1];
		return 1;
	}
	int minor = likelihood(&reading[0]), full = likelihood(&reading[1]);
	int chosen = minor != full ? full > minor : chosen_by_style(style, full);
	if (chosen >= 0) {
		out[0] = reading[chosen];
		return 1;
	}
	out[0] = reading[0];
	out[1] = reading[1];
	return 2;
}

/* ---- PyPI ---- */

bool torch_plain_cuda(const struct version *torch, struct str platform, struct cuda_version *out)
{
	const uint64_t *n = torch->release;
	size_t parts = torch->nrelease;
	const struct release *r = find_release(n[0], parts > 1 ? n[1] : 0, parts > 2 ? n[2] : 0);
	bool is_arm = str_is(platform, "linux_aarch64");

	if (!r || torch->nlocal || version_is_prerelease(torch)) {
		return false;
	}
	if (str_is(platform, "win_amd64")) {
		*out = (struct cuda_version){ 0, 0 };
		return true;
	}
	if (!is_arm && !str_is(platform, "linux_x86_64")) {
		return false;
	}
	if (!(is_arm ? r->is_arm_known : r->is_x86_known)) {
		return false;
	}
	*out = is_arm ? r->arm : r->x86;
	return true;
}
