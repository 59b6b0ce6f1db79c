/* A pip.conf from anybody: settings with clean names, or an error with a line. */
#include "bundle/pip_ini.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pip_settings s = { .list = VEC_INIT };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;

	if (pip_ini_read(&a, (struct str){ (const char *)data, size }, "pip.conf", &s, &e)) {
		require(e.rc == RC_SYNTAX && str_starts(str_of(e.text), "pip.conf:"));
		require(s.list.n == 0);
	}
	vec_each(struct pip_setting, v, &s.list) {
		require(v->section[0] && strcmp(v->section, "DEFAULT") != 0);
		require(!strpbrk(v->name, "_\n") && strcmp(v->from, "pip.conf") == 0);
		vec_each(struct pip_setting, other, &s.list) {
			require(other == v || strcmp(v->section, other->section) ||
				strcmp(v->name, other->name));
		}
	}
	pip_settings_release(&s);
	arena_release(&a);
	return 0;
}
