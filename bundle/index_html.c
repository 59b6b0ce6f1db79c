#include "bundle/index_page.h"
#include "manifests/base/uri.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024 };

/* One pass of events: a page of 64 MiB is never a tree in memory. */
struct reader {
	struct arena *a;
	const char *url;
	const char *base; /* the first <base href>, resolved; NULL: none */
	struct index_page *page;
	bool in_title;
	size_t title_length;
	bool is_newer; /* repository-version of another major */
	char version[32];
	htmlParserCtxtPtr parser;
};

/* Attributes come as name, value pairs; a value is NULL where the page gives none ("data-yanked").
 */
static bool attribute(const xmlChar **list, const char *name, struct str *out)
{
	for (; list && list[0]; list += 2) {
		if (strcmp((const char *)list[0], name) == 0) {
			*out = list[1] ? str_of((const char *)list[1]) : STR("");
			return true;
		}
	}
	return false;
}

/* PEP 658/714: "sha256=<hex>", or "true". An unknown algorithm still says that the file is there.
 */
static void read_metadata(const xmlChar **list, struct index_file *out)
{
	struct str value;
	struct err ignored = ERR_INIT;

	if (!attribute(list, "data-core-metadata", &value) &&
		!attribute(list, "data-dist-info-metadata", &value)) {
		return;
	}
	value = str_trim(value);
	if (!value.n || str_eq_nocase(value, STR("false"))) {
		return;
	}
	out->has_metadata = true;
	out->has_metadata_sha256 =
		str_starts(value, "sha256=") &&
		!digest_parse(str_skip(value, 7), &out->metadata_sha256, &ignored);
}

static void read_anchor(struct reader *r, const xmlChar **list)
{
	struct index_file link = { .name = { .file = STR_NULL } };
	struct str href, value;

	if (!attribute(list, "href", &href)) {
		return;
	}
	char *url = uri_resolve(r->a, str_of(r->base ? r->base : r->url), href);
	char *file = url ? uri_decode(r->a, uri_last_segment(str_of(url))) : NULL;
	if (!file || !index_is_dist_file(str_of(file))) {
		r->page->nunreadable++;
		return;
	}
	link.name.file = str_of(file);
	link.url = arena_dup(r->a, uri_without_fragment(str_of(url)));
	link.has_sha256 = index_fragment_sha256(str_of(url), &link.sha256);
	if (attribute(list, "data-requires-python", &value)) {
		link.requires_python = arena_str(r->a, str_trim(value));
	}
	if (attribute(list, "data-yanked", &value)) {
		link.is_yanked = true;
		link.yanked = arena_str(r->a, value);
	}
	read_metadata(list, &link);
	vec_push(&r->page->links, link);
	r->page->is_index = true;
}

/* PEP 629 */
static void read_meta(struct reader *r, const xmlChar **list)
{
	struct str name, version;

	if (!attribute(list, "name", &name) ||
		!str_eq_nocase(name, STR("pypi:repository-version")) ||
		!attribute(list, "content", &version)) {
		return;
	}
	version = str_trim(version);
	r->page->is_index = true;
	if (!str_starts(version, "1.") && !str_is(version, "1")) {
		r->is_newer = true;
		snprintf(r->version, sizeof(r->version), "%.*s", STR_ARG(str_first(version, 24)));
	}
}

static void on_element(void *context, const xmlChar *name, const xmlChar **list)
{
	struct reader *r = context;
	struct str href;

	if (strcmp((const char *)name, "a") == 0) {
		read_anchor(r, list);
	} else if (strcmp((const char *)name, "meta") == 0) {
		read_meta(r, list);
	} else if (strcmp((const char *)name, "base") == 0 && !r->base &&
		   attribute(list, "href", &href)) {
		r->base = uri_resolve(r->a, str_of(r->url), href);
	} else if (strcmp((const char *)name, "title") == 0 ||
		   strcmp((const char *)name, "h1") == 0) {
		r->in_title = r->title_length == 0;
	}
}

static void on_element_end(void *context, const xmlChar *name)
{
	struct reader *r = context;

	if (strcmp((const char *)name, "title") == 0 || strcmp((const char *)name, "h1") == 0) {
		r->in_title = false;
	}
}

static void on_text(void *context, const xmlChar *text, int n)
{
	struct reader *r = context;
	char *title = r->page->title;

	for (int i = 0; r->in_title && i < n && r->title_length + 1 < sizeof(r->page->title); i++) {
		bool is_print = text[i] > ' ' && text[i] < 0x7f;
		bool is_gap = !is_print && r->title_length && title[r->title_length - 1] != ' ';

		if (is_print || is_gap) {
			title[r->title_length++] = is_print ? (char)text[i] : ' ';
		}
	}
}

/* Headings of pages that list files, as servers without PEP 629's <meta> write them. */
static bool has_index_title(const char *title)
{
	static const char *const heads[] = { "Links for", "Index of", "Directory listing",
		"Simple index", "Simple Index", "Simple Package Repository" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		if (str_starts(str_of(title), heads[i])) {
			return true;
		}
	}
	return false;
}

static void ignore_message(void *context, const char *text, ...)
{
	(void)context;
	(void)text;
}

/* Length of "</html ...>" or "</body ...>" at the start of the text, or 0. */
static size_t end_tag(struct str text)
{
	if (!str_eq_nocase(str_first(text, 6), STR("</html")) &&
		!str_eq_nocase(str_first(text, 6), STR("</body"))) {
		return 0;
	}
	size_t n = str_find(text, '>');
	return n < text.n ? n + 1 : text.n;
}

/* libxml2 ends where the root element does, but some indexes are grown by appending links behind
 * </html>, and every client sees them: so it is not told. */
static void feed(struct reader *r, struct str html)
{
	while (html.n && !r->is_newer) {
		size_t n = 0;

		while (n < html.n && n < CHUNK &&
			!(html.p[n] == '<' && end_tag(str_skip(html, n)))) {
			n++;
		}
		htmlParseChunk(r->parser, html.p, (int)n, 0);
		html = str_skip(html, n);
		html = str_skip(html, end_tag(html));
	}
}

static int parse(struct reader *r, struct str html, struct err *e)
{
	xmlSAXHandler events = {
		.startElement = on_element,
		.endElement = on_element_end,
		.characters = on_text,
		.cdataBlock = NULL,
		.error = ignore_message,
		.warning = ignore_message,
	};
	/* Index pages are UTF-8 by their standard, whatever <meta charset> says. */
	r->parser = htmlCreatePushParserCtxt(&events, r, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
	if (!r->parser) {
		return err_set(e, RC_BUG, "the HTML reader does not start");
	}
	htmlCtxtUseOptions(r->parser,
		HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
	feed(r, html);
	htmlParseChunk(r->parser, "", 0, 1);
	htmlFreeParserCtxt(r->parser);
	return 0;
}

int index_html_read(
	struct arena *a, struct str html, const char *url, struct index_page *out, struct err *e)
{
	struct index_page page = INDEX_PAGE_INIT;
	struct reader r = { .a = a, .url = url, .page = &page };

	int code = parse(&r, html, e);
	if (!code && r.is_newer) {
		code = err_set(e, RC_INDEX,
			"it speaks version %s of the simple API; 1.x is understood", r.version);
	}
	if (code) {
		index_page_release(&page);
		return code;
	}
	page.is_index = page.is_index || has_index_title(page.title);
	*out = page;
	return 0;
}
