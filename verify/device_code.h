/* GPU code inside binaries: what lies in the fat binary containers of a wheel's members, and
 * whether it runs on a GPU. Listing needs no decompression; only for the toolkit that made a piece
 * of code is its beginning opened. No CUDA is used. */
#ifndef VERIFY_DEVICE_CODE_H
#define VERIFY_DEVICE_CODE_H

#include "manifests/target.h"
#include "verify/toolkit_release.h"
#include "verify/wheel_in.h"

enum device_kind { DEVICE_PTX = 1, DEVICE_CUBIN = 2, DEVICE_LTO = 8 };
enum device_packing { DEVICE_RAW = 1, DEVICE_LZ4 = 2, DEVICE_ZSTD = 4 };

struct device_entry {
	enum device_kind kind;
	unsigned sm;                   /* 90, 100, 120 */
	char suffix;                   /* 0, 'a' (that device only), 'f' (its family) */
	unsigned isa_major, isa_minor; /* PTX ISA version */
	/* What made it. Unknown for PTX and LTO code in containers, which do not tell, and for a
	 * cubin that could not be opened as far as needed. */
	struct toolkit_release toolkit;
	size_t member;    /* index into wheel_members */
	uint32_t count;   /* equal entries are counted, not repeated */
	unsigned packing; /* how they are stored: a set of enum device_packing */
};

struct device_code {
	struct device_entry *v; /* sorted by kind, sm, suffix, ISA, toolkit, member */
	size_t n, cap;
	size_t nunreadable; /* container headers that no sound entries follow: damage, or chance */
	size_t nold; /* of those: containers in the form of CUDA before 4, which are not read */
};

/* Shared libraries, static archives and loose .fatbin, .cubin and .ptx files, all told by their
 * contents. Streams: no member is kept in memory, but for loose cubins. RC_WHEEL: a member or a
 * container is damaged. */
int device_code_of_wheel(struct wheel *w, struct device_code *out, struct err *e);
void device_code_release(struct device_code *d);
/* Adds an entry, or counts it with its equals. Entries of one member come together; sort at the
 * end. */
void device_code_add(struct device_code *d, struct device_entry entry);
void device_code_sort(struct device_code *d);
/* Rules of CUDA's binary compatibility: cubin of the same major and no greater minor; 'a' exact;
 * 'f' in its family; PTX forward. *by_ptx tells that only PTX does it (the driver compiles it at
 * first use). */
bool device_code_covers(const struct device_code *d, struct gpu gpu, bool *by_ptx);
/* "sm_80 sm_90a compute_90 lto_90" in order, each once. LTO code runs only after linking at run
 * time. */
void device_code_format(const struct device_code *d, struct buf *out);
/* All GPUs of the target, or RC_NO_DEVICE_CODE: what it has, what is needed, what the user would
 * see. */
int check_device_code(
	const struct device_code *d, const struct target *t, struct str file, struct err *e);

#endif
