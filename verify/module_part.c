#include "verify/module_part.h"

#include "manifests/variant.h"

struct kind_token { /* "cuda126" in "libx_cuda126.so" */
	size_t at, n;
	enum variant_accelerator accelerator;
	struct cuda_version cuda; /* of VARIANT_CUDA */
	bool has_minor;
};

struct family { /* modules whose names differ in that token alone */
	size_t nmembers;
	int best_fit; /* of its members for CUDA */
};

struct str module_file_name(const struct native_module *m)
{
	size_t slash = str_rfind(m->name, '/');

	return slash == m->name.n ? m->name : str_skip(m->name, slash + 1);
}

bool module_is_library(const struct native_module *m)
{
	struct str file = module_file_name(m);

	return str_has(file, ".so") || str_ends(file, ".pyd") || str_ends(file, ".dll");
}

/* ---- names ---- */

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static size_t count_digits(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9') {
		n++;
	}
	return n;
}

/* "cu126" and "cuda126" are 12.6, "cu13" is 13. */
static bool read_cuda(struct str digits, struct kind_token *out)
{
	struct arena a = ARENA_INIT;
	struct variant v;

	variant_parse(
		&a, str_of(arena_printf(&a, "cu%.*s", STR_ARG(digits))), VARIANT_TORCH_ANY, &v);
	arena_release(&a);
	if (v.accelerator != VARIANT_CUDA) {
		return false;
	}
	out->accelerator = VARIANT_CUDA;
	out->cuda = v.cuda;
	out->has_minor = v.has_cuda_minor;
	return true;
}

static bool read_word(struct str word, struct kind_token *out)
{
	static const struct {
		const char *word;
		enum variant_accelerator accelerator;
	} words[] = { { "cuda", VARIANT_CUDA }, { "cu", VARIANT_CUDA }, { "rocm", VARIANT_ROCM },
		{ "hip", VARIANT_ROCM }, { "xpu", VARIANT_XPU }, { "cpu", VARIANT_CPU } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct str digits = str_skip(word, str_of(words[i].word).n);

		if (!str_starts(word, words[i].word) || count_digits(digits) != digits.n) {
			continue;
		}
		if (words[i].accelerator == VARIANT_CUDA) { /* without a number it is any CUDA */
			return digits.n && read_cuda(digits, out);
		}
		out->accelerator = words[i].accelerator;
		return true;
	}
	return false;
}

static bool find_token(struct str name, struct kind_token *out)
{
	for (size_t at = 0; at < name.n;) {
		size_t n = 0;

		while (at + n < name.n && is_word_byte(name.p[at + n])) {
			n++;
		}
		if (n && read_word(str_first(str_skip(name, at), n), out)) {
			out->at = at;
			out->n = n;
			return true;
		}
		at += n ? n : 1;
	}
	return false;
}

bool module_name_cuda(const struct native_module *m, struct cuda_version *out, bool *has_minor)
{
	struct kind_token token;

	if (!find_token(module_file_name(m), &token) || token.accelerator != VARIANT_CUDA) {
		return false;
	}
	*out = token.cuda;
	*has_minor = token.has_minor;
	return true;
}

bool module_exports_init(const struct native_module *m, struct str name)
{
	static const char prefix[] = "PyInit_";

	for (size_t i = 0; i < m->nexported; i++) {
		struct str init = str_skip(m->exported[i], sizeof(prefix) - 1);

		if (str_starts(m->exported[i], prefix) && (name.n == 0 || str_eq(init, name))) {
			return true;
		}
	}
	return false;
}

/* ---- parts ---- */

static int cuda_fit(const struct kind_token *t, struct cuda_version cuda)
{
	if (t->accelerator != VARIANT_CUDA || t->cuda.major != cuda.major) {
		return 0;
	}
	return t->has_minor && t->cuda.minor == cuda.minor ? 2 : 1;
}

static bool is_spare(const struct kind_token *t, const struct family *f, struct cuda_version cuda,
	bool is_cuda_known)
{
	if (f->nmembers < 2 || t->accelerator == VARIANT_CPU) {
		return false;
	}
	if (t->accelerator != VARIANT_CUDA) {
		return true;
	}
	return is_cuda_known && (cuda.major == 0 || cuda_fit(t, cuda) < f->best_fit);
}

static struct str family_key(
	struct arena *a, const struct native_module *m, const struct kind_token *t)
{
	struct str file = module_file_name(m), folder = str_first(m->name, m->name.n - file.n);

	return str_of(arena_printf(a, "%.*s%.*s*%.*s", STR_ARG(folder),
		STR_ARG(str_first(file, t->at)), STR_ARG(str_skip(file, t->at + t->n))));
}

static void mark_spare(
	const struct native *n, struct cuda_version cuda, bool is_cuda_known, int *parts)
{
	struct arena a = ARENA_INIT;
	struct map index = MAP_INIT;
	VEC(struct family) families = VEC_INIT;
	struct kind_token *tokens = arena_array(&a, n->nmodules, sizeof(*tokens));
	size_t *family_of = arena_array(&a, n->nmodules, sizeof(*family_of));

	for (size_t i = 0; i < n->nmodules; i++) {
		if (parts[i] != MODULE_USED ||
			!find_token(module_file_name(&n->modules[i]), &tokens[i])) {
			continue;
		}
		struct str key = family_key(&a, &n->modules[i], &tokens[i]);
		const size_t *known = map_get(&index, key);
		family_of[i] = known ? *known : families.n;
		if (!known) {
			map_put(&index, key, families.n);
			vec_push(&families, (struct family){ .nmembers = 0 });
		}
		struct family *f = &families.v[family_of[i]];
		f->nmembers++;
		if (cuda_fit(&tokens[i], cuda) > f->best_fit) {
			f->best_fit = cuda_fit(&tokens[i], cuda);
		}
	}
	for (size_t i = 0; i < n->nmodules; i++) {
		if (tokens[i].n && parts[i] == MODULE_USED &&
			is_spare(&tokens[i], &families.v[family_of[i]], cuda, is_cuda_known)) {
			parts[i] = MODULE_SPARE;
		}
	}
	vec_release(&families);
	map_release(&index);
	arena_release(&a);
}

bool module_runs(const struct native_module *m, const struct target *t)
{
	bool is_arm = str_is(t->machine, "aarch64");
	enum native_machine machine = is_arm ? NATIVE_AARCH64 : NATIVE_X86_64;

	if (m->format != (t->os == TARGET_WINDOWS ? NATIVE_PE : NATIVE_ELF)) {
		return false;
	}
	return m->is_readable && m->machine == machine;
}

int *module_parts(struct arena *a, const struct native *n, const struct target *t,
	struct cuda_version cuda, bool is_cuda_known)
{
	int *parts = arena_array(a, n->nmodules ? n->nmodules : 1, sizeof(*parts));

	for (size_t i = 0; i < n->nmodules; i++) {
		const struct native_module *m = &n->modules[i];

		parts[i] = m->format == NATIVE_ARCHIVE ? MODULE_OBJECT
			   : module_runs(m, t)         ? MODULE_USED
						       : MODULE_FOREIGN;
	}
	mark_spare(n, cuda, is_cuda_known, parts);
	return parts;
}

const struct native_module *module_of_member(const struct native *n, size_t member)
{
	size_t low = 0, high = n->nmodules;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->modules[middle].member == member) {
			return &n->modules[middle];
		}
		if (n->modules[middle].member < member) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NULL;
}

/* ---- torch ---- */

bool is_torch_library(struct str soname)
{
	static const char *const dlls[] = { "torch.dll", "torch_cpu.dll", "torch_cuda.dll",
		"torch_python.dll", "c10.dll", "c10_cuda.dll" };

	if (str_starts(soname, "libtorch") || str_starts(soname, "libc10")) {
		return str_has(soname, ".so");
	}
	for (size_t i = 0; i < sizeof(dlls) / sizeof(dlls[0]); i++) {
		if (str_eq_nocase(soname, str_of(dlls[i]))) {
			return true;
		}
	}
	return false;
}

static bool wants(
	const struct native_module *m, enum native_symbol_kind a, enum native_symbol_kind b)
{
	for (size_t i = 0; i < m->nundefined; i++) {
		enum native_symbol_kind kind = native_symbol_kind(m->undefined[i]);

		if (kind == a || kind == b) {
			return true;
		}
	}
	return false;
}

bool module_uses_torch_cxx(const struct native_module *m)
{
	return wants(m, NATIVE_SYMBOL_TORCH_CXX, NATIVE_SYMBOL_TORCH_CXX);
}

bool module_uses_torch(const struct native_module *m)
{
	for (size_t i = 0; i < m->nneeded; i++) {
		if (is_torch_library(m->needed[i])) {
			return true;
		}
	}
	return wants(m, NATIVE_SYMBOL_TORCH_CXX, NATIVE_SYMBOL_TORCH_C);
}
