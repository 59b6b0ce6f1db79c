#include "manifests/stable_abi.h"

struct row {
	const char *symbol;
	unsigned minor;
};

#define S(symbol, minor) { #symbol, minor },
static const struct row python[] = {
#include "manifests/data/stable_abi.def"
};

#define TORCH_STABLE(symbol, minor) { symbol, minor },
static const struct row torch[] = {
#include "manifests/data/torch_stable.def"
};

enum { FIRST_TORCH_MINOR = 9 };

/* NULL: not there. The rows are sorted. */
static const struct row *find_row(const struct row *rows, size_t n, struct str symbol)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_cmp(symbol, str_of(rows[middle].symbol));

		if (order == 0) {
			return &rows[middle];
		}
		if (order < 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return NULL;
}

unsigned stable_abi_since(struct str symbol)
{
	const struct row *r = find_row(python, sizeof(python) / sizeof(python[0]), symbol);

	return r ? r->minor : 0;
}

void torch_stable_since(struct str symbol, unsigned *major, unsigned *minor)
{
	const struct row *r = find_row(torch, sizeof(torch) / sizeof(torch[0]), symbol);

	*major = 2;
	*minor = r ? r->minor : FIRST_TORCH_MINOR;
}
