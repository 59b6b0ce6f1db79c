/* Unit tests with Check. A test registers itself: no list to edit.
 *
 *	UNIT(digest_refuses_short_text) { ck_assert(...); }
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>

void unit_register(const TTest *test);

#define UNIT(name)                                                                                 \
	static void name##_fn(int);                                                                \
	static const TTest name##_test = { #name, name##_fn, __FILE__, __LINE__ };                 \
	__attribute__((constructor)) static void name##_register(void)                             \
	{                                                                                          \
		unit_register(&name##_test);                                                       \
	}                                                                                          \
	static void name##_fn(int unit_loop __attribute__((unused)))

#endif
