#include "mirror/client_text.h"
#include "manifests/base/uri.h"

static void add_index_url(struct str target, struct buf *out)
{
	buf_addf(out, MARK_BASE "/t/%.*s/simple/", STR_ARG(target));
}

void client_pip_conf(struct str target, struct buf *out)
{
	buf_addf(out, "# packages for target %.*s\n[global]\nindex-url = ", STR_ARG(target));
	add_index_url(target, out);
	buf_adds(out, "\n" MARK_TRUST_CONF);
}

void client_uv_toml(struct str target, struct buf *out)
{
	buf_addf(out,
		"# packages for target %.*s\npython-downloads = \"never\"\n\n[[index]]\nurl = \"",
		STR_ARG(target));
	add_index_url(target, out);
	buf_adds(out, "\"\ndefault = true\n");
}

static bool is_in_plan(const struct store_file *f)
{
	return (f->use & USE_RUN) && f->is_current && f->is_listed && !f->needs_toolkit;
}

static void add_requirement(const struct store_file *f, struct buf *out)
{
	buf_addstr(out, f->file.name);
	for (size_t i = 0; i < f->nextras; i++) {
		buf_addc(out, i ? ',' : '[');
		buf_addstr(out, f->extras[i]);
	}
	buf_addf(out, "%s==%.*s", f->nextras ? "]" : "", STR_ARG(f->file.version));
}

void client_requirements(const struct store_target *t, struct buf *out)
{
	const struct store_file *last = NULL;
	char hex[DIGEST_HEX + 1];

	buf_addf(out, "# packages for target %.*s\n--index-url ", STR_ARG(t->target.name));
	add_index_url(t->target.name, out);
	buf_adds(out, "\n" MARK_TRUST_LINE);
	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];

		if (!is_in_plan(f)) {
			continue;
		}
		if (!last || !str_eq(last->file.name, f->file.name) ||
			!str_eq(last->file.version, f->file.version)) {
			buf_adds(out, last ? "\n" : "");
			add_requirement(f, out);
		}
		buf_addf(out, " \\\n    --hash=sha256:%s", digest_hex(&f->file.sha256, hex));
		last = f;
	}
	buf_adds(out, last ? "\n" : "");
}

static bool is_loopback(struct str host)
{
	return str_is(host, "localhost") || str_starts(host, "127.") || str_is(host, "[::1]");
}

static void add_host(
	bool is_asked, const char *before, struct str host, const char *after, struct buf *out)
{
	if (is_asked) {
		buf_addf(out, "%s%.*s%s", before, STR_ARG(host), after);
	}
}

/* The text of a mark; false: not a mark. */
static bool fill_mark(char mark, const struct client_base *base, struct buf *out)
{
	const bool is_plain = str_starts(base->url, "http:");
	const bool needs_trust = is_plain && !is_loopback(uri_host(base->url));

	if (mark == MARK_BASE[0]) {
		buf_addstr(out, base->url);
		return true;
	}
	if (mark == MARK_TRUST_CONF[0]) { /* harmless on loopback, and the file may be carried
					     elsewhere */
		add_host(is_plain, "trusted-host = ", base->host, "\n", out);
		return true;
	}
	if (mark == MARK_TRUST_LINE[0]) {
		add_host(needs_trust, "--trusted-host ", base->host, "\n", out);
		return true;
	}
	if (mark == MARK_TRUST_WORDS[0]) {
		add_host(needs_trust, " --trusted-host ", base->host, "", out);
		return true;
	}
	return false;
}

void client_text_fill(struct str text, const struct client_base *base, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!fill_mark(text.p[i], base, out)) {
			buf_addc(out, text.p[i]);
		}
	}
}
