#include "mirror/inspect_html.h"

#include "manifests/base/clock.h"
#include "manifests/base/log.h"
#include "manifests/base/vec.h"
#include "manifests/target_text.h"
#include "mirror/home_page.h"
#include "mirror/inspect_matrix.h"
#include "mirror/simple_page.h"

static const char style[] =
	"body{max-width:72rem}td,th{overflow-wrap:normal}td.any{overflow-wrap:anywhere}"
	".wide{overflow-x:auto}.wide td,.wide th,td.size{white-space:nowrap}"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem}dd{margin:0}"
	"ul{list-style:none;padding:0}li{padding:.3rem 0;border-bottom:1px solid #8883}"
	".mark{font-weight:600;border-left:.25rem solid;padding-left:.4rem}"
	".FAIL,.lack{color:#c5221f}.UNKNOWN,.WARN,.doubt{color:#9a6700}.there{color:#1a7f37}.none{"
	"opacity:.6}"
	"@media "
	"(prefers-color-scheme:dark){.FAIL,.lack{color:#ff8f85}.UNKNOWN,.WARN,.doubt{color:#e3b341}"
	".there{color:#5fd37a}}";

static void put(struct str text, struct buf *out)
{
	html_escape(text, out);
}

static void put_fact(const char *name, struct str value, struct buf *out)
{
	buf_addf(out, "<dt>%s</dt><dd>", name);
	put(value, out);
	buf_adds(out, "</dd>\n");
}

static void begin_section(const char *id, const char *title, struct buf *out)
{
	buf_addf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
}

static void end_section(struct buf *out)
{
	buf_adds(out, "</section>\n");
}

/* ---- whom it is from ---- */

static void put_bundle(const struct inspect_bundle *b, struct buf *out)
{
	char time[CLOCK_TEXT], hex[DIGEST_HEX + 1], number[24];

	buf_adds(out, "<dl>\n");
	put_fact("channel", b->channel, out);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)b->serial);
	put_fact("serial", str_of(number), out);
	put_fact("made", str_of(clock_text(b->created, time)), out);
	if (b->tool.n) {
		put_fact("made by", b->tool, out);
		put_fact("expires", str_of(b->expires ? clock_text(b->expires, time) : "never"),
			out);
	}
	if (b->imported) {
		put_fact("imported", str_of(clock_text(b->imported, time)), out);
	}
	put_fact("signed by", b->signer, out);
	if (b->trusted_from.n) {
		put_fact("trusted because of", b->trusted_from, out);
	}
	put_fact("sha256 of its manifest", str_of(digest_hex(&b->manifest, hex)), out);
	buf_adds(out, "</dl>\n");
}

static void put_origin(const struct inspection *x, struct buf *out)
{
	begin_section("signature", x->is_store ? "Bundles and signatures" : "Signature", out);
	if (!x->is_store) {
		buf_adds(out, "<p>The signature and all lists were checked; the bytes of the files "
			      "were not: "
			      "<code>gpkg-bundle verify</code> does that.</p>\n");
	}
	for (size_t i = 0; i < x->nbundles; i++) {
		put_bundle(&x->bundles[i], out);
	}
	end_section(out);
}

/* ---- targets ---- */

static void put_targets(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char size[24];

	begin_section("targets", "Targets", out);
	buf_adds(out, "<table>\n<tr><th>Target</th><th>Machine</th><th>Files</th></tr>\n");
	for (size_t i = 0; i < x->ntargets; i++) {
		const struct inspect_target *t = &x->targets[i];
		uint64_t total = 0;

		for (size_t j = 0; j < t->nfiles; j++) {
			total += t->files[j].file->size;
		}
		buf_adds(out, "<tr><td>");
		put(t->target->name, out);
		buf_adds(out, "</td><td class=\"any\">");
		put(str_of(target_line(&a, t->target)), out);
		buf_addf(out, "</td><td>%zu, %s</td></tr>\n", t->nfiles, log_size(total, size));
	}
	buf_adds(out, "</table>\n");
	end_section(out);
	arena_release(&a);
}

/* ---- findings: the same of several targets once ---- */

struct told { /* a finding, and who has it */
	const struct inspect_file *of;
	const struct manifest_finding *finding;
	struct str targets;
};
struct told_list {
	struct told *v;
	size_t n, cap;
};

static bool is_same(
	const struct told *t, const struct inspect_file *f, const struct manifest_finding *g)
{
	return digest_eq(&t->of->file->sha256, &f->file->sha256) &&
	       str_eq(t->finding->check, g->check) && str_eq(t->finding->result, g->result) &&
	       str_eq(t->finding->member, g->member) && str_eq(t->finding->text, g->text);
}

static void tell(struct arena *a, struct told_list *all, struct str target,
	const struct inspect_file *f, const struct manifest_finding *g)
{
	vec_each(struct told, t, all) {
		if (is_same(t, f, g)) {
			t->targets = str_of(arena_printf(
				a, "%.*s, %.*s", STR_ARG(t->targets), STR_ARG(target)));
			return;
		}
	}
	vec_push(all, (struct told){ .of = f, .finding = g, .targets = target });
}

static void gather(
	struct arena *a, const struct inspection *x, bool is_advisory, struct told_list *all)
{
	for (size_t i = 0; i < x->ntargets; i++) {
		for (size_t j = 0; j < x->targets[i].nfiles; j++) {
			const struct inspect_file *f = &x->targets[i].files[j];

			for (size_t k = 0; k < f->nfindings; k++) {
				if (str_is(f->findings[k].check, "advisories") == is_advisory) {
					tell(a, all, x->targets[i].target->name, f,
						&f->findings[k]);
				}
			}
		}
	}
}

static void put_told(const struct told *t, struct buf *out)
{
	const struct manifest_finding *g = t->finding;

	buf_addf(out, "<li><span class=\"mark %.*s\">%.*s</span> ", STR_ARG(g->result),
		STR_ARG(g->result));
	put(g->check, out);
	buf_adds(out, ", for ");
	put(t->targets, out);
	buf_adds(out, "<br><strong>");
	put(t->of->file->file, out);
	buf_adds(out, "</strong><br>");
	put(g->member, out);
	buf_adds(out, g->member.n ? ": " : "");
	put(g->text, out);
	buf_adds(out, "</li>\n");
}

static void put_list(const struct told_list *all, struct buf *out)
{
	static const char *const order[] = { "FAIL", "UNKNOWN", "WARN" };

	buf_adds(out, "<ul>\n");
	for (size_t r = 0; r < sizeof(order) / sizeof(order[0]); r++) {
		vec_each(const struct told, t, all) {
			if (str_is(t->finding->result, order[r])) {
				put_told(t, out);
			}
		}
	}
	buf_adds(out, "</ul>\n");
}

static void put_findings(const struct inspection *x, struct buf *out)
{
	struct told_list found = VEC_INIT, advisories = VEC_INIT;
	struct arena a = ARENA_INIT;

	gather(&a, x, false, &found);
	gather(&a, x, true, &advisories);
	begin_section("findings", "What the audit found", out);
	if (found.n) {
		put_list(&found, out);
	} else {
		buf_adds(out, "<p>Nothing that it could not pass.</p>\n");
	}
	end_section(out);
	begin_section("advisories", "Advisories", out);
	if (advisories.n) {
		put_list(&advisories, out);
	} else {
		buf_adds(out,
			"<p>Nothing was known against these versions when they were packed.</p>\n");
	}
	end_section(out);
	vec_release(&found);
	vec_release(&advisories);
	arena_release(&a);
}

/* ---- waivers ---- */

static void put_waiver(const struct manifest_waiver *w, struct buf *out)
{
	buf_adds(out, "<li><strong>");
	put(w->project, out);
	buf_adds(out, "</strong> for ");
	put(w->target.n ? w->target : STR("all targets"), out);
	buf_adds(out, " (");
	put(w->what, out);
	buf_adds(out, "): ");
	put(w->reason, out);
	buf_adds(out, "</li>\n");
}

static void put_waivers(const struct inspection *x, struct buf *out)
{
	begin_section("waivers", "Waivers", out);
	buf_adds(out, x->nwaivers ? "<ul>\n" : "<p>None.</p>\n");
	for (size_t i = 0; i < x->nwaivers; i++) {
		put_waiver(&x->waivers[i], out);
	}
	buf_adds(out, x->nwaivers ? "</ul>\n" : "");
	end_section(out);
}

/* ---- matrix ---- */

static void put_matrix_row(const struct matrix *m, size_t project, struct buf *out)
{
	static const char *const classes[] = { "none", "there", "doubt", "lack" };

	buf_adds(out, "<tr><th scope=\"row\">");
	put(m->projects[project], out);
	buf_adds(out, "</th>");
	for (size_t k = 0; k < m->ncolumns; k++) {
		const struct matrix_cell *c = &m->cells[project][k];

		buf_addf(out, "<td class=\"%s\">", classes[c->mark]);
		put(c->text, out);
		buf_adds(out, "</td>");
	}
	buf_adds(out, "</tr>\n");
}

static void put_matrix(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct matrix m;

	matrix_make(&a, x, &m);
	begin_section("matrix", "Coverage", out);
	buf_adds(out, "<p><small>A column for each GPU of each target. "
		      "<span class=\"lack\">hole</span>: it is missing, and that was waived; "
		      "<span class=\"lack\">other-GPU</span>: no code for this one; "
		      "<span class=\"doubt\">PTX</span>: the driver compiles it at first use; "
		      "<span class=\"doubt\">!</span> and <span class=\"doubt\">?</span>: see the "
		      "findings."
		      "</small></p>\n<div class=\"wide\"><table>\n");
	for (size_t axis = 0; axis < MATRIX_AXES; axis++) {
		buf_addf(out, "<tr><th scope=\"row\">%s</th>",
			matrix_axis_name((enum matrix_axis)axis));
		for (size_t k = 0; k < m.ncolumns; k++) {
			buf_adds(out, axis == MATRIX_TARGET ? "<th>" : "<td>");
			put(m.axes[axis][k], out);
			buf_adds(out, axis == MATRIX_TARGET ? "</th>" : "</td>");
		}
		buf_adds(out, "</tr>\n");
	}
	for (size_t i = 0; i < m.nprojects; i++) {
		put_matrix_row(&m, i, out);
	}
	buf_adds(out, "</table></div>\n");
	end_section(out);
	arena_release(&a);
}

/* ---- files ---- */

static void put_file(const struct manifest_file *f, struct buf *out)
{
	char hex[DIGEST_HEX + 1], size[24];

	buf_adds(out, "<tr><td class=\"any\"><strong>");
	put(f->file, out);
	buf_addf(out, "</strong><br><code>%s</code>", digest_hex(&f->sha256, hex));
	if (f->device_code.n) {
		buf_adds(out, "<br><small>GPU code: ");
		put(f->device_code, out);
		buf_adds(out, "</small>");
	}
	if (f->origin.n) {
		buf_adds(out, "<br><small>from ");
		put(f->origin, out);
		buf_adds(out, "</small>");
	}
	if (f->is_yanked) {
		buf_adds(out, "<br><span class=\"WARN\">yanked: ");
		put(f->yanked.n ? f->yanked : STR("no reason given"), out);
		buf_adds(out, "</span>");
	}
	if (f->hash_from == HASH_FROM_FIRST_USE) {
		buf_adds(out, "<br><span class=\"WARN\">its hash was first seen when it was "
			      "packed</span>");
	}
	buf_addf(out, "</td><td class=\"size\">%s</td></tr>\n", log_size(f->size, size));
}

static void put_files(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	size_t n;
	const struct manifest_file **files = inspection_distinct(&a, x, &n);

	begin_section("files", "Files", out);
	buf_addf(out,
		"<details open><summary>%zu distinct file%s"
		"</summary>\n<table>\n<tr><th>File, sha256</th><th>Size</th></tr>\n",
		n, n == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++) {
		put_file(files[i], out);
	}
	buf_adds(out, "</table>\n</details>\n");
	end_section(out);
	arena_release(&a);
}

void inspection_html(const struct inspection *x, struct buf *out)
{
	buf_adds(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
	put(x->name, out);
	buf_adds(out, "</title>\n<style>");
	buf_addstr(out, home_page_style());
	buf_addf(out, "%s</style>\n</head>\n<body>\n<h1>%s ", style,
		x->is_store ? "Store" : "Bundle");
	put(x->name, out);
	buf_adds(out, "</h1>\n");
	put_origin(x, out);
	put_targets(x, out);
	put_waivers(x, out);
	put_findings(x, out);
	put_matrix(x, out);
	put_files(x, out);
	buf_adds(out, "</body>\n</html>\n");
}
