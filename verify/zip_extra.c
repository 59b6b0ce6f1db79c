#include "verify/zip_extra.h"

#include "verify/le.h"

enum { EXTRA_ZIP64 = 0x0001, EXTRA_UNICODE_PATH = 0x7075 };

int zip_extra_zip64(struct str extra, struct str *zip64, struct err *e)
{
	struct str found = STR_NULL;

	while (extra.n) {
		if (extra.n < 4 || le16(extra.p + 2) > extra.n - 4) {
			return err_set(e, RC_WHEEL, "its extra fields do not fit their length");
		}
		uint16_t id = le16(extra.p);
		struct str value = { extra.p + 4, le16(extra.p + 2) };

		if (id == EXTRA_UNICODE_PATH) {
			return err_set(e, RC_WHEEL, "an extra field gives it a second name");
		}
		if (id == EXTRA_ZIP64 && found.p) {
			return err_set(e, RC_WHEEL, "it has two ZIP64 fields");
		}
		if (id == EXTRA_ZIP64) {
			found = value;
		}
		extra = str_skip(extra, 4 + value.n);
	}
	*zip64 = found;
	return 0;
}
