#include "verify/sdist_in.h"

#include "manifests/limits.h"
#include "manifests/name.h"
#include "manifests/requirement.h"
#include "manifests/toml.h"
#include "verify/egg_requires.h"
#include "verify/sdist_sources.h"
#include "verify/sdist_walk.h"

#include <inttypes.h>
#include <string.h>

void sdist_release(struct sdist *s)
{
	arena_release(&s->arena);
	*s = (struct sdist)SDIST_INIT;
}

/* ---- pyproject.toml ---- */

/* Backends that fetch the wheel they were asked to build. */
static bool is_stub_name(struct str name)
{
	return name_eq(name, STR("nvidia-stub")) || name_eq(name, STR("wheel-stub"));
}

static void stub_find(struct sdist *s)
{
	struct str module = s->build_backend;

	module = str_first(module, str_find(module, ':'));
	module = str_first(module, str_find(module, '.'));
	s->is_stub = is_stub_name(module);
	for (size_t i = 0; i < s->nbuild_requires && !s->is_stub; i++) {
		struct arena a = ARENA_INIT;
		struct requirement r;

		s->is_stub = requirement_parse(
				     &a, s->build_requires[i], &r, &(struct err)ERR_INIT) == 0 &&
			     is_stub_name(r.name);
		arena_release(&a);
	}
}

/* NVIDIA keeps the names of projects that it renamed, and of those that were only ever on its own
 * index, by sdists whose setup.py stops with an explanation. */
static void placeholder_find(struct sdist *s)
{
	bool stops = str_has(s->setup_py, "sys.exit(") || str_has(s->setup_py, "raise ");
	struct str said = str_first(s->core.summary, strlen("deprecated"));

	s->is_placeholder = stops && (str_eq_nocase(said, STR("deprecated")) ||
					     str_has(s->setup_py, "only a placeholder project"));
}

/* Other backends do not run setup.py. */
static void missing_find(struct sdist *s, const struct sdist_walk *w)
{
	if (str_starts(s->build_backend, "setuptools.")) {
		sdist_sources_missing(&s->arena, s->setup_py, w->files.v, w->files.n, &s->missing, &s->nmissing);
	}
}

/* PEP 517 "Source trees": without the table, an implicit setuptools that runs setup.py. */
static void build_default(struct sdist *s)
{
	s->build_requires = arena_alloc(&s->arena, sizeof(*s->build_requires));
	s->build_requires[0] = STR("setuptools>=40.8.0");
	s->nbuild_requires = 1;
	s->build_backend = STR("setuptools.build_meta:__legacy__");
}

static int requires_check(struct sdist *s, struct err *e)
{
	struct requirement r;

	for (size_t i = 0; i < s->nbuild_requires; i++) {
		int rc = requirement_parse(&s->arena, s->build_requires[i], &r, e);
		if (rc) {
			return err_wrap(e, "build-system.requires");
		}
	}
	return 0;
}

static int build_system_read(struct sdist *s, struct str text, struct err *e)
{
	struct toml *root;
	const struct toml *table = NULL;
	int rc = toml_parse(&s->arena, text, &root, e);

	rc = rc ? rc : toml_opt_table(root, "build-system", &table, e);
	if (rc || !table) {
		return rc;
	}
	/* PEP 518: a table without `requires` is an error, and front ends stop at it. */
	if (!toml_get(table, "requires")) {
		return err_set(e, RC_WHEEL, "[build-system] has no requires");
	}
	rc = toml_opt_strs(
		&s->arena, table, "requires", false, &s->build_requires, &s->nbuild_requires, e);
	rc = rc ? rc : toml_opt_str(table, "build-backend", &s->build_backend, e);
	return rc ? rc : requires_check(s, e);
}

static int pyproject_take(struct sdist *s, struct str text, struct err *e)
{
	s->has_pyproject = true;
	if (build_system_read(s, text, e)) {
		err_wrap(e, "pyproject.toml");
		return err_recode(e, RC_WHEEL);
	}
	return 0;
}

/* ---- PKG-INFO ---- */

static int version_agrees(struct sdist *s, const struct dist_name *name, struct err *e)
{
	struct version version;

	if (version_parse(&s->arena, s->core.version, &version, e)) {
		return err_recode(e, RC_WHEEL);
	}
	if (version_cmp_public(&version, &name->version) != 0) {
		return err_set(e, RC_WHEEL, "Version \"%.*s\" is not that of the file, \"%.*s\"",
			STR_ARG(s->core.version), STR_ARG(name->version.raw));
	}
	return 0;
}

static int pkg_info_take(
	struct sdist *s, const struct dist_name *name, struct str text, struct err *e)
{
	int rc = core_metadata_parse(&s->arena, text, &s->core, e);

	if (rc) {
		rc = err_recode(e, RC_WHEEL);
	} else if (!name_eq(s->core.name, name->name)) {
		rc = err_set(e, RC_WHEEL, "Name \"%.*s\" is not \"%.*s\"", STR_ARG(s->core.name),
			STR_ARG(name->name));
	} else {
		rc = version_agrees(s, name, e);
	}
	return rc ? err_wrap(e, "PKG-INFO") : 0;
}

/* ---- the archive ---- */

/* The text lives as long as the sdist: what is parsed points into it. */
static int text_read(struct sdist_walk *w, const struct archive_member *m, uint64_t max,
	struct arena *a, struct str *out, struct err *e)
{
	struct str piece = { "", 1 };
	CLEANUP_BUF struct buf text = BUF_INIT;

	if (m->size > max) {
		return err_set(e, RC_LIMIT, "%.*s: %" PRIu64 " bytes, over the limit of %" PRIu64,
			STR_ARG(m->name), m->size, max);
	}
	while (piece.n) {
		int rc = archive_in_read(w->archive, &piece, e);
		if (rc) {
			return rc;
		}
		buf_addstr(&text, piece);
	}
	*out = arena_str(a, buf_str(&text));
	return 0;
}

static int member_use(struct sdist *s, struct sdist_walk *w, const struct dist_name *name,
	const struct archive_member *m, struct str below, struct err *e)
{
	struct str text = STR_NULL;
	int rc = 0;

	if (m->is_dir) {
		return 0;
	}
	s->has_cuda_sources |= str_ends(below, ".cu") || str_ends(below, ".cuh");
	if (str_is(below, "setup.py")) {
		s->has_setup_py = true;
		rc = m->size > LIMIT_SETUP_PY ? 0 : text_read(w, m, LIMIT_SETUP_PY, &s->arena, &s->setup_py, e);
	} else if (str_ends(below, ".egg-info/requires.txt")) {
		rc = text_read(w, m, LIMIT_METADATA, &s->arena, &s->egg_requires, e);
	} else if (str_is(below, "PKG-INFO")) {
		rc = text_read(w, m, LIMIT_METADATA, &s->arena, &text, e);
		rc = rc ? rc : pkg_info_take(s, name, text, e);
	} else if (str_is(below, "pyproject.toml")) {
		rc = text_read(w, m, LIMIT_PYPROJECT, &s->arena, &text, e);
		rc = rc ? rc : pyproject_take(s, text, e);
	}
	return rc;
}

/* An sdist older than core metadata 2.2 may keep its requirements beside PKG-INFO. */
static int old_requires_take(struct sdist *s, struct err *e)
{
	struct core_metadata *c = &s->core;

	if (c->nrequires_dist || !s->egg_requires.n) {
		return 0;
	}
	return egg_requires_parse(&s->arena, s->egg_requires, &c->requires_dist, &c->nrequires_dist, e);
}

static int sdist_load(struct sdist *s, int fd, const struct dist_name *name, struct err *e)
{
	CLEANUP_SDIST_WALK struct sdist_walk w = SDIST_WALK_INIT;
	struct archive_member m;
	struct str below;
	bool found = true;
	int rc = sdist_walk_open(&w, fd, name->file, e);

	build_default(s);
	while (!rc && found) {
		rc = sdist_walk_next(&w, &m, &below, &found, e);
		if (!rc && found) {
			rc = member_use(s, &w, name, &m, below, e);
		}
	}
	if (!rc && !s->has_pyproject && !s->has_setup_py) {
		rc = err_set(e, RC_WHEEL, "no pyproject.toml and no setup.py: it cannot be built");
	}
	rc = rc ? rc : old_requires_take(s, e);
	if (!rc) {
		stub_find(s);
		placeholder_find(s);
		missing_find(s, &w);
	}
	return rc;
}

int sdist_read(int fd, struct str file_name, struct str project, struct sdist *out, struct err *e)
{
	struct sdist s = SDIST_INIT;
	struct dist_name name;
	int rc = dist_name_parse_sdist(&s.arena, arena_str(&s.arena, file_name), project, &name, e);

	if (!rc) {
		rc = sdist_load(&s, fd, &name, e);
		rc = rc ? err_wrap(e, "%.*s", STR_ARG(file_name)) : 0;
	}
	if (rc) {
		sdist_release(&s);
		return rc;
	}
	*out = s;
	return 0;
}
