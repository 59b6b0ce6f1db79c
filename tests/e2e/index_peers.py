#!/usr/bin/env python3
"""Indexes as others serve them: pypiserver, devpi, and a tree of static pages over http and file://, each as the
configured index and as the source of a package.

    index_peers.py BIN_DIR      the programs of the peers are looked for in build/tools/bin and $PATH
"""

import os
import pathlib
import socket
import sys
import time
import urllib.error
import urllib.request

import make_wheels
from rig import Rig, lock, package, sha256, steps, target

SPECS = ["alpha 1.0 'requires=beta-pkg>=2'", "alpha 0.9", "Beta_Pkg 2.1 python='>=3.8'", "beta-pkg 1.0",
         "gamma 1.0+cu128 tag=py3-none-any", "delta 0.5 kind=sdist"]
PLAN = {"alpha-1.0-py3-none-any.whl", "Beta_Pkg-2.1-py3-none-any.whl", "gamma-1.0+cu128-py3-none-any.whl",
        "delta-0.5.tar.gz"}
WAIT = 60  # seconds until a peer answers


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url):
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.2)
    return False


def check_index(rig, files, what, url, hashes=True):
    """The plan of a lock, once with the index configured and once with it as a source of each package."""
    rows = [package("alpha", "1.0"), package("gamma", "1.0+cu128"), package("delta", "0.5")]
    names = ("alpha", "beta-pkg", "gamma", "delta")
    sources = [f'[source.{n}]\nindex = "{url}"\n' for n in names]
    host = target("host", rest='glibc = "2.28"\ncuda = "12.8"\n')
    trust = [] if hashes else ["--trust-first-use"]
    for how, parts, index in (("configured", [], url), ("as a source", sources, "http://127.0.0.1:9/simple/")):
        path = lock(rig.scratch / "peer.toml", host, *parts, *rows)
        done = rig.gpkg("resolve", path, "--json", *trust, "--cache", rig.scratch / f"cache-{what}-{how}".replace(" ", "-"),
                        env={"PIP_INDEX_URL": index})
        if not rig.check(done.status == 0, f"{what}, {how}", done):
            continue
        found = {f["file"].lower(): f for f in done.json()["targets"][0]["files"]}
        rig.equal(sorted(found), sorted(f.lower() for f in PLAN), f"{what}, {how}: the plan")
        for name, path in files.items():
            f = found.get(name.lower())
            if f and f["sha256"]:
                rig.equal(f["sha256"], sha256(path), f"{what}, {how}: the digest of {name}")
    done = rig.gpkg("resolve", lock(rig.scratch / "none.toml", host, package("omega", "1.0")), "--cache",
                    rig.scratch / f"cache-{what}", env={"PIP_INDEX_URL": url})
    rig.check(done.status == 1 and "omega" in done.err, f"{what}: a project that it lacks", done)


def check_pypiserver(rig, folder, files):
    program = rig.tool("pypi-server")
    if not program:
        rig.skip("no pypi-server")
        return
    port = free_port()
    with open(rig.scratch / "pypiserver.log", "wb") as log:
        rig.start([program, "run", "-i", "127.0.0.1", "-p", port, "--disable-fallback", "--hash-algo", "sha256", folder],
                  stdout=log, stderr=log)
    if rig.check(wait_for(f"http://127.0.0.1:{port}/simple/"), "pypiserver starts",
                 (rig.scratch / "pypiserver.log").read_text()):
        check_index(rig, files, "pypiserver", f"http://127.0.0.1:{port}/simple/")


def check_devpi(rig, _, files):
    programs = [rig.tool(n) for n in ("devpi-init", "devpi-server", "devpi")]
    if not all(programs):
        rig.skip("no devpi-server with its client")
        return
    server, client, port = rig.folder("devpi"), rig.folder("devpi-client"), free_port()
    url = f"http://127.0.0.1:{port}"
    path = {"PATH": f"{pathlib.Path(programs[2]).parent}:{rig.path}"}
    done = rig.run(programs[0], "--serverdir", server, "--no-root-pypi", env=path)
    if done.status and not rig.check(False, "devpi-init", done):
        return
    with open(rig.scratch / "devpi.log", "wb") as log:
        rig.start([programs[1], "--serverdir", server, "--host", "127.0.0.1", "--port", port], env=path, stdout=log,
                  stderr=log)
    if not rig.check(wait_for(url), "devpi-server starts", (rig.scratch / "devpi.log").read_text()[-1500:]):
        return
    for words in (["use", url], ["login", "root", "--password="], ["index", "-c", "dev", "bases="],
                  ["use", "root/dev"], ["upload", "--no-vcs", *files.values()]):
        done = rig.run(programs[2], words[0], "--clientdir", client, *words[1:], env=path)
        if done.status and not rig.check(False, f"devpi {words[0]}", done):
            return
    check_index(rig, files, "devpi", f"{url}/root/dev/+simple/")


def check_static(rig, folder, files):
    """Pages without digests, made once, as any web server has them; and the same from a folder."""
    root = rig.folder("static")
    for name, project in ((n, n.split("-")[0].lower().replace("_", "-")) for n in files):
        page = root / "simple" / project / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        (page.parent / name).write_bytes((folder / name).read_bytes())
        old = page.read_text() if page.exists() else "<!DOCTYPE html><title>Links</title>\n"
        page.write_text(old + f"<a href='{name.replace('+', '%2B')}'>{name}</a><br>\n")
    port = free_port()
    rig.start([sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1", "--directory", root],
              stdout=os.open(os.devnull, os.O_WRONLY), stderr=os.open(os.devnull, os.O_WRONLY))
    if rig.check(wait_for(f"http://127.0.0.1:{port}/"), "a static server starts"):
        check_index(rig, files, "static", f"http://127.0.0.1:{port}/simple/", hashes=False)
    check_index(rig, files, "folder", (root / "simple").as_uri(), hashes=False)


def main():
    rig = Rig(sys.argv)
    with rig:
        folder = rig.folder("packages")
        files = {pathlib.Path(p).name: p for p in (make_wheels.make(str(folder), spec) for spec in SPECS)}
        for step in (check_static, check_pypiserver, check_devpi):
            with steps(step.__name__):
                step(rig, folder, files)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
