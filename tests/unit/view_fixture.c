#include "tests/unit/view_fixture.h"
#include "manifests/limits.h"

#include <string.h>

struct row {
	const char *file, *name, *version, *requires_python, *yanked;
	unsigned byte;
	uint64_t size;
	enum manifest_use use;
	bool built, mismatch;
};

static const struct row h100[] = {
	{ "demo-1.0-py3-none-any.whl", "demo", "1.0", ">=3.9", NULL, FIXTURE_DEMO, 885, USE_RUN, false, false },
	{ "demo-1.0.tar.gz", "demo", "1.0", "", NULL, FIXTURE_DEMO_SDIST, 937, USE_RUN, false, false },
	{ "flash_attn-2.8.3+cu12torch2.8-cp312-cp312-linux_x86_64.whl", "flash-attn", "2.8.3", "", NULL,
		FIXTURE_FLASH, 5000, USE_RUN, false, true },
	{ "kern-0.1-cp312-cp312-linux_x86_64.whl", "kern", "0.1", "", NULL, FIXTURE_KERN_BUILT, 700, USE_RUN,
		true, false },
	{ "kern-0.1.tar.gz", "kern", "0.1", "", NULL, FIXTURE_KERN, 300, USE_RUN, false, false },
	{ "ninja-1.11-py3-none-any.whl", "ninja", "1.11", "", NULL, FIXTURE_NINJA, 100, USE_BUILD, false,
		false },
	{ "old-0.9-py3-none-any.whl", "old", "0.9", "<3.13,>=3.8", "breaks <all> & \"more\"", FIXTURE_OLD, 10,
		USE_RUN, false, false },
	{ "torch-2.8.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl", "torch", "2.8.0+cu128", "", NULL,
		FIXTURE_TORCH_128, FIXTURE_TORCH_SIZE_GIB * GIB, USE_RUN, false, false },
};

static const struct row a100[] = {
	{ "demo-1.0-py3-none-any.whl", "demo", "1.0", ">=3.9", NULL, FIXTURE_DEMO, 885, USE_RUN, false, false },
	{ "torch-2.8.0+cu126-cp312-cp312-manylinux_2_28_x86_64.whl", "torch", "2.8.0+cu126", "", NULL,
		FIXTURE_TORCH_126, 77, USE_RUN, false, false },
	{ "zero-1.0-py3-none-any.whl", "zero", "1.0", "", "", FIXTURE_ZERO, 10, USE_RUN, false, false },
};

const char *fixture_hex(unsigned byte)
{
	static char text[256][DIGEST_HEX + 1];
	struct digest d;

	memset(d.b, (int)byte, sizeof(d.b));
	return digest_hex(&d, text[byte & 255]);
}

static struct store_file make_file(const struct row *r)
{
	struct store_file f = { .use = r->use,
		.is_requested = true,
		.is_built = r->built,
		.is_current = true,
		.is_listed = true };
	struct manifest_file *m = &f.file;

	memset(m->sha256.b, (int)r->byte, DIGEST_SIZE);
	m->size = r->size;
	m->file = str_of(r->file);
	m->name = str_of(r->name);
	m->version = str_of(r->version);
	m->requires_python = str_of(r->requires_python);
	m->kind = str_ends(m->file, ".whl") ? DIST_WHEEL : DIST_SDIST;
	if (m->kind == DIST_WHEEL) {
		memset(m->metadata_sha256.b, (int)r->byte + 1, DIGEST_SIZE);
		m->metadata_size = 70;
	}
	m->is_yanked = r->yanked != NULL;
	m->yanked = str_of(r->yanked);
	m->local_mismatch = r->mismatch;
	return f;
}

static void make_target(
	struct arena *a, const char *name, const struct row *rows, size_t n, struct store_target *out)
{
	out->target = (struct target){ .name = str_of(name),
		.python = { .major = 3, .minor = 12 },
		.platform = STR("linux_x86_64"),
		.os = TARGET_LINUX,
		.machine = STR("x86_64"),
		.libc = TARGET_GLIBC,
		.libc_major = 2,
		.libc_minor = 28,
		.torch = STR("2.8.0+cu128"),
		.cxx11_abi = -1 };
	out->files = arena_array(a, n, sizeof(*out->files));
	out->nfiles = n;
	for (size_t i = 0; i < n; i++) {
		out->files[i] = make_file(&rows[i]);
	}
	out->channel = STR("lab");
}

void view_fixture(struct store_view *out)
{
	static const struct str extras[] = { { "fast", 4 }, { "gpu", 3 } };

	*out = (struct store_view)STORE_VIEW_INIT;
	out->generation = 7;
	out->bundles = arena_array(&out->arena, 1, sizeof(*out->bundles));
	out->nbundles = 1;
	out->bundles[0] = (struct store_bundle){ .channel = STR("lab"), .serial = 3, .imported = 1790000000 };
	out->targets = arena_array(&out->arena, 2, sizeof(*out->targets));
	out->ntargets = 2;
	make_target(&out->arena, "a100", a100, sizeof(a100) / sizeof(a100[0]), &out->targets[0]);
	make_target(&out->arena, "h100", h100, sizeof(h100) / sizeof(h100[0]), &out->targets[1]);
	struct store_file *demo = &out->targets[1].files[0];
	demo->extras = arena_array(&out->arena, 2, sizeof(*demo->extras));
	memcpy(demo->extras, extras, sizeof(extras));
	demo->nextras = 2;
}
