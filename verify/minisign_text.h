/* The text form that minisign's key and signature files share: comment lines and base64 lines, each
 * ended by LF or CRLF; the last line may lack its end. */
#ifndef VERIFY_MINISIGN_TEXT_H
#define VERIFY_MINISIGN_TEXT_H

#include "manifests/base/str.h"

#define MINISIGN_UNTRUSTED "untrusted comment: "
#define MINISIGN_TRUSTED "trusted comment: "

/* Takes the next line off *rest, without its end. False when nothing is left. */
bool minisign_line(struct str *rest, struct str *line);
/* The next line must be `prefix` and a comment of printable characters and TAB; `ascii`: of ASCII,
 * else of UTF-8. */
bool minisign_comment(struct str *rest, const char *prefix, bool ascii, struct str *comment);
bool minisign_is_printable(struct str comment, bool ascii);

#endif
