#include "verify/cubin.h"

#include "verify/le.h"

enum { OSABI_AT = 7, ABI_VERSION_AT = 8, FLAGS_AT = 48 };
enum { OSABI_CUDA12 = 0x33, OSABI_CUDA13 = 0x41 };
enum { ABI7_ARCH_SPECIFIC = 0x800 };

/* Of "-arch sm_90a" among the options in the note. */
static char note_suffix(struct str note)
{
	static const char option[] = "-arch sm_";

	for (; note.n >= sizeof(option); note = str_skip(note, 1)) {
		if (!str_starts(note, option)) {
			continue;
		}
		struct str rest = str_skip(note, sizeof(option) - 1);
		while (rest.n && rest.p[0] >= '0' && rest.p[0] <= '9') {
			rest = str_skip(rest, 1);
		}
		return rest.n && (rest.p[0] == 'a' || rest.p[0] == 'f') ? rest.p[0] : 0;
	}
	return 'a';
}

static int abi8_suffix(const struct elf *elf, char *suffix, struct err *e)
{
	struct str name = STR_NULL, contents = STR_NULL, note = STR_NULL;

	for (size_t i = 0; i < elf->nsections; i++) {
		int rc = elf_section(elf, i, &name, &contents, e);
		if (rc) {
			return rc;
		}
		if (str_is(name, ".note.nv.tkinfo")) {
			note = contents;
		}
	}
	*suffix = note_suffix(note);
	return 0;
}

static bool is_abi8(struct str bytes)
{
	unsigned char osabi = (unsigned char)bytes.p[OSABI_AT];

	return osabi == OSABI_CUDA13 ||
	       (osabi != OSABI_CUDA12 && (unsigned char)bytes.p[ABI_VERSION_AT] >= 8);
}

int cubin_arch_read(struct str bytes, struct cubin_arch *out, struct err *e)
{
	struct cubin_arch arch = { 0 };
	struct elf elf;
	int rc = elf_open(bytes, &elf, e);

	if (rc) {
		return rc;
	}
	if (elf.machine != CUBIN_MACHINE) {
		return err_set(e, RC_WHEEL, "ELF: not for a CUDA GPU (e_machine %u)", elf.machine);
	}
	uint32_t flags = le32(bytes.p + FLAGS_AT);
	if (is_abi8(bytes)) {
		arch.sm = flags >> 8 & 0xff;
		rc = abi8_suffix(&elf, &arch.suffix, e);
	} else {
		arch.sm = flags & 0xff;
		arch.suffix = flags & ABI7_ARCH_SPECIFIC ? 'a' : 0;
	}
	if (!rc) {
		*out = arch;
	}
	return rc;
}
