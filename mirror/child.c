#include "mirror/child.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "mirror/child_inside.h"
#include "mirror/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WATCH_MS = 200 };

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { ENDING_SIGNALS = sizeof(ending_signals) / sizeof(ending_signals[0]) };

static volatile sig_atomic_t asked_to_end;

static void note_signal(int number)
{
	asked_to_end = number;
}

int child_stopped_by(void)
{
	return asked_to_end;
}

struct child { /* one that runs */
	const struct child_spec *spec;
	pid_t first; /* the process that child_inside runs in */
	int go, report;
	bool has_user_namespace;
	struct sigaction before[ENDING_SIGNALS];
	double began, sampled, sample_cost;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

const char *child_way_name(enum child_way way)
{
	static const char *const names[] = { "", "open", "seccomp", "namespaces" };

	return names[way];
}

static void catch_signals(struct child *c)
{
	struct sigaction catch = { .sa_handler = note_signal };

	asked_to_end = 0;
	for (size_t i = 0; i < ENDING_SIGNALS; i++) {
		sigaction(ending_signals[i], &catch, &c->before[i]);
		/* nohup's choice stays. */
		if (c->before[i].sa_handler == SIG_IGN) {
			sigaction(ending_signals[i], &c->before[i], NULL);
		}
	}
}

static void release_signals(const struct child *c)
{
	for (size_t i = 0; i < ENDING_SIGNALS; i++) {
		sigaction(ending_signals[i], &c->before[i], NULL);
	}
}

/* clone(2) with no stack of its own: like fork, in new namespaces. */
static pid_t clone_process(unsigned long flags)
{
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
}

static pid_t clone_child(struct child *c)
{
	unsigned long flags =
		CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

	if (c->spec->way != CHILD_NAMESPACES) {
		return fork();
	}
	pid_t pid = clone_process(flags | CLONE_NEWUSER);

	c->has_user_namespace = pid >= 0;
	if (pid < 0 && geteuid() == 0) {
		pid = clone_process(flags);
	}
	return pid;
}

static int write_proc(pid_t pid, const char *file, const char *text, struct err *e)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	CLEANUP(fd) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		err_sys(e, "%s", path);
		return err_recode(e, RC_TOOL);
	}
	return 0;
}

/* The user keeps his numbers; all others are strangers (user_namespaces(7)). */
static int write_maps(pid_t pid, struct err *e)
{
	char uid[64], gid[64];

	snprintf(uid, sizeof(uid), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
	snprintf(gid, sizeof(gid), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
	if (write_proc(pid, "setgroups", "deny", e) || write_proc(pid, "uid_map", uid, e)) {
		return -(int)e->rc;
	}
	return write_proc(pid, "gid_map", gid, e);
}

static int start(struct child *c, struct err *e)
{
	int go[2], report[2];

	if (pipe2(go, O_CLOEXEC)) {
		return err_sys(e, "pipe");
	}
	if (pipe2(report, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return err_sys(e, "pipe");
	}
	c->first = clone_child(c);
	if (c->first == 0) {
		close(go[1]);
		close(report[0]);
		child_inside(c->spec, &(struct child_pipes){ go[0], report[1] });
	}
	int failed = errno;

	close(go[0]);
	close(report[1]);
	c->go = go[1];
	c->report = report[0];
	if (c->first < 0) {
		return err_set(e, RC_TOOL, "no new process%s: %s",
			c->spec->way == CHILD_NAMESPACES ? " with namespaces of its own" : "",
			strerror(failed));
	}
	if (c->has_user_namespace && write_maps(c->first, e)) {
		return -(int)e->rc;
	}
	if (write(c->go, "", 1) != 1) {
		return err_sys(e, "start of the child");
	}
	return 0;
}

static void stop(struct child *c)
{
	if (c->first <= 0) {
		return;
	}
	if (c->spec->way == CHILD_NAMESPACES) {
		kill(c->first, SIGKILL); /* the kernel ends all of its PID namespace */
	} else {
		process_tree_kill(c->first, true);
	}
}

/* Looking costs more the more processes the machine has: at most a twentieth of the time goes
 * there. */
static uint64_t sample_memory(struct child *c, double now)
{
	if (c->spec->way == CHILD_OPEN || now < c->sampled + 20 * c->sample_cost) {
		return 0;
	}
	uint64_t memory = process_tree_memory(c->first);

	c->sampled = seconds_now();
	c->sample_cost = c->sampled - now;
	return memory;
}

/* Ends the child where a limit is passed. */
static void watch(struct child *c, struct child_result *r)
{
	const struct child_limits *l = &c->spec->limits;
	double now = seconds_now();
	uint64_t memory = sample_memory(c, now);

	r->seconds = now - c->began;
	r->memory_peak = memory > r->memory_peak ? memory : r->memory_peak;
	if (l->memory && memory > l->memory && !r->out_of_memory) {
		r->out_of_memory = true;
		stop(c);
	}
	if (l->seconds && r->seconds > (double)l->seconds && !r->out_of_time) {
		r->out_of_time = true;
		stop(c);
	}
}

/* 1: a note, 0: the other end is closed. Reading waits, so poll has been asked first. */
static int read_note(const struct child *c, struct child_note *note)
{
	return read(c->report, note, sizeof(*note)) == (ssize_t)sizeof(*note);
}

static int wait_for_end(struct child *c, struct child_result *r, struct err *e)
{
	struct child_note note = { .kind = NOTE_ENDED, .value = SIGKILL };

	for (;;) {
		struct pollfd p = { .fd = c->report, .events = POLLIN };
		int n = poll(&p, 1, WATCH_MS);

		watch(c, r);
		if (asked_to_end) {
			stop(c);
			return err_set(e, RC_BUILD, "stopped by %s", strsignal(asked_to_end));
		}
		if (n > 0) {
			/* Closed without a note: somebody killed the first process. */
			(void)read_note(c, &note);
			break;
		}
	}
	if (note.kind == NOTE_FAILED) {
		note.what[sizeof(note.what) - 1] = '\0';
		return err_set(e, RC_TOOL, "cannot %s: %s", note.what, strerror(note.value));
	}
	r->signal = WIFSIGNALED(note.value) ? WTERMSIG(note.value) : 0;
	r->status = WIFEXITED(note.value) ? WEXITSTATUS(note.value) : -1;
	return 0;
}

static void finish(struct child *c)
{
	if (c->go >= 0) {
		close(c->go);
	}
	if (c->report >= 0) {
		close(c->report);
	}
	while (c->first > 0 && waitpid(c->first, NULL, 0) < 0 && errno == EINTR) {
	}
}

int child_run(const struct child_spec *spec, struct child_result *out, struct err *e)
{
	struct child c = { .spec = spec, .go = -1, .report = -1, .began = seconds_now() };
	struct child_result r = { .status = -1 };

	catch_signals(&c);
	int result = start(&c, e);

	if (!result) {
		result = wait_for_end(&c, &r, e);
	}
	if (result) {
		stop(&c);
	}
	finish(&c);
	release_signals(&c);
	if (result) {
		return spec->argv ? err_wrap(e, "%s", spec->argv[0]) : result;
	}
	*out = r;
	return 0;
}

int child_capture(const struct child_spec *spec, uint64_t max, struct child_result *result,
	struct buf *out, struct err *e)
{
	CLEANUP(fd) int fd = memfd_create("output", MFD_CLOEXEC);
	struct child_spec with_output = *spec;

	if (fd < 0) {
		return err_sys(e, "%s: no memory file for its output", spec->argv[0]);
	}
	with_output.output = fd;
	if (child_run(&with_output, result, e)) {
		return -(int)e->rc;
	}
	if (lseek(fd, 0, SEEK_SET) < 0) {
		return err_sys(e, "%s: its output", spec->argv[0]);
	}
	return fs_read_fd(fd, spec->argv[0], max, out, e);
}

int child_find_way(const char *root, enum child_way *out, struct err *e)
{
	struct child_spec trial = { .way = CHILD_NAMESPACES, .root = root, .output = -1 };
	struct child_result r;
	struct err first = ERR_INIT, second = ERR_INIT;

	trial.limits.seconds = 30;
	if (child_run(&trial, &r, &first) == 0 && child_is_ok(&r)) {
		*out = CHILD_NAMESPACES;
		return 0;
	}
	trial.way = CHILD_SECCOMP;
	if (child_run(&trial, &r, &second) == 0 && child_is_ok(&r)) {
		*out = CHILD_SECCOMP;
		return 0;
	}
	err_set(e, RC_TOOL,
		"builds cannot be cut off from the network here: namespaces: %s; seccomp: %s",
		first.text, second.text);
	return err_hint(e,
		"allow user namespaces (sysctl user.max_user_namespaces), or build on a machine "
		"whose kernel has seccomp filters");
}

bool child_is_ok(const struct child_result *r)
{
	return r->status == 0 && !r->out_of_time && !r->out_of_memory;
}

void child_describe(const struct child_result *r, struct buf *out)
{
	if (r->out_of_memory) {
		buf_addf(out, "stopped when it held %.1f GiB of memory",
			(double)r->memory_peak / (double)(1 << 30));
	} else if (r->out_of_time) {
		buf_addf(out, "stopped at its time limit after %.0f seconds", r->seconds);
	} else if (r->signal) {
		buf_addf(out, "ended by signal %d (%s)", r->signal, strsignal(r->signal));
	} else {
		buf_addf(out, "exit status %d", r->status);
	}
}
