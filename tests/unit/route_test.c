#include "mirror/route.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct row {
	const char *raw;
	enum route_kind kind;
	const char *target, *project, *file;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		struct route r;

		route_parse(str_of(row->raw), &r);
		ck_assert_msg(r.kind == row->kind, "%s: kind %d, not %d", row->raw, (int)r.kind,
			(int)row->kind);
		ck_assert_msg(!row->target || str_is(r.target, row->target), "%s: target %.*s", row->raw,
			STR_ARG(r.target));
		ck_assert_msg(!row->project || str_is(r.project, row->project), "%s: project %.*s", row->raw,
			STR_ARG(r.project));
		ck_assert_msg(!row->file || str_is(r.file, row->file), "%s: file %.*s", row->raw,
			STR_ARG(r.file));
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

UNIT(route_places)
{
	static const struct row rows[] = {
		{ "/", ROUTE_HOME, "", NULL, NULL },
		{ "/?x=/../", ROUTE_HOME, "", NULL, NULL },
		{ "/simple/", ROUTE_ROOT, "", NULL, NULL },
		{ "/simple", ROUTE_SLASH, "", NULL, NULL },
		{ "/flat/", ROUTE_FLAT, "", NULL, NULL },
		{ "/flat", ROUTE_SLASH, "", NULL, NULL },
		{ "/simple/torch/", ROUTE_PROJECT, "", "torch", NULL },
		{ "/simple/torch", ROUTE_PROJECT, "", "torch", NULL },
		{ "/simple/Flash.Attn/", ROUTE_PROJECT, "", "Flash.Attn", NULL },
		{ "/simple/flash%5Fattn/", ROUTE_PROJECT, "", "flash_attn", NULL },
		{ "/simple/torch/?format=json", ROUTE_PROJECT, "", "torch", NULL },
		{ "/t/h100/", ROUTE_TARGET, "h100", NULL, NULL },
		{ "/t/h100", ROUTE_SLASH, "h100", NULL, NULL },
		{ "/t/h100/simple/", ROUTE_ROOT, "h100", NULL, NULL },
		{ "/t/h100/simple", ROUTE_SLASH, "h100", NULL, NULL },
		{ "/t/h100/simple/torch/", ROUTE_PROJECT, "h100", "torch", NULL },
		{ "/t/h100/flat/", ROUTE_FLAT, "h100", NULL, NULL },
		{ "/t/h100/pip.conf", ROUTE_PIP_CONF, "h100", NULL, NULL },
		{ "/t/h100/uv.toml", ROUTE_UV_TOML, "h100", NULL, NULL },
		{ "/t/h100/requirements.txt", ROUTE_REQUIREMENTS, "h100", NULL, NULL },
		{ "/%74/h100/simple/", ROUTE_ROOT, "h100", NULL, NULL },
		{ "/files/" HEX "/a-1-py3-none-any.whl", ROUTE_FILE, "", NULL, "a-1-py3-none-any.whl" },
		{ "/files/" HEX "/a-1-py3-none-any.whl.metadata", ROUTE_METADATA, "", NULL,
			"a-1-py3-none-any.whl" },
		{ "/healthz", ROUTE_HEALTH, "", NULL, NULL },
		{ "/metrics", ROUTE_METRICS, "", NULL, NULL },
	};

	CHECK_ROWS(rows);
}

UNIT(route_plus_is_never_a_space)
{
	static const struct row rows[] = {
		{ "/files/" HEX "/torch-2.8.0+cu128.whl", ROUTE_FILE, "", NULL, "torch-2.8.0+cu128.whl" },
		{ "/files/" HEX "/torch-2.8.0%2Bcu128.whl", ROUTE_FILE, "", NULL, "torch-2.8.0+cu128.whl" },
		{ "/files/" HEX "/torch-2.8.0%2bcu128.whl", ROUTE_FILE, "", NULL, "torch-2.8.0+cu128.whl" },
		{ "/files/" HEX "/torch-2.8.0%252Bcu128.whl", ROUTE_FILE, "", NULL,
			"torch-2.8.0%2Bcu128.whl" },
		{ "/files/" HEX "/torch-2.8.0%2Bcu128.whl.metadata", ROUTE_METADATA, "", NULL,
			"torch-2.8.0+cu128.whl" },
		{ "/files/" HEX "/torch-2.8.0%20cu128.whl", ROUTE_BAD, "", NULL, NULL },
	};

	CHECK_ROWS(rows);
}

UNIT(route_nothing_there)
{
	static const struct row rows[] = {
		{ "//", ROUTE_NONE, NULL, NULL, NULL },
		{ "//etc/passwd", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t//simple/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t/h100//", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t/h100/pip.conf/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t/h100/other", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t/h100/simple/torch/x", ROUTE_NONE, NULL, NULL, NULL },
		{ "/t/h100/flat/torch/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/simple//", ROUTE_NONE, NULL, NULL, NULL },
		{ "/simple/torch//", ROUTE_NONE, NULL, NULL, NULL },
		{ "/flat/torch", ROUTE_NONE, NULL, NULL, NULL },
		{ "/Simple/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/healthz/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/a/b/c/d/e/f/g/h/i/j", ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/" HEX, ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/" HEX "/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/" HEX "/x.whl/", ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/" HEX "/x/y", ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/" HEX "0/x.whl", ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/0123/x.whl", ROUTE_NONE, NULL, NULL, NULL },
		{ "/files/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef/x.whl", ROUTE_NONE,
			NULL, NULL, NULL },
	};

	CHECK_ROWS(rows);
}

UNIT(route_refused)
{
	static const struct row rows[] = {
		{ "", ROUTE_BAD, NULL, NULL, NULL },
		{ "*", ROUTE_BAD, NULL, NULL, NULL },
		{ "simple/", ROUTE_BAD, NULL, NULL, NULL },
		{ "http://host/simple/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/..", ROUTE_BAD, NULL, NULL, NULL },
		{ "/../etc/passwd", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/../../etc/passwd", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%2e%2e/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/.%2E/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/./", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%2e/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/files/" HEX "/..%2f..%2fetc%2fpasswd", ROUTE_BAD, NULL, NULL, NULL },
		{ "/files/" HEX "/..%5cx", ROUTE_BAD, NULL, NULL, NULL },
		{ "/files/" HEX "/..\\x", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a%2Fb/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a%00/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a%0d%0aSet-Cookie:x/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a%7f/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a%c3%bc/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a\xc3\xbc/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a b/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/a#b/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%2", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%2/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%zz/", ROUTE_BAD, NULL, NULL, NULL },
		{ "/simple/%+1/", ROUTE_BAD, NULL, NULL, NULL },
	};

	CHECK_ROWS(rows);
}

UNIT(route_hides_no_nul_byte)
{
	struct route r;

	route_parse((struct str){ "/simple/a\0b/", 12 }, &r);
	ck_assert_int_eq(r.kind, ROUTE_BAD);
}

UNIT(route_length)
{
	static const size_t lengths[] = { ROUTE_TEXT - 8, ROUTE_TEXT, ROUTE_TEXT * 4 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char *raw = malloc(lengths[i]); /* not terminated: reading behind it is found */
		struct route r;

		memset(raw, 'a', lengths[i]);
		raw[0] = '/';
		route_parse((struct str){ raw, lengths[i] }, &r);
		ck_assert_int_eq(r.kind, lengths[i] - 1 <= ROUTE_TEXT ? ROUTE_NONE : ROUTE_BAD);
		free(raw);
	}
}

UNIT(route_keeps_the_digest)
{
	struct route r;
	char hex[DIGEST_HEX + 1];

	route_parse(STR("/files/" HEX "/x.whl"), &r);
	ck_assert_str_eq(digest_hex(&r.digest, hex), HEX);
}

UNIT(route_says_how_the_project_was_written)
{
	struct route r;

	route_parse(STR("/simple/torch/"), &r);
	ck_assert(r.has_slash && str_is(r.last, "torch"));
	route_parse(STR("/simple/torch"), &r);
	ck_assert(!r.has_slash);
	route_parse(STR("/t/h100/simple"), &r);
	ck_assert(str_is(r.last, "simple"));
}
