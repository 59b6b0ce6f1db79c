/* PEP 751. A package's one file is named by a path relative to the lock, with size and hash. What must be
 * compiled for a GPU is left out: an installer would compile it without a toolkit. */
#include "bundle/texts_out.h"
#include "manifests/toml.h"

static void put_key(struct buf *out, const char *key, struct str value)
{
	buf_addf(out, "%s = ", key);
	toml_put_str(out, value);
	buf_addc(out, '\n');
}

/* Behind what says where the file is. */
static void put_file(const struct manifest_file *f, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];

	buf_adds(out, "path = ");
	toml_put_str(out, str_of(manifest_member(&a, f)));
	buf_addf(out, ", size = %llu, hashes = { sha256 = \"%s\" } }", (unsigned long long)f->size,
		digest_hex(&f->sha256, hex));
	arena_release(&a);
}

static void put_package(const struct manifest_file *f, struct buf *out)
{
	buf_adds(out, "\n[[packages]]\n");
	put_key(out, "name", f->name);
	if (!f->local_mismatch) {
		put_key(out, "version", f->version);
	}
	if (f->requires_python.n) {
		put_key(out, "requires-python", f->requires_python);
	}
	if (f->local_mismatch) {
		/* No version fits both file name and METADATA; an archive needs none. */
		buf_adds(out, "archive = { ");
	} else {
		buf_adds(out, f->kind == DIST_WHEEL ? "wheels = [{ name = " : "sdist = { name = ");
		toml_put_str(out, f->file);
		buf_adds(out, ", ");
	}
	put_file(f, out);
	buf_adds(out, f->kind == DIST_WHEEL && !f->local_mismatch ? "]\n" : "\n");
}

/* A pylock cannot say where the build requirements of its sdists are: the user has to. */
static void put_build_requirements(const struct manifest *m, const struct manifest_target *t, struct buf *out)
{
	char hex[DIGEST_HEX + 1];
	bool any = false;

	for (size_t i = 0; i < t->npicks; i++) {
		const struct manifest_pick *p = &t->picks[i];

		any |= m->files[p->file].kind == DIST_SDIST && !manifest_is_compiled(t, p->file);
	}
	for (size_t i = 0; any && i < t->npicks; i++) {
		if (t->picks[i].use & USE_BUILD) {
			buf_addf(out, "#   --find-links ./files/%s\n",
				digest_hex(&m->files[t->picks[i].file].sha256, hex));
		}
	}
}

void pylock_write(const struct manifest *m, const struct manifest_target *t, struct buf *out)
{
	buf_addf(out, "# %.*s: uv pip sync --offline pylock.%.*s.toml\n", STR_ARG(t->target.name),
		STR_ARG(t->target.name));
	put_build_requirements(m, t, out);
	buf_addf(out, "lock-version = \"1.0\"\ncreated-by = \"gpkg-bundle\"\n");
	for (size_t i = 0; i < t->npicks; i++) {
		if ((t->picks[i].use & USE_RUN) && !manifest_is_compiled(t, t->picks[i].file)) {
			put_package(&m->files[t->picks[i].file], out);
		}
	}
}
