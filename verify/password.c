#include "verify/key.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "verify/crypto.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_SIZE = PASSWORD_MAX + 3 }; /* with a CR, one byte too many, and the NUL */

void password_free(char *password)
{
	guarded_free(password);
}

static volatile sig_atomic_t caught; /* the signal that came while the echo was off */

static void on_signal(int number)
{
	caught = number;
}

/* One line, byte by byte: what follows it belongs to somebody else. A CR before the LF is no part
 * of it, as with minisign. */
static int read_line(int fd, const char *name, char *to, struct err *e)
{
	size_t n = 0;
	bool ended = false;

	while (!ended && n < LINE_SIZE - 1) {
		char c = 0;
		ssize_t got = read(fd, &c, 1);

		if (got < 0 && errno == EINTR && !caught) {
			continue;
		}
		if (got < 0) {
			return err_sys(e, "%s: cannot read the password", name);
		}
		ended = got == 0 || c == '\n';
		if (!ended && c == '\0') {
			return err_set(e, RC_INVALID, "%s: the password holds a NUL byte", name);
		}
		if (!ended) {
			to[n++] = c;
		}
	}
	if (n && to[n - 1] == '\r') {
		n--;
	}
	to[n] = '\0';
	if (n > PASSWORD_MAX) {
		return err_set(e, RC_LIMIT, "%s: the password is longer than %d bytes", name,
			PASSWORD_MAX);
	}
	return 0;
}

static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { STOPS = sizeof(stops) / sizeof(stops[0]) };

/* Reads with the echo off. A signal that would end the program must not leave the terminal like
 * that: it is kept until the echo is on again. */
static int read_hidden(int fd, const char *name, char *to, struct err *e)
{
	struct termios before, hidden;
	struct sigaction action = { .sa_handler = on_signal }, old[STOPS];

	if (tcgetattr(fd, &before)) {
		return err_sys(e, "%s: cannot switch the echo off", name);
	}
	hidden = before;
	hidden.c_lflag &= ~(tcflag_t)ECHO;
	hidden.c_lflag |= ECHONL;
	for (size_t i = 0; i < STOPS; i++) {
		sigaction(stops[i], &action, &old[i]);
	}
	int r = tcsetattr(fd, TCSAFLUSH, &hidden)
			? err_sys(e, "%s: cannot switch the echo off", name)
			: read_line(fd, name, to, e);
	tcsetattr(fd, TCSAFLUSH, &before);
	for (size_t i = 0; i < STOPS; i++) {
		sigaction(stops[i], &old[i], NULL);
	}
	if (caught) {
		raise(caught);
		caught = 0;
	}
	return r;
}

static int ask(int fd, const char *prompt, char *to, struct err *e)
{
	int r = fs_write_all(fd, prompt, strlen(prompt), "terminal", e);

	return r ? r : read_hidden(fd, "terminal", to, e);
}

static int read_terminal(int fd, const char *prompt, bool confirm, char *to, struct err *e)
{
	CLEANUP_GUARDED char *again = guarded_alloc(LINE_SIZE);
	int r = ask(fd, prompt, to, e);

	if (!r && confirm && *to) {
		r = ask(fd, "The same once more: ", again, e);
		if (!r && strcmp(to, again) != 0) {
			r = err_set(e, RC_USAGE, "the two passwords differ");
		}
	}
	return r;
}

static int read_source(
	const struct password_source *from, const char *prompt, char *to, struct err *e)
{
	if (from->file) {
		CLEANUP(fd) int fd = open(from->file, O_RDONLY | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT) {
			return err_set(e, RC_NOT_FOUND, "%s: no such file", from->file);
		}
		return fd < 0 ? err_sys(e, "%s: cannot open", from->file)
			      : read_line(fd, from->file, to, e);
	}
	if (isatty(STDIN_FILENO)) {
		/* Not standard output and error: they may lead into a file. */
		CLEANUP(fd) int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

		return fd < 0 ? err_sys(e, "/dev/tty: cannot open")
			      : read_terminal(fd, prompt, from->confirm, to, e);
	}
	return read_line(STDIN_FILENO, "standard input", to, e);
}

int password_read(const struct password_source *from, const char *prompt, char **out, struct err *e)
{
	char *password = guarded_alloc(LINE_SIZE);
	int r = read_source(from, prompt, password, e);

	if (!r && *password == '\0') {
		r = err_set(
			e, RC_USAGE, "%s: no password", from->file ? from->file : "standard input");
		err_hint(e, from->confirm
				    ? "type or pipe one, use --password-file FILE, or make an "
				      "unencrypted key with --no-password"
				    : "type or pipe one, or use --password-file FILE");
	}
	if (r) {
		password_free(password);
		return r;
	}
	*out = password;
	return 0;
}
