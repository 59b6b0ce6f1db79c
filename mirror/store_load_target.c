/* Reading the published catalogue: what each target has. */
#include "manifests/base/json.h"
#include "manifests/base/vec.h"
#include "manifests/target_text.h"
#include "mirror/store_load.h"

#include <stdlib.h>

static int by_id(const void *key, const void *element)
{
	uint64_t id = *(const uint64_t *)key, other = ((const struct known_file *)element)->id;

	return id < other ? -1 : id > other;
}

static const struct known_file *file_of(const struct load *l, uint64_t id)
{
	return l->nfiles ? bsearch(&id, l->files, l->nfiles, sizeof(*l->files), by_id) : NULL;
}

struct rows {
	struct store_row *v;
	size_t n, cap;
};

struct ids {
	uint64_t *v;
	size_t n, cap;
};

static bool has_id(const struct ids *ids, uint64_t id)
{
	vec_each(uint64_t, it, ids) {
		if (*it == id) {
			return true;
		}
	}
	return false;
}

static struct store_row row_of(const struct known_file *k)
{
	return (struct store_row){ .file = { .file = k->file, .is_listed = true },
		.id = k->id,
		.rank = k->rank,
		.parts = k->has_parts ? &k->parts : NULL };
}

/* The bundles whose plan for this target counts: the newest of each channel. */
static int load_plans(struct load *l, uint64_t target, struct ids *out, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	int r = db_ask(l->db,
		"SELECT max(bundle.id) FROM bundle JOIN bundle_target ON bundle_target.bundle = "
		"bundle.id "
		"WHERE bundle_target.target = ? GROUP BY bundle.channel",
		DB_VALUES(db_number(target)), &q, e);

	while (!r && (r = db_row(q, e)) > 0) {
		vec_push(out, db_col_number(q, 0));
		r = 0;
	}
	return r;
}

/* A file has a row for each bundle that picked it, oldest first: the last word counts. */
static int load_picks(
	struct load *l, uint64_t target, const struct ids *plans, struct rows *rows, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	int r = db_ask(l->db,
		"SELECT file, bundle, use, requested, extras FROM pick WHERE target = ? "
		"ORDER BY file, bundle",
		DB_VALUES(db_number(target)), &q, e);

	if (r) {
		return r;
	}
	while ((r = db_row(q, e)) > 0) {
		uint64_t id = db_col_number(q, 0);

		if (rows->n == 0 || rows->v[rows->n - 1].id != id) {
			const struct known_file *k = file_of(l, id);

			if (!k) {
				return load_damaged(l, "pick", e);
			}
			vec_push(rows, row_of(k));
		}
		struct store_row *row = &rows->v[rows->n - 1];
		row->bundle = db_col_number(q, 1);
		row->file.is_current |= has_id(plans, row->bundle);
		row->file.use = (enum manifest_use)db_col_number(q, 2);
		row->file.is_requested = db_col_number(q, 3) != 0;
		if (store_list_read(
			    l->a, db_col_text(q, 4), &row->file.extras, &row->file.nextras, e)) {
			return load_damaged(l, "pick", e);
		}
	}
	return r;
}

static struct store_row *find_row(const struct rows *rows, uint64_t id)
{
	vec_each(struct store_row, row, rows) {
		if (row->id == id) {
			return row;
		}
	}
	return NULL;
}

/* Newest first: the first build of a source is the one in force. */
static int add_build(
	struct load *l, struct db_query *q, struct ids *built, struct rows *rows, struct err *e)
{
	const struct known_file *k = file_of(l, db_col_number(q, 1));
	const struct store_row *sdist = find_row(rows, db_col_number(q, 0));
	struct digest provenance;

	if (!k || !sdist || !db_col_digest(q, 2, &provenance)) {
		return load_damaged(l, "build", e);
	}
	bool in_force = !has_id(built, sdist->id);
	struct store_row *known = find_row(rows, k->id);
	struct digest source = in_force ? sdist->file.file.sha256 : (struct digest){ .b = { 0 } };
	vec_push(built, sdist->id);
	if (known) { /* the same bytes came in a bundle, or were built before */
		known->file.source = in_force ? source : known->file.source;
		return 0;
	}
	struct store_row row = row_of(k);
	row.file.source = source;
	row.file.use = sdist->file.use;
	row.file.is_requested = sdist->file.is_requested;
	row.file.extras = sdist->file.extras;
	row.file.nextras = sdist->file.nextras;
	row.file.is_built = true;
	row.file.is_listed = in_force;
	row.file.is_current = in_force && sdist->file.is_current;
	row.file.provenance = provenance;
	vec_push(rows, row);
	return 0;
}

static int load_builds(struct load *l, uint64_t target, struct rows *rows, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	struct ids built = VEC_INIT;
	int r = db_ask(l->db,
		"SELECT sdist, wheel, provenance FROM build WHERE target = ? ORDER BY id DESC",
		DB_VALUES(db_number(target)), &q, e);

	while (!r && (r = db_row(q, e)) > 0) {
		r = add_build(l, q, &built, rows, e);
	}
	vec_release(&built);
	return r;
}

static int rows_by_rank(const void *a, const void *b)
{
	const struct store_row *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void take_rows(struct load *l, struct rows *rows, struct store_target *t)
{
	if (rows->n) {
		qsort(rows->v, rows->n, sizeof(*rows->v), rows_by_rank);
	}
	store_mark_listed(rows->v, rows->n);
	t->files = arena_array(l->a, rows->n, sizeof(*t->files));
	t->nfiles = rows->n;
	for (size_t i = 0; i < rows->n; i++) {
		t->files[i] = rows->v[i].file;
	}
}

static int by_index(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* The rows are in their final order: a row's place is the file's index. */
static int load_environment(struct load *l, uint64_t target, uint64_t sdist, const struct rows *rows,
	struct manifest_recipe *x, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	uint64_t n;
	int r = db_ask_number(l->db, "SELECT count(*) FROM environment WHERE target = ? AND sdist = ?",
		DB_VALUES(db_number(target), db_number(sdist)), 0, &n, e);

	r = r ? r : db_ask(l->db, "SELECT file FROM environment WHERE target = ? AND sdist = ?",
			    DB_VALUES(db_number(target), db_number(sdist)), &q, e);
	if (r) {
		return r;
	}
	x->environment = arena_array(l->a, n, sizeof(*x->environment));
	while (x->nenvironment < n && (r = db_row(q, e)) > 0) {
		const struct store_row *row = find_row(rows, db_col_number(q, 0));

		if (!row) {
			return load_damaged(l, "environment", e);
		}
		x->environment[x->nenvironment++] = (size_t)(row - rows->v);
	}
	if (x->nenvironment) {
		qsort(x->environment, x->nenvironment, sizeof(*x->environment), by_index);
	}
	return r < 0 ? r : 0;
}

static int read_recipe(struct load *l, uint64_t target, struct db_query *q, const struct rows *rows,
	struct manifest_recipe *x, struct err *e)
{
	const struct store_row *row = find_row(rows, db_col_number(q, 0));
	size_t nvalues = 0;

	if (!row || store_list_read(l->a, db_col_text(q, 1), &x->env_names, &x->nenv, e) ||
		store_list_read(l->a, db_col_text(q, 2), &x->env_values, &nvalues, e) ||
		nvalues != x->nenv) {
		return load_damaged(l, "recipe", e);
	}
	x->file = (size_t)(row - rows->v);
	x->device_code = db_col_number(q, 3) != 0;
	return load_environment(l, target, row->id, rows, x, e);
}

static int load_recipes(struct load *l, uint64_t target, const struct rows *rows,
	struct store_target *t, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	uint64_t n;
	int r = db_ask_number(l->db, "SELECT count(*) FROM recipe WHERE target = ?",
		DB_VALUES(db_number(target)), 0, &n, e);

	if (!r) {
		r = db_ask(l->db,
			"SELECT file, env_names, env_values, device_code FROM recipe "
			"WHERE target = ? ORDER BY file",
			DB_VALUES(db_number(target)), &q, e);
	}
	if (r) {
		return r;
	}
	t->recipes = arena_array(l->a, n, sizeof(*t->recipes));
	while (!r && t->nrecipes < n && (r = db_row(q, e)) > 0) {
		struct manifest_recipe *x = &t->recipes[t->nrecipes++];

		r = read_recipe(l, target, q, rows, x, e);
		if (!r) {
			t->files[x->file].needs_toolkit = x->device_code;
		}
	}
	return r < 0 ? r : 0;
}

static int load_contents(struct load *l, uint64_t id, struct store_target *t, struct err *e)
{
	struct ids plans = VEC_INIT;
	struct rows rows = VEC_INIT;
	int r = load_plans(l, id, &plans, e);

	if (!r) {
		r = load_picks(l, id, &plans, &rows, e);
	}
	if (!r) {
		r = load_builds(l, id, &rows, e);
	}
	if (!r) {
		take_rows(l, &rows, t);
		r = load_recipes(l, id, &rows, t, e);
	}
	vec_release(&plans);
	vec_release(&rows);
	return r;
}

static int read_target(struct load *l, struct db_query *q, struct store_target *t, struct err *e)
{
	CLEANUP_JSON struct json *doc = NULL;
	int r = json_parse(db_col_text(q, 1), &doc, e);

	if (!r) {
		r = target_from_json(l->a, doc, &t->target, e);
	}
	if (r) {
		err_recode(e, RC_STORE);
		return err_wrap(
			e, "store %s: target %.*s", l->store->dir, STR_ARG(db_col_text(q, 3)));
	}
	t->toolkit = load_text(l, q, 2);
	t->channel = load_text(l, q, 4);
	return load_contents(l, db_col_number(q, 0), t, e);
}

int load_all_targets(struct load *l, struct store_view *v, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	uint64_t n;
	int r = db_ask_number(l->db, "SELECT count(*) FROM target", DB_NO_VALUES, 0, &n, e);

	if (!r) {
		r = db_ask(l->db,
			"SELECT id, definition, toolkit, name, (SELECT channel FROM bundle WHERE "
			"id = "
			"(SELECT max(bundle) FROM bundle_target WHERE target = target.id)) "
			"FROM target ORDER BY name",
			DB_NO_VALUES, &q, e);
	}
	if (r) {
		return r;
	}
	v->targets = arena_array(l->a, n, sizeof(*v->targets));
	while (!r && v->ntargets < n && (r = db_row(q, e)) > 0) {
		r = read_target(l, q, &v->targets[v->ntargets++], e);
	}
	return r < 0 ? r : 0;
}
