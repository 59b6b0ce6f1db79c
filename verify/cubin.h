/* Cubins: ELF files with e_machine 190, in a container or loose, read from their beginning in
 * pieces.
 *
 * ELF ABI version 7 (CUDA up to 12) tells everything in the header: e_flags the architecture,
 * e_version the toolkit (128 is 12.8). Version 8 tells only the number there; the suffix and the
 * toolkit stand in .note.nv.tkinfo, a note (gABI chapter 5, "Note Section") that comes early in the
 * file and quotes the options of ptxas. The linker's note follows those of what it linked. */
#ifndef VERIFY_CUBIN_H
#define VERIFY_CUBIN_H

#include "manifests/base/err.h"
#include "verify/toolkit_release.h"

enum { CUBIN_MACHINE = 190, CUBIN_WINDOW = 16 * 1024 };

struct cubin_facts {
	unsigned sm;
	char suffix; /* 0, 'a', 'f'; 'a' where it is not known, which promises least */
	struct toolkit_release toolkit; /* the newest of its notes; unknown without one */
};

struct cubin_scan {    /* private */
	uint64_t size; /* of the whole file */
	char window[CUBIN_WINDOW];
	size_t have; /* bytes in it; it begins at a multiple of 4 in the file */
	bool is_headed, has_note, is_done;
	struct cubin_facts facts;
	const char *fault; /* of its header; NULL: none */
};

/* Do these first bytes begin a cubin? */
bool cubin_is(struct str head);
void cubin_scan_init(struct cubin_scan *s, uint64_t size);
/* False: the rest of the file would tell nothing more. */
bool cubin_scan_add(struct cubin_scan *s, const void *bytes, size_t n);
/* RC_WHEEL: no cubin, or cut. */
int cubin_scan_end(struct cubin_scan *s, struct cubin_facts *out, struct err *e);

#endif
