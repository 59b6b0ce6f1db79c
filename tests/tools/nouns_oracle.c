/* Answers for tests/e2e/differential_versions.py: one line on standard input is a question, fields
 * between tabs; one line on standard output is the answer. "error" means that the text is invalid.
 *
 *	name       NAME          valid|invalid, normal form
 *	version    VERSION       normal form, public, local, pre|final
 *	cmp        A B           order, order of the public parts: each < = >
 *	specifier  SET VERSION   in|out, pre|final: does the set admit pre-releases; the set as text
 *	wheel      FILE          name, version, build number, build, Python, ABI and platform tags
 *	sdist      FILE          name, version
 */
#include "manifests/dist_name.h"
#include "manifests/name.h"
#include "manifests/specifier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS = 3 };

struct question {
	struct arena arena;
	struct str field[FIELDS]; /* the kind comes first */
	struct err e;
};

static void answer_name(struct question *q, struct buf *out)
{
	buf_adds(out, name_is_valid(q->field[1]) ? "valid\t" : "invalid\t");
	buf_adds(out, name_normalize(&q->arena, q->field[1]));
}

static int answer_version(struct question *q, struct buf *out)
{
	struct version v;

	if (version_parse(&q->arena, q->field[1], &v, &q->e)) {
		return -1;
	}
	version_format(&v, out);
	buf_addc(out, '\t');
	version_format_public(&v, out);
	buf_addc(out, '\t');
	version_format_local(&v, out);
	buf_adds(out, version_is_prerelease(&v) ? "\tpre" : "\tfinal");
	return 0;
}

static char order_sign(int order)
{
	return (char)(order < 0 ? '<' : order > 0 ? '>' : '=');
}

static int answer_cmp(struct question *q, struct buf *out)
{
	struct version a, b;

	if (version_parse(&q->arena, q->field[1], &a, &q->e) ||
		version_parse(&q->arena, q->field[2], &b, &q->e)) {
		return -1;
	}
	buf_addc(out, order_sign(version_cmp(&a, &b)));
	buf_addc(out, '\t');
	buf_addc(out, order_sign(version_cmp_public(&a, &b)));
	return 0;
}

static int answer_specifier(struct question *q, struct buf *out)
{
	struct specifier_set set;
	struct version v;

	if (specifier_parse(&q->arena, q->field[1], &set, &q->e) ||
		version_parse(&q->arena, q->field[2], &v, &q->e)) {
		return -1;
	}
	buf_adds(out, specifier_contains(&set, &v) ? "in" : "out");
	buf_adds(out, specifier_admits_prereleases(&set) ? "\tpre\t" : "\tfinal\t");
	specifier_format(&set, out);
	return 0;
}

static int answer_dist(struct question *q, enum dist_kind kind, struct buf *out)
{
	struct dist_name d;

	if (dist_name_parse(&q->arena, q->field[1], &d, &q->e) || d.kind != kind) {
		return -1;
	}
	buf_addstr(out, d.name);
	buf_addc(out, '\t');
	version_format(&d.version, out);
	if (kind == DIST_WHEEL) {
		buf_addf(out, "\t%" PRIu64 "\t%.*s\t%.*s\t%.*s\t%.*s", d.build_number,
			STR_ARG(d.build), STR_ARG(d.python), STR_ARG(d.abi), STR_ARG(d.platform));
	}
	return 0;
}

static int answer(struct question *q, struct buf *out)
{
	struct str kind = q->field[0];

	if (str_is(kind, "name")) {
		answer_name(q, out);
		return 0;
	}
	if (str_is(kind, "version")) {
		return answer_version(q, out);
	}
	if (str_is(kind, "cmp")) {
		return answer_cmp(q, out);
	}
	if (str_is(kind, "specifier")) {
		return answer_specifier(q, out);
	}
	if (str_is(kind, "wheel") || str_is(kind, "sdist")) {
		return answer_dist(q, str_is(kind, "wheel") ? DIST_WHEEL : DIST_SDIST, out);
	}
	fprintf(stderr, "nouns_oracle: no such question: %.*s\n", STR_ARG(kind));
	exit(2);
}

static void ask(struct str line)
{
	CLEANUP_BUF struct buf out = BUF_INIT;
	struct question q = { .arena = ARENA_INIT, .e = ERR_INIT };

	for (size_t i = 0; i < FIELDS && str_cut(&line, '\t', &q.field[i]); i++) {
	}
	if (answer(&q, &out)) {
		buf_clear(&out);
		buf_adds(&out, "error");
	}
	buf_addc(&out, '\n');
	fwrite(out.p, 1, out.n, stdout);
	arena_release(&q.arena);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		ask((struct str){ line, (size_t)n - (line[n - 1] == '\n') });
	}
	free(line);
	return 0;
}
