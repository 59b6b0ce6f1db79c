#!/usr/bin/env python3
"""create when it is killed, when the cache rots, when the index misbehaves and when the disk does.

    create_faults.py BIN_DIR [--quick | --full] [PART]...    a quarter, or four times, of the kills
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

import make_wheels
from rig import Rig, lock, package, sha256, steps, target

SPECS = [
    "alpha 1.0 size=150000", "beta 1.0 size=250000", "gamma 1.0 size=90000", "delta 1.0",
    "omega 1.0 size=30000000"
]
SDIST = "eps 1.0 kind=sdist size=60000"
SMALL = ("alpha", "beta", "gamma", "delta", "eps")


class Field:

    def __init__(self, rig):
        self.rig = rig
        self.folder = rig.folder("packages")
        self.files = {}
        for spec in [*SPECS, SDIST]:
            path = make_wheels.make(str(self.folder), spec)
            self.files[spec.split()[0]] = os.path.basename(path)
        self.digest = {n: sha256(self.folder / f) for n, f in self.files.items()}
        self.size = {n: (self.folder / f).stat().st_size for n, f in self.files.items()}
        self.key = rig.key()
        self.small = lock(rig.scratch / "small.toml", target("t"),
                          *(package(n, "1.0") for n in SMALL))
        self.big = lock(rig.scratch / "big.toml", target("t"), package("omega", "1.0"),
                        package("alpha", "1.0"))
        self.count = 0
        # The address of a file stands in the manifest: all servers of this script use one port.
        with rig.index(self.folder) as index:
            self.url = index.url
            self.reference = self.must_make(index, self.small, "reference")
            self.big_reference = self.must_make(index, self.big, "big-reference")

    def index(self, *options):
        return self.rig.index(self.folder, "--port", str(urllib.parse.urlsplit(self.url).port),
                              *options)

    def fresh(self, name):
        self.count += 1
        return self.rig.folder(f"{name}-{self.count}")

    def create(self, lock_file, output, cache, *options, **more):
        return self.rig.create(lock_file, output, "--serial", "7", *options,
                               index=self.url + "/simple/", key=self.key, cache=cache, **more)

    def must_make(self, index, lock_file, name):
        output = self.rig.scratch / f"{name}.tar.zst"
        done = self.create(lock_file, output, self.rig.scratch / f"cache-{name}")
        if done.status:
            raise RuntimeError(done)
        self.rig.check(index.requests(), "the index was asked")
        return sha256(output)

    def start(self, lock_file, output, cache):
        return self.rig.start([
            self.rig.bin / "gpkg-bundle", "create", lock_file, "-o", output, "--key", self.key,
            "--cache", cache, "--serial", "7", "--quiet"
        ], env={"PIP_INDEX_URL": self.url + "/simple/"}, stdout=subprocess.DEVNULL)


def fetched(requests):
    """file name -> the requests for its bytes"""
    found = {}
    for r in requests:
        path = urllib.parse.unquote(r["path"])
        if path.startswith("/files/") and not path.endswith(".metadata") and r["method"] == "GET":
            found.setdefault(path[len("/files/"):], []).append(r)
    return found


def whole_fetches(requests):
    """The same without the looks into a wheel's directory, for METADATA."""
    return {
        f: [r for r in rs if r["range"] is None or re.fullmatch(r"bytes=\d+-", r["range"])]
        for f, rs in fetched(requests).items()
    }


def kept(cache):
    """(digests of complete files, {digest: bytes} of the begun ones)"""
    blobs = {p.name for p in cache.glob("blobs/*/*")}
    return blobs, {p.name: p.stat().st_size for p in cache.glob("partial/*")}


def names_in(folder):
    return sorted(p.name for p in folder.iterdir())


# ---- kills ----


def check_kills_while_fetching(field, factor):
    rig, rng = field.rig, random.Random(11)
    begun_somewhere = whole_somewhere = 0
    with field.index("--metadata", "--fault", "slow=400000:/files/"):
        began = time.monotonic()
        place = field.fresh("slow")
        rig.check(
            field.create(field.small, place / "x", place / "cache").status == 0,
            "a slow index is none the worse")
        length = time.monotonic() - began
    for i in range(max(5, int(20 * factor))):
        place, cache = field.fresh("kill"), field.fresh("kill-cache")
        with field.index("--metadata", "--fault", "slow=400000:/files/"):
            child = field.start(field.small, place / "out.tar.zst", cache)
            moment = rng.uniform(0.02, length)
            time.sleep(moment)
            child.send_signal(signal.SIGKILL)
            child.wait()
        what = f"killed after {moment:.2f} s"
        rig.check(
            names_in(place) in ([], ["out.tar.zst"]), f"{what}: no stray file beside the output",
            names_in(place))
        whole, begun = kept(cache)
        begun = {d: n for d, n in begun.items() if n}
        whole_somewhere += bool(whole)
        begun_somewhere += bool(begun)
        with field.index("--metadata") as index:
            done = field.create(field.small, place / "out.tar.zst", cache)
            asked = whole_fetches(index.requests())
        if not rig.check(done.status == 0, f"{what}: the next run completes", done):
            continue
        rig.equal(sha256(place / "out.tar.zst"), field.reference,
                  f"{what}: and gives the same bundle")
        for name in SMALL:
            requests = asked.get(field.files[name], [])
            digest = field.digest[name]
            if digest in whole:
                rig.equal(requests, [], f"{what}: {name} was there and is not fetched again")
            elif digest in begun:
                rig.check(
                    len(requests) == (begun[digest] < field.size[name])
                    and all(r["range"] == f"bytes={begun[digest]}-" for r in requests),
                    f"{what}: {name} goes on at byte {begun[digest]}", requests)
            else:
                rig.equal(len(requests), 1, f"{what}: {name} is fetched once")
        rig.equal(kept(cache)[1], {}, f"{what}: nothing begun is left in the cache")
        rig.equal(names_in(place), ["out.tar.zst"], f"{what}: nothing is left beside the bundle")
        shutil.rmtree(cache)
    rig.check(begun_somewhere and whole_somewhere, "kills fell into the download",
              f"{begun_somewhere} with begun, {whole_somewhere} with complete files")


def check_kills_while_packing(field, factor):
    rig, rng = field.rig, random.Random(12)
    cache = rig.scratch / "cache-big-reference"
    absent = 0
    with field.index():
        began = time.monotonic()
        place = field.fresh("pack")
        rig.check(field.create(field.big, place / "x", cache).status == 0, "a warm cache")
        length = time.monotonic() - began
        for i in range(max(5, int(20 * factor))):
            place = field.fresh("pack")
            child = field.start(field.big, place / "out.tar.zst", cache)
            time.sleep(rng.uniform(0.005, length))
            child.send_signal(signal.SIGKILL)
            child.wait()
            names = names_in(place)
            absent += not names
            rig.check(names in ([], ["out.tar.zst"]), "killed while packing: no stray file", names)
            if names:
                rig.equal(sha256(place / "out.tar.zst"), field.big_reference,
                          "killed at the very end: the bundle is whole")
            # An older file of that name is the old one or the new one, never half of it.
            (place / "out.tar.zst").write_bytes(b"old")
            child = field.start(field.big, place / "out.tar.zst", cache)
            time.sleep(rng.uniform(0.005, length))
            child.send_signal(signal.SIGKILL)
            child.wait()
            content = (place / "out.tar.zst").read_bytes()
            rig.check(content == b"old" or sha256(place / "out.tar.zst") == field.big_reference,
                      "killed while replacing: the old file or the new one",
                      f"{len(content)} bytes")
            shutil.rmtree(place)
    rig.check(absent, "kills fell into the packing")


def check_two_at_once(field, _):
    """Two runs share a cache: both finish, and no file is fetched twice."""
    rig, place, cache = field.rig, field.fresh("two"), field.fresh("two-cache")
    with field.index("--metadata", "--fault", "slow=800000:/files/") as index:
        children = [field.start(field.small, place / f"{i}.tar.zst", cache) for i in range(2)]
        rig.equal([c.wait() for c in children], [0, 0], "two runs at once")
        asked = whole_fetches(index.requests())
    rig.equal({f: len(r)
               for f, r in asked.items()}, {f: 1
                                            for n, f in field.files.items() if n in SMALL},
              "no file is fetched twice")
    rig.equal([sha256(place / f"{i}.tar.zst") for i in range(2)], [field.reference] * 2,
              "and both bundles are the same")


# ---- a cache that rots ----


def spoil_byte(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


def spoil_end(path):
    os.truncate(path, path.stat().st_size - 1)


def spoil_length(path):
    with open(path, "ab") as f:
        f.write(b"x")


def spoil_all(path):
    path.write_bytes(b"")


def spoil_link(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def spoil_gone(path):
    path.unlink()


SPOILERS = (spoil_byte, spoil_end, spoil_length, spoil_all, spoil_link, spoil_gone)


def check_rotten_cache(field, _):
    rig = field.rig
    for spoil in SPOILERS:
        for name in ("beta", "eps", "delta"):
            what = f"{spoil.__name__} of {field.files[name]} in the cache"
            place, cache = field.fresh("rot"), field.fresh("rot-cache")
            shutil.copytree(rig.scratch / "cache-reference", cache, dirs_exist_ok=True)
            digest = field.digest[name]
            spoil(cache / "blobs" / digest[:2] / digest)
            with field.index() as index:
                done = field.create(field.small, place / "out.tar.zst", cache)
                asked = whole_fetches(index.requests())
            if rig.check(done.status == 0, f"{what}: create goes on", done):
                rig.equal(sha256(place / "out.tar.zst"), field.reference,
                          f"{what}: the same bundle")
                rig.equal({f: len(r)
                           for f, r in asked.items() if r}, {field.files[name]: 1},
                          f"{what}: fetched once more")
                rig.equal(sha256(cache / "blobs" / digest[:2] / digest), digest,
                          f"{what}: the cache is mended")
            rig.equal([n for n in names_in(place) if n != "out.tar.zst"], [],
                      f"{what}: nothing else is left")
            shutil.rmtree(cache)


def check_rotten_database(field, _):
    rig = field.rig
    for what, content in (("text", b"hello"), ("nothing", b""), ("noise",
                                                                 random.Random(1).randbytes(20000)),
                          ("SQLite's head and noise",
                           b"SQLite format 3\0" + random.Random(2).randbytes(20000))):
        place, cache = field.fresh("db"), field.fresh("db-cache")
        shutil.copytree(rig.scratch / "cache-reference", cache, dirs_exist_ok=True)
        (cache / "cache.sqlite").write_bytes(content)
        with field.index() as index:
            done = field.create(field.small, place / "out.tar.zst", cache)
            asked = whole_fetches(index.requests())
        rig.check(done.status == 0 and sha256(place / "out.tar.zst") == field.reference,
                  f"{what} in place of the cache's database: the same bundle", done)
        rig.equal([f for f, r in asked.items() if r], [],
                  f"{what} in place of the cache's database: files are kept")


# ---- an index that misbehaves ----

FILE = "/files/alpha"
FAULTS = [  # options of the server | exit status, reason | what the message says
    (["--fault", "404:/simple/alpha"], 1, "hole", ["alpha", "has no alpha"]),
    (["--fault", "404:/files/beta-1.0-py3-none-any.whl"], 3, "index", [
        "/files/beta-1.0-py3-none-any.whl", "404"
    ]),
    (["--fault", "500:/simple/alpha"], 3, "index", ["/simple/alpha/", "500"]),
    (["--fault", "500=1:/simple/alpha"], 0, None, []),
    (["--fault", "500=1:/files/"], 0, None, []),
    (["--fault", f"status=503:{FILE}"], 3, "index", [FILE, "503"]),
    (["--fault", f"status=401:{FILE}"], 3, "index", [FILE, "401", "netrc"]),
    (["--fault", "status=403:/simple/alpha"], 3, "index", ["/simple/alpha/", "403"]),
    (["--fault", "status=418:/simple/alpha"], 3, "index", ["/simple/alpha/", "418"]),
    (["--fault",
      "html-error:/simple/alpha"], 3, "index", ["/simple/alpha/", "Please sign in", "proxy"]),
    (["--fault", f"html-error:{FILE}"], 3, "index", [FILE, "HTML"]),
    (["--fault", f"html-error:{FILE}",
      "--metadata"], 1, "hash-mismatch", [f"{FILE}-1.0-py3-none-any.whl.metadata"]),
    (["--fault", "html-error:/files/eps"], 1, "hash-mismatch", ["/files/eps-1.0.tar.gz", "HTML"]),
    (["--fault", "wrong-hash:alpha"], 1, "hash-mismatch", [FILE, "sha256"]),
    (["--fault", "half-file:/files/beta"], 3, "network", ["/files/beta"]),
    (["--fault", "half-file=1:/files/beta"], 0, None, []),
    (["--fault", "half-file=1:/files/beta", "--no-ranges"], 0, None, []),
    (["--fault", "half-file=1:/files/beta", "--fault", "bad-range:/files/beta"], {0, 1,
                                                                                  3}, None, []),
    (["--fault", "retry-after=1:/simple/alpha"], 0, None, []),
    (["--fault", "retry-after=1:/files/beta"], 0, None, []),
    (["--no-ranges"], 0, None, []),
    (["--no-suffix"], 0, None, []),
    (["--metadata"], 0, None, []),
    (["--fault", "404:.metadata", "--metadata"], {0, 3}, None, []),
    (["--format", "html"], 0, None, []),
    (["--fault", "gzip"], 0, None, []),
    (["--fault", "old-api:/simple/alpha"], 3, "index", ["/simple/alpha/", "2.0"]),
    (["--fault", "loop:/simple/alpha"], 3, "index", ["/simple/alpha/", "redirect"]),
    (["--fault", f"loop:{FILE}"], 3, "index", [FILE, "redirect"]),
    (["--fault", "bomb:/simple/alpha"], 3, "index", ["/simple/alpha/"]),
    (["--fault", "s3-403:/simple/alpha"], {1, 3}, None, ["alpha"]),
    (["--fault", "hang:/simple/alpha"], 3, "network", ["127.0.0.1"]),
    (["--fault", f"hang:{FILE}"], 3, "network", ["127.0.0.1"]),
    (["--no-hashes"], 1, "hash-mismatch", ["sha256", "--trust-first-use"]),
    (["--content-type", "text/plain"], 3, "index", ["/simple/"]),
    (["--auth", "me:secret"], 3, "index", ["401"]),
]


def check_one_fault(field, options, status, reason, words):
    rig, what = field.rig, "index with " + " ".join(options)
    place, cache = field.fresh("fault"), field.fresh("fault-cache")
    with field.index(*options):
        done = field.create(field.small, place / "out.tar.zst", cache, "--json",
                            env={"PIP_DEFAULT_TIMEOUT": "1", "PIP_RETRIES": "2"}, timeout=60)
    wanted = status if isinstance(status, set) else {status}
    if not rig.check(done.status in wanted, f"{what}: exit status {status}", done):
        return
    if done.status == 0:
        rig.equal(sha256(place / "out.tar.zst"), field.reference, f"{what}: the same bundle")
        return
    if reason:
        rig.equal(done.reason(), reason, f"{what}: reason")
    rig.equal(names_in(place), [], f"{what}: nothing is left")
    text = done.out + done.err
    rig.check(all(w in text for w in words), f"{what}: the message names {words}", done)
    said = done.json()["error"]
    rig.check(done.status == 1 and done.reason() == "hole" or said["hint"],
              f"{what}: a remedy is said", done)
    rig.check("secret" not in text, f"{what}: no password in the message", text)
    wrong = [p.name for p in cache.glob("blobs/*/*") if sha256(p) != p.name]
    rig.equal(wrong, [], f"{what}: nothing wrong is in the cache")
    with field.index():
        done = field.create(field.small, place / "out.tar.zst", cache)
    rig.check(done.status == 0 and sha256(place / "out.tar.zst") == field.reference,
              f"{what}: the next run, with a well index, completes", done)


def check_index_faults(field, _):
    for row in FAULTS:
        check_one_fault(field, *row)
    place = field.fresh("gone")
    done = field.create(field.small, place / "out", place / "cache", "--json",
                        env={"PIP_RETRIES": "1"})
    field.rig.check(done.status == 3 and done.reason() == "network" and "127.0.0.1" in done.all,
                    "no index at all", done)
    field.rig.equal([n for n in names_in(place) if n != "cache"], [],
                    "no index at all: nothing is left")


# ---- the disk, the key ----


def in_mount(field, folder, options, *command, **more):
    """Runs a command where `folder` is a tmpfs: (result, names that it left there), or None."""
    rig = field.rig
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    script = ('mount -t tmpfs -o "$1" none "$2" || exit 99; d=$2 l=$3; shift 3; "$@"; s=$?; '
              'find "$d" -type f >"$l"; exit $s')
    listing = rig.scratch / "listing"
    done = rig.run(*unshare, "sh", "-c", script, "sh", options, folder, listing, *command, **more)
    if done.status == 99 or "unshare" in done.err[:20]:
        return None
    return done, [line.rsplit("/", 1)[1] for line in listing.read_text().splitlines()]


def check_disk(field, _):
    rig, place = field.rig, field.fresh("disk")
    env = {"PIP_INDEX_URL": field.url + "/simple/"}

    def command(lock_file, output, cache):
        return [
            rig.bin / "gpkg-bundle", "create", lock_file, "-o", output, "--key", field.key,
            "--cache", cache, "--json"
        ]

    warm = rig.scratch / "cache-big-reference"
    cases = [
        ("a full disk for the bundle", "size=1m", command(field.big, place / "out.tar.zst",
                                                          warm), "no-space", 0),
        ("a full disk for the cache", "size=1m",
         command(field.big, rig.scratch / "never", place / "cache"), "no-space", None),
        ("a read-only folder for the bundle", "ro", command(field.big, place / "out.tar.zst",
                                                            warm), {"permission", "io"}, 0),
        ("a read-only folder for the cache", "ro",
         command(field.big, rig.scratch / "never", place / "cache"), {"permission", "io"}, 0),
    ]
    with field.index():
        for what, options, words, reason, left in cases:
            answer = in_mount(field, place, options, *words, env=env)
            if answer is None:
                rig.skip("no mount name space on this machine")
                return
            done, names = answer
            reasons = reason if isinstance(reason, set) else {reason}
            rig.check(done.status == 3 and done.reason() in reasons, f"{what}: exit 3, {reason}",
                      done)
            rig.check(str(place) in done.all, f"{what}: the message names the place", done)
            rig.check(done.json()["error"]["hint"], f"{what}: a remedy is said", done)
            rig.check(not (rig.scratch / "never").exists(), f"{what}: no bundle")
            if left is not None:
                rig.equal(names, [], f"{what}: nothing is left there")


def check_places(field, _):
    rig, place = field.rig, field.fresh("places")
    (place / "file").write_text("x")
    (place / "folder").mkdir()
    out, cache = place / "out.tar.zst", rig.scratch / "cache-reference"
    (place / "short.key").write_text("untrusted comment: x\nAAAA\n")
    for name in ("short.key", "file"):
        (place / name).chmod(0o600)
    rig.run(rig.bin / "gpkg-bundle", "keygen", "-o", place / "locked", stdin=b"secret\nsecret\n")
    rows = [  # output | key | cache | lock | exit statuses | what the message names
        (place / "file/x", field.key, cache, field.small, {2, 3}, str(place / "file")),
        (place / "missing/x", field.key, cache, field.small, {2, 3}, str(place / "missing")),
        (place / "folder", field.key, cache, field.small, {2, 3}, str(place / "folder")),
        (out, place / "nothing", cache, field.small, {1, 2, 3}, "gpkg-bundle keygen"),
        (out, place / "short.key", cache, field.small, {1, 2}, "short.key"),
        (out, place / "file", cache, field.small, {1, 2}, str(place / "file")),
        (out, place / "folder", cache, field.small, {1, 2, 3}, str(place / "folder")),
        (out, f"{field.key}.pub", cache, field.small, {1, 2, 3}, ".pub"),
        (out, place / "locked.key", cache, field.small, {1, 2, 3}, "password"),
        (out, field.key, place / "file", field.small, {3}, str(place / "file")),
        (out, field.key, place / "file/cache", field.small, {3}, str(place / "file")),
        (out, field.key, "/proc/cache", field.small, {3}, "/proc/cache"),
    ]
    with field.index() as index:
        for output, key, cache, lock_file, statuses, words in rows:
            done = rig.create(lock_file, output, "--json", index=field.url + "/simple/", key=key,
                              cache=cache)
            what = f"-o {output} --key {key} --cache {cache}"
            rig.check(done.status in statuses and words in done.all,
                      f"{what}: exit {statuses}, names {words}", done)
            rig.check(
                isinstance(done.reason(), str) and "no JSON" not in done.reason(),
                f"{what}: valid JSON", done)
            rig.check(not out.exists(), f"{what}: no bundle")
        asked = whole_fetches(index.requests())
        rig.equal([f for f, r in asked.items() if r], [],
                  "what cannot be written or signed is seen before the first download")
    rig.equal(names_in(place), ["file", "folder", "locked.key", "locked.pub", "short.key"],
              "nothing is left")


def main():
    rig = Rig(sys.argv)
    factor = 0.25 if "--quick" in rig.options else 4 if "--full" in rig.options else 1
    with rig:
        field = Field(rig)
        parts = (check_kills_while_fetching, check_kills_while_packing, check_two_at_once,
                 check_rotten_cache, check_rotten_database, check_index_faults, check_disk,
                 check_places)
        named = [o for o in rig.options if not o.startswith("--")]
        for part in (p for p in parts if not named or p.__name__ in named):
            with steps(part.__name__):
                part(field, factor)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
