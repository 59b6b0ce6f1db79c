/* A netrc from anybody: whole words out of it, or nothing. */
#include "bundle/http_netrc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const hosts[] = { "example.org", "[::1]", "[", "" };
	struct str text = { (const char *)data, size };
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		const char *user = NULL, *password = NULL;

		if (netrc_find(text, str_of(hosts[i]), &a, &user, &password) &&
			strlen(user) + strlen(password) > size) {
			abort();
		}
	}
	arena_release(&a);
	return 0;
}
