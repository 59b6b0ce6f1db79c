#include "mirror/inspect_matrix.h"

#include "manifests/target_text.h"
#include "verify/device_code.h"

#include <stdlib.h>

const char *matrix_axis_name(enum matrix_axis axis)
{
	static const char *const names[MATRIX_AXES] = { "target", "python", "torch", "cuda", "gpu",
		"platform", "libc" };

	return names[axis];
}

/* ---- columns ---- */

static struct str libc_text(struct arena *a, const struct target *t)
{
	if (t->os != TARGET_LINUX) {
		return STR("-");
	}
	return str_of(arena_printf(a, "%s %u.%u", t->libc == TARGET_MUSL ? "musl" : "glibc",
		t->libc_major, t->libc_minor));
}

static struct str axis_text(struct arena *a, const struct matrix_column *c, enum matrix_axis axis)
{
	const struct target *t = c->target->target;

	switch (axis) {
	case MATRIX_TARGET:
		return t->name;
	case MATRIX_PYTHON:
		return str_of(target_python_text(a, &t->python));
	case MATRIX_TORCH:
		return t->torch.n ? t->torch : STR("-");
	case MATRIX_CUDA:
		return t->is_cuda_known ? str_of(target_cuda_text(a, t)) : STR("-");
	case MATRIX_GPU:
		return c->gpu ? str_of(arena_printf(a, "%u.%u", c->gpu->major, c->gpu->minor))
			      : STR("-");
	case MATRIX_PLATFORM:
		return t->platform;
	case MATRIX_LIBC:
		return libc_text(a, t);
	case MATRIX_AXES:
		break;
	}
	return STR_NULL;
}

static void make_columns(struct arena *a, const struct inspection *x, struct matrix *m)
{
	size_t n = 0;

	for (size_t i = 0; i < x->ntargets; i++) {
		n += x->targets[i].target->ngpus ? x->targets[i].target->ngpus : 1;
	}
	m->columns = arena_array(a, n, sizeof(*m->columns));
	for (size_t i = 0; i < x->ntargets; i++) {
		const struct target *t = x->targets[i].target;
		size_t gpu = 0;

		do {
			m->columns[m->ncolumns++] =
				(struct matrix_column){ .target = &x->targets[i],
					.gpu = t->ngpus ? &t->gpus[gpu] : NULL };
		} while (++gpu < t->ngpus);
	}
	for (size_t axis = 0; axis < MATRIX_AXES; axis++) {
		m->axes[axis] = arena_array(a, n, sizeof(struct str));
		for (size_t i = 0; i < n; i++) {
			m->axes[axis][i] = axis_text(a, &m->columns[i], (enum matrix_axis)axis);
		}
	}
}

/* ---- rows ---- */

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void make_rows(struct arena *a, const struct inspection *x, struct matrix *m)
{
	size_t nfiles, n = 0;
	const struct manifest_file **files = inspection_distinct(a, x, &nfiles);

	m->projects = arena_array(a, nfiles + x->nwaivers, sizeof(*m->projects));
	for (size_t i = 0; i < nfiles; i++) {
		m->projects[n++] = files[i]->name;
	}
	for (size_t i = 0; i < x->nwaivers; i++) {
		if (str_is(x->waivers[i].what, "hole")) {
			m->projects[n++] = x->waivers[i].project;
		}
	}
	if (n) {
		qsort(m->projects, n, sizeof(*m->projects), by_text);
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !str_eq(m->projects[i], m->projects[m->nprojects - 1])) {
			m->projects[m->nprojects++] = m->projects[i];
		}
	}
}

/* ---- cells ---- */

/* "sm_90a", "compute_90", "lto_90", as device_code_format writes them. */
static void add_word(struct device_code *d, struct str word)
{
	static const struct {
		const char *prefix;
		enum device_kind kind;
	} kinds[] = { { "sm_", DEVICE_CUBIN }, { "compute_", DEVICE_PTX }, { "lto_", DEVICE_LTO } };
	uint64_t sm = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!str_starts(word, kinds[i].prefix)) {
			continue;
		}
		struct str number = str_skip(word, str_of(kinds[i].prefix).n);
		char suffix = str_ends(number, "a") ? 'a' : str_ends(number, "f") ? 'f' : 0;

		if (str_to_u64(str_first(number, number.n - (suffix != 0)), &sm) && sm < 10000) {
			device_code_add(d, (struct device_entry){ .kind = kinds[i].kind,
						   .sm = (unsigned)sm,
						   .suffix = suffix,
						   .count = 1 });
		}
	}
}

/* What the code in the file is for this GPU: there, by PTX, or for others alone. */
static enum matrix_mark code_mark(const struct manifest_file *f, const struct gpu *gpu)
{
	struct device_code d = { .v = NULL };
	struct str rest = f->device_code, word;
	bool by_ptx = false;

	if (!gpu || !rest.n) {
		return MATRIX_THERE;
	}
	while (str_cut(&rest, ' ', &word)) {
		add_word(&d, word);
	}
	device_code_sort(&d);
	bool is_covered = device_code_covers(&d, *gpu, &by_ptx);
	device_code_release(&d);
	return !is_covered ? MATRIX_LACK : by_ptx ? MATRIX_DOUBT : MATRIX_THERE;
}

static enum matrix_mark audit_mark(const struct inspect_file *f)
{
	enum matrix_mark mark = MATRIX_THERE;

	for (size_t i = 0; i < f->nfindings; i++) {
		enum matrix_mark own =
			str_is(f->findings[i].result, "FAIL") ? MATRIX_LACK : MATRIX_DOUBT;

		mark = own > mark ? own : mark;
	}
	return mark;
}

static const char *audit_word(const struct inspect_file *f)
{
	static const char *const words[] = { "FAIL", "UNKNOWN", "WARN" };

	for (size_t w = 0; w < 3; w++) {
		for (size_t i = 0; i < f->nfindings; i++) {
			if (str_is(f->findings[i].result, words[w])) {
				return w == 0 ? " FAIL" : w == 1 ? " ?" : " !";
			}
		}
	}
	return "";
}

/* Of a source and the wheel that was built of it, and of what runs and what only builds, the one
 * that counts. */
static const struct inspect_file *best_of(const struct inspect_target *t, struct str project)
{
	const struct inspect_file *best = NULL;
	int rank = 0;

	for (size_t j = 0; j < t->nfiles; j++) {
		const struct inspect_file *f = &t->files[j];
		int own = 1 + (f->file->kind == DIST_WHEEL) + ((f->use & USE_RUN) ? 2 : 0);

		if (own > rank && str_eq(f->file->name, project)) {
			best = f;
			rank = own;
		}
	}
	return best;
}

static bool is_hole(const struct inspection *x, struct str target, struct str project)
{
	for (size_t i = 0; i < x->nwaivers; i++) {
		const struct manifest_waiver *w = &x->waivers[i];

		if (str_is(w->what, "hole") && str_eq(w->project, project) &&
			(!w->target.n || str_eq(w->target, target))) {
			return true;
		}
	}
	return false;
}

static struct matrix_cell make_cell(struct arena *a, const struct inspection *x,
	const struct matrix_column *c, struct str project)
{
	const struct inspect_file *f = best_of(c->target, project);

	if (!f) {
		bool hole = is_hole(x, c->target->target->name, project);

		return (struct matrix_cell){ hole ? STR("hole") : STR("-"),
			hole ? MATRIX_LACK : MATRIX_NONE };
	}
	enum matrix_mark code = code_mark(f->file, c->gpu), audit = audit_mark(f);
	const char *form = f->is_built ? " built" : f->file->kind == DIST_SDIST ? " sdist" : "";
	const char *gpu = code == MATRIX_LACK ? " other-GPU" : code == MATRIX_DOUBT ? " PTX" : "";
	char *text =
		arena_printf(a, "%.*s%s%s%s", STR_ARG(f->file->version), form, gpu, audit_word(f));

	return (struct matrix_cell){ str_of(text), code > audit ? code : audit };
}

void matrix_make(struct arena *a, const struct inspection *x, struct matrix *out)
{
	*out = (struct matrix){ .ncolumns = 0 };
	make_columns(a, x, out);
	make_rows(a, x, out);
	out->cells = arena_array(a, out->nprojects, sizeof(*out->cells));
	for (size_t i = 0; i < out->nprojects; i++) {
		out->cells[i] = arena_array(a, out->ncolumns, sizeof(**out->cells));
		for (size_t k = 0; k < out->ncolumns; k++) {
			out->cells[i][k] = make_cell(a, x, &out->columns[k], out->projects[i]);
		}
	}
}

/* ---- text ---- */

static size_t width_of(const struct matrix *m, size_t column)
{
	size_t width = 0;

	for (size_t axis = 0; axis < MATRIX_AXES; axis++) {
		width = m->axes[axis][column].n > width ? m->axes[axis][column].n : width;
	}
	for (size_t i = 0; i < m->nprojects; i++) {
		width = m->cells[i][column].text.n > width ? m->cells[i][column].text.n : width;
	}
	return width;
}

/* Padded, but for the last of a line. */
static void put_cell(struct str text, size_t width, bool is_last, struct buf *out)
{
	buf_addstr(out, text);
	for (size_t i = text.n; !is_last && i < width + 2; i++) {
		buf_addc(out, ' ');
	}
	buf_adds(out, is_last ? "\n" : "");
}

static void put_table(const struct matrix *m, const size_t *widths, size_t first, struct buf *out)
{
	for (size_t row = 0; row < MATRIX_AXES + m->nprojects; row++) {
		bool is_axis = row < MATRIX_AXES;
		size_t project = is_axis ? 0 : row - MATRIX_AXES;

		buf_adds(out, row == MATRIX_AXES ? "\n" : "");
		put_cell(is_axis ? str_of(matrix_axis_name((enum matrix_axis)row))
				 : m->projects[project],
			first, m->ncolumns == 0, out);
		for (size_t k = 0; k < m->ncolumns; k++) {
			put_cell(is_axis ? m->axes[row][k] : m->cells[project][k].text, widths[k],
				k + 1 == m->ncolumns, out);
		}
	}
}

void inspection_matrix(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct matrix m;

	matrix_make(&a, x, &m);
	size_t *widths = arena_array(&a, m.ncolumns, sizeof(*widths)), first = 8;
	for (size_t i = 0; i < m.nprojects; i++) {
		first = m.projects[i].n > first ? m.projects[i].n : first;
	}
	for (size_t k = 0; k < m.ncolumns; k++) {
		widths[k] = width_of(&m, k);
	}
	put_table(&m, widths, first, out);
	arena_release(&a);
}
