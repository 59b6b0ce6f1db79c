#include "mirror/store.h"
#include "tests/unit/key_fixture.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/unit.h"

#include <unistd.h>

/* ---- bundles ---- */

UNIT(store_bundle_is_seen_by_readers)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 5, { "b-1.9-py3-none-any.whl", "1.9", 0 }, { "a-1.tar.gz", "1", 0 },
				 { "b-1.10-py3-none-any.whl", "1.10", 0 }),
		0);
	store_close(s);
	fixture_load(&v);
	ck_assert_uint_eq(v.generation, 1);
	ck_assert_uint_eq(v.nbundles, 1);
	ck_assert(str_is(v.bundles[0].channel, "lab") && v.bundles[0].serial == 5);
	ck_assert(str_starts(v.bundles[0].signer, "ab0000"));
	ck_assert_uint_eq(v.ntargets, 1);
	const struct store_target *t = &v.targets[0];
	ck_assert_uint_eq(t->nfiles, 3);
	ck_assert(str_is(t->files[0].file.file, "a-1.tar.gz"));
	ck_assert(str_is(t->files[1].file.file, "b-1.10-py3-none-any.whl")); /* newest first */
	ck_assert(str_is(t->files[2].file.file, "b-1.9-py3-none-any.whl"));
	ck_assert(t->files[2].is_requested && !t->files[1].is_requested);
	ck_assert(t->files[0].is_current && t->files[0].is_listed && t->files[0].use == USE_RUN);
	ck_assert_uint_eq(t->target.python.minor, 12);
	ck_assert(str_is(t->channel, "lab"));
	store_view_release(&v);
}

UNIT(store_same_bundle_again_changes_nothing)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 5, { "a-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 5, { "a-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	fixture_load(&v);
	ck_assert_uint_eq(v.generation, 1);
	ck_assert_uint_eq(v.nbundles, 1);
	store_view_release(&v);
}

UNIT(store_order_of_bundles)
{
	static const struct {
		const char *channel;
		uint64_t epoch, serial;
		const char *text;
		enum rc rc;
	} rows[] = {
		{ "lab", 0, 5, "five", 0 },
		{ "lab", 0, 4, "four", RC_BUNDLE_ROLLBACK },
		{ "lab", 0, 5, "another five", RC_BUNDLE_EQUIVOCATION },
		{ "lab", 0, 6, "six", 0 },
		{ "lab", 0, 5, "five", RC_BUNDLE_ROLLBACK },
		{ "other", 0, 1, "one", 0 },
		{ "lab", 1, 2, "new epoch", 0 },
		{ "lab", 0, 7, "seven", RC_BUNDLE_ROLLBACK },
		{ "lab", 1, 1, "one again", RC_BUNDLE_ROLLBACK },
		{ "lab", 1, 2, "new epoch", 0 },
	};
	const struct fixture_plan plan = { "a-1.tar.gz", "1", 0 };
	struct target_spec spec = fixture_target();
	struct store *s = fixture_store(STORE_WRITE);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct manifest m;
		struct err e = ERR_INIT;

		fixture_manifest(s, rows[i].channel, rows[i].epoch, rows[i].serial, &spec, &plan, 1, &m);
		fixture_commit_as(s, &m, rows[i].text, &e);
		ck_assert_msg(e.rc == rows[i].rc, "%s: %s", rows[i].text, e.text);
		arena_release(&m.arena);
	}
	store_close(s);
}

UNIT(store_target_name_is_one_kind_of_machine)
{
	static const struct str two[] = { { "9.0", 3 }, { "8.0", 3 } }, other[] = { { "8.0", 3 } };
	struct target_spec spec = fixture_target();
	const struct {
		const char *what;
		struct target_spec spec;
		bool is_same;
	} rows[] = {
		{ "the same", spec, true },
		{ "python", { spec.name, STR("3.11"), spec.platform, spec.glibc, .gpus = spec.gpus, .ngpus = 1,
				    .cxx11_abi = -1 }, false },
		{ "python", { spec.name, STR("3.13t"), spec.platform, spec.glibc, .gpus = spec.gpus, .ngpus = 1,
				    .cxx11_abi = -1 }, false },
		{ "patch level", { spec.name, STR("3.12.4"), spec.platform, spec.glibc, .gpus = spec.gpus,
					 .ngpus = 1, .cxx11_abi = -1 }, true },
		{ "platform", { spec.name, spec.python, STR("linux_aarch64"), spec.glibc, .gpus = spec.gpus,
				      .ngpus = 1, .cxx11_abi = -1 }, false },
		{ "libc", { spec.name, spec.python, spec.platform, STR("2.34"), .gpus = spec.gpus, .ngpus = 1,
				  .cxx11_abi = -1 }, false },
		{ "libc", { spec.name, spec.python, spec.platform, .musl = STR("1.2"), .gpus = spec.gpus,
				  .ngpus = 1, .cxx11_abi = -1 }, false },
		{ "gpus", { spec.name, spec.python, spec.platform, spec.glibc, .gpus = other, .ngpus = 1,
				  .cxx11_abi = -1 }, false },
		{ "gpus", { spec.name, spec.python, spec.platform, spec.glibc, .gpus = two, .ngpus = 2,
				  .cxx11_abi = -1 }, false },
		{ "torch", { spec.name, spec.python, spec.platform, spec.glibc, .torch = STR("2.8.0+cu128"),
				   .gpus = spec.gpus, .ngpus = 1, .cxx11_abi = -1 }, true },
	};
	const struct fixture_plan plan = { "a-1.tar.gz", "1", 0 };
	struct store *s = fixture_store(STORE_WRITE);

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct manifest m;
		struct err e = ERR_INIT;

		fixture_manifest(s, "lab", 0, i + 2, &rows[i].spec, &plan, 1, &m);
		int r = fixture_commit_as(s, &m, rows[i].what, &e);
		ck_assert_msg(r == (rows[i].is_same ? 0 : -RC_CONFLICT), "%s: %s", rows[i].what, e.text);
		ck_assert(rows[i].is_same || str_has(str_of(e.text), rows[i].what));
		arena_release(&m.arena);
	}
	store_close(s);
}

UNIT(store_file_name_keeps_its_bytes)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "a-1.tar.gz", "1", 'x' }), RC_CONFLICT);
	ck_assert_int_eq(COMMIT(s, 2, { "a-1.tar.gz", "1", 0 }, { "b-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	fixture_load(&v);
	ck_assert_uint_eq(v.nbundles, 2);
	ck_assert_uint_eq(store_view_target(&v, STR("t"))->nfiles, 2);
	store_view_release(&v);
}

UNIT(store_lists_nothing_that_it_has_not)
{
	struct target_spec spec = fixture_target();
	const struct fixture_plan plan = { "a-1-py3-none-any.whl", "1", 0 };
	struct store *s = fixture_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;

	fixture_manifest(s, "lab", 0, 1, &spec, &plan, 1, &m);
	ck_assert_int_eq(unlink(fixture_object_path(&m.files[0].metadata_sha256)), 0);
	ck_assert_int_eq(fixture_commit_as(s, &m, "x", &e), -RC_STORE);
	arena_release(&m.arena);
	err_clear(&e);
	fixture_manifest(s, "lab", 0, 1, &spec, &plan, 1, &m);
	fixture_damage(&m.files[0].sha256, "cut");
	ck_assert_int_eq(fixture_commit_as(s, &m, "x", &e), -RC_STORE);
	arena_release(&m.arena);
	store_close(s);
	err_clear(&e);
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
}

UNIT(store_bundles_merge)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }, { "b-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "a-2.tar.gz", "2", 0 }, { "b-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	fixture_load(&v);
	ck_assert(fixture_view_file(&v, "a-1.tar.gz")->is_listed); /* an index never shrinks */
	ck_assert(!fixture_view_file(&v, "a-1.tar.gz")->is_current);
	ck_assert(fixture_view_file(&v, "a-2.tar.gz")->is_current);
	ck_assert(fixture_view_file(&v, "b-1.tar.gz")->is_current);
	ck_assert_uint_eq(v.bundles[0].serial, 2);
	store_view_release(&v);
}

UNIT(store_channels_have_a_plan_each)
{
	const struct fixture_plan first = { "a-1.tar.gz", "1", 0 }, second = { "b-1.tar.gz", "1", 0 };
	struct target_spec spec = fixture_target();
	struct store *s = fixture_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;
	struct store_view v;

	fixture_manifest(s, "lab", 0, 1, &spec, &first, 1, &m);
	ck_assert_int_eq(fixture_commit_as(s, &m, "one", &e), 0);
	arena_release(&m.arena);
	fixture_manifest(s, "more", 0, 1, &spec, &second, 1, &m);
	ck_assert_int_eq(fixture_commit_as(s, &m, "two", &e), 0);
	arena_release(&m.arena);
	store_close(s);
	fixture_load(&v);
	ck_assert(fixture_view_file(&v, "a-1.tar.gz")->is_current && fixture_view_file(&v, "b-1.tar.gz")->is_current);
	ck_assert(str_is(store_view_target(&v, STR("t"))->channel, "more"));
	store_view_release(&v);
}

UNIT(store_newer_variant_takes_the_place)
{
#define TAGS "-cp312-cp312-linux_x86_64.whl"
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "fa-2.8+cu126" TAGS, "2.8+cu126", 0 }, { "x-1-py3-none-any.whl", "1", 0 },
				 { "fa-2.7+cu126" TAGS, "2.7+cu126", 0 }),
		0);
	ck_assert_int_eq(COMMIT(s, 2, { "fa-2.8+cu124" TAGS, "2.8+cu124", 0 },
				 { "fa-2.8+cu124-cp311-cp311-linux_x86_64.whl", "2.8+cu124", 0 }),
		0);
	store_close(s);
	fixture_load(&v);
	ck_assert(!fixture_view_file(&v, "fa-2.8+cu126" TAGS)->is_listed);
	ck_assert(fixture_view_file(&v, "fa-2.8+cu124" TAGS)->is_listed);
	ck_assert(fixture_view_file(&v, "fa-2.7+cu126" TAGS)->is_listed);
	ck_assert(fixture_view_file(&v, "x-1-py3-none-any.whl")->is_listed);
	store_view_release(&v);
}

UNIT(store_newer_word_on_a_file_counts)
{
	struct target_spec spec = fixture_target();
	const struct fixture_plan plan = { "a-1.tar.gz", "1", 0 };
	struct store *s = fixture_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	fixture_manifest(s, "lab", 0, 2, &spec, &plan, 1, &m);
	m.files[0].is_yanked = true;
	m.files[0].yanked = STR("broken");
	m.targets[0].picks[0].use = USE_BUILD;
	ck_assert_int_eq(fixture_commit_as(s, &m, "two", &e), 0);
	arena_release(&m.arena);
	store_close(s);
	fixture_load(&v);
	const struct store_file *f = fixture_view_file(&v, "a-1.tar.gz");
	ck_assert(f->file.is_yanked && str_is(f->file.yanked, "broken") && f->use == USE_BUILD);
	ck_assert_uint_eq(store_view_target(&v, STR("t"))->nfiles, 1);
	store_view_release(&v);
}

UNIT(store_keeps_extras_and_recipes)
{
	struct str extras[] = { STR("fast"), STR("gpu") }, names[] = { STR("FORCE"), STR("X") };
	struct str values[] = { STR("TRUE"), STR("a \"b\" ${ARCH}") };
	const struct fixture_plan plans[] = { { "a-1.tar.gz", "1", 0 }, { "z-1.tar.gz", "1", 0 },
		{ "a-2.tar.gz", "2", 0 } };
	size_t environment[] = { 0, 2 };
	struct manifest_recipe recipe = { .file = 1, .environment = environment, .nenvironment = 2,
		.env_names = names, .env_values = values, .nenv = 2, .device_code = true };
	struct target_spec spec = fixture_target();
	struct store *s = fixture_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;
	struct store_view v;

	fixture_manifest(s, "lab", 0, 1, &spec, plans, 3, &m);
	m.targets[0].picks[0].extras = extras;
	m.targets[0].picks[0].nextras = 2;
	m.targets[0].recipes = &recipe;
	m.targets[0].nrecipes = 1;
	m.targets[0].toolkit = STR("site:13.0");
	ck_assert_int_eq(fixture_commit_as(s, &m, "one", &e), 0);
	store_close(s);
	fixture_load(&v);
	const struct store_target *t = store_view_target(&v, STR("t"));
	ck_assert(str_is(t->toolkit, "site:13.0"));
	/* a-2, a-1, z-1: the newest version stands first */
	ck_assert_uint_eq(t->files[1].nextras, 2);
	ck_assert(str_is(t->files[1].extras[1], "gpu"));
	ck_assert_uint_eq(t->nrecipes, 1);
	ck_assert(str_is(t->files[t->recipes[0].file].file.file, "z-1.tar.gz"));
	ck_assert(t->recipes[0].nenv == 2 && str_is(t->recipes[0].env_values[1], "a \"b\" ${ARCH}"));
	ck_assert(t->recipes[0].device_code && t->recipes[0].nenvironment == 2);
	ck_assert(t->recipes[0].environment[0] == 0 && t->recipes[0].environment[1] == 1);
	store_view_release(&v);

	/* The next bundle's word replaces it. */
	recipe.nenvironment = 1;
	m.serial = 2;
	s = fixture_store(STORE_WRITE);
	ck_assert_int_eq(fixture_commit_as(s, &m, "two", &e), 0);
	arena_release(&m.arena);
	store_close(s);
	fixture_load(&v);
	t = store_view_target(&v, STR("t"));
	ck_assert(t->recipes[0].nenvironment == 1 && t->recipes[0].environment[0] == 1);
	store_view_release(&v);
}

/* ---- builds ---- */

static enum rc commit_build(struct store *s, const char *target, const char *sdist, const struct fixture_plan *wheel)
{
	struct arena a = ARENA_INIT;
	struct store_build b = { .target = str_of(target) };
	struct fixture_plan source = { sdist, "1", 0 };
	struct manifest_file f;
	struct err e = ERR_INIT;

	fixture_plan_file(s, &a, &source, &f);
	b.sdist = f.sha256;
	fixture_plan_file(s, &a, wheel, &b.wheel);
	ck_assert_int_eq(store_put_text(s, STR("provenance"), &b.provenance, &e), 0);
	store_commit_build(s, &b, FIXTURE_NOW, &e);
	arena_release(&a);
	return e.rc;
}

UNIT(store_build_joins_its_target)
{
	const struct fixture_plan wheel = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 0 };
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "k-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(commit_build(s, "other", "k-1.tar.gz", &wheel), RC_NOT_FOUND);
	ck_assert_int_eq(commit_build(s, "t", "x-1.tar.gz", &wheel), RC_NOT_FOUND);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &wheel), 0);
	store_close(s);
	fixture_load(&v);
	const struct store_file *f = fixture_view_file(&v, "k-1-cp312-cp312-linux_x86_64.whl");
	ck_assert(f->is_built && f->is_listed && f->is_current && f->is_requested && f->use == USE_RUN);
	ck_assert_uint_ne(f->provenance.b[0] | f->provenance.b[1], 0);
	ck_assert_uint_eq(v.generation, 2);
	store_view_release(&v);
}

UNIT(store_build_replaces_an_earlier_one)
{
	const struct fixture_plan first = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 'a' };
	const struct fixture_plan second = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 'b' };
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;
	size_t listed = 0;

	ck_assert_int_eq(COMMIT(s, 1, { "k-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &first), 0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &second), 0);
	store_close(s);
	fixture_load(&v);
	const struct store_target *t = store_view_target(&v, STR("t"));
	ck_assert_uint_eq(t->nfiles, 3); /* the old one is served by its digest */
	for (size_t i = 0; i < t->nfiles; i++) {
		listed += t->files[i].is_listed;
	}
	ck_assert_uint_eq(listed, 2);
	store_view_release(&v);
}

UNIT(store_build_never_speaks_for_a_bundle)
{
	const struct fixture_plan wheel = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 'b' };
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "k-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &wheel), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "k-1.tar.gz", "1", 0 },
				 { "k-1-cp312-cp312-linux_x86_64.whl", "1", 0 }),
		0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &wheel), RC_CONFLICT);
	store_close(s);
	fixture_load(&v);
	const struct store_target *t = store_view_target(&v, STR("t"));
	for (size_t i = 0; i < t->nfiles; i++) {
		ck_assert_int_eq(t->files[i].is_listed, !t->files[i].is_built);
	}
	store_view_release(&v);
}
