/* Names out of binaries as one text: each is followed by a space, and what is not a printable ASCII
 * character, or is '%', is written as %xx. Any bytes but NUL survive, and most names are as they
 * were. */
#ifndef VERIFY_NAME_LIST_H
#define VERIFY_NAME_LIST_H

#include "manifests/base/arena.h"
#include "manifests/base/json.h"

void name_list_write(const struct str *names, size_t n, struct buf *out);
/* In the arena: one buffer for all, and an array of slices. RC_SYNTAX. */
int name_list_read(struct str text, struct arena *a, struct str **names, size_t *n, struct err *e);
/* The same as a member of a JSON object; errors name it. */
void name_list_put(struct json_out *o, const char *key, const struct str *names, size_t n);
int name_list_need(const struct json *object, const char *key, struct arena *a, struct str **names,
	size_t *n, struct err *e);
/* One that is looked up in: RC_SYNTAX too where it is not sorted. */
int name_list_need_sorted(const struct json *object, const char *key, struct arena *a,
	struct str **names, size_t *n, struct err *e);
/* Sorts by bytes and drops doubles; returns how many are left. */
size_t name_list_sort(struct str *names, size_t n);
bool name_list_is_sorted(const struct str *names, size_t n); /* each after the one before it */

#endif
