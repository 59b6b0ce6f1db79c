#include "verify/native.h"

/* Names of C++ follow the Itanium ABI, section 5.1: _Z, then for what is made for a type or a
 * variable T or G and a letter, for what stands inside of a function Z, then for a name in a
 * namespace N, qualifiers, and length and text of each part. What follows - arguments of the
 * template or of the function - does not say whose the symbol is. */

static bool take(struct str *s, const char *prefix)
{
	if (!str_starts(*s, prefix)) {
		return false;
	}
	*s = str_skip(*s, str_of(prefix).n);
	return true;
}

static void take_any(struct str *s, const char *set)
{
	while (s->n && str_find(str_of(set), s->p[0]) < str_of(set).n) {
		*s = str_skip(*s, 1);
	}
}

/* Tables, guards, wrappers ("TV", "TI", "GV", "TW" ...) and thunks with their offsets ("Thn16_").
 */
static void take_special(struct str *s)
{
	if (s->n < 2 || (s->p[0] != 'T' && s->p[0] != 'G')) {
		return;
	}
	bool is_thunk = s->p[1] == 'h' || s->p[1] == 'v' || s->p[1] == 'c';
	*s = str_skip(*s, is_thunk ? 1 : 2);
	if (is_thunk) {
		take_any(s, "chvn_0123456789");
	}
}

/* Does a name with its length in front begin as those that torch has outside of its namespaces, for
 * its objects in Python? */
static bool is_of_python_binding(struct str name)
{
	take_any(&name, "0123456789");
	return str_starts(name, "THP");
}

static bool is_of_namespace(struct str name)
{
	static const char *const own[] = { "2at", "3c10", "4c10d", "5torch", "6caffe2" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (str_starts(name, own[i])) {
			return true;
		}
	}
	return false;
}

static bool is_torch_cxx(struct str name)
{
	if (!take(&name, "_Z")) {
		return str_starts(name, "THP");
	}
	take_special(&name);
	take_any(&name, "Z");
	if (!take(&name, "N")) {
		return is_of_python_binding(name);
	}
	take_any(&name, "rVKRO");
	/* The one foreign template whose members torch defines for its own types. */
	if (take(&name, "8pybind116detail11type_casterIN")) {
		take_any(&name, "rVK");
	}
	return is_of_namespace(name) || is_of_python_binding(name);
}

static bool is_python(struct str name)
{
	take(&name, "_");
	return take(&name, "Py") && name.n &&
	       ((name.p[0] >= 'A' && name.p[0] <= 'Z') || name.p[0] == '_');
}

enum native_symbol_kind native_symbol_kind(struct str name)
{
	if (str_starts(name, "aoti_torch_") || str_starts(name, "aoti_record_") ||
		str_starts(name, "torch_")) {
		return NATIVE_SYMBOL_TORCH_C;
	}
	if (is_python(name)) {
		return NATIVE_SYMBOL_PYTHON;
	}
	return is_torch_cxx(name) ? NATIVE_SYMBOL_TORCH_CXX : NATIVE_SYMBOL_OTHER;
}
