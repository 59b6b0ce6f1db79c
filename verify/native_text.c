#include "verify/native_text.h"

#include "manifests/dotted.h"
#include "verify/member_name.h"

enum {
	KINDS_MAX = 64
}; /* of versions, in one binary: GLIBC, GLIBCXX, CXXABI, GCC and few others */

const char *native_format_text(enum native_format f)
{
	switch (f) {
	case NATIVE_ELF:
		return "ELF";
	case NATIVE_PE:
		return "PE (Windows)";
	case NATIVE_MACHO:
		return "Mach-O (macOS)";
	case NATIVE_ARCHIVE:
		return "static library";
	}
	return "?";
}

const char *native_machine_text(enum native_machine m)
{
	switch (m) {
	case NATIVE_X86_64:
		return "x86_64";
	case NATIVE_AARCH64:
		return "aarch64";
	case NATIVE_MACHINE_OTHER:
		break;
	}
	return "another processor";
}

/* ---- lists ---- */

static void put_shown(struct buf *out, struct str text)
{
	char shown[MEMBER_NAME_SHOWN];

	buf_adds(out, member_name_show(text, shown));
}

static void put_key(struct buf *out, const char *key)
{
	buf_addf(out, "  %-9s", key);
}

static void put_list(struct buf *out, const char *key, const struct str *v, size_t n)
{
	if (n == 0) {
		return;
	}
	put_key(out, key);
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, i ? " " : "");
		put_shown(out, v[i]);
	}
	buf_addc(out, '\n');
}

static void put_one(struct buf *out, const char *key, struct str text)
{
	put_list(out, key, &text, text.n > 0);
}

/* ---- versions ---- */

/* "GLIBC" and "2.28" of "GLIBC_2.28"; of a name without number all is kind. */
static struct str version_kind(struct str name, struct str *number)
{
	size_t at = str_rfind(name, '_');

	*number = str_skip(name, at + 1);
	if (!dotted_is(*number)) {
		*number = STR_NULL;
		return name;
	}
	return str_first(name, at);
}

void native_floors_format(const struct native_module *m, struct buf *out)
{
	struct str kinds[KINDS_MAX], numbers[KINDS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < m->nversions; i++) {
		struct str number, kind = version_kind(m->versions[i].name, &number);
		size_t k = 0;

		while (k < n && !str_eq(kinds[k], kind)) {
			k++;
		}
		if (k == KINDS_MAX) {
			continue;
		}
		if (k == n || dotted_cmp(numbers[k], number) < 0) {
			kinds[k] = kind;
			numbers[k] = number;
		}
		n += k == n;
	}
	for (size_t k = 0; k < n; k++) {
		buf_adds(out, k ? " " : "");
		put_shown(out, kinds[k]);
		buf_addf(out, "%s%.*s", numbers[k].n ? "_" : "", STR_ARG(numbers[k]));
	}
}

static void put_floors(const struct native_module *m, struct buf *out)
{
	if (m->nversions || m->has_relr) {
		put_key(out, "floors");
		native_floors_format(m, out);
		buf_addf(out, "%s%s\n", m->nversions && m->has_relr ? " " : "",
			m->has_relr ? "DT_RELR (glibc 2.36)" : "");
	}
}

/* ---- symbols ---- */

static size_t count_symbols(const struct str *v, size_t n, enum native_symbol_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		count += native_symbol_kind(v[i]) == kind;
	}
	return count;
}

static void put_counts(struct buf *out, const char *key, const struct str *v, size_t n)
{
	size_t cxx = count_symbols(v, n, NATIVE_SYMBOL_TORCH_CXX);
	size_t c = count_symbols(v, n, NATIVE_SYMBOL_TORCH_C);
	size_t python = count_symbols(v, n, NATIVE_SYMBOL_PYTHON);

	if (cxx + c + python) {
		put_key(out, key);
		buf_addf(out, "%zu of torch's C++, %zu of torch's stable C, %zu of Python\n", cxx,
			c, python);
	}
}

/* ---- device code ---- */

static void put_device_code(const struct native_module *m, struct buf *out)
{
	if (m->device.n) {
		put_key(out, "GPU code");
		device_code_format(&m->device, out);
		buf_addc(out, '\n');
	}
}

static void put_device_summary(const struct native *n, struct buf *out)
{
	buf_adds(out, "GPU code of all files: ");
	device_code_format(&n->device, out);
	buf_adds(out, n->device.n ? "\n" : "none\n");
	if (n->device.nunreadable) {
		buf_addf(out, "containers of GPU code that cannot be read: %zu\n",
			n->device.nunreadable);
	}
}

/* ---- all ---- */

static void put_module(const struct native_module *m, struct buf *out)
{
	put_shown(out, m->name);
	buf_addc(out, '\n');
	put_key(out, "format");
	buf_adds(out, native_format_text(m->format));
	if (m->format == NATIVE_ELF || m->format == NATIVE_PE) {
		buf_addf(out, ", %s%s", native_machine_text(m->machine),
			m->is_readable ? "" : ", of a class or byte order that is not read");
	}
	buf_addc(out, '\n');
	put_one(out, "soname", m->soname);
	put_list(out, "needs", m->needed, m->nneeded);
	put_one(out, "rpath", m->rpath);
	put_floors(m, out);
	put_counts(out, "wants", m->undefined, m->nundefined);
	put_counts(out, "offers", m->exported, m->nexported);
	put_device_code(m, out);
	put_list(out, "toolkits", m->toolkits, m->ntoolkits);
}

void native_text_write(const struct native *n, struct buf *out)
{
	for (size_t i = 0; i < n->nmodules; i++) {
		put_module(&n->modules[i], out);
	}
	put_device_summary(n, out);
	if (n->record_fault.n) {
		buf_addf(out, "%.*s\n", STR_ARG(n->record_fault));
	} else {
		buf_adds(out, "RECORD: every file fits\n");
	}
}
