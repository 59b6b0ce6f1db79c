/* Everything that `serve` can answer out of one published catalogue: the pages rendered, the files
 * findable. Immutable once it is built, so that any number of threads may read it; a request that
 * began with one site ends with it. Pages of the same bytes are kept once. */
#ifndef MIRROR_SITE_H
#define MIRROR_SITE_H

#include "mirror/accept.h"
#include "mirror/listing.h"

#include <stdatomic.h>

enum { ETAG_SIZE = DIGEST_HEX + 3 }; /* quotes and NUL */

struct page {
	struct str body;
	const char *type;
	char etag[ETAG_SIZE];     /* the quoted digest of the body */
	bool varies;              /* by Accept */
	_Atomic(void *) prepared; /* the server's own form, made when first needed; see site_free */
};

struct site_index { /* one /simple/ and its /flat/ */
	struct listing listing;
	struct page *root[FORMS], *flat;
	struct page *(*projects)[FORMS]; /* as listing.projects */
};

struct site_file { /* a name under which a digest is served; sorted by digest */
	const struct manifest_file *file;
	struct str alias; /* "" : none */
};

struct site_texts { /* with the marks of client_text.h */
	struct str pip_conf, uv_toml, requirements;
};

struct site {
	struct arena arena;
	struct store_view view;
	struct site_index all;
	struct site_index *targets; /* as view.targets */
	struct site_texts *texts;   /* as view.targets */
	struct str home;            /* with marks */
	char csp_home[160];         /* Content-Security-Policy of the page for people */
	struct site_file *files;
	size_t nfiles;
	struct page **pages; /* each once */
	size_t npages;
	_Atomic unsigned users; /* for the server's bookkeeping */
};

/* Takes the view over. */
struct site *site_build(struct store_view *view);
/* `forget` is called for every page form that the server has prepared. */
void site_free(struct site *site, void (*forget)(void *prepared));

/* NULL: no such target. An empty name is the index of all targets together. */
const struct site_index *site_find_index(const struct site *site, struct str target);
const struct site_texts *site_find_texts(const struct site *site, struct str target);
/* The project's pages, by form; NULL: not listed. The name must be normalised. */
struct page *const *site_find_project(const struct site_index *index, struct str name);
/* The file that may be asked for by this digest and name (its own or its alias); NULL: none. */
const struct manifest_file *site_find_file(
	const struct site *site, const struct digest *d, struct str name);

/* The quoted digest of these bytes. */
void etag_of(struct str bytes, char out[ETAG_SIZE]);

#endif
