/* gpkg-bundle inspect: what a bundle or a store holds. A bundle's signatures and lists are checked first;
 * its files are not read (that is verify's work). */
#include "manifests/base/clock.h"
#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "manifests/bundle_format.h"
#include "mirror/inspect_html.h"
#include "mirror/inspect_matrix.h"
#include "verify/bundle_report.h"
#include "verify/store_place.h"
#include "verify/trust_options.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int cmd_inspect(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words, pubs;
	const char *html;
	bool matrix, sbom, files;
};

static int write_page(const char *path, const struct inspection *x, struct err *e)
{
	CLEANUP_BUF struct buf page = BUF_INIT;

	inspection_html(x, &page);
	return fs_write(path, buf_str(&page), 0644, e);
}

static void print(const struct arguments *a, const struct inspection *x, const struct verified *v)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	if (a->sbom) {
		buf_addstr(&text, verified_text(v, MEMBER_SBOM));
	} else if (a->common.json) {
		json_out_init(&o, &text, false);
		json_begin_object(&o);
		if (v) {
			bundle_report_json(v, &o);
		}
		inspection_json(x, &o);
		json_end_object(&o);
		buf_addc(&text, '\n');
	} else if (a->files) {
		inspection_files(x, &text);
	} else if (a->matrix) {
		inspection_matrix(x, &text);
	} else {
		if (v) {
			bundle_report_text(v, &text);
			buf_addc(&text, '\n');
		}
		inspection_targets(x, &text);
	}
	fputs(text.p ? text.p : "", stdout);
}

/* A page takes the place of what would be printed, unless that was asked for too. */
static int show(const struct arguments *a, const struct inspection *x, const struct verified *v, struct err *e)
{
	int r = a->html ? write_page(a->html, x, e) : 0;

	if (!r && (!a->html || a->sbom || a->common.json || a->files || a->matrix)) {
		print(a, x, v);
	}
	return r;
}

static int inspect_bundle(const struct arguments *a, const char *path, struct arena *arena, struct err *e)
{
	CLEANUP_VERIFIED struct verified *v = NULL;
	struct trust trust = TRUST_INIT;
	struct inspection x;
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? err_sys(e, "%s: cannot open", path) : 0;

	r = r ? r : trust_from_options(&trust, &a->pubs, store_place(arena, a->common.store), e);
	r = r ? r : verified_open(fd, path, &trust, clock_now(), &v, e);
	if (!r) {
		inspection_of_bundle(arena, v, &x);
		x.name = str_of(fs_basename(path));
		r = show(a, &x, v, e);
	}
	verified_close(v);
	v = NULL;
	trust_release(&trust);
	return r;
}

static int inspect_store(const struct arguments *a, const char *path, struct arena *arena, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	struct store_view view = STORE_VIEW_INIT;
	struct inspection x;

	if (a->sbom) {
		return err_set(e, RC_USAGE, "%s: --sbom is for a bundle; a store has none of its own", path);
	}
	int r = store_open(path, STORE_READ, &s, e);
	r = r ? r : store_view_load(s, &view, e);
	if (!r) {
		inspection_of_store(arena, s, &view, &x);
		x.name = str_of(path);
		r = show(a, &x, NULL, e);
	}
	store_view_release(&view);
	return r;
}

int cmd_inspect(int argc, char **argv)
{
	struct arguments a = { .matrix = false };
	const struct opt options[] = {
		{ 0, "files", OPT_FLAG, &a.files, NULL, "list every distinct file with sha256 and size" },
		{ 0, "matrix", OPT_FLAG, &a.matrix, NULL, "show packages by machines and GPUs" },
		{ 0, "html", OPT_TEXT, &a.html, "FILE", "write a page for people to this file" },
		{ 0, "sbom", OPT_FLAG, &a.sbom, NULL, "print the CycloneDX SBOM that a bundle carries" },
		{ 0, "pub", OPT_LIST, &a.pubs, "PUB", "trust this public key file instead of the store's keys" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "inspect", "FILE|STORE",
		"Show what a bundle or a store holds: targets, files, where they came from.", options, 1, 1 };
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct stat st;
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		const char *path = a.words.v[0];
		bool is_store = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
		int r = is_store ? inspect_store(&a, path, &arena, &e) : inspect_bundle(&a, path, &arena, &e);

		status = r ? log_error("gpkg-bundle inspect", &e, a.common.json) : 0;
	}
	arena_release(&arena);
	vec_release(&a.words);
	vec_release(&a.pubs);
	return status;
}
