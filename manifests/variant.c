/* The tokens of a local label, from left to right: each word has a reader that takes what belongs
 * to it. A word starts at the beginning, behind a separator or behind a token, so that nothing is
 * found inside hashes and names; what no reader takes goes to the rest. PEP 440 cuts at every '.',
 * which parts "2.8cxx11": the text is read as a whole. */
#include "manifests/variant.h"

struct scan {
	struct str text; /* lower case, '.' as the only separator */
	size_t at;
	enum variant_torch_style style;
	struct variant *v;
	struct buf rest;
	size_t rest_end; /* where the last piece of the rest ended */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static char char_at(const struct scan *s, size_t at)
{
	return at < s->text.n ? s->text.p[at] : '.';
}

static bool word_at(const struct scan *s, size_t at, const char *word)
{
	return at < s->text.n && str_starts(str_skip(s->text, at), word);
}

static struct str digits_at(const struct scan *s, size_t at)
{
	struct str digits = str_skip(s->text, at);
	size_t n = 0;

	while (n < digits.n && is_digit(digits.p[n])) {
		n++;
	}
	return str_first(digits, n);
}

/* Digits behind `at`, or behind the one separator there. *digits is where they start. */
static struct str digits_behind(const struct scan *s, size_t at, size_t *start)
{
	*start = at + (char_at(s, at) == '.');
	return digits_at(s, *start);
}

static unsigned number_of(struct str digits)
{
	unsigned value = 0;

	for (size_t i = 0; i < digits.n; i++) {
		value = value * 10 + (unsigned)(digits.p[i] - '0');
	}
	return value;
}

/* Does a token end here? A letter that a hash may have ends none unless a word begins with it. */
static bool ends_at(const struct scan *s, size_t at)
{
	static const char *const words[] = { "andhigher", "abi", "cpu", "cu", "cxx11" };
	char c = char_at(s, at);

	if (!is_letter(c) || c > 'f') {
		return !is_digit(c);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_at(s, at, words[i])) {
			return true;
		}
	}
	return false;
}

/* ".8" at `at`: a number of at most `most` digits that ends there. Its end, or 0. */
static size_t read_dotted(const struct scan *s, size_t at, size_t most, unsigned *out)
{
	struct str digits = digits_at(s, at + 1);
	size_t end = at + 1 + digits.n;

	if (at >= s->text.n || char_at(s, at) != '.' || digits.n == 0 || digits.n > most ||
		!ends_at(s, end)) {
		return 0;
	}
	*out = number_of(digits);
	return end;
}

/* ---- readers: how many bytes at s->at are theirs, 0 for none ---- */

/* The version behind "rocm": 6.4, 6.2.4, 64 or nothing. Its end. */
static size_t read_rocm(const struct scan *s, size_t at)
{
	size_t start, end, next;
	unsigned ignored;
	struct str digits = digits_behind(s, at, &start);

	if (digits.n == 0 || digits.n > 3 || !ends_at(s, start + digits.n)) {
		return at;
	}
	end = start + digits.n;
	while ((next = read_dotted(s, end, 2, &ignored)) != 0) {
		end = next;
	}
	return end;
}

static size_t read_accelerator(struct scan *s)
{
	static const struct {
		const char *word;
		enum variant_accelerator is;
	} table[] = { { "cpu", VARIANT_CPU }, { "rocm", VARIANT_ROCM }, { "xpu", VARIANT_XPU } };

	for (size_t i = 0; !s->v->accelerator && i < sizeof(table) / sizeof(table[0]); i++) {
		size_t end = s->at + str_of(table[i].word).n;

		if (!word_at(s, s->at, table[i].word)) {
			continue;
		}
		end = table[i].is == VARIANT_ROCM ? read_rocm(s, end) : end;
		if (!ends_at(s, end) && !is_digit(char_at(s, end))) {
			continue;
		}
		s->v->accelerator = table[i].is;
		return end - s->at;
	}
	return 0;
}

/* "12" is a major version, "118" has a minor; so has "92", as there never was a CUDA 92. "1281"
 * is 12.8.1. */
static bool cuda_of_digits(struct str digits, struct variant *v)
{
	unsigned value = number_of(str_first(digits, 4));

	if (digits.n == 4) {
		value /= 10;
	}
	v->has_cuda_minor = digits.n > 2 || (digits.n == 2 && value >= 70);
	v->cuda = v->has_cuda_minor ? (struct cuda_version){ value / 10, value % 10 }
				    : (struct cuda_version){ value, 0 };
	return digits.n >= 1 && digits.n <= 4 && digits.p[0] != '0' && v->cuda.major >= 7 &&
	       v->cuda.major < 70;
}

static size_t read_cuda(struct scan *s)
{
	size_t at = s->at + (word_at(s, s->at, "cuda") ? 4 : 2), start, end, next;
	struct variant read = *s->v;
	unsigned minor, ignored;

	if (!word_at(s, s->at, "cu") || read.accelerator) {
		return 0;
	}
	struct str digits = digits_behind(s, at, &start);
	if (!cuda_of_digits(digits, &read)) {
		return 0;
	}
	end = start + digits.n;
	if (!read.has_cuda_minor && (next = read_dotted(s, end, 1, &minor)) != 0) {
		read.cuda.minor = minor;
		read.has_cuda_minor = true;
		end = next;
		next = read_dotted(s, end, 3, &ignored); /* a patch level: 13.0.88 */
		end = next ? next : end;
	}
	read.accelerator = VARIANT_CUDA;
	*s->v = read;
	return end - s->at;
}

/* "2.11" and "2.11.0" behind the one digit that ends at `at`. */
static size_t read_torch_dotted(struct scan *s, struct str major, size_t at)
{
	struct variant_torch torch = { .major = number_of(major) };
	size_t end = read_dotted(s, at, 2, &torch.minor), next;

	if (!end) {
		return 0;
	}
	next = read_dotted(s, end, 2, &torch.patch);
	torch.has_patch = next != 0;
	s->v->torch[s->v->ntorch++] = torch;
	return next ? next : end;
}

/* "25.04": year and month of a container. */
static size_t read_torch_calver(struct scan *s, struct str major, size_t at)
{
	struct variant_torch torch = { .major = number_of(major) };
	size_t end = read_dotted(s, at, 2, &torch.minor);

	if (!end || torch.major < 20 || torch.minor < 1 || torch.minor > 12) {
		return 0;
	}
	s->v->torch_is_calver = true;
	s->v->torch[s->v->ntorch++] = torch;
	return end;
}

static size_t read_torch(struct scan *s)
{
	static const char *const words[] = { "pytorch", "torch", "pt" };
	size_t word = 0, start;

	while (word < 3 && !word_at(s, s->at, words[word])) {
		word++;
	}
	if (word == 3 || s->v->ntorch) {
		return 0;
	}
	struct str digits = digits_behind(s, s->at + str_of(words[word]).n, &start);
	size_t end = start + digits.n, dotted = 0;

	if (digits.n == 1) {
		dotted = read_torch_dotted(s, digits, end);
	} else if (digits.n == 2) {
		dotted = read_torch_calver(s, digits, end);
	}
	if (dotted) {
		return dotted - s->at;
	}
	/* Who writes "pt" means PyG's way. */
	enum variant_torch_style style = word == 2 && !s->style ? VARIANT_TORCH_MINOR : s->style;

	s->v->ntorch = torch_read_digits(digits, style, s->v->torch);
	return s->v->ntorch ? end - s->at : 0;
}

static size_t read_higher(struct scan *s)
{
	static const char *const words[] = { "andhigher", "orhigher" };

	for (size_t i = 0; s->v->ntorch && i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_at(s, s->at, words[i])) {
			s->v->torch_or_higher = true;
			return str_of(words[i]).n;
		}
	}
	return 0;
}

/* "true", "1" and so on at `at`, behind a separator too. Its end, or 0. */
static size_t read_truth(const struct scan *s, size_t at, int *out)
{
	static const struct {
		const char *word;
		int is;
	} table[] = { { "true", 1 }, { "false", 0 }, { "1", 1 }, { "0", 0 } };
	bool is_apart = char_at(s, at) == '.';

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t end = at + is_apart + str_of(table[i].word).n;

		if (!word_at(s, at + is_apart, table[i].word) ||
			(is_digit(table[i].word[0]) &&
				!(is_apart ? char_at(s, end) == '.' : ends_at(s, end)))) {
			continue;
		}
		*out = table[i].is;
		return end;
	}
	return 0;
}

/* "cxx11abitrue", "cxx11.abi" (torch's own, for true), "abifalse". */
static size_t read_abi(struct scan *s)
{
	bool is_cxx11 = word_at(s, s->at, "cxx11");
	size_t at = s->at + (is_cxx11 ? 5 : 0);
	int is = 1;

	at += is_cxx11 && char_at(s, at) == '.';
	if (s->v->cxx11_abi >= 0 || !word_at(s, at, "abi")) {
		return 0;
	}
	size_t end = read_truth(s, at + 3, &is);
	if (!end && (!is_cxx11 || is_digit(char_at(s, at + 3)))) {
		return 0;
	}
	if (!is_cxx11 && is_digit(s->text.p[end - 1])) { /* "abi3" is Python's */
		return 0;
	}
	s->v->cxx11_abi = is;
	return (end ? end : at + 3) - s->at;
}

static size_t read_gpu(struct scan *s)
{
	size_t start;

	if (!word_at(s, s->at, "sm")) {
		return 0;
	}
	struct str digits = digits_behind(s, s->at + 2, &start);
	size_t end = start + digits.n;
	unsigned value = number_of(str_first(digits, 3));

	if (digits.n < 2 || digits.n > 3 || digits.p[0] == '0') {
		return 0;
	}
	if ((char_at(s, end) == 'a' || char_at(s, end) == 'f') && !ends_at(s, end) &&
		ends_at(s, end + 1)) {
		end++; /* sm_90a, sm_120f */
	}
	s->v->gpus[s->v->ngpus++] = (struct gpu){ value / 10, value % 10 };
	return end - s->at;
}

static size_t read_post(struct scan *s)
{
	size_t start;
	uint64_t number;

	if (!word_at(s, s->at, "post") || s->v->post) {
		return 0;
	}
	struct str digits = digits_behind(s, s->at + 4, &start);
	if (!str_to_u64(digits, &number)) {
		return 0;
	}
	s->v->post = number;
	return start + digits.n - s->at;
}

static size_t read_date(struct scan *s)
{
	struct str digits = digits_at(s, s->at);
	bool is_segment =
		(s->at == 0 || s->text.p[s->at - 1] == '.') && ends_at(s, s->at + digits.n);
	unsigned day = number_of(str_first(digits, 8)), month = day / 100 % 100;

	if (!is_segment || digits.n != 8 || s->v->date || day < 19900000 || day > 22000000 ||
		month < 1 || month > 12 || day % 100 < 1 || day % 100 > 31) {
		return 0;
	}
	s->v->date = day;
	return digits.n;
}

/* ---- the rest ---- */

/* Letters, or digits: behind digits a word may start again. */
static size_t read_unknown(struct scan *s)
{
	size_t n = 1;
	char first = s->text.p[s->at];

	while (is_letter(first) ? is_letter(char_at(s, s->at + n))
				: is_digit(first) && is_digit(char_at(s, s->at + n))) {
		n++;
	}
	if (s->rest.n && s->rest_end != s->at) {
		buf_addc(&s->rest, '.');
	}
	buf_addstr(&s->rest, str_first(str_skip(s->text, s->at), n));
	s->rest_end = s->at + n;
	return n;
}

static struct str plain_text(struct arena *a, struct str local)
{
	char *p = arena_dup(a, local);

	for (size_t i = 0; i < local.n; i++) {
		if (p[i] >= 'A' && p[i] <= 'Z') {
			p[i] = (char)(p[i] - 'A' + 'a');
		} else if (p[i] == '-' || p[i] == '_') {
			p[i] = '.';
		}
	}
	return (struct str){ p, local.n };
}

void variant_parse(
	struct arena *a, struct str local, enum variant_torch_style style, struct variant *out)
{
	static size_t (*const readers[])(struct scan *) = { read_accelerator, read_cuda, read_torch,
		read_higher, read_abi, read_gpu, read_post, read_date, read_unknown };
	struct variant v = { .cxx11_abi = -1 };
	struct scan s = { .text = plain_text(a, local), .style = style, .v = &v, .rest = BUF_INIT };

	v.gpus = arena_array(a, local.n / 4 + 1, sizeof(*v.gpus)); /* "sm89" */
	while (s.at < s.text.n) {
		size_t n = s.text.p[s.at] == '.';

		for (size_t i = 0; !n && i < sizeof(readers) / sizeof(readers[0]); i++) {
			n = readers[i](&s);
		}
		s.at += n;
	}
	v.rest = arena_str(a, buf_str(&s.rest));
	buf_release(&s.rest);
	*out = v;
}
