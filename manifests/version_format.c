/* The normal form of PEP 440 versions ("Normalization"). */
#include "manifests/version.h"

#include <inttypes.h>

void version_format_public(const struct version *v, struct buf *out)
{
	static const char *const pre_word[] = {
		[VERSION_A] = "a",
		[VERSION_B] = "b",
		[VERSION_RC] = "rc",
	};

	if (v->epoch) {
		buf_addf(out, "%" PRIu64 "!", v->epoch);
	}
	for (size_t i = 0; i < v->nrelease; i++) {
		buf_addf(out, "%s%" PRIu64, i ? "." : "", v->release[i]);
	}
	if (v->pre) {
		buf_addf(out, "%s%" PRIu64, pre_word[v->pre], v->pre_number);
	}
	if (v->has_post) {
		buf_addf(out, ".post%" PRIu64, v->post);
	}
	if (v->has_dev) {
		buf_addf(out, ".dev%" PRIu64, v->dev);
	}
}

void version_format_local(const struct version *v, struct buf *out)
{
	for (size_t i = 0; i < v->nlocal; i++) {
		const struct version_local *segment = &v->local[i];

		buf_adds(out, i ? "." : "");
		if (segment->text.n) {
			buf_addstr(out, segment->text);
		} else {
			buf_addf(out, "%" PRIu64, segment->number);
		}
	}
}

void version_format(const struct version *v, struct buf *out)
{
	version_format_public(v, out);
	if (v->nlocal) {
		buf_addc(out, '+');
		version_format_local(v, out);
	}
}
