/* What was found, as a table and as JSON. */
#include "bundle/available.h"
#include "manifests/base/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static const char *torch_text(const struct available_file *f, struct arena *a)
{
	const struct variant *v = &f->variant;
	const char *one =
		v->ntorch ? arena_printf(a, "%u.%u", v->torch[0].major, v->torch[0].minor) : "-";

	if (f->file->is_torch_free) {
		return "any";
	}
	if (v->torch_is_calver) {
		return arena_printf(a, "%u.%02u", v->torch[0].major, v->torch[0].minor);
	}
	if (v->ntorch > 1) {
		return arena_printf(a, "%s|%u.%u", one, v->torch[1].major, v->torch[1].minor);
	}
	return v->torch_or_higher ? arena_printf(a, "%s+", one) : one;
}

static const char *cuda_text(const struct variant *v, struct arena *a)
{
	static const char *const words[] = { [VARIANT_UNSAID] = "-",
		[VARIANT_CPU] = "cpu",
		[VARIANT_ROCM] = "rocm",
		[VARIANT_XPU] = "xpu" };

	if (v->accelerator != VARIANT_CUDA) {
		return words[v->accelerator];
	}
	return v->has_cuda_minor ? arena_printf(a, "%u.%u", v->cuda.major, v->cuda.minor)
				 : arena_printf(a, "%u", v->cuda.major);
}

static const char *abi_text(const struct variant *v)
{
	return v->cxx11_abi < 0 ? "-" : v->cxx11_abi ? "TRUE" : "FALSE";
}

/* ---- the table ---- */

enum { MINORS = 32, MACHINES_MAX = 16, LABELS = 4 };

struct cell {                             /* Pythons: bits are minor numbers of Python 3 */
	uint32_t plain, threaded, stable; /* stable: abi3 of that minor and every later one */
	bool is_any, is_source;
};

struct row {
	const char *label[LABELS]; /* torch, CUDA, C++ ABI, newest version */
	const struct available_file *first;
	struct cell cells[MACHINES_MAX];
};

struct table {
	struct arena a;
	VEC(struct row) rows;
	struct str machines[MACHINES_MAX]; /* columns */
	size_t nmachines;
};

/* "manylinux_2_28_x86_64" -> "linux x86_64" */
static struct str machine_of(struct table *t, struct str tag)
{
	static const char *const machines[] = { "x86_64", "aarch64", "amd64", "arm64", "i686",
		"universal2" };
	const char *kind = str_starts(tag, "musl")  ? "musl"
			   : str_starts(tag, "win") ? "win"
			   : str_starts(tag, "mac") ? "macos"
			   : str_has(tag, "linux")  ? "linux"
						    : NULL;

	for (size_t i = 0; kind && i < sizeof(machines) / sizeof(*machines); i++) {
		if (str_ends(tag, machines[i])) {
			return str_of(arena_printf(&t->a, "%s %s", kind, machines[i]));
		}
	}
	return tag;
}

/* The column, or the last one for what there is no room for. */
static size_t column_of(struct table *t, struct str machine)
{
	for (size_t i = 0; i < t->nmachines; i++) {
		if (str_eq(t->machines[i], machine)) {
			return i;
		}
	}
	if (t->nmachines == MACHINES_MAX) {
		t->machines[MACHINES_MAX - 1] = STR("other");
		return MACHINES_MAX - 1;
	}
	t->machines[t->nmachines] = machine;
	return t->nmachines++;
}

static void add_python(struct cell *c, struct str python, struct str abi)
{
	uint64_t minor = 0;

	if (!str_starts(python, "cp3") || !str_to_u64(str_skip(python, 3), &minor) ||
		minor >= MINORS) {
		c->is_any = true;
	} else if (str_is(abi, "abi3")) {
		c->stable |= UINT32_C(1) << minor;
	} else if (str_ends(abi, "t")) {
		c->threaded |= UINT32_C(1) << minor;
	} else {
		c->plain |= UINT32_C(1) << minor;
	}
}

static void add_file(struct table *t, struct row *r, const struct dist_name *name)
{
	struct str platforms = name->platform, platform, pythons, python, abis, abi;

	if (name->kind == DIST_SDIST) {
		r->cells[column_of(t, STR("any"))].is_source = true;
		return;
	}
	while (str_cut(&platforms, '.', &platform)) {
		struct cell *c = &r->cells[column_of(t, machine_of(t, platform))];

		for (pythons = name->python; str_cut(&pythons, '.', &python);) {
			for (abis = name->abi; str_cut(&abis, '.', &abi);) {
				add_python(c, python, abi);
			}
		}
	}
}

/* Files come newest version first: a row's first is its newest. */
static struct row *row_of(struct table *t, const struct available_file *f)
{
	CLEANUP_BUF struct buf version = BUF_INIT;
	struct row new = { .label = { torch_text(f, &t->a), cuda_text(&f->variant, &t->a),
				   abi_text(&f->variant) },
		.first = f };

	vec_each(struct row, r, &t->rows) {
		if (!strcmp(r->label[0], new.label[0]) && !strcmp(r->label[1], new.label[1]) &&
			!strcmp(r->label[2], new.label[2])) {
			return r;
		}
	}
	version_format_public(&f->file->name.version, &version);
	new.label[3] = arena_dup(&t->a, buf_str(&version));
	vec_push(&t->rows, new);
	return &t->rows.v[t->rows.n - 1];
}

static int compare_numbers(unsigned a, unsigned b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* The newest torch first, then the newest CUDA; what says nothing last. */
static int by_torch(const void *a, const void *b)
{
	const struct variant *x = &((const struct row *)a)->first->variant,
			     *y = &((const struct row *)b)->first->variant;
	const bool has_x = x->ntorch > 0, has_y = y->ntorch > 0;

	int order = has_x != has_y ? (has_x ? -1 : 1) : 0;
	order = order || !has_x ? order : compare_numbers(x->torch[0].major, y->torch[0].major);
	order = order || !has_x ? order : compare_numbers(x->torch[0].minor, y->torch[0].minor);
	order = order ? order : compare_numbers(x->cuda.major, y->cuda.major);
	order = order ? order : compare_numbers(x->cuda.minor, y->cuda.minor);
	order = order ? order : y->cxx11_abi - x->cxx11_abi;
	return order ? order
		     : strcmp(((const struct row *)a)->label[1], ((const struct row *)b)->label[1]);
}

/* "3.9-3.13 3.14", or "3.13t" with a suffix. */
static void put_minors(struct buf *out, uint32_t minors, const char *suffix)
{
	for (unsigned i = 0; i < MINORS; i++) {
		unsigned last = i;

		if (!(minors >> i & 1)) {
			continue;
		}
		while (last + 1 < MINORS && minors >> (last + 1) & 1) {
			last++;
		}
		buf_addf(out, "%s3.%u%s", out->n ? " " : "", i, suffix);
		if (last > i) {
			buf_addf(out, "%s3.%u%s", last > i + 1 ? "-" : " ", last, suffix);
		}
		i = last;
	}
}

static const char *cell_text(struct table *t, const struct cell *c)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	put_minors(&b, c->plain, "");
	put_minors(&b, c->threaded, "t");
	put_minors(&b, c->stable & -c->stable, "+"); /* the lowest says it for the others */
	buf_adds(&b, c->is_any ? (b.n ? " any" : "any") : "");
	buf_adds(&b, c->is_source ? (b.n ? " source" : "source") : "");
	return b.n ? arena_dup(&t->a, buf_str(&b)) : "-";
}

static void put_lines(const char *const *cells, size_t nrows, size_t ncolumns, struct buf *out)
{
	for (size_t row = 0; row < nrows; row++) {
		for (size_t i = 0; i < ncolumns; i++) {
			size_t width = 0;

			for (size_t k = 0; k < nrows; k++) {
				size_t n = strlen(cells[k * ncolumns + i]);

				width = n > width ? n : width;
			}
			buf_addf(out, "%s%-*s", i ? "  " : "", i + 1 < ncolumns ? (int)width : 0,
				cells[row * ncolumns + i]);
		}
		buf_addc(out, '\n');
	}
}

/* By name; what is for any machine comes last. */
static int by_machine(const void *a, const void *b, void *table)
{
	const struct table *t = table;
	struct str x = t->machines[*(const size_t *)a], y = t->machines[*(const size_t *)b];
	bool is_any_x = str_is(x, "any"), is_any_y = str_is(y, "any");

	return is_any_x != is_any_y ? is_any_x - is_any_y : str_cmp(x, y);
}

static void put_table(struct table *t, struct buf *out)
{
	static const char *const heads[LABELS] = { "torch", "CUDA", "C++ABI", "newest" };
	size_t ncolumns = LABELS + t->nmachines, at = 0, order[MACHINES_MAX];
	const char **cells = arena_array(&t->a, (t->rows.n + 1) * ncolumns, sizeof(*cells));

	for (size_t i = 0; i < t->nmachines; i++) {
		order[i] = i;
	}
	qsort_r(order, t->nmachines, sizeof(*order), by_machine, t);
	for (size_t i = 0; i < ncolumns; i++) {
		cells[at++] =
			i < LABELS ? heads[i] : arena_dup(&t->a, t->machines[order[i - LABELS]]);
	}
	vec_each(struct row, r, &t->rows) {
		for (size_t i = 0; i < ncolumns; i++) {
			cells[at++] = i < LABELS ? r->label[i]
						 : cell_text(t, &r->cells[order[i - LABELS]]);
		}
	}
	put_lines(cells, t->rows.n + 1, ncolumns, out);
}

static void put_counts(const struct available *a, struct buf *out)
{
	vec_each(const struct available_file, f, &a->files) {
		size_t n = 0;
		bool is_first = true;

		vec_each(const struct available_file, other, &a->files) {
			bool is_same = str_eq(other->source, f->source);

			is_first = is_first && !(is_same && other < f);
			n += is_same;
		}
		if (is_first) {
			buf_addf(out, "%s%.*s %zu", f == a->files.v ? "files: " : ", ",
				STR_ARG(f->source), n);
		}
	}
	buf_addc(out, '\n');
}

void available_text(const struct available *a, struct str project, struct buf *out)
{
	struct table t = { .a = ARENA_INIT, .rows = VEC_INIT };

	if (!a->files.n) {
		buf_addf(out, "%.*s: no source and no index that answered has it\n",
			STR_ARG(project));
		return;
	}
	vec_each(const struct available_file, f, &a->files) {
		add_file(&t, row_of(&t, f), &f->file->name);
	}
	qsort(t.rows.v, t.rows.n, sizeof(*t.rows.v), by_torch);
	put_table(&t, out);
	put_counts(a, out);
	vec_release(&t.rows);
	arena_release(&t.a);
}

/* ---- JSON ---- */

static void put_word(struct json_out *o, const char *key, const char *text)
{
	json_cstr(o, key, strcmp(text, "-") == 0 ? NULL : text);
}

static void put_file(const struct available_file *f, struct arena *a, struct json_out *o)
{
	const struct dist_name *name = &f->file->name;
	CLEANUP_BUF struct buf version = BUF_INIT;
	char hex[DIGEST_HEX + 1];
	bool is_wheel = name->kind == DIST_WHEEL;

	version_format(&name->version, &version);
	json_begin_object(o);
	json_cstr(o, "abi", is_wheel ? arena_dup(a, name->abi) : NULL);
	put_word(o, "cuda", cuda_text(&f->variant, a));
	json_put_key(o, "cxx11_abi");
	if (f->variant.cxx11_abi < 0) {
		json_put_null(o);
	} else {
		json_put_bool(o, f->variant.cxx11_abi);
	}
	json_str(o, "file", name->file);
	json_cstr(o, "platform", is_wheel ? arena_dup(a, name->platform) : NULL);
	json_cstr(o, "python", is_wheel ? arena_dup(a, name->python) : NULL);
	json_cstr(o, "sha256", f->file->has_sha256 ? digest_hex(&f->file->sha256, hex) : NULL);
	json_str(o, "source", f->source);
	put_word(o, "torch", torch_text(f, a));
	json_cstr(o, "url", f->file->url);
	json_str(o, "version", buf_str(&version));
	json_end_object(o);
}

void available_json(const struct available *a, struct buf *out)
{
	struct arena scratch = ARENA_INIT;
	struct json_out o;

	json_out_init(&o, out, true);
	json_begin_array(&o);
	vec_each(const struct available_file, f, &a->files) {
		put_file(f, &scratch, &o);
	}
	json_end_array(&o);
	buf_addc(out, '\n');
	arena_release(&scratch);
}
