/* Checking one bundle to its last byte: the work of `gpkg-bundle verify` and of gpkg-verify. */
#ifndef VERIFY_VERIFY_RUN_H
#define VERIFY_VERIFY_RUN_H

/* Command line of either program, argv[0] being the verb; returns the exit status. */
int verify_run(int argc, char **argv);

#endif
