#include "mirror/simple_page.h"
#include "manifests/base/json.h"
#include "manifests/base/uri.h"

#define API_VERSION "1.1"

void html_escape(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		switch (text.p[i]) {
		case '&':
			buf_adds(out, "&amp;");
			break;
		case '<':
			buf_adds(out, "&lt;");
			break;
		case '>':
			buf_adds(out, "&gt;");
			break;
		case '"':
			buf_adds(out, "&quot;");
			break;
		case '\'':
			buf_adds(out, "&#39;");
			break;
		default:
			buf_addc(out, text.p[i]);
		}
	}
}

void simple_file_link(const struct listing_file *f, const char *up, struct buf *out)
{
	char hex[DIGEST_HEX + 1];

	buf_addf(out, "%sfiles/%s/", up, digest_hex(&f->file->file.sha256, hex));
	uri_encode(out, f->shown);
}

static void html_begin(struct str title, struct buf *out)
{
	buf_adds(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"pypi:repository-version\" content=\"" API_VERSION "\">\n<title>");
	html_escape(title, out);
	buf_adds(out, "</title>\n</head>\n<body>\n");
}

static void html_end(struct buf *out)
{
	buf_adds(out, "</body>\n</html>\n");
}

static void anchor(const struct listing_file *f, const char *up, struct buf *out)
{
	const struct manifest_file *m = &f->file->file;
	char hex[DIGEST_HEX + 1];

	buf_adds(out, "<a href=\"");
	simple_file_link(f, up, out);
	buf_addf(out, "#sha256=%s\"", digest_hex(&m->sha256, hex));
	if (m->requires_python.n) {
		buf_adds(out, " data-requires-python=\"");
		html_escape(m->requires_python, out);
		buf_addc(out, '"');
	}
	if (m->kind == DIST_WHEEL) {
		buf_addf(out, " data-core-metadata=\"sha256=%s\"",
			digest_hex(&m->metadata_sha256, hex));
	}
	if (m->is_yanked) {
		buf_adds(out, " data-yanked=\"");
		html_escape(m->yanked, out);
		buf_addc(out, '"');
	}
	buf_addc(out, '>');
	html_escape(f->shown, out);
	buf_adds(out, "</a><br>\n");
}

void simple_root_html(const struct listing *l, struct buf *out)
{
	html_begin(STR("Simple index"), out);
	for (size_t i = 0; i < l->nprojects; i++) {
		struct str name = l->projects[i].name;

		buf_adds(out, "<a href=\"");
		uri_encode(out, name);
		buf_adds(out, "/\">");
		html_escape(name, out);
		buf_adds(out, "</a><br>\n");
	}
	html_end(out);
}

void simple_project_html(const struct listing_project *p, const char *up, struct buf *out)
{
	html_begin(p->name, out);
	for (size_t i = 0; i < p->nfiles; i++) {
		anchor(&p->files[i], up, out);
	}
	html_end(out);
}

void simple_flat_html(const struct listing *l, const char *up, struct buf *out)
{
	html_begin(STR("Files"), out);
	for (size_t i = 0; i < l->nprojects; i++) {
		for (size_t j = 0; j < l->projects[i].nfiles; j++) {
			anchor(&l->projects[i].files[j], up, out);
		}
	}
	html_end(out);
}

static void put_meta(struct json_out *o)
{
	json_put_key(o, "meta");
	json_begin_object(o);
	json_cstr(o, "api-version", API_VERSION);
	json_end_object(o);
}

static void put_sha256(struct json_out *o, const char *key, const struct digest *d)
{
	char hex[DIGEST_HEX + 1];

	json_put_key(o, key);
	json_begin_object(o);
	json_cstr(o, "sha256", digest_hex(d, hex));
	json_end_object(o);
}

static void put_file(struct json_out *o, const struct listing_file *f, const char *up)
{
	const struct manifest_file *m = &f->file->file;
	CLEANUP_BUF struct buf url = BUF_INIT;

	simple_file_link(f, up, &url);
	json_begin_object(o);
	json_str(o, "filename", f->shown);
	json_str(o, "url", buf_str(&url));
	put_sha256(o, "hashes", &m->sha256);
	json_u64(o, "size", m->size);
	if (m->requires_python.n) {
		json_str(o, "requires-python", m->requires_python);
	}
	if (m->kind == DIST_WHEEL) {
		put_sha256(o, "core-metadata", &m->metadata_sha256);
	}
	if (m->is_yanked && m->yanked.n) {
		json_str(o, "yanked", m->yanked);
	} else {
		json_bool(o, "yanked", m->is_yanked);
	}
	json_end_object(o);
}

void simple_root_json(const struct listing *l, struct buf *out)
{
	struct json_out o;

	json_out_init(&o, out, false);
	json_begin_object(&o);
	put_meta(&o);
	json_put_key(&o, "projects");
	json_begin_array(&o);
	for (size_t i = 0; i < l->nprojects; i++) {
		json_begin_object(&o);
		json_str(&o, "name", l->projects[i].name);
		json_end_object(&o);
	}
	json_end_array(&o);
	json_end_object(&o);
}

/* PEP 700: each version once. The files are sorted by version. */
static void put_versions(struct json_out *o, const struct listing_project *p)
{
	struct str last = STR_NULL;

	json_put_key(o, "versions");
	json_begin_array(o);
	for (size_t i = 0; i < p->nfiles; i++) {
		struct str version = p->files[i].file->file.version;

		if (i == 0 || !str_eq(version, last)) {
			json_put_str(o, version);
			last = version;
		}
	}
	json_end_array(o);
}

void simple_project_json(const struct listing_project *p, const char *up, struct buf *out)
{
	struct json_out o;

	json_out_init(&o, out, false);
	json_begin_object(&o);
	put_meta(&o);
	json_str(&o, "name", p->name);
	put_versions(&o, p);
	json_put_key(&o, "files");
	json_begin_array(&o);
	for (size_t i = 0; i < p->nfiles; i++) {
		put_file(&o, &p->files[i], up);
	}
	json_end_array(&o);
	json_end_object(&o);
}
