#include "manifests/source.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"
#include "manifests/source_template.h"

/* ---- ours ---- */

/* STR() is no constant expression, and tables want one. */
#define TEXT(literal)                           \
	{                                       \
		"" literal, sizeof(literal) - 1 \
	}
#define PACKAGES(...)                        \
	(const struct str[]){ __VA_ARGS__ }, \
		sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str)
#define ANYTHING NULL, 0
#define SOURCE(name_, kind_, packages_, url_, cuda_, torch_, names_, compat_, absent_, text_)   \
	{ TEXT(name_), SOURCE_##kind_, packages_, { NULL, 0 }, TEXT(url_), SOURCE_CUDA_##cuda_, \
		SOURCE_TORCH_##torch_, VARIANT_TORCH_##names_, { NULL, 0 }, TEXT(compat_),      \
		absent_, TEXT(text_), "built in", 0 },
#define GITHUB_API(url)

static const struct source sources[] = {
#include "manifests/data/sources.def"
};

const struct source_list *source_builtin(void)
{
	static const struct source_list list = { sources, sizeof(sources) / sizeof(sources[0]) };

	return &list;
}

/* ---- lists ---- */

const struct source *source_find(const struct source_list *list, struct str name)
{
	for (size_t i = 0; i < list->n; i++) {
		if (str_eq(list->v[i].name, name)) {
			return &list->v[i];
		}
	}
	return NULL;
}

bool source_has_package(const struct source *s, struct str project)
{
	bool is_in = s->npackages == 0 || (s->known_as.n && str_eq(s->known_as, project));

	for (size_t i = 0; i < s->npackages; i++) {
		is_in = is_in || str_eq(s->packages[i], project);
	}
	return is_in;
}

const char *source_kind_text(enum source_kind kind)
{
	static const char *const texts[] = {
		[SOURCE_INDEX] = "index",
		[SOURCE_LINKS] = "links",
		[SOURCE_GITHUB] = "github",
		[SOURCE_MANIFEST] = "manifest",
		[SOURCE_FILE] = "file",
	};

	return texts[kind];
}

/* ---- checks ---- */

int source_cuda_style_parse(struct str text, enum source_cuda_style *out, struct err *e)
{
	if (str_is(text, "full")) {
		*out = SOURCE_CUDA_FULL;
	} else if (str_is(text, "short")) {
		*out = SOURCE_CUDA_SHORT;
	} else if (str_is(text, "dotted")) {
		*out = SOURCE_CUDA_DOTTED;
	} else {
		return err_set(e, RC_INVALID,
			"\"%.*s\" is no way to write CUDA 13.0: \"full\" (130), \"short\" (13) and "
			"\"dotted\" (13.0) are",
			STR_ARG(str_first(text, 100)));
	}
	return 0;
}

int source_torch_style_parse(struct str text, enum source_torch_style *out, struct err *e)
{
	if (str_is(text, "minor")) {
		*out = SOURCE_TORCH_MINOR;
	} else if (str_is(text, "full")) {
		*out = SOURCE_TORCH_FULL;
	} else if (str_is(text, "packed")) {
		*out = SOURCE_TORCH_PACKED;
	} else if (str_is(text, "pyg")) {
		*out = SOURCE_TORCH_PYG;
	} else {
		return err_set(e, RC_INVALID,
			"\"%.*s\" is no way to write torch 2.11.0: \"minor\" (2.11), \"full\" "
			"(2.11.0), "
			"\"packed\" (2110) and \"pyg\" (2.11.0, in file names 211) are",
			STR_ARG(str_first(text, 100)));
	}
	return 0;
}

static bool is_github_word(struct str word)
{
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];
		bool is_alnum = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');

		if (!is_alnum && c != '-' && c != '_' && c != '.') {
			return false;
		}
	}
	return word.n > 0 && word.n <= LIMIT_NAME && !str_is(word, ".") && !str_is(word, "..");
}

static int check_repository(struct str url, struct err *e)
{
	size_t slash = str_find(url, '/');

	if (is_github_word(str_first(url, slash)) && is_github_word(str_skip(url, slash + 1))) {
		return 0;
	}
	err_set(e, RC_INVALID, "\"%.*s\" is not a GitHub repository", STR_ARG(str_first(url, 300)));
	return err_hint(e, "it is written owner/repository");
}

int source_url_check(enum source_kind kind, struct str url, struct err *e)
{
	static const char *const known[] = { "cuda", "torch", "torch_minor", "accelerator",
		"python", "platform", NULL };
	struct str scheme = uri_scheme(url);
	bool is_http = str_is(scheme, "https") || str_is(scheme, "http");

	if (url.n > LIMIT_ORIGIN) {
		return err_set(e, RC_LIMIT, "a URL of %zu bytes, at most %d", url.n, LIMIT_ORIGIN);
	}
	if (kind == SOURCE_GITHUB) {
		return check_repository(url, e);
	}
	for (size_t i = 0; i < url.n; i++) {
		if ((unsigned char)url.p[i] <= ' ' || url.p[i] == 0x7F) {
			err_set(e, RC_INVALID, "white space or a control character in a URL");
			return err_hint(e, "write a space as %%20");
		}
	}
	if (is_http ? uri_host(url).n == 0 : !str_starts(url, "file:///")) {
		err_set(e, RC_INVALID, "\"%.*s\" is not a URL that files are fetched from",
			STR_ARG(str_first(url, 300)));
		return err_hint(e, "https://, http:// and file:// with an absolute path are read");
	}
	return template_check(url, known, e);
}

int source_wheel_name_check(struct str wheel_name, struct err *e)
{
	static const char *const known[] = { "version", "cuda", "torch", "pytag", "platform", "abi",
		"hash", "_", NULL };

	if (wheel_name.n > LIMIT_FILE_NAME) {
		return err_set(e, RC_LIMIT, "a wheel's name of %zu bytes, at most %d", wheel_name.n,
			LIMIT_FILE_NAME);
	}
	if (!str_ends(wheel_name, ".whl") || str_find(wheel_name, '/') < wheel_name.n) {
		err_set(e, RC_INVALID, "\"%.*s\" is not a wheel's name",
			STR_ARG(str_first(wheel_name, 300)));
		return err_hint(e, "{version}-{pytag}-{platform}.whl is how it ends");
	}
	return template_check(wheel_name, known, e);
}
