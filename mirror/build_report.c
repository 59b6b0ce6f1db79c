#include "mirror/build_report.h"

#include "manifests/base/json.h"
#include "manifests/base/vec.h"

#include <stdio.h>

static void put_error(struct json_out *o, const struct err *e)
{
	json_put_key(o, "error");
	json_begin_object(o);
	json_cstr(o, "hint", e->hint);
	json_cstr(o, "reason", err_reason(e->rc));
	json_cstr(o, "text", e->text);
	json_end_object(o);
}

static void put_item(struct json_out *o, const struct build_item *i)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	if (i->wheel) {
		json_str(o, "device_code", i->wheel->device_code);
	}
	if (i->why) {
		put_error(o, i->why);
	}
	if (i->wheel) {
		json_str(o, "file", i->wheel->file);
	}
	if (i->state == BUILD_MADE) {
		json_cstr(o, "log", i->built.log);
		json_u64(o, "memory_peak", i->built.memory_peak);
	}
	json_str(o, "name", i->sdist->name);
	if (i->state == BUILD_MADE) {
		json_u64(o, "seconds", (uint64_t)i->built.seconds);
	}
	if (i->wheel) {
		json_cstr(o, "sha256", digest_hex(&i->wheel->sha256, hex));
	}
	json_cstr(o, "state", build_state_name(i->state));
	json_str(o, "target", i->target->target.name);
	json_str(o, "version", i->sdist->version);
	if (i->state == BUILD_MADE && i->built.warning) {
		json_cstr(o, "warning", i->built.warning);
	}
	json_end_object(o);
}

void build_report_json(const struct build_plan *p, const char *store)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_put_key(&o, "builds");
	json_begin_array(&o);
	vec_each(struct build_item, i, p) {
		put_item(&o, i);
	}
	json_end_array(&o);
	json_cstr(&o, "store", store);
	json_end_object(&o);
	puts(text.p);
}

void build_report_text(const struct build_plan *p)
{
	vec_each(struct build_item, i, p) {
		struct str file = i->wheel ? i->wheel->file : i->sdist->file;

		printf("%-12s  %.*s  %.*s%s%.*s\n", build_state_name(i->state),
			STR_ARG(i->target->target.name), STR_ARG(file),
			i->wheel && i->wheel->device_code.n ? "  " : "",
			STR_ARG(i->wheel ? i->wheel->device_code : STR_NULL));
	}
}
