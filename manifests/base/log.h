/* Talk on stderr: what is going on, for a person. Results never come here, and nothing below a verb
 * calls it, except the stages' progress reports. Safe to call from several threads. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

#include <stdint.h>

void log_quiet(bool quiet);
void log_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));  /* a line, unless quiet */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* "warning: ...", always */

/* Long work: on a terminal one line that is redrawn (bytes, rate, time left), elsewhere a plain line
 * at most every ten seconds and one at the end. `what` must outlive it. */
struct log_progress {
	const char *what;
	uint64_t total, done; /* bytes; total 0 = unknown */
	double began, shown;
	bool drawn;
};
void log_progress_begin(struct log_progress *p, const char *what, uint64_t total);
void log_progress_add(struct log_progress *p, uint64_t bytes);
void log_progress_end(struct log_progress *p);

/* "12.3 MB": decimal units, as storage media and pip print them. Returns `out`. */
const char *log_size(uint64_t bytes, char out[24]);

/* The one place where an error is printed: "gpkg-bundle VERB: text" and "  hint", and with `json` also
 * {"error":{"hint":...,"reason":...,"text":...}} on stdout. Returns the exit status. */
int log_error(const char *program, const struct err *e, bool json);

#endif
