#include "bundle/torch_match.h"
#include "manifests/target_torch.h"

static void read_label(const struct index_file *f, enum variant_torch_style style, struct arena *a,
	struct variant *out)
{
	CLEANUP_BUF struct buf label = BUF_INIT;

	version_format_local(&f->name.version, &label);
	variant_parse(a, buf_str(&label), style, out);
	out->ntorch = f->is_torch_free ? 0 : out->ntorch;
}

/* The target with this torch, and with what follows from it. */
static struct target with_torch(
	const struct target *t, const struct version *torch, struct arena *a)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct target with = *t;
	struct torch_build build;

	version_format(torch, &text);
	with.torch = arena_str(a, buf_str(&text));
	torch_build_of(torch, &build);
	if (!with.is_cuda_known && build.is_cuda_known) {
		with.is_cuda_known = true;
		with.cuda = build.cuda;
	}
	if (with.cxx11_abi < 0) {
		with.cxx11_abi = torch_abi_of(torch, &with);
	}
	return with;
}

bool torch_match(const struct index_file *f, enum variant_torch_style style, const struct target *t,
	const struct version *torch, struct arena *a, struct str *why)
{
	struct variant v;

	read_label(f, style, a, &v);
	if (v.ntorch == 0) {
		return true;
	}
	const struct target with = with_torch(t, torch, a);
	return variant_judge(&v, &with, a, why) == VARIANT_FITS;
}

bool torch_is_said(const struct index_file *f, enum variant_torch_style style)
{
	struct arena a = ARENA_INIT;
	struct variant v;

	read_label(f, style, &a, &v);
	arena_release(&a);
	return v.ntorch != 0;
}
