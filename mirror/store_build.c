/* Writing the catalogue: a wheel that was built here. */
#include "mirror/store_private.h"

#include <string.h>

struct build_rows { /* row ids */
	uint64_t target, sdist, wheel;
};

static int find_rows(
	struct store *s, const struct store_build *b, struct build_rows *out, struct err *e)
{
	int r = db_ask_number(s->db, "SELECT id FROM target WHERE name = ?",
		DB_VALUES(db_text(b->target)), 0, &out->target, e);

	if (!r && out->target == 0) {
		return err_set(
			e, RC_NOT_FOUND, "target %.*s: not in this store", STR_ARG(b->target));
	}
	if (!r) {
		r = db_ask_number(s->db,
			"SELECT file.id FROM file JOIN pick ON pick.file = file.id "
			"WHERE pick.target = ? AND file.sha256 = ?",
			DB_VALUES(db_number(out->target), db_digest(&b->sdist)), 0, &out->sdist, e);
	}
	if (!r && out->sdist == 0) {
		char hex[DIGEST_HEX + 1];

		return err_set(e, RC_NOT_FOUND, "target %.*s: has no source with sha256 %s",
			STR_ARG(b->target), digest_hex(&b->sdist, hex));
	}
	return r;
}

/* The site's key may never speak for a file that somebody else has signed. */
static int check_wheel_name(
	struct store *s, const struct store_build *b, uint64_t target, struct err *e)
{
	uint64_t upstream;
	int r = db_ask_number(s->db,
		"SELECT count(*) FROM file JOIN pick ON pick.file = file.id "
		"WHERE pick.target = ? AND file.file = ? AND file.sha256 <> ?",
		DB_VALUES(db_number(target), db_text(b->wheel.file), db_digest(&b->wheel.sha256)),
		0, &upstream, e);

	return r || upstream == 0
		       ? r
		       : err_set(e, RC_CONFLICT,
				 "target %.*s: %.*s came in a bundle; a build cannot replace it",
				 STR_ARG(b->target), STR_ARG(b->wheel.file));
}

static int save_build(struct store *s, const struct store_build *b, uint64_t now, struct err *e)
{
	struct build_rows rows;
	struct digest key;
	char hex[DIGEST_HEX + 1];
	int r = find_rows(s, b, &rows, e);

	if (!r) {
		r = check_wheel_name(s, b, rows.target, e);
	}
	if (!r) {
		r = store_save_file(s, &b->wheel, &rows.wheel, e);
	}
	if (r) {
		return r;
	}
	memcpy(key.b, b->signer.key, sizeof(key.b));
	r = db_run(s->db,
		"INSERT INTO build (target, sdist, wheel, provenance, signature, log, signer, "
		"built) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		DB_VALUES(db_number(rows.target), db_number(rows.sdist), db_number(rows.wheel),
			db_digest(&b->provenance), db_digest(&b->signature), db_digest(&b->log),
			db_text(str_of(digest_hex(&key, hex))), db_number(now)),
		e);
	return r ? r
		 : db_run(s->db, "UPDATE state SET generation = generation + 1", DB_NO_VALUES, e);
}

int store_commit_build(struct store *s, const struct store_build *b, uint64_t now, struct err *e)
{
	int r = 0;

	if (!store_object_exists(s, &b->wheel.sha256, b->wheel.size) ||
		!store_object_exists(s, &b->wheel.metadata_sha256, b->wheel.metadata_size)) {
		r = err_set(e, RC_STORE, "store %s: the bytes of %.*s are not there", s->dir,
			STR_ARG(b->wheel.file));
	}
	if (!r) {
		r = store_sync_objects(s, e);
	}
	if (!r) {
		r = db_begin(s->db, e);
	}
	if (!r) {
		r = save_build(s, b, now, e);
	}
	if (!r) {
		store_keep_objects(s);
		r = db_commit(s->db, e);
	}
	db_rollback(s->db);
	return r ? r : store_publish(s, e);
}
