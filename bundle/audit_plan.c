#include "bundle/audit_plan.h"

#include "bundle/wheel_inside.h"
#include "manifests/base/log.h"

#include <stdlib.h>

enum { NO_TORCH = -1 };

struct library { /* that a file brings */
	struct str name;
	size_t file;
	bool is_run; /* installed where the target runs */
};

struct work {
	const struct lock *lock;
	const struct plan *plan;
	struct cache *cache;
	struct plan_audit *out;
	struct arena arena;
	struct str **libraries; /* of each file */
	size_t *nlibraries;
	struct log_progress progress;
};

void plan_audit_release(struct plan_audit *a)
{
	arena_release(&a->arena);
	*a = (struct plan_audit)PLAN_AUDIT_INIT;
}

static bool is_wheel(const struct plan *p, size_t file)
{
	return p->files[file].from.name.kind == DIST_WHEEL;
}

/* ---- first each wheel by itself ---- */

/* What its publisher's own list contradicts is damaged for every target. */
static int judge_record(struct work *w, size_t file, const struct native *native, struct err *e)
{
	const struct plan_file *f = &w->plan->files[file];
	bool is_wrong = native->record_fault.n > 0;

	if (is_wrong && !lock_waives(w->lock, f->project, STR_NULL)) {
		err_set(e, RC_WHEEL, "%.*s: %.*s", STR_ARG(f->from.name.file),
			STR_ARG(native->record_fault));
		return err_hint(e, "ask its publisher, or take it as it is: --waive %.*s=REASON",
			STR_ARG(f->project));
	}
	w->out->is_record_waived[file] = is_wrong;
	return 0;
}

static void take_device_code(struct work *w, size_t file, const struct native *native)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	device_code_format(&native->device, &text);
	w->out->device_code[file] = arena_str(&w->out->arena, buf_str(&text));
}

static void take_libraries(struct work *w, size_t file, const struct native *native)
{
	struct arena scratch = ARENA_INIT;
	size_t n = 0;
	struct str *names = native_libraries(native, &scratch, &n);

	w->libraries[file] = arena_strs(&w->arena, names, n);
	w->nlibraries[file] = n;
	arena_release(&scratch);
}

static int look_at_file(struct work *w, size_t file, struct err *e)
{
	const struct plan_file *f = &w->plan->files[file];
	struct wheel_inside inside;
	int r = wheel_inside_read(w->cache, f, &inside, e);

	if (r) {
		return r;
	}
	log_progress_add(&w->progress, f->from.size);
	w->out->nwheels++;
	w->out->nread += inside.was_read;
	r = judge_record(w, file, &inside.native, e);
	take_device_code(w, file, &inside.native);
	take_libraries(w, file, &inside.native);
	wheel_inside_release(&inside);
	return r;
}

static int look_at_files(struct work *w, struct err *e)
{
	const struct plan *p = w->plan;
	uint64_t total = 0;
	int r = 0;

	for (size_t i = 0; i < p->nfiles; i++) {
		total += is_wheel(p, i) ? p->files[i].from.size : 0;
	}
	log_progress_begin(&w->progress, "audit", total);
	for (size_t i = 0; !r && i < p->nfiles; i++) {
		r = is_wheel(p, i) ? look_at_file(w, i, e) : 0;
	}
	if (!r && w->out->nread) {
		log_progress_end(&w->progress);
	}
	return r;
}

/* ---- what stands around the wheels of a target ---- */

struct surroundings {
	struct library *libraries; /* sorted by name and file; a name may come several times */
	size_t nlibraries;
	bool is_closed; /* all that runs there is known */
	int torch;      /* a file, or NO_TORCH */
};

static int by_name(const void *a, const void *b)
{
	const struct library *x = a, *y = b;
	int order = str_cmp(x->name, y->name);

	return order ? order : (x->file > y->file) - (x->file < y->file);
}

static size_t count_libraries(const struct work *w, const struct plan_target *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->npicks; i++) {
		n += w->nlibraries[t->picks[i].file];
	}
	return n;
}

static void gather_libraries(struct work *w, const struct plan_target *t, struct surroundings *out)
{
	out->libraries = arena_array(&w->arena, count_libraries(w, t), sizeof(*out->libraries));
	for (size_t i = 0; i < t->npicks; i++) {
		size_t file = t->picks[i].file;

		for (size_t k = 0; k < w->nlibraries[file]; k++) {
			out->libraries[out->nlibraries++] = (struct library){ w->libraries[file][k],
				file, (t->picks[i].use & USE_RUN) != 0 };
		}
	}
	if (out->nlibraries) {
		qsort(out->libraries, out->nlibraries, sizeof(*out->libraries), by_name);
	}
}

/* A container brings what nobody has listed; a hole would have brought something, and so will what
 * is built there. */
static bool is_all_known(const struct plan *p, const struct plan_target *t)
{
	for (size_t i = 0; i < p->nholes; i++) {
		if (str_eq(p->holes[i].target, t->target->name)) {
			return false;
		}
	}
	for (size_t i = 0; i < t->npicks; i++) {
		if ((t->picks[i].use & USE_RUN) && !is_wheel(p, t->picks[i].file)) {
			return false;
		}
	}
	return t->ngiven == 0;
}

static int torch_of(const struct plan *p, const struct plan_target *t)
{
	for (size_t i = 0; i < t->npicks; i++) {
		size_t file = t->picks[i].file;

		if ((t->picks[i].use & USE_RUN) && is_wheel(p, file) &&
			torch_is(&p->files[file].from.name)) {
			return (int)file;
		}
	}
	return NO_TORCH;
}

static void survey(struct work *w, const struct plan_target *t, struct surroundings *out)
{
	*out = (struct surroundings){ .torch = torch_of(w->plan, t),
		.is_closed = is_all_known(w->plan, t) };
	gather_libraries(w, t, out);
}

/* What all but the file itself bring; its own libraries are the audit's matter. What only builds
 * may have any of them beside it. */
static struct str *provided_for(
	struct arena *a, const struct surroundings *s, const struct plan_pick *p, size_t *n)
{
	struct str *names = arena_array(a, s->nlibraries, sizeof(*names));

	*n = 0;
	for (size_t i = 0; i < s->nlibraries; i++) {
		const struct library *l = &s->libraries[i];

		if (l->file != p->file && (l->is_run || !(p->use & USE_RUN)) &&
			(*n == 0 || !str_eq(names[*n - 1], l->name))) {
			names[(*n)++] = l->name;
		}
	}
	return names;
}

/* ---- the audit ---- */

static struct audit_finding copy_finding(struct arena *a, const struct audit_finding *f)
{
	return (struct audit_finding){ .check = f->check,
		.result = f->result,
		.member = arena_str(a, f->member),
		.text = arena_str(a, f->text),
		.avoids = arena_str(a, f->avoids),
		.remedy = arena_str(a, f->remedy) };
}

static void take_findings(struct arena *a, const struct audit *audit, struct plan_audited *out)
{
	CLEANUP_BUF struct buf line = BUF_INIT;

	audit_line(audit, &line);
	out->line = arena_str(a, buf_str(&line));
	out->findings = arena_array(a, audit->findings.n, sizeof(*out->findings));
	vec_each(const struct audit_finding, f, &audit->findings) {
		if (f->result != AUDIT_PASS) {
			out->findings[out->nfindings++] = copy_finding(a, f);
		}
		out->is_unfit |= f->result == AUDIT_FAIL && f->check != AUDIT_record;
	}
}

static void audit_pick(struct work *w, const struct wheel_inside *inside, size_t target,
	size_t pick, const struct surroundings *s, const struct audit_torch *torch)
{
	const struct plan_target *t = &w->plan->targets[target];
	const struct plan_pick *p = &t->picks[pick];
	struct plan_audited *out = &w->out->picks[target][pick];
	struct audit_site site = {
		.target = t->target, .torch = torch, .is_closed = s->is_closed && (p->use & USE_RUN)
	};
	struct audit audit = AUDIT_INIT;
	struct arena a = ARENA_INIT;

	if (inside->native.nmodules) {
		site.provided = provided_for(&a, s, p, &site.nprovided);
	}
	audit_run(&inside->wheel, &site, &audit);
	take_findings(&w->out->arena, &audit, out);
	if (out->is_unfit) {
		const struct lock_waiver *waiver =
			lock_waives(w->lock, w->plan->files[p->file].project, t->target->name);

		out->waived = waiver ? waiver->reason : STR_NULL;
	}
	audit_release(&audit);
	arena_release(&a);
}

static size_t find_pick(const struct plan_target *t, size_t file)
{
	size_t i = 0;

	while (i < t->npicks && t->picks[i].file != file) {
		i++;
	}
	return i;
}

/* A file against those of the targets that have this torch. */
static int audit_file(struct work *w, size_t file, const struct surroundings *all, int torch,
	const struct audit_torch *offer, struct err *e)
{
	struct wheel_inside inside = WHEEL_INSIDE_INIT;
	bool is_read = false;
	int r = 0;

	for (size_t i = 0; !r && i < w->plan->ntargets; i++) {
		size_t pick = find_pick(&w->plan->targets[i], file);

		if (all[i].torch != torch || pick == w->plan->targets[i].npicks) {
			continue;
		}
		r = is_read ? 0 : wheel_inside_read(w->cache, &w->plan->files[file], &inside, e);
		is_read = true;
		if (!r) {
			audit_pick(w, &inside, i, pick, &all[i], offer);
		}
	}
	wheel_inside_release(&inside);
	return r;
}

/* Torch's symbols are many: they are in memory once, for all targets that have it. */
static int audit_beside(struct work *w, const struct surroundings *all, int torch, struct err *e)
{
	struct torch_offer offer = TORCH_OFFER_INIT;
	bool has_offer =
		torch != NO_TORCH && wheel_inside_torch(w->cache, &w->plan->files[torch], &offer);
	int r = 0;

	for (size_t i = 0; !r && i < w->plan->nfiles; i++) {
		r = is_wheel(w->plan, i)
			    ? audit_file(w, i, all, torch, has_offer ? &offer.torch : NULL, e)
			    : 0;
	}
	torch_offer_release(&offer);
	return r;
}

static int audit_all(struct work *w, struct err *e)
{
	const struct plan *p = w->plan;
	struct surroundings *all = arena_array(&w->arena, p->ntargets, sizeof(*all));
	int r = 0;

	for (size_t i = 0; i < p->ntargets; i++) {
		survey(w, &p->targets[i], &all[i]);
	}
	for (size_t i = 0; !r && i < p->ntargets; i++) {
		bool is_done = false;

		for (size_t k = 0; k < i; k++) {
			is_done |= all[k].torch == all[i].torch;
		}
		r = is_done ? 0 : audit_beside(w, all, all[i].torch, e);
	}
	return r;
}

static void make_room(struct work *w)
{
	const struct plan *p = w->plan;
	struct arena *a = &w->out->arena;

	w->libraries = arena_array(&w->arena, p->nfiles, sizeof(*w->libraries));
	w->nlibraries = arena_array(&w->arena, p->nfiles, sizeof(*w->nlibraries));
	w->out->device_code = arena_array(a, p->nfiles, sizeof(*w->out->device_code));
	w->out->is_record_waived = arena_array(a, p->nfiles, sizeof(*w->out->is_record_waived));
	w->out->picks = arena_array(a, p->ntargets, sizeof(*w->out->picks));
	for (size_t i = 0; i < p->ntargets; i++) {
		w->out->picks[i] = arena_array(a, p->targets[i].npicks, sizeof(**w->out->picks));
	}
}

int audit_plan(const struct lock *lock, const struct plan *plan, struct cache *cache,
	struct plan_audit *out, struct err *e)
{
	struct plan_audit audit = PLAN_AUDIT_INIT;
	struct work w = {
		.lock = lock, .plan = plan, .cache = cache, .out = &audit, .arena = ARENA_INIT
	};

	make_room(&w);
	int r = look_at_files(&w, e);
	r = r ? r : audit_all(&w, e);
	arena_release(&w.arena);
	if (r) {
		plan_audit_release(&audit);
		return r;
	}
	*out = audit;
	return 0;
}

int audit_plan_check(const struct plan *plan, const struct plan_audit *a, struct err *e)
{
	size_t unfit = 0;

	for (size_t i = 0; i < plan->ntargets; i++) {
		for (size_t k = 0; k < plan->targets[i].npicks; k++) {
			unfit += a->picks[i][k].is_unfit && !a->picks[i][k].waived.n;
		}
	}
	if (!unfit) {
		return 0;
	}
	err_set(e, RC_AUDIT, "%zu wheel%s not fit %s; nothing was written", unfit,
		unfit == 1 ? " does" : "s do", unfit == 1 ? "its target" : "their targets");
	return err_hint(e,
		"take other wheels, or these as they are with --waive PKG[@TARGET]=REASON, "
		"which is signed into the bundle");
}
