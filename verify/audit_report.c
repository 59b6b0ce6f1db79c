#include "verify/audit_report.h"

#include "manifests/base/fs.h"
#include "verify/native_json.h"
#include "verify/native_text.h"

/* ---- findings ---- */

static void put_paragraph(const struct audit_finding *f, struct buf *out)
{
	unsigned number = audit_check_number(f->check);

	buf_addf(out, "    %s %s", audit_result_text(f->result), audit_check_title(f->check));
	if (number) {
		buf_addf(out, " (%u)", number);
	}
	buf_addf(out, ": %.*s%s%.*s\n", STR_ARG(f->member), f->member.n ? ": " : "",
		STR_ARG(f->text));
	if (f->avoids.n) {
		buf_addf(out, "      avoids: %.*s\n", STR_ARG(f->avoids));
	}
	if (f->remedy.n) {
		buf_addf(out, "      do: %.*s\n", STR_ARG(f->remedy));
	}
}

void audit_report_text(const struct audit *a, bool is_all, struct buf *out)
{
	vec_each(const struct audit_finding, f, &a->findings) {
		if (is_all || f->result != AUDIT_PASS) {
			put_paragraph(f, out);
		}
	}
}

static void put_finding(const struct audit_finding *f, struct json_out *o)
{
	json_begin_object(o);
	json_str(o, "avoids", f->avoids);
	json_cstr(o, "check", audit_check_name(f->check));
	json_u64(o, "demand", audit_check_number(f->check));
	json_str(o, "member", f->member);
	json_str(o, "remedy", f->remedy);
	json_cstr(o, "result", audit_result_text(f->result));
	json_str(o, "text", f->text);
	json_cstr(o, "title", audit_check_title(f->check));
	json_end_object(o);
}

void audit_report_json(const struct audit *a, struct json_out *o)
{
	CLEANUP_BUF struct buf line = BUF_INIT;

	json_put_key(o, "findings");
	json_begin_array(o);
	vec_each(const struct audit_finding, f, &a->findings) {
		put_finding(f, o);
	}
	json_end_array(o);
	audit_line(a, &line);
	json_str(o, "line", buf_str(&line));
	json_cstr(o, "result", audit_result_text(audit_worst(a)));
}

/* ---- the map ---- */

static void put_texts(struct json_out *o, const char *key, const struct str *v, size_t n)
{
	json_put_key(o, key);
	json_begin_array(o);
	for (size_t i = 0; i < n; i++) {
		json_put_str(o, v[i]);
	}
	json_end_array(o);
}

static void put_wanted(struct json_out *o, const struct native_module *m)
{
	json_put_key(o, "torch_symbols");
	json_begin_array(o);
	for (size_t i = 0; i < m->nundefined; i++) {
		enum native_symbol_kind kind = native_symbol_kind(m->undefined[i]);

		if (kind == NATIVE_SYMBOL_TORCH_CXX || kind == NATIVE_SYMBOL_TORCH_C) {
			json_put_str(o, m->undefined[i]);
		}
	}
	json_end_array(o);
}

static void put_device_code(struct json_out *o, const struct device_code *d)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	device_code_format(d, &text);
	json_str(o, "device_code", buf_str(&text));
}

static void put_module(const struct native_module *m, struct json_out *o)
{
	CLEANUP_BUF struct buf floors = BUF_INIT;

	native_floors_format(m, &floors);
	json_begin_object(o);
	put_device_code(o, &m->device);
	json_u64(o, "exported", m->nexported);
	json_str(o, "floors", buf_str(&floors));
	json_cstr(o, "format", native_format_word(m->format));
	json_cstr(o, "machine", native_machine_word(m->machine));
	json_str(o, "name", m->name);
	put_texts(o, "needed", m->needed, m->nneeded);
	json_bool(o, "readable", m->is_readable);
	json_bool(o, "relr", m->has_relr);
	json_str(o, "rpath", m->rpath);
	json_str(o, "soname", m->soname);
	put_texts(o, "toolkits", m->toolkits, m->ntoolkits);
	put_wanted(o, m);
	json_end_object(o);
}

void native_report_json(const struct native *n, struct json_out *o)
{
	json_begin_object(o);
	put_device_code(o, &n->device);
	json_put_key(o, "modules");
	json_begin_array(o);
	for (size_t i = 0; i < n->nmodules; i++) {
		put_module(&n->modules[i], o);
	}
	json_end_array(o);
	json_str(o, "record_fault", n->record_fault);
	json_u64(o, "unreadable_containers", n->device.nunreadable);
	json_end_object(o);
}

/* ---- all wheels, all targets ---- */

static enum audit_result worse(enum audit_result a, enum audit_result b)
{
	return a > b ? a : b;
}

/* What can be said without a target. */
static enum audit_result result_of_map(const struct audit_entry *entry)
{
	return entry->file.native.record_fault.n ? AUDIT_FAIL : AUDIT_PASS;
}

static enum audit_result put_audit(const struct audit_set *s, const struct audit_entry *entry,
	const struct target *t, bool is_all, struct buf *out)
{
	struct audit audit = AUDIT_INIT;

	audit_set_run(s, entry, t, &audit);
	enum audit_result worst = audit_worst(&audit);
	buf_addf(out, "  for %.*s: ", STR_ARG(t->name));
	audit_line(&audit, out);
	buf_addc(out, '\n');
	audit_report_text(&audit, is_all, out);
	audit_release(&audit);
	return worst;
}

enum audit_result audit_set_text(
	const struct audit_set *s, const struct audit_choice *choice, struct buf *out)
{
	enum audit_result worst = AUDIT_PASS;

	for (size_t i = 0; i < s->nentries; i++) {
		const struct audit_entry *entry = &s->entries[i];

		if (entry->fault.rc) {
			continue;
		}
		buf_addf(out, "%s\n", fs_basename(entry->path));
		for (size_t k = 0; k < choice->ntargets; k++) {
			worst = worse(worst,
				put_audit(s, entry, choice->targets[k], choice->is_all, out));
		}
		if (choice->is_map || choice->ntargets == 0) {
			native_text_write(&entry->file.native, out);
		}
		worst = worse(worst, result_of_map(entry));
	}
	return worst;
}

static enum audit_result put_audit_json(const struct audit_set *s, const struct audit_entry *entry,
	const struct target *t, struct json_out *o)
{
	const struct audit_torch *torch = audit_set_torch_for(s, t);
	struct audit audit = AUDIT_INIT;

	audit_set_run(s, entry, t, &audit);
	enum audit_result worst = audit_worst(&audit);
	json_begin_object(o);
	audit_report_json(&audit, o);
	json_str(o, "target", t->name);
	json_put_key(o, "torch");
	if (torch) {
		json_put_str(o, torch->version);
	} else {
		json_put_null(o);
	}
	json_end_object(o);
	audit_release(&audit);
	return worst;
}

static void put_fault(const struct err *fault, struct json_out *o)
{
	json_put_key(o, "error");
	json_begin_object(o);
	json_str(o, "hint", str_of(fault->hint));
	json_cstr(o, "reason", err_reason(fault->rc));
	json_str(o, "text", str_of(fault->text));
	json_end_object(o);
}

static enum audit_result put_entry(const struct audit_set *s, const struct audit_entry *entry,
	const struct audit_choice *choice, struct json_out *o)
{
	enum audit_result worst = result_of_map(entry);

	json_begin_object(o);
	json_put_key(o, "audits");
	json_begin_array(o);
	for (size_t k = 0; !entry->fault.rc && k < choice->ntargets; k++) {
		worst = worse(worst, put_audit_json(s, entry, choice->targets[k], o));
	}
	json_end_array(o);
	if (entry->fault.rc) {
		put_fault(&entry->fault, o);
	}
	json_cstr(o, "file", fs_basename(entry->path));
	if (!entry->fault.rc) {
		json_put_key(o, "native");
		native_report_json(&entry->file.native, o);
	}
	json_end_object(o);
	return worst;
}

enum audit_result audit_set_json(
	const struct audit_set *s, const struct audit_choice *choice, struct json_out *o)
{
	enum audit_result worst = AUDIT_PASS;

	json_begin_object(o);
	json_put_key(o, "files");
	json_begin_array(o);
	for (size_t i = 0; i < s->nentries; i++) {
		worst = worse(worst, put_entry(s, &s->entries[i], choice, o));
	}
	json_end_array(o);
	json_end_object(o);
	return worst;
}
