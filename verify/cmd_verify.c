/* gpkg-bundle verify: is this bundle whole, and signed by somebody that we trust? */
#include "verify/verify_run.h"

int cmd_verify(int argc, char **argv);

int cmd_verify(int argc, char **argv)
{
	return verify_run("verify", argc, argv);
}
