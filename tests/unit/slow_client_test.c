#include "mirror/slow_client.h"
#include "mirror/listen.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SPEED = 100 }; /* 0.1 s for a header, 0.3 s for a window of 153 bytes */

struct pair { /* a connection over loopback: what the server holds, and its client */
	int server, client;
};

static struct pair connect_pair(void)
{
	struct listener l;
	struct err e = ERR_INIT;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct pair p;

	ck_assert_int_eq(listen_open("127.0.0.1:0", &l, &e), 0);
	at.sin_port = htons((uint16_t)l.port);
	p.client = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(p.client, (struct sockaddr *)&at, sizeof(at)), 0);
	p.server = accept(l.fd, NULL, NULL);
	ck_assert_int_ge(p.server, 0);
	close(l.fd);
	return p;
}

static void wait_ms(int ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/* One client that does this for two seconds; how many were cut? */
static uint64_t run_client(bool is_busy, bool sends, bool reads)
{
	_Atomic uint64_t cut = 0;
	struct slow_watch *w = slow_watch_new(&cut, SPEED);
	struct pair p = connect_pair();
	struct slow_client *c = slow_watch_add(w, p.server);
	char buffer[4096] = "";

	if (is_busy) {
		slow_client_busy(c);
	}
	for (int i = 0; i < 40; i++) {
		wait_ms(50);
		if (sends) {
			ck_assert(send(p.client, "x", 1, MSG_NOSIGNAL) == 1 || cut);
		}
		if (is_busy && reads) {
			ck_assert_int_gt(send(p.server, buffer, sizeof(buffer), MSG_NOSIGNAL), 0);
			ck_assert_int_gt(recv(p.client, buffer, sizeof(buffer), 0), 0);
		}
	}
	slow_watch_remove(w, c);
	slow_watch_free(w);
	close(p.server);
	close(p.client);
	return cut;
}

UNIT(slow_client_idle_is_left_alone)
{
	ck_assert_uint_eq(run_client(false, false, false), 0);
}

UNIT(slow_client_trickled_header_is_cut)
{
	ck_assert_uint_eq(run_client(false, true, false), 1);
}

UNIT(slow_client_that_does_not_read_is_cut)
{
	ck_assert_uint_eq(run_client(true, false, false), 1);
}

UNIT(slow_client_that_reads_is_served)
{
	ck_assert_uint_eq(run_client(true, false, true), 0);
}

/* One request after another: each phase begins anew. */
UNIT(slow_client_that_asks_again_is_served)
{
	_Atomic uint64_t cut = 0;
	struct slow_watch *w = slow_watch_new(&cut, SPEED);
	struct pair p = connect_pair();
	struct slow_client *c = slow_watch_add(w, p.server);

	for (int i = 0; i < 40; i++) {
		ck_assert_int_eq(send(p.client, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
		slow_client_busy(c);
		wait_ms(25);
		slow_client_idle(c);
		wait_ms(25);
	}
	ck_assert_uint_eq(cut, 0);
	slow_watch_remove(w, c);
	slow_watch_free(w);
	close(p.server);
	close(p.client);
}
