#include "manifests/base/arena.h"
#include "manifests/base/map.h"
#include "tests/unit/unit.h"

UNIT(map_that_is_empty_has_nothing)
{
	struct map m = MAP_INIT;

	ck_assert_ptr_null(map_get(&m, STR("a")));
	map_release(&m);
}

UNIT(map_keeps_the_last_value_of_each_key)
{
	struct map m = MAP_INIT;
	struct arena a = ARENA_INIT;

	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < 1000; i++) {
			map_put(&m, str_of(arena_printf(&a, "key %zu", i)), i * 7 + round);
		}
	}
	ck_assert_uint_eq(m.n, 1000);
	for (size_t i = 0; i < 1000; i++) {
		size_t *value = map_get(&m, str_of(arena_printf(&a, "key %zu", i)));

		ck_assert_ptr_nonnull(value);
		ck_assert_uint_eq(*value, i * 7 + 1);
	}
	ck_assert_ptr_null(map_get(&m, STR("key 1000")));
	map_put(&m, STR(""), 3); /* the empty text is a key like others */
	ck_assert_uint_eq(*map_get(&m, STR("")), 3);
	map_release(&m);
	arena_release(&a);
}
