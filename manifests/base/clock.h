/* Times: seconds since 1970, UTC, as text. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_TEXT = 32 };

uint64_t clock_now(void);
const char *clock_text(uint64_t seconds, char out[CLOCK_TEXT]);    /* "2026-11-30 15:07:00 UTC" */
const char *clock_rfc3339(uint64_t seconds, char out[CLOCK_TEXT]); /* "2026-11-30T15:07:00Z" */

#endif
