/* Demands 5 to 7, libraries and search paths. */
#include "tests/unit/audit_fixture.h"
#include "tests/unit/unit.h"

#define WHEEL "demo-1.0-cp312-cp312-linux_x86_64.whl"
#define ARM "platform=linux_aarch64"

UNIT(audit_cpu_looks_at_every_binary)
{
	static const struct audit_case cases[] = {
		{ "the tag lies", WHEEL, { "libX.so machine=aarch64" }, NULL, NULL, NULL, NULL,
			AUDIT_cpu, AUDIT_FAIL,
			"libX.so|is for aarch64, the tag says linux_x86_64" },
		{ "one of two", WHEEL, { "a.so", "libX.so machine=aarch64" }, NULL, NULL, NULL,
			NULL, AUDIT_cpu, AUDIT_FAIL, "libX.so" },
		{ "on purpose", WHEEL, { "a.so", "d/attach_linux_x86.so machine=x86 unreadable" },
			NULL, NULL, NULL, NULL, AUDIT_cpu, AUDIT_WARN, "32 bits|its name says so" },
		{ "a wheel for aarch64",
			"flash_attn-2.8.3+cu130torch2.11-cp312-cp312-manylinux_2_28_aarch64.whl",
			{ "a.so machine=aarch64" }, NULL, NULL, NULL, NULL, AUDIT_cpu, AUDIT_FAIL,
			"is tagged manylinux_2_28_aarch64; target site has x86_64" },
		{ "the same for an aarch64 target",
			"flash_attn-2.8.3+cu130torch2.11-cp312-cp312-manylinux_2_28_aarch64.whl",
			{ "a.so machine=aarch64" }, NULL, ARM, NULL, NULL, AUDIT_cpu, AUDIT_PASS,
			"all binaries are for aarch64" },
		{ "manylinux1_i686", "demo-1.0-cp312-cp312-manylinux1_i686.whl", { NULL }, NULL,
			NULL, NULL, NULL, AUDIT_cpu, AUDIT_FAIL, "i686" },
		{ "a set with one that fits",
			"demo-1.0-cp312-cp312-manylinux_2_17_i686.manylinux_2_17_x86_64.whl",
			{ NULL }, NULL, NULL, NULL, NULL, AUDIT_cpu, AUDIT_PASS, "no binaries" },
		{ "device code is for no CPU", "demo-1.0-py3-none-any.whl", { NULL }, NULL, NULL,
			NULL, NULL, AUDIT_cpu, AUDIT_PASS, "no binaries" },
		{ "Windows", "demo-1.0-cp312-cp312-win_amd64.whl", { "a.pyd format=pe" }, NULL,
			"platform=win_amd64", NULL, NULL, AUDIT_cpu, AUDIT_PASS, "amd64" },
		{ "launchers for every Windows", "setuptools-84.2.1-py3-none-any.whl",
			{ "cli-64.exe format=pe", "cli-arm64.exe format=pe machine=aarch64",
				"cli-32.exe format=pe unreadable" },
			NULL, "platform=win_amd64", NULL, NULL, AUDIT_cpu, AUDIT_PASS, "amd64" },
		{ "a launcher for another one", "demo-1.0-py3-none-any.whl",
			{ "cli-arm64.exe format=pe machine=aarch64" }, NULL, "platform=win_amd64",
			NULL, NULL, AUDIT_cpu, AUDIT_WARN, "aarch64|a program of its own" },
		{ "a library of another one, for all", "demo-1.0-py3-none-any.whl",
			{ "a.pyd format=pe machine=aarch64" }, NULL, "platform=win_amd64", NULL,
			NULL, AUDIT_cpu, AUDIT_FAIL, "aarch64" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_os_looks_at_formats_and_libc)
{
	static const struct audit_case cases[] = {
		{ "a linux tag with .pyd alone", WHEEL, { "a.pyd format=pe" }, NULL, NULL, NULL,
			NULL, AUDIT_os, AUDIT_FAIL, "a.pyd|PE, for Windows" },
		{ "Mach-O", WHEEL, { "a.so format=macho" }, NULL, NULL, NULL, NULL, AUDIT_os,
			AUDIT_FAIL, "Mach-O" },
		{ "DLLs beside", WHEEL, { "a.so", "a.dll format=pe" }, NULL, NULL, NULL, NULL,
			AUDIT_os, AUDIT_WARN, "a.dll" },
		{ "setuptools' programs", "setuptools-84.2.1-py3-none-any.whl",
			{ "setuptools/cli-64.exe format=pe" }, NULL, NULL, NULL, NULL, AUDIT_os,
			AUDIT_PASS, "any fits Linux" },
		{ "a DLL alone in a wheel for all", "demo-1.0-py3-none-any.whl",
			{ "a.dll format=pe" }, NULL, NULL, NULL, NULL, AUDIT_os, AUDIT_WARN,
			"a.dll" },
		{ "a wheel for Windows", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "a.pyd format=pe" }, NULL, NULL, NULL, NULL, AUDIT_os, AUDIT_FAIL,
			"is tagged win_amd64" },
		{ "musllinux on glibc", "demo-1.0-cp312-cp312-musllinux_1_2_aarch64.whl",
			{ "a.so machine=aarch64" }, NULL, ARM, NULL, NULL, AUDIT_os, AUDIT_FAIL,
			"musllinux" },
		{ "manylinux on musl", "demo-1.0-cp312-cp312-manylinux_2_17_x86_64.whl", { "a.so" },
			NULL, "musl=1.2", NULL, NULL, AUDIT_os, AUDIT_FAIL, "musl 1.2" },
		{ "a linux tag, linked with musl", WHEEL, { "a.so needed=libc.musl-x86_64.so.1" },
			NULL, NULL, NULL, NULL, AUDIT_os, AUDIT_FAIL,
			"linked with musl|take its manylinux file" },
		{ "a linux tag, linked with glibc", WHEEL, { "a.so needed=libc.so.6" }, NULL,
			"musl=1.2", NULL, NULL, AUDIT_os, AUDIT_FAIL, "linked with glibc" },
		{ "macosx", "demo-1.0-cp312-cp312-macosx_11_0_arm64.whl", { NULL }, NULL, NULL,
			NULL, NULL, AUDIT_os, AUDIT_FAIL, "macosx_11_0_arm64" },
		{ "everything right", WHEEL, { "a.so needed=libc.so.6" }, NULL, NULL, NULL, NULL,
			AUDIT_os, AUDIT_PASS, "glibc 2.28" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_libc_measures)
{
	static const struct audit_case cases[] = {
		{ "flash-attn 2.8.2 on glibc 2.31",
			"flash_attn-2.8.2+cu128torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "flash_attn_2_cuda.so "
			  "versions=GLIBC_2.2.5,GLIBC_2.32,GLIBCXX_3.4.29,CXXABI_1.3.13" },
			NULL, "glibc=2.31", NULL, NULL, AUDIT_libc, AUDIT_FAIL,
			"needs glibc 2.32; target site has 2.31|version `GLIBC_2.32' not "
			"found|flash_attn_2_cuda.so" },
		{ "the same on 2.28", "flash_attn-2.8.2+cu128torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "a.so versions=GLIBC_2.32" }, NULL, "glibc=2.28", NULL, NULL, AUDIT_libc,
			AUDIT_FAIL, "2.28" },
		{ "its libstdc++ apart",
			"flash_attn-2.8.2+cu128torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "a.so versions=GLIBC_2.29,GLIBCXX_3.4.29" }, NULL, "glibc=2.31", NULL,
			NULL, AUDIT_libc, AUDIT_WARN, "GLIBCXX_3.4.29|Debian 11|up to 3.4.28" },
		{ "a libstdc++ that comes along", WHEEL,
			{ "a.so versions=GLIBC_2.29,GLIBCXX_3.4.29", "demo.libs/libstdc++.so.6" },
			NULL, "glibc=2.31", NULL, NULL, AUDIT_libc, AUDIT_PASS, "GLIBCXX_3.4.29" },
		{ "numbers, not text", WHEEL, { "a.so versions=GLIBC_2.9,GLIBCXX_3.4.9" }, NULL,
			"glibc=2.17", NULL, NULL, AUDIT_libc, AUDIT_PASS, "needs glibc 2.9" },
		{ "3.4.30 is above 3.4.9", WHEEL, { "a.so versions=GLIBCXX_3.4.9,GLIBCXX_3.4.30" },
			NULL, "glibc=2.28", NULL, NULL, AUDIT_libc, AUDIT_WARN, "3.4.30" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_libc_compares_tag_and_target)
{
	static const struct audit_case cases[] = {
		{ "ffpa on RHEL 9", "ffpa_attn-0.2.4+cu13-cp312-cp312-manylinux_2_34_x86_64.whl",
			{ "libffpa.so versions=GLIBC_2.38" }, NULL, "glibc=2.34", NULL, NULL,
			AUDIT_libc, AUDIT_FAIL, "2.38" },
		{ "tag 2.34, binary 2.38",
			"ffpa_attn-0.2.4+cu13-cp312-cp312-manylinux_2_34_x86_64.whl",
			{ "libffpa.so versions=GLIBC_2.38" }, NULL, "glibc=2.39", NULL, NULL,
			AUDIT_libc, AUDIT_WARN, "manylinux_2_34 allows up to 2.34" },
		{ "a tag of libstdc++ 3.4.24", "demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl",
			{ "a.so versions=GLIBC_2.28,GLIBCXX_3.4.29" }, NULL, "glibc=2.35", NULL,
			NULL, AUDIT_libc, AUDIT_WARN, "allows up to 3.4.24" },
		{ "a tag above the target",
			"flash_attn-2.8.3+cu124torch2.4-cp312-cp312-manylinux_2_34_x86_64."
			"manylinux_2_35_x86_64.whl",
			{ "a.so versions=GLIBC_2.14" }, NULL, "glibc=2.28", NULL, NULL, AUDIT_libc,
			AUDIT_FAIL, "tagged for glibc 2.34" },
		{ "packed relocations", WHEEL, { "a.so versions=GLIBC_2.17 relr" }, NULL,
			"glibc=2.35", NULL, NULL, AUDIT_libc, AUDIT_FAIL,
			"2.36 (packed relocations, DT_RELR)" },
		{ "packed relocations by version", WHEEL,
			{ "a.so versions=GLIBC_2.17,GLIBC_ABI_DT_RELR" }, NULL, "glibc=2.35", NULL,
			NULL, AUDIT_libc, AUDIT_FAIL, "2.36" },
		{ "packed relocations on 2.36", WHEEL, { "a.so versions=GLIBC_ABI_DT_RELR" }, NULL,
			"glibc=2.36", NULL, NULL, AUDIT_libc, AUDIT_PASS, "2.36" },
		{ "GLIBC_PRIVATE", WHEEL, { "a.so versions=GLIBC_2.17,GLIBC_PRIVATE" }, NULL, NULL,
			NULL, NULL, AUDIT_libc, AUDIT_WARN, "GLIBC_PRIVATE" },
		{ "bitsandbytes' XPU module",
			"bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl",
			{ "b/libbitsandbytes_cuda126.so versions=GLIBC_2.2.5",
				"b/libbitsandbytes_xpu2026.so versions=GLIBC_2.32" },
			NULL, "glibc=2.28 torch=2.8.0+cu126", NULL, NULL, AUDIT_libc, AUDIT_WARN,
			"libbitsandbytes_xpu2026.so|for other GPU software" },
		{ "a lone module is not one of several", WHEEL,
			{ "b/libb_xpu.so versions=GLIBC_2.32" }, NULL, NULL, NULL, NULL, AUDIT_libc,
			AUDIT_FAIL, "libb_xpu.so" },
		{ "2.18 on aarch64", "demo-1.0-cp312-cp312-manylinux2014_aarch64.whl",
			{ "a.so machine=aarch64 versions=GLIBC_2.18" }, NULL, ARM, NULL, NULL,
			AUDIT_libc, AUDIT_PASS, "2.18" },
		{ "musl, too new", "demo-1.0-cp312-cp312-musllinux_1_2_x86_64.whl", { "a.so" },
			NULL, "musl=1.1", NULL, NULL, AUDIT_libc, AUDIT_FAIL, "musl 1.2" },
		{ "Windows", "demo-1.0-cp312-cp312-win_amd64.whl", { "a.pyd format=pe" }, NULL,
			"platform=win_amd64", NULL, NULL, AUDIT_libc, AUDIT_PASS, "Windows" },
		{ "another processor's binary does not count", WHEEL,
			{ "a.so versions=GLIBC_2.17",
				"x/b_aarch64.so machine=aarch64 versions=GLIBC_2.38" },
			NULL, NULL, NULL, NULL, AUDIT_libc, AUDIT_PASS, "2.17" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_libraries_come_from_somewhere)
{
	static const struct audit_case cases[] = {
		{ "the system's", WHEEL, { "a.so needed=libc.so.6,libstdc++.so.6,libgcc_s.so.1" },
			NULL, NULL, NULL, "closed", AUDIT_libraries, AUDIT_PASS,
			"need: 3, all there" },
		{ "its own, by soname and by file name", WHEEL,
			{ "a.so needed=libx.so.1,liby-1a.so",
				"demo.libs/libx-77.so soname=libx.so.1", "demo.libs/liby-1a.so" },
			NULL, NULL, NULL, "closed", AUDIT_libraries, AUDIT_PASS, "need: 2, all" },
		{ "of its closure", WHEEL, { "a.so needed=libcublas.so.12" }, NULL,
			"torch=2.8.0+cu128", NULL, "closed provided=libcublas.so.12",
			AUDIT_libraries, AUDIT_PASS, "" },
		{ "missing in a closed plan", WHEEL,
			{ "a.so needed=libcublas.so.12", "b.so needed=libcublas.so.12" }, NULL,
			"torch=2.8.0+cu128", NULL, "closed", AUDIT_libraries, AUDIT_FAIL,
			"libcublas.so.12|add nvidia-cublas-cu12|cannot open shared object file|2 "
			"binaries" },
		{ "CUDA 13's projects have no suffix", WHEEL, { "a.so needed=libcublas.so.13" },
			NULL, "torch=2.11.0+cu130", NULL, "closed", AUDIT_libraries, AUDIT_FAIL,
			"add nvidia-cublas to" },
		{ "of the distribution's compiler", WHEEL, { "a.so needed=libgomp.so.1" }, NULL,
			NULL, NULL, "closed", AUDIT_libraries, AUDIT_WARN, "no tag promises" },
		{ "missing for a plugin", "nvidia_cufile-1.0-py3-none-manylinux_2_28_x86_64.whl",
			{ "n/libcufile.so.0 needed=libc.so.6",
				"n/libcufile_rdma.so.1 needed=libibverbs.so.1" },
			NULL, NULL, NULL, "closed", AUDIT_libraries, AUDIT_WARN,
			"libcufile_rdma.so.1|libibverbs.so.1" },
		{ "missing for what is imported", WHEEL,
			{ "a.so needed=libb.so exported=PyInit_a",
				"libb.so needed=libibverbs.so.1" },
			NULL, NULL, NULL, "closed", AUDIT_libraries, AUDIT_FAIL,
			"libibverbs.so.1" },
		{ "missing in an open one", WHEEL, { "a.so needed=libfoo.so.1" }, NULL, NULL, NULL,
			NULL, AUDIT_libraries, AUDIT_UNKNOWN, "libfoo.so.1|not looked into" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_libraries_of_torch_driver_python_and_windows)
{
	static const struct audit_case cases[] = {
		{ "torch's, at hand", WHEEL, { "a.so needed=libtorch.so,libc10.so" }, NULL,
			"torch=2.11.0+cu130",
			"2.11.0+cu130 cuda=13.0 libraries=libc10.so,libtorch.so", "closed",
			AUDIT_libraries, AUDIT_PASS, "" },
		{ "torch's, but this one has it not", WHEEL, { "a.so needed=libtorch_cuda_cpp.so" },
			NULL, "torch=2.11.0+cu130",
			"2.11.0+cu130 cuda=13.0 libraries=libc10.so,libtorch.so", NULL,
			AUDIT_libraries, AUDIT_FAIL, "libtorch_cuda_cpp.so" },
		{ "torch's, not at hand", WHEEL, { "a.so needed=libtorch.so,libc.so.6,libc10.so" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_libraries, AUDIT_UNKNOWN,
			"needs libtorch.so, libc10.so of torch|--torch-wheel" },
		{ "the driver's, with a GPU", WHEEL, { "a.so needed=libcuda.so.1" }, NULL,
			"gpus=9.0", NULL, "closed", AUDIT_libraries, AUDIT_PASS, "" },
		{ "the driver's, on a login node", WHEEL, { "a.so needed=libcuda.so.1" }, NULL,
			NULL, NULL, "closed", AUDIT_libraries, AUDIT_WARN,
			"no driver is installed" },
		{ "Python's own", WHEEL, { "a.so needed=libpython3.12.so.1.0" }, NULL, NULL, NULL,
			"closed", AUDIT_libraries, AUDIT_WARN, "linked statically" },
		{ "another Python's", WHEEL, { "a.so needed=libpython3.11.so.1.0" }, NULL, NULL,
			NULL, "closed", AUDIT_libraries, AUDIT_FAIL, "another Python" },
		{ "Windows", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "a.pyd format=pe "
			  "needed=KERNEL32.dll,VCRUNTIME140.dll,api-ms-win-crt-heap-l1-1-0.dll,"
			  "python312.dll" },
			NULL, "platform=win_amd64", NULL, "closed", AUDIT_libraries, AUDIT_PASS,
			"need: 4, all" },
		{ "a DLL of the closure, in another case", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "a.pyd format=pe needed=CUDART64_12.dll" }, NULL,
			"platform=win_amd64 torch=2.8.0+cu128", NULL,
			"closed provided=cudart64_12.dll", AUDIT_libraries, AUDIT_PASS, "" },
		{ "a module for another CUDA asks for nothing",
			"bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl",
			{ "b/libbitsandbytes_cuda118.so needed=libcudart.so.11.0",
				"b/libbitsandbytes_cuda126.so needed=libcudart.so.12" },
			NULL, "torch=2.8.0+cu126", NULL, "closed provided=libcudart.so.12",
			AUDIT_libraries, AUDIT_PASS, "" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_rpath_stays_inside)
{
	static const struct {
		const char *rpath;
		enum audit_result result;
		const char *words;
	} paths[] = {
		{ "$ORIGIN", AUDIT_PASS, "" },
		{ "$ORIGIN/../../nvidia/cublas/lib:${ORIGIN}/lib", AUDIT_PASS, "" },
		{ "$ORIGIN/../../../..", AUDIT_PASS, "" }, /* the environment */
		{ "$ORIGIN/../../../../../..", AUDIT_WARN, "leads out of the installation" },
		{ "$ORIGIN:/usr/local/cuda/lib64", AUDIT_WARN,
			"/usr/local/cuda/lib64|the machine that built" },
		{ "$ORIGIN::/x", AUDIT_WARN, "the current folder" },
		{ "lib", AUDIT_WARN, "relative" },
		{ "$ORIGINAL/x", AUDIT_WARN, "relative" },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct buf module = BUF_INIT;

		buf_addf(&module, "demo/lib/a.so rpath=%s", paths[i].rpath);
		audit_case_check(&(struct audit_case){ .what = paths[i].rpath,
			.file = WHEEL,
			.modules = { module.p },
			.check = AUDIT_rpath,
			.result = paths[i].result,
			.words = paths[i].words });
		buf_release(&module);
	}
}
