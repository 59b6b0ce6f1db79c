#!/usr/bin/env python3
"""Who gets which credential: a server with many names, over TLS with an authority of its own.

    credentials.py BIN_DIR      gpkg-bundle and index_client

The names lead to the loopback interface by a file of hosts that the programs see in a mount name space of
their own.
"""

import base64
import http.server
import json
import os
import re
import socketserver
import ssl
import sys
import threading
import time

import make_wheels
from rig import Rig, lock, package, sha256, steps, target

NAMES = [
    "a-b.example", "a.b.example", "index.example", "cdn.example", "other.example", "github.com",
    "api.github.com", "sub.github.com"
]
SECRET = "s3cret-of-the-test"
GITHUB = "gh-s3cret-of-the-test"
PASSWORD = "p4ssword-of-the-test"


class Handler(http.server.BaseHTTPRequestHandler):
    """/file/F: bytes. /private/F, /simple/N/: with a credential. /to/HOST/...: redirect. /limit/...: refusal."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        host = self.headers["Host"].split(":")[0]
        self.server.seen.append((host, self.path, self.headers.get("Authorization")))
        kind, _, rest = self.path[1:].partition("/")
        if kind == "to":
            where, _, path = rest.partition("/")
            self.send(302, b"", Location=f"https://{where}:{self.server.server_address[1]}/{path}")
        elif kind == "limit":
            self.limit(rest)
        elif kind in ("private", "simple") and not self.headers.get("Authorization"):
            self.send(401, b"")
        elif kind == "refused":
            self.send(403, b"")
        elif kind == "simple":
            self.send(200, self.page(rest.strip("/")), Content_Type="text/html")
        else:
            path = self.server.folder / rest
            self.send(200, path.read_bytes()) if path.is_file() else self.send(404, b"")

    def page(self, project):
        return "".join(f'<a href="/private/{p.name}#sha256={sha256(p)}">{p.name}</a>\n'
                       for p in self.server.folder.glob(f"{project}-*")).encode()

    def limit(self, kind):
        reset = str(int(time.time()) + 1800)
        if kind.startswith("later"):
            self.send(429, b"", Retry_After="3600")
        elif kind.startswith("soon"):
            again = sum(p == self.path for _, p, _ in self.server.seen) > 1
            self.send(200, b"again") if again else self.send(429, b"", Retry_After="1")
        else:
            status = 429 if kind.startswith("many") else 403
            self.send(status, b"{}", X_RateLimit_Remaining="0", X_RateLimit_Reset=reset)

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Field:

    def __init__(self, rig):
        self.rig = rig
        self.folder = rig.folder("packages")
        self.wheel = make_wheels.make(str(self.folder), "alpha 1.0")
        self.name = os.path.basename(self.wheel)
        self.ca = rig.scratch / "ca.pem"
        self.https = self.serve(self.certificate())
        self.http = self.serve(None)
        self.said = ""  # all that any run printed
        hosts = rig.scratch / "hosts"
        hosts.write_text("127.0.0.1 localhost " + " ".join(NAMES) + "\n")
        self.prefix = [
            "unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c",
            f'mount --bind {hosts} /etc/hosts && exec "$@"', "sh"
        ]
        self.count = 0

    def certificate(self):
        """An authority, and a certificate by it for all names."""
        rig, names = self.rig, ",".join(f"DNS:{n}" for n in NAMES)
        new = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        (rig.scratch / "ext").write_text(f"subjectAltName={names},IP:127.0.0.1\n")
        for command in (
            [*new, "-x509", "-days", "2", "-subj", "/CN=Test", "-keyout", "ca.key", "-out", self.ca],
            [*new, "-subj", "/CN=server", "-keyout", "server.key", "-out", "server.csr"],
            ["openssl", "x509", "-req", "-in", "server.csr", "-CA", self.ca, "-CAkey", "ca.key",
             "-set_serial", "7", "-days", "2", "-extfile", "ext", "-out", "server.pem"],
        ):
            done = rig.run(*command)
            if done.status:
                raise RuntimeError(done)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(rig.scratch / "server.pem", rig.scratch / "server.key")
        return context

    def serve(self, context):
        server = Server(("127.0.0.1", 0), Handler)
        server.folder, server.seen = self.folder, []
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def url(self, host, path, scheme="https"):
        port = (self.https if scheme == "https" else self.http).server_address[1]
        return f"{scheme}://{host}:{port}/{path}"

    def run(self, program, *arguments, env=None):
        """Also sets self.seen: (host, Authorization) of each request."""
        self.https.seen.clear()
        self.http.seen.clear()
        self.count += 1
        env = {
            "PIP_CERT": str(self.ca), "PIP_INDEX_URL": self.url("index.example", "simple"),
            "no_proxy": "*", "XDG_CACHE_HOME": str(self.rig.scratch / f"cache-{self.count}"),
            **(env or {})
        }
        done = self.rig.run(*self.prefix, self.rig.bin / program, *arguments, env=env)
        self.said += done.all
        self.seen = [(h, a) for h, _, a in self.https.seen + self.http.seen]
        return done

    def fetch(self, host, path, scheme="https", **env):
        if path.startswith(("limit", "refused")):
            return self.run("index_client", "fetch", self.url(host, path, scheme), "-", "-", env=env)
        return self.run("index_client", "fetch", self.url(host, path, scheme), sha256(self.wheel), "-",
                        env=env)


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def check_tokens(f):
    rig, bearer = f.rig, f"Bearer {SECRET}"
    private = f"private/{f.name}"
    token = {"GPKG_BUNDLE_TOKEN_OTHER_EXAMPLE": SECRET}
    done = f.fetch("other.example", private, **token)
    rig.equal((done.status, f.seen), (0, [("other.example", bearer)]), "the token of the host")
    done = f.fetch("other.example", private, UVFORGE_TOKEN_OTHER_EXAMPLE=SECRET)
    rig.equal((done.status, f.seen), (0, [("other.example", bearer)]), "by its older name")
    done = f.fetch("cdn.example", private, **token)
    rig.equal(f.seen, [("cdn.example", None)], "another host gets nothing")
    rig.check(done.status and "cdn.example answers 401" in done.err and
              "no credential was sent" in done.err and "GPKG_BUNDLE_TOKEN_CDN_EXAMPLE" in done.err,
              "and the message says so", done)
    done = f.fetch("other.example", f"refused/{f.name}", **token)
    rig.check("other.example answers 403 Forbidden (sent: the token in GPKG_BUNDLE_TOKEN_OTHER_EXAMPLE)"
              in done.err, "a token that is not good enough is named", done)
    f.fetch("other.example", f"file/{f.name}", scheme="http", **token)
    rig.equal(f.seen, [("other.example", None)], "no token over plain http")
    done = f.fetch("other.example", private, scheme="http", **token)
    rig.check("GPKG_BUNDLE_TOKEN_OTHER_EXAMPLE is for https alone" in done.err, "which is said", done)


def check_redirects(f):
    rig = f.rig
    token = {"GPKG_BUNDLE_TOKEN_OTHER_EXAMPLE": SECRET, "GITHUB_TOKEN": GITHUB}
    done = f.fetch("other.example", f"to/cdn.example/file/{f.name}", **token)
    rig.equal((done.status, f.seen),
              (0, [("other.example", f"Bearer {SECRET}"), ("cdn.example", None)]),
              "a redirect to another host takes no token along")
    done = f.fetch("cdn.example", f"to/other.example/private/{f.name}", **token)
    rig.equal((done.status, f.seen),
              (0, [("cdn.example", None), ("other.example", f"Bearer {SECRET}")]),
              "a redirect to the host of the token")
    done = f.fetch("github.com", f"to/cdn.example/file/{f.name}", **token)
    rig.equal((done.status, f.seen), (0, [("github.com", f"Bearer {GITHUB}"), ("cdn.example", None)]),
              "GitHub's token stays there")
    for host, expected in (("api.github.com", f"Bearer {GITHUB}"), ("sub.github.com", None),
                           ("cdn.example", None)):
        f.fetch(host, f"file/{f.name}", **token)
        rig.equal(f.seen, [(host, expected)], f"GitHub's token at {host}")


def check_collision(f):
    rig, token = f.rig, {"GPKG_BUNDLE_TOKEN_A_B_EXAMPLE": SECRET}
    digest = sha256(f.wheel)
    done = f.fetch("a-b.example", f"private/{f.name}", **token)
    rig.equal(done.status, 0, "one of two hosts with one spelling")
    done = f.fetch("a-b.example", f"to/a.b.example/file/{f.name}", **token)
    rig.check(done.err.startswith("invalid: ") and "a-b.example and of a.b.example" in done.err and
              "netrc" in done.err, "both in one run", done)
    rig.equal(f.seen, [("a-b.example", f"Bearer {SECRET}")], "the other one is not asked")
    index = f.url("a-b.example", "simple")
    done = f.run("index_client", "fetch", f.url("a.b.example", f"private/{f.name}"), digest, "-",
                 env={**token, "PIP_INDEX_URL": index})
    rig.check(done.err.startswith("invalid: ") and not f.seen, "the configured index comes first", done)


def check_netrc(f):
    rig, netrc = f.rig, f.rig.scratch / "netrc"
    netrc.write_text(f"machine other.example login me password {PASSWORD}\n")
    netrc.chmod(0o644)
    env = {"NETRC": str(netrc)}
    done = f.fetch("other.example", f"private/{f.name}", **env)
    rig.check(done.err.startswith("permission: ") and f"chmod 600 {netrc}" in done.err and not f.seen,
              "netrc that others can read", done)
    done = f.fetch("cdn.example", f"file/{f.name}", **env)
    rig.equal(done.status, 0, "it does not matter where it has nothing to say")
    netrc.chmod(0o600)
    done = f.fetch("other.example", f"private/{f.name}", **env)
    rig.equal((done.status, f.seen), (0, [("other.example", basic("me", PASSWORD))]), "netrc")
    f.fetch("other.example", f"file/{f.name}", scheme="http", **env)
    rig.equal(f.seen, [("other.example", None)], "not over plain http")
    done = f.fetch("other.example", f"refused/{f.name}", **env)
    rig.check(f"(sent: the login in {netrc})" in done.err, "its name in a message", done)


def check_limits(f):
    rig = f.rig
    for path in ("limit/x", "limit/many"):
        done = f.fetch("api.github.com", path)
        rig.check(
            done.err.startswith("index: ") and
            re.search(r"takes no more requests until \d{4}-\S+ \S+ UTC, in (29|30) minutes", done.err)
            and "no credential was sent" in done.err and "GITHUB_TOKEN" in done.err,
            f"{path}: says until when, and what helps", done)
        rig.equal(len(f.seen), 1, f"{path}: is not tried again")
    done = f.fetch("api.github.com", "limit/x", GITHUB_TOKEN=GITHUB)
    rig.check("(sent: the token in GITHUB_TOKEN)" in done.err, "which token was used", done)
    done = f.fetch("other.example", "limit/later")
    rig.check("in 60 minutes" in done.err or "in 59 minutes" in done.err, "Retry-After of an hour", done)
    rig.equal(len(f.seen), 1, "is not tried again")
    done = f.fetch("other.example", "limit/soon")
    rig.equal((done.status, len(f.seen)), (0, 2), "Retry-After of a second is waited for")


def check_create(f):
    """The whole way, and the secrets nowhere in what it leaves."""
    rig = f.rig
    rows = lock(rig.scratch / "lock.toml", target("t"), package("alpha", "1.0"))
    key, bundle, cache = rig.key(), rig.scratch / "x.tar.zst", rig.scratch / "cache-create"
    options = ["create", rows, "-o", bundle, "--key", key, "--cache", cache, "--json"]
    done = f.run("gpkg-bundle", *options, env={"GPKG_BUNDLE_TOKEN_INDEX_EXAMPLE": SECRET})
    if rig.equal(done.status, 0, "create with a token" + (str(done) if done.status else "")):
        rig.equal({a for _, a in f.seen}, {f"Bearer {SECRET}"}, "every request had it")
        unpacked = rig.folder("unpacked")
        rig.run("tar", "-C", unpacked, "--zstd", "-xf", bundle)
        rig.check((unpacked / "manifest.json").is_file(), "the bundle is there")
        leaks = [
            str(p) for top in (unpacked, cache) for p in top.rglob("*")
            if p.is_file() and SECRET.encode() in p.read_bytes()
        ]
        rig.equal(leaks, [], "files with the secret")
    options[options.index(cache)] = rig.scratch / "cache-empty"
    done = f.run("gpkg-bundle", *options)
    rig.equal(json.loads(done.out)["error"]["reason"], "index", "create without it")


def main():
    rig = Rig(sys.argv)
    with rig:
        if not rig.tool("openssl") or not rig.tool("unshare"):
            rig.skip("no openssl or no unshare")
            return rig.finish()
        field = Field(rig)
        if rig.run(*field.prefix, "true").status:
            rig.skip("this machine grants no mount name space")
            return rig.finish()
        for part in (check_tokens, check_redirects, check_collision, check_netrc, check_limits,
                     check_create):
            with steps(part.__name__):
                part(field)
        for secret in (SECRET, GITHUB, PASSWORD, basic("me", PASSWORD)):
            rig.check(secret not in field.said, "no output shows a secret")
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
