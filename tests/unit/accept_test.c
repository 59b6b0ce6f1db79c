#include "mirror/accept.h"
#include "tests/unit/unit.h"

#define JSON "application/vnd.pypi.simple.v1+json"
#define V1 "application/vnd.pypi.simple.v1+html"

enum { NONE = -1 };

static const struct {
	const char *header;
	int form;
} choices[] = {
	{ "", FORM_HTML },
	{ " , ,", FORM_HTML },
	{ "*/*", FORM_HTML },
	{ "text/html", FORM_HTML },
	{ "TEXT/HTML", FORM_HTML },
	{ "text/*", FORM_HTML },
	{ "application/*", FORM_JSON },
	{ JSON, FORM_JSON },
	{ V1, FORM_V1_HTML },
	{ "application/vnd.pypi.simple.latest+json", FORM_JSON },
	{ "application/vnd.pypi.simple.latest+html", FORM_V1_HTML },
	/* pip, uv, a browser, curl */
	{ JSON ", " V1 ";q=0.1, text/html;q=0.01", FORM_JSON },
	{ JSON ", " V1 ";q=0.2, text/html;q=0.01", FORM_JSON },
	{ "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", FORM_HTML },
	{ "text/html, */*; q=0.01", FORM_HTML },
	/* q-values */
	{ JSON ";q=0.5, text/html;q=0.6", FORM_HTML },
	{ JSON ";q=0.6, text/html;q=0.5", FORM_JSON },
	{ JSON " ; q=0.6 , text/html ; q=0.5", FORM_JSON },
	{ JSON ";q=0, */*;q=0.1", FORM_HTML },
	{ "text/html;q=0, */*;q=0.1", FORM_JSON },
	{ JSON ";q=0, text/html;q=0, */*", FORM_V1_HTML },
	{ "text/html, " JSON, FORM_JSON },
	{ "text/html, " V1, FORM_V1_HTML },
	{ "*/*, text/html", FORM_HTML },
	{ "*/*;q=1, " JSON ";q=0.9", FORM_HTML },
	{ JSON ";charset=utf-8;q=0.2, text/html;q=0.3", FORM_HTML },
	{ JSON ";q=0.001", FORM_JSON },
	{ JSON ";Q=1.000", FORM_JSON },
	/* a broken q is no wish */
	{ JSON ";q=2, text/html;q=0.1", FORM_HTML },
	{ JSON ";q=0.1234, text/html;q=0.1", FORM_HTML },
	{ JSON ";q=, text/html;q=0.1", FORM_HTML },
	{ JSON ";q=-1, text/html;q=0.1", FORM_HTML },
	{ JSON ";q=1.5, text/html;q=0.1", FORM_HTML },
	/* nothing of ours */
	{ "image/png", NONE },
	{ "application/json", NONE },
	{ "application/vnd.pypi.simple.v2+json", NONE },
	{ "text/html;q=0", NONE },
	{ "*/*;q=0", NONE },
	{ JSON "x", NONE },
	{ ";q=1", NONE },
};

UNIT(accept_table)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct str header = str_of(choices[i].header);
		enum page_form form = FORMS;
		bool is_chosen = accept_choose(&header, 1, &form);

		ck_assert_msg(is_chosen == (choices[i].form != NONE), "\"%s\"", choices[i].header);
		ck_assert_msg(!is_chosen || (int)form == choices[i].form, "\"%s\": form %d", choices[i].header,
			(int)form);
	}
}

UNIT(accept_several_lines_are_one_list)
{
	const struct str lines[] = { STR("text/html;q=0.5"), STR(JSON ";q=0.7") };
	enum page_form form;

	ck_assert(accept_choose(lines, 2, &form));
	ck_assert_int_eq(form, FORM_JSON);
	ck_assert(accept_choose(NULL, 0, &form));
	ck_assert_int_eq(form, FORM_HTML);
}
