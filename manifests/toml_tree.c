#include "manifests/toml_parser.h"

#include <inttypes.h>

/* A table with more children than this gets an index by hash. */
enum { INDEX_FROM = 8, VALUES_MAX = TOML_VALUES_MAX };

struct toml_index { /* open addressing, at most half full */
	size_t size;
	uint64_t seed;
	struct toml **slot;
};

/* FNV-1a from a seed that the text cannot know, so that nobody can prepare keys which collide. */
static size_t slot_of(const struct toml_index *index, struct str key)
{
	uint64_t h = index->seed ^ UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < key.n; i++) {
		h = (h ^ (unsigned char)key.p[i]) * UINT64_C(0x100000001b3);
	}
	size_t at = (size_t)(h ^ h >> 29) & (index->size - 1);
	while (index->slot[at] && !str_eq(index->slot[at]->key, key)) {
		at = (at + 1) & (index->size - 1);
	}
	return at;
}

static void index_build(struct toml_parser *t, struct toml *table)
{
	struct toml_index *index = arena_alloc(t->arena, sizeof(*index));

	index->size = table->index ? table->index->size * 4 : (size_t)INDEX_FROM * 4;
	index->slot = arena_array(t->arena, index->size, sizeof(struct toml *));
	index->seed = (uint64_t)(uintptr_t)index->slot * UINT64_C(0x9e3779b97f4a7c15);
	for (struct toml *c = table->first; c; c = c->next) {
		index->slot[slot_of(index, c->key)] = c;
	}
	table->index = index;
}

static struct toml *child_of(const struct toml *table, struct str key)
{
	if (table->index) {
		return table->index->slot[slot_of(table->index, key)];
	}
	for (struct toml *c = table->first; c; c = c->next) {
		if (str_eq(c->key, key)) {
			return c;
		}
	}
	return NULL;
}

const struct toml *toml_get(const struct toml *table, const char *key)
{
	return child_of(table, str_of(key));
}

struct toml *toml_node(struct toml_parser *t, enum toml_type type, struct toml_place at)
{
	if (++t->values > VALUES_MAX) {
		err_set(t->e, RC_LIMIT, "line %u, column %u: more than %d values", at.line,
			at.column, VALUES_MAX);
		return NULL;
	}
	struct toml *v = arena_alloc(t->arena, sizeof(*v));
	v->type = type;
	v->line = at.line;
	v->column = v->key_column = at.column;
	return v;
}

void toml_append(struct toml_parser *t, struct toml *parent, struct toml *child)
{
	if (parent->last) {
		parent->last->next = child;
	} else {
		parent->first = child;
	}
	parent->last = child;
	parent->count++;
	if (parent->type != TOML_TABLE || parent->count <= INDEX_FROM) {
		return;
	}
	if (!parent->index || parent->count > parent->index->size / 2) {
		index_build(t, parent);
	} else {
		parent->index->slot[slot_of(parent->index, child->key)] = child;
	}
}

int toml_deeper(struct toml_parser *t, size_t levels)
{
	if (t->depth + levels > LIMIT_TOML_DEPTH) {
		struct toml_place at = toml_here(t);

		return err_set(t->e, RC_LIMIT, "line %u, column %u: nested deeper than %d levels",
			at.line, at.column, LIMIT_TOML_DEPTH);
	}
	t->depth += (unsigned)levels;
	return 0;
}

static struct toml *add_child(struct toml_parser *t, struct toml *parent,
	const struct toml_key *key, enum toml_type type, enum toml_state state)
{
	struct toml *v = toml_node(t, type, key->place);

	if (v) {
		v->key = key->name;
		v->state = (unsigned char)state;
		toml_append(t, parent, v);
	}
	return v;
}

static int refuse_twice(
	struct toml_parser *t, const struct toml_key *key, const struct toml *old, const char *what)
{
	return toml_fail(t, key->place, "%s \"%.*s\" is already defined in line %u", what,
		STR_ARG(str_first(key->name, 200)), old->line);
}

/* One step of a header's path on the way to its last part. */
static int step_into(
	struct toml_parser *t, struct toml *at, const struct toml_key *key, struct toml **out)
{
	struct toml *c = child_of(at, key->name);

	if (!c) {
		c = add_child(t, at, key, TOML_TABLE, TOML_BY_SUBHEADER);
		if (!c) {
			return -(int)t->e->rc;
		}
	} else if (c->type == TOML_ARRAY && c->state == TOML_OF_TABLES) {
		c = c->last;
		if (toml_deeper(t, 1)) {
			return -(int)t->e->rc;
		}
	} else if (c->type != TOML_TABLE || c->state == TOML_CLOSED_INLINE) {
		return toml_fail(t, key->place,
			"\"%.*s\" is a complete value since line %u: nothing can be added to it",
			STR_ARG(str_first(key->name, 200)), c->line);
	}
	*out = c;
	return toml_deeper(t, 1);
}

static int open_element(
	struct toml_parser *t, struct toml *parent, const struct toml_key *key, struct toml **out)
{
	struct toml *list = child_of(parent, key->name);

	if (list && (list->type != TOML_ARRAY || list->state != TOML_OF_TABLES)) {
		return refuse_twice(t, key, list, "the name");
	}
	if (!list) {
		list = add_child(t, parent, key, TOML_ARRAY, TOML_OF_TABLES);
	}
	struct toml *v = list ? toml_node(t, TOML_TABLE, key->place) : NULL;
	if (!v || toml_deeper(t, 2)) {
		return -(int)t->e->rc;
	}
	v->key = key->name;
	v->state = TOML_BY_HEADER;
	toml_append(t, list, v);
	*out = v;
	return 0;
}

int toml_open_section(struct toml_parser *t, struct toml *root, const struct toml_path *path,
	bool is_array, struct toml **out)
{
	const struct toml_key *last = &path->part[path->n - 1];
	struct toml *at = root;

	t->depth = 0;
	for (size_t i = 0; i + 1 < path->n; i++) {
		if (step_into(t, at, &path->part[i], &at)) {
			return -(int)t->e->rc;
		}
	}
	if (is_array) {
		return open_element(t, at, last, out);
	}
	struct toml *v = child_of(at, last->name);
	if (v && (v->type != TOML_TABLE || v->state != TOML_BY_SUBHEADER)) {
		return refuse_twice(t, last, v, "the table");
	}
	if (!v) {
		v = add_child(t, at, last, TOML_TABLE, TOML_BY_HEADER);
	}
	if (!v || toml_deeper(t, 1)) {
		return -(int)t->e->rc;
	}
	v->state = TOML_BY_HEADER;
	v->line = last->place.line;
	v->column = v->key_column = last->place.column;
	*out = v;
	return 0;
}

int toml_open_pair(
	struct toml_parser *t, struct toml *table, const struct toml_path *path, struct toml **out)
{
	const struct toml_key *last = &path->part[path->n - 1];
	struct toml *at = table;

	for (size_t i = 0; i + 1 < path->n; i++) {
		const struct toml_key *key = &path->part[i];
		struct toml *c = child_of(at, key->name);

		if (!c) {
			c = add_child(t, at, key, TOML_TABLE, TOML_BY_KEY);
			if (!c) {
				return -(int)t->e->rc;
			}
		} else if (c->type != TOML_TABLE ||
			   (c->state != TOML_BY_KEY && c->state != TOML_BY_SUBHEADER)) {
			return toml_fail(t, key->place,
				"\"%.*s\" was completed in line %u: a dotted key cannot add to it",
				STR_ARG(str_first(key->name, 200)), c->line);
		}
		c->state = TOML_BY_KEY;
		at = c;
	}
	struct toml *old = child_of(at, last->name);
	if (old) {
		return refuse_twice(t, last, old, "the key");
	}
	*out = at;
	return 0;
}
