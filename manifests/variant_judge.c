/* What a wheel was built for against what a target is. */
#include "manifests/target_torch.h"
#include "manifests/variant.h"

struct machine { /* what of a target counts here */
	const struct target *t;
	enum variant_accelerator accelerator; /* VARIANT_UNSAID: the target does not say */
	bool has_torch;
	struct variant_torch torch;
	unsigned year, month; /* of NVIDIA's container, or 0 */
};

/* A target without CUDA is for the CPU unless its torch says otherwise. */
static enum variant_accelerator accelerator_of(struct arena *a, const struct target *t)
{
	struct variant torch;

	if (!t->is_cuda_known) {
		return VARIANT_UNSAID;
	}
	if (t->cuda.major) {
		return VARIANT_CUDA;
	}
	variant_parse(
		a, str_skip(t->torch, str_find(t->torch, '+') + 1), VARIANT_TORCH_ANY, &torch);
	return torch.accelerator == VARIANT_ROCM || torch.accelerator == VARIANT_XPU
		       ? torch.accelerator
		       : VARIANT_CPU;
}

static void read_machine(const struct target *t, struct machine *out)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	struct version torch;

	*out = (struct machine){ .t = t, .accelerator = accelerator_of(&a, t) };
	if (t->torch.n && !version_parse(&a, t->torch, &torch, &ignored)) {
		out->has_torch = true;
		out->torch = (struct variant_torch){ .major = (unsigned)torch.release[0],
			.minor = torch.nrelease > 1 ? (unsigned)torch.release[1] : 0,
			.patch = torch.nrelease > 2 ? (unsigned)torch.release[2] : 0,
			.has_patch = true };
		torch_container_of(&torch, &out->year, &out->month);
	}
	arena_release(&a);
}

/* ---- does it fit? ---- */

static bool cuda_fits(const struct variant *v, const struct machine *m)
{
	const struct target *t = m->t;

	if (!v->accelerator || !m->accelerator) {
		return true;
	}
	if (v->accelerator != VARIANT_CUDA || m->accelerator != VARIANT_CUDA) {
		return v->accelerator == m->accelerator;
	}
	return v->cuda.major == t->cuda.major &&
	       (!v->has_cuda_minor || t->is_any_cuda_minor || v->cuda.minor == t->cuda.minor);
}

static int torch_cmp(const struct variant_torch *a, const struct variant_torch *b)
{
	const unsigned x[] = { a->major, a->minor, a->has_patch ? a->patch : 0 };
	const unsigned y[] = { b->major, b->minor, b->has_patch ? b->patch : 0 };

	for (size_t i = 0; i < 3; i++) {
		if (x[i] != y[i]) {
			return x[i] < y[i] ? -1 : 1;
		}
	}
	return 0;
}

static bool reading_fits(
	const struct variant *v, const struct variant_torch *reading, const struct machine *m)
{
	if (v->torch_is_calver) {
		return reading->major == m->year && reading->minor == m->month;
	}
	return (reading->major == m->torch.major && reading->minor == m->torch.minor) ||
	       (v->torch_or_higher && torch_cmp(reading, &m->torch) <= 0);
}

static enum variant_misfit judge_torch(const struct variant *v, const struct machine *m)
{
	unsigned nfitting = 0;

	for (unsigned i = 0; i < v->ntorch; i++) {
		nfitting += reading_fits(v, &v->torch[i], m);
	}
	if (!m->has_torch || nfitting == v->ntorch) {
		return VARIANT_FITS;
	}
	return nfitting ? VARIANT_AMBIGUOUS_TORCH : VARIANT_WRONG_TORCH;
}

/* Torch of this version exists with either ABI, so which build it is has to be said. */
static bool is_abi_open(const struct machine *m)
{
	return m->has_torch && m->t->cxx11_abi < 0 && m->t->os == TARGET_LINUX;
}

static bool abi_fits(const struct variant *v, const struct machine *m)
{
	if (v->cxx11_abi < 0) {
		return true;
	}
	return m->t->cxx11_abi < 0 ? !is_abi_open(m) : v->cxx11_abi == m->t->cxx11_abi;
}

/* The first GPU of the target that none of the label's architectures serves, or NULL. */
static const struct gpu *unserved_gpu(const struct variant *v, const struct target *t)
{
	for (size_t i = 0; v->ngpus && i < t->ngpus; i++) {
		bool is_served = false;

		for (size_t k = 0; k < v->ngpus; k++) {
			is_served = is_served || (v->gpus[k].major == t->gpus[i].major &&
							 v->gpus[k].minor <= t->gpus[i].minor);
		}
		if (!is_served) {
			return &t->gpus[i];
		}
	}
	return NULL;
}

static enum variant_misfit judge(const struct variant *v, const struct machine *m)
{
	if (!cuda_fits(v, m)) {
		return VARIANT_WRONG_CUDA;
	}
	enum variant_misfit torch = judge_torch(v, m);
	if (torch) {
		return torch;
	}
	if (!abi_fits(v, m)) {
		return VARIANT_WRONG_ABI;
	}
	return unserved_gpu(v, m->t) ? VARIANT_WRONG_GPU : VARIANT_FITS;
}

/* ---- saying it ---- */

static const char *cuda_text(struct arena *a, struct cuda_version cuda, bool has_minor)
{
	return has_minor ? arena_printf(a, "CUDA %u.%u", cuda.major, cuda.minor)
			 : arena_printf(a, "CUDA %u", cuda.major);
}

static const char *accelerator_text(enum variant_accelerator is)
{
	static const char *const texts[] = { "", "the CPU", "CUDA", "ROCm", "XPU" };

	return texts[is];
}

static const char *torch_text(
	struct arena *a, const struct variant *v, const struct variant_torch *t)
{
	const char *higher = v->torch_or_higher ? " or higher" : "";

	if (v->torch_is_calver) {
		return arena_printf(a, "%u.%02u of NVIDIA's containers", t->major, t->minor);
	}
	return t->has_patch ? arena_printf(a, "%u.%u.%u%s", t->major, t->minor, t->patch, higher)
			    : arena_printf(a, "%u.%u%s", t->major, t->minor, higher);
}

static const char *say_cuda(struct arena *a, const struct variant *v, const struct machine *m)
{
	const struct target *t = m->t;

	return arena_printf(a, "built for %s, the target is for %s",
		v->accelerator == VARIANT_CUDA ? cuda_text(a, v->cuda, v->has_cuda_minor)
					       : accelerator_text(v->accelerator),
		m->accelerator == VARIANT_CUDA ? cuda_text(a, t->cuda, !t->is_any_cuda_minor)
					       : accelerator_text(m->accelerator));
}

static const char *say_ambiguous(struct arena *a, const struct variant *v, const struct machine *m)
{
	return arena_printf(a,
		"built for torch %s or %s, its name does not tell which; the target has %.*s",
		torch_text(a, v, &v->torch[0]), torch_text(a, v, &v->torch[1]),
		STR_ARG(m->t->torch));
}

static const char *say_abi(struct arena *a, const struct variant *v, const struct machine *m)
{
	const char *built = v->cxx11_abi ? "built for torch with the C++11 ABI"
					 : "built for torch with the C++ ABI before C++11";
	struct str torch = m->t->torch;

	if (m->t->cxx11_abi < 0) {
		bool has_label = str_find(torch, '+') < torch.n;

		return arena_printf(a,
			"%s, and builds of torch %.*s differ in that: which one has the target? %s",
			built, STR_ARG(torch),
			has_label ? "State cxx11_abi"
				  : "Give torch as torch.__version__ shows it, or state cuda or "
				    "cxx11_abi");
	}
	if (!m->has_torch) {
		return arena_printf(a, "%s, the target states cxx11_abi = %s", built,
			m->t->cxx11_abi ? "true" : "false");
	}
	return arena_printf(a, "%s, the target's torch %.*s has the other", built, STR_ARG(torch));
}

static const char *say_gpu(struct arena *a, const struct variant *v, const struct machine *m)
{
	const struct gpu *gpu = unserved_gpu(v, m->t);
	CLEANUP_BUF struct buf list = BUF_INIT;

	for (size_t i = 0; i < v->ngpus; i++) {
		buf_addf(&list, "%ssm_%u%u", i ? ", " : "", v->gpus[i].major, v->gpus[i].minor);
	}
	return arena_printf(
		a, "built for GPUs of %s, the target has sm_%u%u", list.p, gpu->major, gpu->minor);
}

static const char *say(struct arena *a, enum variant_misfit misfit, const struct variant *v,
	const struct machine *m)
{
	switch (misfit) {
	case VARIANT_WRONG_CUDA:
		return say_cuda(a, v, m);
	case VARIANT_WRONG_TORCH:
		return arena_printf(a, "built for torch %s, the target has %.*s",
			torch_text(a, v, &v->torch[0]), STR_ARG(m->t->torch));
	case VARIANT_AMBIGUOUS_TORCH:
		return say_ambiguous(a, v, m);
	case VARIANT_WRONG_ABI:
		return say_abi(a, v, m);
	case VARIANT_WRONG_GPU:
		return say_gpu(a, v, m);
	case VARIANT_FITS:
		break;
	}
	return "";
}

enum variant_misfit variant_judge(
	const struct variant *v, const struct target *t, struct arena *a, struct str *why)
{
	struct machine m;

	read_machine(t, &m);
	enum variant_misfit misfit = judge(v, &m);
	if (why) {
		*why = str_of(say(a, misfit, v, &m));
	}
	return misfit;
}

const char *variant_stage(enum variant_misfit m)
{
	static const char *const names[] = { "", "cuda", "torch", "abi", "gpu", "torch-ambiguous" };

	return names[m];
}

/* ---- which says more? ---- */

static int score_cuda(const struct variant *v, const struct machine *m)
{
	if (!v->accelerator || !m->accelerator) {
		return 0;
	}
	return v->has_cuda_minor && !m->t->is_any_cuda_minor ? 2 : 1;
}

static int score_torch(const struct variant *v, const struct machine *m)
{
	const struct variant_torch *said = &v->torch[0];

	if (!v->ntorch || !m->has_torch) {
		return 0;
	}
	if (v->torch_is_calver) {
		return 4;
	}
	if (said->minor != m->torch.minor || said->major != m->torch.major) {
		return 1; /* by "or higher" */
	}
	return !said->has_patch ? 3 : said->patch == m->torch.patch ? 4 : 2;
}

static int score(const struct variant *v, const struct machine *m)
{
	return score_cuda(v, m) + score_torch(v, m) + (v->cxx11_abi >= 0 && m->t->cxx11_abi >= 0) +
	       (v->ngpus && m->t->ngpus);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int variant_compare(const struct variant *a, const struct variant *b, const struct target *t)
{
	struct machine m;

	read_machine(t, &m);
	int first = score(a, &m) - score(b, &m);
	if (first) {
		return first;
	}
	return a->date != b->date ? order(a->date, b->date) : order(a->post, b->post);
}
