#include "verify/ptx.h"

/* Without white space and comments in front. */
static struct str blank_skip(struct str text)
{
	for (;;) {
		size_t before = text.n, n = 2;

		while (text.n && (text.p[0] == ' ' || (text.p[0] >= '\t' && text.p[0] <= '\r'))) {
			text = str_skip(text, 1);
		}
		if (str_starts(text, "//")) {
			text = str_skip(text, str_find(text, '\n'));
		} else if (str_starts(text, "/*")) {
			while (n + 1 < text.n && !(text.p[n] == '*' && text.p[n + 1] == '/')) {
				n++;
			}
			text = str_skip(text, n + 2);
		}
		if (text.n == before) {
			return text;
		}
	}
}

static bool word_take(struct str *text, const char *word)
{
	*text = blank_skip(*text);
	if (!str_starts(*text, word)) {
		return false;
	}
	*text = str_skip(*text, str_of(word).n);
	return true;
}

static bool number_take(struct str *text, unsigned *out)
{
	uint64_t value = 0;
	size_t n = 0;

	while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9') {
		n++;
	}
	if (n > 4 || !str_to_u64(str_first(*text, n), &value)) {
		return false;
	}
	*text = str_skip(*text, n);
	*out = (unsigned)value;
	return true;
}

bool ptx_arch_read(struct str text, struct ptx_arch *out)
{
	struct ptx_arch arch = { 0 };

	if (!word_take(&text, ".version")) {
		return false;
	}
	text = blank_skip(text);
	if (!number_take(&text, &arch.isa_major) || !word_take(&text, ".") ||
		!number_take(&text, &arch.isa_minor) || !word_take(&text, ".target") ||
		!word_take(&text, "sm_") || !number_take(&text, &arch.sm)) {
		return false;
	}
	if (text.n && (text.p[0] == 'a' || text.p[0] == 'f')) {
		arch.suffix = text.p[0];
	}
	*out = arch;
	return true;
}
