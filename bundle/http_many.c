#include "bundle/http_get.h"

#include <stdlib.h>

void http_response_release(struct http_response *r)
{
	free(r->url);
	free(r->content_type);
	free(r->etag);
	free(r->last_modified);
	free(r->next);
	free(r->login);
	free(r->withheld);
	buf_release(&r->body);
	*r = (struct http_response){ 0 };
}

struct many {
	const struct http_request *requests;
	size_t n, next;
	http_done *done;
	void *context;
};

static int many_next(void *context, struct http_request *out, size_t *i, struct err *e)
{
	struct many *m = context;

	(void)e;
	if (m->next == m->n) {
		return 0;
	}
	*out = m->requests[m->next];
	*i = m->next++;
	return 1;
}

static int many_done(void *context, size_t i, struct http_response *response,
	const struct err *failed, struct err *e)
{
	struct many *m = context;

	return m->done(m->context, i, response, failed, e);
}

int http_get_many(struct http *h, const struct http_request *requests, size_t n, unsigned parallel,
	http_done *done, void *context, struct err *e)
{
	struct many m = { .requests = requests, .n = n, .done = done, .context = context };

	return http_get_stream(h, parallel, many_next, many_done, &m, e);
}

const char *http_status_text(long status)
{
	static const struct {
		long status;
		const char *text;
	} table[] = {
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 407, "Proxy Authentication Required" },
		{ 408, "Request Timeout" },
		{ 410, "Gone" },
		{ 416, "Range Not Satisfiable" },
		{ 429, "Too Many Requests" },
		{ 451, "Unavailable For Legal Reasons" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (table[i].status == status) {
			return table[i].text;
		}
	}
	return "";
}
