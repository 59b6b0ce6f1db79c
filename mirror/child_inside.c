#include "mirror/child_inside.h"

#include "mirror/process_tree.h"
#include "mirror/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HIGH_FD = 10, EXIT_NO_START = 127 };

static void tell(int report, int kind, int value, const char *what)
{
	struct child_note note = { .kind = kind, .value = value };

	snprintf(note.what, sizeof(note.what), "%s", what);
	while (write(report, &note, sizeof(note)) < 0 && errno == EINTR) {
	}
}

static void fail(int report, const char *what) __attribute__((noreturn));
static void fail(int report, const char *what)
{
	tell(report, NOTE_FAILED, errno, what);
	_exit(EXIT_NO_START);
}

/* Ignored signals and the mask survive exec: a program is entitled to neither. */
static void reset_signals(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int i = 1; i < NSIG; i++) {
		sigaction(i, &standard, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Everything from `first` on closes at exec. */
static void close_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0) {
		return;
	}
	long max = sysconf(_SC_OPEN_MAX);

	for (int fd = (int)first; fd < (max > 0 && max < 65536 ? (int)max : 65536); fd++) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
}

/* Standard input empty, the other two to the output, whatever numbers these had before. */
static int arrange_output(int output)
{
	int high = fcntl(output, F_DUPFD_CLOEXEC, HIGH_FD);
	int empty = open("/dev/null", O_RDONLY);

	if (high < 0 || empty < 0 || dup2(empty, 0) < 0 || dup2(high, 1) < 0 || dup2(high, 2) < 0) {
		return -1;
	}
	close_from(3);
	return 0;
}

static int limit(int what, rlim_t value)
{
	struct rlimit now;

	if (getrlimit(what, &now)) {
		return -1;
	}
	if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) {
		value = now.rlim_max;
	}
	return setrlimit(what, &(struct rlimit){ value, value });
}

static int set_limits(const struct child_limits *l)
{
	if (limit(RLIMIT_CORE, 0)) {
		return -1;
	}
	if (l->file_size && limit(RLIMIT_FSIZE, l->file_size)) {
		return -1;
	}
	return l->files ? limit(RLIMIT_NOFILE, l->files) : 0;
}

/* The program itself: gives up everything, then becomes it. */
static void become_program(const struct child_spec *spec, int report) __attribute__((noreturn));
static void become_program(const struct child_spec *spec, int report)
{
	const char *what = "";

	if (arrange_output(spec->output)) {
		fail(report, "arrange descriptors");
	}
	if (set_limits(&spec->limits)) {
		fail(report, "set limits");
	}
	if (chdir(spec->folder)) {
		fail(report, "enter its working directory");
	}
	if (spec->way == CHILD_NAMESPACES && sandbox_drop_privileges(&what)) {
		fail(report, what);
	}
	if (spec->way != CHILD_OPEN &&
		sandbox_filter_sockets(spec->way == CHILD_NAMESPACES, &what)) {
		fail(report, what);
	}
	reset_signals();
	execve(spec->argv[0], (char *const *)(uintptr_t)spec->argv,
		(char *const *)(uintptr_t)spec->env);
	fail(report, "execute it");
}

/* Orphans come to this process too; only the program's own end counts. Where the kernel does not
 * end the others with this process, they are looked for and killed. */
static void wait_for(pid_t program, const struct child_spec *spec, int report)
	__attribute__((noreturn));
static void wait_for(pid_t program, const struct child_spec *spec, int report)
{
	int status = 0;
	pid_t ended = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	while (ended != program) {
		ended = waitpid(-1, &status, WNOHANG);
		if (ended == 0 && sigwaitinfo(&set, NULL) == SIGTERM) {
			process_tree_kill(getpid(), false);
			_exit(EXIT_NO_START);
		}
		if (ended < 0 && errno != EINTR) {
			fail(report, "wait for it");
		}
	}
	if (spec->way != CHILD_NAMESPACES) {
		process_tree_kill(getpid(), false);
	}
	tell(report, NOTE_ENDED, status, "");
	_exit(0);
}

/* To end with the parent: as the first process of a PID namespace by SIGKILL, which ends all others
 * there; elsewhere by SIGTERM, so that this process can kill what it started. */
static void tie_to_parent(const struct child_spec *spec, const struct child_pipes *pipes)
{
	char go = 0;
	ssize_t n = 0;

	if (prctl(PR_SET_PDEATHSIG, spec->way == CHILD_NAMESPACES ? SIGKILL : SIGTERM) ||
		prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		fail(pipes->report, "tie it to its parent");
	}
	do {
		n = read(pipes->go, &go, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1) {
		_exit(EXIT_NO_START); /* the parent has gone before it could be tied */
	}
}

void child_inside(const struct child_spec *spec, const struct child_pipes *pipes)
{
	const char *what = "";
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGCHLD);
	sigaddset(&held, SIGTERM);
	reset_signals();
	sigprocmask(SIG_BLOCK, &held, NULL);
	tie_to_parent(spec, pipes);
	setsid();
	umask(022);
	if (spec->way == CHILD_NAMESPACES && sandbox_enter(spec, &what)) {
		fail(pipes->report, what);
	}
	if (!spec->argv) { /* only a trial: so far it works */
		if (spec->way != CHILD_OPEN &&
			sandbox_filter_sockets(spec->way == CHILD_NAMESPACES, &what)) {
			fail(pipes->report, what);
		}
		tell(pipes->report, NOTE_ENDED, 0, "");
		_exit(0);
	}
	pid_t program = fork();

	if (program < 0) {
		fail(pipes->report, "fork");
	}
	if (program == 0) {
		become_program(spec, pipes->report);
	}
	wait_for(program, spec, pipes->report);
}
