/* lock_plan LOCK --targets FILE [--extra NAME]... [--group NAME]... [--no-default-groups]
 * [--package NAME]... [--all-packages]: what each
 * target of a lock gets, as JSON, for tests/e2e/lock_corpus_*.py:
 *	{"TARGET": {"select": ["name==version" or "name>=version", ...], "files": {"name==version": FILE or null},
 *	            "hashes": {"name==version": [SHA256, ...]}}}
 * FILE is the best of the files that the lock itself names. Exit 1 and the error on stderr. */
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/lock.h"
#include "manifests/name.h"
#include "manifests/tag.h"

#include <stdio.h>
#include <string.h>

struct row {
	struct str pin; /* "name==version", or what is asked for where that is open */
	const struct lock_package *p;
};

static int by_pin(const void *a, const void *b)
{
	return str_cmp(((const struct row *)a)->pin, ((const struct row *)b)->pin);
}

static struct str pin_of(struct arena *a, const struct lock_package *p)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	const struct specifier *pin = lock_package_pin(p);

	buf_addstr(&text, p->req.name);
	if (pin) {
		buf_adds(&text, "==");
		version_format(&pin->version, &text);
	} else {
		specifier_format(&p->req.specifiers, &text);
	}
	return arena_str(a, buf_str(&text));
}

/* The rows that a target gets, sorted. */
static size_t rows_of(
	struct arena *a, const struct lock *l, const struct target *t, struct row **out)
{
	struct row *rows = arena_array(a, l->npackages + 1, sizeof(*rows));
	struct marker_env env;
	size_t n = 0;

	target_marker_env(a, t, &env);
	for (size_t i = 0; i < l->npackages; i++) {
		const struct lock_package *p = &l->packages[i];

		if (p->use == LOCK_RUN && lock_package_is_for(p, t) &&
			marker_eval(p->req.marker, &env, NULL, 0)) {
			rows[n++] = (struct row){ pin_of(a, p), p };
		}
	}
	qsort(rows, n, sizeof(*rows), by_pin);
	*out = rows;
	return n;
}

struct best {
	struct str file;
	int rank; /* INT32_MAX: an sdist */
	uint64_t build;
};

static void offer(struct arena *a, const struct tag_list *tags, struct str file,
	const struct lock_package *p, struct best *best)
{
	struct dist_name name = { .kind = DIST_SDIST };
	struct err e = ERR_INIT;
	bool is_wheel = str_ends(file, ".whl");

	if (is_wheel ? dist_name_parse(a, file, &name, &e)
		     : dist_name_parse_sdist(a, file, p->req.name, &name, &e)) {
		return;
	}
	int rank = is_wheel ? tag_rank(tags, &name) : INT32_MAX;
	bool is_better = !best->file.n || rank < best->rank ||
			 (rank == best->rank && name.build_number > best->build);
	if (rank >= 0 && is_better) {
		*best = (struct best){ file, rank, name.build_number };
	}
}

static struct str best_file(
	struct arena *a, const struct tag_list *tags, const struct lock_package *p)
{
	struct best best = { .rank = INT32_MAX };

	if (p->file.n) {
		offer(a, tags, p->file, p, &best);
	}
	for (size_t i = 0; i < p->nfiles; i++) {
		offer(a, tags, p->files[i].file, p, &best);
	}
	return best.file;
}

static void put_hashes(struct json_out *o, const struct lock_package *p)
{
	char hex[DIGEST_HEX + 1];

	json_begin_array(o);
	for (size_t i = 0; i < p->nhashes; i++) {
		json_put_str(o, str_of(digest_hex(&p->hashes[i], hex)));
	}
	json_end_array(o);
}

static void put_target(struct json_out *o, const struct lock *l, const struct target *t)
{
	struct arena arena = ARENA_INIT;
	struct tag_list tags;
	struct row *rows = NULL;
	size_t n = rows_of(&arena, l, t, &rows);

	tag_list_of(&arena, t, &tags);
	json_begin_object(o);
	json_put_key(o, "select");
	json_begin_array(o);
	for (size_t i = 0; i < n; i++) {
		json_put_str(o, rows[i].pin);
	}
	json_end_array(o);
	json_put_key(o, "files");
	json_begin_object(o);
	for (size_t i = 0; i < n; i++) {
		struct str file = best_file(&arena, &tags, rows[i].p);

		json_cstr(o, rows[i].pin.p, file.n ? arena_dup(&arena, file) : NULL);
	}
	json_end_object(o);
	json_put_key(o, "hashes");
	json_begin_object(o);
	for (size_t i = 0; i < n; i++) {
		json_put_key(o, rows[i].pin.p);
		put_hashes(o, rows[i].p);
	}
	json_end_object(o);
	json_end_object(o);
	arena_release(&arena);
}

static bool read_arguments(int argc, char **argv, struct arena *a, struct lock_options *o)
{
	struct str *extras = arena_array(a, (size_t)argc, sizeof(*extras));
	struct str *groups = arena_array(a, (size_t)argc, sizeof(*groups));

	struct str *projects = arena_array(a, (size_t)argc, sizeof(*projects));

	*o = (struct lock_options){ .extras = extras, .groups = groups, .projects = projects };
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--no-default-groups") == 0) {
			o->no_default_groups = true;
		} else if (strcmp(argv[i], "--all-packages") == 0) {
			o->all_projects = true;
		} else if (i + 1 == argc) {
			return false;
		} else if (strcmp(argv[i], "--targets") == 0) {
			o->targets_file = argv[++i];
		} else if (strcmp(argv[i], "--extra") == 0) {
			extras[o->nextras++] = str_of(name_normalize(a, str_of(argv[++i])));
		} else if (strcmp(argv[i], "--group") == 0) {
			groups[o->ngroups++] = str_of(name_normalize(a, str_of(argv[++i])));
		} else if (strcmp(argv[i], "--package") == 0) {
			projects[o->nprojects++] = str_of(name_normalize(a, str_of(argv[++i])));
		} else {
			return false;
		}
	}
	return argc >= 2;
}

int main(int argc, char **argv)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena arena = ARENA_INIT;
	struct lock_options options;
	struct lock lock = LOCK_INIT;
	struct err e = ERR_INIT;
	struct json_out out;

	if (!read_arguments(argc, argv, &arena, &options)) {
		fputs("usage: lock_plan LOCK --targets FILE [--extra NAME]... [--group NAME]... "
		      "[--no-default-groups] [--package NAME]... [--all-packages]\n",
			stderr);
		return 2;
	}
	int r = lock_read(argv[1], &options, &lock, &e);
	arena_release(&arena);
	if (r) {
		log_error("lock_plan", &e, false);
		return 1;
	}
	json_out_init(&out, &text, false);
	json_begin_object(&out);
	for (size_t i = 0; i < lock.ntargets; i++) {
		json_put_key(&out, lock.targets[i].name.p);
		put_target(&out, &lock, &lock.targets[i]);
	}
	json_end_object(&out);
	printf("%.*s\n", STR_ARG(buf_str(&text)));
	lock_release(&lock);
	return 0;
}
