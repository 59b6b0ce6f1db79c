#include "bundle/index_merge.h"

#include <stdlib.h>
#include <string.h>

/* Does a file name begin with the project's name, whatever its spelling, and a '-'? An sdist's name
 * can be cut only by who knows the project. */
static bool begins_with_project(struct str file, struct str project)
{
	size_t at = 0, i = 0;

	while (at < file.n && i < project.n) {
		char c = file.p[at];
		bool is_gap = c == '-' || c == '_' || c == '.';

		c = c >= 'A' && c <= 'Z' ? (char)(c | 32) : is_gap ? '-' : c;
		if (c != project.p[i]) {
			return false;
		}
		i++;
		at++;
		while (is_gap && at < file.n && strchr("-_.", file.p[at])) {
			at++;
		}
	}
	return i == project.n && at < file.n && file.p[at] == '-';
}

static bool parse_name(
	struct index_merge *m, struct str file, struct dist_name *out, struct err *ignored)
{
	if (!dist_name_is_safe(file)) {
		return false;
	}
	if (str_ends(file, ".whl")) {
		return dist_name_parse(m->a, file, out, ignored) == 0;
	}
	return dist_name_parse_sdist(m->a, file, m->project, out, ignored) == 0;
}

/* A link of a page that may list other projects, too. Copied but once: a page may have ten thousand. */
static void add_link(struct index_merge *m, const struct index_file *link, bool is_flat,
	struct err *ignored)
{
	if (!begins_with_project(link->name.file, m->project)) {
		m->nunreadable += !is_flat;
		return;
	}
	vec_push(&m->files, *link);
	struct dist_name *name = &m->files.v[m->files.n - 1].name;
	bool is_readable = parse_name(m, link->name.file, name, ignored);
	m->nunreadable += !is_readable;
	if (!is_readable || !str_eq(name->name, m->project)) { /* "torch-1-py3..." could be of "torch-1" */
		m->files.n--;
	}
}

void index_merge_add(struct index_merge *m, const struct index_page *page, bool is_flat)
{
	struct err ignored = ERR_INIT; /* once: clearing one takes as long as reading a name */

	vec_each(const struct index_file, link, &page->links) {
		add_link(m, link, is_flat, &ignored);
	}
	m->nunreadable += is_flat ? 0 : page->nunreadable;
}

static int by_file_and_place(const void *a, const void *b)
{
	const struct index_file *x = *(struct index_file *const *)a,
				*y = *(struct index_file *const *)b;
	int order = str_cmp(x->name.file, y->name.file);

	return order ? order : x < y ? -1 : x > y;
}

static bool are_different(const struct index_file *x, const struct index_file *y)
{
	return x->has_sha256 && y->has_sha256 ? !digest_eq(&x->sha256, &y->sha256)
					      : x->has_size && y->has_size && x->size != y->size;
}

/* Two links to one name: the first stays, unless only the other says what the bytes are. */
static void join_twins(struct index_file *first, struct index_file *other)
{
	const char *conflict = first->conflict, *here = first->conflict_here;

	if (are_different(first, other)) {
		bool is_one_place = str_eq(str_of(first->source), str_of(other->source));

		conflict = is_one_place ? other->url : other->source;
		here = is_one_place ? first->url : first->source;
	}
	if (!first->has_sha256 && other->has_sha256) {
		*first = *other;
	}
	first->conflict = conflict;
	first->conflict_here = here;
	other->source = NULL; /* marks it as gone */
}

static void remove_twins(struct index_merge *m)
{
	CLEANUP(free) struct index_file **sorted = mem_array(m->files.n + 1, sizeof(*sorted));
	size_t n = 0, first = 0;

	for (size_t i = 0; i < m->files.n; i++) {
		sorted[i] = &m->files.v[i];
	}
	qsort(sorted, m->files.n, sizeof(*sorted), by_file_and_place);
	for (size_t i = 1; i < m->files.n; i++) {
		if (str_eq(sorted[first]->name.file, sorted[i]->name.file)) {
			join_twins(sorted[first], sorted[i]);
		} else {
			first = i;
		}
	}
	for (size_t i = 0; i < m->files.n; i++) {
		if (m->files.v[i].source) {
			m->files.v[n++] = m->files.v[i];
		}
	}
	m->files.n = n;
}

void index_merge_end(struct index_merge *m, struct index_project *out)
{
	remove_twins(m);
	out->name = m->project;
	out->nfiles = m->files.n;
	out->nunreadable = m->nunreadable;
	out->files = arena_array(m->a, m->files.n + 1, sizeof(*out->files));
	if (m->files.n) {
		memcpy(out->files, m->files.v, m->files.n * sizeof(*out->files));
	}
	vec_release(&m->files);
}

int index_check_file(const struct index_file *f, struct err *e)
{
	char hex[DIGEST_HEX + 1];

	if (!f->conflict) {
		return 0;
	}
	err_set(e, RC_AMBIGUOUS, "%.*s: two different files of this name, on %s%s%s%s and on %s",
		STR_ARG(f->name.file), f->conflict_here, f->has_sha256 ? " (sha256 " : "",
		f->has_sha256 ? digest_hex(&f->sha256, hex) : "", f->has_sha256 ? ")" : "",
		f->conflict);
	return err_hint(
		e, "name the one you want in the lock, by url and sha256, or leave one index out");
}
