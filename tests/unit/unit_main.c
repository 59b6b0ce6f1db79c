/* Runs every registered test, one suite a source file; `unit NAME...` runs those whose name or file
 * contains a NAME, `unit -NAME...` all others. The last line is "unit: N passed, N failed". */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const TTest *tests[4096];
static size_t count;

void unit_register(const TTest *test)
{
	if (count == sizeof(tests) / sizeof(tests[0])) {
		fputs("unit: too many tests\n", stderr);
		abort();
	}
	tests[count++] = test;
}

static int is_asked(const TTest *test, int argc, char **argv)
{
	int chosen = argc < 2 || argv[1][0] == '-';

	for (int i = 1; i < argc; i++) {
		const char *name = argv[i] + (argv[i][0] == '-');

		if (strstr(test->name, name) || strstr(test->file, name)) {
			chosen = argv[i][0] != '-';
		}
	}
	return chosen;
}

int main(int argc, char **argv)
{
	SRunner *runner = NULL;
	Suite *suite = NULL;
	const char *file = "";

	for (size_t i = 0; i < count; i++) {
		if (!is_asked(tests[i], argc, argv)) {
			continue;
		}
		if (!suite || strcmp(file, tests[i]->file) != 0) {
			file = tests[i]->file;
			suite = suite_create(file);
			if (runner) {
				srunner_add_suite(runner, suite);
			} else {
				runner = srunner_create(suite);
			}
		}
		TCase *tcase = tcase_create(tests[i]->name);
		tcase_set_timeout(tcase, 120);
		tcase_add_test(tcase, tests[i]);
		suite_add_tcase(suite, tcase);
	}
	if (!runner) {
		fputs("unit: no test of that name\n", stderr);
		return 2;
	}
	srunner_run_all(runner, CK_NORMAL);
	int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	printf("unit: %d passed, %d failed\n", run - failed, failed);
	return failed ? 1 : 0;
}
