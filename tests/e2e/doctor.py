#!/usr/bin/env python3
"""doctor and cache: a lock whose files are there, changed, gone or refused, and what remains on disk.

    doctor.py BIN_DIR
"""

import fcntl
import os
import socket
import sys
import time

import make_wheels
from rig import Rig, lock, package, sha256, steps, target


class Field:

    def __init__(self, rig):
        self.rig = rig
        self.folder = rig.folder("packages")
        self.paths = {
            n: make_wheels.make(str(self.folder), f"{n} 1.0 size=20000")
            for n in ("alpha", "beta", "gamma", "delta")
        }
        self.name = {n: os.path.basename(p) for n, p in self.paths.items()}
        self.sum = {n: sha256(p) for n, p in self.paths.items()}
        self.size = {n: os.path.getsize(p) for n, p in self.paths.items()}
        self.count = 0

    def fresh(self, name):
        self.count += 1
        return self.rig.folder(f"{name}-{self.count}")

    def file(self, base, name, size=None, digest=None):
        """A [[file]] row."""
        return (f'[[file]]\nurl = "{base}/files/{self.name[name]}"\n'
                f"size = {self.size[name] if size is None else size}\n"
                f'sha256 = "{digest or self.sum[name]}"\n')

    def lock(self, *parts):
        return lock(self.fresh("lock") / "lock.toml", target("t"), *parts)

    def doctor(self, path, index, *options, cache=None, **env):
        env = {"PIP_INDEX_URL": index, "PIP_RETRIES": "0", **env}
        return self.rig.gpkg("doctor", path, "--cache", cache or self.fresh("cache"), *options, env=env)


def lines(done, mark):
    return [line for line in done.out.splitlines() if line.startswith(f"[{mark}]")]


def check_well(f):
    rig = f.rig
    with rig.index(f.folder, "--auth", "me:secret") as index:
        base, simple = index.url, index.url.replace("//", "//me:secret@") + "/simple"
        path = f.lock(package("alpha", "1.0"), f.file(base, "alpha"), f.file(base, "beta"))
        done = f.doctor(path, simple)
        rig.equal((done.status, len(lines(done, "ok"))), (0, 3), f"all well {done}")
        rig.check(done.out.endswith("3 ok, 0 failed, 0 skipped: everything that the lock names is there\n"),
                  "the verdict comes last", done)
        rig.equal({r["method"] for r in index.requests()}, {"HEAD"}, "nothing was downloaded")
        rig.check("secret" not in done.all, "no secret in the output", done)
        answer = f.doctor(path, simple, "--json").json()
        rig.equal((answer["ok"], answer["passed"], answer["failed"], len(answer["checks"])),
                  (True, 3, 0, 3), "the same as JSON")
        done = f.doctor(path, index.simple)
        rig.equal((done.status, len(lines(done, "FAIL"))), (1, 3), "without the login")
        rig.check("127.0.0.1 answers 401 Unauthorized (no credential was sent)" in done.out and
                  "GPKG_BUNDLE_TOKEN_127_0_0_1" in done.out, "who refused what", done)
        closed = f.lock(f'[[package]]\nname = "beta"\nversion = "==1.0"\n'
                        f'url = "{base}/files/{f.name["beta"]}"\n')
        done = f.doctor(closed, simple)
        rig.equal((done.status, len(lines(done, "ok")), len(lines(done, "skip"))), (0, 1, 1),
                  f"an index that nothing is taken from {done}")


def check_ill(f):
    rig = f.rig
    with rig.index(f.folder, "--fault", f"404:{f.name['gamma']}") as index:
        path = f.lock(f.file(index.url, "alpha", size=7), f.file(index.url, "beta"),
                      f.file(index.url, "gamma"), package("alpha", "1.0"))
        done = f.doctor(path, index.simple)
        rig.equal((done.status, len(lines(done, "ok")), len(lines(done, "FAIL"))), (1, 2, 2), str(done))
        rig.check(f"{f.size['alpha']} bytes long, the lock records 7" in done.out, "another size", done)
        rig.check("answers 404 Not Found" in done.out, "a file that is gone", done)
        reasons = {c["reason"] for c in f.doctor(path, index.simple, "--json").json()["checks"]}
        rig.equal(reasons, {"hash-mismatch", "index", None}, "the reasons as JSON")
    with rig.index(f.folder, "--fault", "no-head=405", "--fault", "no-list") as index:
        path = f.lock(f.file(index.url, "alpha"), f.file(index.url, "beta", size=7),
                      package("alpha", "1.0"))
        done = f.doctor(path, index.simple)
        rig.check(f"{f.size['beta']} bytes long, the lock records 7" in done.out,
                  "no HEAD: the size comes with one byte", done)
        rig.equal(sorted(r["sent"] for r in index.requests() if r["range"]), [1, 1], "one byte of each")
    with rig.index(f.folder, "--fault", "no-list") as index:
        done = f.doctor(f.lock(package("alpha", "1.0")), index.simple)
        rig.check(done.status == 0 and "it has alpha" in done.out, "an index that lists nothing", done)
    with rig.index(f.folder, "--fault", "404:/simple/") as index:
        done = f.doctor(f.lock(package("alpha", "1.0")), index.simple)
        rig.equal((done.status, len(lines(done, "FAIL"))), (1, 1), f"no index there {done}")


def check_local(f):
    rig = f.rig
    base, place = f"file://{f.folder}", f.fresh("local")
    os.makedirs(place / "files")
    for name in ("alpha", "beta"):
        os.link(f.paths[name], place / "files" / f.name[name])
    base = f"file://{place}"
    path = f.lock(f.file(base, "alpha"), f.file(base, "beta", size=7), f.file(base, "gamma"))
    done = f.doctor(path, f"file://{place}", PIP_FIND_LINKS=f"{place} {place}/nowhere")
    rig.equal((done.status, len(lines(done, "ok")), len(lines(done, "FAIL")), len(lines(done, "skip"))),
              (1, 2, 3, 1), f"files of this machine {done}")
    done = f.doctor(f.lock(f.file(base, "alpha")), f"file://{place}", "--deep")
    rig.check(done.status == 0 and "sha256 as recorded" in done.out, "their bytes", done)


def check_offline(f):
    rig = f.rig
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{s.getsockname()[1]}"
        path = f.lock(*(f.file(dead, n) for n in f.paths), package("alpha", "1.0"))
        done = f.doctor(path, dead + "/simple", "-j", "1")
        rig.check(done.status == 3 and done.out.endswith("there is no network\n"), "no network", done)
        rig.equal((done.out.count("refused or unreachable"), done.out.count("3 times in a row")), (3, 2),
                  f"a dead host is left alone {done}")
        answer = f.doctor(path, dead + "/simple", "--json").json()
        rig.equal((answer["offline"], answer["ok"]), (True, False), "the same as JSON")
        with rig.index(f.folder) as index:
            done = f.doctor(path, index.simple)
            rig.equal((done.status, len(lines(done, "ok"))), (1, 1), f"a network, but not all of it {done}")
    missing = f.doctor(f.fresh("x") / "lock.toml", "http://127.0.0.1:1/simple", "--json")
    rig.equal((missing.status, missing.reason()), (1, "not-found"), "no lock")


def check_deep(f):
    rig, cache = f.rig, f.fresh("deep")
    with rig.index(f.folder) as index:
        wrong = "0" * 64
        path = f.lock(f.file(index.url, "alpha"), f.file(index.url, "beta", digest=wrong),
                      f.file(index.url, "gamma"), package("alpha", "1.0"))
        done = f.doctor(path, index.simple, cache=cache)
        rig.equal(done.status, 0, f"it looks well from outside {done}")
        done = f.doctor(path, index.simple, "--deep", cache=cache)
        rig.equal((done.status, done.out.count("sha256 as recorded"), len(lines(done, "FAIL"))), (1, 2, 1),
                  f"a file with other bytes {done}")
        rig.check(f.sum["beta"] in done.out and wrong in done.out, "found and expected", done)
        blobs = {p.name: p for p in cache.glob("blobs/*/*")}
        rig.equal(set(blobs), {f.sum["alpha"], f.sum["gamma"]}, "only good files are kept")
        blobs[f.sum["alpha"]].write_bytes(b"x" * f.size["alpha"])
        good = f.lock(f.file(index.url, "alpha"), f.file(index.url, "gamma"))
        done = f.doctor(good, index.simple, "--deep", cache=cache)
        rig.equal((done.status, sha256(blobs[f.sum["alpha"]])), (0, f.sum["alpha"]),
                  f"a cached file that rotted is fetched again {done}")


def check_cache(f):
    """cache info and clean, on what doctor and create left."""
    rig, cache = f.rig, f.fresh("kept")

    def run(*arguments):
        return rig.gpkg("cache", *arguments, "--cache", cache)

    with rig.index(f.folder) as index:
        path = f.lock(*(f.file(index.url, n) for n in f.paths))
        f.doctor(path, index.simple, "--deep", cache=cache)
    info = run("info", "--json").json()
    rig.equal((info["files"], info["file_bytes"], info["partials"], info["cache"]),
              (4, sum(f.size.values()), 0, str(cache)), "info")
    rig.check(abs(info["newest"] - time.time()) < 60, "the newest is new", info)
    old = cache / "blobs" / f.sum["alpha"][:2] / f.sum["alpha"]
    os.utime(old, (time.time() - 7200,) * 2)
    partial = cache / "partial" / f.sum["beta"]
    partial.write_bytes(b"begun")
    os.utime(partial, (time.time() - 7200,) * 2)
    rig.check("files     4, " in run("info").out, "info for people")
    rig.equal(run("clean", "--older-than", "3h", "--json").json()["removed"]["files"], 0, "none so old")
    with partial.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        removed = run("clean", "--older-than", "1h", "--json").json()["removed"]
        rig.equal((removed["files"], removed["partials"], old.exists(), partial.exists()),
                  (1, 0, False, True), "by age; what is being written stays")
    rig.equal(run("clean", "--older-than", "1h", "--json").json()["removed"]["partials"], 1, "then it goes")
    done = run("clean")
    rig.check(done.status == 0 and "left    3 files" in done.out, "clean alone keeps what is in use", done)
    rig.equal(run("clean", "--all", "--json").json()["files"], 0, "all")
    for bad in (["clean", "--older-than", "5x"], ["clean", "--older-than", "h"], ["clean", "--older-than", ""],
                ["clean", "--older-than", "-1h"], ["clean", "--older-than", "99999999999999999999d"],
                ["clean", "--older-than", "1h", "--all"], ["info", "--all"], ["purge"], []):
        done = run(*bad, "--json")
        rig.equal(done.status, 2, f"cache {bad}: {done}")


def main():
    rig = Rig(sys.argv)
    with rig:
        field = Field(rig)
        for part in (check_well, check_ill, check_local, check_offline, check_deep, check_cache):
            with steps(part.__name__):
                part(field)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
