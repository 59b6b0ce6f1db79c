#!/usr/bin/env python3
"""Same lock, files, key, serial and time: the same bundle, byte for byte, whatever is around it.

    determinism.py BIN_DIR
"""

import json
import os
import sys
import urllib.parse

import sample
from rig import Rig, lock, sha256, steps


def find_locale(rig, name):
    """The environment with that locale: the machine's own or one made here, or None."""
    language, _, charset = name.partition(".")
    known = rig.run("locale", "-a").out.lower().replace("-", "").split()
    if not charset or name.lower().replace("-", "") in known:
        return {"LC_ALL": name, "LANG": name}
    place = rig.folder("locales")
    if rig.tool("localedef") and rig.run("localedef", "-i", language, "-f", charset,
                                         place / name).status == 0:
        return {"LC_ALL": name, "LANG": name, "LOCPATH": str(place)}
    return None


def surroundings(rig):
    """(what differs, more environment, more arguments of run)"""
    elsewhere = rig.folder("else where/with a blank")
    yield "umask 077", {}, {"umask": 0o077}
    yield "umask 000", {}, {"umask": 0o000}
    for name in ("C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8"):
        env = find_locale(rig, name)
        if env:
            yield f"LC_ALL={name}", env, {}
        else:
            rig.skip(f"no locale {name} on this machine")
    yield "TZ=Asia/Tokyo", {"TZ": "Asia/Tokyo"}, {}
    yield "TZ=XYZ+11", {"TZ": "XYZ+11"}, {}
    yield "another working directory and HOME", {"HOME": str(elsewhere)}, {"cwd": elsewhere}
    yield "no HOME", {"HOME": None}, {}
    yield "another user name and terminal", {
        "USER": "somebody", "LOGNAME": "somebody", "TERM": "xterm", "COLUMNS": "20", "NO_COLOR": "1"
    }, {}
    yield "a small stack and few open files", {}, {"preexec_fn": little}


def little():
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))


class Maker:
    """Makes the sample's bundle again and again; the digest of each is the answer."""

    def __init__(self, rig, lock_file, key, index):
        self.rig, self.lock, self.key, self.index, self.count = rig, lock_file, key, index, 0

    def __call__(self, *options, cache="warm", serial=7, lock_file=None, **more):
        rig = self.rig
        self.count += 1
        output = rig.scratch / f"{self.count}.tar.zst"
        command = more.pop("before", [])
        env = {"PIP_INDEX_URL": self.index, **more.pop("env", {})}
        done = rig.run(*command, rig.bin / "gpkg-bundle", "create", lock_file or self.lock, "-o",
                       output, "--key", self.key, "--cache", rig.scratch / "caches" / cache,
                       "--serial", serial, *options, env=env, **more)
        if not rig.check(done.status == 0, f"create {options} {more}", done):
            return None
        digest = sha256(output)
        self.last = output
        output.chmod(0o644)
        return digest


def check_same(rig, make, want):
    for what, env, more in surroundings(rig):
        rig.equal(make(env=env, **more), want, f"the same bundle with {what}")
    rig.equal(make(cache="other"), want, "the same bundle out of a cold cache")
    rig.equal(make(cache="other"), want, "the same bundle out of a warm cache")
    for jobs in (1, 3):
        rig.equal(make("--jobs", jobs, cache=f"jobs{jobs}"), want,
                  f"the same bundle with {jobs} downloads at once")
    if rig.tool("taskset"):
        core = str(min(os.sched_getaffinity(0)))
        rig.equal(make(before=["taskset", "-c", core], cache="core"), want,
                  "the same bundle on one core")
    rig.equal(make("--quiet"), want, "the same bundle in silence")
    copy = rig.scratch / "copy of the lock.toml"
    copy.write_bytes(make.lock.read_bytes())
    rig.equal(make(lock_file=copy), want, "the same bundle from a lock of another name")


def check_other_index(rig, make, want, folder):
    """Other answers about the same files: HTML or JSON, with METADATA beside or without. The
    address is the same, since it stands in the manifest."""
    port = urllib.parse.urlsplit(make.index).port
    for options in (["--format",
                     "html"], ["--format", "json",
                               "--metadata"], ["--no-ranges"], ["--etag", "--no-suffix"]):
        with rig.index(folder, "--port", str(port), *options):
            rig.equal(make(cache="-".join(options)), want,
                      f"the same bundle from an index with {' '.join(options)}")


def check_different(rig, make, want):
    rig.check(make(serial=8) not in (want, None), "another serial gives another bundle")
    rig.check(
        make("--channel", "other") not in (want, None), "another channel gives another bundle")
    rig.check(
        make(env={"SOURCE_DATE_EPOCH": "1700000001"}) not in (want, None),
        "another time gives another bundle")
    rig.check(make("--target", "host") not in (want, None), "fewer targets give another bundle")
    stranger, own = rig.key("stranger"), make.key
    make.key = stranger
    rig.check(make() not in (want, None), "another key gives another bundle")
    make.key = own
    changed = rig.scratch / "changed.toml"
    changed.write_text(make.lock.read_text() + "# a remark\n")
    rig.check(make(lock_file=changed) not in (want, None), "another lock gives another bundle")
    rig.equal(make(), want, "and the first one comes back")


def check_defaults(rig, make):
    """Without --serial and -o: both come from SOURCE_DATE_EPOCH and the lock's name."""
    place = rig.folder("defaults")
    env = {"PIP_INDEX_URL": make.index}
    done = rig.gpkg("create", make.lock, "--key", make.key, "--cache", rig.scratch / "caches/warm",
                    "--json", env=env, cwd=place)
    rig.check(done.status == 0, "create without -o", done)
    rig.equal(sorted(p.name for p in place.iterdir()), ["demo-1700000000.tar.zst"],
              "its file's name")
    rig.equal(json.loads(done.out)["serial"], 1700000000, "its serial")
    nameless = rig.scratch / "nameless.toml"
    nameless.write_text(make.lock.read_text().replace('name = "demo"\n', "", 1))
    done = rig.gpkg("create", nameless, "--key", make.key, "--cache", rig.scratch / "caches/warm",
                    env=env, cwd=place)
    rig.check(done.status == 0 and (place / "default-1700000000.tar.zst").exists(),
              "the channel of a nameless lock", done)
    for epoch in ("", "-1", "1.5", "soon", "99999999999999999999999"):
        done = rig.gpkg("create", make.lock, "--key", make.key, "--cache",
                        rig.scratch / "caches/warm", cwd=place,
                        env={**env, "SOURCE_DATE_EPOCH": epoch})
        rig.check(done.status == 2 and "SOURCE_DATE_EPOCH" in done.err,
                  f"SOURCE_DATE_EPOCH={epoch!r} is refused", done)


def check_order(rig, make):
    """Rows in another order: another lock, yet the same files in the same order."""
    folder = rig.folder("packages")
    texts = []
    for rows in (sample.ROWS, sample.ROWS[::-1]):
        with rig.index(folder) as index:
            make.index = index.simple
            make(lock_file=lock(rig.scratch / f"order{len(texts)}.toml", *sample.TARGETS, *rows),
                 cache=f"order{len(texts)}")
        shown = rig.gpkg("inspect", make.last, "--pub", f"{make.key}.pub")
        texts.append(shown.out[shown.out.index("\n\n"):])
    rig.equal(texts[0], texts[1], "the order of rows does not show in the plan")


def main():
    rig = Rig(sys.argv)
    with rig:
        folder = rig.folder("packages")
        sample.make_files(folder)
        lock_file = sample.make_lock(rig.scratch / "lock.toml")
        with rig.index(folder, "--metadata") as index:
            make = Maker(rig, lock_file, rig.key(), index.simple)
            want = make()
            with steps("the same"):
                check_same(rig, make, want)
            with steps("different"):
                check_different(rig, make, want)
            with steps("defaults"):
                check_defaults(rig, make)
        with steps("index"):
            check_other_index(rig, make, want, folder)
        with steps("order"):
            check_order(rig, make)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
