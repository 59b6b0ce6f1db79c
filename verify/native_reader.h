/* One thread's part in reading a wheel's native code: one member after the other. */
#ifndef VERIFY_NATIVE_READER_H
#define VERIFY_NATIVE_READER_H

#include "manifests/base/vec.h"
#include "manifests/limits.h"
#include "verify/native.h"
#include "verify/wheel_record.h"

/* What all readers together may keep, in bytes. */
struct native_room {
	pthread_mutex_t lock;
	/* For binaries while they are read: who wants more waits until another one is done. */
	pthread_cond_t freed;
	uint64_t left;
	/* For what was found in them; 0: too much was, and nothing is looked for any more. */
	uint64_t names_left;
};
#define NATIVE_ROOM_INIT                                                              \
	{                                                                             \
		.lock = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER, \
		.left = LIMIT_NATIVE_KEPT, .names_left = LIMIT_NATIVE_NAMES           \
	}

struct native_reader {
	struct wheel *w; /* its own */
	struct native_room *room;
	struct record_reader record;
	/* What was found so far. */
	struct arena arena; /* owns what modules point to, but their names */
	VEC(struct native_module) modules;
	struct device_code device;
};

void native_reader_init(
	struct native_reader *r, struct wheel *w, struct record *record, struct native_room *room);
void native_reader_release(struct native_reader *r);
/* Inflates a member once (a binary whose tables lie far apart, twice). RC_WHEEL, RC_LIMIT; messages
 * begin with its name. */
int native_reader_take(struct native_reader *r, size_t member, struct err *e);

#endif
