/* A store as an inspection: its catalogue says what is there, its manifests why. */
#include "manifests/base/map.h"
#include "manifests/base/vec.h"
#include "manifests/limits.h"
#include "mirror/inspect.h"

#include <string.h>

struct gathering {
	struct arena *a;
	struct store *s;
	const struct store_view *v;
	struct inspection *out;
	VEC(struct manifest_waiver) waivers;
};

/* ---- the catalogue ---- */

static void take_bundles(struct gathering *g)
{
	struct inspection *x = g->out;

	x->bundles = arena_array(g->a, g->v->nbundles, sizeof(*x->bundles));
	x->nbundles = g->v->nbundles;
	for (size_t i = 0; i < x->nbundles; i++) {
		const struct store_bundle *b = &g->v->bundles[i];

		x->bundles[i] = (struct inspect_bundle){ .channel = b->channel,
			.serial = b->serial,
			.created = b->created,
			.imported = b->imported,
			.manifest = b->manifest,
			.signer = b->signer };
	}
}

static void take_targets(struct gathering *g)
{
	struct inspection *x = g->out;

	x->ntargets = g->v->ntargets;
	x->targets = arena_array(g->a, x->ntargets, sizeof(*x->targets));
	for (size_t i = 0; i < x->ntargets; i++) {
		const struct store_target *t = &g->v->targets[i];
		struct inspect_target *it = &x->targets[i];

		it->target = &t->target;
		it->nfiles = t->nfiles;
		it->files = arena_array(g->a, t->nfiles, sizeof(*it->files));
		for (size_t j = 0; j < t->nfiles; j++) {
			it->files[j] = (struct inspect_file){ .file = &t->files[j].file,
				.use = t->files[j].use,
				.is_built = t->files[j].is_built };
		}
	}
}

/* ---- the manifests ---- */

static bool is_untold(const struct inspect_file *f)
{
	return !f->audit.n && !f->is_built && f->file->kind == DIST_WHEEL;
}

static bool has_untold(const struct inspection *x)
{
	for (size_t i = 0; i < x->ntargets; i++) {
		for (size_t j = 0; j < x->targets[i].nfiles; j++) {
			if (is_untold(&x->targets[i].files[j])) {
				return true;
			}
		}
	}
	return false;
}

static void copy_audit(struct arena *a, const struct manifest_pick *p, struct inspect_file *out)
{
	struct manifest_finding *findings = arena_array(a, p->nfindings, sizeof(*findings));

	for (size_t i = 0; i < p->nfindings; i++) {
		findings[i] =
			(struct manifest_finding){ .check = arena_str(a, p->findings[i].check),
				.result = arena_str(a, p->findings[i].result),
				.member = arena_str(a, p->findings[i].member),
				.text = arena_str(a, p->findings[i].text) };
	}
	out->audit = arena_str(a, p->audit);
	out->findings = findings;
	out->nfindings = p->nfindings;
}

static struct str digest_str(const struct digest *d)
{
	return (struct str){ (const char *)d->b, sizeof(d->b) };
}

/* What this bundle says of files that no newer one has told of. */
static void take_audits(struct gathering *g, const struct manifest *m, struct inspect_target *it)
{
	const struct manifest_target *t = manifest_target_of(m, it->target->name);
	struct map picks = MAP_INIT;

	for (size_t i = 0; t && i < t->npicks; i++) {
		map_put(&picks, digest_str(&m->files[t->picks[i].file].sha256), i);
	}
	for (size_t j = 0; t && j < it->nfiles; j++) {
		const size_t *pick = map_get(&picks, digest_str(&it->files[j].file->sha256));

		if (pick && is_untold(&it->files[j])) {
			copy_audit(g->a, &t->picks[*pick], &it->files[j]);
		}
	}
	map_release(&picks);
}

static void take_waivers(struct gathering *g, const struct manifest *m)
{
	for (size_t i = 0; i < m->nwaivers; i++) {
		const struct manifest_waiver *w = &m->waivers[i];

		vec_push(&g->waivers,
			(struct manifest_waiver){ .project = arena_str(g->a, w->project),
				.target = arena_str(g->a, w->target),
				.what = arena_str(g->a, w->what),
				.reason = arena_str(g->a, w->reason) });
	}
}

static bool is_newest_of_channel(const struct store_view *v, size_t bundle)
{
	for (size_t i = 0; i < bundle; i++) {
		if (str_eq(v->bundles[i].channel, v->bundles[bundle].channel)) {
			return false;
		}
	}
	return true;
}

static void take_manifest(struct gathering *g, size_t bundle)
{
	bool is_newest = is_newest_of_channel(g->v, bundle);
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	struct manifest m = MANIFEST_INIT;
	struct err ignored = ERR_INIT;

	if ((!is_newest && !has_untold(g->out)) ||
		store_object_read(
			g->s, &g->v->bundles[bundle].manifest, LIMIT_MANIFEST, &bytes, &ignored) ||
		manifest_read(buf_str(&bytes), &m, &ignored)) {
		return;
	}
	for (size_t i = 0; i < g->out->ntargets; i++) {
		take_audits(g, &m, &g->out->targets[i]);
	}
	if (is_newest) {
		take_waivers(g, &m);
	}
	struct inspect_bundle *b = &g->out->bundles[bundle];
	b->tool = arena_str(g->a, m.tool);
	b->expires = m.expires;
	manifest_release(&m);
}

void inspection_of_store(
	struct arena *a, struct store *s, const struct store_view *v, struct inspection *out)
{
	struct gathering g = { .a = a, .s = s, .v = v, .out = out, .waivers = VEC_INIT };

	*out = (struct inspection){ .is_store = true };
	take_bundles(&g);
	take_targets(&g);
	for (size_t i = 0; i < v->nbundles; i++) {
		take_manifest(&g, i);
	}
	struct manifest_waiver *waivers = arena_array(a, g.waivers.n, sizeof(*waivers));
	if (g.waivers.n) {
		memcpy(waivers, g.waivers.v, g.waivers.n * sizeof(*waivers));
	}
	out->waivers = waivers;
	out->nwaivers = g.waivers.n;
	vec_release(&g.waivers);
}
