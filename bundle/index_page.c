#include "bundle/index_page.h"
#include "manifests/base/uri.h"

#include <stdlib.h>
#include <unistd.h>

void index_page_release(struct index_page *p)
{
	vec_release(&p->links);
}

bool index_fragment_sha256(struct str url, struct digest *out)
{
	struct str fragment = str_skip(url, str_find(url, '#') + 1), part;
	struct err ignored = ERR_INIT;

	while (str_cut(&fragment, '&', &part)) {
		if (str_starts(part, "sha256=") &&
			!digest_parse(str_skip(part, 7), out, &ignored)) {
			return true;
		}
	}
	return false;
}

bool index_is_dist_file(struct str file)
{
	static const char *const endings[] = { ".whl", ".tar.gz", ".zip" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		struct str ending = str_of(endings[i]);

		if (file.n > ending.n && str_eq_nocase(str_skip(file, file.n - ending.n), ending)) {
			return true;
		}
	}
	return false;
}

char *index_file_url(struct arena *a, const char *path)
{
	CLEANUP_BUF struct buf url = BUF_INIT;
	CLEANUP(free) char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);

	buf_adds(&url, "file://");
	if (here) {
		uri_encode(&url, str_of(here));
		buf_addc(&url, '/');
	}
	uri_encode(&url, str_of(path));
	return arena_dup(a, buf_str(&url));
}

char *index_file_path(struct arena *a, struct str url)
{
	struct str host = uri_host(url);

	if (!str_eq_nocase(uri_scheme(url), STR("file")) ||
		(host.n && !str_eq_nocase(host, STR("localhost")))) {
		return NULL;
	}
	return uri_decode(a, uri_path(url));
}
