/* The native code of a wheel: what its binaries say of themselves, whatever the file name says. One pass over the
 * wheel reads it all: RECORD is checked, ELF, PE and Mach-O files are read for what the loader will do with them,
 * device code is listed. Nothing is executed, nothing is written, no member is kept in memory whole. */
#ifndef VERIFY_NATIVE_H
#define VERIFY_NATIVE_H

#include "verify/device_code.h"
#include "verify/wheel_in.h"

enum native_format { NATIVE_ELF = 1, NATIVE_PE, NATIVE_MACHO, NATIVE_ARCHIVE /* .a */ };
enum native_machine { NATIVE_MACHINE_OTHER = 0, NATIVE_X86_64, NATIVE_AARCH64 };

enum native_symbol_kind {
	NATIVE_SYMBOL_OTHER = 0,
	NATIVE_SYMBOL_TORCH_CXX, /* of at::, c10::, c10d::, torch::, caffe2::; THP...; its casters of pybind11 */
	NATIVE_SYMBOL_TORCH_C,   /* the stable ABI: aoti_torch_..., aoti_record_..., torch_... */
	NATIVE_SYMBOL_PYTHON,    /* Py..., _Py... */
};
enum native_symbol_kind native_symbol_kind(struct str name);

struct native_version { /* one version that another library must have: { "libc.so.6", "GLIBC_2.28" } */
	struct str library, name;
};

struct native_module {
	size_t member;   /* index into wheel_members */
	struct str name; /* of the member */
	enum native_format format;
	enum native_machine machine;
	unsigned elf_machine;  /* e_machine, for messages about others */
	bool is_readable;      /* false: of another class or byte order; nothing below is known */
	struct str soname;     /* "" = none */
	struct str *needed;    /* DT_NEEDED, or the DLLs that a PE file imports, in order */
	size_t nneeded;
	struct str rpath;      /* DT_RUNPATH, else DT_RPATH, as written; "" = none */
	struct native_version *versions; /* DT_VERNEED, in order */
	size_t nversions;
	bool has_relr;         /* DT_RELR: needs glibc 2.36 */
	/* Strong undefined symbols of TORCH_CXX, TORCH_C and PYTHON kind, sorted, each once. Others are left out. */
	struct str *undefined;
	size_t nundefined;
	/* Defined, dynamic, global or weak, of the same kinds, sorted; those of PyInit_ are always there. */
	struct str *exported;
	size_t nexported;
	struct device_code device; /* its own, sorted; a copy of its part of native.device, in the arena */
	struct str *toolkits; /* releases of CUDA that made its device code ("13.2.86", "12.8"), sorted */
	size_t ntoolkits;
};

struct native {
	struct arena arena;
	struct native_module *modules; /* in the order of the members */
	size_t nmodules;
	struct device_code device; /* its `member`s are those of the wheel */
	struct str record_fault;   /* the first row of RECORD that is wrong, or "" */
};
#define NATIVE_INIT { .arena = ARENA_INIT }

/* `fd` is the wheel's file; `threads` 0: as many as there are cores, at most 4. RC_WHEEL where a member cannot be
 * inflated or a binary is damaged (a reader that cannot read must not say "nothing found"). */
int native_read(int fd, struct str file_name, unsigned threads, struct native *out, struct err *e);
void native_release(struct native *n);

#endif
