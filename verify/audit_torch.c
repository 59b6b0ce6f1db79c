#include "verify/audit_torch.h"

#include "manifests/limits.h"
#include "verify/audit_wheel.h"
#include "verify/name_list.h"

#include <inttypes.h>
#include <string.h>

enum { VERSION_FILE_MAX = 64 * 1024, CUDA_NUMBER_MAX = 999 };

bool torch_is(const struct dist_name *name)
{
	return str_is(name->name, "torch");
}

void torch_offer_release(struct torch_offer *o)
{
	arena_release(&o->arena);
	*o = (struct torch_offer)TORCH_OFFER_INIT;
}

/* ---- torch/version.py ---- */

/* "cuda: Optional[str] = '13.2'" of that name: what stands behind the first "=". */
static bool is_assignment(struct str line, const char *name, struct str *value)
{
	struct str key = str_first(line, str_find(line, '='));

	if (key.n == line.n) {
		return false;
	}
	*value = str_trim(str_skip(line, key.n + 1));
	return str_is(str_trim(str_first(key, str_find(key, ':'))), name);
}

/* A plain text in quotes, or None, which gives "". */
static bool read_literal(struct str value, struct str *out)
{
	if (str_is(str_trim(str_first(value, str_find(value, '#'))), "None")) {
		*out = STR_NULL;
		return true;
	}
	if (value.n < 2 || (value.p[0] != '\'' && value.p[0] != '"')) {
		return false;
	}
	struct str rest = str_skip(value, 1);
	struct str text = str_first(rest, str_find(rest, value.p[0]));
	struct str behind = str_trim(str_skip(rest, text.n + 1));

	if (text.n == rest.n || str_find(text, '\\') < text.n || (behind.n && behind.p[0] != '#')) {
		return false;
	}
	*out = text;
	return true;
}

static int find_literal(struct str text, const char *name, struct str *out, struct err *e)
{
	struct str line, value = STR_NULL;

	while (str_cut(&text, '\n', &line)) {
		if (is_assignment(line, name, &value)) {
			return read_literal(value, out)
				       ? 0
				       : err_set(e, RC_WHEEL, "%s is not a plain text", name);
		}
	}
	return err_set(e, RC_WHEEL, "%s is not set", name);
}

/* "13.2", also with a patch level behind it; "" is a build without CUDA. */
static int read_cuda(struct str text, struct cuda_version *out, struct err *e)
{
	struct str rest = text, part = STR_NULL;
	uint64_t numbers[2] = { 0, 0 };

	for (size_t i = 0; text.n && i < 2; i++) {
		if (!str_cut(&rest, '.', &part) || !str_to_u64(part, &numbers[i]) ||
			numbers[i] > CUDA_NUMBER_MAX) {
			return err_set(e, RC_WHEEL, "cuda is not a version");
		}
	}
	*out = (struct cuda_version){ (unsigned)numbers[0], (unsigned)numbers[1] };
	return 0;
}

int torch_version_read(
	struct str text, struct str *version, struct cuda_version *cuda, struct err *e)
{
	struct str version_text = STR_NULL, cuda_text = STR_NULL;
	struct cuda_version found = { 0, 0 };
	int rc = find_literal(text, "__version__", &version_text, e);

	rc = rc ? rc : find_literal(text, "cuda", &cuda_text, e);
	rc = rc ? rc : read_cuda(cuda_text, &found, e);
	if (!rc) {
		*version = version_text;
		*cuda = found;
	}
	return rc;
}

/* ---- what it is ---- */

static int choose_version(struct wheel *w, struct str inside, struct torch_offer *o, struct err *e)
{
	const struct wheel_metadata *metadata = NULL;
	struct version v;
	int rc = wheel_metadata(w, &metadata, e);

	if (rc) {
		return rc;
	}
	if (version_parse(&o->arena, inside, &v, e) ||
		version_cmp_public(&v, &metadata->version) != 0) {
		return err_set(e, RC_WHEEL,
			"%.*s: torch/version.py says version \"%.*s\", METADATA \"%.*s\"",
			STR_ARG(wheel_name(w)->file), STR_ARG(str_first(inside, LIMIT_VERSION)),
			STR_ARG(metadata->version.raw));
	}
	CLEANUP_BUF struct buf text = BUF_INIT;
	version_format(metadata->version.nlocal ? &metadata->version : &v, &text);
	o->torch.version = arena_str(&o->arena, buf_str(&text));
	return 0;
}

static int read_version(struct wheel *w, struct torch_offer *o, struct err *e)
{
	const struct wheel_member *m = wheel_find(w, "torch/version.py");
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct str version = STR_NULL;

	if (!m) {
		return err_set(e, RC_NOT_FOUND, "%.*s: it has no torch/version.py",
			STR_ARG(wheel_name(w)->file));
	}
	int rc = wheel_read(w, m, VERSION_FILE_MAX, &text, e);
	if (rc) {
		return rc;
	}
	if (torch_version_read(buf_str(&text), &version, &o->torch.cuda, e)) {
		return err_wrap(e, "%.*s: torch/version.py", STR_ARG(wheel_name(w)->file));
	}
	return choose_version(w, version, o, e);
}

/* ---- what it offers ---- */

/* Copies the texts of a sorted list into one piece of memory. */
static const struct str *pack(struct arena *a, struct str *names, size_t n)
{
	size_t size = 1, at = 0;

	for (size_t i = 0; i < n; i++) {
		size += names[i].n;
	}
	char *all = arena_alloc(a, size);
	struct str *out = arena_array(a, n, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		if (names[i].n) {
			memcpy(all + at, names[i].p, names[i].n);
		}
		out[i] = (struct str){ all + at, names[i].n };
		at += names[i].n;
	}
	return out;
}

static void take_symbols(const struct native *n, struct torch_offer *o)
{
	VEC(struct str) all = VEC_INIT;

	for (size_t i = 0; i < n->nmodules; i++) {
		for (size_t k = 0; k < n->modules[i].nexported; k++) {
			vec_push(&all, n->modules[i].exported[k]);
		}
	}
	o->torch.nsymbols = name_list_sort(all.v, all.n);
	o->torch.symbols = pack(&o->arena, all.v, o->torch.nsymbols);
	vec_release(&all);
}

static void take_libraries(const struct native *n, struct torch_offer *o)
{
	struct arena scratch = ARENA_INIT;
	struct str *names = native_libraries(n, &scratch, &o->torch.nlibraries);

	o->torch.libraries = pack(&o->arena, names, o->torch.nlibraries);
	arena_release(&scratch);
}

int torch_offer_read(
	struct wheel *w, const struct native *n, struct torch_offer *out, struct err *e)
{
	struct torch_offer o = TORCH_OFFER_INIT;
	int rc = read_version(w, &o, e);

	if (!rc && n->nmodules == 0) {
		rc = err_set(
			e, RC_NOT_FOUND, "%.*s: it has no library", STR_ARG(wheel_name(w)->file));
	}
	if (rc) {
		torch_offer_release(&o);
		return rc;
	}
	take_symbols(n, &o);
	take_libraries(n, &o);
	*out = o;
	return 0;
}

bool torch_offer_is_for(const struct torch_offer *o, const struct target *t)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	struct version offered, stated;
	bool is_for = t->torch.n == 0;

	if (!is_for && version_parse(&a, o->torch.version, &offered, &ignored) == 0 &&
		version_parse(&a, t->torch, &stated, &ignored) == 0) {
		bool has_locals = offered.nlocal && stated.nlocal;

		is_for = (has_locals ? version_cmp(&offered, &stated)
				     : version_cmp_public(&offered, &stated)) == 0;
	}
	arena_release(&a);
	return is_for;
}

/* ---- as text ---- */

void torch_offer_write(const struct torch_offer *offer, struct buf *out)
{
	const struct audit_torch *t = &offer->torch;
	struct json_out o;

	json_out_init(&o, out, true);
	json_begin_object(&o);
	json_u64(&o, "cuda_major", t->cuda.major);
	json_u64(&o, "cuda_minor", t->cuda.minor);
	name_list_put(&o, "libraries", t->libraries, t->nlibraries);
	name_list_put(&o, "symbols", t->symbols, t->nsymbols);
	json_str(&o, "version", t->version);
	json_end_object(&o);
}

static int read_root(struct str text, struct torch_offer *o, struct err *e)
{
	CLEANUP_JSON struct json *root = NULL;
	struct audit_torch *t = &o->torch;
	struct str version = STR_NULL, *libraries = NULL, *symbols = NULL;
	uint64_t major = 0, minor = 0;
	int rc = json_parse(text, &root, e);

	rc = rc ? rc : json_need_u64(root, "cuda_major", &major, e);
	rc = rc ? rc : json_need_u64(root, "cuda_minor", &minor, e);
	rc = rc ? rc
		: name_list_need_sorted(
			  root, "libraries", &o->arena, &libraries, &t->nlibraries, e);
	rc = rc ? rc : name_list_need_sorted(root, "symbols", &o->arena, &symbols, &t->nsymbols, e);
	rc = rc ? rc : json_need_str(root, "version", &version, e);
	if (!rc && (major > CUDA_NUMBER_MAX || minor > CUDA_NUMBER_MAX)) {
		rc = err_set(e, RC_SYNTAX, "cuda: too large");
	}
	if (!rc) {
		t->cuda = (struct cuda_version){ (unsigned)major, (unsigned)minor };
		t->libraries = libraries;
		t->symbols = symbols;
		t->version = arena_str(&o->arena, version);
	}
	return rc;
}

int torch_offer_parse(struct str text, struct torch_offer *out, struct err *e)
{
	struct torch_offer o = TORCH_OFFER_INIT;
	CLEANUP_BUF struct buf again = BUF_INIT;

	if (text.n > LIMIT_NATIVE_TEXT) {
		return err_set(e, RC_LIMIT, "torch: %zu bytes, at most %" PRIu64, text.n,
			(uint64_t)LIMIT_NATIVE_TEXT);
	}
	int rc = read_root(text, &o, e);
	if (!rc) {
		torch_offer_write(&o, &again);
		rc = str_eq(text, buf_str(&again)) ? 0
						   : err_set(e, RC_SYNTAX, "not in canonical form");
	}
	if (rc) {
		torch_offer_release(&o);
		return err_wrap(e, "torch");
	}
	*out = o;
	return 0;
}
