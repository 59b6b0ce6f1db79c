/* Checking one bundle to its last byte: the work of `gpkg-bundle verify` and of gpkg-verify. */
#ifndef VERIFY_VERIFY_RUN_H
#define VERIFY_VERIFY_RUN_H

/* Command line of either program, argv[0] being skipped; `name` is the verb, or "" for gpkg-verify. Returns
 * the exit status. */
int verify_run(const char *name, int argc, char **argv);

#endif
