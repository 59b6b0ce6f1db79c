/* The HTTP server: libmicrohttpd around respond.h. GET and HEAD without bodies, HTTP/1.1, plain;
 * one epoll thread per core; objects go out by sendfile. It keeps 4096 connections at most, 16 KiB
 * of header each, 60 s of silence; slow_client.h cuts the trickling ones. */
#ifndef MIRROR_HTTP_SERVE_H
#define MIRROR_HTTP_SERVE_H

#include "mirror/listen.h"
#include "mirror/respond.h"

struct http_setting {
	struct str url; /* see struct respond_setting */
	const struct str *hosts;
	size_t nhosts;
	unsigned speed; /* of the limits on time: 1; tests take more */
};

struct http_server;

/* Takes over listener->fd, also when it fails. The store must stay open. SIGPIPE must be ignored.
 */
int http_server_start(struct store *store, const struct listener *listener,
	const struct http_setting *setting, struct http_server **out, struct err *e);
/* Takes no more connections, gives running answers a few seconds, ends. */
void http_server_stop(struct http_server *server);

#endif
