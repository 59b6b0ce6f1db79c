/* METADATA of a wheel against the file's name. */
#include "verify/wheel_private.h"

#include "manifests/limits.h"
#include "manifests/name.h"
#include "verify/hash.h"

static bool locals_agree(const struct version *a, const struct version *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	version_format_local(a, &x);
	version_format_local(b, &y);
	bool same = str_eq(buf_str(&x), buf_str(&y));
	buf_release(&x);
	buf_release(&y);
	return same;
}

static int metadata_agrees(const struct dist_name *name, struct wheel_metadata *md, struct err *e)
{
	if (!name_eq(md->core.name, name->name)) {
		return err_set(e, RC_WHEEL, "Name \"%.*s\" is not that of the file",
			STR_ARG(md->core.name));
	}
	if (version_cmp_public(&md->version, &name->version) != 0) {
		err_set(e, RC_WHEEL, "Version \"%.*s\" is not that of the file, \"%.*s\"",
			STR_ARG(md->core.version), STR_ARG(name->version.raw));
		return err_hint(e,
			"the file was renamed after its build: ask its publisher for one "
			"that says what it is");
	}
	md->has_local_mismatch = !locals_agree(&md->version, &name->version);
	return 0;
}

static int metadata_load(struct wheel *w, struct wheel_metadata *md, struct err *e)
{
	/* wheel_open has found it. */
	const struct wheel_member *m = wheel_find_info(w, "METADATA");
	CLEANUP_BUF struct buf text = BUF_INIT;
	int rc = member_load(w, m, LIMIT_METADATA, &text, e);

	if (rc) {
		return rc;
	}
	md->text = arena_str(&w->arena, buf_str(&text));
	hash_bytes(md->text, &md->sha256);
	rc = core_metadata_parse(&w->arena, md->text, &md->core, e);
	rc = rc ? rc : version_parse(&w->arena, md->core.version, &md->version, e);
	if (rc) {
		err_wrap(e, "METADATA");
		return err_recode(e, RC_WHEEL);
	}
	rc = metadata_agrees(&w->name, md, e);
	return rc ? err_wrap(e, "METADATA") : 0;
}

int wheel_metadata(struct wheel *w, const struct wheel_metadata **out, struct err *e)
{
	if (!w->metadata) {
		struct wheel_metadata *md = arena_alloc(&w->arena, sizeof(*md));
		int rc = metadata_load(w, md, e);

		if (rc) {
			return err_wrap(e, "%.*s", STR_ARG(w->name.file));
		}
		w->metadata = md;
	}
	*out = w->metadata;
	return 0;
}
