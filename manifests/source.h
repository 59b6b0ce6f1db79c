/* Places where wheels of GPU packages lie besides the configured index, as data: ours
 * (manifests/data/sources.def), a gpkg registry, or a [source.<package>] table of a lock. A source
 * is never asked by accident: a lock names it for a package, and then that package comes from there
 * alone.
 *
 * From a source to candidates: source_locate gives the pages for a target; whoever fetches them
 * reads the files they list by the source's kind (below), keeps those whose project is the package
 * asked for (a page may list many) and that source_has_name admits, and judges the rest by tags and
 * variant (manifests/variant.h, with the source's `names`). What a link says is its href; its text
 * may be wrong. */
#ifndef MANIFESTS_SOURCE_H
#define MANIFESTS_SOURCE_H

#include "manifests/dist_name.h"
#include "manifests/target.h"
#include "manifests/variant.h"

enum source_kind {
	/* PEP 503 or 691. The page of a package is <page>/<package>/; 404 says that it has none,
	 * and so does 403 where is_403_absent. */
	SOURCE_INDEX = 1,
	/* One page of links to files of any number of packages, or a folder (file://) that holds
	 * them. */
	SOURCE_LINKS,
	/* The releases of a GitHub repository: JSON, a list of { tag_name, draft, assets: [{ name,
	 * browser_download_url, size, digest: "sha256:<hex>" or null }] }. All pages count: the
	 * Link header's rel="next", as long as it stays on the host of the first. Drafts do not
	 * count; releases marked "prerelease" do, as the mark says nothing about the version of a
	 * file. A tag's name says nothing about it either. */
	SOURCE_GITHUB,
	/* JSON: { schema: 1, packages: { <name>: { torch_free,
	 * wheels: [{ filename, url, sha256 }] } } }. The url may be relative to the page. Of
	 * torch_free packages the torch in a file's name means nothing. */
	SOURCE_MANIFEST,
	/* One file; the page is its URL. */
	SOURCE_FILE,
};

enum source_cuda_style {
	SOURCE_CUDA_FULL = 0, /* 130 */
	SOURCE_CUDA_SHORT,    /* 13 */
	SOURCE_CUDA_DOTTED,   /* 13.0 */
};

enum source_torch_style {
	SOURCE_TORCH_MINOR = 0, /* 2.11 */
	SOURCE_TORCH_FULL,      /* 2.11.0 */
	SOURCE_TORCH_PACKED,    /* 2110 */
	SOURCE_TORCH_PYG, /* 2.11.0; a patch release may have no page of its own: then that of .0 */
};

struct source {
	struct str name; /* unique in its list; for locks, messages, JSON */
	enum source_kind kind;
	const struct str *packages; /* normalised names of the projects; none: whatever it lists */
	size_t npackages;
	struct str known_as; /* a registry's other name for packages[0], or "" */
	/* Where. Filled in for the target: {cuda} and {torch} by the styles below, {torch_minor}
	 * "2.11", {accelerator} "cu130", "cpu", "rocm6.4", "xpu", {python} "312", {platform}
	 * "linux_x86_64". GitHub: "owner/repository", nothing to fill in. */
	struct str url;
	enum source_cuda_style cuda_style;
	enum source_torch_style torch_style;
	enum variant_torch_style names; /* how its file names write torch in digits only */
	/* gpkg's wheel_name: only files that fit are its candidates; "" = every file of the
	 * package. */
	struct str wheel_name;
	struct str torch_compat; /* a specifier (PEP 440) for the target's torch, or "" */
	bool is_403_absent;
	struct str description;
	const char *origin; /* where it was said: "built in", a registry's path */
	unsigned line;      /* in it; 0: no line */
};

struct source_list {
	const struct source *v; /* in order of priority */
	size_t n;
};

/* ---- lists ---- */

const struct source_list *source_builtin(void);
const struct source *source_find(const struct source_list *list, struct str name); /* NULL: none */
/* Has it files of the project? By `packages` and `known_as`; normalised name. */
bool source_has_package(const struct source *s, struct str project);
/* "index", "links", "github", "manifest", "file" */
const char *source_kind_text(enum source_kind kind);

/* A gpkg registry (TOML: [[sources]] with package, type "github" or "find-links", repo,
 * url_template, wheel_name, cuda_style, torch_format, torch_compat, description; has_abi, scan_tags
 * and requires are checked and mean nothing here: names, pages and metadata are read in full).
 * Besides gpkg's: the types "index", "manifest", "file", the cuda_style "dotted", and `name`, which
 * is else made of package and owner or host: "flash-attn/mjun0812". At most LIMIT_SOURCES. Errors
 * are "path: line L, column C: ...": RC_SYNTAX, RC_INVALID, RC_LIMIT. */
int source_registry_read(const char *path, struct arena *a, struct source_list *out, struct err *e);
int source_registry_parse(
	struct str text, const char *path, struct arena *a, struct source_list *out, struct err *e);

/* ---- for a target ---- */

struct source_pages {
	struct str *urls; /* one place in several spellings: the first that exists is the answer */
	size_t n;
	struct str why; /* n == 0: why it has nothing for this target ("... torch <2.9, the target
			   has 2.11.0") */
};

/* github_api: what stands before "/repos/...", without a '/' at the end; "" = GitHub's own. The
 * program takes it from $GPKG_BUNDLE_GITHUB_API (an enterprise server's "https://HOST/api/v3", a
 * test's server). Credentials for GitHub go to that host alone. RC_INVALID where a page or
 * torch_compat asks for what the target does not state (its torch, its CUDA). */
int source_locate(const struct source *s, const struct target *t, struct str github_api,
	struct arena *a, struct source_pages *out, struct err *e);

/* Does a file of the source belong to it by wheel_name? True where there is none.
 * {version} any PEP 440 version without local part, {cuda} 12, 128 or 12.8, {torch} 2.11,
 * 2110, 2.9.0andhigher.post4, 25.04, {pytag} python and ABI tag (PEP 425 and 427: compressed sets,
 * and a build tag before them), {platform}, {abi} TRUE, FALSE, 1, 0, {hash} git and hex digits or
 * nothing, {_} anything, and nothing too, but never a '-'. Upper and lower case are alike. */
bool source_has_name(const struct source *s, struct str file);

/* ---- for readers of sources: RC_INVALID and RC_LIMIT, without a place ---- */

/* Absolute http, https or file URL of known placeholders (GitHub: owner/repository), at most
 * LIMIT_ORIGIN. */
int source_url_check(enum source_kind kind, struct str url, struct err *e);
int source_wheel_name_check(struct str wheel_name, struct err *e);
int source_cuda_style_parse(struct str text, enum source_cuda_style *out, struct err *e);
int source_torch_style_parse(struct str text, enum source_torch_style *out, struct err *e);

#endif
