#include "bundle/pip_python.h"
#include "manifests/base/buf.h"
#include "manifests/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ANSWER_MAX = 64 * 1024, TIME_MS = 60000 };

/* -c puts the working folder first into sys.path: a folder "pip" there must not be taken for pip.
 * The first form is pip 10 to 26's; the second asks the option itself, should that module move. */
static const char script[] = "import sys\n"
			     "sys.path = [p for p in sys.path if p]\n"
			     "print(sys.prefix)\n"
			     "try:\n"
			     "    try:\n"
			     "        from pip._internal.models.index import PyPI\n"
			     "        url = PyPI.simple_url\n"
			     "    except Exception:\n"
			     "        from pip._internal.cli import cmdoptions\n"
			     "        url = cmdoptions.index_url().default\n"
			     "    print(url)\n"
			     "except Exception:\n"
			     "    pass\n";

static int spawn(const char *python, int to, pid_t *pid, struct err *e)
{
	char *const argv[] = { mem_dup(python), mem_dup("-c"), mem_dup(script), NULL };
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, to, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	int code = posix_spawnp(pid, python, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	for (size_t i = 0; argv[i]; i++) {
		free(argv[i]);
	}
	if (code) {
		return err_set(e, RC_TOOL, "%s: cannot be run: %s", python, strerror(code));
	}
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Its answer until it closes the pipe; false where that takes too long or it talks too much. */
static bool listen_to(int fd, struct buf *answer)
{
	int64_t end = now_ms() + TIME_MS;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = end - now_ms();

		if (left <= 0 || answer->n > ANSWER_MAX) {
			return false;
		}
		int ready = poll(&p, 1, (int)left);
		if (ready <= 0) {
			if (ready < 0 && errno != EINTR) {
				return false;
			}
			continue;
		}
		ssize_t n = read(fd, buf_room(answer, 4096), 4096);
		if (n <= 0) {
			return n == 0;
		}
		answer->n += (size_t)n;
	}
}

/* Lines are told apart by their form, so that a wrapper may print only one of them. */
static void read_answer(struct str text, struct arena *a, struct pip_python *out)
{
	struct str line;

	while (str_cut(&text, '\n', &line)) {
		line = str_trim(line);
		if (str_starts(line, "/") && !out->prefix) {
			out->prefix = arena_dup(a, line);
		} else if ((str_starts(line, "https://") || str_starts(line, "http://")) &&
			   !out->index) {
			out->index = arena_dup(a, line);
		}
	}
}

int pip_python_ask(const char *python, struct arena *a, struct pip_python *out, struct err *e)
{
	CLEANUP_BUF struct buf answer = BUF_INIT;
	CLEANUP(fd) int from = -1;
	int ends[2], status = 0;
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC)) {
		return err_sys(e, "pipe");
	}
	from = ends[0];
	int r = spawn(python, ends[1], &pid, e);
	close(ends[1]);
	if (r) {
		return r;
	}
	bool heard = listen_to(from, &answer);
	if (!heard) {
		kill(pid, SIGKILL);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (!heard || !WIFEXITED(status) || WEXITSTATUS(status) == 127) {
		return err_set(
			e, RC_TOOL, "%s: does not answer the question for pip's index", python);
	}
	*out = (struct pip_python){ NULL, NULL };
	read_answer(buf_str(&answer), a, out);
	return 0;
}
