#include "bundle/pip_ini.h"
#include "manifests/base/buf.h"

#include <string.h>

struct ini {
	struct arena *a;
	const char *from;
	unsigned line;
	const char *section; /* NULL: none yet */
	size_t first_of_section;
	size_t indent; /* of the line that began the current value */
	bool in_value; /* the last entry of `entries` may go on */
	VEC(struct pip_setting) entries;
	VEC(const char *) sections;
};

void pip_settings_put(struct pip_settings *s, struct pip_setting setting)
{
	vec_each(struct pip_setting, old, &s->list) {
		if (!strcmp(old->section, setting.section) && !strcmp(old->name, setting.name)) {
			*old = setting;
			return;
		}
	}
	vec_push(&s->list, setting);
}

void pip_settings_release(struct pip_settings *s)
{
	vec_release(&s->list);
}

char *pip_ini_name(struct arena *a, struct str name)
{
	char *text = arena_dup(a, name);

	for (char *p = text; *p; p++) {
		if (*p >= 'A' && *p <= 'Z') {
			*p = (char)(*p | 32);
		} else if (*p == '_') {
			*p = '-';
		}
	}
	return strncmp(text, "--", 2) == 0 ? text + 2 : text;
}

static int wrong_line(struct ini *in, const char *what, struct err *e)
{
	err_set(e, RC_SYNTAX, "%s:%u: %s", in->from, in->line, what);
	return err_hint(e, "correct the file; pip 26 refuses it, too");
}

static int begin_section(struct ini *in, struct str line, struct err *e)
{
	size_t close = str_rfind(line, ']');

	/* configparser takes everything up to the last bracket as the name; text behind it is
	 * ignored. */
	const char *name = arena_dup(in->a, str_first(str_skip(line, 1), close - 1));
	vec_each(const char *, old, &in->sections) {
		if (strcmp(*old, name) == 0) {
			return wrong_line(in, "this section stands twice", e);
		}
	}
	vec_push(&in->sections, name);
	in->section = name;
	in->first_of_section = in->entries.n;
	in->in_value = false;
	return 0;
}

static int begin_value(struct ini *in, struct str line, struct err *e)
{
	size_t equals = str_find(line, '='), colon = str_find(line, ':');
	size_t at = equals < colon ? equals : colon;
	struct str name = str_trim(str_first(line, at));

	if (at == line.n) {
		return wrong_line(in, "neither a [section] nor \"name = value\"", e);
	}
	if (!name.n) {
		return wrong_line(in, "a value without a name", e);
	}
	const char *text = pip_ini_name(in->a, name);
	for (size_t i = in->first_of_section; i < in->entries.n; i++) {
		if (strcmp(in->entries.v[i].name, text) == 0) {
			return wrong_line(in, "this name stands twice in its section", e);
		}
	}
	vec_push(&in->entries,
		(struct pip_setting){ in->section, text,
			arena_dup(in->a, str_trim(str_skip(line, at + 1))), in->from });
	in->in_value = true;
	return 0;
}

static void continue_value(struct ini *in, struct str line)
{
	struct pip_setting *last = &in->entries.v[in->entries.n - 1];

	last->value = arena_printf(in->a, "%s\n%.*s", last->value, STR_ARG(line));
}

static int read_line(struct ini *in, struct str raw, struct err *e)
{
	struct str line = str_trim(raw);
	size_t indent = line.n ? (size_t)(line.p - raw.p) : 0;

	in->line++;
	if (!line.n || line.p[0] == '#' || line.p[0] == ';') {
		return 0;
	}
	if (in->in_value && indent > in->indent) {
		continue_value(in, line);
		return 0;
	}
	in->indent = indent;
	if (line.p[0] == '[' && str_rfind(line, ']') > 1 && str_rfind(line, ']') < line.n) {
		return begin_section(in, line, e);
	}
	if (!in->section) {
		return wrong_line(in, "a line before the first [section]", e);
	}
	return begin_value(in, line, e);
}

/* Values of [DEFAULT] first, so that the section's own take their place. */
static void put_sections(struct ini *in, struct pip_settings *out)
{
	vec_each(const char *, section, &in->sections) {
		if (strcmp(*section, "DEFAULT") == 0) {
			continue;
		}
		vec_each(struct pip_setting, d, &in->entries) {
			if (strcmp(d->section, "DEFAULT") == 0) {
				pip_settings_put(out, (struct pip_setting){ *section, d->name,
							      d->value, d->from });
			}
		}
		vec_each(struct pip_setting, s, &in->entries) {
			if (s->section == *section) {
				pip_settings_put(out, *s);
			}
		}
	}
}

int pip_ini_read(
	struct arena *a, struct str text, const char *from, struct pip_settings *out, struct err *e)
{
	struct ini in = { .a = a, .from = from };
	struct str line;
	int r = 0;

	if (str_starts(text, "\xEF\xBB\xBF")) {
		text = str_skip(text, 3);
	}
	if (text.n && memchr(text.p, '\0', text.n)) {
		r = err_set(e, RC_SYNTAX, "%s: not a text file", from);
	}
	while (!r && str_cut(&text, '\n', &line)) {
		r = read_line(&in, line, e);
	}
	if (!r) {
		put_sections(&in, out);
	}
	vec_release(&in.entries);
	vec_release(&in.sections);
	return r;
}
