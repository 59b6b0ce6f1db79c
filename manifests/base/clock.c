#include "manifests/base/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t clock_now(void)
{
	return (uint64_t)time(NULL);
}

static const char *format(uint64_t seconds, char between, const char *zone, char out[CLOCK_TEXT])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (seconds > UINT64_C(253402300799) || !gmtime_r(&t, &tm)) { /* the year 9999 */
		snprintf(out, CLOCK_TEXT, "%llu s", (unsigned long long)seconds);
		return out;
	}
	snprintf(out, CLOCK_TEXT, "%04u-%02u-%02u%c%02u:%02u:%02u%s", (unsigned)(tm.tm_year + 1900) % 10000,
		(unsigned)(tm.tm_mon + 1) % 100, (unsigned)tm.tm_mday % 100, between,
		(unsigned)tm.tm_hour % 100, (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100, zone);
	return out;
}

const char *clock_text(uint64_t seconds, char out[CLOCK_TEXT])
{
	return format(seconds, ' ', " UTC", out);
}

const char *clock_rfc3339(uint64_t seconds, char out[CLOCK_TEXT])
{
	return format(seconds, 'T', "Z", out);
}
