/* Libraries that come with the machine (manifests/data/system_library.def). */
#ifndef MANIFESTS_SYSTEM_LIBRARY_H
#define MANIFESTS_SYSTEM_LIBRARY_H

#include "manifests/base/str.h"

enum library_owner {
	LIBRARY_OTHER = 0,
	LIBRARY_SYSTEM,  /* of every machine that the tags admit */
	LIBRARY_RUNTIME, /* of a compiler: on most machines, promised by no tag */
	LIBRARY_DRIVER,  /* of NVIDIA's driver: there only where that is installed */
	LIBRARY_PYTHON,  /* libpython3.12.so.1.0, python312.dll: not every Python has it */
};
/* By soname or the name of a DLL (in any case). */
enum library_owner library_owner(struct str soname);

#endif
