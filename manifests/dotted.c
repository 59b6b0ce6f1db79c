#include "manifests/dotted.h"

static uint64_t number_of(struct str piece)
{
	uint64_t value = 0;

	return str_to_u64(piece, &value) ? value : 0;
}

bool dotted_is(struct str text)
{
	struct str piece;
	uint64_t value;
	bool is_number = false;

	while (str_cut(&text, '.', &piece)) {
		if (piece.n == 0 || !str_to_u64(piece, &value)) {
			return false;
		}
		is_number = true;
	}
	return is_number;
}

int dotted_cmp(struct str a, struct str b)
{
	struct str x, y;

	for (;;) {
		bool has_x = str_cut(&a, '.', &x), has_y = str_cut(&b, '.', &y);

		if (!has_x || !has_y) {
			return (int)has_x - (int)has_y;
		}
		uint64_t left = number_of(x), right = number_of(y);
		if (left != right) {
			return left < right ? -1 : 1;
		}
	}
}

bool dotted_begins(struct str whole, struct str beginning)
{
	struct str x, y;

	while (str_cut(&beginning, '.', &y)) {
		if (!str_cut(&whole, '.', &x) || number_of(x) != number_of(y)) {
			return false;
		}
	}
	return true;
}
