#include "tests/unit/audit_fixture.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int text_cmp(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The value of "key=value" among words; NULL: not there. A word alone has the value "". */
static bool find_word(const char *words, const char *key, struct str *out)
{
	struct str rest = str_of(words), word;

	while (str_cut(&rest, ' ', &word)) {
		size_t at = str_find(word, '=');

		if (str_is(str_first(word, at), key)) {
			*out = at < word.n ? str_skip(word, at + 1) : STR_NULL;
			return true;
		}
	}
	return false;
}

static struct str word_of(const char *words, const char *key)
{
	struct str value = STR_NULL;

	if (words) {
		find_word(words, key, &value);
	}
	return value;
}

static bool has_word(const char *words, const char *key)
{
	struct str value;

	return words && find_word(words, key, &value);
}

static struct str *list_of(struct arena *a, struct str text, size_t *n)
{
	struct str *out = arena_array(a, text.n + 1, sizeof(*out)), piece;

	*n = 0;
	for (struct str rest = text; text.n && str_cut(&rest, ',', &piece);) {
		out[(*n)++] = piece;
	}
	return out;
}

static struct str *sorted_list_of(struct arena *a, struct str text, size_t *n)
{
	struct str *out = list_of(a, text, n);

	qsort(out, *n, sizeof(*out), text_cmp);
	return out;
}

/* ---- modules ---- */

static struct device_entry entry_of(struct str text, size_t member)
{
	struct device_entry e = { .kind = DEVICE_CUBIN, .member = member, .count = 1 };
	char word[32], suffix = 0;
	unsigned major = 0, minor = 0;

	snprintf(word, sizeof(word), "%.*s", STR_ARG(text));
	if (sscanf(word, "compute_%u%c", &e.sm, &suffix) >= 1) {
		e.kind = DEVICE_PTX;
	} else if (sscanf(word, "lto_%u%c", &e.sm, &suffix) >= 1) {
		e.kind = DEVICE_LTO;
	} else {
		ck_assert_msg(sscanf(word, "sm_%u%c", &e.sm, &suffix) >= 1, "%s", word);
	}
	e.suffix = suffix == 'a' || suffix == 'f' ? suffix : 0;
	if (strchr(word, '/') && sscanf(strchr(word, '/'), "/%u.%u", &major, &minor) == 2) {
		e.isa_major = major;
		e.isa_minor = minor;
	}
	return e;
}

static void add_code(struct native *n, const char *words, size_t member, struct arena *a)
{
	struct str codes = word_of(words, "code"), code;
	struct device_code own = { .n = 0 };

	for (struct str rest = codes; codes.n && str_cut(&rest, ',', &code);) {
		device_code_add(&n->device, entry_of(code, member));
		device_code_add(&own, entry_of(code, member));
	}
	device_code_sort(&n->device);
	device_code_sort(&own);
	if (n->nmodules && n->modules[n->nmodules - 1].member == member && own.n) {
		struct device_code *to = &n->modules[n->nmodules - 1].device;

		to->v = arena_array(a, own.n, sizeof(*to->v));
		to->n = own.n;
		memcpy(to->v, own.v, own.n * sizeof(*own.v));
	}
	device_code_release(&own);
}

static struct native_version *versions_of(struct arena *a, struct str text, size_t *n)
{
	struct str *names = list_of(a, text, n);
	struct native_version *out = arena_array(a, *n + 1, sizeof(*out));

	for (size_t i = 0; i < *n; i++) {
		out[i] = (struct native_version){ STR("libc.so.6"), names[i] };
	}
	return out;
}

static void make_module(struct arena *a, const char *words, size_t member, struct native_module *m)
{
	struct str machine = word_of(words, "machine"), format = word_of(words, "format");
	struct str whole = str_of(words);

	*m = (struct native_module){ .member = member,
		.format = NATIVE_ELF,
		.machine = NATIVE_X86_64,
		.elf_machine = 62,
		.is_readable = !has_word(words, "unreadable") };
	m->name = str_first(whole, str_find(whole, ' '));
	m->soname = word_of(words, "soname");
	m->rpath = word_of(words, "rpath");
	m->has_relr = has_word(words, "relr");
	m->needed = list_of(a, word_of(words, "needed"), &m->nneeded);
	m->versions = versions_of(a, word_of(words, "versions"), &m->nversions);
	m->undefined = sorted_list_of(a, word_of(words, "undefined"), &m->nundefined);
	m->exported = sorted_list_of(a, word_of(words, "exported"), &m->nexported);
	m->toolkits = sorted_list_of(a, word_of(words, "toolkits"), &m->ntoolkits);
	if (str_is(machine, "aarch64")) {
		m->machine = NATIVE_AARCH64;
		m->elf_machine = 183;
	} else if (str_is(machine, "x86")) {
		m->machine = NATIVE_MACHINE_OTHER;
		m->elf_machine = 3;
	}
	if (str_is(format, "pe")) {
		m->format = NATIVE_PE;
	} else if (str_is(format, "macho")) {
		m->format = NATIVE_MACHO;
	} else if (str_is(format, "archive")) {
		m->format = NATIVE_ARCHIVE;
	}
}

static void make_native(struct arena *a, const struct audit_case *c, struct native *out)
{
	out->modules = arena_array(a, AUDIT_CASE_MODULES, sizeof(*out->modules));
	while (out->nmodules < AUDIT_CASE_MODULES && c->modules[out->nmodules]) {
		size_t i = out->nmodules++;

		make_module(a, c->modules[i], 10 + i, &out->modules[i]);
		add_code(out, c->modules[i], 10 + i, a);
	}
	if (has_word(c->wheel, "code")) { /* loose */
		add_code(out, c->wheel, 99, a);
	}
	out->record_fault = word_of(c->wheel, "record");
	out->device.nunreadable = has_word(c->wheel, "unreadable-code");
}

/* ---- wheel ---- */

static struct str *product_of(struct arena *a, const struct dist_name *n, size_t *count)
{
	CLEANUP_BUF struct buf all = BUF_INIT;
	struct str python, abi, platform;

	for (struct str pythons = n->python; str_cut(&pythons, '.', &python);) {
		for (struct str abis = n->abi; str_cut(&abis, '.', &abi);) {
			for (struct str rest = n->platform; str_cut(&rest, '.', &platform);) {
				buf_addf(&all, "%s%.*s-%.*s-%.*s", all.n ? "," : "",
					STR_ARG(python), STR_ARG(abi), STR_ARG(platform));
			}
		}
	}
	return list_of(a, arena_str(a, buf_str(&all)), count);
}

static void make_wheel(struct arena *a, const struct audit_case *c, struct dist_name *name,
	struct wheel_metadata *metadata, struct audit_wheel *out)
{
	struct err e = ERR_INIT;

	ck_assert_msg(dist_name_parse(a, str_of(c->file), name, &e) == 0, "%s", e.text);
	metadata->core.name =
		has_word(c->wheel, "name") ? word_of(c->wheel, "name") : name->project;
	metadata->core.version =
		has_word(c->wheel, "version") ? word_of(c->wheel, "version") : name->version.raw;
	metadata->core.requires_python = word_of(c->wheel, "python");
	metadata->core.requires_dist =
		list_of(a, word_of(c->wheel, "requires"), &metadata->core.nrequires_dist);
	ck_assert_msg(version_parse(a, metadata->core.version, &metadata->version, &e) == 0, "%s",
		e.text);
	out->name = name;
	out->metadata = metadata;
	out->wheel_tags = has_word(c->wheel, "tags")
				  ? list_of(a, word_of(c->wheel, "tags"), &out->nwheel_tags)
				  : product_of(a, name, &out->nwheel_tags);
	out->is_purelib = has_word(c->wheel, "purelib");
}

/* ---- site ---- */

static void make_target(struct arena *a, const char *words, struct target *out)
{
	struct err e = ERR_INIT;
	struct target_spec spec = { .name = STR("site"), .cxx11_abi = -1 };
	struct str abi = word_of(words, "cxx11_abi");

	spec.python = has_word(words, "python") ? word_of(words, "python") : STR("3.12");
	spec.platform =
		has_word(words, "platform") ? word_of(words, "platform") : STR("linux_x86_64");
	spec.glibc = word_of(words, "glibc");
	spec.musl = word_of(words, "musl");
	if (!spec.glibc.n && !spec.musl.n && str_starts(spec.platform, "linux")) {
		spec.glibc = STR("2.28");
	}
	spec.driver = word_of(words, "driver");
	spec.torch = word_of(words, "torch");
	spec.cuda = word_of(words, "cuda");
	spec.gpus = list_of(a, word_of(words, "gpus"), &spec.ngpus);
	if (abi.n) {
		spec.cxx11_abi = str_is(abi, "1");
	}
	ck_assert_msg(target_make(a, &spec, out, &e) == 0, "%s: %s", words ? words : "", e.text);
}

static void make_torch(struct arena *a, const char *words, struct audit_torch *out)
{
	char cuda[16];

	snprintf(cuda, sizeof(cuda), "%.*s", STR_ARG(word_of(words, "cuda")));
	out->version = str_first(str_of(words), str_find(str_of(words), ' '));
	sscanf(cuda, "%u.%u", &out->cuda.major, &out->cuda.minor);
	out->symbols = sorted_list_of(a, word_of(words, "symbols"), &out->nsymbols);
	out->libraries = sorted_list_of(a, word_of(words, "libraries"), &out->nlibraries);
}

void audit_case_run(struct arena *a, const struct audit_case *c, struct audit *out)
{
	struct dist_name name = { .kind = DIST_WHEEL };
	struct wheel_metadata metadata = { .text = STR_NULL };
	struct native native = NATIVE_INIT;
	struct audit_wheel wheel = { .native = &native };
	struct target target;
	struct audit_torch torch = { .version = STR_NULL };
	struct audit_site site = { .target = &target, .is_closed = has_word(c->site, "closed") };

	make_native(a, c, &native);
	make_wheel(a, c, &name, &metadata, &wheel);
	make_target(a, c->target, &target);
	if (c->torch) {
		make_torch(a, c->torch, &torch);
		site.torch = &torch;
	}
	site.provided = sorted_list_of(a, word_of(c->site, "provided"), &site.nprovided);
	audit_run(&wheel, &site, out);
	device_code_release(&native.device);
}

/* ---- comparing ---- */

static bool finding_has(const struct audit_finding *f, struct str word)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", STR_ARG(word));
	return str_has(f->text, text) || str_has(f->avoids, text) || str_has(f->remedy, text) ||
	       str_has(f->member, text);
}

static bool some_finding_has(const struct audit *a, const struct audit_case *c, struct str word)
{
	vec_each(struct audit_finding, f, &a->findings) {
		if (f->check == c->check && f->result == c->result && finding_has(f, word)) {
			return true;
		}
	}
	return false;
}

static void dump(const struct audit *a, struct buf *out)
{
	vec_each(struct audit_finding, f, &a->findings) {
		buf_addf(out, "\n  %s %s: %.*s: %.*s | %.*s | %.*s", audit_check_name(f->check),
			audit_result_text(f->result), STR_ARG(f->member), STR_ARG(f->text),
			STR_ARG(f->avoids), STR_ARG(f->remedy));
	}
}

static void check_complete(const struct audit *a, const struct audit_case *c, const char *all)
{
	size_t count[AUDIT_CHECKS] = { 0 };
	enum audit_check last = 0;

	vec_each(struct audit_finding, f, &a->findings) {
		count[f->check]++;
		ck_assert_msg(f->check >= last, "%s: out of order%s", c->what, all);
		last = f->check;
		ck_assert_msg(f->text.n > 0, "%s: no text%s", c->what, all);
		ck_assert_msg(f->result != AUDIT_FAIL || (f->avoids.n && f->remedy.n),
			"%s: a FAIL without error or remedy%s", c->what, all);
		ck_assert_msg(f->result != AUDIT_PASS || !f->avoids.n, "%s: a PASS avoids%s",
			c->what, all);
	}
	for (size_t i = 0; i < AUDIT_CHECKS; i++) {
		ck_assert_msg(count[i] > 0, "%s: %s says nothing", c->what,
			audit_check_name((enum audit_check)i));
	}
}

void audit_case_check(const struct audit_case *c)
{
	struct arena a = ARENA_INIT;
	struct audit audit = AUDIT_INIT;
	CLEANUP_BUF struct buf all = BUF_INIT;
	struct str rest = str_of(c->words), word;

	audit_case_run(&a, c, &audit);
	buf_adds(&all, "");
	dump(&audit, &all);
	check_complete(&audit, c, all.p);
	ck_assert_msg(audit_result_of(&audit, c->check) == c->result, "%s: %s is %s, not %s%s",
		c->what, audit_check_name(c->check),
		audit_result_text(audit_result_of(&audit, c->check)), audit_result_text(c->result),
		all.p);
	while (str_cut(&rest, '|', &word)) {
		ck_assert_msg(some_finding_has(&audit, c, word), "%s: \"%.*s\" is not said%s",
			c->what, STR_ARG(word), all.p);
	}
	audit_release(&audit);
	arena_release(&a);
}

void audit_cases_check(const struct audit_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		audit_case_check(&cases[i]);
	}
}
