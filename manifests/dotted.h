/* Numbers with dots between, as drivers, toolkits and symbol versions have them: "580.65.06",
 * "3.4.30". Compared number by number, never as text: 3.4.9 is below 3.4.30. */
#ifndef MANIFESTS_DOTTED_H
#define MANIFESTS_DOTTED_H

#include "manifests/base/str.h"

/* Digits and single dots between: "2.28". */
bool dotted_is(struct str text);
/* < 0, 0, > 0. What begins another is the lower: 580 is below 580.65.06. Of what is no number: 0.
 */
int dotted_cmp(struct str a, struct str b);
/* Are the numbers of `beginning` the first ones of `whole`? */
bool dotted_begins(struct str whole, struct str beginning);

#endif
