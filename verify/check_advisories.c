#include "manifests/advisory.h"
#include "verify/audit_checks.h"

void check_advisories(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct advisory *row;
	size_t at = 0;

	(void)site;
	while ((row = advisory_next(w->name->name, &w->name->version, &at)) != NULL) {
		audit_say(a, AUDIT_advisories, AUDIT_WARN, NULL, row->what, row->remedy,
			"%.*s %.*s: %s (%s)", STR_ARG(w->name->name), STR_ARG(w->name->version.raw),
			row->what, row->source);
	}
	if (!a->tally[AUDIT_advisories].said) {
		audit_say(a, AUDIT_advisories, AUDIT_PASS, NULL, NULL, NULL,
			"nothing is known against this version");
	}
}
