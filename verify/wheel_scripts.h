/* The two files of .dist-info that make an installer act: WHEEL, whose version tells how to
 * install, and entry_points.txt, whose names become programs. */
#ifndef VERIFY_WHEEL_SCRIPTS_H
#define VERIFY_WHEEL_SCRIPTS_H

#include "verify/wheel_in.h"

/* Wheel-Version 1.x; no script is named like a path. Messages begin with the member. RC_WHEEL. */
int wheel_scripts_check(struct wheel *w, struct err *e);

#endif
