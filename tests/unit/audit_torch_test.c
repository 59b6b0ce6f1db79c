/* Demands 2 and 3, and the kind of build: torch, its ABI and its CUDA. */
#include "tests/unit/audit_fixture.h"
#include "tests/unit/unit.h"

#define WHEEL "demo-1.0-cp312-cp312-linux_x86_64.whl"

/* Names as compilers write them. */
#define CUDA_CHECK "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb"
#define COW "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE"
#define EMPTY "_ZN2at4_ops5empty4callEN3c108ArrayRefINS2_6SymIntEEE"
#define FAIL_NEW                                                                       \
	"_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_" \
	"traitsIcESaIcEEE"
#define FAIL_OLD "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"

#define T211 "2.11.0+cu130 cuda=13.0 libraries=libc10.so,libtorch.so symbols="
#define T215 "2.15.0+cu130 cuda=13.2 libraries=libc10.so,libtorch.so symbols="

UNIT(audit_torch_abi_compares_symbols)
{
	static const struct audit_case cases[] = {
		{ "ffpa-attn 0.2.0 with torch 2.15", WHEEL,
			{ "f/_C.so needed=libc10.so undefined=" CUDA_CHECK "," COW "," EMPTY },
			NULL, "torch=2.15.0+cu130", T215 EMPTY, NULL, AUDIT_torch_abi, AUDIT_FAIL,
			"wants 2 symbols that torch 2.15.0+cu130 does not export: "
			"c10::cuda::c10_cuda_check_implementation, "
			"c10::impl::cow::materialize_cow_storage|undefined symbol: " CUDA_CHECK
			"|a build for torch 2.15.0+cu130|f/_C.so" },
		{ "ffpa-attn 0.2.0 with torch 2.11", WHEEL,
			{ "f/_C.so needed=libc10.so undefined=" CUDA_CHECK "," COW "," EMPTY },
			NULL, "torch=2.11.0+cu130", T211 CUDA_CHECK "," COW "," EMPTY, NULL,
			AUDIT_torch_abi, AUDIT_PASS,
			"wants 3 symbols, all exported by torch 2.11.0+cu130" },
		{ "torchvision's stable ABI with torch 2.11", WHEEL,
			{ "t/_C_stable.so "
			  "undefined=torch_exception_get_what,torch_new_stable_ivalue,aoti_"
			  "torch_empty_strided" },
			NULL, "torch=2.11.0+cu130", T211 "aoti_torch_empty_strided", NULL,
			AUDIT_torch_abi, AUDIT_FAIL, "2 symbols|torch_exception_get_what" },
		{ "torchvision's stable ABI with torch 2.15", WHEEL,
			{ "t/_C_stable.so "
			  "undefined=torch_exception_get_what,aoti_torch_empty_strided" },
			NULL, "torch=2.15.0+cu130",
			T215 "aoti_torch_empty_strided,torch_exception_get_what", NULL,
			AUDIT_torch_abi, AUDIT_PASS, "stable ABI alone" },
		{ "more than three are counted", WHEEL,
			{ "f/_C.so undefined=" CUDA_CHECK "," COW "," EMPTY "," FAIL_NEW }, NULL,
			"torch=2.15.0+cu130", T215 "x", NULL, AUDIT_torch_abi, AUDIT_FAIL,
			"4 symbols|, ..." },
		{ "what the wheel itself exports", WHEEL,
			{ "f/_C.so undefined=" COW, "f/libf.so exported=" COW }, NULL,
			"torch=2.15.0+cu130", T215 "x", NULL, AUDIT_torch_abi, AUDIT_PASS,
			"wants 1 symbol, all" },
		{ "a label for another torch, all symbols there",
			"demo-1.0+cu130torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "f/_C.so undefined=" EMPTY }, NULL, "torch=2.9.1+cu130",
			"2.9.1+cu130 cuda=13.0 symbols=" EMPTY, NULL, AUDIT_torch_abi, AUDIT_WARN,
			"built for torch 2.8|within one minor release" },
		{ "no use of torch, whatever the label says",
			"demo-1.0+cu130torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "f/_C.so needed=libc.so.6" }, NULL, "torch=2.9.1+cu130", NULL, NULL,
			AUDIT_torch_abi, AUDIT_PASS, "no binary of it uses torch" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_torch_abi_without_torch_refuses_and_never_passes_cxx)
{
	static const struct audit_case cases[] = {
		{ "C++ of torch", WHEEL, { "f/_C.so undefined=" EMPTY }, NULL, "torch=2.9.1+cu128",
			NULL, NULL, AUDIT_torch_abi, AUDIT_UNKNOWN, "not at hand|--torch-wheel" },
		{ "torch2.8 for torch 2.9", "demo-1.0+cu128torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "f/_C.so undefined=" EMPTY }, NULL, "torch=2.9.1+cu128", NULL, NULL,
			AUDIT_torch_abi, AUDIT_FAIL, "built for torch 2.8, the target has 2.9.1" },
		{ "an alpha of a container",
			"demo-1.0+cu12torch2.5cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
			{ "f/_C.so undefined=" EMPTY }, NULL, "torch=2.5.0a0+e000cf0ad9.nv24.10",
			NULL, NULL, AUDIT_torch_abi, AUDIT_UNKNOWN, "not at hand" },
		{ "stable ABI, old enough", WHEEL, { "f/_C.so undefined=aoti_torch_empty_strided" },
			NULL, "torch=2.9.1+cu128", NULL, NULL, AUDIT_torch_abi, AUDIT_PASS,
			"2.9 or newer" },
		{ "stable ABI, too new", WHEEL, { "f/_C.so undefined=torch_library_impl" }, NULL,
			"torch=2.9.1+cu128", NULL, NULL, AUDIT_torch_abi, AUDIT_FAIL,
			"torch 2.10, for torch_library_impl" },
		{ "torchvision's on 2.11", WHEEL, { "f/_C.so undefined=torch_new_stable_ivalue" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_torch_abi, AUDIT_FAIL,
			"2.13" },
		{ "stable ABI, no torch stated", WHEEL, { "f/_C.so undefined=torch_library_impl" },
			NULL, NULL, NULL, NULL, AUDIT_torch_abi, AUDIT_UNKNOWN, "2.10 or newer" },
		{ "the stable ABI does not care for the label",
			"demo-1.0+cu130torch2.9.0andhigher-cp39-abi3-linux_x86_64.whl",
			{ "f/_C.abi3.so undefined=aoti_torch_empty_strided" }, NULL,
			"torch=2.11.0+cu130", NULL, NULL, AUDIT_torch_abi, AUDIT_PASS,
			"2.9 or newer" },
		{ "DLLs are not read", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "f/_C.pyd format=pe needed=torch_cpu.dll,c10.dll" }, NULL,
			"platform=win_amd64 torch=2.9.1+cu128", NULL, NULL, AUDIT_torch_abi,
			AUDIT_UNKNOWN, "symbols are not read" },
		{ "linked and not used", WHEEL, { "f/_C.so needed=libtorch.so" }, NULL,
			"torch=2.9.1+cu128", NULL, NULL, AUDIT_torch_abi, AUDIT_PASS, "no symbol" },
		{ "digits with two readings", "demo-1.0+torch210cu128-cp312-cp312-linux_x86_64.whl",
			{ "f/_C.so undefined=" EMPTY }, NULL, "torch=2.10.0+cu128", NULL, NULL,
			AUDIT_torch_abi, AUDIT_UNKNOWN, "its name does not tell which" },
		{ "torch itself", "torch-2.11.0-cp312-cp312-manylinux_2_28_x86_64.whl",
			{ "torch/lib/libtorch_cuda.so undefined=" EMPTY }, NULL,
			"torch=2.11.0+cu130", NULL, NULL, AUDIT_torch_abi, AUDIT_PASS,
			"torch itself" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_torch_abi_tells_an_alpha_from_a_release)
{
	static const struct audit_case cases[] = {
		{ "a container is no release", WHEEL, { "f/_C.so undefined=" EMPTY }, NULL,
			"torch=2.5.0a0+e000cf0ad9.nv24.10", NULL, NULL, AUDIT_torch_abi,
			AUDIT_UNKNOWN, "" },
		{ ">=2.8.0 against 2.8.0a0", WHEEL, { "f/_C.so" }, "requires=torch>=2.8.0",
			"torch=2.8.0a0+5228986c39.nv25.5", NULL, NULL, AUDIT_torch_abi, AUDIT_FAIL,
			"requires torch>=2.8.0|2.8.0a0|a pre-release does not satisfy that" },
		{ ">=2.4 against 2.5.0a0", WHEEL, { "f/_C.so" }, "requires=torch>=2.4",
			"torch=2.5.0a0+e000cf0ad9.nv24.10", NULL, NULL, AUDIT_torch_abi, AUDIT_PASS,
			"" },
		{ "a release that does not fit", WHEEL, { "f/_C.so" }, "requires=torch<2.10",
			"torch=2.11.0+cu130", NULL, NULL, AUDIT_torch_abi, AUDIT_FAIL,
			"torch<2.10" },
		{ "another project", WHEEL, { "f/_C.so" }, "requires=torchvision<0.2",
			"torch=2.11.0+cu130", NULL, NULL, AUDIT_torch_abi, AUDIT_PASS, "" },
	};
	struct audit_case container = cases[0];
	struct arena a = ARENA_INIT;
	struct audit audit = AUDIT_INIT;
	bool is_said = false;

	AUDIT_CASES(cases);
	audit_case_run(&a, &container, &audit);
	vec_each(struct audit_finding, f, &audit.findings) {
		is_said = is_said || (f->check == AUDIT_torch_abi && f->result == AUDIT_WARN &&
					     str_has(f->text, "is no release"));
	}
	ck_assert(is_said);
	audit_release(&audit);
	arena_release(&a);
}

UNIT(audit_torch_abi_sees_the_cxx11_abi)
{
	static const struct audit_case cases[] = {
		{ "TRUE for 2.6.0+cu124, which is FALSE",
			"flash_attn-2.7.4.post1+cu12torch2.6cxx11abiTRUE-cp312-cp312-linux_x86_64."
			"whl",
			{ "a.so undefined=" FAIL_NEW }, NULL, "torch=2.6.0+cu124", NULL, NULL,
			AUDIT_torch_abi, AUDIT_FAIL, "C++11 ABI|torch 2.6.0+cu124 has the other" },
		{ "FALSE for 2.6.0+cu126, which is TRUE",
			"flash_attn-2.7.4.post1+cu12torch2.6cxx11abiFALSE-cp312-cp312-linux_x86_64."
			"whl",
			{ "a.so undefined=" FAIL_OLD }, NULL, "torch=2.6.0+cu126", NULL, NULL,
			AUDIT_torch_abi, AUDIT_FAIL,
			"C++ ABI before C++11|undefined symbol: " FAIL_OLD },
		{ "the name says FALSE, the symbols TRUE",
			"flash_attn-2.8.2+cu12torch2.6cxx11abiFALSE-cp312-cp312-linux_x86_64.whl",
			{ "a.so undefined=" FAIL_NEW }, NULL, "torch=2.6.0+cu124", NULL, NULL,
			AUDIT_torch_abi, AUDIT_FAIL, "C++11 ABI|has the other" },
		{ "the same where the target does not say",
			"flash_attn-2.8.2+cu12torch2.6cxx11abiFALSE-cp312-cp312-linux_x86_64.whl",
			{ "a.so undefined=" FAIL_NEW }, NULL, "torch=2.6.0", NULL, NULL,
			AUDIT_torch_abi, AUDIT_FAIL, "its name says the other" },
		{ "both say TRUE",
			"flash_attn-2.7.4.post1+cu12torch2.6cxx11abiTRUE-cp312-cp312-linux_x86_64."
			"whl",
			{ "a.so undefined=" FAIL_NEW }, NULL, "torch=2.6.0+cu126", NULL, NULL,
			AUDIT_torch_abi, AUDIT_UNKNOWN, "not at hand" },
		{ "which build of 2.6.0?",
			"flash_attn-2.7.4.post1+cu12torch2.6cxx11abiTRUE-cp312-cp312-linux_x86_64."
			"whl",
			{ "a.so undefined=" EMPTY }, NULL, "torch=2.6.0", NULL, NULL,
			AUDIT_torch_abi, AUDIT_UNKNOWN, "which one has the target?" },
		{ "std::string of the standard library says nothing of torch", WHEEL,
			{ "a.so "
			  "undefined=aoti_torch_empty_strided,_ZNSt7__cxx1112basic_"
			  "stringIcE4fooEv" },
			NULL, "torch=2.9.1+cu128 cxx11_abi=1", NULL, NULL, AUDIT_torch_abi,
			AUDIT_PASS, "" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_cuda_wants_one_major)
{
	static const struct audit_case cases[] = {
		{ "xformers 0.0.35 with torch for CUDA 13",
			"xformers-0.0.35-py39-none-manylinux_2_28_x86_64.whl",
			{ "x/_C.so needed=libcudart.so.12 undefined=aoti_torch_empty_strided "
			  "toolkits=12.8" },
			NULL, "torch=2.15.0", T215 "aoti_torch_empty_strided", NULL, AUDIT_cuda,
			AUDIT_FAIL,
			"needs libcudart.so.12, of CUDA 12; torch 2.15.0+cu130 has CUDA "
			"13.2|ImportError: "
			"libcudart.so.12: cannot open shared object file" },
		{ "the same with torch for CUDA 12",
			"xformers-0.0.35-py39-none-manylinux_2_28_x86_64.whl",
			{ "x/_C.so needed=libcudart.so.12 undefined=aoti_torch_empty_strided "
			  "toolkits=12.8" },
			NULL, "torch=2.10.0+cu128", NULL, NULL, AUDIT_cuda, AUDIT_PASS,
			"CUDA 12.8" },
		{ "a library that several majors have", WHEEL, { "a.so needed=libcurand.so.10" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_PASS,
			"fit CUDA 13.0" },
		{ "cuSOLVER's own numbers", WHEEL, { "a.so needed=libcusolver.so.11" }, NULL,
			"torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_FAIL, "CUDA 11 to 12" },
		{ "a static runtime of another major", WHEEL,
			{ "a.so undefined=" EMPTY " toolkits=12.8.93" }, NULL, "torch=2.11.0+cu130",
			NULL, NULL, AUDIT_cuda, AUDIT_FAIL,
			"made by CUDA 12.8.93; torch 2.11.0+cu130 has CUDA 13.0" },
		{ "a newer minor", WHEEL, { "a.so undefined=" EMPTY " toolkits=12.9.41" }, NULL,
			"torch=2.8.0+cu126", NULL, NULL, AUDIT_cuda, AUDIT_WARN,
			"made by CUDA 12.9" },
		{ "an older minor", WHEEL, { "a.so undefined=" EMPTY " toolkits=12.4.131" }, NULL,
			"torch=2.8.0+cu126", NULL, NULL, AUDIT_cuda, AUDIT_PASS, "CUDA 12.4" },
		{ "every 13.x", WHEEL, { "a.so undefined=" EMPTY " toolkits=13.2.51" }, NULL,
			"cuda=13", NULL, NULL, AUDIT_cuda, AUDIT_PASS, "13.2" },
		{ "the driver alone", WHEEL, { "a.so needed=libcuda.so.1 toolkits=12.8.93" }, NULL,
			"torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_PASS,
			"made by CUDA 12.8" },
		{ "CUDA of its own closure, beside torch's", WHEEL,
			{ "a.so needed=libcudart.so.12" }, NULL, "torch=2.11.0+cu130", NULL,
			"closed provided=libcudart.so.12", AUDIT_cuda, AUDIT_WARN,
			"its requirements bring that library|two CUDA runtimes" },
		{ "brought by itself", WHEEL,
			{ "a.so needed=libcudart.so.12",
				"demo.libs/libcudart-1a.so.12 soname=libcudart.so.12" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_PASS, "" },
		{ "a CPU build of torch", WHEEL, { "a.so needed=libcudart.so.12" }, NULL,
			"torch=2.8.0+cpu", NULL, NULL, AUDIT_cuda, AUDIT_FAIL, "has no CUDA" },
		{ "a target that says nothing", WHEEL, { "a.so needed=libcudart.so.12" }, NULL,
			NULL, NULL, NULL, AUDIT_cuda, AUDIT_UNKNOWN, "state torch or cuda" },
		{ "no CUDA", WHEEL, { "a.so needed=libc.so.6" }, NULL, "torch=2.11.0+cu130", NULL,
			NULL, AUDIT_cuda, AUDIT_PASS, "uses no CUDA" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_cuda_does_not_believe_names)
{
	static const struct audit_case cases[] = {
		{ "pygpukit's cu131, made by 13.0",
			"pygpukit-0.2.19-cp312-cp312-manylinux_2_35_x86_64.whl",
			{ "p/_pygpukit_native_cu131.cpython-312-x86_64-linux-gnu.so "
			  "toolkits=13.0.88 "
			  "exported=PyInit__pygpukit_native_cu131" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_WARN,
			"its name says CUDA 13.1; its device code was made by 13.0.88" },
		{ "a label for another major", "demo-1.0+cu130-cp312-cp312-linux_x86_64.whl",
			{ "a.so toolkits=12.8.93" }, NULL, "torch=2.8.0+cu128", NULL, NULL,
			AUDIT_cuda, AUDIT_WARN,
			"its name says CUDA 13.0|its binaries say otherwise" },
		{ "cu12 made by 12.9", "demo-1.0+cu12torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "a.so toolkits=12.9.86" }, NULL, "torch=2.8.0+cu129", NULL, NULL,
			AUDIT_cuda, AUDIT_PASS, "12.9" },
		{ "cu128 for torch cu126", "demo-1.0+cu128torch2.8-cp312-cp312-linux_x86_64.whl",
			{ "a.so" }, NULL, "torch=2.8.0+cu126", NULL, NULL, AUDIT_cuda, AUDIT_WARN,
			"built for CUDA 12.8|within a major they fit" },
		{ "a label is all there is", "demo-1.0+cu130-cp312-cp312-linux_x86_64.whl",
			{ "a.so" }, NULL, "torch=2.8.0+cu128", NULL, NULL, AUDIT_cuda, AUDIT_FAIL,
			"built for CUDA 13.0" },
		{ "a build for the CPU", "demo-1.0+cpu-cp312-cp312-linux_x86_64.whl", { "a.so" },
			NULL, "torch=2.8.0+cu128", NULL, NULL, AUDIT_cuda, AUDIT_FAIL,
			"built for the CPU" },
		{ "ROCm for CUDA", "torch-2.8.0+rocm6.4-cp312-cp312-linux_x86_64.whl", { "a.so" },
			NULL, "cuda=12.6", NULL, NULL, AUDIT_cuda, AUDIT_FAIL, "built for ROCm" },
		{ "CUDA for none", "torch-2.8.0+cu126-cp312-cp312-linux_x86_64.whl", { "a.so" },
			NULL, "cuda=none", NULL, NULL, AUDIT_cuda, AUDIT_FAIL,
			"built for CUDA 12.6" },
		{ "the CPU for none", "torch-2.8.0+cpu-cp312-cp312-linux_x86_64.whl", { "a.so" },
			NULL, "cuda=none", NULL, NULL, AUDIT_cuda, AUDIT_PASS, "" },
		{ "newer code that shares nothing with torch", WHEEL, { "a.so toolkits=12.9.41" },
			NULL, "torch=2.8.0+cu126", NULL, NULL, AUDIT_cuda, AUDIT_PASS, "12.9" },
		{ "bitsandbytes: one of several",
			"bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl",
			{ "b/libbitsandbytes_cuda118.so needed=libcudart.so.11.0 toolkits=11.8",
				"b/libbitsandbytes_cuda126.so needed=libcudart.so.12 toolkits=12.6",
				"b/libbitsandbytes_cuda130.so needed=libcudart.so.13 "
				"toolkits=12.8,13.0.88",
				"b/libbitsandbytes_cpu.so", "b/libbitsandbytes_xpu.so" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_PASS, "13.0" },
		{ "bitsandbytes: none of several",
			"bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl",
			{ "b/libbitsandbytes_cuda118.so needed=libcudart.so.11.0",
				"b/libbitsandbytes_cuda126.so needed=libcudart.so.12" },
			NULL, "torch=2.11.0+cu130", NULL, NULL, AUDIT_cuda, AUDIT_FAIL,
			"libcudart.so.12" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_build_kind_finds_cpu_builds)
{
	static const struct audit_case cases[] = {
		{ "torch for aarch64 from PyPI, for a GPU",
			"torch-2.8.0-cp312-cp312-manylinux_2_28_aarch64.whl",
			{ "torch/lib/libtorch_cpu.so machine=aarch64" }, NULL,
			"platform=linux_aarch64 gpus=9.0 cuda=12.8", NULL, NULL, AUDIT_build_kind,
			AUDIT_FAIL,
			"CPU build of torch|torch==2.8.0+cu128|not compiled with CUDA" },
		{ "its CUDA build", "torch-2.8.0+cu128-cp312-cp312-manylinux_2_28_aarch64.whl",
			{ "torch/lib/libtorch_cpu.so machine=aarch64",
				"torch/lib/libtorch_cuda.so machine=aarch64 code=sm_90 "
				"toolkits=12.8" },
			NULL, "platform=linux_aarch64 gpus=9.0 cuda=12.8", NULL, NULL,
			AUDIT_build_kind, AUDIT_PASS, "CUDA build" },
		{ "for a machine without GPU",
			"torch-2.8.0+cpu-cp312-cp312-manylinux_2_28_x86_64.whl",
			{ "torch/lib/libtorch_cpu.so" }, NULL, "torch=2.8.0+cpu", NULL, NULL,
			AUDIT_build_kind, AUDIT_PASS, "no CUDA" },
		{ "natten without its library", "natten-0.21.6-py3-none-any.whl", { NULL }, NULL,
			"gpus=9.0", NULL, NULL, AUDIT_build_kind, AUDIT_FAIL,
			"no device code|libnatten" },
		{ "ffpa-attn, pure", "ffpa_attn-0.2.4-py3-none-any.whl", { NULL }, NULL, "gpus=9.0",
			NULL, NULL, AUDIT_build_kind, AUDIT_WARN, "at first use" },
		{ "ffpa-attn +cu13, pure all the same", "ffpa_attn-0.2.4+cu13-py3-none-any.whl",
			{ NULL }, NULL, "gpus=9.0", NULL, NULL, AUDIT_build_kind, AUDIT_FAIL,
			"whatever its label says" },
		{ "mamba-ssm without selective_scan", "mamba_ssm-2.3.2-py3-none-any.whl", { NULL },
			NULL, "gpus=9.0", NULL, NULL, AUDIT_build_kind, AUDIT_WARN,
			"slow reference" },
		{ "mamba-ssm with another library", "mamba_ssm-2.3.1-cp312-cp312-linux_x86_64.whl",
			{ "other.so code=sm_90" }, NULL, "gpus=9.0", NULL, NULL, AUDIT_build_kind,
			AUDIT_FAIL, "no module selective_scan_cuda*" },
		{ "pygpukit before it had a library", "pygpukit-0.1.1-py3-none-any.whl", { NULL },
			NULL, "gpus=9.0", NULL, NULL, AUDIT_build_kind, AUDIT_FAIL, "simulates" },
		{ "pygpukit without its part in Rust",
			"pygpukit-0.2.19-cp312-cp312-linux_x86_64.whl",
			{ "p/_pygpukit_native_cu131.so code=sm_90" }, NULL, "gpus=9.0", NULL, NULL,
			AUDIT_build_kind, AUDIT_WARN, "no module _pygpukit_rust*" },
		{ "pygpukit with both", "pygpukit-0.2.19-cp312-cp312-linux_x86_64.whl",
			{ "p/_pygpukit_native_cu131.so code=sm_90", "p/_pygpukit_rust.so" }, NULL,
			"gpus=9.0", NULL, NULL, AUDIT_build_kind, AUDIT_PASS, "CUDA build" },
		{ "torch-scatter for the CPU", "torch_scatter-2.1.2-cp312-cp312-linux_x86_64.whl",
			{ "torch_scatter/_scatter_cpu.so" }, NULL, "gpus=9.0", NULL, NULL,
			AUDIT_build_kind, AUDIT_FAIL, "FORCE_CUDA" },
		{ "a label and nothing behind it", "demo-1.0+cu128-py3-none-any.whl", { NULL },
			NULL, "gpus=9.0", NULL, NULL, AUDIT_build_kind, AUDIT_WARN,
			"nothing of CUDA" },
		{ "Triton compiles at first use",
			"triton-3.9.0-cp312-cp312-manylinux_2_28_x86_64.whl",
			{ "triton/_C/libtriton.so" }, NULL, "gpus=9.0", NULL, NULL,
			AUDIT_build_kind, AUDIT_PASS, "not expected" },
	};

	AUDIT_CASES(cases);
}
