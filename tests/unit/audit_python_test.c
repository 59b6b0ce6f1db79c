/* Demand 4, and what file name, METADATA, WHEEL and RECORD say. */
#include "tests/unit/audit_fixture.h"
#include "tests/unit/unit.h"

#define WHEEL "demo-1.0-cp312-cp312-linux_x86_64.whl"

UNIT(audit_python_looks_at_tags)
{
	static const struct audit_case cases[] = {
		{ "free-threaded wheel",
			"natten-0.21.6+torch2120cu132-cp313-cp313t-linux_x86_64.whl", { NULL },
			NULL, "python=3.13", NULL, NULL, AUDIT_python, AUDIT_FAIL,
			"is for cp313-cp313t (free-threaded); target site has Python 3.13|no "
			"matching" },
		{ "free-threaded target", "demo-1.0-cp313-cp313t-linux_x86_64.whl", { NULL }, NULL,
			"python=3.13t", NULL, NULL, AUDIT_python, AUDIT_PASS, "3.13t" },
		{ "abi3 for a free-threaded target", "demo-1.0-cp39-abi3-linux_x86_64.whl",
			{ NULL }, NULL, "python=3.13t", NULL, NULL, AUDIT_python, AUDIT_FAIL,
			"cp39-abi3" },
		{ "abi3", "demo-1.0-cp39-abi3-linux_x86_64.whl", { NULL }, NULL, "python=3.12.4",
			NULL, NULL, AUDIT_python, AUDIT_PASS, "3.12.4" },
		{ "pygpukit has one Python",
			"pygpukit-0.2.19-cp312-cp312-manylinux_2_35_x86_64.whl", { NULL }, NULL,
			"python=3.11", NULL, NULL, AUDIT_python, AUDIT_FAIL,
			"build it from its sdist" },
		{ "abi3 that is newer", "demo-1.0-cp313-abi3-linux_x86_64.whl", { NULL }, NULL,
			NULL, NULL, NULL, AUDIT_python, AUDIT_FAIL, "cp313" },
		{ "cp39-none fits 3.9 alone", "demo-1.0-cp39-none-linux_x86_64.whl", { NULL }, NULL,
			"python=3.11", NULL, NULL, AUDIT_python, AUDIT_FAIL, "cp39-none" },
		{ "py39-none fits later ones",
			"xformers-0.0.35-py39-none-manylinux_2_28_x86_64.whl", { NULL }, NULL,
			"python=3.11", NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "a set", "demo-1.0-cp310.cp312-cp310.cp312-linux_x86_64.whl", { NULL }, NULL,
			NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "py2.py3", "demo-1.0-py2.py3-none-any.whl", { NULL }, NULL, NULL, NULL, NULL,
			AUDIT_python, AUDIT_PASS, "" },
		{ "the platform is not asked here", "demo-1.0-cp312-cp312-win_amd64.whl", { NULL },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "Requires-Python", WHEEL, { NULL }, "python=>=3.13", NULL, NULL, NULL,
			AUDIT_python, AUDIT_FAIL, "requires Python >=3.13" },
		{ "Requires-Python with a patch level", WHEEL, { NULL }, "python=>=3.12.4", NULL,
			NULL, NULL, AUDIT_python, AUDIT_UNKNOWN, "patch level" },
		{ "Requires-Python and a target with one", WHEEL, { NULL }, "python=>=3.12.4",
			"python=3.12.5", NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_python_looks_at_modules)
{
	static const struct audit_case cases[] = {
		{ "the suffix of another Python", WHEEL,
			{ "d/_C.cpython-311-x86_64-linux-gnu.so exported=PyInit__C" }, NULL, NULL,
			NULL, NULL, AUDIT_python, AUDIT_FAIL,
			"No module named '_C'|suffix of another Python" },
		{ "the right one beside it", "demo-1.0-py3-none-linux_x86_64.whl",
			{ "d/_C.cpython-311-x86_64-linux-gnu.so exported=PyInit__C",
				"d/_C.cpython-312-x86_64-linux-gnu.so exported=PyInit__C" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "another module beside it", "demo-1.0-py3-none-linux_x86_64.whl",
			{ "d/_C.cpython-311-x86_64-linux-gnu.so exported=PyInit__C",
				"d/_D.cpython-312-x86_64-linux-gnu.so exported=PyInit__D" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_FAIL, "'_C'" },
		{ "free-threaded suffix", "demo-1.0-py3-none-linux_x86_64.whl",
			{ "_C.cpython-313t-x86_64-linux-gnu.so exported=PyInit__C" }, NULL,
			"python=3.13", NULL, NULL, AUDIT_python, AUDIT_FAIL, "_C" },
		{ "Windows", "demo-1.0-cp312-cp312-win_amd64.whl",
			{ "_C.cp311-win_amd64.pyd format=pe" }, NULL, "platform=win_amd64", NULL,
			NULL, AUDIT_python, AUDIT_FAIL, "'_C'" },
		{ "no function to import", WHEEL, { "d/_C.cpython-312-x86_64-linux-gnu.so" }, NULL,
			NULL, NULL, NULL, AUDIT_python, AUDIT_WARN, "PyInit__C" },
		{ "another module's function", WHEEL,
			{ "d/_C.cpython-312-x86_64-linux-gnu.so exported=PyInit__D" }, NULL, NULL,
			NULL, NULL, AUDIT_python, AUDIT_WARN,
			"module export function (PyInit__C)" },
		{ "imported under a shorter name", WHEEL,
			{ "p/_native_cu131.cpython-312-x86_64-linux-gnu.so "
			  "exported=PyInit__native" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "loaded by torch", WHEEL,
			{ "d/_C.cpython-312-x86_64-linux-gnu.so "
			  "undefined=aoti_torch_empty_strided" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "a plain library", WHEEL, { "d/libx.so" }, NULL, NULL, NULL, NULL, AUDIT_python,
			AUDIT_PASS, "" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_python_knows_the_stable_abi)
{
	static const struct audit_case cases[] = {
		{ "within it", "demo-1.0-cp39-abi3-linux_x86_64.whl",
			{ "_C.abi3.so undefined=PyArg_ParseTuple,_Py_Dealloc exported=PyInit__C" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
		{ "outside", "demo-1.0-cp39-abi3-linux_x86_64.whl",
			{ "_C.abi3.so undefined=PyArg_ParseTuple,_PyThreadState_UncheckedGet "
			  "exported=PyInit__C" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_FAIL,
			"1 name outside of the stable ABI of Python "
			"3.12|_PyThreadState_UncheckedGet" },
		{ "newer than the target", "demo-1.0-cp39-abi3-linux_x86_64.whl",
			{ "_C.abi3.so undefined=PyBuffer_Release exported=PyInit__C" }, NULL,
			"python=3.10", NULL, NULL, AUDIT_python, AUDIT_FAIL, "PyBuffer_Release" },
		{ "newer than the tag alone", "demo-1.0-cp39-abi3-linux_x86_64.whl",
			{ "_C.abi3.so undefined=PyBuffer_Release exported=PyInit__C" }, NULL, NULL,
			NULL, NULL, AUDIT_python, AUDIT_WARN,
			"stable ABI of Python 3.9, which its tag says" },
		{ "other wheels may import anything", WHEEL,
			{ "_C.cpython-312-x86_64-linux-gnu.so "
			  "undefined=_PyThreadState_UncheckedGet "
			  "exported=PyInit__C" },
			NULL, NULL, NULL, NULL, AUDIT_python, AUDIT_PASS, "" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_names_must_agree)
{
	static const struct audit_case cases[] = {
		{ "renamed after the build",
			"cc_torch-0.2+cu130torch29-cp312-cp312-linux_x86_64.whl", { NULL },
			"version=0.2", NULL, NULL, NULL, AUDIT_names, AUDIT_WARN,
			"0.2+cu130torch29|inconsistent version|uv installs it" },
		{ "the other way round", "torchvision-0.7.0-cp312-cp312-linux_x86_64.whl", { NULL },
			"version=0.7.0+cpu", NULL, NULL, NULL, AUDIT_names, AUDIT_WARN,
			"0.7.0+cpu" },
		{ "another public version",
			"xformers-0.0.33.dev20250901+cu129-cp39-abi3-linux_x86_64.whl", { NULL },
			"version=0.0.33+5d4b92a5.d20250907", NULL, NULL, NULL, AUDIT_names,
			AUDIT_FAIL, "0.0.33+5d4b92a5.d20250907" },
		{ "a label in another case",
			"flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
			{ NULL }, "version=2.8.3+cu12torch2.8cxx11abitrue", NULL, NULL, NULL,
			AUDIT_names, AUDIT_PASS, "" },
		{ "a name in another case", "pygpukit-0.2.19-cp312-cp312-linux_x86_64.whl",
			{ NULL }, "name=PyGPUkit", NULL, NULL, NULL, AUDIT_names, AUDIT_PASS,
			"spelt PyGPUkit" },
		{ "another name", WHEEL, { NULL }, "name=other", NULL, NULL, NULL, AUDIT_names,
			AUDIT_FAIL, "METADATA other" },
		{ "WHEEL says linux", "vllm-0.33.0-cp38-abi3-manylinux_2_28_x86_64.whl", { NULL },
			"tags=cp38-abi3-linux_x86_64", NULL, NULL, NULL, AUDIT_names, AUDIT_WARN,
			"WHEEL says cp38-abi3-linux_x86_64, the file name "
			"cp38-abi3-manylinux_2_28_x86_64" },
		{ "WHEEL in another order", "demo-1.0-py2.py3-none-any.whl", { NULL },
			"tags=py3-none-any,py2-none-any", NULL, NULL, NULL, AUDIT_names, AUDIT_PASS,
			"" },
		{ "WHEEL with one tag less", "demo-1.0-py2.py3-none-any.whl", { NULL },
			"tags=py3-none-any", NULL, NULL, NULL, AUDIT_names, AUDIT_WARN,
			"py3-none-any" },
		{ "WHEEL with one tag more", "demo-1.0-py3-none-any.whl", { NULL },
			"tags=py3-none-any,py4-none-any", NULL, NULL, NULL, AUDIT_names, AUDIT_WARN,
			"and others" },
		{ "WHEEL without tags", WHEEL, { NULL }, "tags=", NULL, NULL, NULL, AUDIT_names,
			AUDIT_WARN, "no tag" },
		{ "pure, with a binary", "demo-1.0-py3-none-any.whl", { "a.so" }, "purelib", NULL,
			NULL, NULL, AUDIT_names, AUDIT_WARN, "Root-Is-Purelib" },
	};

	AUDIT_CASES(cases);
}

UNIT(audit_record_and_advisories)
{
	static const struct audit_case cases[] = {
		{ "RECORD is right", WHEEL, { NULL }, NULL, NULL, NULL, NULL, AUDIT_record,
			AUDIT_PASS, "" },
		{ "RECORD lacks a row", WHEEL, { NULL }, "record=licenses/LICENSE:not-in-RECORD",
			NULL, NULL, NULL, AUDIT_record, AUDIT_FAIL, "licenses/LICENSE|waive it" },
		{ "ffpa-attn's FP8", "ffpa_attn-0.2.4+cu13-cp312-cp312-linux_x86_64.whl", { NULL },
			NULL, NULL, NULL, NULL, AUDIT_advisories, AUDIT_WARN,
			"head dimension 192" },
		{ "its pure build", "ffpa_attn-0.2.4-py3-none-any.whl", { NULL }, NULL, NULL, NULL,
			NULL, AUDIT_advisories, AUDIT_PASS, "" },
		{ "its next release", "ffpa_attn-0.2.5+cu13-cp312-cp312-linux_x86_64.whl", { NULL },
			NULL, NULL, NULL, NULL, AUDIT_advisories, AUDIT_PASS, "" },
		{ "a placeholder", "nvidia_cuda_runtime_cu13-0.0.1-py3-none-any.whl", { NULL },
			NULL, NULL, NULL, NULL, AUDIT_advisories, AUDIT_WARN, "placeholder" },
	};

	AUDIT_CASES(cases);
}
