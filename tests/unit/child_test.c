#include "mirror/child.h"

#include "manifests/base/arena.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define SHELL(script) ARGV("/bin/sh", "-c", script)

static const char *const no_variables[] = { NULL };
static const char *const path_variable[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };

static const enum child_way every_way[] = { CHILD_OPEN, CHILD_SECCOMP, CHILD_NAMESPACES };

struct place { /* a folder that goes away with its test */
	struct arena a;
	char *path, *root;
	int nap; /* seconds that no other process of the machine sleeps: test runs may overlap */
};

static void place_init(struct place *p)
{
	char made[] = "/tmp/gpkg-child-XXXXXX";

	*p = (struct place){ .a = ARENA_INIT, .nap = 1000000 + (int)getpid() };
	ck_assert_ptr_nonnull(mkdtemp(made));
	p->path = realpath(made, NULL);
	p->root = arena_printf(&p->a, "%s/root", p->path);
	ck_assert_int_eq(mkdir(p->root, 0700), 0);
}

static void place_release(struct place *p)
{
	struct err e = ERR_INIT;

	ck_assert_msg(fs_remove_tree(p->path, &e) == 0, "%s", e.text);
	free(p->path);
	arena_release(&p->a);
}

/* Namespaces are not to be had inside some containers: then there is nothing to test of them. */
static bool works_here(const struct place *p, enum child_way way)
{
	enum child_way best;
	struct err e = ERR_INIT;

	if (child_find_way(p->root, &best, &e)) {
		return way == CHILD_OPEN;
	}
	return way <= best;
}

static void run(const struct place *p, enum child_way way, const char *const *argv,
	const char *const *env, const struct child_limits *limits, struct child_result *r,
	struct buf *said)
{
	struct child_spec spec = { .argv = argv, .env = env, .folder = "/", .way = way };
	struct err e = ERR_INIT;

	spec.root = p->root;
	if (limits) {
		spec.limits = *limits;
	}
	ck_assert_msg(child_capture(&spec, 1 << 20, r, said, &e) == 0, "%s: %s",
		child_way_name(way), e.text);
}

UNIT(child_reports_status_signal_and_output)
{
	struct place p;

	place_init(&p);
	for (size_t i = 0; i < 3; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_result r;

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		run(&p, every_way[i], SHELL("echo out; echo err >&2; exit 7"), no_variables, NULL,
			&r, &said);
		ck_assert_str_eq(said.p, "out\nerr\n");
		ck_assert_int_eq(r.status, 7);
		ck_assert_int_eq(r.signal, 0);
		ck_assert(!child_is_ok(&r));
		run(&p, every_way[i], SHELL("kill -SEGV $$"), no_variables, NULL, &r, &said);
		ck_assert_int_eq(r.signal, SIGSEGV);
		ck_assert_int_eq(r.status, -1);
		run(&p, every_way[i], ARGV("/bin/true"), no_variables, NULL, &r, &said);
		ck_assert(child_is_ok(&r));
	}
	place_release(&p);
}

UNIT(child_gets_only_what_is_given)
{
	struct place p;
	int leak = open("/dev/null", O_RDWR); /* without O_CLOEXEC, on purpose */

	place_init(&p);
	ck_assert_int_ge(leak, 3);
	setenv("GPKG_LEAK", "1", 1);
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < 3; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_result r;

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		run(&p, every_way[i], ARGV("/usr/bin/env"), ARGV("ONE=1", "TWO=a b"), NULL, &r,
			&said);
		ck_assert_str_eq(said.p, "ONE=1\nTWO=a b\n");
		buf_clear(&said);
		/* The listing's own descriptor is 3. */
		run(&p, every_way[i], ARGV("/bin/ls", "/proc/self/fd"), no_variables, NULL, &r,
			&said);
		ck_assert_str_eq(said.p, "0\n1\n2\n3\n");
		buf_clear(&said);
		/* Signals 32 and 33 are the C library's own: no program can reset them. */
		run(&p, every_way[i],
			SHELL("cat; umask; sed -n 's/^SigIgn:.*\\(.\\{7\\}\\)$/\\1/p' "
			      "/proc/self/status"),
			path_variable, NULL, &r, &said);
		ck_assert_str_eq(said.p, "0022\n0000000\n");
	}
	close(leak);
	place_release(&p);
}

UNIT(child_names_what_cannot_be_started)
{
	struct place p;

	place_init(&p);
	for (size_t i = 0; i < 3; i++) {
		struct child_spec spec = { .argv = ARGV("/nowhere/program"),
			.env = no_variables,
			.folder = "/",
			.output = 2,
			.way = every_way[i],
			.root = p.root };
		struct child_result r;
		struct err e = ERR_INIT;

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		ck_assert_int_eq(child_run(&spec, &r, &e), -RC_TOOL);
		ck_assert_str_eq(
			e.text, "/nowhere/program: cannot execute it: No such file or directory");
		err_clear(&e);
		spec.argv = ARGV("/bin/true");
		spec.folder = "/nowhere";
		ck_assert_int_eq(child_run(&spec, &r, &e), -RC_TOOL);
		ck_assert_ptr_nonnull(strstr(e.text, "working directory"));
	}
	place_release(&p);
}

/* `script` with every NAP as a sleep of that length. */
static const char *const *naps(struct place *p, const char *script)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	const char **argv = arena_array(&p->a, 4, sizeof(*argv));

	for (const char *at; (at = strstr(script, "NAP")); script = at + 3) {
		buf_add(&text, script, (size_t)(at - script));
		buf_addf(&text, "sleep %d", p->nap);
	}
	buf_adds(&text, script);
	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = arena_dup(&p->a, buf_str(&text));
	return argv;
}

/* How many processes sleep so. */
static int sleepers(struct place *p)
{
	const char *seconds = arena_printf(&p->a, "N=%d", p->nap);
	CLEANUP_BUF struct buf said = BUF_INIT;
	struct child_spec spec = {
		.argv = ARGV("/bin/sh", "-c",
			"for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; "
			"done 2>/dev/null | grep -c \"^sleep $N\" || true"),
		.env = ARGV("PATH=/usr/bin:/bin", seconds),
		.folder = "/",
		.way = CHILD_OPEN
	};
	struct child_result r;
	struct err e = ERR_INIT;
	uint64_t n = 0;

	ck_assert_msg(child_capture(&spec, 1 << 20, &r, &said, &e) == 0, "%s", e.text);
	ck_assert_msg(str_to_u64(str_trim(buf_str(&said)), &n), "%s", said.p);
	return (int)n;
}

UNIT(child_ends_as_a_whole_at_its_time_limit)
{
	struct place p;

	place_init(&p);
	for (size_t i = 0; i < 3; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_limits limits = { .seconds = 1 };
		struct child_result r;

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		/* One that ignores polite signals, one in a session of its own, one that is an
		 * orphan. */
		run(&p, every_way[i], naps(&p, "trap '' TERM HUP; (setsid NAP &); NAP & NAP"),
			path_variable, &limits, &r, &said);
		ck_assert(r.out_of_time);
		ck_assert(!r.out_of_memory);
		ck_assert(r.seconds < 10);
		ck_assert_int_eq(sleepers(&p), 0);
	}
	place_release(&p);
}

UNIT(child_leaves_nothing_running_after_its_end)
{
	struct place p;

	place_init(&p);
	for (size_t i = 0; i < 3; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_result r;

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		run(&p, every_way[i], naps(&p, "(setsid NAP >/dev/null 2>&1 &); exit 0"),
			path_variable, NULL, &r, &said);
		ck_assert(child_is_ok(&r));
		ck_assert_int_eq(sleepers(&p), 0);
	}
	place_release(&p);
}

UNIT(child_ends_at_its_memory_limit)
{
	struct place p;

	place_init(&p);
	for (size_t i = 1; i < 3; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_limits limits = { .memory = 200 << 20, .seconds = 60 };
		struct child_result r;

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		/* Two together pass the limit, none does alone. */
		run(&p, every_way[i],
			naps(&p, "hold() { head -c 130000000 /dev/zero | tail -c 130000000 | "
				 "{ NAP; cat; } >/dev/null; }; hold & hold & wait"),
			path_variable, &limits, &r, &said);
		ck_assert(r.out_of_memory);
		ck_assert(!r.out_of_time);
		ck_assert_uint_gt(r.memory_peak, limits.memory);
		ck_assert_int_eq(sleepers(&p), 0);
		CLEANUP_BUF struct buf text = BUF_INIT;

		child_describe(&r, &text);
		ck_assert_ptr_nonnull(strstr(text.p, "GiB of memory"));
	}
	place_release(&p);
}

UNIT(child_obeys_limits_of_files)
{
	struct place p;

	place_init(&p);
	for (size_t i = 0; i < 2; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_limits limits = { .file_size = 1 << 20, .files = 64 };
		struct child_result r;
		char *script = arena_printf(&p.a,
			"ulimit -c; ulimit -n; head -c 3000000 /dev/zero >%s/big; wc -c <%s/big",
			p.path, p.path);

		if (!works_here(&p, every_way[i])) {
			continue;
		}
		run(&p, every_way[i], SHELL(script), path_variable, &limits, &r, &said);
		ck_assert_msg(str_starts(buf_str(&said), "0\n64\n"), "%s", said.p);
		ck_assert_msg(str_ends(buf_str(&said), "1048576\n"), "%s", said.p);
	}
	place_release(&p);
}

/* The parent is killed as hard as can be; what it ran must not outlive it. */
UNIT(child_ends_with_its_parent)
{
	struct place p;

	place_init(&p);
	for (size_t i = 0; i < 3; i++) {
		if (!works_here(&p, every_way[i])) {
			continue;
		}
		pid_t parent = fork();

		ck_assert_int_ge(parent, 0);
		if (parent == 0) {
			struct child_spec spec = { .argv = naps(&p, "NAP & NAP"),
				.env = path_variable,
				.folder = "/",
				.output = 2,
				.way = every_way[i],
				.root = p.root };
			struct child_result r;
			struct err e = ERR_INIT;

			child_run(&spec, &r, &e);
			_exit(0);
		}
		for (int n = 0; n < 200 && sleepers(&p) < 2; n++) {
			usleep(20000);
		}
		ck_assert_int_eq(sleepers(&p), 2);
		kill(parent, SIGKILL);
		ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
		for (int n = 0; n < 200 && sleepers(&p) > 0; n++) {
			usleep(20000);
		}
		ck_assert_int_eq(sleepers(&p), 0);
	}
	place_release(&p);
}

UNIT(child_stops_when_its_parent_is_asked_to_end)
{
	struct place p;
	struct err e = ERR_INIT;
	struct child_result r;
	pid_t self = getpid();

	place_init(&p);
	struct child_spec spec = { .argv = naps(&p, "NAP"),
		.env = path_variable,
		.folder = "/",
		.output = 2,
		.way = CHILD_OPEN };
	pid_t other = fork();

	if (other == 0) {
		usleep(400000);
		kill(self, SIGTERM);
		_exit(0);
	}
	ck_assert_int_eq(child_run(&spec, &r, &e), -RC_BUILD);
	ck_assert_ptr_nonnull(strstr(e.text, "Terminated"));
	ck_assert_int_eq(sleepers(&p), 0);
	waitpid(other, NULL, 0);
	place_release(&p);
}

static const char try_network[] =
	"import socket\n"
	"for family in (socket.AF_INET, socket.AF_INET6, 40):\n"
	"    try:\n"
	"        s = socket.socket(family, socket.SOCK_STREAM)\n"
	"        s.settimeout(5)\n"
	"        s.connect(('127.0.0.1', 9) if family == socket.AF_INET else ('::1', 9) if family "
	"== "
	"socket.AF_INET6 else (2, 9))\n"
	"        print('connected')\n"
	"    except ConnectionRefusedError:\n"
	"        print('reached')\n" /* a loopback device answered: this is a network */
	"    except OSError:\n"
	"        print('cut')\n"
	"a, b = socket.socketpair()\n"
	"a.send(b'x'); print('local', b.recv(1).decode())\n";

UNIT(child_that_is_confined_has_no_network)
{
	struct place p;

	place_init(&p);
	for (size_t i = 1; i < 3; i++) {
		CLEANUP_BUF struct buf said = BUF_INIT;
		struct child_result r;

		if (!works_here(&p, every_way[i]) || access("/usr/bin/python3", X_OK) != 0) {
			continue;
		}
		run(&p, every_way[i], ARGV("/usr/bin/python3", "-I", "-c", try_network),
			no_variables, NULL, &r, &said);
		ck_assert_str_eq(said.p, "cut\ncut\ncut\nlocal x\n");
	}
	place_release(&p);
}

UNIT(child_in_namespaces_sees_a_machine_of_its_own)
{
	struct place p;
	CLEANUP_BUF struct buf said = BUF_INIT;
	struct child_result r;
	struct err e = ERR_INIT;

	place_init(&p);
	if (works_here(&p, CHILD_NAMESPACES)) {
		char *work = arena_printf(&p.a, "%s/work", p.path);
		char *kit = arena_printf(&p.a, "%s/kit", p.path);
		char *secret = arena_printf(&p.a, "%s/store", p.path);
		char *made = arena_printf(&p.a, "%s/made", work);
		const struct child_mount mounts[] = { { work, "/gpkg-build", true },
			{ kit, "/gpkg-build/kit", false } };
		struct child_spec spec = { .env = path_variable,
			.folder = "/gpkg-build",
			.way = CHILD_NAMESPACES,
			.root = p.root,
			.mounts = mounts,
			.nmounts = 2 };

		spec.hide = ARGV(secret);
		ck_assert_int_eq(mkdir(work, 0755), 0);
		ck_assert_int_eq(mkdir(kit, 0755), 0);
		ck_assert_int_eq(mkdir(secret, 0755), 0);
		ck_assert_int_eq(
			fs_write(arena_printf(&p.a, "%s/key", secret), STR("k"), 0600, &e), 0);
		spec.argv = SHELL(arena_printf(&p.a,
			"pwd; echo hi >made && echo made; (echo x >kit/x) 2>/dev/null || echo kit "
			"closed;"
			"(echo x >%s/x) 2>/dev/null || echo machine closed; ls %s; echo $$;"
			"set -- /proc/[0-9]*; echo $#; hostname; grep CapEff /proc/self/status;"
			"(mount -o remount,rw / 2>/dev/null) || echo no mount;"
			"echo x >/dev/null && echo null; echo x >/dev/shm/x && echo shm",
			p.path, secret));
		ck_assert_msg(child_capture(&spec, 1 << 20, &r, &said, &e) == 0, "%s", e.text);
		ck_assert_str_eq(said.p,
			"/gpkg-build\nmade\nkit closed\nmachine closed\n2\n2\nlocalhost\n"
			"CapEff:\t0000000000000000\nno mount\nnull\nshm\n");
		ck_assert(fs_exists(made));
	}
	place_release(&p);
}
