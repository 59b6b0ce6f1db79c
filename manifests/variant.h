/* The local part of a wheel's version as publishers use it to say what the wheel was built for:
 * "cu128", "cu12torch2.8cxx11abiTRUE", "torch2110cu130", "pt28cu126", "cu.12.8.torch.2.11", "cpu",
 * "20251229.cu128torch291cxx11abitrue.58fe37". One tokenizer for all orders. Variants belong to the
 * target: what does not fit is left out before versions are ranked. */
#ifndef MANIFESTS_VARIANT_H
#define MANIFESTS_VARIANT_H

#include "manifests/target.h"

enum variant_accelerator {
	VARIANT_UNSAID = 0,
	VARIANT_CPU,
	VARIANT_CUDA,
	VARIANT_ROCM,
	VARIANT_XPU
};

/* How a source writes torch's version in digits only; where it is not known, every reading that
 * names a torch that exists (manifests/data/torch.def) counts, and two that do are ambiguous. */
enum variant_torch_style {
	VARIANT_TORCH_ANY = 0,
	VARIANT_TORCH_FULL,  /* torch2110 = 2.11.0, torch210 = 2.1.0 (NATTEN) */
	VARIANT_TORCH_MINOR, /* torch210 = 2.10 (cosmos, PyG's pt210) */
};

struct variant_torch { /* one reading */
	unsigned major, minor, patch;
	bool has_patch;
};

struct variant {
	enum variant_accelerator accelerator;
	struct cuda_version cuda; /* VARIANT_CUDA: "cu12" has no minor, "cu118" and "cu92" have */
	bool has_cuda_minor;
	struct variant_torch torch[2]; /* readings; ntorch 0: says nothing of torch, 2: ambiguous */
	unsigned ntorch;
	bool torch_is_calver; /* "torch25.04": NVIDIA's containers, major 25, minor 4 */
	bool torch_or_higher; /* "torch2.9.0andhigher" */
	int cxx11_abi;        /* -1: says nothing */
	struct gpu *gpus;     /* "sm89" */
	size_t ngpus;
	uint64_t date;   /* a segment YYYYMMDD, or 0 */
	uint64_t post;   /* "post2": the same build packaged anew; or 0 */
	struct str rest; /* what none of these is (hashes, "ubuntu2204"), joined by '.'; no error */
};

/* `local` in any case and with any of '.', '-' and '_' as separators, or none; "" says nothing. Of
 * what is said twice the first counts, and the second goes to the rest. */
void variant_parse(
	struct arena *a, struct str local, enum variant_torch_style style, struct variant *out);

/* The first thing about the target that a variant contradicts. */
enum variant_misfit {
	VARIANT_FITS = 0,
	VARIANT_WRONG_CUDA, /* another CUDA; CPU, ROCm, XPU for a CUDA target; CUDA for none */
	VARIANT_WRONG_TORCH,
	VARIANT_WRONG_ABI,
	VARIANT_WRONG_GPU,
	VARIANT_AMBIGUOUS_TORCH /* one reading of its digits is the target's torch, another not */
};
/* Stable names for JSON: "cuda", "torch", "abi", "gpu", "torch-ambiguous"; "" where it fits. */
const char *variant_stage(enum variant_misfit m);

/* Rules. CUDA: the same major and, where the label has one, minor ("cu12" fits every 12.x); a
 * target that states nothing of CUDA takes any. Torch: the same major.minor (a patch level in the
 * label fits every patch of that minor: the ABI holds inside one), "or higher" upward; a
 * pre-release or container torch of the target fits the label of its own minor (target_torch_kind
 * tells those apart: no ABI is promised there), and a container's calendar version its own
 * container. C++ ABI: the target's; on Linux, where the target names a torch that exists with
 * either ("2.6.0"), a label that states one does not fit, and `why` asks which build it is. Device
 * code: for every GPU the same major and no higher a minor. `why` (or NULL): "built for torch 2.8,
 * the target has 2.9.0+cu128"; "" where it fits. */
enum variant_misfit variant_judge(
	const struct variant *v, const struct target *t, struct arena *a, struct str *why);

/* Of two fitting variants of one public version: which says more of what the target is? > 0: a.
 * Then the later date, then the higher "post". 0: nothing between them, so a choice between them
 * would be a guess. Orders any number of them: what is equal to a third is equal. */
int variant_compare(const struct variant *a, const struct variant *b, const struct target *t);

/* ---- what is known of torch's own builds (manifests/data/torch.def) ---- */

/* Was there ever a torch of this version? */
bool torch_is_release(unsigned major, unsigned minor, unsigned patch);
/* The readings of a torch version written in digits only: 0 where they cannot be one, 2 where two
 * torches exist that the style does not tell apart ("210"). What exists counts before what is newer
 * than the table. */
unsigned torch_read_digits(
	struct str digits, enum variant_torch_style style, struct variant_torch out[2]);
/* The CUDA with which the build without local label on PyPI was made, for a platform
 * ("linux_x86_64", "linux_aarch64", "win_amd64"): major 0 is the CPU build; false: not known, or no
 * such release. */
bool torch_plain_cuda(const struct version *torch, struct str platform, struct cuda_version *out);

#endif
