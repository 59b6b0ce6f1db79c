#include "verify/cxx_name.h"

enum { LONGEST = 100000000 }; /* lengths beyond are lies; so is what is over the end */

struct cxx_scan {
	struct str rest;
	struct str identifier; /* the last one taken */
	bool is_old_string;    /* std::string of the old ABI was taken */
	bool is_enum_literal;  /* within "LN3c1010DeviceTypeE1E": behind the type stands a value */
};

static bool is_digit(struct str s)
{
	return s.n && s.p[0] >= '0' && s.p[0] <= '9';
}

static void skip(struct cxx_scan *s, size_t n)
{
	s->rest = str_skip(s->rest, n < s->rest.n ? n : s->rest.n);
}

/* <source-name>: a length and that many bytes. */
static void take_identifier(struct cxx_scan *s)
{
	uint64_t n = 0;

	while (is_digit(s->rest)) {
		n = n < LONGEST ? n * 10 + (uint64_t)(s->rest.p[0] - '0') : n;
		skip(s, 1);
	}
	s->identifier = str_first(s->rest, n < s->rest.n ? (size_t)n : s->rest.n);
	skip(s, s->identifier.n);
}

/* Up to and with the '_' that ends a number: substitutions, template parameters, array bounds. */
static void skip_number(struct cxx_scan *s)
{
	size_t n = 0;

	while (n < s->rest.n && s->rest.p[n] != '_' &&
		((s->rest.p[n] >= '0' && s->rest.p[n] <= '9') ||
			(s->rest.p[n] >= 'A' && s->rest.p[n] <= 'Z'))) {
		n++;
	}
	skip(s, n < s->rest.n && s->rest.p[n] == '_' ? n + 1 : n);
}

static void take_substitution(struct cxx_scan *s)
{
	skip(s, 1); /* S */
	if (s->rest.n && s->rest.p[0] >= 'a' && s->rest.p[0] <= 'z') {
		s->is_old_string = s->rest.p[0] == 's';
		skip(s, 1);
	} else {
		skip_number(s);
	}
}

/* <expr-primary>: of a builtin type, "Lb1E", its digits are a value. */
static void skip_literal(struct cxx_scan *s)
{
	skip(s, 1);
	if (s->rest.n > 1 && s->rest.p[0] >= 'a' && s->rest.p[0] <= 'z') {
		skip(s, str_find(s->rest, 'E') + 1);
	} else {
		s->is_enum_literal = str_starts(s->rest, "N");
	}
}

static void skip_end(struct cxx_scan *s)
{
	skip(s, 1); /* E */
	if (s->is_enum_literal && (is_digit(s->rest) || str_starts(s->rest, "n"))) {
		skip(s, str_find(s->rest, 'E') + 1);
		s->is_enum_literal = false;
	}
}

/* One step of the grammar. True: an identifier was taken. */
static bool scan_step(struct cxx_scan *s)
{
	s->is_old_string = false;
	if (is_digit(s->rest)) {
		take_identifier(s);
		return true;
	}
	switch (s->rest.p[0]) {
	case 'S':
		take_substitution(s);
		break;
	case 'T':
	case 'A':
		skip(s, 1);
		skip_number(s);
		break;
	case 'L':
		skip_literal(s);
		break;
	case 'E':
		skip_end(s);
		break;
	case 'C':
	case 'D': { /* constructors, destructors, decltype and others of two letters; vectors */
		bool is_vector = str_starts(s->rest, "Dv");

		skip(s, 2);
		if (is_vector) {
			skip_number(s);
		}
		break;
	}
	default:
		skip(s, 1);
	}
	return false;
}

int cxx_name_abi(struct str mangled)
{
	struct cxx_scan s = { .rest = str_skip(mangled, 2) };
	int abi = -1;

	if (!str_starts(mangled, "_Z")) {
		return -1;
	}
	while (s.rest.n) {
		if (scan_step(&s) &&
			(str_is(s.identifier, "__cxx11") || str_is(s.identifier, "cxx11"))) {
			return 1;
		}
		if (s.is_old_string) {
			abi = 0;
		}
	}
	return abi;
}

/* What stands between "_Z" and a name: the kind of a virtual table, guards, const. */
static struct str skip_prefix(struct str s)
{
	static const char *const prefixes[] = { "TV", "TT", "TI", "TS", "GV", "GR" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (str_starts(s, prefixes[i])) {
			s = str_skip(s, 2);
			break;
		}
	}
	return s;
}

void cxx_name_format(struct str mangled, struct buf *out)
{
	struct cxx_scan s = { .rest = skip_prefix(str_skip(mangled, 2)) };
	size_t before = out->n;

	if (!str_starts(mangled, "_Z")) {
		buf_addstr(out, mangled);
		return;
	}
	bool is_nested = str_starts(s.rest, "N");
	while (is_nested && s.rest.n > 1 &&
		(s.rest.p[0] == 'N' || s.rest.p[0] == 'K' || s.rest.p[0] == 'V' ||
			s.rest.p[0] == 'O' || s.rest.p[0] == 'R')) {
		skip(&s, 1); /* N, qualifiers of this */
	}
	while (is_digit(s.rest)) {
		take_identifier(&s);
		buf_addf(out, "%s%.*s", out->n == before ? "" : "::", STR_ARG(s.identifier));
		if (!is_nested) {
			break;
		}
	}
	if (out->n == before) {
		buf_addstr(out, mangled);
	} else if (is_nested && s.rest.n && (s.rest.p[0] == 'C' || s.rest.p[0] == 'D')) {
		buf_addf(out, "::%s%.*s", s.rest.p[0] == 'D' ? "~" : "", STR_ARG(s.identifier));
	}
}
