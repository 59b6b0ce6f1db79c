#include "manifests/base/opt.h"
#include "manifests/base/log.h"
#include "manifests/base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *opt_program = "gpkg-bundle";

enum { COMMON = 4, ROWS_MAX = 64 };

struct parse {
	const struct opt_verb *verb;
	struct opt row[ROWS_MAX]; /* the verb's and the common ones */
	size_t n;
	bool seen[ROWS_MAX];
	bool help;
};

static int usage_error(const struct opt_verb *verb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int usage_error(const struct opt_verb *verb, const char *fmt, ...)
{
	va_list args;

	const char *space = *verb->name ? " " : "";

	fprintf(stderr, "%s%s%s: ", opt_program, space, verb->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n  see: %s%s%s --help\n", opt_program, space, verb->name);
	return 2;
}

static void print_row(const struct opt *o)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
		o->letter ? ", " : "  ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
	if (strlen(left) > 26) {
		printf("  %s\n  %-26s  %s\n", left, "", o->help);
	} else {
		printf("  %-26s  %s\n", left, o->help);
	}
}

static void print_help(const struct parse *p)
{
	const struct opt_verb *v = p->verb;

	printf("usage: %s%s%s [OPTION]...%s%s\n\n%s\n\n", opt_program, *v->name ? " " : "", v->name, *v->arguments ? " " : "",
		v->arguments, v->summary);
	for (size_t i = 0; i < p->n; i++) {
		print_row(&p->row[i]);
	}
	printf("\nMore: man %s%s%s\n", opt_program, *v->name ? "-" : "", v->name);
}

static const struct opt *find(struct parse *p, struct str name, char letter, bool *again)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct opt *o = &p->row[i];

		if (letter ? o->letter == letter : str_is(name, o->name)) {
			*again = p->seen[i] && o->kind != OPT_LIST;
			p->seen[i] = true;
			return o;
		}
	}
	return NULL;
}

static int store_value(const struct parse *p, const struct opt *o, const char *value)
{
	if (o->kind == OPT_TEXT) {
		*(const char **)o->to = value;
	} else if (o->kind == OPT_LIST) {
		struct opt_list *list = o->to;

		vec_push(list, value);
	} else {
		struct opt_number *number = o->to;

		if (!str_to_u64(str_of(value), &number->value)) {
			return usage_error(p->verb, "--%s %s: not a whole number", o->name, value);
		}
		number->given = true;
	}
	return OPT_GO;
}

/* One option at argv[*i]; takes its value from behind '=' or from the next word. */
static int take_option(struct parse *p, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	bool is_long = word[1] == '-', again = false;
	const char *equals = is_long ? strchr(word, '=') : NULL;
	struct str name = is_long ? str_of(word + 2) : STR_NULL;

	if (equals) {
		name = str_range(word + 2, equals);
	}
	const struct opt *o = find(p, name, is_long ? 0 : word[1], &again);
	if (!o) {
		return usage_error(p->verb, "unknown option %s", word);
	}
	if (again) {
		return usage_error(p->verb, "--%s is given twice", o->name);
	}
	if (o->kind == OPT_FLAG) {
		if (equals || (!is_long && word[2])) {
			return usage_error(p->verb, "--%s takes no value", o->name);
		}
		*(bool *)o->to = true;
		return OPT_GO;
	}
	const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
	if (!value) {
		if (*i + 1 >= argc) {
			return usage_error(p->verb, "--%s needs %s", o->name, o->argument);
		}
		value = argv[++*i];
	}
	return store_value(p, o, value);
}

static void add_rows(struct parse *p, struct opt_common *common)
{
	const struct opt rows[COMMON] = {
		{ 0, "json", OPT_FLAG, &common->json, NULL, "print the result as JSON" },
		{ 'q', "quiet", OPT_FLAG, &common->quiet, NULL, "say nothing but warnings and errors" },
		{ 0, "store", OPT_TEXT, &common->store, "DIR", "the store (default: see gpkg-bundle(1))" },
		{ 'h', "help", OPT_FLAG, &p->help, NULL, "print this text" },
	};

	for (const struct opt *o = p->verb->options; o && o->name && p->n < ROWS_MAX - COMMON; o++) {
		p->row[p->n++] = *o;
	}
	memcpy(&p->row[p->n], rows, sizeof(rows));
	p->n += COMMON;
}

int opt_parse(const struct opt_verb *verb, int argc, char **argv, struct opt_common *common,
	struct opt_list *arguments)
{
	struct parse p = { .verb = verb };
	bool only_arguments = false;

	add_rows(&p, common);
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (!only_arguments && strcmp(word, "--") == 0) {
			only_arguments = true;
		} else if (!only_arguments && word[0] == '-' && word[1]) {
			int status = take_option(&p, argc, argv, &i);

			if (status != OPT_GO) {
				return status;
			}
		} else {
			vec_push(arguments, word);
		}
		if (p.help) {
			print_help(&p);
			return 0;
		}
	}
	log_quiet(common->quiet);
	if (arguments->n < verb->min) {
		return usage_error(verb, "%s is missing", verb->arguments);
	}
	if (arguments->n > verb->max) {
		return usage_error(verb, "unexpected argument \"%s\"", arguments->v[verb->max]);
	}
	return OPT_GO;
}
