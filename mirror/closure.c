#include "mirror/closure.h"

#include "manifests/base/vec.h"
#include "manifests/core_metadata.h"
#include "manifests/limits.h"
#include "manifests/requirement.h"
#include "manifests/tag.h"

#include <string.h>

static int compare_versions(struct arena *a, const struct store_file *x, const struct store_file *y)
{
	struct version v, w;
	struct err ignored = ERR_INIT;

	if (version_parse(a, x->file.version, &v, &ignored) ||
		version_parse(a, y->file.version, &w, &ignored)) {
		return str_cmp(x->file.version, y->file.version);
	}
	return version_cmp(&v, &w);
}

/* The best rank that a wheel's file name gives it, or a rank behind all others. */
static int rank_of(struct arena *a, const struct tag_list *tags, const struct store_file *f)
{
	struct dist_name name;
	struct err ignored = ERR_INIT;
	int rank = dist_name_parse(a, f->file.file, &name, &ignored) ? -1 : tag_rank(tags, &name);

	return rank < 0 ? 1 << 30 : rank;
}

static bool is_better(struct arena *a, const struct tag_list *tags, const struct store_file *x,
	const struct store_file *y)
{
	int order;

	if (x->is_current != y->is_current) {
		return x->is_current;
	}
	order = compare_versions(a, x, y);
	if (order != 0) {
		return order > 0;
	}
	if (x->file.kind != y->file.kind) {
		return x->file.kind == DIST_WHEEL;
	}
	return x->file.kind == DIST_WHEEL && rank_of(a, tags, x) < rank_of(a, tags, y);
}

const struct store_file *closure_pick(
	const struct store_target *t, struct str project, unsigned uses)
{
	const struct store_file *best = NULL;
	struct arena a = ARENA_INIT;
	struct tag_list tags = { .n = 0 };

	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];

		if (!f->is_listed || !(f->use & uses) || !str_eq(f->file.name, project)) {
			continue;
		}
		if (best && tags.n == 0) {
			tag_list_of(&a, &t->target, &tags);
		}
		if (!best || is_better(&a, &tags, f, best)) {
			best = f;
		}
	}
	arena_release(&a);
	return best;
}

const struct store_file *closure_build_of(
	const struct store_target *t, const struct store_file *sdist)
{
	for (size_t i = 0; i < t->nfiles; i++) {
		if (digest_eq(&t->files[i].source, &sdist->file.sha256)) {
			return &t->files[i];
		}
	}
	return NULL;
}

/* One project of the closure; its extras grow while dependents are read. */
struct member {
	const struct store_file *file;
	struct core_metadata core; /* wheels */
	VEC(struct str) extras;
	size_t seen_extras; /* how many of them have been followed, plus 1 for none */
};

struct search {
	struct store *store;
	const struct store_target *target;
	unsigned uses;
	struct arena *arena;
	struct marker_env env;
	VEC(struct member) members; /* found so far, followed in order */
};

static struct member *find_member(struct search *s, struct str project)
{
	vec_each(struct member, m, &s->members) {
		if (str_eq(m->file->file.name, project)) {
			return m;
		}
	}
	return NULL;
}

static void add_extra(struct member *m, struct str extra)
{
	vec_each(struct str, known, &m->extras) {
		if (str_eq(*known, extra)) {
			return;
		}
	}
	vec_push(&m->extras, extra);
}

static int read_metadata(struct search *s, struct member *m, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	int r = store_object_read(
		s->store, &m->file->file.metadata_sha256, LIMIT_METADATA, &text, e);

	if (!r) {
		r = core_metadata_parse(s->arena, arena_str(s->arena, buf_str(&text)), &m->core, e);
	}
	return r ? err_wrap(e, "%.*s: METADATA", STR_ARG(m->file->file.file)) : 0;
}

/* `for_whom` is empty for a root. */
static int need_project(struct search *s, struct str project, const struct str *extras,
	size_t nextras, struct str for_whom, struct err *e)
{
	struct member *m = find_member(s, project);

	if (!m) {
		struct member one = { .file = closure_pick(s->target, project, s->uses) };

		if (!one.file && for_whom.n == 0) {
			return err_set(e, RC_NOT_FOUND, "target %.*s: has no package %.*s",
				STR_ARG(s->target->target.name), STR_ARG(project));
		}
		if (!one.file) {
			err_set(e, RC_HOLE, "target %.*s: lacks %.*s, which %.*s needs",
				STR_ARG(s->target->target.name), STR_ARG(project),
				STR_ARG(for_whom));
			return err_hint(e, "it was left out of the bundle, perhaps by a waiver");
		}
		vec_push(&s->members, one);
		m = &s->members.v[s->members.n - 1];
	}
	for (size_t i = 0; i < nextras; i++) {
		add_extra(m, extras[i]);
	}
	return 0;
}

static int follow_one(struct search *s, size_t at, struct str text, struct err *e)
{
	struct member *m = &s->members.v[at];
	struct str project = m->file->file.name;
	struct requirement req;

	if (requirement_parse(s->arena, text, &req, e)) {
		return err_wrap(e, "%.*s: Requires-Dist", STR_ARG(m->file->file.file));
	}
	if (req.marker && !marker_eval(req.marker, &s->env, m->extras.v, m->extras.n)) {
		return 0;
	}
	return need_project(s, req.name, req.extras, req.nextras, project, e);
}

/* Members move while the list grows: indices only. */
static int follow(struct search *s, size_t at, struct err *e)
{
	struct member *m = &s->members.v[at];

	if (m->file->file.kind == DIST_WHEEL && m->core.name.n == 0 && read_metadata(s, m, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < s->members.v[at].core.nrequires_dist; i++) {
		if (follow_one(s, at, s->members.v[at].core.requires_dist[i], e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* A member is followed again when more extras of it were asked for since. */
static int follow_all(struct search *s, struct err *e)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < s->members.n; i++) {
			size_t now = s->members.v[i].extras.n + 1;

			if (s->members.v[i].seen_extras == now) {
				continue;
			}
			s->members.v[i].seen_extras = now;
			changed = true;
			if (follow(s, i, e)) {
				return -(int)e->rc;
			}
		}
	}
	return 0;
}

static int add_root(struct search *s, struct str root, struct err *e)
{
	struct requirement req;

	if (requirement_parse(s->arena, root, &req, e)) {
		return -(int)e->rc;
	}
	if (req.specifiers.n || req.url.n || req.marker) {
		err_set(e, RC_USAGE, "%.*s: the versions are those of the bundle", STR_ARG(root));
		return err_hint(e, "name the package alone, with extras in brackets where wanted");
	}
	return need_project(s, req.name, req.extras, req.nextras, STR_NULL, e);
}

static int add_every_project(struct search *s, struct err *e)
{
	const struct store_target *t = s->target;

	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];
		bool is_new = i == 0 || !str_eq(f->file.name, t->files[i - 1].file.name);

		if (is_new && closure_pick(t, f->file.name, s->uses) &&
			need_project(s, f->file.name, NULL, 0, STR_NULL, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

static int by_project(const void *a, const void *b)
{
	return str_cmp((*(const struct store_file *const *)a)->file.name,
		(*(const struct store_file *const *)b)->file.name);
}

static void take_members(struct search *s, struct closure *out)
{
	out->v = arena_array(s->arena, s->members.n, sizeof(const struct store_file *));
	out->n = s->members.n;
	for (size_t i = 0; i < s->members.n; i++) {
		out->v[i] = s->members.v[i].file;
	}
	if (out->n) {
		qsort(out->v, out->n, sizeof(const struct store_file *), by_project);
	}
}

int closure_of(struct store *s, const struct store_target *t, unsigned uses,
	const struct str *roots, size_t n, struct arena *a, struct closure *out, struct err *e)
{
	struct search search = { .store = s, .target = t, .uses = uses, .arena = a };
	int r = 0;

	target_marker_env(a, &t->target, &search.env);
	for (size_t i = 0; !r && i < n; i++) {
		r = add_root(&search, roots[i], e);
	}
	if (!r && n == 0) {
		r = add_every_project(&search, e);
	} else if (!r) {
		r = follow_all(&search, e);
	}
	if (!r) {
		take_members(&search, out);
	}
	vec_each(struct member, m, &search.members) {
		vec_release(&m->extras);
	}
	vec_release(&search.members);
	return r;
}
