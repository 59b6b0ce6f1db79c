#!/usr/bin/env python3
"""A package index on the loopback interface, for tests: a folder of distributions as PEP 503 HTML and
PEP 691 JSON, with faults on demand. Standard library only.

    index_server.py FOLDER [options]      the first line of stdout is the base URL: http://127.0.0.1:PORT

Paths: /simple/, /simple/NAME/, /flat/ (one find-links page), /files/FILE, /files/FILE.metadata.

--fault KIND[=N][:NAME], may be repeated. NAME: only paths that contain it (a project or a file). N: a number.
    404            the path is not there              500=N          N times status 500, then well
    status=N       always status N                    html-error     200 with an HTML page that is none
    wrong-hash     the index names another sha256     half-file=N    half of the body, then closed, N times (0: always)
    slow=N         N bytes in a second                hang           accepts, never answers
    redirect-host  to the same path by the name localhost           redirect=URL-PREFIX  to another place
    loop           redirects to itself                gzip           pages with Content-Encoding: gzip
    bomb           a page of 100 MiB in 100 kB        cut=N          closes each connection after N bytes of body
    retry-after=N  once 429 with Retry-After: N       s3-403         S3's answer for a key that is not there
    bad-range      206 with another range             old-api        meta says version 2.0
    no-head=N      status N to HEAD                   no-list        /simple/ itself is not there
"""

import argparse
import base64
import email.utils
import gzip
import hashlib
import html
import http.server
import io
import json
import os
import re
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse
import zipfile

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
HTML_TYPE = "application/vnd.pypi.simple.v1+html"


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def project_of(file):
    if file.endswith(".whl"):
        return normalized(file.split("-")[0])
    for ending in (".tar.gz", ".zip"):
        if file.endswith(ending):
            return normalized(file[: -len(ending)].rsplit("-", 1)[0])
    return None


def metadata_of(path):
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            if name.count("/") == 1 and name.endswith(".dist-info/METADATA"):
                return wheel.read(name)
    return None


class Fault:
    def __init__(self, text):
        kind, _, self.name = text.partition(":") if not text.startswith("redirect=") else (text, "", "")
        self.kind, _, argument = kind.partition("=")
        self.argument = argument
        self.number = int(argument) if argument.isdigit() else 0
        self.used = 0

    def fits(self, path):
        return self.name in path


class Index:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.faults = [Fault(f) for f in options.fault]
        self.log = open(options.log, "a", buffering=1) if options.log else None
        self.known = {}

    def files(self):
        """name -> (bytes, mtime, sha256 hex), read again when a file has changed."""
        found = {}
        with self.lock:
            for name in sorted(os.listdir(self.options.folder)):
                path = os.path.join(self.options.folder, name)
                if project_of(name) is None or not os.path.isfile(path):
                    continue
                state = os.stat(path)
                key = (state.st_mtime_ns, state.st_size)
                if name not in self.known or self.known[name][0] != key:
                    with open(path, "rb") as f:
                        self.known[name] = (key, hashlib.file_digest(f, "sha256").hexdigest()
                                            if hasattr(hashlib, "file_digest")
                                            else hashlib.sha256(f.read()).hexdigest())
                found[name] = {"path": path, "size": state.st_size, "sha256": self.known[name][1]}
        return found

    def fault(self, kind, path):
        for f in self.faults:
            if f.kind == kind and f.fits(path):
                return f
        return None

    def fault_once(self, kind, path):
        """The fault while its number of times is not used up (0: for ever)."""
        f = self.fault(kind, path)
        if f is None:
            return None
        with self.lock:
            if f.number and f.used >= f.number:
                return None
            f.used += 1
        return f

    def write_log(self, **entry):
        if self.log:
            with self.lock:
                self.log.write(json.dumps(entry, sort_keys=True) + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "test-index"

    def log_message(self, *args):
        pass

    @property
    def index(self):
        return self.server.index

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        self.status, self.sent = 0, 0
        if self.path.startswith("http://"):  # as a proxy is asked
            self.path = "/" + self.path.split("/", 3)[3]
        try:
            self.route()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        self.index.write_log(method=self.command, path=self.path, status=self.status, sent=self.sent,
                             range=self.headers.get("Range"), auth=self.headers.get("Authorization"),
                             host=self.headers.get("Host"), accept=self.headers.get("Accept"),
                             encoding=self.headers.get("Accept-Encoding"),
                             if_none_match=self.headers.get("If-None-Match"),
                             if_range=self.headers.get("If-Range"))

    def route(self):
        path = urllib.parse.unquote(self.path.partition("?")[0])
        if self.spoiled(path) or not self.authorized():
            return
        if path.startswith("/files/"):
            self.send_file(path[len("/files/"):])
        elif path == "/flat/":
            self.send_page("", list(self.index.files().items()))
        elif path == "/simple/":
            names = sorted({project_of(f) for f in self.index.files()})
            self.send_body(200, "text/html", "".join(
                f'<a href="{n}/">{n}</a>\n' for n in names).encode())
        elif path.startswith("/simple/"):
            self.route_project(path)
        else:
            self.send_body(404, "text/plain", b"")

    def route_project(self, path):
        name = path[len("/simple/"):].strip("/")
        if normalized(name) != name or not path.endswith("/"):
            self.send_body(301, "text/plain", b"", {"Location": f"/simple/{normalized(name)}/"})
            return
        files = [(f, i) for f, i in self.index.files().items() if project_of(f) == name]
        if files:
            self.send_page(name, files)
        else:
            self.send_body(404, "text/plain", b"")

    def authorized(self):
        wanted = self.index.options.auth
        if not wanted:
            return True
        given = "Basic " + base64.b64encode(wanted.encode()).decode()
        if self.headers.get("Authorization") == given:
            return True
        self.send_body(401, "text/plain", b"", {"WWW-Authenticate": 'Basic realm="index"'})
        return False

    # ---- faults that replace the answer ----

    def spoiled(self, path):
        fault = self.index.fault
        if fault("hang", path):
            time.sleep(3600)
        if fault("404", path):
            self.send_body(404, "text/plain", b"")
        elif fault("no-head", path) and self.command == "HEAD":
            self.send_body(fault("no-head", path).number, "text/plain", b"")
        elif fault("no-list", path) and path == "/simple/":
            self.send_body(404, "text/plain", b"")
        elif fault("status", path):
            self.send_body(fault("status", path).number, "text/plain", b"no")
        elif self.index.fault_once("500", path):
            self.send_body(500, "text/html", b"<html><title>oops</title></html>")
        elif fault("html-error", path):
            self.send_body(200, "text/html",
                           b"<html><head><title>Please sign in</title></head><body>"
                           b'<a href="/login">Sign in</a></body></html>')
        elif fault("s3-403", path):
            self.send_body(403, "application/xml", b'<?xml version="1.0"?>\n'
                           b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
        elif fault("loop", path):
            self.send_body(302, "text/plain", b"", {"Location": self.path})
        elif fault("redirect-host", path) and not self.headers["Host"].startswith("localhost"):
            port = self.server.server_address[1]
            self.send_body(302, "text/plain", b"", {"Location": f"http://localhost:{port}{self.path}"})
        elif fault("redirect", path):
            self.send_body(302, "text/plain", b"",
                           {"Location": fault("redirect", path).argument + self.path})
        elif fault("bomb", path):
            body = gzip.compress(b"<!DOCTYPE html>\n" + b" " * (100 << 20), 1)
            self.send_body(200, "text/html", body, {"Content-Encoding": "gzip"})
        elif fault("retry-after", path) and fault("retry-after", path).used == 0:
            fault("retry-after", path).used = 1
            self.send_body(429, "text/plain", b"",
                           {"Retry-After": str(fault("retry-after", path).number)})
        else:
            return False
        return True

    # ---- pages ----

    def facts(self, name, info):
        sha256 = info["sha256"]
        if self.index.fault("wrong-hash", name):
            sha256 = hashlib.sha256(sha256.encode()).hexdigest()
        metadata = None
        if self.index.options.metadata and name.endswith(".whl"):
            text = metadata_of(info["path"])
            metadata = hashlib.sha256(text).hexdigest() if text else None
        yanked = self.index.options.yanked.get(name)
        return sha256, metadata, yanked, self.index.options.requires.get(name)

    def is_hashed(self, name):
        return not self.index.options.no_hashes and not any(t in name for t in self.index.options.no_hash)

    def json_page(self, project, files):
        version = "2.0" if self.index.fault("old-api", self.path) else "1.1"
        page = {"meta": {"api-version": version}, "name": project, "versions": [], "files": []}
        for name, info in files:
            sha256, metadata, yanked, python = self.facts(name, info)
            entry = {"filename": name, "url": f"../../files/{urllib.parse.quote(name)}",
                     "hashes": {"sha256": sha256} if self.is_hashed(name) else {},
                     "requires-python": python, "size": info["size"],
                     "yanked": False if yanked is None else yanked or True}
            if metadata:
                entry["core-metadata"] = {"sha256": metadata}
            page["files"].append(entry)
        return json.dumps(page).encode()

    def html_page(self, project, files):
        up = "../../files/" if project else "../files/"
        lines = ["<!DOCTYPE html>", "<html><head>"]
        if not self.index.fault("old-api", self.path):
            lines.append('<meta name="pypi:repository-version" content="1.1">')
        else:
            lines.append('<meta name="pypi:repository-version" content="2.0">')
        lines.append(f"<title>Links for {project}</title></head><body>")
        for name, info in files:
            sha256, metadata, yanked, python = self.facts(name, info)
            href = up + urllib.parse.quote(name)
            if self.is_hashed(name):
                href += f"#sha256={sha256}"
            extra = f' data-requires-python="{html.escape(python)}"' if python else ""
            if yanked is not None:
                extra += f' data-yanked="{html.escape(yanked)}"'
            if metadata:
                extra += f' data-core-metadata="sha256={metadata}"'
            lines.append(f'<a href="{href}"{extra}>{html.escape(name)}</a><br>')
        return "\n".join(lines + ["</body></html>", ""]).encode()

    def send_page(self, project, files):
        accept = self.headers.get("Accept") or "text/html"
        as_json = JSON_TYPE in accept and self.index.options.format != "html" and project
        if self.index.options.format == "json" and project:
            as_json = True
        body = self.json_page(project, files) if as_json else self.html_page(project, files)
        kind = JSON_TYPE if as_json else HTML_TYPE if HTML_TYPE in accept else "text/html"
        if self.index.options.content_type:
            kind = self.index.options.content_type
        headers = {"Vary": "Accept"}
        if self.index.options.cache:
            headers["ETag"] = '"%s"' % hashlib.sha256(body).hexdigest()[:16]
            headers["Cache-Control"] = self.index.options.cache
            if self.headers.get("If-None-Match") == headers["ETag"]:
                self.send_body(304, None, b"", headers)
                return
        if self.index.fault("gzip", self.path) and "gzip" in (self.headers.get("Accept-Encoding") or ""):
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        self.send_body(200, kind, body, headers)

    # ---- files ----

    def send_file(self, name):
        files = self.index.files()
        if name.endswith(".metadata") and self.index.options.metadata:
            name = name[: -len(".metadata")]
            text = metadata_of(files[name]["path"]) if name in files else None
            self.send_body(200 if text else 404, "application/octet-stream", text or b"")
            return
        if name not in files:
            self.send_body(404, "text/plain", b"")
            return
        info = files[name]
        headers = {"Last-Modified": email.utils.formatdate(os.stat(info["path"]).st_mtime, usegmt=True)}
        if self.index.options.etag:
            headers["ETag"] = '"%s"' % info["sha256"][:16]
        first, last, size = 0, info["size"] - 1, info["size"]
        wanted = None
        if self.index.options.ranges:
            headers["Accept-Ranges"] = "bytes"
            wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
        if wanted and self.headers.get("If-Range") not in (None, headers.get("ETag")):
            wanted = None
        status = 200
        if wanted:
            if wanted[1] == "":
                if self.index.options.no_suffix:
                    self.send_body(501, "text/plain", b"")
                    return
                first = max(0, size - int(wanted[2]))
            else:
                first = int(wanted[1])
                last = min(last, int(wanted[2])) if wanted[2] else last
            if first >= size:
                self.send_body(416, "text/plain", b"", {"Content-Range": f"bytes */{size}"})
                return
            status = 206
            if self.index.fault("bad-range", self.path) and first:
                first -= 1
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        with open(info["path"], "rb") as f:
            f.seek(first)
            self.send_stream(status, "application/octet-stream", f, last - first + 1, headers)

    def send_body(self, status, kind, body, headers=None):
        self.send_stream(status, kind, io.BytesIO(body), len(body), headers or {})

    def send_stream(self, status, kind, source, length, headers):
        self.status = status
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 304:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD" or status == 304:
            return
        cut, slow = self.index.fault("cut", self.path), self.index.fault("slow", self.path)
        limit = length
        if status in (200, 206) and cut:
            limit = min(limit, cut.number)
        if status in (200, 206) and length > 1 and self.index.fault_once("half-file", self.path):
            limit = length // 2
        self.copy(source, limit, slow.number if slow else 0)
        if limit < length:
            self.close_connection = True

    def copy(self, source, left, per_second):
        while left > 0:
            piece = source.read(min(left, max(1, per_second // 10) if per_second else 1 << 18))
            if not piece:
                break
            self.wfile.write(piece)
            self.wfile.flush()
            left -= len(piece)
            self.sent += len(piece)
            if per_second:
                time.sleep(0.1)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass


def pairs(texts):
    """"FILE=TEXT" -> {FILE: TEXT}"""
    return dict(t.partition("=")[::2] for t in texts)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--metadata", action="store_true", default=False, help="offer PEP 658 siblings")
    p.add_argument("--no-metadata", dest="metadata", action="store_false")
    p.add_argument("--no-ranges", dest="ranges", action="store_false")
    p.add_argument("--no-suffix", action="store_true", help="501 for 'the last N bytes'")
    p.add_argument("--no-hashes", action="store_true")
    p.add_argument("--no-hash", action="append", default=[], metavar="TEXT", help="only files that contain it")
    p.add_argument("--etag", action="store_true", help="ETag on files")
    p.add_argument("--cache", metavar="TEXT", help="ETag and this Cache-Control on pages")
    p.add_argument("--format", choices=["json", "html", "both"], default="both")
    p.add_argument("--content-type", help="of project pages")
    p.add_argument("--auth", metavar="USER:PASSWORD")
    p.add_argument("--yanked", action="append", default=[], metavar="FILE=REASON")
    p.add_argument("--requires", action="append", default=[], metavar="FILE=SPEC")
    p.add_argument("--fault", action="append", default=[], metavar="KIND[=N][:NAME]")
    p.add_argument("--tls", metavar="PEM", help="https with this certificate and key")
    p.add_argument("--log", help="one JSON line a request")
    options = p.parse_args()
    options.yanked, options.requires = pairs(options.yanked), pairs(options.requires)
    server = Server(("127.0.0.1", options.port), Handler)
    server.index = Index(options)
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(f"{'https' if options.tls else 'http'}://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
