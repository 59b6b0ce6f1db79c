#include "bundle/http_cause.h"

#include <stddef.h>

static const struct http_cause causes[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, true, "the host's name is not found",
		"check the spelling, the network and the name server (no network: only cached "
		"files can "
		"be used)" },
	{ CURLE_COULDNT_RESOLVE_PROXY, false, "the proxy's name is not found",
		"check PIP_PROXY, http_proxy and https_proxy" },
	{ CURLE_COULDNT_CONNECT, true, "no connection: refused or unreachable",
		"check that the server runs and that the network and proxy let you reach it" },
	{ CURLE_OPERATION_TIMEDOUT, true, "time-out: no byte came for too long",
		"raise PIP_TIMEOUT, or check the network and proxy" },
	{ CURLE_PEER_FAILED_VERIFICATION, false, "the server's certificate is not trusted",
		"name the right CA bundle with PIP_CERT, or the host with PIP_TRUSTED_HOST" },
	{ CURLE_SSL_CACERT_BADFILE, false, "the CA bundle cannot be read",
		"check PIP_CERT, REQUESTS_CA_BUNDLE and SSL_CERT_FILE" },
	{ CURLE_SSL_CERTPROBLEM, false, "the client certificate cannot be used",
		"check PIP_CLIENT_CERT: one PEM file with certificate and key" },
	{ CURLE_SSL_CONNECT_ERROR, true, "the TLS handshake fails",
		"does that port speak https? a proxy may stand between" },
	{ CURLE_PARTIAL_FILE, true, "the connection was cut before the end", NULL },
	{ CURLE_RECV_ERROR, true, "the connection was cut", NULL },
	{ CURLE_SEND_ERROR, true, "the connection was cut", NULL },
	{ CURLE_GOT_NOTHING, true, "the server closed the connection without an answer", NULL },
	{ CURLE_HTTP2, true, "the HTTP/2 connection failed", NULL },
	{ CURLE_HTTP2_STREAM, true, "the HTTP/2 stream failed", NULL },
	{ CURLE_BAD_CONTENT_ENCODING, false, "the compressed answer is damaged",
		"a proxy may have changed it" },
	{ CURLE_URL_MALFORMAT, false, "not a URL", "" },
	{ CURLE_UNSUPPORTED_PROTOCOL, false, "only http and https are fetched", "" },
};

const struct http_cause *http_cause_of(CURLcode code)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		if (causes[i].code == code) {
			return &causes[i];
		}
	}
	return NULL;
}
