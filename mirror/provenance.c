#include "mirror/provenance.h"

#include "manifests/base/clock.h"
#include "manifests/base/json.h"
#include "manifests/tool.h"
#include "verify/hash.h"

#include <stdlib.h>
#include <string.h>

static const char statement_type[] = "https://in-toto.io/Statement/v1";
static const char predicate_type[] = "https://slsa.dev/provenance/v1";
static const char build_type[] = "urn:gpkg-bundle:build:pip-wheel:v1";

static void put_digest(struct json_out *o, const struct digest *d)
{
	char hex[DIGEST_HEX + 1];

	json_put_key(o, "digest");
	json_begin_object(o);
	json_cstr(o, "sha256", digest_hex(d, hex));
	json_end_object(o);
}

static void put_file(struct json_out *o, const struct digest *d, struct str name)
{
	json_begin_object(o);
	put_digest(o, d);
	json_str(o, "name", name);
	json_end_object(o);
}

static void put_gpus(struct json_out *o, const struct target *t)
{
	json_put_key(o, "gpus");
	json_begin_array(o);
	for (size_t i = 0; i < t->ngpus; i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;

		buf_addf(&text, "%u.%u", t->gpus[i].major, t->gpus[i].minor);
		json_put_str(o, buf_str(&text));
	}
	json_end_array(o);
}

/* What a user asked for. */
static void put_external(struct json_out *o, const struct provenance *p)
{
	json_put_key(o, "externalParameters");
	json_begin_object(o);
	put_gpus(o, p->target);
	json_str(o, "package", p->sdist->name);
	json_str(o, "target", p->target->name);
	json_str(o, "version", p->sdist->version);
	json_end_object(o);
}

static void put_variables(struct json_out *o, const struct build_vars *vars)
{
	const char *const *list = build_vars_list(vars);

	json_put_key(o, "environment");
	json_begin_array(o);
	for (; *list; list++) {
		json_put_str(o, str_of(*list));
	}
	json_end_array(o);
}

/* What the machine added of its own. */
static void put_internal(struct json_out *o, const struct provenance *p)
{
	json_put_key(o, "internalParameters");
	json_begin_object(o);
	json_cstr(o, "compiler", p->compiler);
	json_cstr(o, "confinement", p->confinement);
	put_variables(o, p->vars);
	json_cstr(o, "nvcc", p->nvcc);
	json_cstr(o, "platform", p->platform);
	json_cstr(o, "python", p->python);
	json_end_object(o);
}

static void put_dependencies(struct json_out *o, const struct provenance *p)
{
	json_put_key(o, "resolvedDependencies");
	json_begin_array(o);
	put_file(o, &p->sdist->sha256, p->sdist->file);
	for (size_t i = 0; i < p->env->n; i++) {
		put_file(o, &p->env->v[i]->file.sha256, p->env->v[i]->file.file);
	}
	for (size_t i = 0; i < p->toolkit->n; i++) {
		put_file(o, &p->toolkit->v[i]->file.sha256, p->toolkit->v[i]->file.file);
	}
	json_end_array(o);
}

static void put_definition(struct json_out *o, const struct provenance *p)
{
	json_put_key(o, "buildDefinition");
	json_begin_object(o);
	json_cstr(o, "buildType", build_type);
	put_external(o, p);
	put_internal(o, p);
	put_dependencies(o, p);
	json_end_object(o);
}

/* One run has one source, one log and one moment: their digest names it. */
static void put_metadata(struct json_out *o, const struct provenance *p)
{
	CLEANUP_HASH struct hash *h = hash_new();
	char began[CLOCK_TEXT], ended[CLOCK_TEXT], hex[DIGEST_HEX + 1];
	struct digest id;

	hash_add(h, p->sdist->sha256.b, DIGEST_SIZE);
	hash_add(h, p->log.b, DIGEST_SIZE);
	hash_add(h, &p->began, sizeof(p->began));
	hash_final(h, &id);
	json_put_key(o, "metadata");
	json_begin_object(o);
	json_cstr(o, "finishedOn", clock_rfc3339(p->ended, ended));
	json_cstr(o, "invocationId", digest_hex(&id, hex));
	json_cstr(o, "startedOn", clock_rfc3339(p->began, began));
	json_end_object(o);
}

static void put_run(struct json_out *o, const struct provenance *p)
{
	CLEANUP_BUF struct buf id = BUF_INIT;
	char hex[DIGEST_HEX + 1];
	struct digest key;

	memcpy(key.b, p->builder.key, DIGEST_SIZE);
	buf_addf(&id, "urn:gpkg-bundle:site:%s", digest_hex(&key, hex));
	json_put_key(o, "runDetails");
	json_begin_object(o);
	json_put_key(o, "builder");
	json_begin_object(o);
	json_str(o, "id", buf_str(&id));
	json_put_key(o, "version");
	json_begin_object(o);
	json_cstr(o, "gpkg-bundle", TOOL_VERSION);
	json_end_object(o);
	json_end_object(o);
	json_put_key(o, "byproducts");
	json_begin_array(o);
	put_file(o, &p->log, STR("log"));
	json_end_array(o);
	put_metadata(o, p);
	json_end_object(o);
}

void provenance_write(const struct provenance *p, struct buf *out)
{
	struct json_out o;

	json_out_init(&o, out, true);
	json_begin_object(&o);
	json_cstr(&o, "_type", statement_type);
	json_put_key(&o, "predicate");
	json_begin_object(&o);
	put_definition(&o, p);
	put_run(&o, p);
	json_end_object(&o);
	json_cstr(&o, "predicateType", predicate_type);
	json_put_key(&o, "subject");
	json_begin_array(&o);
	put_file(&o, &p->wheel->sha256, p->wheel->file);
	json_end_array(&o);
	json_end_object(&o);
}

int provenance_sign(const struct provenance *p, struct str statement, const struct secret_key *k,
	struct buf *out, struct err *e)
{
	CLEANUP_BUF struct buf comment = BUF_INIT;
	char hex[DIGEST_HEX + 1];
	struct digest d;

	hash_bytes(statement, &d);
	buf_addf(&comment, "gpkg-bundle-v1\tprovenance\ttarget:%.*s\twheel:%.*s\tsha256:%s",
		STR_ARG(p->target->name), STR_ARG(p->wheel->file), digest_hex(&d, hex));
	return sign_message(k, statement, "signature by a gpkg-bundle site key", comment.p, out, e);
}
