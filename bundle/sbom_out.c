/* CycloneDX 1.6. Serial number and time come from the manifest, so that the text is reproducible. */
#include "bundle/texts_out.h"
#include "manifests/base/clock.h"
#include "manifests/base/json.h"
#include "manifests/base/uri.h"
#include "manifests/tool.h"
#include "verify/hash.h"

/* pkg:pypi/NAME@VERSION?file_name=FILE, percent-encoded (purl specification, type pypi). */
static void put_purl(const struct manifest_file *f, struct json_out *o)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	buf_adds(&b, "pkg:pypi/");
	uri_encode(&b, f->name);
	buf_addc(&b, '@');
	uri_encode(&b, f->version);
	buf_adds(&b, "?file_name=");
	uri_encode(&b, f->file);
	json_str(o, "purl", buf_str(&b));
}

static void put_component(const struct manifest_file *f, struct json_out *o)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];

	digest_hex(&f->sha256, hex);
	json_begin_object(o);
	json_cstr(o, "bom-ref", manifest_member(&a, f));
	json_put_key(o, "hashes");
	json_begin_array(o);
	json_begin_object(o);
	json_cstr(o, "alg", "SHA-256");
	json_cstr(o, "content", hex);
	json_end_object(o);
	json_end_array(o);
	if (f->license.n) {
		json_put_key(o, "licenses");
		json_begin_array(o);
		json_begin_object(o);
		json_put_key(o, "license");
		json_begin_object(o);
		json_str(o, "name", f->license);
		json_end_object(o);
		json_end_object(o);
		json_end_array(o);
	}
	json_str(o, "name", f->name);
	put_purl(f, o);
	json_cstr(o, "type", "library");
	json_str(o, "version", f->version);
	json_end_object(o);
	arena_release(&a);
}

/* A name-based UUID (RFC 9562 version 8) out of the manifest's digest. */
static void put_serial_number(const struct manifest *m, struct json_out *o)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct digest d;
	char hex[DIGEST_HEX + 1];

	manifest_write(m, &text);
	hash_bytes(buf_str(&text), &d);
	d.b[6] = (uint8_t)((d.b[6] & 0x0F) | 0x80);
	d.b[8] = (uint8_t)((d.b[8] & 0x3F) | 0x80);
	digest_hex(&d, hex);
	json_cstr(o, "serialNumber", arena_printf(&a, "urn:uuid:%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
		hex + 12, hex + 16, hex + 20));
	arena_release(&a);
}

static void put_metadata(const struct manifest *m, struct json_out *o)
{
	char time[CLOCK_TEXT];

	json_put_key(o, "metadata");
	json_begin_object(o);
	json_put_key(o, "component");
	json_begin_object(o);
	json_cstr(o, "bom-ref", "bundle");
	json_str(o, "name", m->channel);
	json_cstr(o, "type", "application");
	json_end_object(o);
	json_cstr(o, "timestamp", clock_rfc3339(m->created, time));
	json_put_key(o, "tools");
	json_begin_object(o);
	json_put_key(o, "components");
	json_begin_array(o);
	json_begin_object(o);
	json_cstr(o, "name", "gpkg-bundle");
	json_cstr(o, "type", "application");
	json_cstr(o, "version", TOOL_VERSION);
	json_end_object(o);
	json_end_array(o);
	json_end_object(o);
	json_end_object(o);
}

void sbom_write(const struct manifest *m, struct buf *out)
{
	struct json_out o;

	json_out_init(&o, out, true);
	json_begin_object(&o);
	json_cstr(&o, "$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json");
	json_cstr(&o, "bomFormat", "CycloneDX");
	json_put_key(&o, "components");
	json_begin_array(&o);
	for (size_t i = 0; i < m->nfiles; i++) {
		put_component(&m->files[i], &o);
	}
	json_end_array(&o);
	put_metadata(m, &o);
	put_serial_number(m, &o);
	json_cstr(&o, "specVersion", "1.6");
	json_u64(&o, "version", 1);
	json_end_object(&o);
	buf_addc(out, '\n');
}
