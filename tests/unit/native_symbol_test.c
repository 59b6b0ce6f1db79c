/* Whose a symbol is, by its name. */
#include "tests/unit/unit.h"

#include "verify/native.h"

static const struct {
	const char *name;
	enum native_symbol_kind kind;
} cases[] = {
	{ "_ZN2at6Tensor3addEv", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZNK3c104Type3strB5cxx11Ev", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZNVKR5torch1xEv", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZN6caffe28TypeMetaE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZN4c10d4WorkD2Ev", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTIN3c105ErrorE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTVN2at6TensorE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTSN5torch8autograd4NodeE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTCN5torch1AE0_NS_1BE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTWN3c105stateE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZThn16_N5torch1A1fEv", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTv0_n24_N5torch1AD0Ev", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZTchn8_h16_N5torch1A1fEv", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZGVN2at1xE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZZN2at1fEvE1x", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZGVZZNK2at1fEvENKUlvE_clEvE1x", NATIVE_SYMBOL_TORCH_CXX },
	{ "_Z16THPVariable_WrapN2at10TensorBaseE", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZN10THPPointerI7_objectE4freeEv", NATIVE_SYMBOL_TORCH_CXX },
	{ "THPVariableClass", NATIVE_SYMBOL_TORCH_CXX },
	{ "_ZN8pybind116detail11type_casterIN2at6TensorEvE4loadENS_6handleEb",
		NATIVE_SYMBOL_TORCH_CXX },
	/* Others, with types of torch in their arguments. */
	{ "_Z4ropeRN2at6TensorES1_", NATIVE_SYMBOL_OTHER },
	{ "_ZN4vllm4ropeEN2at6TensorE", NATIVE_SYMBOL_OTHER },
	{ "_ZNSt6vectorIN2at6TensorESaIS1_EED1Ev", NATIVE_SYMBOL_OTHER },
	{ "_ZN8pybind116detail11type_casterIN4vllm1XEvE4loadENS_6handleEb", NATIVE_SYMBOL_OTHER },
	{ "_ZN8pybind116moduleC1EPKcN2at6TensorE", NATIVE_SYMBOL_OTHER },
	{ "_ZTIPFN3c106SymIntEvE", NATIVE_SYMBOL_OTHER },
	{ "_Z5torchv", NATIVE_SYMBOL_OTHER },
	{ "_ZN12_GLOBAL__N_12atEv", NATIVE_SYMBOL_OTHER },
	{ "_ZN3atx1fEv", NATIVE_SYMBOL_OTHER },
	{ "_ZN11torchvision3ops3nmsEv", NATIVE_SYMBOL_OTHER },
	{ "_Znwm", NATIVE_SYMBOL_OTHER },
	{ "_Z", NATIVE_SYMBOL_OTHER },
	{ "_ZT", NATIVE_SYMBOL_OTHER },
	{ "_ZN", NATIVE_SYMBOL_OTHER },
	{ "", NATIVE_SYMBOL_OTHER },
	{ "aoti_torch_new_tensor_handle", NATIVE_SYMBOL_TORCH_C },
	{ "torch_library_impl", NATIVE_SYMBOL_TORCH_C },
	{ "torchvision_init", NATIVE_SYMBOL_OTHER },
	{ "PyInit__C", NATIVE_SYMBOL_PYTHON },
	{ "PyList_New", NATIVE_SYMBOL_PYTHON },
	{ "Py_IncRef", NATIVE_SYMBOL_PYTHON },
	{ "_Py_NoneStruct", NATIVE_SYMBOL_PYTHON },
	{ "_PyObject_New", NATIVE_SYMBOL_PYTHON },
	{ "Pyramid", NATIVE_SYMBOL_OTHER },
	{ "Py", NATIVE_SYMBOL_OTHER },
	{ "__PyX", NATIVE_SYMBOL_OTHER },
};

UNIT(native_symbol_kind_goes_by_the_first_part_of_the_name)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(native_symbol_kind(str_of(cases[i].name)) == cases[i].kind, "%s",
			cases[i].name);
	}
}
