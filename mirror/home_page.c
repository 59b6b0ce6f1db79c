#include "mirror/home_page.h"
#include "manifests/base/clock.h"
#include "manifests/target_text.h"
#include "mirror/client_text.h"
#include "mirror/simple_page.h"

static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:1rem/1.5 system-ui,sans-serif;max-width:56rem;margin:0 auto;padding:1rem;"
	"overflow-wrap:anywhere}"
	"h1{font-size:1.5rem}h2{margin:2rem 0 0;font-size:1.2rem}"
	"pre{overflow-x:auto;overflow-wrap:normal;padding:.6rem .8rem;border:1px solid #8886;"
	"border-radius:.4rem;margin:.4rem 0;background:#8881}"
	"code,pre{font-family:ui-monospace,monospace;font-size:.9rem}"
	"table{border-collapse:collapse;width:100%}"
	"th,td{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top;"
	"border-bottom:1px solid #8883}"
	"summary{cursor:pointer;padding:.4rem 0}small,.dim{opacity:.75}";

struct str home_page_style(void)
{
	return str_of(style);
}

static const char *use_text(unsigned use)
{
	return use & USE_RUN ? "run" : use & USE_BUILD ? "build" : "toolkit";
}

/* The package that the examples name: the first that the lock asked for. */
static struct str example(const struct store_target *t)
{
	for (size_t i = 0; i < t->nfiles; i++) {
		if (t->files[i].is_listed && t->files[i].is_requested &&
			!t->files[i].needs_toolkit && (t->files[i].use & USE_RUN)) {
			return t->files[i].file.name;
		}
	}
	return STR("PACKAGE");
}

static void add_commands(const struct store_target *t, struct buf *out)
{
	struct str name = t->target.name, package = example(t);

	buf_adds(out, "<p>Everything that was locked for this target:</p>\n<pre>");
	buf_addf(out, "pip install" MARK_TRUST_WORDS " -r " MARK_BASE "/t/%.*s/requirements.txt\n",
		STR_ARG(name));
	buf_addf(out, "uv pip install -r " MARK_BASE "/t/%.*s/requirements.txt</pre>\n",
		STR_ARG(name));
	buf_adds(out, "<p>One package and what it needs:</p>\n<pre>");
	buf_addf(out,
		"pip install" MARK_TRUST_WORDS " --index-url " MARK_BASE "/t/%.*s/simple/ %.*s\n",
		STR_ARG(name), STR_ARG(package));
	buf_addf(out, "uv pip install --default-index " MARK_BASE "/t/%.*s/simple/ %.*s</pre>\n",
		STR_ARG(name), STR_ARG(package));
	buf_addf(out, "<p>For good: <a href=\"t/%.*s/pip.conf\">pip.conf</a>, ", STR_ARG(name));
	buf_addf(out, "<a href=\"t/%.*s/uv.toml\">uv.toml</a>. ", STR_ARG(name));
	buf_addf(out, "Index: <a href=\"t/%.*s/simple/\">simple</a>, ", STR_ARG(name));
	buf_addf(out, "<a href=\"t/%.*s/flat/\">flat</a>.</p>\n", STR_ARG(name));
}

static void add_row(const struct store_target *t, const struct store_file *f, struct buf *out)
{
	const char *form = f->is_built                  ? "wheel, built here"
			   : f->needs_toolkit           ? "source, to be built here"
			   : f->file.kind == DIST_SDIST ? "source"
							: "wheel";

	buf_addf(out, "<tr><td><a href=\"t/%.*s/simple/%.*s/\">%.*s</a></td><td>",
		STR_ARG(t->target.name), STR_ARG(f->file.name), STR_ARG(f->file.name));
	html_escape(f->file.version, out);
	buf_addf(out, "</td><td>%s%s</td><td>%s</td></tr>\n", form,
		f->file.is_yanked ? ", yanked" : "", use_text(f->use));
}

static void add_packages(const struct store_target *t, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nfiles; i++) {
		n += t->files[i].is_listed;
	}
	buf_addf(out, "<details><summary>%zu file%s</summary>\n<table>\n", n, n == 1 ? "" : "s");
	buf_adds(out, "<tr><th>Package</th><th>Version</th><th>Form</th><th>For</th></tr>\n");
	for (size_t i = 0; i < t->nfiles; i++) {
		if (t->files[i].is_listed) {
			add_row(t, &t->files[i], out);
		}
	}
	buf_adds(out, "</table>\n</details>\n");
}

static void add_target(const struct store_target *t, struct buf *out)
{
	struct arena a = ARENA_INIT;

	buf_addf(out, "<section id=\"%.*s\">\n<h2>%.*s</h2>\n<p class=\"dim\">",
		STR_ARG(t->target.name), STR_ARG(t->target.name));
	html_escape(str_of(target_line(&a, &t->target)), out);
	buf_adds(out, "</p>\n");
	add_commands(t, out);
	add_packages(t, out);
	buf_adds(out, "</section>\n");
	arena_release(&a);
}

static void add_bundles(const struct store_view *v, struct buf *out)
{
	char when[CLOCK_TEXT];

	buf_adds(out, "<section>\n<h2>Bundles</h2>\n<table>\n<tr><th>Channel</th><th>Serial</th>"
		      "<th>Imported</th></tr>\n");
	for (size_t i = 0; i < v->nbundles; i++) {
		const struct store_bundle *b = &v->bundles[i];

		buf_adds(out, "<tr><td>");
		html_escape(b->channel, out);
		buf_addf(out, "</td><td>%llu</td><td>%s</td></tr>\n", (unsigned long long)b->serial,
			clock_text(b->imported, when));
	}
	buf_adds(out, "</table>\n</section>\n");
}

void home_page_html(const struct store_view *v, struct buf *out)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		      "<title>GPU Python packages</title>\n<style>");
	buf_adds(out, style);
	buf_adds(out, "</style>\n</head>\n<body>\n<h1>GPU Python packages</h1>\n"
		      "<p>Choose the target that matches your machine, then paste its "
		      "lines.</p>\n<ul>\n");
	for (size_t i = 0; i < v->ntargets; i++) {
		struct str name = v->targets[i].target.name;

		buf_addf(
			out, "<li><a href=\"#%.*s\">%.*s</a></li>\n", STR_ARG(name), STR_ARG(name));
	}
	buf_adds(out, "</ul>\n");
	for (size_t i = 0; i < v->ntargets; i++) {
		add_target(&v->targets[i], out);
	}
	add_bundles(v, out);
	buf_adds(out, "</body>\n</html>\n");
}
