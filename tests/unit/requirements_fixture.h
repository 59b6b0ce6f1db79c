/* A folder with a file of two targets ("lin": CPython 3.12.4 on Linux, "win": 3.11 on Windows),
 * where tests put requirements files and read them. */
#ifndef TESTS_REQUIREMENTS_FIXTURE_H
#define TESTS_REQUIREMENTS_FIXTURE_H

#include "manifests/lock.h"

#define SHA_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define SHA_B "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HASH_A "--hash=sha256:" SHA_A
#define HASH_B "--hash=sha256:" SHA_B

struct folder {
	struct arena arena;
	const char *path;
};

extern const char requirements_targets[]; /* the text of targets.toml; its last line is 10 */

void folder_open(struct folder *f);
void folder_close(struct folder *f);
void folder_put(struct folder *f, const char *name, struct str text);
/* Reads `text` as the file r.txt of the folder. */
int folder_read(struct folder *f, struct str text, struct lock *l, struct err *e);

/* The rows, one a line: "a==1 @lin,win" and what else there is: " file=NAME sha", " hashes=2". */
void check_requirements(struct folder *f, const char *text, const char *want);

struct requirements_refusal {
	const char *text;
	enum rc rc;
	const char *message; /* begins so, behind the path; '%' stands for the folder */
	const char *hint;    /* holds that; or NULL */
};
void check_requirements_refusal(struct folder *f, const struct requirements_refusal *row);
/* The same in a folder of its own. */
void check_requirements_refusals(const struct requirements_refusal *rows, size_t n);

#endif
