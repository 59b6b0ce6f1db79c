/* The name under which a wheel is listed whose file name has a local version that its METADATA
 *lacks: pip takes such a file from no index. The local label moves to the build tag, the bytes
 *stay:
 *
 *	flash_attn-2.8.3+cu12torch2.8-cp312-cp312-linux_x86_64.whl
 *	flash_attn-2.8.3-1cu12torch2.8-cp312-cp312-linux_x86_64.whl
 */
#ifndef MIRROR_WHEEL_ALIAS_H
#define MIRROR_WHEEL_ALIAS_H

#include "manifests/base/arena.h"

/* In the arena; NULL where the name is no wheel's or has no local version. */
char *wheel_alias(struct arena *a, struct str file);

#endif
