/* The map of a wheel's native code, for people: one block for each binary. */
#ifndef VERIFY_NATIVE_TEXT_H
#define VERIFY_NATIVE_TEXT_H

#include "manifests/base/buf.h"
#include "verify/native.h"

const char *native_format_text(enum native_format f);   /* "ELF" */
const char *native_machine_text(enum native_machine m); /* "x86_64", "another processor" */

/* Of versions of one kind the highest, in the order in which kinds come: "GLIBC_2.28
 * GLIBCXX_3.4.21". */
void native_floors_format(const struct native_module *m, struct buf *out);
/*	demo/_C.so
 *	  format   ELF, x86_64
 *	  needs    libc10.so libcudart.so.13
 *	  ...
 * and a last line for RECORD. Unprintable bytes of names are escaped; lines are not broken. */
void native_text_write(const struct native *n, struct buf *out);

#endif
