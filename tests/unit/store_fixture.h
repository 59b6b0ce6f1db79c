/* A store of this test's own, and bundles for it that are made by hand: one target "t" and files whose bytes
 * are their names. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "mirror/store.h"

#define FIXTURE_NOW UINT64_C(1790000000)

struct fixture_plan { /* a file of the target */
	const char *file, *version;
	char salt; /* other bytes under the same name */
};

struct store *fixture_store(enum store_mode mode);
const char *fixture_store_path(const char *name); /* of a file in it */
const char *fixture_object_path(const struct digest *d);
/* Other bytes in a stored object, as a failing disk leaves them. */
void fixture_damage(const struct digest *d, const char *bytes);

/* Stores the bytes and describes the file. */
void fixture_plan_file(
	struct store *s, struct arena *a, const struct fixture_plan *p, struct manifest_file *out);
struct target_spec fixture_target(void); /* Python 3.12, linux_x86_64, glibc 2.28, GPU 9.0 */
/* A manifest of one target with these files, all to run. Its arena is released by the caller. */
void fixture_manifest(struct store *s, const char *channel, uint64_t epoch, uint64_t serial,
	const struct target_spec *spec, const struct fixture_plan *plans, size_t n, struct manifest *out);
/* Commits it; the manifest's bytes are this text. */
int fixture_commit_as(struct store *s, const struct manifest *m, const char *text, struct err *e);
/* Commits a bundle of channel "lab" for the good target; the code of the refusal, or 0. */
enum rc fixture_commit(struct store *s, uint64_t serial, const struct fixture_plan *plans, size_t n);
#define COMMIT(s, serial, ...)                                                                     \
	fixture_commit(s, serial, (const struct fixture_plan[]){ __VA_ARGS__ },                    \
		sizeof((const struct fixture_plan[]){ __VA_ARGS__ }) / sizeof(struct fixture_plan))

void fixture_load(struct store_view *v); /* what is published */
/* The first file of this name in target "t", or NULL. */
const struct store_file *fixture_view_file(const struct store_view *v, const char *file);

#endif
