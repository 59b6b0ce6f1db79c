#include "mirror/inspect.h"
#include "manifests/base/log.h"
#include "manifests/target_text.h"

#include <stdlib.h>

static void take_targets(struct arena *a, const struct manifest *m, struct inspection *out)
{
	out->ntargets = m->ntargets;
	out->targets = arena_array(a, m->ntargets, sizeof(*out->targets));
	for (size_t i = 0; i < m->ntargets; i++) {
		const struct manifest_target *t = &m->targets[i];
		struct inspect_target *it = &out->targets[i];

		it->target = &t->target;
		it->nfiles = t->npicks;
		it->files = arena_array(a, t->npicks, sizeof(*it->files));
		for (size_t j = 0; j < t->npicks; j++) {
			const struct manifest_pick *p = &t->picks[j];

			it->files[j] = (struct inspect_file){ .file = &m->files[p->file],
				.use = p->use,
				.audit = p->audit,
				.findings = p->findings,
				.nfindings = p->nfindings };
		}
	}
}

void inspection_of_bundle(struct arena *a, const struct verified *v, struct inspection *out)
{
	const struct manifest *m = verified_manifest(v);
	const struct trust_key *signer = verified_signer(v);
	char id[KEY_ID_HEX + 1];

	*out = (struct inspection){ .nbundles = 1, .waivers = m->waivers, .nwaivers = m->nwaivers };
	out->bundles = arena_array(a, 1, sizeof(*out->bundles));
	out->bundles[0] = (struct inspect_bundle){ .channel = m->channel,
		.tool = m->tool,
		.serial = m->serial,
		.created = m->created,
		.expires = m->expires,
		.manifest = *verified_manifest_sha256(v),
		.signer = arena_str(a, str_of(public_key_id(&signer->key, id))),
		.trusted_from = signer->from };
	take_targets(a, m, out);
}

const char *inspect_use(const struct inspect_file *f)
{
	static const char *const words[] = { "", "run", "build", "run+build", "toolkit", "run+toolkit",
		"build+toolkit", "run+build+toolkit" };

	return f->is_built ? "built here" : words[f->use & 7];
}

static void target_file(const struct inspect_file *it, struct buf *out)
{
	const struct manifest_file *f = it->file;
	char size[24];

	buf_addf(out, "  %-28.*s %-14.*s %9s  %-13s %.*s%s%.*s%s%s%.*s\n", STR_ARG(f->name),
		STR_ARG(f->version), log_size(f->size, size), inspect_use(it), STR_ARG(f->file),
		f->device_code.n ? "  [" : "", STR_ARG(f->device_code), f->device_code.n ? "]" : "",
		it->audit.n ? "  " : "", STR_ARG(it->audit));
	for (size_t i = 0; i < it->nfindings; i++) {
		const struct manifest_finding *g = &it->findings[i];

		buf_addf(out, "      %.*s %.*s: %.*s%s%.*s\n", STR_ARG(g->result), STR_ARG(g->check),
			STR_ARG(g->member), g->member.n ? ": " : "", STR_ARG(g->text));
	}
}

void inspection_targets(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < x->ntargets; i++) {
		const struct inspect_target *t = &x->targets[i];

		buf_addf(out, "%s%.*s: %s\n", i ? "\n" : "", STR_ARG(t->target->name),
			target_line(&a, t->target));
		for (size_t j = 0; j < t->nfiles; j++) {
			target_file(&t->files[j], out);
		}
	}
	arena_release(&a);
}

/* ---- each distinct file, and each project, once ---- */

static int by_file(const void *a, const void *b)
{
	const struct manifest_file *x = *(const struct manifest_file *const *)a;
	const struct manifest_file *y = *(const struct manifest_file *const *)b;
	int order = str_cmp(x->name, y->name);

	order = order ? order : str_cmp(x->file, y->file);
	return order ? order : digest_cmp(&x->sha256, &y->sha256);
}

const struct manifest_file **inspection_distinct(struct arena *a, const struct inspection *x, size_t *n)
{
	size_t total = 0, count = 0;

	for (size_t i = 0; i < x->ntargets; i++) {
		total += x->targets[i].nfiles;
	}
	const struct manifest_file **all = arena_array(a, total, sizeof(*all));
	for (size_t i = 0; i < x->ntargets; i++) {
		for (size_t j = 0; j < x->targets[i].nfiles; j++) {
			all[count++] = x->targets[i].files[j].file;
		}
	}
	qsort(all, count, sizeof(*all), by_file);
	*n = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || by_file(&all[*n - 1], &all[i]) != 0) {
			all[(*n)++] = all[i];
		}
	}
	return all;
}

void inspection_files(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];
	size_t n;
	const struct manifest_file **files = inspection_distinct(&a, x, &n);

	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%s  %12llu  %.*s\n", digest_hex(&files[i]->sha256, hex),
			(unsigned long long)files[i]->size, STR_ARG(files[i]->file));
	}
	arena_release(&a);
}

/* ---- JSON ---- */

static void put_file(const struct manifest_file *f, struct json_out *o)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_str(o, "device_code", f->device_code);
	json_str(o, "file", f->file);
	json_str(o, "name", f->name);
	json_str(o, "origin", f->origin);
	json_cstr(o, "sha256", digest_hex(&f->sha256, hex));
	json_u64(o, "size", f->size);
	json_str(o, "version", f->version);
	json_end_object(o);
}

static void put_findings(const struct inspect_file *f, struct json_out *o)
{
	json_put_key(o, "findings");
	json_begin_array(o);
	for (size_t i = 0; i < f->nfindings; i++) {
		json_begin_object(o);
		json_str(o, "check", f->findings[i].check);
		json_str(o, "member", f->findings[i].member);
		json_str(o, "result", f->findings[i].result);
		json_str(o, "text", f->findings[i].text);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_plan(const struct inspect_target *t, struct json_out *o)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_put_key(o, "files");
	json_begin_array(o);
	for (size_t j = 0; j < t->nfiles; j++) {
		json_begin_object(o);
		json_str(o, "audit", t->files[j].audit);
		json_str(o, "file", t->files[j].file->file);
		put_findings(&t->files[j], o);
		json_cstr(o, "sha256", digest_hex(&t->files[j].file->sha256, hex));
		json_cstr(o, "use", inspect_use(&t->files[j]));
		json_end_object(o);
	}
	json_end_array(o);
	json_put_key(o, "machine");
	json_begin_object(o);
	target_put_json(t->target, o);
	json_end_object(o);
	json_end_object(o);
}

/* What bundle_report_json says of a bundle. */
static void put_waivers(const struct inspection *x, struct json_out *o)
{
	json_put_key(o, "waivers");
	json_begin_array(o);
	for (size_t i = 0; i < x->nwaivers; i++) {
		json_begin_object(o);
		json_str(o, "project", x->waivers[i].project);
		json_str(o, "reason", x->waivers[i].reason);
		json_str(o, "target", x->waivers[i].target);
		json_str(o, "what", x->waivers[i].what);
		json_end_object(o);
	}
	json_end_array(o);
}

void inspection_json(const struct inspection *x, struct json_out *o)
{
	struct arena a = ARENA_INIT;
	size_t n;
	const struct manifest_file **files = inspection_distinct(&a, x, &n);

	json_put_key(o, "distinct_files");
	json_begin_array(o);
	for (size_t i = 0; i < n; i++) {
		put_file(files[i], o);
	}
	json_end_array(o);
	json_put_key(o, "plans");
	json_begin_array(o);
	for (size_t i = 0; i < x->ntargets; i++) {
		put_plan(&x->targets[i], o);
	}
	json_end_array(o);
	if (x->is_store) {
		put_waivers(x, o);
	}
	arena_release(&a);
}
