/* The confined place of a child, made from within by its first process (mount_namespaces(7),
 * pivot_root(2), capabilities(7), seccomp(2)). Each returns 0, or -1 with errno set and *what
 * naming the step that failed (static text). */
#ifndef MIRROR_SANDBOX_H
#define MIRROR_SANDBOX_H

#include "mirror/child.h"

/* A new root in which the machine's folders are read-only; then the mounts, a /proc of its own, a
 * small /dev/shm. /run and what is to be hidden look empty: sockets of services lie there. */
int sandbox_enter(const struct child_spec *spec, const char **what);
/* No capability now or ever after, whatever is executed. */
int sandbox_drop_privileges(const char **what);
/* Sockets of the kind AF_UNIX alone; with `has_network_namespace`, of IP and netlink too (they lead
 * nowhere). Never io_uring, which opens sockets past any filter, and no foreign system call
 * convention. */
int sandbox_filter_sockets(bool has_network_namespace, const char **what);

#endif
