#include "manifests/base/mem.h"
#include "tests/unit/key_fixture.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* What password_read makes of these bytes on standard input; *rest gets what it left there. */
static int from_input(const char *bytes, size_t n, char *password, char *rest)
{
	struct password_source source = { .confirm = true };
	struct err e = ERR_INIT;
	char *got = NULL;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], bytes, n), (ssize_t)n);
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	int r = password_read(&source, "?", &got, &e);
	snprintf(password, PASSWORD_MAX + 1, "%s", got ? got : "");
	password_free(got);
	ssize_t left = read(STDIN_FILENO, rest, 100);
	rest[left > 0 ? left : 0] = '\0';
	return r;
}

UNIT(password_from_standard_input_is_one_line)
{
	static const struct {
		const char *input, *password, *rest;
		int r;
	} cases[] = {
		{ "secret\n", "secret", "", 0 },
		{ "secret", "secret", "", 0 },
		{ "secret\r\n", "secret", "", 0 },
		{ " two words \nmore\n", " two words ", "more\n", 0 },
		{ "a\rb\n", "a\rb", "", 0 },
		{ "", "", "", -RC_USAGE },
		{ "\nmore", "", "more", -RC_USAGE },
		{ "\r\nmore", "", "more", -RC_USAGE },
	};
	char password[PASSWORD_MAX + 1], rest[101];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int r = from_input(cases[i].input, strlen(cases[i].input), password, rest);

		ck_assert_int_eq(r, cases[i].r);
		ck_assert_str_eq(password, cases[i].password);
		ck_assert_str_eq(rest, cases[i].rest);
	}
	ck_assert_int_eq(from_input("a\0b\n", 4, password, rest), -RC_INVALID);
}

UNIT(password_length_is_limited)
{
	char password[PASSWORD_MAX + 1], rest[101], input[PASSWORD_MAX + 4];

	for (size_t n = PASSWORD_MAX - 1; n <= PASSWORD_MAX + 2; n++) {
		memset(input, 'p', sizeof(input));
		input[n] = '\n';
		int r = from_input(input, n + 1, password, rest);
		ck_assert_int_eq(r, n <= PASSWORD_MAX ? 0 : -RC_LIMIT);
		ck_assert_uint_eq(strlen(password), n <= PASSWORD_MAX ? n : 0);
	}
	memset(input, 'p', sizeof(input));
	memcpy(input + PASSWORD_MAX, "\r\n", 2);
	ck_assert_int_eq(from_input(input, PASSWORD_MAX + 2, password, rest), 0);
	ck_assert_uint_eq(strlen(password), PASSWORD_MAX);
}

UNIT(password_file_is_named_in_errors)
{
	struct password_source source = { .file = fixture_path("none") };
	struct err e = ERR_INIT;
	char *password = NULL;

	ck_assert_int_eq(password_read(&source, "?", &password, &e), -RC_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(e.text, source.file));
	source.file = fixture_file("empty", "", 0600);
	ck_assert_int_eq(password_read(&source, "?", &password, &e), -RC_USAGE);
	ck_assert_ptr_nonnull(strstr(e.text, source.file));
	source.file = fixture_path(".");
	ck_assert_int_eq(password_read(&source, "?", &password, &e), -RC_IO);
	ck_assert_ptr_null(password);
}

/* ---- a terminal ---- */

struct terminal {
	int master;
	pid_t child;
	char screen[1000];
	size_t n;
};

/* In a session of its own whose terminal it is: asks, prints what it got, exits with the code. */
static void ask_in_child(const char *name, bool confirm)
{
	struct password_source source = { .confirm = confirm };
	struct err e = ERR_INIT;
	char *password = NULL;

	signal(SIGINT, SIG_DFL); /* Check has a handler of its own */
	setsid();
	int fd = open(name, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) || dup2(fd, STDIN_FILENO) < 0) {
		_exit(99);
	}
	int r = password_read(&source, "Say it: ", &password, &e);
	dprintf(fd, "[%d %s]", -r, password ? password : "");
	password_free(password);
	_exit(0);
}

static void terminal_start(struct terminal *t, bool confirm)
{
	t->master = posix_openpt(O_RDWR | O_NOCTTY);
	t->n = 0;
	ck_assert(t->master >= 0 && grantpt(t->master) == 0 && unlockpt(t->master) == 0);
	t->child = fork();
	if (t->child == 0) {
		ask_in_child(ptsname(t->master), confirm);
	}
}

static void terminal_wait_for(struct terminal *t, const char *text)
{
	while (!memmem(t->screen, t->n, text, strlen(text))) {
		ssize_t got = read(t->master, t->screen + t->n, sizeof(t->screen) - 1 - t->n);

		ck_assert_msg(got > 0, "no \"%s\" but \"%.*s\"", text, (int)t->n, t->screen);
		t->n += (size_t)got;
	}
	t->screen[t->n] = '\0';
}

/* The prompt is written before the echo is off, and switching it off drops what was typed too
 * early. */
static void terminal_type(struct terminal *t, const char *text)
{
	struct termios now;

	do {
		ck_assert_int_eq(tcgetattr(t->master, &now), 0);
		usleep(1000);
	} while (now.c_lflag & ECHO);
	ck_assert_int_eq(write(t->master, text, strlen(text)), (ssize_t)strlen(text));
}

static int terminal_end(struct terminal *t)
{
	int status = 0;

	ck_assert_int_eq(waitpid(t->child, &status, 0), t->child);
	close(t->master);
	return status;
}

UNIT(password_on_a_terminal_is_not_shown)
{
	struct terminal t;

	terminal_start(&t, false);
	terminal_wait_for(&t, "Say it: ");
	terminal_type(&t, "h1dden\n");
	terminal_wait_for(&t, "[0 h1dden]");
	ck_assert_ptr_eq(strstr(t.screen, "h1dden"), strstr(t.screen, "[0 h1dden]") + 3);
	ck_assert_int_eq(terminal_end(&t), 0);
}

UNIT(password_of_a_new_key_is_asked_twice)
{
	static const char *const second[] = { "one\n", "two\n" };

	for (size_t i = 0; i < 2; i++) {
		struct terminal t;
		char want[16];

		terminal_start(&t, true);
		terminal_wait_for(&t, "Say it: ");
		terminal_type(&t, "one\n");
		terminal_wait_for(&t, "once more: ");
		terminal_type(&t, second[i]);
		snprintf(want, sizeof(want), "[%d %s]", i ? (int)RC_USAGE : 0, i ? "" : "one");
		terminal_wait_for(&t, want);
		ck_assert_int_eq(terminal_end(&t), 0);
	}
}

UNIT(password_interrupted_gives_the_echo_back)
{
	struct termios now;
	struct terminal t;

	terminal_start(&t, false);
	int slave = open(ptsname(t.master), O_RDWR | O_NOCTTY); /* keeps it alive */
	terminal_wait_for(&t, "Say it: ");
	terminal_type(&t, "hal\003");
	int status = 0;
	ck_assert_int_eq(waitpid(t.child, &status, 0), t.child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	ck_assert_int_eq(tcgetattr(slave, &now), 0);
	ck_assert(now.c_lflag & ECHO);
	close(slave);
	close(t.master);
}
