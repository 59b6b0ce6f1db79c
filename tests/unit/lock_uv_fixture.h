/* A uv.lock in pieces, and reading one for the targets of a file that is made for it. */
#ifndef TESTS_LOCK_UV_FIXTURE_H
#define TESTS_LOCK_UV_FIXTURE_H

#include "manifests/lock.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define UV_SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define UV_HEAD "version = 1\nrevision = 5\nrequires-python = \">=3.11\"\n" /* lines 1 to 3 */
#define UV_REGISTRY "source = { registry = \"https://i/simple\" }\n"
#define UV_ENTRY(name, version, source) \
	"[[package]]\nname = \"" name "\"\nversion = \"" version "\"\n" source
#define UV_WHEEL(name, version)                                                          \
	UV_ENTRY(name, version, UV_REGISTRY)                                             \
	"wheels = [{ url = \"https://f/" name "-" version "-py3-none-any.whl\", hash = " \
	"\"sha256:" UV_SHA "\", size = 7 }]\n"
/* Lines 4 to 8. */
#define UV_PROJECT(needs) \
	UV_ENTRY("us", "0", "source = { virtual = \".\" }\n") "dependencies = [" needs "]\n"

#define UV_LINUX                                                                                 \
	"[[target]]\nname = \"lin\"\npython = \"3.12.4\"\nplatform = \"linux_x86_64\"\nglibc = " \
	"\"2.28\"\n"
#define UV_WINDOWS "[[target]]\nname = \"win\"\npython = \"3.11\"\nplatform = \"win_amd64\"\n"

#define UV_NEEDS_A UV_HEAD UV_PROJECT("{ name = \"a\" }") /* lines 1 to 8 */

/* Reads `text` as the file "uv.lock" in this folder. `targets` follows lock-version = 1. */
int uv_parse(const char *targets, const char *text, const struct lock_options *given,
	struct lock *l, struct err *e);
/* `want` is "name[extra]==version@target,target ..." in the order of the lock. */
void uv_check_rows(const char *targets, const char *text, const struct lock_options *options,
	const char *want);
/* The error holds `want`, and nothing was kept. */
void uv_check_refused(const char *targets, const char *text, const struct lock_options *options,
	enum rc rc, const char *want);

#endif
