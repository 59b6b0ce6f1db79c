/* A site of the fixture's catalogue, and requests to it. */
#ifndef TESTS_RESPOND_FIXTURE_H
#define TESTS_RESPOND_FIXTURE_H

#include "mirror/respond.h"

extern struct site *fixture_site; /* between begin and end */
extern struct metrics fixture_metrics;
void fixture_site_begin(void);
void fixture_site_end(void);

struct request fixture_get(const char *target); /* a good request for it, to mirror.lan:8080 */
void fixture_ask(const struct request *q, struct response *r);
const char *fixture_header(const struct response *r, const char *name); /* "" : absent */
struct str fixture_body(const struct response *r);
/* /files/<digest of this byte>/<name>; valid until the next call. */
const char *fixture_file_path(unsigned byte, const char *name);

#endif
