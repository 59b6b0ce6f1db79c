#include "manifests/bundle_format.h"

char *bundle_signature_name(struct arena *a, const char *document, size_t i)
{
	return i ? arena_printf(a, "%s.%zu.minisig", document, i + 1)
		 : arena_printf(a, "%s.minisig", document);
}

char *bundle_requirements_name(struct arena *a, struct str target)
{
	return arena_printf(a, "requirements.%.*s.txt", STR_ARG(target));
}

char *bundle_pylock_name(struct arena *a, struct str target)
{
	return arena_printf(a, "pylock.%.*s.toml", STR_ARG(target));
}

size_t bundle_later_names(struct arena *a, const struct manifest *m, char ***names)
{
	size_t n = 0;

	*names = arena_array(a, 2 * m->ntargets + 1, sizeof(**names));
	for (size_t i = 0; i < m->ntargets; i++) {
		(*names)[n++] = bundle_requirements_name(a, m->targets[i].target.name);
		(*names)[n++] = bundle_pylock_name(a, m->targets[i].target.name);
	}
	(*names)[n++] = arena_dup(a, STR(MEMBER_SBOM));
	return n;
}

void bundle_sums(const struct bundle_texts *texts, const struct manifest *m, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];

	vec_each(struct bundle_text, t, texts) {
		buf_addf(out, "%s  %s\n", digest_hex(&t->sha256, hex), t->name);
	}
	for (size_t i = 0; i < m->nfiles; i++) {
		buf_addf(out, "%s  %s\n", digest_hex(&m->files[i].sha256, hex),
			manifest_member(&a, &m->files[i]));
	}
	arena_release(&a);
}
