/* Demands 1 and 8: device code and driver. */
#include "tests/unit/audit_fixture.h"
#include "tests/unit/unit.h"

#define WHEEL "demo-1.0-cp312-cp312-linux_x86_64.whl"

UNIT(audit_gpu_code_follows_the_rules_of_cuda)
{
	static const struct audit_case cases[] = {
		{ "FA2 on 8.9", WHEEL, { "a.so code=sm_80,sm_90,sm_100,sm_120" }, NULL, "gpus=8.9",
			NULL, NULL, AUDIT_gpu_code, AUDIT_PASS, "sm_80 sm_90" },
		{ "FA3 on 9.0", WHEEL, { "a.so code=sm_80,sm_90a" }, NULL, "gpus=9.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_PASS, "sm_90a" },
		{ "FA3 on 10.0", WHEEL, { "a.so code=sm_80,sm_90a" }, NULL, "gpus=10.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_FAIL,
			"has sm_80 sm_90a|target site needs sm_100|no kernel image is available|a "
			"build "
			"that names sm_100" },
		{ "FA3 on 12.0", WHEEL, { "a.so code=sm_80,sm_90a" }, NULL, "gpus=12.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_FAIL, "sm_120" },
		{ "ffpa on 9.0", WHEEL, { "a.so code=sm_89,sm_120f" }, NULL, "gpus=9.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_FAIL, "sm_90" },
		{ "ffpa on 12.1", WHEEL, { "a.so code=sm_89,sm_120f" }, NULL, "gpus=12.1", NULL,
			NULL, AUDIT_gpu_code, AUDIT_PASS, "sm_120f" },
		{ "8.0 alone on 9.0", WHEEL, { "a.so code=sm_80" }, NULL, "gpus=9.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_FAIL, "sm_90" },
		{ "8.0 alone on 8.6", WHEEL, { "a.so code=sm_80" }, NULL, "gpus=8.6", NULL, NULL,
			AUDIT_gpu_code, AUDIT_PASS, "sm_80" },
		{ "90a alone on 10.0", WHEEL, { "a.so code=sm_90a" }, NULL, "gpus=10.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_FAIL, "sm_100" },
		{ "9.0+PTX;10.0;12.0+PTX on 11.0", WHEEL,
			{ "a.so code=sm_90,sm_100,sm_120,compute_90/9.0,compute_120/9.0" }, NULL,
			"gpus=11.0", NULL, NULL, AUDIT_gpu_code, AUDIT_WARN,
			"sm_110 only by JIT|driver 580.65.06 or newer|unsupported toolchain" },
		{ "torch cu126 on P100", WHEEL,
			{ "a.so code=sm_50,sm_60,sm_70,sm_75,sm_80,sm_86,sm_90" }, NULL, "gpus=6.0",
			NULL, NULL, AUDIT_gpu_code, AUDIT_PASS, "sm_60" },
		{ "torch cu128 on P100", WHEEL,
			{ "a.so code=sm_70,sm_75,sm_80,sm_86,sm_90,sm_100,sm_120" }, NULL,
			"gpus=6.0", NULL, NULL, AUDIT_gpu_code, AUDIT_FAIL, "sm_60" },
		{ "torch cu126 on RTX 5090", WHEEL, { "a.so code=sm_80,sm_86,sm_90" }, NULL,
			"gpus=12.0", NULL, NULL, AUDIT_gpu_code, AUDIT_FAIL, "sm_120" },
		{ "all GPUs must work", WHEEL, { "a.so code=sm_80" }, NULL, "gpus=8.0,9.0", NULL,
			NULL, AUDIT_gpu_code, AUDIT_FAIL, "needs sm_90" },
		{ "pygpukit's 120a on 12.1 with PTX", WHEEL,
			{ "a.so code=sm_80,sm_100,sm_120a,compute_100/9.0,compute_120a/9.0" }, NULL,
			"gpus=12.1", NULL, NULL, AUDIT_gpu_code, AUDIT_WARN, "sm_121 only by JIT" },
		{ "pygpukit's 120a on 12.1 without", WHEEL, { "a.so code=sm_80,sm_100,sm_120a" },
			NULL, "gpus=12.1", NULL, NULL, AUDIT_gpu_code, AUDIT_FAIL, "sm_121" },
		{ "pygpukit's 100 on 10.3", WHEEL, { "a.so code=sm_80,sm_100,sm_120a" }, NULL,
			"gpus=10.3", NULL, NULL, AUDIT_gpu_code, AUDIT_PASS, "sm_100" },
		{ "link-time code runs nowhere by itself", WHEEL, { "a.so code=lto_90" }, NULL,
			"gpus=9.0", NULL, NULL, AUDIT_gpu_code, AUDIT_FAIL, "lto_90" },
		{ "PTX of an ISA to come", WHEEL, { "a.so code=compute_90/99.0" }, NULL, "gpus=9.0",
			NULL, NULL, AUDIT_gpu_code, AUDIT_WARN, "as new as the CUDA that made it" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_gpu_code_looks_at_the_union_and_names_the_library)
{
	static const struct audit_case cases[] = {
		{ "kernels in libraries by architecture", WHEEL,
			{ "s/_qattn_sm80.so code=sm_80", "s/_qattn_sm89.so code=sm_89",
				"s/_qattn_sm90.so code=sm_90a" },
			NULL, "gpus=9.0", NULL, NULL, AUDIT_gpu_code, AUDIT_WARN,
			"s/_qattn_sm80.so|has sm_80, none for sm_90" },
		{ "loose cubins are made one by one", WHEEL, { NULL },
			"code=sm_80,sm_90 tags=cp312-cp312-linux_x86_64", "gpus=9.0", NULL, NULL,
			AUDIT_gpu_code, AUDIT_PASS, "sm_80 sm_90" },
		{ "the library for another CUDA is not loaded", WHEEL,
			{ "b/libb_cuda118.so code=sm_90", "b/libb_cuda126.so code=sm_80" }, NULL,
			"gpus=9.0 torch=2.8.0+cu126", NULL, NULL, AUDIT_gpu_code, AUDIT_FAIL,
			"has sm_80; target site needs sm_90" },
		{ "the library for the very CUDA is loaded", WHEEL,
			{ "b/libb_cuda126.so code=sm_80", "b/libb_cuda128.so code=sm_120" }, NULL,
			"gpus=12.0 torch=2.8.0+cu126", NULL, NULL, AUDIT_gpu_code, AUDIT_FAIL,
			"has sm_80;" },
		{ "else any of its major", WHEEL,
			{ "b/libb_cuda124.so code=sm_80", "b/libb_cuda128.so code=sm_120" }, NULL,
			"gpus=12.0 torch=2.8.0+cu126", NULL, NULL, AUDIT_gpu_code, AUDIT_WARN,
			"libb_cuda124" },
		{ "no device code", WHEEL, { "a.so" }, NULL, "gpus=9.0", NULL, NULL, AUDIT_gpu_code,
			AUDIT_PASS, "no device code" },
		{ "code that cannot be read is no pass", WHEEL, { "a.so" }, "unreadable-code",
			"gpus=9.0", NULL, NULL, AUDIT_gpu_code, AUDIT_UNKNOWN, "cannot be read" },
		{ "nor a fail", WHEEL, { "a.so code=sm_80" }, "unreadable-code", "gpus=9.0", NULL,
			NULL, AUDIT_gpu_code, AUDIT_UNKNOWN, "1 containers that cannot be read" },
		{ "no GPU", WHEEL, { "a.so code=sm_80" }, NULL, NULL, NULL, NULL, AUDIT_gpu_code,
			AUDIT_PASS, "states no GPU" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_driver_tells_cubins_from_ptx)
{
	static const struct audit_case cases[] = {
		{ "torch +cu130 on 535", WHEEL,
			{ "a.so code=sm_90 needed=libcudart.so.13 toolkits=13.0.88" }, NULL,
			"gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_FAIL,
			"needs driver 580 or newer, for CUDA 13|has 535|driver version is "
			"insufficient" },
		{ "torch +cu128 on 535", WHEEL,
			{ "a.so code=sm_90 needed=libcudart.so.12 toolkits=12.8.93" }, NULL,
			"gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_PASS, "525.60.13" },
		{ "PTX of 12.8 alone on 535", WHEEL, { "a.so code=compute_80/8.7" }, NULL,
			"gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_FAIL,
			"PTX of CUDA 12.8|driver 570.26 or newer|unsupported toolchain" },
		{ "PTX of 12.8 beside cubins on 535", WHEEL,
			{ "a.so code=sm_90,compute_80/8.7 toolkits=12.8.93" }, NULL,
			"gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_WARN,
			"PTX for sm_90|machine code besides" },
		{ "PTX that the driver compiles", WHEEL, { "a.so code=compute_80/8.7" }, NULL,
			"gpus=9.0 driver=570.124.06", NULL, NULL, AUDIT_driver, AUDIT_PASS,
			"570.26" },
		{ "11.8 on 470", WHEEL, { "a.so code=sm_80 toolkits=11.8.89" }, NULL,
			"gpus=8.0 driver=470.82.01", NULL, NULL, AUDIT_driver, AUDIT_PASS,
			"450.80.02" },
		{ "a GPU that the driver does not know", WHEEL,
			{ "a.so code=sm_120 toolkits=12.8.93" }, NULL, "gpus=12.0 driver=550.54.14",
			NULL, NULL, AUDIT_driver, AUDIT_FAIL, "570|a GPU of sm_120" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_driver_says_what_it_does_not_know)
{
	static const struct audit_case cases[] = {
		{ "Windows, CUDA 13 on 572.16", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "a.pyd format=pe code=sm_80 toolkits=13.1.80" }, NULL,
			"platform=win_amd64 gpus=8.6 driver=572.16", NULL, NULL, AUDIT_driver,
			AUDIT_FAIL, "580|572.16" },
		{ "Windows, CUDA 12", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "a.pyd format=pe code=sm_80 toolkits=12.8.93" }, NULL,
			"platform=win_amd64 gpus=8.6 driver=572.16", NULL, NULL, AUDIT_driver,
			AUDIT_PASS, "528.33" },
		{ "the beginning of a driver is not it", WHEEL, { "a.so code=compute_90/9.0" },
			NULL, "gpus=9.0 driver=580", NULL, NULL, AUDIT_driver, AUDIT_UNKNOWN,
			"580.65.06" },
		{ "no driver stated", WHEEL, { "a.so code=sm_90 toolkits=13.0.88" }, NULL,
			"gpus=9.0", NULL, NULL, AUDIT_driver, AUDIT_UNKNOWN,
			"does not say|state driver" },
		{ "CUDA that is not known", WHEEL, { "a.so code=sm_90 toolkits=99.1" }, NULL,
			"gpus=9.0 driver=999", NULL, NULL, AUDIT_driver, AUDIT_UNKNOWN, "CUDA 99" },
		{ "PTX of a CUDA that is not known", WHEEL, { "a.so code=compute_90/99.0" }, NULL,
			"gpus=12.0 driver=999", NULL, NULL, AUDIT_driver, AUDIT_UNKNOWN,
			"serves sm_120" },
		{ "cubins of a CUDA that is not known", WHEEL, { "a.so code=sm_90" }, NULL,
			"gpus=9.0 driver=999", NULL, NULL, AUDIT_driver, AUDIT_UNKNOWN,
			"does not say" },
		{ "nothing of CUDA", WHEEL, { "a.so" }, NULL, "gpus=9.0", NULL, NULL, AUDIT_driver,
			AUDIT_PASS, "no CUDA" },
		{ "no GPU", WHEEL, { "a.so code=sm_90" }, NULL, NULL, NULL, NULL, AUDIT_driver,
			AUDIT_PASS, "no GPU" },
		{ "a choice of CUDA 12 and 13", WHEEL,
			{ "c/libcupti.so.12 code=sm_90 toolkits=12.8",
				"d/libcupti.so.13 code=sm_90 toolkits=13.3.13" },
			NULL, "gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_WARN,
			"libraries for CUDA 12 and for CUDA 13|driver 580|has 535" },
		{ "a choice that the driver serves", WHEEL,
			{ "c/libcupti.so.12 code=sm_90 toolkits=12.8",
				"d/libcupti.so.13 code=sm_90 toolkits=13.3.13" },
			NULL, "gpus=9.0 driver=580.65.06", NULL, NULL, AUDIT_driver, AUDIT_PASS,
			"driver 525.60.13 or newer" },
		{ "what is linked with 13 is no choice", WHEEL,
			{ "a.so needed=libcudart.so.13", "b.so code=sm_90 toolkits=12.8" }, NULL,
			"gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_FAIL,
			"for CUDA 13" },
		{ "a library of CUDA itself", WHEEL,
			{ "lib/libcudart.so.13 soname=libcudart.so.13" }, NULL,
			"gpus=9.0 driver=535", NULL, NULL, AUDIT_driver, AUDIT_FAIL,
			"needs driver 580 or newer, for CUDA 13" },
		{ "the module for another CUDA needs no driver", WHEEL,
			{ "p/n_cu129.so code=sm_90 toolkits=12.9.41",
				"p/n_cu131.so code=sm_90 toolkits=13.1.80" },
			NULL, "gpus=9.0 driver=535 torch=2.8.0+cu129", NULL, NULL, AUDIT_driver,
			AUDIT_PASS, "525.60.13" },
	};

	AUDIT_CASES(cases);
}
