#include "verify/audit_wheel.h"

#include "verify/module_part.h"
#include "verify/name_list.h"

enum { WHEEL_MAX = 4 * 1024 * 1024 };

void audit_file_release(struct audit_file *f)
{
	native_release(&f->native);
	wheel_close(f->open);
	arena_release(&f->arena);
	*f = (struct audit_file)AUDIT_FILE_INIT;
}

/* ---- WHEEL: "key: value" lines ---- */

static bool is_field(struct str line, const char *key, struct str *value)
{
	struct str name = STR_NULL;

	if (str_find(line, ':') == line.n) {
		return false;
	}
	str_cut(&line, ':', &name);
	*value = str_trim(line);
	return str_eq_nocase(str_trim(name), str_of(key));
}

void audit_wheel_fields(struct str text, struct arena *a, struct audit_wheel *out)
{
	VEC(struct str) tags = VEC_INIT;
	struct str line, value = STR_NULL;

	while (str_cut(&text, '\n', &line)) {
		if (is_field(line, "Tag", &value)) {
			vec_push(&tags, value);
		} else if (is_field(line, "Root-Is-Purelib", &value)) {
			out->is_purelib = str_eq_nocase(value, STR("true"));
		}
	}
	out->wheel_tags = arena_strs(a, tags.v, tags.n);
	out->nwheel_tags = tags.n;
	vec_release(&tags);
}

static int read_wheel_file(struct audit_file *f, struct err *e)
{
	const struct wheel_member *m = wheel_find_info(f->open, "WHEEL");
	CLEANUP_BUF struct buf text = BUF_INIT;

	if (!m) {
		return err_set(
			e, RC_WHEEL, "%.*s: it has no WHEEL", STR_ARG(wheel_name(f->open)->file));
	}
	int rc = wheel_read(f->open, m, WHEEL_MAX, &text, e);
	if (!rc) {
		audit_wheel_fields(buf_str(&text), &f->arena, &f->wheel);
	}
	return rc;
}

int audit_file_open(int fd, struct str file_name, struct audit_file *out, struct err *e)
{
	*out = (struct audit_file)AUDIT_FILE_INIT;
	int rc = wheel_open_fd(fd, file_name, &out->open, e);

	rc = rc ? rc : wheel_metadata(out->open, &out->wheel.metadata, e);
	rc = rc ? rc : read_wheel_file(out, e);
	if (rc) {
		audit_file_release(out);
		return rc;
	}
	out->wheel.name = wheel_name(out->open);
	out->wheel.native = &out->native;
	return 0;
}

/* ---- libraries ---- */

struct str *native_libraries(const struct native *n, struct arena *a, size_t *count)
{
	struct str *names = arena_array(a, 2 * n->nmodules, sizeof(*names));
	size_t found = 0;

	for (size_t i = 0; i < n->nmodules; i++) {
		const struct native_module *m = &n->modules[i];

		if (m->format != NATIVE_ELF && m->format != NATIVE_PE) {
			continue;
		}
		names[found++] = module_file_name(m);
		if (m->soname.n) {
			names[found++] = m->soname;
		}
	}
	*count = name_list_sort(names, found);
	return names;
}
