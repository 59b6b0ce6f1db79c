#include "bundle/torch_match.h"
#include "bundle/universe_private.h"

#include <string.h>

/* ---- what a requirement admits ---- */

struct bits universe_admitted(struct universe *u, const struct universe_project *p,
	const struct specifier_set *set, struct str url)
{
	struct bits admitted = bits_new(u->a, p->candidates.n);

	for (size_t i = 0; i < p->candidates.n; i++) {
		const struct index_file *f = universe_file(p, i);
		bool is_file = !url.n || (f && str_is(url, f->url));

		if (is_file && specifier_contains(set, p->candidates.v[i].version)) {
			bits_add(&admitted, i);
		}
	}
	return admitted;
}

/* The same requirement is asked by many versions of one package: its set is made once. */
struct bits universe_admits(struct universe *u, struct universe_project *p, const struct requirement *req)
{
	size_t *known = map_get(&p->needs, req->raw);

	if (known) {
		return p->asked.v[*known].admitted;
	}
	const struct lock_override *own = lock_override_of(u->library->lock, p->name);
	const struct specifier_set *set = own ? &own->specifiers : &req->specifiers;
	struct bits admitted = universe_admitted(u, p, set, own ? STR_NULL : req->url);

	map_put(&p->needs, req->raw, p->asked.n);
	vec_push(&p->asked, (struct universe_asked){ admitted, *set, !own && req->url.n });
	return admitted;
}

/* ---- reading ahead ---- */

struct need_list {
	VEC(struct solve_need) v;
};

static const struct universe_project *project_of(const struct universe *u, struct solve_candidate c)
{
	return u->projects.v[u->names.v[c.name].project];
}

/* The files of these candidates, the first of which is needed. */
static int read_files(struct universe *u, struct solve_candidate of, const struct solve_candidate *likely,
	size_t nlikely, struct err *e)
{
	struct arena scratch = ARENA_INIT;
	struct library_want *wants = arena_array(&scratch, nlikely + 1, sizeof(*wants));
	size_t n = 0;

	for (size_t i = 0; i <= nlikely; i++) {
		struct solve_candidate c = i ? likely[i - 1] : of;
		const struct universe_project *p = project_of(u, c);
		size_t file = p->candidates.v[c.number].file;

		if (file != SIZE_MAX && !library_inside(p->page, file)) {
			wants[n++] = (struct library_want){ p->page, file };
		}
	}
	const struct universe_project *p = project_of(u, of);
	size_t file = p->candidates.v[of.number].file;
	bool is_needed = file != SIZE_MAX && !library_inside(p->page, file);
	int r = is_needed ? library_read_files(u->library, wants, n, 1, e) : 0;
	arena_release(&scratch);
	return r;
}

static const struct library_file *inside(const struct universe *u, struct solve_candidate c)
{
	const struct universe_project *p = project_of(u, c);
	size_t file = p->candidates.v[c.number].file;

	return file == SIZE_MAX ? NULL : library_inside(p->page, file);
}

/* Is the requirement meant for this target and, of an extra's name, for the extra alone? What cannot be decided
 * counts as meant; if it comes to be chosen, the proof says so. */
static bool is_meant(const struct universe *u, const struct requirement *req, struct str extra)
{
	if (!req->marker || (extra.n && !marker_names(req->marker, MARKER_EXTRA))) {
		return !extra.n; /* else it is the base name's */
	}
	const struct marker_env *env = &u->target->env;
	struct err undecided = ERR_INIT;
	bool meant = false, without = false;

	if (!extra.n) {
		return marker_decide(req->marker, env, NULL, 0, &meant, &undecided) || meant;
	}
	if (marker_decide(req->marker, env, &extra, 1, &meant, &undecided)) {
		return true;
	}
	return meant && (marker_decide(req->marker, env, NULL, 0, &without, &undecided) || !without);
}

static bool is_left_out(const struct universe *u, struct str project)
{
	return universe_is_dropped(u, project) || lock_excludes(u->library->lock, project);
}

static bool is_read(const struct universe *u, struct solve_candidate c)
{
	const struct bits *read = &u->names.v[c.name].are_read;

	return read->n && bits_has(read, c.number);
}

static void note_read(struct universe *u, struct solve_candidate c)
{
	struct bits *read = &u->names.v[c.name].are_read;

	if (inside(u, c)) {
		*read = read->n ? *read : bits_new(u->a, project_of(u, c)->candidates.n);
		bits_add(read, c.number);
	}
}

/* Candidates come up again and again as likely ones: each is looked through once. */
static size_t add_names(const struct universe *u, struct solve_candidate c, struct str *names, size_t n)
{
	const struct library_file *f = is_read(u, c) ? NULL : inside(u, c);

	for (size_t i = 0; f && i < f->nneeds; i++) {
		const struct requirement *req = &f->needs[i];

		if (is_meant(u, req, u->names.v[c.name].extra) && !is_left_out(u, req->name)) {
			names[n++] = req->name;
		}
	}
	return n;
}

/* The pages of what the candidate needs, and in the same go of what the likely ones need. */
static int read_pages(struct universe *u, struct solve_candidate of, const struct solve_candidate *likely,
	size_t nlikely, struct err *e)
{
	struct arena scratch = ARENA_INIT;
	size_t room = 1, n = 0;

	for (size_t i = 0; i <= nlikely; i++) {
		const struct library_file *f = inside(u, i ? likely[i - 1] : of);

		room += f ? f->nneeds : 0;
	}
	struct str *names = arena_array(&scratch, room, sizeof(*names));
	size_t nown = n = add_names(u, of, names, 0);
	for (size_t i = 0; i < nlikely; i++) {
		n = add_names(u, likely[i], names, n);
	}
	int r = library_read_pages(u->library, u->target->t, names, n, e);
	for (size_t i = 0; !r && i < nlikely; i++) {
		note_read(u, likely[i]);
	}
	if (r && n > nown) { /* the fault may lie with a page that nobody needs yet */
		err_clear(e);
		r = library_read_pages(u->library, u->target->t, names, nown, e);
	}
	if (!r) {
		note_read(u, of);
	}
	arena_release(&scratch);
	return r;
}

/* ---- needs ---- */

static void add(struct need_list *list, size_t name, struct bits allowed, struct str text)
{
	vec_push(&list->v, (struct solve_need){ .name = name, .allowed = allowed, .text = text });
}

static void add_requirement(struct universe *u, struct need_list *list, const struct requirement *req)
{
	struct universe_project *p = universe_open_project(u, req->name);
	const struct lock_override *own = lock_override_of(u->library->lock, req->name);
	struct bits allowed = universe_admits(u, p, req);
	struct str text = own ? str_of(arena_printf(u->a, "%.*s (the lock's override: %.*s)", STR_ARG(req->raw),
					STR_ARG(own->text.n ? own->text : STR("any version"))))
			      : req->raw;

	for (size_t i = 0; i <= req->nextras; i++) {
		add(list, universe_name(u, req->name, i ? req->extras[i - 1] : STR_NULL), allowed, text);
	}
}

/* Why nobody can have this file, whatever else is chosen; empty: somebody can. */
static struct str unfit_text(struct universe *u, const struct library_file *f)
{
	if (f->unfit.n) {
		return str_of(arena_printf(u->a, "a file that can be used: %.*s", STR_ARG(f->unfit)));
	}
	if (target_view_takes_python(u->target, f->core.requires_python)) {
		return STR_NULL;
	}
	return str_of(arena_printf(u->a, "Python %.*s", STR_ARG(f->core.requires_python)));
}

/* A wheel that was built for one torch needs that one, though its METADATA seldom says so. */
static void add_torch(struct universe *u, const struct universe_project *p, size_t candidate, struct need_list *list)
{
	const struct index_file *f = universe_file(p, candidate);
	struct universe_project *torch = universe_open_project(u, STR("torch"));
	struct bits fitting = bits_new(u->a, torch->candidates.n);

	if (p == torch || u->target->has_torch || !torch_is_said(f, p->policy.torch_style)) {
		return;
	}
	for (size_t i = 0; i < torch->candidates.n; i++) {
		if (torch_match(f, p->policy.torch_style, u->target->t, torch->candidates.v[i].version, u->a, NULL)) {
			bits_add(&fitting, i);
		}
	}
	add(list, universe_name(u, torch->name, STR_NULL), fitting,
		str_of(arena_printf(u->a, "the torch that %.*s was built for", STR_ARG(f->name.file))));
}

static void add_needs(struct universe *u, struct solve_candidate of, struct need_list *list)
{
	const struct universe_project *p = project_of(u, of);
	const struct library_file *f = inside(u, of);
	struct str extra = u->names.v[of.name].extra;

	if (extra.n) {
		struct bits same = bits_new(u->a, p->candidates.n);

		bits_add(&same, of.number);
		add(list, universe_name(u, p->name, STR_NULL), same,
			str_of(arena_printf(u->a, "%.*s==%.*s", STR_ARG(p->name),
				STR_ARG(p->candidates.v[of.number].version->raw))));
	}
	if (!f) {
		return; /* the target's own */
	}
	struct str unfit = unfit_text(u, f);
	if (unfit.n) {
		add(list, UNIVERSE_NOTHING, bits_new(u->a, 0), unfit);
		return;
	}
	for (size_t i = 0; i < f->nneeds; i++) {
		if (is_meant(u, &f->needs[i], extra) && !is_left_out(u, f->needs[i].name)) {
			add_requirement(u, list, &f->needs[i]);
			if (!extra.n && str_is(f->needs[i].name, "torch")) {
				add_torch(u, p, of.number, list);
			}
		}
	}
}

int universe_needs(void *context, struct solve_candidate of, const struct solve_candidate *likely,
	size_t nlikely, const struct solve_need **out, size_t *n, struct err *e)
{
	struct universe *u = context;
	struct need_list list = { .v = VEC_INIT };
	int r = read_files(u, of, likely, nlikely, e);

	r = r ? r : read_pages(u, of, likely, nlikely, e);
	if (!r) {
		add_needs(u, of, &list);
		struct solve_need *needs = arena_array(u->a, list.v.n, sizeof(*needs));

		if (list.v.n) {
			memcpy(needs, list.v.v, list.v.n * sizeof(*needs));
		}
		*out = needs;
		*n = list.v.n;
	}
	vec_release(&list.v);
	return r;
}

/* ---- why a need cannot be met ---- */

static struct str versions_there(struct universe *u, const struct universe_project *p)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	for (size_t i = p->candidates.n; i-- > 0 && p->candidates.n - i <= 5;) {
		buf_adds(&b, b.n ? ", " : "");
		version_format(p->candidates.v[i].version, &b);
	}
	if (p->candidates.n > 5) {
		buf_addf(&b, " and %zu older", p->candidates.n - 5);
	}
	return arena_str(u->a, buf_str(&b));
}

/* What the need says, of which nothing is left; NULL: it is no requirement on versions. */
static const struct universe_asked *asked_by(const struct universe_project *p, const struct solve_need *need)
{
	vec_each(const struct universe_asked, asked, &p->asked) {
		if (asked->admitted.w == need->allowed.w) {
			return asked;
		}
	}
	return NULL;
}

/* There are files, and none for this need. */
static const char *no_file_text(struct universe *u, struct universe_project *p, const struct universe_asked *asked)
{
	struct str why = candidates_none(u->target, &p->policy, &p->page->project, asked ? &asked->specifiers : NULL,
		u->a);

	if (p->candidates.n == 0) {
		return arena_printf(u->a, "no file of %.*s fits the target: %.*s", STR_ARG(p->name),
			STR_ARG(why.n ? why
				      : candidates_none(u->target, &p->policy, &p->page->project, NULL, u->a)));
	}
	if (asked && asked->is_by_url) {
		return arena_printf(u->a, "%.*s has no file with that URL; [override.%.*s] can say which version will do",
			STR_ARG(p->page->where), STR_ARG(p->name));
	}
	return arena_printf(u->a, "of %.*s the target can have %.*s%s%.*s", STR_ARG(p->name),
		STR_ARG(versions_there(u, p)), why.n ? "; of those that are asked for " : "", STR_ARG(why));
}

struct str universe_empty_text(void *context, const struct solve_need *need)
{
	struct universe *u = context;
	struct universe_project *p = u->projects.v[u->names.v[need->name].project];
	const char *python = target_python_text(u->a, &u->target->t->python);

	if (need->name == UNIVERSE_NOTHING) {
		return str_starts(need->text, "Python ")
			       ? str_of(arena_printf(u->a, "the target has Python %s", python))
			       : STR_NULL; /* the need has said it */
	}
	if (p->is_given) {
		return str_of(arena_printf(u->a, "the target's own torch is %.*s, and a pre-release comes before its release",
			STR_ARG(u->target->t->torch)));
	}
	if (p->page->why.n) {
		return p->page->why;
	}
	if (p->page->project.nfiles == 0) {
		return str_of(arena_printf(u->a, "%.*s has no %.*s", STR_ARG(p->page->where), STR_ARG(p->name)));
	}
	return str_of(no_file_text(u, p, asked_by(p, need)));
}
