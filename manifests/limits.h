/* Every maximum of the formats, in one screen. Bytes unless said otherwise. Readers check them before
 * they allocate; the man pages of the formats quote them. */
#ifndef MANIFESTS_LIMITS_H
#define MANIFESTS_LIMITS_H

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* Names and texts */
#define LIMIT_NAME 128        /* a project name */
#define LIMIT_TARGET_NAME 64  /* [a-z0-9][a-z0-9_-]* */
#define LIMIT_FILE_NAME 255   /* a wheel or sdist name */
#define LIMIT_VERSION 256     /* a PEP 440 version */
#define LIMIT_REASON 500      /* a waiver's, an override's reason */
#define LIMIT_CHANNEL 64
#define LIMIT_WORD 64             /* tool, toolkit, a waiver's "what" */
#define LIMIT_REQUIRES_PYTHON 1024
#define LIMIT_DEVICE_CODE 4096    /* "sm_80 sm_90a compute_90" */
#define LIMIT_LICENSE 4096        /* a longer one is left out */
#define LIMIT_ORIGIN 8192         /* a URL */
#define LIMIT_YANKED 8192         /* a publisher's reason */

/* Input files */
#define LIMIT_LOCK (16 * MIB)
#define LIMIT_NETRC (1 * MIB)
#define LIMIT_TOML_DEPTH 64
#define LIMIT_SOURCES 1000          /* of a registry */
#define LIMIT_INDEX_PAGE (64 * MIB)
#define LIMIT_SOURCE_PAGES 200      /* that follow one another; GitHub shows 100 of releases */
#define LIMIT_METADATA (16 * MIB) /* METADATA or PKG-INFO of one distribution */
#define LIMIT_PYPROJECT (4 * MIB)
#define LIMIT_SETUP_PY MIB        /* a longer one is not looked into */

/* The bundle */
#define LIMIT_MANIFEST (32 * MIB)
#define LIMIT_SUMS (32 * MIB)
#define LIMIT_MEMBER_TEXT (16 * MIB) /* each requirements, pylock; the SBOM has LIMIT_MANIFEST */
#define LIMIT_SIGNATURE (16 * KIB)
#define LIMIT_SIGNATURES 8
#define LIMIT_FILE (UINT64_C(1) << 40) /* one distribution: 1 TiB */
#define LIMIT_FILES 200000            /* files in a manifest */
#define LIMIT_TARGETS 256
#define LIMIT_LIST 10000              /* extras of a file, requirements of a build */
#define LIMIT_RECIPE_ENV 1000         /* variables of a build */
#define LIMIT_SERIAL (UINT64_C(1) << 53)

/* Wheels */
#define LIMIT_WHEEL_MEMBERS 200000
#define LIMIT_WHEEL_INFLATED (64 * GIB)
#define LIMIT_MEMBER_NAME 1024
#define LIMIT_RECORD (32 * MIB)
#define LIMIT_DEVICE_KINDS 500     /* kinds, architectures and toolkits of device code in a member */
#define LIMIT_DEVICE_OPENED (16 * MIB) /* of one compressed cubin, for the note of its toolkit */
#define LIMIT_ELF_KEPT (96 * MIB)  /* of one binary, for the tables of its loader */
#define LIMIT_ELF_NAMES (32 * MIB) /* taken from it: bytes, and 32 for each name */
#define LIMIT_NATIVE_KEPT (192 * MIB)  /* of all binaries that are read at one time; not under LIMIT_ELF_KEPT */
#define LIMIT_NATIVE_NAMES (48 * MIB)  /* taken from all binaries of a wheel: bytes, and 32 for each name */
#define LIMIT_NATIVE_TEXT (32 * MIB)   /* of what a cache keeps of a wheel's native code */

/* The audit */
#define LIMIT_FINDING 2048 /* each text of a finding */
#define LIMIT_FINDINGS 40  /* of one check */
#define LIMIT_PICK_FINDINGS 32    /* that a manifest keeps of a file for a target */
#define LIMIT_FINDING_KEPT 600    /* each text of those */
#define LIMIT_AUDIT_LINE 128      /* "1✓ 2✓ ..." */

/* Work */
#define LIMIT_CLOSURE 20000 /* files of one target */
#define LIMIT_SOLVE_STEPS 50000 /* conflicts of one solve: some 200 MiB */

#endif
