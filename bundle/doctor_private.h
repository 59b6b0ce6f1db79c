/* The parts of bundle/doctor.h: what is to be looked at, and what comes of it. Private to it. */
#ifndef BUNDLE_DOCTOR_PRIVATE_H
#define BUNDLE_DOCTOR_PRIVATE_H

#include "bundle/doctor.h"
#include "bundle/fetch.h"
#include "manifests/base/map.h"

/* In which way a place is asked: the next one follows where one has no success. */
enum doctor_step { DOCTOR_HEAD, DOCTOR_BYTE, DOCTOR_PROJECT, DOCTOR_SETTLED };

struct doctor_item {
	enum doctor_kind kind;
	const char *url;  /* as it is asked, with credentials if it has some */
	const char *path; /* of this machine; NULL: it is asked */
	bool has_size, has_sha256;
	uint64_t size;
	struct digest sha256;
	enum doctor_step step;
	struct doctor_check result; /* url and kind from the beginning */
};

struct doctor_host {
	bool has_answered;
	unsigned failures; /* since its last answer of use */
};

struct doctor_work {
	struct arena *arena;
	struct index *index;
	const struct doctor_options *options;
	VEC(struct doctor_item) items;
	const char *project; /* one that the lock leaves to an index; NULL: none */
	/* The questions: those from `next` on, and those to be asked in another way. */
	size_t next;
	VEC(size_t) again;
	struct map host_of; /* scheme, name and port -> index into hosts */
	VEC(struct doctor_host) hosts;
};

/* Everything that lock and configuration name, each URL once. */
void doctor_list(struct doctor_work *w, const struct lock *lock, const struct pip_config *config);
/* Files and folders of this machine. */
void doctor_look(struct doctor_work *w);
/* Everything that is asked over the network. */
int doctor_ask(struct doctor_work *w, struct err *e);
/* The files whose sha256 is recorded and which are there, into the cache. */
int doctor_fetch(struct doctor_work *w, struct err *e);

void doctor_ok(struct doctor_item *item, const char *text);
void doctor_fail(struct doctor_work *w, struct doctor_item *item, const struct err *failed);
/* "12.3 MB"; compares with the recorded size, and settles the item. */
void doctor_size(struct doctor_work *w, struct doctor_item *item, bool has_size, uint64_t size);
#endif
