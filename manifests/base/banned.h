/* Functions that have a safer twin here: using one does not compile. Included by the command line of
 * every file of ours (-include), after the system headers that declare them. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With optimisation some of them are macros as well. */
#undef sprintf
#undef vsprintf
#undef alloca
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok atoi atol atof
#pragma GCC poison system popen mktemp tempnam tmpnam gmtime localtime ctime asctime alloca

#endif
