/* Frozen locks: what lock_write writes, the reader of locks takes, and it says the same. */
#include "bundle/lock_out.h"
#include "manifests/target_text.h"
#include "tests/unit/unit.h"

#include <string.h>

#define HEAD "lock-version = 1\nname = \"lab\"\nexclude = [\"black\"]\n"
#define TARGETS                                                                                \
	"[[target]]\nname = \"a\"\npython = \"3.12.4\"\nplatform = \"linux_x86_64\"\nglibc = " \
	"\"2.28\"\n"                                                                           \
	"gpus = [\"9.0\", \"12.0\"]\ndriver = \"580.65.06\"\ntorch = \"2.11.0+cu130\"\n"       \
	"[[target]]\nname = \"b\"\npython = \"3.13t\"\nplatform = \"linux_aarch64\"\nmusl = "  \
	"\"1.2\"\n"                                                                            \
	"cxx11_abi = false\n"                                                                  \
	"[[target]]\nname = \"c\"\npython = \"3.11\"\nplatform = \"win_amd64\"\ncuda = \"none\"\n"
#define PACKAGES "[[package]]\nname = \"pkg\"\nversion = \"==1.0\"\n"

enum { WHEEL, SDIST, TOOL, TWIN, NFILES };

/* A lock of three targets and a plan for it, as resolve would make one. */
struct scene {
	struct arena a;
	struct lock lock;
	struct plan_file files[NFILES];
	struct plan_target targets[3];
	struct plan_pick picks[3][NFILES];
	struct plan plan;
};

static void set_file(
	struct scene *s, size_t i, const char *file, const char *folder, unsigned char digest)
{
	struct plan_file *f = &s->files[i];
	struct err e = ERR_INIT;

	ck_assert_msg(dist_name_parse(&s->a, str_of(file), &f->from.name, &e) == 0, "%s", e.text);
	f->project = f->from.name.name;
	f->from.url = arena_printf(&s->a, "https://me:secret@example.org/%s/%s", folder, file);
	f->from.has_sha256 = f->from.has_size = true;
	f->from.sha256.b[0] = digest;
	f->from.size = 100 + i;
	f->hash_from = HASH_FROM_INDEX;
}

static void scene_init(struct scene *s, const char *rest)
{
	static size_t environment[] = { TOOL };
	static struct str extras[] = { { "fast", 4 }, { "slow", 4 } };
	struct err e = ERR_INIT;

	memset(s, 0, sizeof(*s));
	char *text = arena_printf(&s->a, "%s%s%s%s", HEAD, TARGETS, PACKAGES, rest);
	ck_assert_msg(lock_parse(str_of(text), "lock.toml", NULL, &s->lock, &e) == 0, "%s", e.text);
	memset(&s->lock.sha256, 0xab, sizeof(s->lock.sha256));
	set_file(s, WHEEL, "pkg-1.0+cu130-py3-none-any.whl", "x", 1);
	set_file(s, SDIST, "src-2.0.tar.gz", "x", 2);
	set_file(s, TOOL, "tool-3.0-py3-none-any.whl", "x", 3);
	set_file(s, TWIN, "pkg-1.0+cu130-py3-none-any.whl", "y", 1);
	for (size_t i = 0; i < 3; i++) {
		s->picks[i][0] = (struct plan_pick){ .file = WHEEL,
			.use = USE_RUN,
			.is_requested = true,
			.extras = extras,
			.nextras = i == 2 ? 0 : 2 };
		s->picks[i][1] = (struct plan_pick){
			.file = SDIST, .use = USE_RUN, .environment = environment, .nenvironment = 1
		};
		s->picks[i][2] = (struct plan_pick){ .file = TOOL, .use = USE_BUILD };
		s->targets[i] = (struct plan_target){
			.target = &s->lock.targets[i], .picks = s->picks[i], .npicks = 3
		};
	}
	s->plan = (struct plan){
		.files = s->files, .nfiles = NFILES - 1, .targets = s->targets, .ntargets = 3
	};
}

/* Writes the plan and reads it back. */
static void write_and_read(struct scene *s, struct lock *out)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	lock_write(&s->lock, &s->plan, &text);
	ck_assert_msg(!str_has(buf_str(&text), "secret"), "a password in a lock: %s", text.p);
	ck_assert_msg(lock_parse(buf_str(&text), "frozen.toml", NULL, out, &e) == 0, "%s in\n%s",
		e.text, text.p);
}

static void scene_release(struct scene *s, struct lock *l)
{
	lock_release(l);
	lock_release(&s->lock);
	arena_release(&s->a);
}

static const struct lock_package *row_of(const struct lock *l, const char *name, const char *target)
{
	const struct lock_package *found = NULL;

	for (size_t i = 0; i < l->npackages; i++) {
		if (str_is(l->packages[i].req.name, name) &&
			lock_package_is_for(&l->packages[i], lock_target(l, str_of(target)))) {
			ck_assert_msg(!found, "two rows of %s for %s", name, target);
			found = &l->packages[i];
		}
	}
	ck_assert_msg(found != NULL, "no row of %s for %s", name, target);
	return found;
}

UNIT(lock_out_keeps_targets)
{
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "");
	write_and_read(&s, &l);
	ck_assert(l.is_frozen && digest_eq(&l.sha256, &s.lock.sha256) && str_is(l.name, "lab"));
	ck_assert_uint_eq(l.ntargets, 3);
	for (size_t i = 0; i < 3; i++) {
		CLEANUP_BUF struct buf want = BUF_INIT, have = BUF_INIT;
		struct json_out w, h;

		json_out_init(&w, &want, true);
		json_begin_object(&w);
		target_put_json(&s.lock.targets[i], &w);
		json_end_object(&w);
		json_out_init(&h, &have, true);
		json_begin_object(&h);
		target_put_json(&l.targets[i], &h);
		json_end_object(&h);
		ck_assert_str_eq(have.p, want.p);
	}
	scene_release(&s, &l);
}

UNIT(lock_out_keeps_rows)
{
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "");
	s.files[TOOL].from.is_yanked = true;
	s.files[TOOL].hash_from = HASH_FROM_FIRST_USE;
	s.files[SDIST].hash_from = HASH_FROM_LOCK;
	write_and_read(&s, &l);
	ck_assert_uint_eq(l.npackages, 4); /* pkg twice, for its extras differ */
	const struct lock_package *p = row_of(&l, "pkg", "b");
	ck_assert(p == row_of(&l, "pkg", "a") && p != row_of(&l, "pkg", "c"));
	ck_assert_uint_eq(p->req.nextras, 2);
	ck_assert(p->use == LOCK_RUN && !p->is_dependency && p->nfiles == 1);
	ck_assert(str_is(p->files[0].url, "https://example.org/x/pkg-1.0+cu130-py3-none-any.whl"));
	ck_assert(digest_eq(&p->files[0].sha256, &s.files[WHEEL].from.sha256) &&
		  p->files[0].size == 100);
	ck_assert(p->files[0].is_by_index && !p->files[0].is_yanked);
	p = row_of(&l, "src", "c");
	ck_assert(p->ntargets == 0 && p->is_dependency && p->nbuild == 1);
	ck_assert(str_is(p->build[0], "tool-3.0-py3-none-any.whl"));
	ck_assert(!p->files[0].is_by_index && !p->files[0].is_first_use);
	p = row_of(&l, "tool", "a");
	ck_assert(p->use == LOCK_BUILD && p->files[0].is_yanked && p->files[0].yanked.n == 0);
	ck_assert(p->files[0].is_first_use);
	scene_release(&s, &l);
}

/* What is installed and is there for builds too, by a row of its own or by an environment. */
UNIT(lock_out_says_what_else_builds)
{
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "");
	s.picks[0][0].use = USE_RUN | USE_BUILD;
	s.picks[0][2].use = USE_RUN | USE_BUILD; /* in the environment of src */
	s.plan.ntargets = 1;
	write_and_read(&s, &l);
	ck_assert_uint_eq(l.npackages, 4);
	ck_assert(str_is(l.packages[0].req.name, "pkg") && l.packages[0].use == LOCK_RUN);
	ck_assert(str_is(l.packages[1].req.name, "pkg") && l.packages[1].use == LOCK_BUILD);
	ck_assert(!l.packages[0].is_dependency && l.packages[1].is_dependency);
	ck_assert(row_of(&l, "tool", "a")->use == LOCK_RUN);
	scene_release(&s, &l);
}

UNIT(lock_out_tells_twins_apart)
{
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "");
	s.plan.nfiles = NFILES;
	s.picks[1][0].file = TWIN; /* the same bytes by two URLs: one file */
	write_and_read(&s, &l);
	ck_assert_uint_eq(l.nfiles, 3);
	ck_assert(row_of(&l, "pkg", "a") == row_of(&l, "pkg", "b"));
	lock_release(&l);
	s.files[TWIN].from.sha256.b[0] = 9;
	write_and_read(&s, &l);
	ck_assert_uint_eq(l.nfiles, 4);
	ck_assert(digest_eq(&row_of(&l, "pkg", "a")->files[0].sha256, &s.files[WHEEL].from.sha256));
	ck_assert(digest_eq(&row_of(&l, "pkg", "b")->files[0].sha256, &s.files[TWIN].from.sha256));
	scene_release(&s, &l);
}

UNIT(lock_out_keeps_the_other_tables)
{
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "[toolkit]\nfrom = \"wheels\"\npackages = [\"tool\", \"nvcc\"]\n"
		       "[recipe.src]\nrequires = [\"ninja>=1\"]\nenv = { ARCHS = \"${sm_list}\", Q "
		       "= 'a\"b' }\n"
		       "device-code = false\nreason = \"why not\"\n"
		       "[override.torch]\nversion = \">=2.5\"\nreason = \"works\"\n"
		       "[override.any]\nversion = \"*\"\nreason = \"works too\"\n"
		       "[waive]\nghost = \"gone\"\n\"ghost@b\" = \"gone there\"\n");
	write_and_read(&s, &l);
	ck_assert(l.toolkit == LOCK_TOOLKIT_WHEELS && l.ntoolkit_packages == 2);
	const struct lock_recipe *r = lock_recipe_of(&l, STR("src"));
	ck_assert(r && r->nrequires == 1 && r->nenv == 2 && r->has_device_code && !r->device_code);
	ck_assert(str_is(r->env_names[1], "Q") && str_is(r->env_values[1], "a\"b") &&
		  str_is(r->reason, "why not"));
	ck_assert(lock_override_of(&l, STR("black"))->is_exclude);
	ck_assert(str_is(lock_override_of(&l, STR("torch"))->text, ">=2.5"));
	ck_assert(lock_override_of(&l, STR("any"))->text.n == 0);
	ck_assert(str_is(lock_waives(&l, STR("ghost"), STR("b"))->reason, "gone there"));
	ck_assert(str_is(lock_waives(&l, STR("ghost"), STR("a"))->reason, "gone"));
	scene_release(&s, &l);
}

UNIT(lock_out_keeps_waived_holes)
{
	static struct plan_hole holes[] = {
		{ .target = { "b", 1 }, .project = { "ghost", 5 }, .waived = { "gone", 4 } },
		{ .target = { "b", 1 }, .project = { "ghost", 5 }, .waived = { "gone", 4 } },
	};
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "[waive]\nghost = \"gone\"\n");
	s.plan.holes = holes;
	s.plan.nholes = 2;
	write_and_read(&s, &l);
	const struct lock_package *p = row_of(&l, "ghost", "b");
	ck_assert(p->ntargets == 1 && p->nfiles == 0 && p->url.n == 0 && p->req.specifiers.n == 0);
	scene_release(&s, &l);
}

UNIT(lock_out_of_some_targets_names_no_others)
{
	struct lock l = LOCK_INIT;
	struct scene s;

	scene_init(&s, "[toolkit]\nfrom = \"site\"\nversion = \"13.0\"\n[waive]\n\"ghost@b\" = "
		       "\"gone\"\n");
	s.plan.ntargets = 1;
	write_and_read(&s, &l);
	ck_assert(l.ntargets == 1 && l.nwaivers == 0 && l.npackages == 3 &&
		  l.packages[0].ntargets == 0);
	ck_assert(l.toolkit == LOCK_TOOLKIT_SITE && str_is(l.toolkit_version, "13.0"));
	scene_release(&s, &l);
}
