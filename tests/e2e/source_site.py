"""A site with a certificate of its own on the loopback interface, as publishers of wheels keep them: pages as
they are put there, releases in pages of a hundred, files with made-up contents. Standard library, and the
openssl program for the certificate.

    site = Site(rig)            site.url: https://localhost:PORT; site.env: what makes programs trust it
    site.put(path, body, ...)   what GET answers there
    site.wheel(spec, at=...)    a tiny wheel (make_wheels.py) under /files/AT/
"""

import hashlib
import http.server
import json
import pathlib
import socketserver
import ssl
import threading
import urllib.parse

import make_wheels

S3_403 = ('<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'
          "<Message>Access Denied</Message></Error>")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        site = self.server.site
        path = self.path
        site.requests.append((path, dict(self.headers)))
        status, headers, body = site.pages.get(path) or site.pages.get(
            urllib.parse.unquote(path)) or site.absent(path)
        etag = headers.get("ETag")
        if etag and self.headers.get("If-None-Match") == etag:
            status, body = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


def make_certificate(rig):
    """A CA and a certificate of localhost: (CA file, file with certificate and key), or None."""
    folder = rig.folder("tls")
    if not rig.tool("openssl"):
        return None
    (folder / "ext").write_text("subjectAltName = DNS:localhost, IP:127.0.0.1\n")
    steps = [
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=test-ca",
        "req -newkey rsa:2048 -nodes -keyout site.key -out site.csr -subj /CN=localhost",
        "x509 -req -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out site.crt -days 30 -extfile ext",
    ]
    for step in steps:
        done = rig.run("openssl", *step.split(), cwd=folder)
        if done.status:
            raise RuntimeError(f"openssl {step}: {done}")
    (folder / "site.pem").write_text((folder / "site.crt").read_text() +
                                     (folder / "site.key").read_text())
    return folder / "ca.pem", folder / "site.pem"


class Site:

    def __init__(self, rig, tls):
        self.pages, self.requests = {}, []
        self.forbidden = []  # prefixes under which 403 says that nothing is there
        self.folder = rig.folder("wheels")
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.site = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls[1])
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://localhost:{self.server.server_address[1]}"
        self.env = {"PIP_CERT": str(tls[0]), "SSL_CERT_FILE": str(tls[0]), "no_proxy": "localhost,127.0.0.1"}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def absent(self, path):
        if any(path.startswith(p) for p in self.forbidden):
            return 403, {"Content-Type": "application/xml"}, S3_403.encode()
        return 404, {"Content-Type": "text/plain"}, b"not here"

    def put(self, path, body, kind="text/html", status=200, **headers):
        body = body.encode() if isinstance(body, str) else body
        fields = {"Content-Type": kind, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if status == 200:
            fields.setdefault("ETag", '"%s"' % hashlib.sha256(body).hexdigest()[:16])
        self.pages[path] = (status, fields, body)

    def asked(self, part):
        return [path for path, _ in self.requests if part in path]

    def wheel(self, spec, at="v1"):
        """{name, url, sha256, size} of a new file. Its URL has %2B for the '+' of its name."""
        path = pathlib.Path(make_wheels.make(str(self.folder / at), spec))
        data = path.read_bytes()
        where = f"/files/{at}/{path.name}"
        self.put(where, data, "application/octet-stream")
        return {"name": path.name, "url": self.url + urllib.parse.quote(where), "size": len(data),
                "sha256": hashlib.sha256(data).hexdigest()}

    def absolute(self, file, at="v1"):
        """A made-up file by its whole name, with METADATA of its public version."""
        project, version, *rest = file[:-len(".whl")].split("-")
        build = [f"build={rest[0]}"] if len(rest) == 4 else []
        public = version.partition("+")[0]
        spec = [project, version, "tag=" + "-".join(rest[-3:]), f"metadata-version={public}", *build,
                f"summary=of-{at}"]
        made = self.wheel(" ".join(spec), at)
        assert made["name"] == file, (made["name"], file)
        return made

    def releases(self, repository, releases, size=100, digests=True):
        """releases: [(tag, [files], {more fields})], newest first, in pages of `size`."""
        first = f"/api/repos/{repository}/releases?per_page=100"
        pages = [releases[i:i + size] for i in range(0, len(releases), size)] or [[]]
        for number, page in enumerate(pages, 1):
            listed = [{"tag_name": tag, "name": tag, "draft": False, "prerelease": False, **more,
                       "assets": [self.asset(f, digests) for f in files]} for tag, files, more in page]
            path = first if number == 1 else f"{first}&page={number}"
            links = {}
            if number < len(pages):
                links["Link"] = (f'<{self.url}{first}&page={number + 1}>; rel="next", '
                                 f'<{self.url}{first}&page={len(pages)}>; rel="last"')
            self.put(path, json.dumps(listed), "application/json; charset=utf-8", **links)
        return first

    @staticmethod
    def asset(file, digests):
        return {"name": file["name"], "browser_download_url": file["url"].replace("%2B", "+"),
                "size": file["size"], "state": file.get("state", "uploaded"),
                "digest": "sha256:" + file["sha256"] if digests else None}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def anchors(files, line='<a href="{url}">{name}</a><br>'):
    return "\n".join(line.format(**f) for f in files)


def page(files, title="Links", line='<a href="{url}#sha256={sha256}">{name}</a><br>'):
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>\n{anchors(files, line)}\n</body></html>\n"
