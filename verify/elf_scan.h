/* What the dynamic loader will want of an ELF file (System V gABI chapter 5, and GNU's version and RELR extensions), read
 * from a stream: pieces come in once, in order, and only what may be needed is kept (program headers say where to
 * look; section headers are not believed and may be missing). A file whose tables lie elsewhere is fed a second
 * time. Input is hostile: every offset, count and loop is bounded. */
#ifndef VERIFY_ELF_SCAN_H
#define VERIFY_ELF_SCAN_H

#include "verify/native.h"

struct elf_scan; /* owns what it keeps: at most LIMIT_ELF_KEPT bytes */

struct elf_scan *elf_scan_new(uint64_t size);
void elf_scan_free(struct elf_scan *s);
int elf_scan_add(struct elf_scan *s, const void *bytes, size_t n, struct err *e);
/* 0: *out is filled (machine and everything dynamic; texts in the arena); its member, name and toolkits stay.
 * 1: feed the whole file once more, then ask again; happens once at most. RC_WHEEL: damaged. RC_LIMIT: its tables
 * are larger than LIMIT_ELF_KEPT, its names than LIMIT_ELF_NAMES. A file of another class or byte order is no
 * error: is_readable is false. Executables, objects and cores without dynamic segment give an empty module.
 * Names of libraries and versions, and search paths, are UTF-8 without control bytes, or the file is damaged; versions
 * that may be missing (VER_FLG_WEAK) are left out. */
int elf_scan_end(struct elf_scan *s, struct arena *a, struct native_module *out, struct err *e);

/* Windows: machine and imported DLLs (delay-loaded ones too, behind the others) of a PE32+ file (Microsoft's PE
 * format), by the same protocol. PE32, and what has no PE header within its first 8 MiB, is not readable. */
struct pe_scan;
struct pe_scan *pe_scan_new(uint64_t size);
void pe_scan_free(struct pe_scan *s);
int pe_scan_add(struct pe_scan *s, const void *bytes, size_t n, struct err *e);
int pe_scan_end(struct pe_scan *s, struct arena *a, struct native_module *out, struct err *e);

/* Mach-O, thin or universal: recognised by its first bytes, not read. */
bool macho_is(struct str head);

#endif
