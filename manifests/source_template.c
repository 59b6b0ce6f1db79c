#include "manifests/source_template.h"
#include "manifests/base/buf.h"

bool template_next(struct str *rest, struct template_piece *out)
{
	size_t open = str_find(*rest, '{'), close = str_find(*rest, '}');

	if (rest->n == 0) {
		return false;
	}
	if (open == 0 && close < rest->n) {
		*out = (struct template_piece){ str_first(str_skip(*rest, 1), close - 1), true };
		*rest = str_skip(*rest, close + 1);
		return true;
	}
	size_t end = open < close ? open : close;
	out->text = str_first(*rest, end ? end : 1);
	out->is_placeholder = false;
	*rest = str_skip(*rest, out->text.n);
	return true;
}

static bool is_known(struct str name, const char *const *known)
{
	for (; *known; known++) {
		if (str_is(name, *known)) {
			return true;
		}
	}
	return false;
}

int template_check(struct str text, const char *const *known, struct err *e)
{
	CLEANUP_BUF struct buf list = BUF_INIT;
	struct template_piece piece;
	struct str rest = text;

	for (const char *const *k = known; *k; k++) {
		buf_addf(&list, "%s{%s}", k == known ? "" : k[1] ? ", " : " and ", *k);
	}
	while (template_next(&rest, &piece)) {
		if (piece.is_placeholder && !is_known(piece.text, known)) {
			err_set(e, RC_INVALID, "{%.*s} is not filled in",
				STR_ARG(str_first(piece.text, 100)));
			return list.n ? err_hint(e, "%s are", list.p) : -(int)e->rc;
		}
		if (!piece.is_placeholder && (str_is(piece.text, "{") || str_is(piece.text, "}"))) {
			return err_set(e, RC_INVALID, "a '%.*s' without its partner in \"%.*s\"",
				STR_ARG(piece.text), STR_ARG(str_first(text, 300)));
		}
	}
	return 0;
}
