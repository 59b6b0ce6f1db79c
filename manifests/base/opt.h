/* Options are data: a table of rows, each naming a variable; usage is printed from the same table.
 * --name VALUE, --name=VALUE, -n VALUE; "--" ends options; options and arguments may be mixed.
 * Every verb also takes --json, --quiet, --store DIR and --help. An option given twice is an error
 * unless it collects a list. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "manifests/base/err.h"
#include "manifests/base/vec.h"

#include <stdint.h>

enum opt_kind { OPT_FLAG, OPT_TEXT, OPT_NUMBER, OPT_LIST };

struct opt_list {
	const char **v;
	size_t n, cap;
};

struct opt_number {
	bool given;
	uint64_t value;
};

struct opt {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes; NULL ends the table */
	enum opt_kind kind;
	void *to; /* bool *, const char **, struct opt_number *, struct opt_list * by kind */
	const char *argument; /* "FILE" in usage; NULL for flags */
	const char *help;     /* one line, no full stop */
};

struct opt_verb {
	const char *name;      /* "create"; "" for a program that has one verb */
	const char *arguments; /* "LOCK" or "FILE..." in usage; "" for none */
	const char *summary;   /* one line */
	const struct opt *options;
	size_t min, max; /* arguments; max 0 with min 0: none */
};

struct opt_common {
	bool json, quiet;
	const char *store; /* NULL: not given */
};

enum { OPT_GO = -1, OPT_MANY = 1000000 };

/* OPT_GO when the verb should run, else the exit status: 0 after --help (on stdout), 2 after a usage
 * error (said on stderr, with the line that helps). Arguments point into argv. */
int opt_parse(const struct opt_verb *verb, int argc, char **argv, struct opt_common *common,
	struct opt_list *arguments);

/* The name before the verb in messages: "gpkg-bundle" unless a program says otherwise at its start. */
extern const char *opt_program;

#endif
