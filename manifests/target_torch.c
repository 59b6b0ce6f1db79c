/* torch's own wheels name their accelerator in the local label; which of them have the C++11 ABI
 * is history: none on x86 to 2.5, all from 2.7 on, and in 2.6 it depended on the build. */
#include "manifests/target_torch.h"

enum label { LABEL_NONE, LABEL_CUDA, LABEL_CPU, LABEL_ROCM, LABEL_XPU, LABEL_NGC, LABEL_OTHER };

static bool is_word_number(struct str text, const char *word, struct str *digits)
{
	uint64_t number;

	*digits = str_skip(text, str_of(word).n);
	return str_starts(text, word) && str_to_u64(*digits, &number);
}

/* "cu92" is 9.2, "cu130" is 13.0. */
static bool is_cuda_label(struct str text, struct cuda_version *out)
{
	struct str digits;

	if (!is_word_number(text, "cu", &digits) || digits.n < 2 || digits.n > 3) {
		return false;
	}
	out->major = (unsigned)(digits.p[0] - '0');
	if (digits.n == 3) {
		out->major = out->major * 10 + (unsigned)(digits.p[1] - '0');
	}
	out->minor = (unsigned)(digits.p[digits.n - 1] - '0');
	return out->major > 0;
}

static enum label label_of_segment(struct str text, struct cuda_version *cuda)
{
	struct str digits;

	if (is_cuda_label(text, cuda)) {
		return LABEL_CUDA;
	}
	if (str_is(text, "cpu")) {
		return LABEL_CPU;
	}
	if (str_is(text, "xpu")) {
		return LABEL_XPU;
	}
	if (is_word_number(text, "rocm", &digits)) {
		return LABEL_ROCM;
	}
	return is_word_number(text, "nv", &digits) ? LABEL_NGC : LABEL_OTHER;
}

static enum label label_of(const struct version *torch, struct cuda_version *cuda)
{
	enum label label = torch->nlocal ? LABEL_OTHER : LABEL_NONE;

	for (size_t i = 0; i < torch->nlocal && label == LABEL_OTHER; i++) {
		label = label_of_segment(torch->local[i].text, cuda);
	}
	return label;
}

/* "+cpu.cxx11.abi": the twin with the new ABI that some older releases had. */
static bool is_cxx11_twin(const struct version *torch)
{
	for (size_t i = 0; i < torch->nlocal; i++) {
		if (str_is(torch->local[i].text, "cxx11")) {
			return true;
		}
	}
	return false;
}

static int abi_of_2_6(enum label label, const struct cuda_version *cuda, bool is_x86)
{
	if (label == LABEL_OTHER) {
		return -1;
	}
	if (!is_x86 || label == LABEL_ROCM || label == LABEL_XPU) {
		return 1;
	}
	return label == LABEL_CUDA ? cuda->major * 10 + cuda->minor >= 126 : -1;
}

static int abi_of(const struct version *torch, enum label label, const struct cuda_version *cuda,
	const struct target *t)
{
	uint64_t major = torch->release[0], minor = torch->nrelease > 1 ? torch->release[1] : 0;
	bool is_x86 = str_is(t->machine, "x86_64");

	if (t->os != TARGET_LINUX) { /* an ABI of libstdc++ */
		return -1;
	}
	if (label == LABEL_NGC || is_cxx11_twin(torch)) {
		return 1;
	}
	if (major > 2 || (major == 2 && minor >= 8)) {
		return 1;
	}
	if (version_is_prerelease(torch)) { /* the switch came between nightlies */
		return -1;
	}
	if (major == 2 && minor >= 6) {
		return minor == 7 ? 1 : abi_of_2_6(label, cuda, is_x86);
	}
	return is_x86 && label != LABEL_OTHER && label != LABEL_XPU ? 0 : -1;
}

int torch_abi_of(const struct version *torch, const struct target *t)
{
	struct cuda_version cuda = { 0, 0 };
	enum label label = label_of(torch, &cuda);

	if (label == LABEL_NONE && t->is_cuda_known && !t->is_any_cuda_minor) {
		cuda = t->cuda;
		label = cuda.major ? LABEL_CUDA : LABEL_CPU;
	}
	return abi_of(torch, label, &cuda, t);
}

void torch_build_of(const struct version *torch, struct torch_build *out)
{
	struct cuda_version cuda = { 0, 0 };
	enum label label = label_of(torch, &cuda);

	*out = (struct torch_build){
		.is_official = label != LABEL_NONE && label != LABEL_OTHER,
		.is_cuda_known = label != LABEL_NONE && label != LABEL_OTHER && label != LABEL_NGC,
		.cuda = cuda,
	};
}

bool torch_container_of(const struct version *torch, unsigned *year, unsigned *month)
{
	struct str digits;
	uint64_t number;

	for (size_t i = 0; i < torch->nlocal; i++) {
		if (is_word_number(torch->local[i].text, "nv", &digits) && digits.n == 2 &&
			str_to_u64(digits, &number)) {
			*year = (unsigned)number;
			*month = i + 1 < torch->nlocal ? (unsigned)torch->local[i + 1].number : 0;
			return true;
		}
	}
	return false;
}

enum torch_kind target_torch_kind(const struct target *t)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	enum torch_kind kind = TORCH_UNSAID;
	struct version torch;
	unsigned year, month;

	if (t->torch.n && !version_parse(&a, t->torch, &torch, &ignored)) {
		kind = torch_container_of(&torch, &year, &month) ? TORCH_CONTAINER
		       : version_is_prerelease(&torch)           ? TORCH_PRERELEASE
								 : TORCH_RELEASE;
	}
	arena_release(&a);
	return kind;
}
