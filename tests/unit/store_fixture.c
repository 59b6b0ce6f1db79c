#include "tests/unit/store_fixture.h"
#include "tests/unit/key_fixture.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct store *fixture_store(enum store_mode mode)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	ck_assert_msg(store_open(fixture_path("store"), mode, &s, &e) == 0, "%s", e.text);
	return s;
}

const char *fixture_object_path(const struct digest *d)
{
	static char path[4096];
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	snprintf(path, sizeof(path), "%s/objects/%.2s/%s", fixture_path("store"), hex, hex);
	return path;
}

void fixture_damage(const struct digest *d, const char *bytes)
{
	int fd;

	ck_assert_int_eq(chmod(fixture_object_path(d), 0644), 0);
	fd = open(fixture_object_path(d), O_WRONLY | O_TRUNC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
	close(fd);
}

void fixture_plan_file(struct store *s, struct arena *a, const struct fixture_plan *p, struct manifest_file *out)
{
	struct err e = ERR_INIT;
	struct str bytes = str_of(arena_printf(a, "%s %c", p->file, p->salt ? p->salt : ' '));
	struct str metadata = str_of(arena_printf(a, "Version: %s\n", p->version));
	struct dist_name name;

	ck_assert_int_eq(dist_name_parse(a, str_of(p->file), &name, &e), 0);
	*out = (struct manifest_file){ .size = bytes.n,
		.file = str_of(p->file),
		.name = name.name,
		.version = str_of(p->version),
		.kind = name.kind,
		.hash_from = HASH_FROM_LOCK };
	ck_assert_int_eq(store_put_text(s, bytes, &out->sha256, &e), 0);
	if (name.kind == DIST_WHEEL) {
		ck_assert_int_eq(store_put_text(s, metadata, &out->metadata_sha256, &e), 0);
		out->metadata_size = metadata.n;
	}
}

struct target_spec fixture_target(void)
{
	static const struct str gpus[] = { { "9.0", 3 } };

	return (struct target_spec){ .name = STR("t"),
		.python = STR("3.12"),
		.platform = STR("linux_x86_64"),
		.glibc = STR("2.28"),
		.gpus = gpus,
		.ngpus = 1,
		.cxx11_abi = -1 };
}

void fixture_manifest(struct store *s, const char *channel, uint64_t epoch, uint64_t serial,
	const struct target_spec *spec, const struct fixture_plan *plans, size_t n, struct manifest *out)
{
	struct err e = ERR_INIT;

	*out = (struct manifest)MANIFEST_INIT;
	out->channel = str_of(channel);
	out->epoch = epoch;
	out->serial = serial;
	out->files = arena_array(&out->arena, n, sizeof(*out->files));
	out->nfiles = n;
	out->targets = arena_array(&out->arena, 1, sizeof(*out->targets));
	out->ntargets = 1;
	struct manifest_target *t = &out->targets[0];
	ck_assert_msg(target_make(&out->arena, spec, &t->target, &e) == 0, "%s", e.text);
	t->picks = arena_array(&out->arena, n, sizeof(*t->picks));
	t->npicks = n;
	for (size_t i = 0; i < n; i++) {
		fixture_plan_file(s, &out->arena, &plans[i], &out->files[i]);
		t->picks[i] = (struct manifest_pick){ .file = i, .use = USE_RUN, .is_requested = i == 0 };
	}
}

int fixture_commit_as(struct store *s, const struct manifest *m, const char *text, struct err *e)
{
	struct public_key signer = { .number = { 1 }, .key = { 0xab } };
	struct digest manifest, signature;

	ck_assert_int_eq(store_put_text(s, str_of(text), &manifest, e), 0);
	ck_assert_int_eq(store_put_text(s, STR("signature"), &signature, e), 0);
	return store_commit_bundle(s, m, &manifest, &signature, &signer, FIXTURE_NOW, e);
}

enum rc fixture_commit(struct store *s, uint64_t serial, const struct fixture_plan *plans, size_t n)
{
	struct target_spec spec = fixture_target();
	struct manifest m;
	struct err e = ERR_INIT;
	char text[64];

	fixture_manifest(s, "lab", 0, serial, &spec, plans, n, &m);
	snprintf(text, sizeof(text), "manifest %llu", (unsigned long long)serial);
	fixture_commit_as(s, &m, text, &e);
	arena_release(&m.arena);
	return e.rc;
}

void fixture_load(struct store_view *v)
{
	struct store *s = fixture_store(STORE_READ);
	struct err e = ERR_INIT;

	ck_assert_msg(store_view_load(s, v, &e) == 0, "%s", e.text);
	store_close(s);
}

const struct store_file *fixture_view_file(const struct store_view *v, const char *file)
{
	const struct store_target *t = store_view_target(v, STR("t"));

	for (size_t i = 0; t && i < t->nfiles; i++) {
		if (str_is(t->files[i].file.file, file)) {
			return &t->files[i];
		}
	}
	return NULL;
}

const char *fixture_store_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", fixture_path("store"), name);
	return path;
}
