/* A catalogue for tests, made by hand: what a store would load.
 *
 *	h100: demo 1.0 (wheel, sdist), flash-attn 2.8.3 (listed by its alias), old 0.9 (yanked with a reason),
 *	      torch 2.8.0+cu128 (5 GiB), ninja 1.11 (to build), kern 0.1 (sdist, and a wheel built here)
 *	a100: demo 1.0 (wheel), torch 2.8.0+cu126, zero 1.0 (yanked without a reason)
 */
#ifndef TESTS_VIEW_FIXTURE_H
#define TESTS_VIEW_FIXTURE_H

#include "mirror/store.h"

enum { FIXTURE_TORCH_SIZE_GIB = 5 };

void view_fixture(struct store_view *out);
/* The sha256 of a file: every byte the same, and the METADATA's: every byte one more. */
enum fixture_digest {
	FIXTURE_DEMO = 0x10, FIXTURE_DEMO_SDIST = 0x20, FIXTURE_FLASH = 0x30, FIXTURE_OLD = 0x40,
	FIXTURE_TORCH_128 = 0x50, FIXTURE_TORCH_126 = 0x60, FIXTURE_NINJA = 0x70, FIXTURE_KERN = 0x80,
	FIXTURE_KERN_BUILT = 0x90, FIXTURE_ZERO = 0xa0
};
/* 64 digits; valid for the whole test. */
const char *fixture_hex(unsigned byte);

#endif
