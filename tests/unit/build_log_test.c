#include "mirror/build_log.h"

#include "tests/unit/unit.h"

#include <string.h>

UNIT(build_log_knows_causes)
{
	static const struct {
		const char *text, *words; /* NULL: unknown */
	} rows[] = {
		{ "  File x\nModuleNotFoundError: No module named 'torch'\n", "\"torch\"" },
		{ "nvcc fatal   : Unsupported gpu architecture 'compute_70'\n", "for compute_70:" },
		{ "ValueError: Unknown CUDA arch (10.0f) or GPU not supported",
			"torch does not know" },
		{ "#error -- unsupported GNU version! gcc versions later than 14", "CXX" },
		{ "RuntimeError: The detected CUDA version (13.0) mismatches", "torch" },
		{ "c++: fatal error: Killed signal terminated program cc1plus", "--jobs" },
		{ "OSError: [Errno 28] No space left on device", "TMPDIR" },
		/* The caller before the error, with an unrelated address far in front of it. */
		{ "see https://docs.example/\n  urlopen(\"https://a.example/x.whl\")\n"
		  "<urlopen error [Errno -3] Temporary failure in name resolution>",
			"(a.example)" },
		{ "socket.gaierror: [Errno -3] Temporary failure in name resolution\n\n"
		  "During handling of the above exception, another exception occurred:\n"
		  "  urlopen('http://b.example:80/x')\n  then https://c.example/",
			"(b.example)" },
		{ "OSError: [Errno 101] Network is unreachable", "(unnamed)" },
		{ "ModuleNotFoundError: No module named ", "\"unnamed\"" },
		/* The first cause counts, not its consequence. */
		{ "ModuleNotFoundError: No module named 'x'\nurlopen error", "\"x\"" },
		{ "error: something else\n", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP_BUF struct buf remedy = BUF_INIT;
		bool is_known = build_log_cause(str_of(rows[i].text), &remedy);

		ck_assert_msg(is_known == (rows[i].words != NULL), "row %zu", i);
		ck_assert_msg(
			!is_known || strstr(remedy.p, rows[i].words), "row %zu: %s", i, remedy.p);
		ck_assert_msg(!is_known || !strstr(remedy.p, "%s"), "row %zu: %s", i, remedy.p);
	}
}

UNIT(build_log_tail_shows_the_last_lines)
{
	static const struct {
		const char *text;
		size_t lines;
		const char *want;
	} rows[] = {
		{ "a\nb\nc\n", 2, "\n  | b\n  | c" },
		{ "a\n\n \nb", 2, "\n  | a\n  | b" },
		{ "a", 5, "\n  | a" },
		{ "", 3, "" },
		{ "\n\n", 3, "" },
		{ "a\nb\n", 0, "" },
		{ "x\nreal\nerror: subprocess-exited-with-error\nnote: pip\n", 1, "\n  | real" },
		{ "\x1b]0;title\x07red\r\n", 1, "\n  |  ]0;title red " },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP_BUF struct buf got = BUF_INIT;

		build_log_tail(str_of(rows[i].text), rows[i].lines, &got);
		ck_assert_msg(str_is(buf_str(&got), rows[i].want), "row %zu: \"%s\"", i,
			got.p ? got.p : "");
	}
}
