/* The front door: finds the verb and runs it. Knows no verb's work, only its name. */
#include "manifests/base/log.h"
#include "manifests/tool.h"

#include <stdio.h>
#include <string.h>

#define VERB(side, name, help) int cmd_##name(int argc, char **argv);
#include "bundle/commands.def"
#undef VERB

enum side { CONNECTED, BOTH, CLUSTER };

static const struct {
	enum side side;
	const char *name, *help;
	int (*run)(int argc, char **argv);
} verbs[] = {
#define VERB(side, name, help) { side, #name, help, cmd_##name },
#include "bundle/commands.def"
#undef VERB
};

static void usage(FILE *to)
{
	static const char *const title[] = {
		[CONNECTED] = "On the connected machine:",
		[BOTH] = "On both sides:",
		[CLUSTER] = "On the cluster:",
	};

	fputs("usage: gpkg-bundle VERB [OPTION]... [ARGUMENT]...\n\n"
	      "Carries GPU Python packages across an air gap.\n", to);
	for (size_t side = 0; side < sizeof(title) / sizeof(title[0]); side++) {
		fprintf(to, "\n%s\n", title[side]);
		for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
			if (verbs[i].side == side) {
				fprintf(to, "  %-9s %s\n", verbs[i].name, verbs[i].help);
			}
		}
	}
	fputs("\ngpkg-bundle VERB --help tells more; so does man gpkg-bundle.\n", to);
}

static int run_verb(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(argv[0], verbs[i].name) == 0) {
			int status = verbs[i].run(argc, argv);

			/* A result that could not be written was not delivered. */
			if (fflush(stdout) && status == 0) {
				struct err e = ERR_INIT;

				err_sys(&e, "cannot write to standard output");
				return log_error("gpkg-bundle", &e, false);
			}
			return status;
		}
	}
	fprintf(stderr, "gpkg-bundle: no verb \"%s\"\n  see: gpkg-bundle --help\n", argv[0]);
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts(TOOL);
		return 0;
	}
	return run_verb(argc - 1, argv + 1);
}
