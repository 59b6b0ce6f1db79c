/* The file of logins that ftp, curl and pip share (netrc(5)): "machine HOST login USER password
 * WORD", "default" for every other host, "macdef" up to the next empty line, "#" before a keyword
 * to the end of the line, and words in double quotes with \ before a quote, as curl and Python
 * write them. Words that are no keyword are passed over. Private to the client. */
#ifndef BUNDLE_HTTP_NETRC_H
#define BUNDLE_HTTP_NETRC_H

#include "manifests/base/arena.h"

/* The first entry for `host` (in any case; "[::1]" or "::1"), else the default. False where there
 * is none.
 * "" stands for a user or password that it does not name. */
bool netrc_find(struct str text, struct str host, struct arena *a, const char **user,
	const char **password);

#endif
