/* What a project has for a target: every file is judged by what the target can take and what policy allows, and
 * what passes is ranked. This comes before all choosing: to the solver, what was left out does not exist. */
#ifndef BUNDLE_CANDIDATES_H
#define BUNDLE_CANDIDATES_H

#include "bundle/index.h"
#include "manifests/tag.h"
#include "manifests/variant.h"

/* A target with what is derived from it once. */
struct target_view {
	const struct target *t;
	struct marker_env env;
	struct tag_list tags;
	struct version python; /* 3.Y.Z, for Requires-Python */
	bool has_torch;
	struct version torch; /* the target's own, where it states one */
	/* The last Requires-Python that was asked about: pages repeat themselves. */
	struct str asked;
	bool answer;
};
int target_view_init(struct arena *a, const struct target *t, struct target_view *out, struct err *e);

/* Does a Requires-Python text admit the target? Empty or unreadable text does, as for pip. */
bool target_view_takes_python(struct target_view *t, struct str requires_python);

/* What the lock says about which files of a project are to be looked at. */
struct candidate_policy {
	const struct version *pins; /* versions that rows of the lock pin: these may be yanked */
	size_t npins;
	const struct digest *hashes; /* none: any */
	size_t nhashes;
	struct str url; /* "" = any */
	enum variant_torch_style torch_style;
};

/* Why a file is left out. The names that JSON shows are those of plan.h. */
enum candidate_stage {
	CANDIDATE_FITS = 0,
	CANDIDATE_URL,
	CANDIDATE_HASH,
	CANDIDATE_YANKED,
	CANDIDATE_PYTHON,
	CANDIDATE_TAGS,
	CANDIDATE_TORCH_GIVEN,
	CANDIDATE_CUDA,
	CANDIDATE_TORCH,
	CANDIDATE_TORCH_AMBIGUOUS,
	CANDIDATE_ABI,
	CANDIDATE_GPU,
	CANDIDATE_STAGES
};
const char *candidate_stage_name(enum candidate_stage stage);

/* `rank` of a wheel: of its best tag. `why` may be NULL; else a sentence in the arena, "" where it fits. */
enum candidate_stage candidate_judge(struct target_view *t, const struct candidate_policy *p,
	const struct index_file *f, struct arena *a, int *rank, struct str *why);

struct candidate { /* one version */
	const struct version *version; /* the file name's; NULL: none of the page's files, the target has it already */
	size_t file; /* index into the page's files: the best one of this version */
	bool is_yanked;
};

/* Ascending: pre-releases before all releases, so that they are taken where no release will do, as uv does; then
 * by public version, as variant_compare says, and by local part. */
struct candidates {
	struct candidate *v;
	size_t n;
	/* A wheel of the newest release, where that has wheels for other machines or Pythons alone; else NULL. */
	const struct index_file *newest_left_out;
};

void candidates_of(struct target_view *t, const struct candidate_policy *p, const struct index_project *page,
	struct arena *a, struct candidates *out);

/* Two candidates of one public version, differing in what they were built for, and nothing in the target
 * that speaks for one of them. */
bool candidates_are_rivals(const struct target_view *t, const struct version *one, const struct version *other);

/* "2 are for another Python (x.whl: needs Python >=3.12, the target has 3.11.0); 3 are for ...": why files of the
 * versions that are asked for (NULL: of any) were left out, for people, the newest of each stage as its example.
 * "" where none was; "there are no files of it" for an empty page. */
struct str candidates_none(struct target_view *t, const struct candidate_policy *p, const struct index_project *page,
	const struct specifier_set *asked, struct arena *a);

#endif
