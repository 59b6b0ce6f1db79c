#include "manifests/limits.h"
#include "manifests/variant.h"
#include "verify/audit_checks.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
	void (*run)(const struct audit_wheel *w, const struct audit_site *site, struct audit *a);
	const char *name, *title;
	unsigned number;
} checks[] = {
#define CHECK(name, text, number, title, asks) { check_##name, text, title, number },
#include "verify/checks.def"
#undef CHECK
};

const char *audit_result_text(enum audit_result r)
{
	static const char *const texts[] = { "", "PASS", "WARN", "UNKNOWN", "FAIL" };

	return texts[r];
}

const char *audit_check_name(enum audit_check c)
{
	return checks[c].name;
}

const char *audit_check_title(enum audit_check c)
{
	return checks[c].title;
}

unsigned audit_check_number(enum audit_check c)
{
	return checks[c].number;
}

void audit_release(struct audit *a)
{
	vec_release(&a->findings);
	map_release(&a->brought);
	arena_release(&a->arena);
}

/* ---- findings ---- */

/* Texts of binaries are somebody else's: nothing of them may move a terminal's cursor. */
static struct str printable(struct arena *a, const char *text)
{
	struct str whole = str_first(str_of(text), LIMIT_FINDING);
	bool is_utf8;

	while (whole.n && whole.n == LIMIT_FINDING &&
		((unsigned char)text[whole.n] & 0xc0) == 0x80) {
		whole.n--; /* not within a character */
	}
	is_utf8 = str_is_utf8(whole);
	char *copy = arena_dup(a, whole);
	for (size_t i = 0; i < whole.n; i++) {
		unsigned char c = (unsigned char)copy[i];

		if (c < ' ' || c == 0x7f || (c > 0x7f && !is_utf8)) {
			copy[i] = '?';
		}
	}
	return (struct str){ copy, whole.n };
}

static void push_finding(struct audit *a, enum audit_check c, enum audit_result r,
	const char *member, const char *avoids, const char *remedy, const char *text)
{
	vec_push(&a->findings, (struct audit_finding){ .check = c,
				       .result = r,
				       .member = printable(&a->arena, member),
				       .text = printable(&a->arena, text),
				       .avoids = printable(&a->arena, avoids),
				       .remedy = printable(&a->arena, remedy) });
}

void audit_say(struct audit *a, enum audit_check c, enum audit_result r, const char *member,
	const char *avoids, const char *remedy, const char *fmt, ...)
{
	char text[LIMIT_FINDING + 1];
	va_list args;

	if (a->tally[c].said == LIMIT_FINDINGS) {
		a->tally[c].left_out++;
		if (r > a->tally[c].worst_left_out) {
			a->tally[c].worst_left_out = r;
		}
		return;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	a->tally[c].said++;
	push_finding(a, c, r, member, avoids, remedy, text);
}

static void say_left_out(struct audit *a, enum audit_check c)
{
	if (a->tally[c].left_out) {
		char text[64];

		snprintf(text, sizeof(text), "%zu more like these", a->tally[c].left_out);
		push_finding(a, c, a->tally[c].worst_left_out, NULL, NULL, NULL, text);
	}
}

/* ---- running ---- */

static void prepare(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct native *n = w->native;
	struct cuda_version cuda = { 0, 0 };
	bool is_any_minor, is_known = site_cuda(site, &cuda, &is_any_minor);

	a->parts = module_parts(&a->arena, n, site->target, cuda, is_known);
	for (size_t i = 0; i < n->nmodules; i++) {
		if (a->parts[i] == MODULE_USED || a->parts[i] == MODULE_SPARE) {
			map_put(&a->brought, module_file_name(&n->modules[i]), i);
			if (n->modules[i].soname.n) {
				map_put(&a->brought, n->modules[i].soname, i);
			}
		}
	}
}

void audit_run(const struct audit_wheel *w, const struct audit_site *site, struct audit *out)
{
	prepare(w, site, out);
	for (size_t c = 0; c < AUDIT_CHECKS; c++) {
		checks[c].run(w, site, out);
		say_left_out(out, (enum audit_check)c);
	}
}

enum audit_result audit_result_of(const struct audit *a, enum audit_check c)
{
	enum audit_result worst = AUDIT_PASS;

	vec_each(struct audit_finding, f, &a->findings) {
		if (f->check == c && f->result > worst) {
			worst = f->result;
		}
	}
	return worst;
}

enum audit_result audit_worst(const struct audit *a)
{
	enum audit_result worst = AUDIT_PASS;

	for (size_t c = 0; c < AUDIT_CHECKS; c++) {
		enum audit_result r = audit_result_of(a, (enum audit_check)c);

		worst = r > worst ? r : worst;
	}
	return worst;
}

void audit_line(const struct audit *a, struct buf *out)
{
	static const char *const marks[] = { "", "\u2713", "!", "?", "\u2717" };
	bool is_first = true;

	for (size_t c = 0; c < AUDIT_CHECKS; c++) {
		if (checks[c].number) {
			buf_addf(out, "%s%u%s", is_first ? "" : " ", checks[c].number,
				marks[audit_result_of(a, (enum audit_check)c)]);
			is_first = false;
		}
	}
}

/* ---- for the checks ---- */

bool site_cuda(const struct audit_site *site, struct cuda_version *out, bool *is_any_minor)
{
	*is_any_minor = false;
	if (site->torch) {
		*out = site->torch->cuda;
		return true;
	}
	*out = site->target->cuda;
	*is_any_minor = site->target->is_any_cuda_minor;
	return site->target->is_cuda_known;
}

const char *site_torch_text(struct audit *a, const struct audit_site *site)
{
	struct str version = site->torch ? site->torch->version : site->target->torch;

	return version.n ? arena_printf(&a->arena, "torch %.*s", STR_ARG(version)) : "the target";
}

const char *module_text(struct audit *a, const struct native_module *m)
{
	return arena_dup(&a->arena, m->name);
}

bool wheel_brings(const struct audit *a, struct str soname)
{
	return map_get(&a->brought, soname) != NULL;
}

bool is_among(const struct str *sorted, size_t n, struct str text)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_cmp(text, sorted[middle]);

		if (order == 0) {
			return true;
		}
		if (order < 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return false;
}

const struct native_module *next_used(
	const struct audit_wheel *w, const struct audit *a, size_t *at)
{
	while (*at < w->native->nmodules) {
		size_t i = (*at)++;

		if (a->parts[i] == MODULE_USED) {
			return &w->native->modules[i];
		}
	}
	return NULL;
}

void wheel_label(const struct audit_wheel *w, struct audit *a, struct variant *out)
{
	CLEANUP_BUF struct buf local = BUF_INIT;

	version_format_local(&w->name->version, &local);
	variant_parse(&a->arena, arena_str(&a->arena, buf_str(&local)), VARIANT_TORCH_ANY, out);
}

const char *target_text(struct audit *a, const struct target *t)
{
	return arena_printf(&a->arena, "target %.*s", STR_ARG(t->name));
}
