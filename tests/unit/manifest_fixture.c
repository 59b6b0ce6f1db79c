#include "tests/unit/manifest_fixture.h"
#include "tests/unit/unit.h"
#include "verify/hash.h"

#include <string.h>

static struct str contents[2];

static struct target make_target(struct arena *a, const char *name, const char *python)
{
	static const struct str gpus[] = { { "9.0", 3 } };
	const struct target_spec spec = { .name = str_of(name), .python = str_of(python),
		.platform = STR("linux_x86_64"), .glibc = STR("2.28"), .driver = STR("580.65.06"),
		.torch = STR("2.11.0+cu130"), .gpus = gpus, .ngpus = 1, .cxx11_abi = -1 };
	struct target t;
	struct err e = ERR_INIT;

	ck_assert_msg(target_make(a, &spec, &t, &e) == 0, "%s", e.text);
	return t;
}

static void set_file(struct manifest_file *f, const char *file, const char *name, enum dist_kind kind,
	struct str text)
{
	*f = (struct manifest_file){ .file = str_of(file), .name = str_of(name), .version = STR("1.0"),
		.kind = kind, .requires_python = STR(">=3.8"), .size = text.n,
		.metadata_size = kind == DIST_WHEEL ? 3 : 0, .origin = STR("https://index.example/x"),
		.hash_from = HASH_FROM_INDEX, .license = STR("MIT") };
	if (kind == DIST_WHEEL) {
		hash_bytes(STR("abc"), &f->metadata_sha256);
	}
	hash_bytes(text, &f->sha256);
}

void manifest_fixture(struct manifest *m, const struct str **texts)
{
	struct arena *a;
	char *large;

	*m = (struct manifest)MANIFEST_INIT;
	a = &m->arena;
	large = arena_alloc(a, 300000); /* three blocks, not a multiple of anything */
	memset(large, 'w', 299999);
	contents[0] = (struct str){ large, 299999 };
	contents[1] = STR("an sdist");
	m->channel = STR("lab");
	m->serial = 7;
	m->created = 1764500000;
	m->tool = STR("gpkg-bundle test");
	m->files = arena_array(a, 2, sizeof(*m->files));
	m->nfiles = 2;
	set_file(&m->files[0], "alpha-1.0-py3-none-any.whl", "alpha", DIST_WHEEL, contents[0]);
	set_file(&m->files[1], "beta-1.0.tar.gz", "beta", DIST_SDIST, contents[1]);
	m->targets = arena_array(a, 2, sizeof(*m->targets));
	m->ntargets = 2;
	for (size_t i = 0; i < 2; i++) {
		struct manifest_target *t = &m->targets[i];

		t->target = make_target(a, i ? "two" : "one", i ? "3.13t" : "3.12");
		t->npicks = 2 - i;
		t->picks = arena_array(a, t->npicks, sizeof(*t->picks));
		for (size_t j = 0; j < t->npicks; j++) {
			t->picks[j] = (struct manifest_pick){ .file = j, .use = j ? USE_RUN : USE_RUN | USE_BUILD,
				.is_requested = j == 0 };
		}
	}
	struct manifest_pick *audited = &m->targets[0].picks[0];
	audited->audit = STR("1! 2? 3✓ 4✓ 5✓ 6✓ 7✓ 8✓");
	audited->findings = arena_array(a, 2, sizeof(*audited->findings));
	audited->findings[0] = (struct manifest_finding){ .check = STR("gpu-code"), .result = STR("WARN"),
		.member = STR("alpha/_C.so"), .text = STR("it has PTX alone") };
	audited->findings[1] = (struct manifest_finding){ .check = STR("torch-abi"), .result = STR("UNKNOWN"),
		.text = STR("torch is not at hand") };
	audited->nfindings = 2;
	struct manifest_recipe *r = arena_array(a, 1, sizeof(*r));
	struct str *env = arena_array(a, 2, sizeof(*env));
	size_t *environment = arena_array(a, 1, sizeof(*environment)); /* file 0 */
	env[0] = STR("NVCC_APPEND_FLAGS");
	env[1] = STR("${gencode}");
	*r = (struct manifest_recipe){ .file = 1, .environment = environment, .nenvironment = 1, .env_names = &env[0],
		.env_values = &env[1], .nenv = 1, .device_code = true };
	m->targets[0].recipes = r;
	m->targets[0].nrecipes = 1;
	m->targets[0].toolkit = STR("site:13.0");
	m->waivers = arena_array(a, 1, sizeof(*m->waivers));
	m->waivers[0] = (struct manifest_waiver){ .project = STR("gamma"), .target = STR("one"),
		.what = STR("hole"), .reason = STR("not \"needed\" there") };
	m->nwaivers = 1;
	*texts = contents;
}
