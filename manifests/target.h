/* A target: one kind of machine on the far side (gpkg-lock(5), table [[target]]).
 * Belongs to the arena of what it was read from. */
#ifndef MANIFESTS_TARGET_H
#define MANIFESTS_TARGET_H

#include "manifests/marker.h"
#include "manifests/version.h"

enum target_os { TARGET_LINUX = 1, TARGET_WINDOWS };
enum target_libc { TARGET_GLIBC = 1, TARGET_MUSL };

struct target_python {
	unsigned major, minor, patch; /* CPython 3.minor.patch; patch 0 unless has_patch */
	bool has_patch, free_threaded;
};

struct gpu { /* a compute capability: 9.0 is { 9, 0 }, written sm_90 */
	unsigned major, minor;
};

struct cuda_version {
	unsigned major, minor; /* major 0: none */
};

/* What is promised of a torch: wheels for a release fit it; one between releases (an alpha, a
 * nightly) or in one of NVIDIA's containers ("2.5.0a0+e000cf0ad9.nv24.10") may differ from the
 * release of the same number. */
enum torch_kind { TORCH_UNSAID = 0, TORCH_RELEASE, TORCH_PRERELEASE, TORCH_CONTAINER };

struct target {
	struct str name; /* [a-z0-9][a-z0-9_-]{0,63} */
	struct target_python python;
	struct str platform; /* "linux_x86_64", "linux_aarch64", "win_amd64" */
	enum target_os os;
	struct str machine; /* "x86_64", "aarch64", "amd64" as in tags */
	enum target_libc libc; /* Linux only */
	unsigned libc_major, libc_minor;
	struct gpu *gpus; /* in order of writing; all must work */
	size_t ngpus;
	struct str driver; /* "580.65.06" or "" */
	struct str torch;  /* "2.11.0+cu130" or "" */
	struct cuda_version cuda; /* given, or derived from torch's local label */
	bool is_any_cuda_minor;   /* "13": every 13.x will do; cuda.minor is then 0 */
	int cxx11_abi; /* -1 unknown, 0, 1 */
	bool is_cuda_known; /* stated or derived: without a CUDA version it then means "no CUDA" */
};

/* What a file or options say of a target, before it is checked; an empty slice is "not given". */
struct target_spec {
	struct str name, python, platform, glibc, musl, driver, torch, cuda;
	const struct str *gpus;
	size_t ngpus;
	int cxx11_abi; /* -1 not given */
};

/* Checks every field and derives the rest. RC_INVALID says the field, the value and what is
 * allowed: python "3.1" is impossible (3.8 to 3.15, a patch level where it matters, "t" from
 * 3.13), Linux needs glibc (2.5 to 2.99) or musl (1.0 to 1.99), Windows neither, gpus are
 * "major.minor" (named twice counts once), driver is "580.65.06" or its beginning, torch is an
 * exact PEP 440 version (kept in normal form), cuda is "13.0" (also written "130", "cu130" or
 * "13.0.88"), "13" for every 13.x, or "none". torch's local label
 * says the CUDA version ("+cu130"; "+cpu", "+rocm6.4" and "+xpu" say none) and, where it is
 * certain, the C++ ABI; what is given must not contradict it. */
int target_make(struct arena *a, const struct target_spec *spec, struct target *out, struct err *e);

/* The marker environment of CPython on Linux or Windows; platform_machine is "AMD64" on Windows.
 * python_full_version and implementation_version are 3.Y.0 where no patch level is given, so
 * "python_full_version >= '3.12.1'" needs python = "3.12.1" or higher to hold. platform_release
 * and platform_version are not known. Free-threading does not show in markers. */
void target_marker_env(struct arena *a, const struct target *t, struct marker_env *out);
enum torch_kind target_torch_kind(const struct target *t);
int gpu_parse(struct str text, struct gpu *out, struct err *e); /* "9.0", "12.0"; RC_INVALID */
/* "3.12", "3.13t", "3.12.4": as it was given; "3.13.2t". */
const char *target_python_text(struct arena *a, const struct target_python *p);

#endif
