/* Files that point a client at a target's index. Pure.
 *
 * The address of the mirror is known only when a request comes in, so the texts carry marks that
 * client_text_fill replaces. No other control byte is in them. */
#ifndef MIRROR_CLIENT_TEXT_H
#define MIRROR_CLIENT_TEXT_H

#include "manifests/base/buf.h"
#include "mirror/store.h"

#define MARK_BASE "\1"        /* "http://mirror:8080" */
#define MARK_TRUST_CONF "\2"  /* a line of pip.conf, or nothing */
#define MARK_TRUST_LINE "\3"  /* a line of requirements.txt, or nothing */
#define MARK_TRUST_WORDS "\4" /* options of a pip command, or nothing */

/* pip.conf: the target's index and no other. */
void client_pip_conf(struct str target, struct buf *out);
/* uv.toml: the same, as the default index; and no download of Pythons. */
void client_uv_toml(struct str target, struct buf *out);
/* requirements.txt: every package of the newest plan that is needed to run, pinned, with the hashes
 * of all its files. One place on the index for all of them. */
void client_requirements(const struct store_target *t, struct buf *out);

/* Where the mirror is, as the client sees it. */
struct client_base {
	struct str url;  /* "http://mirror:8080", no '/' at the end */
	struct str host; /* "mirror:8080" */
};
/* pip takes plain http from loopback only; from elsewhere the host must be named as trusted. */
void client_text_fill(struct str text, const struct client_base *base, struct buf *out);

#endif
