/* ELF files from anybody: each section lies inside the file, or is an error. */
#include "verify/elf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static bool is_inside(struct str part, struct str all)
{
	return part.n == 0 || (part.p >= all.p && part.n <= (size_t)(all.p + all.n - part.p));
}

static void check_sections(const struct elf *elf)
{
	for (size_t i = 0; i < elf->nsections; i++) {
		struct str name = STR_NULL, contents = STR_NULL;
		struct err e = ERR_INIT;

		if (elf_section(elf, i, &name, &contents, &e)) {
			require(e.rc == RC_WHEEL && e.text[0]);
		}
		require(is_inside(name, elf->bytes) && is_inside(contents, elf->bytes));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct err e = ERR_INIT;
	struct elf elf;

	if (elf_open(bytes, &elf, &e)) {
		require(e.rc == RC_WHEEL && e.text[0]);
		return 0;
	}
	check_sections(&elf);
	return 0;
}
