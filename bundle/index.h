/* Package indexes as one source of candidates: PEP 503 HTML and PEP 691 JSON project pages,
 * find-links pages and folders. Pages are cached (bundle/cache.h) for ten minutes or as long as the
 * index says, then asked again conditionally. Several indexes: as pip, all are asked and merged,
 * find-links first. The same file name with two hashes is an error that names both places as soon
 * as that file matters: index_metadata and index_check_file report it, so that an old file nobody
 * wants does not stop everything. */
#ifndef BUNDLE_INDEX_H
#define BUNDLE_INDEX_H

#include "bundle/cache.h"
#include "bundle/http_get.h"
#include "bundle/pip_config.h"
#include "manifests/core_metadata.h"
#include "manifests/digest.h"
#include "manifests/dist_name.h"
#include "manifests/target.h"

struct index_file {
	struct dist_name name; /* of the link's last segment, decoded; never of its text */
	const char *url;       /* absolute, as the page gave it (still %-encoded), or file:///... */
	bool has_sha256;
	struct digest sha256;
	bool has_size;
	uint64_t size;
	struct str requires_python; /* "" unknown */
	bool is_yanked;
	struct str yanked; /* the reason or "" */
	bool has_metadata; /* PEP 658 sibling is offered */
	bool has_metadata_sha256;
	struct digest metadata_sha256;
	bool is_torch_free; /* whatever torch its name says, it needs none: a source promises that */
	/* Major 0: nothing. Else the CUDA that everything in this place is built for: torch's own wheels may
	 * have no label there. */
	struct cuda_version place_cuda;
	const char *source;   /* the index it stands on, without credentials: for messages */
	/* NULL, or where another file of this name stands, by its sha256 or its size, and where this one does. */
	const char *conflict, *conflict_here;
};

struct index_project {
	struct str name;          /* normalised */
	struct index_file *files; /* in page order; names that are no distribution are left out */
	size_t nfiles;
	size_t nunreadable; /* links that are no wheel or sdist name, for messages */
};

struct index;
/* Keeps pointers to config and cache; both must outlive it. RC_INDEX where an index is plain http
 * to a host that is neither this machine nor a trusted-host: pip refuses it, too. */
int index_open(
	const struct pip_config *config, struct cache *cache, struct index **out, struct err *e);
void index_close(struct index *x);
struct http *index_http(struct index *x);
/* RC_INDEX for plain http to a host that is neither this machine nor trusted, as above. */
int index_check_url(const struct index *x, const char *url, struct err *e);
struct cache *index_cache(struct index *x);

/* The project pages of n names, fetched in parallel; out[i].nfiles == 0 where no index knows the
 * name (index_where says where it was looked for). Wrong answers (500, HTML that is no index page,
 * JSON of another major version, unknown content type) are RC_INDEX, no answer is RC_NETWORK; both
 * name the URL. 404 and 410 mean "not known here", and so does 403 where it is S3's answer for a
 * key that does not exist. A link from a remote page to a file: URL is left out. */
int index_projects(struct index *x, const struct str *names, size_t n, struct arena *a,
	struct index_project *out, struct err *e);
/* RC_AMBIGUOUS where the file has a `conflict`; call it before a file is chosen by its name alone.
 */
int index_check_file(const struct index_file *file, struct err *e);
const char *index_where(
	const struct index *x, struct arena *a); /* "the index at https://host/simple" */

/* METADATA of wheels, in parallel: the PEP 658 sibling (its digest checked where the page gave
 * one), else the wheel's tail by ranges, else the whole wheel into the cache. RC_UNSUPPORTED for an
 * sdist without a sibling: fetch it and read it with verify/sdist_in.h. texts[i] is byte-exact.
 * Kept in the cache under the wheel's sha256 where the page gives one. Damaged: RC_WHEEL naming the
 * URL; or, where `faults` is not NULL, that text in faults[i] (else ""), and the others are read. */
int index_metadata(struct index *x, const struct index_file *const *files, size_t n,
	struct arena *a, struct str *texts, struct str *faults, struct err *e);

#endif
