/* The site's own key: STORE/site.key and STORE/site.pub, made at first use, without a password,
 * readable by the store's owner alone. It speaks for what was built here and for nothing else:
 * import never accepts it. */
#ifndef MIRROR_SITE_KEY_H
#define MIRROR_SITE_KEY_H

#include "mirror/store.h"

/* Only with the store open for writing: its lock keeps two builds from making two keys. */
int site_key_open(struct store *s, struct secret_key **out, struct err *e);

#endif
