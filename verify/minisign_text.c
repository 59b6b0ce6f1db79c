#include "verify/minisign_text.h"

#include <string.h>

bool minisign_line(struct str *rest, struct str *line)
{
	if (rest->n == 0) {
		return false;
	}
	size_t at = str_find(*rest, '\n');
	struct str found = str_first(*rest, at);

	if (at < rest->n && str_ends(found, "\r")) {
		found.n--;
	}
	*rest = str_skip(*rest, at < rest->n ? at + 1 : at);
	*line = found;
	return true;
}

bool minisign_is_printable(struct str comment, bool ascii)
{
	for (size_t i = 0; i < comment.n; i++) {
		unsigned char c = (unsigned char)comment.p[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f || (ascii && c > 0x7e)) {
			return false;
		}
		/* U+0080 to U+009F: terminals take some for the start of a control sequence. */
		if (c == 0xc2 && i + 1 < comment.n && (unsigned char)comment.p[i + 1] < 0xa0) {
			return false;
		}
	}
	return ascii || str_is_utf8(comment);
}

bool minisign_comment(struct str *rest, const char *prefix, bool ascii, struct str *comment)
{
	struct str line;

	if (!minisign_line(rest, &line) || !str_starts(line, prefix)) {
		return false;
	}
	line = str_skip(line, strlen(prefix));
	if (!minisign_is_printable(line, ascii)) {
		return false;
	}
	*comment = line;
	return true;
}
