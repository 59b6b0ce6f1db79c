#include "verify/name_list.h"

#include <stdlib.h>

/* ---- writing ---- */

static bool is_plain(char c)
{
	return c > ' ' && c <= '~' && c != '%';
}

static void put_name(struct str name, struct buf *out)
{
	for (size_t i = 0; i < name.n; i++) {
		if (is_plain(name.p[i])) {
			buf_addc(out, name.p[i]);
		} else {
			buf_addf(out, "%%%02x", (unsigned char)name.p[i]);
		}
	}
	buf_addc(out, ' ');
}

void name_list_write(const struct str *names, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		put_name(names[i], out);
	}
}

/* ---- reading ---- */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t count_spaces(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		n += text.p[i] == ' ';
	}
	return n;
}

/* One name off *text to `to`; what is written as %xx but need not be is refused. */
static int take_name(struct str *text, char *to, size_t *n, struct err *e)
{
	size_t end = str_find(*text, ' ');
	struct str name = str_first(*text, end);

	*n = 0;
	for (size_t i = 0; i < name.n; i++) {
		if (is_plain(name.p[i])) {
			to[(*n)++] = name.p[i];
			continue;
		}
		int high = i + 2 < name.n ? hex_value(name.p[i + 1]) : -1;
		int low = i + 2 < name.n ? hex_value(name.p[i + 2]) : -1;
		char byte = (char)(high * 16 + low);

		if (name.p[i] != '%' || high < 0 || low < 0 || byte == '\0' || is_plain(byte)) {
			return err_set(
				e, RC_SYNTAX, "a list of names: a byte that cannot stand there");
		}
		to[(*n)++] = byte;
		i += 2;
	}
	*text = str_skip(*text, end + 1);
	return 0;
}

int name_list_read(struct str text, struct arena *a, struct str **names, size_t *n, struct err *e)
{
	size_t count = count_spaces(text);
	char *at = arena_alloc(a, text.n + 1);
	struct str *list = arena_array(a, count, sizeof(*list));

	if (text.n && text.p[text.n - 1] != ' ') {
		return err_set(e, RC_SYNTAX, "a list of names: its last name is cut");
	}
	for (size_t i = 0; i < count; i++) {
		list[i].p = at;
		int rc = take_name(&text, at, &list[i].n, e);

		if (rc) {
			return rc;
		}
		at += list[i].n;
	}
	*names = list;
	*n = count;
	return 0;
}

/* ---- order ---- */

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

size_t name_list_sort(struct str *names, size_t n)
{
	size_t kept = 0;

	if (n) {
		qsort(names, n, sizeof(*names), by_bytes);
	}
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || !str_eq(names[i], names[kept - 1])) {
			names[kept++] = names[i];
		}
	}
	return kept;
}

bool name_list_is_sorted(const struct str *names, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (str_cmp(names[i - 1], names[i]) >= 0) {
			return false;
		}
	}
	return true;
}

/* ---- in JSON ---- */

void name_list_put(struct json_out *o, const char *key, const struct str *names, size_t n)
{
	CLEANUP_BUF struct buf list = BUF_INIT;

	name_list_write(names, n, &list);
	json_str(o, key, buf_str(&list));
}

int name_list_need(const struct json *object, const char *key, struct arena *a, struct str **names,
	size_t *n, struct err *e)
{
	struct str list = STR_NULL;
	int rc = json_need_str(object, key, &list, e);

	if (rc) {
		return rc;
	}
	rc = name_list_read(list, a, names, n, e);
	return rc ? err_wrap(e, "%s", key) : 0;
}

int name_list_need_sorted(const struct json *object, const char *key, struct arena *a,
	struct str **names, size_t *n, struct err *e)
{
	int rc = name_list_need(object, key, a, names, n, e);

	if (!rc && !name_list_is_sorted(*names, *n)) {
		rc = err_set(e, RC_SYNTAX, "%s: not sorted", key);
	}
	return rc;
}
