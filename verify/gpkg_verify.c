/* gpkg-verify: the receiving desk's checker. Linked from manifests/ and verify/ alone: no network code,
 * no database, no server. `gpkg-verify [verify] FILE... --pub PUB`. */
#include "manifests/base/opt.h"
#include "manifests/tool.h"
#include "verify/verify_run.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	opt_program = "gpkg-verify";
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("gpkg-verify " TOOL_VERSION);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "verify") == 0) {
		argc--;
		argv++;
	}
	return verify_run("", argc, argv);
}
