/* What this program makes of markers, requirements and tags, to compare with other programs. One
 * question a line on stdin, one answer a line on stdout:
 *
 *	marker TAB target TAB extra,extra TAB text   true | false | invalid
 *	requirement TAB text                         normal form | invalid
 *	tags TAB target                              count and the tags, best first
 *	rank TAB target TAB wheel name               rank | -1 | invalid
 *
 * A target is "python=3.12 platform=linux_x86_64 glibc=2.28"; markers know release=TEXT too. */
#include "manifests/requirement.h"
#include "manifests/tag.h"

#include <stdio.h>
#include <stdlib.h>

struct question {
	struct arena arena;
	struct str rest; /* fields that are not used up */
	struct str release;
	struct err err;
};

static struct str next_field(struct question *q)
{
	struct str field = STR_NULL;

	str_cut(&q->rest, '\t', &field);
	return field;
}

static int read_target(struct question *q, struct target *out)
{
	struct target_spec spec = { .name = STR("t"), .cxx11_abi = -1 };
	struct str words = next_field(q), word, key;

	while (str_cut(&words, ' ', &word)) {
		if (!str_cut(&word, '=', &key)) {
			continue;
		}
		struct str *to = str_is(key, "python")     ? &spec.python
				 : str_is(key, "platform") ? &spec.platform
				 : str_is(key, "glibc")    ? &spec.glibc
				 : str_is(key, "musl")     ? &spec.musl
							   : &q->release;
		*to = word;
	}
	return target_make(&q->arena, &spec, out, &q->err);
}

static const char *answer_marker(struct question *q)
{
	struct target target;
	struct marker_env env;
	const struct marker *marker;
	struct str extras[16], list;
	size_t n = 0;
	bool holds;

	q->release = STR("");
	if (read_target(q, &target)) {
		return "bad target";
	}
	for (list = next_field(q); list.n && n < 16 && str_cut(&list, ',', &extras[n]);) {
		n++;
	}
	if (marker_parse(&q->arena, q->rest, &marker, &q->err)) {
		return "invalid";
	}
	target_marker_env(&q->arena, &target, &env);
	env.value[MARKER_PLATFORM_RELEASE] = q->release;
	env.value[MARKER_PLATFORM_VERSION] = STR("");
	if (marker_decide(marker, &env, extras, n, &holds, &q->err)) {
		return "invalid";
	}
	if (holds != marker_eval(marker, &env, extras, n)) {
		return "marker_eval and marker_decide differ";
	}
	return holds ? "true" : "false";
}

static const char *answer_requirement(struct question *q, struct buf *out)
{
	struct requirement req;

	if (requirement_parse(&q->arena, q->rest, &req, &q->err)) {
		return "invalid";
	}
	requirement_format(&req, out);
	return out->p;
}

static const char *answer_tags(struct question *q, struct buf *out)
{
	struct target target;
	struct tag_list tags;

	if (read_target(q, &target)) {
		return "bad target";
	}
	tag_list_of(&q->arena, &target, &tags);
	buf_addf(out, "%zu", tags.n);
	for (size_t i = 0; i < tags.n; i++) {
		buf_addf(out, " %.*s-%.*s-%.*s", STR_ARG(tags.v[i].python), STR_ARG(tags.v[i].abi),
			STR_ARG(tags.v[i].platform));
	}
	return out->p;
}

static const char *answer_rank(struct question *q, struct buf *out)
{
	struct target target;
	struct tag_list tags;
	struct dist_name wheel;

	if (read_target(q, &target)) {
		return "bad target";
	}
	if (dist_name_parse(&q->arena, q->rest, &wheel, &q->err)) {
		return "invalid";
	}
	tag_list_of(&q->arena, &target, &tags);
	buf_addf(out, "%d", tag_rank(&tags, &wheel));
	return out->p;
}

static void answer(struct str line)
{
	struct question q = { .rest = line, .err = ERR_INIT };
	CLEANUP_BUF struct buf out = BUF_INIT;
	struct str kind = next_field(&q);
	const char *text = str_is(kind, "marker")        ? answer_marker(&q)
			   : str_is(kind, "requirement") ? answer_requirement(&q, &out)
			   : str_is(kind, "tags")        ? answer_tags(&q, &out)
			   : str_is(kind, "rank")        ? answer_rank(&q, &out)
							 : "bad kind";

	puts(text);
	arena_release(&q.arena);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) >= 0) {
		answer((struct str){ line, (size_t)n - (n > 0 && line[n - 1] == '\n') });
	}
	free(line);
	return 0;
}
