/* The inside of the reader of requirements.txt: lock_requirements_line.c (text into logical lines),
 * lock_requirements_option.c (a line into a requirement and options), lock_requirements_entry.c
 * (what one line asks for), lock_requirements.c (files and what they include),
 * lock_requirements_decide.c (what a line means for a target), lock_requirements_rows.c (what each
 * target gets). Nobody else includes it. */
#ifndef MANIFESTS_LOCK_REQUIREMENTS_H
#define MANIFESTS_LOCK_REQUIREMENTS_H

#include "manifests/base/vec.h"
#include "manifests/lock_reader.h"

/* ---- lock_requirements_line.c ----
 * In the order of pip: physical lines joined at back-slashes, comments cut off, variables put in.
 */

struct requirements_place { /* from this byte of the logical line on */
	size_t at;
	unsigned line, column; /* of that byte in the file */
	bool is_value;         /* put in for ${NAME}: all of it has the place of the '$' */
};

struct requirements_text { /* what is left of a file */
	struct arena *arena;
	struct str rest;
	unsigned line; /* the number of the next physical line */
};

struct requirements_line {
	struct str whole, text;            /* `text` is the trimmed part of `whole` */
	struct requirements_place *places; /* of bytes of `whole` */
	size_t nplaces;
};

/* UTF-8, a byte order mark allowed. `text` must outlive what is read from it. */
int requirements_open(
	struct arena *a, struct str text, struct requirements_text *out, struct err *e);
/* The next logical line that holds something; text.n == 0 at the end. */
int requirements_next(struct requirements_text *t, struct requirements_line *out, struct err *e);
/* The place of a byte of l->whole as the readers' helpers take it, with `text` for those that read
 * it. */
struct toml requirements_at(const struct requirements_line *l, const char *p, struct str text);

/* ---- lock_requirements_option.c ---- */

enum requirements_option {
	REQUIREMENTS_INDEX_URL = 1,
	REQUIREMENTS_EXTRA_INDEX_URL,
	REQUIREMENTS_NO_INDEX,
	REQUIREMENTS_FIND_LINKS,
	REQUIREMENTS_FILE,
	REQUIREMENTS_CONSTRAINT,
	REQUIREMENTS_EDITABLE,
	REQUIREMENTS_HASH,
	REQUIREMENTS_REQUIRE_HASHES,
	REQUIREMENTS_NO_REQUIRE_HASHES,
	REQUIREMENTS_IGNORED
};

struct requirements_given { /* one option of a line */
	enum requirements_option option;
	const char *name; /* its long name: "--hash" */
	struct str value; /* without quotes; empty for flags */
	const char *at;   /* where the option begins in the line's `whole` */
};

struct requirements_options { /* a VEC; what they point to is the arena's */
	struct requirements_given *v;
	size_t n, cap;
};

/* Adds the options of a line; *requirement is what stands before the first word that begins with
 * '-'. */
int requirements_split(struct arena *a, const struct requirements_line *l, struct str *requirement,
	struct requirements_options *options, struct err *e);

/* ---- lock_requirements_entry.c ---- */

struct requirements_source { /* a file, and the line that includes it */
	struct str path;
	const char *real;                         /* without links, or NULL */
	const struct requirements_source *parent; /* NULL: the lock itself */
	struct toml from;                         /* place in the parent */
	unsigned depth;
	bool is_constraint;
};

struct requirements_entry { /* one line that asks for something */
	const struct requirements_source *source;
	struct toml at;         /* its text as written */
	struct requirement req; /* no name where it is refused and has none */
	struct lock_file file;  /* url.n: a direct file */
	const char *refused; /* what it is, should a target need it, that cannot be carried; NULL:
				it can be */
	struct digest *hashes;
	size_t nhashes;
	bool has_hash_option; /* --hash turns pip's hash mode on, a URL's fragment does not */
};

/* One requirement: "name==1; marker", "name @ URL", a URL or a path, with its --hash options. */
int requirements_entry(struct lock *l, const struct requirements_source *source,
	const struct requirements_line *line, struct str text,
	const struct requirements_options *options, struct requirements_entry *out, struct err *e);
/* The remedy for what cannot be carried. */
int requirements_hint_build(struct err *e);

/* ---- lock_requirements_decide.c ---- */

struct requirements_list { /* a VEC */
	struct requirements_entry *v;
	size_t n, cap;
};

struct requirements {
	struct requirements_list wanted, constraints;
	bool require_hashes, no_require_hashes;
};

struct requirements_judge {
	struct lock *l;
	const struct requirements *all;
	struct marker_env *env;                        /* of each target */
	const struct requirements_entry **constraints; /* room for all of them; by name */
	bool needs_hashes;                             /* pip's hash mode */
	struct err *err;
};

struct requirements_decision {       /* what one line means for one target */
	const struct specifier *pin; /* NULL: the version is left open */
	const struct requirements_entry *pinned_by;
	const struct digest *hashes;
	size_t nhashes;
};

/* Fills in env and constraints. */
void requirements_judge_open(struct requirements_judge *j);
/* Does its marker hold for the target? */
int requirements_holds(struct requirements_judge *j, const struct requirements_entry *entry,
	size_t target, bool *out);
/* Version and hashes, with what the constraints say of them. */
int requirements_decide(struct requirements_judge *j, const struct requirements_entry *entry,
	size_t target, struct requirements_decision *out);
/* The line as it is written, without passwords. */
const char *requirements_text_of(
	struct requirements_judge *j, const struct requirements_entry *entry);
/* "line 3", or "line 3 of base.txt" where that is another file than `seen_from` stands in. */
const char *requirements_line_name(struct requirements_judge *j,
	const struct requirements_entry *entry, const struct requirements_entry *seen_from);
/* "ENTRY contradicts OTHER (line 3) for the target T". */
int requirements_refuse_pair(struct requirements_judge *j, const struct requirements_entry *entry,
	const struct requirements_entry *other, const char *what, const struct target *t);
/* Puts its place before the text, and those of the lines that include its file. */
int requirements_wrap(const struct requirements_entry *entry, struct err *e);

/* ---- lock_requirements_rows.c ---- */

/* Markers, constraints and hashes for each target of `l`, and the rows for it. */
int requirements_rows(struct lock *l, const struct requirements *all, struct err *e);

#endif
