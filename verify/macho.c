#include "verify/elf_scan.h"

bool macho_is(struct str head)
{
	/* The magic of each width in each byte order; that of universal files is also Java's, where
	 * the next number, the count of architectures here, is a version from 45 up. */
	static const char thin[][5] = { "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe",
		"\xcf\xfa\xed\xfe" };

	for (size_t i = 0; i < sizeof(thin) / sizeof(thin[0]); i++) {
		if (str_starts(head, thin[i])) {
			return true;
		}
	}
	return head.n >= 8 &&
	       (str_starts(head, "\xca\xfe\xba\xbe") || str_starts(head, "\xca\xfe\xba\xbf")) &&
	       !head.p[4] && !head.p[5] && !head.p[6] && (unsigned char)head.p[7] < 45;
}
