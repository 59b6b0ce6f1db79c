/* Writing the catalogue: one bundle, one transaction. */
#include "manifests/base/json.h"
#include "manifests/base/mem.h"
#include "manifests/target_text.h"
#include "mirror/store_private.h"

#include <string.h>

/* ---- may this bundle come in ---- */

struct newest {
	bool any;
	uint64_t epoch, serial;
	struct digest manifest;
};

static int newest_of_channel(struct store *s, struct str channel, struct newest *out, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	int r = db_ask(s->db,
		"SELECT epoch, serial, manifest FROM bundle WHERE channel = ? "
		"ORDER BY epoch DESC, serial DESC LIMIT 1",
		DB_VALUES(db_text(channel)), &q, e);

	*out = (struct newest){ .any = false };
	if (!r) {
		r = db_row(q, e);
	}
	if (r > 0) {
		out->any = true;
		out->epoch = db_col_number(q, 0);
		out->serial = db_col_number(q, 1);
		if (!db_col_digest(q, 2, &out->manifest)) {
			return err_set(e, RC_STORE, "store %s: damaged row in bundle", s->dir);
		}
	}
	return r < 0 ? r : 0;
}

static int refuse_rollback(const struct manifest *m, const struct newest *newest, struct err *e)
{
	err_set(e, RC_BUNDLE_ROLLBACK,
		"channel %.*s: epoch %llu serial %llu is older than epoch %llu serial %llu, "
		"which was imported",
		STR_ARG(m->channel), (unsigned long long)m->epoch, (unsigned long long)m->serial,
		(unsigned long long)newest->epoch, (unsigned long long)newest->serial);
	return err_hint(
		e, "ask the packer for a bundle with a higher serial; nothing was changed here");
}

static int check_order(struct store *s, const struct manifest *m, const struct digest *manifest,
	bool *known, struct err *e)
{
	struct newest newest;
	int r = newest_of_channel(s, m->channel, &newest, e);

	if (r) {
		return r;
	}
	*known = false;
	if (!newest.any || m->epoch > newest.epoch) {
		return 0;
	}
	if (m->epoch < newest.epoch || m->serial < newest.serial) {
		return refuse_rollback(m, &newest, e);
	}
	if (m->serial > newest.serial) {
		return 0;
	}
	if (digest_eq(manifest, &newest.manifest)) {
		*known = true;
		return 0;
	}
	err_set(e, RC_BUNDLE_EQUIVOCATION,
		"channel %.*s: another bundle with serial %llu was imported before; they differ",
		STR_ARG(m->channel), (unsigned long long)m->serial);
	return err_hint(e, "find out who made two bundles with one serial before you trust either");
}

static bool is_same_gpus(const struct target *a, const struct target *b)
{
	size_t found = 0;

	for (size_t i = 0; i < a->ngpus; i++) {
		for (size_t j = 0; j < b->ngpus; j++) {
			if (a->gpus[i].major == b->gpus[j].major &&
				a->gpus[i].minor == b->gpus[j].minor) {
				found++;
				break;
			}
		}
	}
	return a->ngpus == b->ngpus && found == a->ngpus;
}

/* What another machine would differ in: "python", ..., or NULL. Torch, CUDA and the driver are
 * software that a machine's next bundle may renew. */
static const char *machine_difference(const struct target *a, const struct target *b)
{
	if (a->python.major != b->python.major || a->python.minor != b->python.minor ||
		a->python.free_threaded != b->python.free_threaded) {
		return "python";
	}
	if (!str_eq(a->platform, b->platform)) {
		return "platform";
	}
	if (a->libc != b->libc || a->libc_major != b->libc_major ||
		a->libc_minor != b->libc_minor) {
		return "libc";
	}
	return is_same_gpus(a, b) ? NULL : "gpus";
}

static int parse_definition(struct arena *a, struct str text, struct target *out, struct err *e)
{
	CLEANUP_JSON struct json *doc = NULL;
	int r = json_parse(text, &doc, e);

	if (!r) {
		r = target_from_json(a, doc, out, e);
	}
	return r ? err_recode(e, RC_STORE) : 0;
}

static int check_target(struct store *s, const struct target *t, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	struct arena a = ARENA_INIT;
	struct target before;
	int r = db_ask(s->db, "SELECT definition FROM target WHERE name = ?",
		DB_VALUES(db_text(t->name)), &q, e);

	if (!r) {
		r = db_row(q, e);
	}
	if (r > 0) {
		r = parse_definition(&a, db_col_text(q, 0), &before, e);
		const char *difference = r ? NULL : machine_difference(&before, t);

		if (difference) {
			err_set(e, RC_CONFLICT,
				"target %.*s: another kind of machine than the one that has this "
				"name here: its %s differs (here: %s; in the bundle: %s)",
				STR_ARG(t->name), difference, target_line(&a, &before),
				target_line(&a, t));
			r = err_hint(e, "give one of the two another name in the lock");
		}
	}
	arena_release(&a);
	return r;
}

static int check_file_name(
	struct store *s, const struct target *t, const struct manifest_file *f, struct err *e)
{
	uint64_t others;
	int r = db_ask_number(s->db,
		"SELECT count(*) FROM file JOIN pick ON pick.file = file.id "
		"JOIN target ON target.id = pick.target "
		"WHERE file.file = ? AND file.sha256 <> ? AND target.name = ?",
		DB_VALUES(db_text(f->file), db_digest(&f->sha256), db_text(t->name)), 0, &others,
		e);

	if (r || others == 0) {
		return r;
	}
	err_set(e, RC_CONFLICT,
		"target %.*s: %.*s has other bytes than the file of that name that was "
		"imported before",
		STR_ARG(t->name), STR_ARG(f->file));
	return err_hint(
		e, "nothing that is served is ever replaced; find out which of the two is right");
}

int store_check_bundle(struct store *s, const struct manifest *m, const struct digest *manifest,
	bool *known, struct err *e)
{
	bool is_known;
	int r = check_order(s, m, manifest, &is_known, e);

	for (size_t i = 0; !r && !is_known && i < m->ntargets; i++) {
		const struct manifest_target *t = &m->targets[i];

		r = check_target(s, &t->target, e);
		for (size_t j = 0; !r && j < t->npicks; j++) {
			r = check_file_name(s, &t->target, &m->files[t->picks[j].file], e);
		}
	}
	if (!r) {
		*known = is_known;
	}
	return r;
}

/* ---- rows ---- */

int store_save_file(struct store *s, const struct manifest_file *f, uint64_t *id, struct err *e)
{
	int r = db_run(s->db,
		"INSERT INTO file (sha256, size, file, name, version, kind, requires_python, "
		"metadata, metadata_size, local_mismatch, device_code, yanked, origin, hash_from, "
		"license) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
		"ON CONFLICT (sha256, file) DO UPDATE SET device_code = excluded.device_code, "
		"yanked = excluded.yanked, origin = excluded.origin, hash_from = "
		"excluded.hash_from, license = excluded.license",
		DB_VALUES(db_digest(&f->sha256), db_number(f->size), db_text(f->file),
			db_text(f->name), db_text(f->version), db_number((uint64_t)f->kind),
			db_text(f->requires_python),
			f->kind == DIST_WHEEL ? db_digest(&f->metadata_sha256) : db_null(),
			db_number(f->metadata_size), db_number(f->local_mismatch),
			db_text(f->device_code), f->is_yanked ? db_text(f->yanked) : db_null(),
			db_text(f->origin), db_number((uint64_t)f->hash_from), db_text(f->license)),
		e);

	return r ? r
		 : db_ask_number(s->db, "SELECT id FROM file WHERE sha256 = ? AND file = ?",
			   DB_VALUES(db_digest(&f->sha256), db_text(f->file)), 0, id, e);
}

static int save_target(
	struct store *s, const struct manifest_target *t, uint64_t *id, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	json_out_init(&o, &text, true);
	json_begin_object(&o);
	target_put_json(&t->target, &o);
	json_end_object(&o);
	int r = db_run(s->db,
		"INSERT INTO target (name, definition, toolkit) VALUES (?, ?, ?) "
		"ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, "
		"toolkit = excluded.toolkit",
		DB_VALUES(db_text(t->target.name), db_text(buf_str(&text)), db_text(t->toolkit)),
		e);
	return r ? r
		 : db_ask_number(s->db, "SELECT id FROM target WHERE name = ?",
			   DB_VALUES(db_text(t->target.name)), 0, id, e);
}

static int save_pick(struct store *s, uint64_t target, uint64_t file, uint64_t bundle,
	const struct manifest_pick *p, struct err *e)
{
	CLEANUP_BUF struct buf extras = BUF_INIT;

	store_list_write(p->extras, p->nextras, &extras);
	return db_run(s->db,
		"INSERT OR REPLACE INTO pick (target, file, bundle, use, requested, extras) "
		"VALUES (?, ?, ?, ?, ?, ?)",
		DB_VALUES(db_number(target), db_number(file), db_number(bundle),
			db_number((uint64_t)p->use), db_number(p->is_requested),
			db_text(buf_str(&extras))),
		e);
}

static int save_environment(struct store *s, uint64_t target, uint64_t sdist,
	const struct manifest_recipe *x, const uint64_t *file_ids, struct err *e)
{
	int r = db_run(s->db, "DELETE FROM environment WHERE target = ? AND sdist = ?",
		DB_VALUES(db_number(target), db_number(sdist)), e);

	for (size_t i = 0; !r && i < x->nenvironment; i++) {
		r = db_run(s->db, "INSERT INTO environment (target, sdist, file) VALUES (?, ?, ?)",
			DB_VALUES(db_number(target), db_number(sdist),
				db_number(file_ids[x->environment[i]])),
			e);
	}
	return r;
}

static int save_recipe(struct store *s, uint64_t target, const struct manifest_recipe *x,
	const uint64_t *file_ids, struct err *e)
{
	CLEANUP_BUF struct buf names = BUF_INIT, values = BUF_INIT;
	uint64_t sdist = file_ids[x->file];

	store_list_write(x->env_names, x->nenv, &names);
	store_list_write(x->env_values, x->nenv, &values);
	int r = db_run(s->db,
		"INSERT OR REPLACE INTO recipe (target, file, env_names, env_values, device_code) "
		"VALUES (?, ?, ?, ?, ?)",
		DB_VALUES(db_number(target), db_number(sdist), db_text(buf_str(&names)),
			db_text(buf_str(&values)), db_number(x->device_code)),
		e);
	return r ? r : save_environment(s, target, sdist, x, file_ids, e);
}

static int save_plan(struct store *s, const struct manifest_target *t, const uint64_t *file_ids,
	uint64_t bundle, struct err *e)
{
	uint64_t target;
	int r = save_target(s, t, &target, e);

	if (!r) {
		r = db_run(s->db,
			"INSERT OR IGNORE INTO bundle_target (bundle, target) VALUES (?, ?)",
			DB_VALUES(db_number(bundle), db_number(target)), e);
	}
	for (size_t i = 0; !r && i < t->npicks; i++) {
		r = save_pick(s, target, file_ids[t->picks[i].file], bundle, &t->picks[i], e);
	}
	for (size_t i = 0; !r && i < t->nrecipes; i++) {
		r = save_recipe(s, target, &t->recipes[i], file_ids, e);
	}
	return r;
}

static int save_bundle(struct store *s, const struct manifest *m, const struct digest *manifest,
	const struct digest *signature, const struct public_key *signer, uint64_t now,
	struct err *e)
{
	struct digest key;
	char hex[DIGEST_HEX + 1];

	_Static_assert(sizeof(key.b) == sizeof(signer->key), "both have 32 bytes");
	memcpy(key.b, signer->key, sizeof(key.b));
	return db_run(s->db,
		"INSERT INTO bundle (channel, epoch, serial, created, imported, manifest, "
		"signature, signer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		DB_VALUES(db_text(m->channel), db_number(m->epoch), db_number(m->serial),
			db_number(m->created), db_number(now), db_digest(manifest),
			db_digest(signature), db_text(str_of(digest_hex(&key, hex)))),
		e);
}

static int save_all(struct store *s, const struct manifest *m, uint64_t bundle, struct err *e)
{
	CLEANUP(free) uint64_t *ids = mem_array(m->nfiles, sizeof(*ids));
	int r = 0;

	for (size_t i = 0; !r && i < m->nfiles; i++) {
		r = store_save_file(s, &m->files[i], &ids[i], e);
	}
	for (size_t i = 0; !r && i < m->ntargets; i++) {
		r = save_plan(s, &m->targets[i], ids, bundle, e);
	}
	return r ? r
		 : db_run(s->db, "UPDATE state SET generation = generation + 1", DB_NO_VALUES, e);
}

/* The database itself says no to a file that is not there: the index never lists what it has not.
 */
static int check_objects(struct store *s, const struct manifest *m, struct err *e)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		const struct manifest_file *f = &m->files[i];

		if (!store_object_exists(s, &f->sha256, f->size) ||
			(f->kind == DIST_WHEEL &&
				!store_object_exists(s, &f->metadata_sha256, f->metadata_size))) {
			return err_set(e, RC_STORE, "store %s: the bytes of %.*s are not there",
				s->dir, STR_ARG(f->file));
		}
	}
	return 0;
}

int store_commit_bundle(struct store *s, const struct manifest *m, const struct digest *manifest,
	const struct digest *signature, const struct public_key *signer, uint64_t now,
	struct err *e)
{
	bool known = false;
	int r = check_objects(s, m, e);

	if (!r) {
		r = store_sync_objects(s, e);
	}
	if (!r) {
		r = db_begin(s->db, e);
	}
	if (!r) {
		r = store_check_bundle(s, m, manifest, &known, e);
	}
	if (!r && !known) {
		r = save_bundle(s, m, manifest, signature, signer, now, e);
	}
	if (!r && !known) {
		r = save_all(s, m, db_last_id(s->db), e);
	}
	if (!r) {
		store_keep_objects(s);
		r = db_commit(s->db, e);
	}
	db_rollback(s->db);
	return r || known ? r : store_publish(s, e);
}
