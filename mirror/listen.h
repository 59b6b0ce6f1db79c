/* A listening TCP socket from what a person writes: "127.0.0.1:8080", "[::1]:8080",
 * "localhost:8080", "8080". Port 0: the system picks one. */
#ifndef MIRROR_LISTEN_H
#define MIRROR_LISTEN_H

#include "manifests/base/err.h"

#include <stdbool.h>

struct listener {
	int fd;
	char address[64]; /* "127.0.0.1", "[::1]" */
	unsigned port;
	bool is_loopback;
};

/* RC_USAGE for what is no address, RC_PERMISSION, RC_IO (in use). The caller closes fd. */
int listen_open(const char *text, struct listener *out, struct err *e);

#endif
