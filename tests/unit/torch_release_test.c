#include "manifests/variant.h"
#include "tests/unit/unit.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

UNIT(torch_is_release_by_the_table)
{
	ck_assert(torch_is_release(2, 11, 0) && torch_is_release(2, 1, 2) &&
		  torch_is_release(1, 13, 1));
	ck_assert(torch_is_release(2, 14, 1) && torch_is_release(2, 15, 0));
	ck_assert(!torch_is_release(2, 1, 3) && !torch_is_release(2, 8, 1) &&
		  !torch_is_release(2, 99, 0));
	ck_assert(!torch_is_release(25, 4, 0));
}

UNIT(torch_plain_cuda_by_platform)
{
	static const struct {
		const char *torch, *platform;
		bool is_known;
		unsigned major, minor;
	} rows[] = {
		{ "2.0.1", "linux_x86_64", true, 11, 7 },
		{ "2.5.1", "linux_x86_64", true, 12, 4 },
		{ "2.6.0", "linux_x86_64", true, 12, 4 },
		{ "2.6", "linux_x86_64", true, 12, 4 },
		{ "2.8.0", "linux_x86_64", true, 12, 8 },
		{ "2.11.0", "linux_x86_64", true, 13, 0 },
		{ "2.15.0", "linux_x86_64", true, 13, 2 },
		{ "2.8.0", "linux_aarch64", true, 0, 0 },
		{ "2.10.0", "linux_aarch64", true, 0, 0 },
		{ "2.11.0", "linux_aarch64", true, 13, 0 },
		{ "2.8.0", "win_amd64", true, 0, 0 },
		{ "2.15.0", "win_amd64", true, 0, 0 },
		{ "2.8.0+cu126", "linux_x86_64", false, 0, 0 },
		{ "2.11.0rc1", "linux_x86_64", false, 0, 0 },
		{ "2.16.0", "linux_x86_64", false, 0, 0 },
		{ "1.9.0", "linux_x86_64", false, 0, 0 },
		{ "2.8.0", "linux_ppc64le", false, 0, 0 },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct cuda_version cuda = { 0, 0 };
		struct version v;
		struct err e = ERR_INIT;

		ck_assert_int_eq(version_parse(&a, str_of(rows[i].torch), &v, &e), 0);
		bool is_known = torch_plain_cuda(&v, str_of(rows[i].platform), &cuda);
		ck_assert_msg(is_known == rows[i].is_known && cuda.major == rows[i].major &&
				      cuda.minor == rows[i].minor,
			"%s %s: %d %u.%u", rows[i].torch, rows[i].platform, is_known, cuda.major,
			cuda.minor);
		arena_release(&a);
	}
}
