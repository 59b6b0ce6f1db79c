#include "tests/unit/unit.h"
#include "verify/cxx_name.h"

UNIT(cxx_names_are_shown_without_parameters)
{
	static const struct {
		const char *mangled, *shown;
	} cases[] = {
		{ "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb",
			"c10::cuda::c10_cuda_check_implementation" },
		{ "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE",
			"c10::impl::cow::materialize_cow_storage" },
		{ "_ZNK2at10TensorBase8data_ptrIfEEPT_v", "at::TensorBase::data_ptr" },
		{ "_ZN2at6TensorC1ERKS0_", "at::Tensor::Tensor" },
		{ "_ZN3c105ErrorD0Ev", "c10::Error::~Error" },
		{ "_ZTVN3c105ErrorE", "c10::Error" },
		{ "_ZTIN5torch8autograd4NodeE", "torch::autograd::Node" },
		{ "_Z3foov", "foo" },
		{ "torch_new_stable_ivalue", "torch_new_stable_ivalue" },
		{ "_Z", "_Z" },
		{ "_ZN99xE", "xE" }, /* a length that lies */
		{ "_ZNK", "_ZNK" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = BUF_INIT;

		buf_adds(&out, ""); /* a text even if nothing is added */
		cxx_name_format(str_of(cases[i].mangled), &out);
		ck_assert_str_eq(out.p, cases[i].shown);
		buf_release(&out);
	}
}

UNIT(cxx_names_tell_the_abi_of_strings)
{
	static const struct {
		const char *mangled;
		int abi;
	} cases[] = {
		{ "_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_"
		  "traitsIcESaIcEEE",
			1 },
		{ "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs", 0 },
		{ "_ZN3c105ErrorC1ENS_14SourceLocationESs", 0 },
		{ "_ZNK3c106Device3strB5cxx11Ev", 1 },
		{ "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb", -1 },
		{ "_ZN3c108SsomethiEv", -1 },       /* within an identifier */
		{ "_ZN3c107__cxx11zEv", 1 },        /* the identifier is __cxx11 */
		{ "_ZN3c1010x__cxx11zzEv", -1 },    /* part of another */
		{ "_ZN2at3fooILi12ELb1EEEvSs", 0 }, /* values of literals are no lengths */
		{ "_ZN2at3fooILN3c1010DeviceTypeE12EEEvSs", 0 },
		{ "_ZN2at3fooIT0_EEvA10_cDv4_fSs",
			0 }, /* nor are numbers of parameters, arrays, vectors */
		{ "_ZN2at3fooESt6vectorIS0_SaIS0_EE", -1 },
		{ "aoti_torch_Ss", -1 },
		{ "_Z", -1 },
		{ "_ZN99999999999999999999x", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(cxx_name_abi(str_of(cases[i].mangled)) == cases[i].abi, "%s",
			cases[i].mangled);
	}
}
