#include "verify/audit_checks.h"

void check_record(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	struct str fault = w->native->record_fault;

	(void)site;
	if (fault.n) {
		audit_say(a, AUDIT_record, AUDIT_FAIL, NULL,
			"files that are not what was published; pip does not look, uninstalling "
			"leaves some "
			"behind",
			"fetch it anew; if it was published so, waive it by name with a reason",
			"%.*s", STR_ARG(fault));
	} else {
		audit_say(a, AUDIT_record, AUDIT_PASS, NULL, NULL, NULL,
			"every file has the hash that RECORD says");
	}
}
