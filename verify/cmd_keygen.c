/* gpkg-bundle keygen: a new pair of signing keys. */
#include "manifests/base/fs.h"
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "verify/key.h"
#include "verify/store_place.h"

#include <stdio.h>

int cmd_keygen(int argc, char **argv);

struct keygen {
	struct opt_common common;
	bool no_password;
	const char *password_file;
	const char *base; /* the files' common path */
};

static int choose_base(struct keygen *k, struct arena *a, struct err *e)
{
	if (k->no_password && k->password_file) {
		return err_set(e, RC_USAGE, "--no-password and --password-file exclude each other");
	}
	int r = k->base ? 0 : signing_key_place(a, &k->base, e);
	if (!r && (*fs_basename(k->base) == '\0')) {
		r = err_set(e, RC_USAGE, "-o %s: names a folder, not the files in it", k->base);
	}
	return r ? r : secret_key_check_base(k->base, e);
}

static int make_pair(
	const struct keygen *k, struct arena *a, struct public_key *made, struct err *e)
{
	struct password_source source = { .file = k->password_file, .confirm = true };
	CLEANUP_SECRET_KEY struct secret_key *key = NULL;
	char *password = NULL;
	int r = fs_mkdirs(fs_dirname(a, k->base), 0700, e);

	if (!r && !k->no_password) {
		r = password_read(&source, "Password for the new key: ", &password, e);
	}
	if (!r) {
		r = secret_key_generate(&key, e);
	}
	if (!r) {
		r = secret_key_write(key, k->base, password, e);
	}
	if (!r) {
		secret_key_public(key, made);
	}
	password_free(password);
	return r;
}

static void print_pair(const struct keygen *k, const struct public_key *key, struct arena *a)
{
	char id[KEY_ID_HEX + 1], line[PUBLIC_KEY_LINE + 1];
	const char *public_file = arena_printf(a, "%s.pub", k->base);
	const char *secret_file = arena_printf(a, "%s.key", k->base);

	public_key_id(key, id);
	public_key_line(key, line);
	if (k->common.json) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct json_out o;

		json_out_init(&o, &text, true);
		json_begin_object(&o);
		json_cstr(&o, "id", id);
		json_cstr(&o, "public_file", public_file);
		json_cstr(&o, "public_key", line);
		json_cstr(&o, "secret_file", secret_file);
		json_end_object(&o);
		puts(text.p);
	} else {
		printf("public key   %s\nkey id       %s\npublic file  %s\nsecret file  %s\n", line,
			id, public_file, secret_file);
	}
	log_say("Keep %s secret. Give %s to the site, which runs:", secret_file, public_file);
	log_say("  gpkg-bundle trust add %s", fs_basename(public_file));
}

int cmd_keygen(int argc, char **argv)
{
	struct keygen k = { .base = NULL };
	const struct opt options[] = {
		{ 0, "no-password", OPT_FLAG, &k.no_password, NULL,
			"leave the secret key unencrypted" },
		{ 0, "password-file", OPT_TEXT, &k.password_file, "FILE",
			"take the password from the first line of FILE" },
		{ 'o', "output", OPT_TEXT, &k.base, "BASE",
			"make BASE.key and BASE.pub (default: ~/.config/gpkg-bundle/signing)" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "keygen", "", "Make a pair of keys for signing bundles.",
		options, 0, 0 };
	struct opt_list arguments = VEC_INIT;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct public_key made;
	int status = opt_parse(&verb, argc, argv, &k.common, &arguments);

	if (status == OPT_GO) {
		if (choose_base(&k, &a, &e) || make_pair(&k, &a, &made, &e)) {
			status = log_error("gpkg-bundle keygen", &e, k.common.json);
		} else {
			print_pair(&k, &made, &a);
			status = 0;
		}
	}
	vec_release(&arguments);
	arena_release(&a);
	return status;
}
