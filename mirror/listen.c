#include "mirror/listen.h"
#include "manifests/base/arena.h"
#include "manifests/base/mem.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static int not_an_address(const char *text, struct err *e)
{
	err_set(e, RC_USAGE, "--listen %s: not an address and a port", text);
	return err_hint(e, "write 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080");
}

/* Host and port; a port alone is on 127.0.0.1. */
static int split(
	const char *text, struct arena *a, const char **host, const char **port, struct err *e)
{
	struct str s = str_of(text);
	size_t colon = str_rfind(s, ':');
	struct str name = str_first(s, colon);
	struct str digits = colon < s.n ? str_skip(s, colon + 1) : s;
	uint64_t number;

	if (colon == s.n) {
		name = STR("127.0.0.1");
	} else if (str_starts(name, "[") && str_ends(name, "]")) {
		name = str_first(str_skip(name, 1), name.n - 2);
	} else if (str_find(name, ':') < name.n) {
		return not_an_address(text, e);
	}
	if (name.n == 0 || !str_to_u64(digits, &number) || number > UINT16_MAX) {
		return not_an_address(text, e);
	}
	*host = arena_dup(a, name);
	*port = arena_dup(a, digits);
	return 0;
}

static int bind_socket(const struct addrinfo *info, int *out)
{
	const int on = 1;
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0) {
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (info->ai_family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	}
	if (bind(fd, info->ai_addr, info->ai_addrlen) || listen(fd, BACKLOG)) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	*out = fd;
	return 0;
}

static int bound_address(struct listener *l, struct err *e)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char host[48], port[8];

	if (getsockname(l->fd, (struct sockaddr *)&at, &n)) {
		return err_sys(e, "listening socket");
	}
	if (getnameinfo((struct sockaddr *)&at, n, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV)) {
		return err_set(e, RC_IO, "listening socket: no address");
	}
	bool is_v6 = at.ss_family == AF_INET6;
	uint64_t number = 0;
	str_to_u64(str_of(port), &number);
	l->port = (unsigned)number;
	l->is_loopback = str_starts(str_of(host), "127.") || strcmp(host, "::1") == 0;
	snprintf(
		l->address, sizeof(l->address), "%s%s%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "");
	return 0;
}

static int open_socket(
	const char *text, const struct addrinfo *info, struct listener *out, struct err *e)
{
	struct listener l = { .fd = -1 };
	int r = -1;

	for (; info && l.fd < 0; info = info->ai_next) {
		r = bind_socket(info, &l.fd);
	}
	if (r) {
		bool in_use = errno == EADDRINUSE;

		err_sys(e, "--listen %s: cannot listen", text);
		return in_use ? err_hint(e,
					"another server has this port; name another, or 0 for any")
			      : -(int)e->rc;
	}
	r = bound_address(&l, e);
	if (r) {
		close(l.fd);
		return r;
	}
	*out = l;
	return 0;
}

int listen_open(const char *text, struct listener *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	const struct addrinfo want = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	const char *host = NULL, *port = NULL;
	int r = split(text, &a, &host, &port, e);

	if (!r) {
		int code = getaddrinfo(host, port, &want, &found);

		if (code) {
			err_set(e, RC_USAGE, "--listen %s: %s", text, gai_strerror(code));
			r = err_hint(e, "name an address of this machine");
		}
	}
	if (!r) {
		r = open_socket(text, found, out, e);
		freeaddrinfo(found);
	}
	arena_release(&a);
	return r;
}
