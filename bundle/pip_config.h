/* Where packages come from: the index that pip is configured with on this machine. Read as pip does:
 * defaults < site file (sys.prefix/pip.conf) < global (/etc/pip.conf, /etc/xdg/pip/pip.conf) < user (~/.pip/pip.conf,
 * $XDG_CONFIG_HOME/pip/pip.conf or ~/.config/pip/pip.conf) < $PIP_CONFIG_FILE < environment (PIP_*), for sections [global],
 * [install], [download] and [:env:]; PIP_CONFIG_FILE=/dev/null skips all files. ~ and $VAR as pip does.
 *
 * No registry address is compiled in. Where nothing names an index, pip itself is asked for its
 * default (one run of "python3 -c ...", "python3 -m pip" must be there), and the answer is used. */
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
	unsigned timeout, retries; /* 0 / default 5 */
	bool no_index;
};
#define PIP_CONFIG_INIT { .arena = ARENA_INIT }

/* `python` is the interpreter to ask (NULL: python3). RC_TOOL where pip must be asked and is not there:
 * the hint says to name an index with PIP_INDEX_URL. */
int pip_config_read(const char *python, struct pip_config *out, struct err *e);
void pip_config_release(struct pip_config *c);

#endif
