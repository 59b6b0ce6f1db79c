/* Mangled C++ names (Itanium C++ ABI, section 5.1), as far as messages and the C++ ABI of libstdc++
 * need them. The scanner follows the grammar's lengths, so that nothing is found inside an
 * identifier; what it cannot follow it skips. */
#ifndef VERIFY_CXX_NAME_H
#define VERIFY_CXX_NAME_H

#include "manifests/base/buf.h"

/* "c10::cuda::c10_cuda_check_implementation" of
 * "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb": the qualified name without parameters;
 * other names as they are. */
void cxx_name_format(struct str mangled, struct buf *out);
/* 1: it names std::string or another type of the C++11 ABI; 0: std::string of the ABI before; -1:
 * neither. */
int cxx_name_abi(struct str mangled);

#endif
