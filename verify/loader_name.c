#include "verify/loader_name.h"

int loader_name_check(struct str name, struct err *e)
{
	for (size_t i = 0; i < name.n; i++) {
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f) {
			return err_set(e, RC_WHEEL, "a control byte in the name of a library");
		}
	}
	return str_is_utf8(name) ? 0 : err_set(e, RC_WHEEL, "the name of a library is not UTF-8");
}
