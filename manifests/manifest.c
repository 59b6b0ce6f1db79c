#include "manifests/manifest.h"
#include "manifests/limits.h"

#include <inttypes.h>

void manifest_release(struct manifest *m)
{
	arena_release(&m->arena);
	*m = (struct manifest)MANIFEST_INIT;
}

const struct manifest_target *manifest_target_of(const struct manifest *m, struct str name)
{
	for (size_t i = 0; i < m->ntargets; i++) {
		if (str_eq(m->targets[i].target.name, name)) {
			return &m->targets[i];
		}
	}
	return NULL;
}

int manifest_file_cmp(const struct manifest_file *x, const struct manifest_file *y)
{
	int c = str_cmp(x->name, y->name);

	c = c ? c : str_cmp(x->file, y->file);
	return c ? c : digest_cmp(&x->sha256, &y->sha256);
}

bool manifest_is_compiled(const struct manifest_target *t, size_t file)
{
	for (size_t i = 0; i < t->nrecipes; i++) {
		if (t->recipes[i].file == file && t->recipes[i].device_code) {
			return true;
		}
	}
	return false;
}

uint64_t manifest_total(const struct manifest *m)
{
	uint64_t total = 0;

	for (size_t i = 0; i < m->nfiles; i++) {
		total += m->files[i].size;
	}
	return total;
}

char *manifest_member(struct arena *a, const struct manifest_file *f)
{
	char hex[DIGEST_HEX + 1];

	return arena_printf(a, "files/%s/%.*s", digest_hex(&f->sha256, hex), STR_ARG(f->file));
}

char *manifest_trusted_comment(struct arena *a, const struct manifest *m, const char *what,
	const struct digest *document)
{
	char hex[DIGEST_HEX + 1];

	return arena_printf(a, "gpkg-bundle-v1\t%s\tchannel:%.*s\tserial:%" PRIu64 "\tsha256:%s", what,
		STR_ARG(m->channel), m->serial, digest_hex(document, hex));
}

static bool is_channel_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (!first && (c == '.' || c == '_' || c == '-'));
}

int manifest_check_channel(struct str channel, struct err *e)
{
	bool ok = channel.n > 0 && channel.n <= LIMIT_CHANNEL;

	for (size_t i = 0; ok && i < channel.n; i++) {
		ok = is_channel_char(channel.p[i], i == 0);
	}
	if (!ok) {
		return err_set(e, RC_INVALID,
			"channel \"%.*s\": a channel is 1 to %d letters, digits, '.', '_', '-', and begins "
			"with a letter or digit",
			STR_ARG(str_first(channel, 100)), LIMIT_CHANNEL);
	}
	return 0;
}
