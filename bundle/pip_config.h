/* Where packages come from: the index that pip is configured with on this machine. Read as pip
 * does: defaults < global ($XDG_CONFIG_DIRS/pip/pip.conf, /etc/pip.conf) < user (~/.pip/pip.conf,
 * $XDG_CONFIG_HOME/pip/pip.conf or ~/.config/pip/pip.conf) < site (sys.prefix/pip.conf) <
 * $PIP_CONFIG_FILE, in which a later file's value of one section and name replaces an earlier
 * one's; then the sections [global] < [wheel] < [download] < [install] < environment (PIP_*, which
 * is pip's section [:env:]). Empty values count as not set. PIP_CONFIG_FILE=/dev/null skips all
 * files; another existing one skips the user's.
 * "~" is expanded where pip does (cert, client-cert, find-links). Variables are not, as in pip.
 *
 * No registry address is compiled in. Where nothing names an index, pip itself is asked for its
 * default (one run of "python3 -c ...", pip must be importable there), and the answer is used. */
#ifndef BUNDLE_PIP_CONFIG_H
#define BUNDLE_PIP_CONFIG_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"

struct pip_config {
	struct arena arena;
	const char **indexes; /* index-url, then extra-index-urls; none with no-index */
	size_t nindexes;
	const char **find_links; /* URLs or folders */
	size_t nfind_links;
	const char **trusted_hosts;
	size_t ntrusted_hosts;
	const char *cert, *client_cert, *proxy; /* NULL: not set */
	unsigned timeout, retries;              /* 0 / default 5 */
	bool no_index;
};
#define PIP_CONFIG_INIT             \
	{                           \
		.arena = ARENA_INIT \
	}

/* `python` is the interpreter to ask (NULL: python3). RC_TOOL where pip must be asked and is not
 * there: the hint says to name an index with PIP_INDEX_URL. RC_SYNTAX and RC_INVALID name file,
 * line, variable. */
int pip_config_read(const char *python, struct pip_config *out, struct err *e);
void pip_config_release(struct pip_config *c);

#endif
