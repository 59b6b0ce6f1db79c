#include "bundle/texts_out.h"

static struct str keep(struct arena *a, struct buf *b)
{
	struct str s = arena_str(a, buf_str(b));

	buf_clear(b);
	return s;
}

void texts_write(struct arena *a, const struct manifest *m, struct bundle_texts *out)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	char **names;
	size_t n = bundle_later_names(a, m, &names), at = 0;

	for (size_t i = 0; i < m->ntargets; i++) {
		requirements_write(m, &m->targets[i], &b);
		vec_push(out, (struct bundle_text){ .name = names[at++], .text = keep(a, &b) });
		pylock_write(m, &m->targets[i], &b);
		vec_push(out, (struct bundle_text){ .name = names[at++], .text = keep(a, &b) });
	}
	sbom_write(m, &b);
	vec_push(out, (struct bundle_text){ .name = names[n - 1], .text = keep(a, &b) });
}
