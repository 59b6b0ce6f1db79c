/* The members before the files: signatures first, then what they vouch for. */
#include "verify/bundle_private.h"

struct signatures {
	struct str text[LIMIT_SIGNATURES];
	struct signature v[LIMIT_SIGNATURES];
	size_t n;
};

static int take_signatures(struct verified *v, const char *document, bool keep, struct signatures *out,
	struct err *e)
{
	out->n = 0;
	for (;;) {
		char *name = bundle_signature_name(&v->arena, document, out->n);
		int r = bundle_peek(v, e);

		if (r || !bundle_next_is(v, name)) {
			bool is_other = bundle_has_taken(v, v->member.path) || !bundle_knows(v, v->member.path);

			return !r && !out->n && is_other && !v->member.is_end ? bundle_out_of_place(v, name, e) : r;
		}
		if (out->n == LIMIT_SIGNATURES) {
			return err_set(e, RC_BUNDLE_EXTRA, "%s: more than %d signatures", document,
				LIMIT_SIGNATURES);
		}
		r = bundle_take_text(v, LIMIT_SIGNATURE, &out->text[out->n], e);
		r = r ? r : signature_parse(out->text[out->n], name, &out->v[out->n], e);
		if (r) {
			return r;
		}
		if (keep) {
			bundle_keep_text(v, name, out->text[out->n]);
		}
		out->n++;
	}
}

static int check_comment(struct verified *v, const char *what, const struct digest *document,
	const struct signature *s, struct err *e)
{
	const char *expected = manifest_trusted_comment(&v->arena, &v->manifest, what, document);

	if (!str_is(s->trusted_comment, expected)) {
		return err_set(e, RC_BUNDLE_SIGNATURE,
			"the signature of the %s was made for another document: \"%.*s\"", what,
			STR_ARG(str_first(s->trusted_comment, 200)));
	}
	return 0;
}

static int take_manifest(struct verified *v, struct err *e)
{
	struct signatures sigs;
	size_t which = 0;
	int r = bundle_take_named(v, MEMBER_MANIFEST, LIMIT_MANIFEST, &v->manifest_bytes, e);

	if (r) {
		return r;
	}
	bundle_keep_text(v, MEMBER_MANIFEST, v->manifest_bytes);
	v->manifest_sha256 = v->texts.v[v->texts.n - 1].sha256;
	r = take_signatures(v, MEMBER_MANIFEST, true, &sigs, e);
	/* Nothing of the manifest is read before a trusted key vouches for these very bytes. */
	r = r ? r : trust_check(v->trust, v->manifest_bytes, sigs.v, sigs.n, &v->signer, &which, e);
	if (r) {
		return r;
	}
	v->signature_bytes = sigs.text[which];
	r = manifest_read(v->manifest_bytes, &v->manifest, e);
	return r ? err_wrap(e, MEMBER_MANIFEST)
		 : check_comment(v, "manifest", &v->manifest_sha256, &sigs.v[which], e);
}

static int check_time(const struct verified *v, uint64_t now, struct err *e)
{
	const struct manifest *m = &v->manifest;

	if (v->time != m->created) {
		return err_set(e, RC_BUNDLE_MEMBER, "the members' time is not the manifest's");
	}
	if (m->expires && now > m->expires) {
		return err_set(e, RC_BUNDLE_EXPIRED, "channel %.*s, serial %llu: expired %llu days ago",
			STR_ARG(m->channel), (unsigned long long)m->serial,
			(unsigned long long)((now - m->expires) / 86400));
	}
	return 0;
}

/* ---- the list of sums ---- */

static int differing_line(struct str ours, struct str theirs, struct err *e)
{
	struct str a = STR_NULL, b = STR_NULL;

	while (str_cut(&ours, '\n', &a) && str_cut(&theirs, '\n', &b) && str_eq(a, b)) {
	}
	return err_set(e, RC_BUNDLE_HASH, MEMBER_SUMS ": \"%.*s\" should be \"%.*s\"",
		STR_ARG(str_first(b, 200)), STR_ARG(str_first(a, 200)));
}

static int check_sums(struct verified *v, struct str sums, struct err *e)
{
	CLEANUP_BUF struct buf ours = BUF_INIT;

	bundle_sums(&v->texts, &v->manifest, &ours);
	return str_eq(buf_str(&ours), sums) ? 0 : differing_line(buf_str(&ours), sums, e);
}

static int take_sums_and_texts(struct verified *v, struct err *e)
{
	struct signatures sigs;
	const struct trust_key *who;
	struct digest digest;
	struct str sums, text;
	size_t which = 0;
	char **names;
	int r = bundle_take_named(v, MEMBER_SUMS, LIMIT_SUMS, &sums, e);

	r = r ? r : take_signatures(v, MEMBER_SUMS, false, &sigs, e);
	r = r ? r : trust_check(v->trust, sums, sigs.v, sigs.n, &who, &which, e);
	if (r) {
		return r;
	}
	hash_bytes(sums, &digest);
	r = check_comment(v, "sums", &digest, &sigs.v[which], e);
	size_t n = r ? 0 : bundle_later_names(&v->arena, &v->manifest, &names);
	for (size_t i = 0; i < n; i++) {
		bool is_sbom = i + 1 == n;

		r = bundle_take_named(v, names[i], is_sbom ? LIMIT_MANIFEST : LIMIT_MEMBER_TEXT, &text, e);
		if (r) {
			return r;
		}
		bundle_keep_text(v, names[i], text);
	}
	return r ? r : check_sums(v, sums, e);
}

/* ---- in order ---- */

int bundle_take_metadata(struct verified *v, uint64_t now, struct err *e)
{
	struct str type;
	int r = bundle_peek(v, e);

	if (!r && !bundle_next_is(v, MEMBER_TYPE)) {
		return err_set(e, RC_BUNDLE_NOT, "not a bundle: it does not begin with " MEMBER_TYPE);
	}
	r = r ? r : bundle_take_text(v, 4096, &type, e);
	if (!r && !str_is(type, BUNDLE_TYPE_TEXT)) {
		r = err_set(e, RC_BUNDLE_SPEC, MEMBER_TYPE ": not of a spec that this version reads");
		err_hint(e, "a newer gpkg-bundle is needed on this side");
	}
	if (r) {
		return r;
	}
	bundle_keep_text(v, MEMBER_TYPE, type);
	r = take_manifest(v, e);
	r = r ? r : check_time(v, now, e);
	return r ? r : take_sums_and_texts(v, e);
}
