#include "bundle/texts_out.h"
#include "manifests/target_text.h"

static void put_extras(const struct manifest_pick *p, struct buf *out)
{
	for (size_t i = 0; i < p->nextras; i++) {
		buf_addf(out, "%c%.*s", i ? ',' : '[', STR_ARG(p->extras[i]));
	}
	if (p->nextras) {
		buf_addc(out, ']');
	}
}

static void put_requirement(const struct manifest *m, const struct manifest_target *t,
	const struct manifest_pick *p, struct buf *out)
{
	const struct manifest_file *f = &m->files[p->file];
	char hex[DIGEST_HEX + 1];

	digest_hex(&f->sha256, hex);
	if (manifest_is_compiled(t, p->file)) {
		buf_addf(out, "# %.*s==%.*s has no wheel for this target: compile it with `gpkg-bundle build`\n",
			STR_ARG(f->name), STR_ARG(f->version));
		return;
	}
	if (f->local_mismatch) {
		buf_addf(out,
			"# %.*s: METADATA says %.*s, so installers take it by its path only, from the folder of this file\n"
			"./files/%s/%.*s --hash=sha256:%s\n",
			STR_ARG(f->file), STR_ARG(f->version), hex, STR_ARG(f->file), hex);
		return;
	}
	buf_addstr(out, f->name);
	put_extras(p, out);
	buf_addf(out, "==%.*s --hash=sha256:%s\n", STR_ARG(f->version), hex);
}

void requirements_write(const struct manifest *m, const struct manifest_target *t, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];

	buf_addf(out,
		"# %.*s: %s\n# pip install --no-deps --require-hashes -r requirements.%.*s.txt\n--no-index\n",
		STR_ARG(t->target.name), target_line(&a, &t->target), STR_ARG(t->target.name));
	arena_release(&a);
	/* Build requirements are found there too; they are not installed. */
	for (size_t i = 0; i < t->npicks; i++) {
		if (t->picks[i].use & (USE_RUN | USE_BUILD)) {
			buf_addf(out, "--find-links ./files/%s\n",
				digest_hex(&m->files[t->picks[i].file].sha256, hex));
		}
	}
	for (size_t i = 0; i < t->npicks; i++) {
		if (t->picks[i].use & USE_RUN) {
			put_requirement(m, t, &t->picks[i], out);
		}
	}
}
