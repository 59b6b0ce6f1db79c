#include "verify/audit_set.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/tag.h"
#include "verify/name_list.h"

#include <fcntl.h>

void audit_set_release(struct audit_set *s)
{
	for (size_t i = 0; i < s->nentries; i++) {
		audit_file_release(&s->entries[i].file);
	}
	vec_each(struct audit_set_torch, t, &s->torches) {
		torch_offer_release(&t->offer);
	}
	vec_release(&s->torches);
	arena_release(&s->arena);
	*s = (struct audit_set)AUDIT_SET_INIT;
}

/* ---- reading ---- */

static int read_wheel(const char *path, struct audit_file *out, int *fd, struct err *e)
{
	struct str name = str_of(fs_basename(path));

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0) {
		return err_sys(e, "%s: cannot open", path);
	}
	int rc = audit_file_open(*fd, name, out, e);
	return rc ? rc : native_read(*fd, name, 0, &out->native, e);
}

static int take_torch(struct audit_set *s, const struct audit_file *f, struct err *e)
{
	struct audit_set_torch t = { .offer = TORCH_OFFER_INIT };
	int rc = torch_offer_read(f->open, &f->native, &t.offer, e);

	if (rc) {
		return rc;
	}
	/* The same text can be parsed again. */
	rc = dist_name_parse(&s->arena, arena_str(&s->arena, f->wheel.name->file), &t.name, e);
	vec_push(&s->torches, t);
	return rc;
}

static void read_entry(struct audit_set *s, struct audit_entry *entry)
{
	struct err ignored = ERR_INIT;
	CLEANUP(fd) int fd = -1;

	if (read_wheel(entry->path, &entry->file, &fd, &entry->fault)) {
		audit_file_release(&entry->file);
	} else if (torch_is(entry->file.wheel.name)) {
		/* One that offers nothing can be audited all the same. */
		take_torch(s, &entry->file, &ignored);
	}
}

void audit_set_read(struct audit_set *s, const char *const *paths, size_t n)
{
	s->entries = arena_array(&s->arena, n, sizeof(*s->entries));
	for (size_t i = 0; i < n; i++) {
		struct audit_entry *entry = &s->entries[s->nentries++];

		*entry = (struct audit_entry){
			.path = paths[i], .fault = ERR_INIT, .file = AUDIT_FILE_INIT
		};
		read_entry(s, entry);
	}
}

int audit_set_add_torch(struct audit_set *s, const char *path, struct err *e)
{
	struct audit_file f = AUDIT_FILE_INIT;
	CLEANUP(fd) int fd = -1;
	int rc = read_wheel(path, &f, &fd, e);

	if (!rc && !torch_is(f.wheel.name)) {
		rc = err_set(e, RC_USAGE, "%s: not a wheel of torch", path);
	}
	rc = rc ? rc : take_torch(s, &f, e);
	audit_file_release(&f);
	return rc;
}

/* ---- what stands around one of them ---- */

const struct audit_torch *audit_set_torch_for(const struct audit_set *s, const struct target *t)
{
	const struct audit_torch *found = NULL;
	struct arena a = ARENA_INIT;
	struct tag_list tags;

	tag_list_of(&a, t, &tags);
	vec_each(const struct audit_set_torch, torch, &s->torches) {
		if (!torch_offer_is_for(&torch->offer, t)) {
			continue;
		}
		if (tag_rank(&tags, &torch->name) >= 0) {
			found = &torch->offer.torch;
			break;
		}
		found = found ? found : &torch->offer.torch;
	}
	arena_release(&a);
	return found;
}

/* What all but one bring. */
static struct str *list_provided(
	const struct audit_set *s, const struct audit_entry *but, struct arena *a, size_t *n)
{
	VEC(struct str) all = VEC_INIT;

	for (size_t i = 0; i < s->nentries; i++) {
		const struct audit_entry *entry = &s->entries[i];
		size_t count = 0;

		if (entry == but || entry->fault.rc) {
			continue;
		}
		struct str *names = native_libraries(&entry->file.native, a, &count);
		for (size_t k = 0; k < count; k++) {
			vec_push(&all, names[k]);
		}
	}
	*n = name_list_sort(all.v, all.n);
	struct str *out = arena_array(a, *n, sizeof(*out));
	for (size_t i = 0; i < *n; i++) {
		out[i] = all.v[i];
	}
	vec_release(&all);
	return out;
}

void audit_set_run(const struct audit_set *s, const struct audit_entry *of, const struct target *t,
	struct audit *out)
{
	struct arena a = ARENA_INIT;
	struct audit_site site = { .target = t, .torch = audit_set_torch_for(s, t) };

	site.provided = list_provided(s, of, &a, &site.nprovided);
	audit_run(&of->file.wheel, &site, out);
	arena_release(&a);
}
