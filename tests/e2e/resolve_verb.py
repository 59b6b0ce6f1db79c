#!/usr/bin/env python3
"""`resolve`: the plan in words and as JSON, why a file was left, and the lock that it writes, of which `create` makes
the bundle that it makes of the lock which was resolved.

    resolve_verb.py BIN_DIR
"""

import difflib
import os
import sys

import make_wheels
import sample
from rig import PYTHON, Rig, difference, lock, package, sha256, steps, target, tree

HOST = target("host", rest='glibc = "2.28"\n' + sample.GPU)
# A build environment with another version of a project that is there at run time too.
TWO_VERSIONS = [
    "env 0.5 kind=sdist requires-build=tinybuild>=1 backend=tinybuild.api",
    "tinybuild 0.9",
]
# What must be compiled for a GPU, and the wheels of a toolkit; one of them is installed, too.
COMPILED = [
    "cuext 1.0 kind=sdist requires-build=tinybuild>=1 backend=tinybuild.api file=cuext/k.cu=x requires=cudart",
    "nvcc 13.0 requires=cudart>=13",
    "cudart 13.0",
]
# A conflict that takes more than one step to prove.
CONFLICT = [
    "left 1.0 requires=mid<2", "left 2.0 requires=other", "other 1.0 requires=mid<2",
    "right 1.0 requires=mid>=2", "mid 1.0", "mid 2.0"
]
TOOLKIT = """[toolkit]
from = "wheels"
packages = ["nvcc", "cudart"]
[recipe.cuext]
requires = ["tinybuild<2"]
env = { ARCHS = "${sm_list}" }
device-code = true
reason = "a test"
"""


class Field:
    """The sample's index on loopback, a key, and one cache for all."""

    def __init__(self, rig):
        self.rig = rig
        self.folder = rig.folder("packages")
        self.files = sample.make_files(self.folder)
        for spec in TWO_VERSIONS + COMPILED + CONFLICT:
            make_wheels.make(str(self.folder), spec)
        self.lock = sample.make_lock(rig.scratch / "lock.toml")
        self.key = rig.key()
        self.cache = rig.scratch / "cache"
        self.count = 0

    def fresh(self, ending):
        self.count += 1
        return self.rig.scratch / f"{self.count}{ending}"

    def resolve(self, lock_file, *options, index, cache=None, env=None, **more):
        return self.rig.gpkg("resolve", lock_file, "--cache", cache or self.cache, *options,
                             env={"PIP_INDEX_URL": index, **(env or {})}, **more)

    def bundle(self, what, lock_file, *options, index):
        """The sha256 of the bundle that create makes, or None."""
        output = self.fresh(".tar.zst")
        done = self.rig.create(lock_file, output, "--serial", "7", *options, index=index, key=self.key,
                               cache=self.cache)
        return sha256(output) if self.rig.check(done.status == 0, f"create of {what}", done) else None

    def freeze(self, what, lock_file, *options, index, **more):
        """The lock that resolve writes, or None."""
        frozen = self.fresh(".toml")
        done = self.resolve(lock_file, "--write-lock", frozen, *options, index=index, **more)
        return frozen if self.rig.check(done.status == 0, f"resolve --write-lock of {what}", done) else None

    def same(self, what, lock_file, *options, index, create=()):
        """Freezes a lock and compares the bundles; `options` are resolve's, `create` those for LOCK alone."""
        frozen = self.freeze(what, lock_file, *options, index=index)
        if frozen:
            want = self.bundle(what, lock_file, *options, *create, index=index)
            have = self.bundle(f"{what}, frozen", frozen, index=index)
            self.rig.equal(have, want, f"{what}: the frozen lock gives the same bundle")
            again = self.freeze(f"{what}, frozen", frozen, index=index)
            if again:
                changes = list(difflib.unified_diff(*(p.read_text().splitlines() for p in (frozen, again))))
                self.rig.equal(changes, [], f"{what}: frozen again, the same lock")
        return frozen


def fetched(index):
    """Wheels that were asked for as a whole."""
    return [
        r["path"] for r in index.requests() if r["method"] == "GET" and not r.get("range") and
        r["path"].endswith(".whl")
    ]


def check_plan(field, index):
    rig = field.rig
    beside = ("cache", index.log.name)
    before = tree(rig.scratch, skip=beside)
    done = field.resolve(field.lock, "--json", index=index.simple)
    if not rig.check(done.status == 0 and done.json()["ok"], "resolve of the sample", done):
        return
    plan = done.json()
    rig.equal([t["name"] for t in plan["targets"]], list(sample.PLANS), "targets, in the lock's order")
    for t in plan["targets"]:
        rig.equal({f["file"]: "/".join(f["use"]) for f in t["files"]}, sample.PLANS[t["name"]],
                  f"files of {t['name']}")
        rig.equal(t["given"], [], f"{t['name']} has nothing already")
        for f in t["files"]:
            path = field.files[f["file"]]
            rig.equal((f["sha256"], f["size"], f["kind"]),
                      (sha256(path), os.path.getsize(path),
                       "sdist" if path.endswith(".tar.gz") else "wheel"), f"facts of {f['file']}")
            rig.check(f["url"].startswith(index.url + "/files/") and f["requested"],
                      f"{f['file']}: its URL, and that the lock asks for it", f)
    by_name = {f["name"]: f for f in plan["targets"][0]["files"]}
    rig.equal(by_name["host"]["extras"], ["fast"], "extras")
    rig.equal(by_name["labelled"]["version"], "1.2+cu130", "the version with its local part")
    rig.equal([plan[k] for k in ("holes", "explain")], [[], []], "no holes, and nothing to explain")
    rig.equal(set(plan) - {"ok", "targets", "holes", "notes", "explain"}, set(), "no other members")
    rig.equal(fetched(index), [], "no wheel is fetched")
    rig.equal(difference(before, tree(rig.scratch, skip=beside)), "", "no file is written")


def check_text(field, index):
    rig = field.rig
    done = field.resolve(field.lock, "-t", "host", index=index.simple)
    rig.check(done.status == 0, "resolve in words", done)
    lines = done.out.splitlines()
    rig.check(lines and lines[0].startswith(f"host: Python {PYTHON}, "), "the target comes first", done.out)
    for file, use in sample.PLANS["host"].items():
        line = [text for text in lines if f" {file} " in text + " "]
        what = "(sdist, to build)" if file.endswith(".gz") else "build" if use == "build" else "B"
        rig.check(len(line) == 1 and line[0].endswith(what), f"one line for {file}", done.out)
    rig.check(f"  {len(sample.PLANS['host'])} files, " in done.out, "a sum", done.out)
    rig.check("\nwin: " not in done.out, "and no other target", done.out)
    done = field.resolve(field.lock, "-t", "nobody", index=index.simple)
    rig.check(done.status == 1 and "nobody" in done.err and not done.out, "an unknown target", done)


def check_holes(field, index):
    rig = field.rig
    path = lock(rig.scratch / "holes.toml", HOST, package("pure", "1.0"), package("ghost", "1.0"))
    frozen = rig.scratch / "holes-frozen.toml"
    done = field.resolve(path, "--write-lock", frozen, index=index.simple)
    rig.check(done.status == 1 and "hole host: " in done.err and "ghost" in done.err,
              "a hole: exit status 1, told on standard error", done)
    rig.check("pure-1.0-py3-none-any.whl" in done.out, "the rest of the plan is shown", done)
    rig.check(not frozen.exists(), "and no lock is written")
    done = field.resolve(path, "--json", index=index.simple)
    plan = done.json()
    rig.check(done.status == 1 and not plan["ok"] and done.reason() == "hole", "a hole as JSON", done)
    # pure needs mixed-case, which the lock does not pin: the solver adds it.
    rig.equal([(h["target"], h["project"], h["waived"]) for h in plan["holes"]], [("host", "ghost", "")],
              "the hole as JSON")
    rig.check(any(f["name"] == "pure" for f in plan["targets"][0]["files"]), "with its plan", done)
    conflict = lock(rig.scratch / "conflict.toml", HOST, '[[package]]\nname = "left"\n', package("right", "1.0"))
    proof = field.resolve(conflict, index=index.simple)
    beginnings = ("hole host: ", "    ", "resolving ", "gpkg-bundle resolve: ", "  complete the lock")
    rig.check(proof.status == 1 and "mid" in proof.err and
              all(line.startswith(beginnings) for line in proof.err.splitlines()),
              "a proof, indented where it has several lines", proof)
    text = field.resolve(conflict, "--json", index=index.simple).json()["holes"][0]["text"]
    rig.check("mid" in text and all(line in proof.err for line in text.split("\n")),
              "and as JSON it is one text", text)
    done = field.resolve(path, "--waive", "ghost=not needed there", "--json", index=index.simple)
    rig.check(done.status == 0 and done.json()["holes"][0]["waived"] == "not needed there",
              "a waived hole", done)


def check_explain(field, index):
    rig = field.rig
    done = field.resolve(field.lock, "--explain", "Native", "--json", index=index.simple)
    if not rig.check(done.status == 0, "resolve --explain", done):
        return
    explained = done.json()["explain"]
    rig.equal([(x["package"], x["target"]) for x in explained], [("native", t) for t in sample.PLANS],
              "one explanation for each target")
    files = sorted(f for f in field.files if f.startswith("native-"))
    for x in explained:
        rig.equal(sorted(c["file"] for c in x["candidates"]), files, f"{x['target']}: every candidate")
        chosen = [c["file"] for c in x["candidates"] if c["chosen"]]
        rig.equal(chosen, [f for f in sample.PLANS[x["target"]] if f.startswith("native-")],
                  f"{x['target']}: the chosen one")
        rig.check(all(c["chosen"] or (c["stage"] and c["why"]) or c["stage"] == "newer"
                      for c in x["candidates"]), f"{x['target']}: a reason for each other", x)
    done = field.resolve(field.lock, "--explain", "labelled", "-t", "host", index=index.simple)
    lines = [line.split() for line in done.out.splitlines()]
    rig.check(["chosen", "labelled-1.2+cu130-py3-none-any.whl"] in lines, "the chosen file in words", done)
    rig.check("cuda " in done.out and "labelled-1.2+cu126-py3-none-any.whl" in done.out,
              "and why the other one is not", done)
    rig.equal(" ".join(lines[-1]), "1 chosen, 1 cuda" if lines[1][0] == "chosen" else "1 cuda, 1 chosen",
              "the last line counts")
    rig.equal([line for line in done.out.splitlines() if len(line) > 100 or line != line.rstrip()], [],
              "lines for a page")
    done = field.resolve(field.lock, "--explain", "nobody", "-t", "host", index=index.simple)
    rig.check(done.status == 0 and "nobody" in done.out, "a package that nothing asks for", done)
    done = field.resolve(field.lock, "--explain", "no name", index=index.simple)
    rig.check(done.status == 2 and "--explain" in done.err, "no name of a package", done)


def check_frozen(field, index):
    """The bundle of the sample, with its builds, of each kind of answer that an index gives."""
    rig = field.rig
    frozen = field.same("the sample", field.lock, index=index.simple)
    if not frozen:
        return
    rig.equal(oct(frozen.stat().st_mode & 0o777), "0o644", "its mode")
    once_more = field.freeze("the sample again", field.lock, index=index.simple, cache=rig.scratch / "cold",
                             env={"LC_ALL": "C", "TZ": "Asia/Tokyo"})
    rig.equal(once_more and once_more.read_bytes(), frozen.read_bytes(), "the same lock out of a cold cache")
    one = field.same("one target", field.lock, "-t", "host", index=index.simple)
    rig.check(one and '"win"' not in one.read_text(), "a lock of one target names no other")
    want = field.bundle("the sample", field.lock, index=index.simple)
    rig.equal(field.bundle("a frozen lock without its index", frozen, index="http://127.0.0.1:9/simple/"),
              want, "the index is not asked: the same bundle without it")
    path = lock(rig.scratch / "two.toml", HOST, package("env", "0.5"), package("tinybuild", "0.9"))
    two = field.same("two versions of one project", path, index=index.simple)
    rig.check(two and "tinybuild-0.9-" in two.read_text() and "tinybuild-1.0-" in two.read_text(),
              "the build environment has its own version")
    path = lock(rig.scratch / "toolkit.toml", HOST, package("cuext", "1.0"),
                package("nvcc", "13.0", 'use = "build"\n'), package("cudart", "13.0", 'use = "build"\n'), TOOLKIT)
    field.same("a toolkit of wheels", path, index=index.simple)
    done = field.resolve(path, "--json", index=index.simple)
    rig.equal({f["name"]: f["use"] for f in done.json()["targets"][0]["files"]},
              {"cuext": ["run"], "tinybuild": ["build"], "nvcc": ["toolkit"], "cudart": ["run", "toolkit"]},
              "what each file of it is for")
    path = lock(rig.scratch / "waived.toml", HOST, package("pure", "1.0"), package("ghost", "1.0"),
                package("host", "1.0", 'extras = ["slow"]\n'), '[waive]\nghost = "not needed"\n')
    field.same("a lock with a waived hole", path, index=index.simple)
    wanted = rig.scratch / "wanted.txt"
    wanted.write_text("host[fast]\nsrcpure==0.5\n")
    targets = lock(rig.scratch / "targets.toml", HOST, name="foreign")
    field.same("a requirements file", wanted, "--targets", targets, index=index.simple)
    wanted.write_text("".join(f"{what} --hash=sha256:{sha256(field.files[file])}\n" for what, file in (
        ("pure==1.0", "pure-1.0-py3-none-any.whl"), ("mixed-case==2.0", "Mixed_Case-2.0-py3-none-any.whl"))))
    field.same("a requirements file with hashes", wanted, "--targets", targets, index=index.simple)


def check_other_answers(field, _):
    """Indexes that do not tell sizes, or hashes, that have yanked a file, or ask for a password."""
    rig = field.rig
    rows = [
        (["--format", "html"], []),
        (["--no-hashes", "--format", "html"], ["--trust-first-use"]),
        (["--yanked", "speedy-3.0-py3-none-any.whl=it bites"], []),
        (["--yanked", "speedy-3.0-py3-none-any.whl="], []),
    ]
    for options, more in rows:
        with rig.index(field.folder, "--metadata", *options) as index:
            field.same("an index with " + " ".join(options), field.lock, *more, index=index.simple)
    with rig.index(field.folder, "--auth", "me:secret") as index:
        private = index.simple.replace("://", "://me:secret@")
        frozen = field.same("an index with a password", field.lock, index=private)
        rig.check(frozen and "secret" not in frozen.read_text(), "no password in a lock")
        done = field.resolve(field.lock, "--json", index=private)
        rig.check("secret" not in done.all, "nor in a plan")


def check_later(field, _):
    """What the index gets afterwards changes nothing."""
    rig = field.rig
    folder = rig.folder("growing")
    make_wheels.make(str(folder), "grow 1.0 requires=dep")
    make_wheels.make(str(folder), "dep 1.0")
    path = lock(rig.scratch / "grow.toml", HOST, '[[package]]\nname = "grow"\n')
    with rig.index(folder, "--metadata") as index:
        frozen = field.freeze("an open lock", path, index=index.simple, cache=rig.scratch / "grow-1")
        want = field.bundle("an open lock", path, index=index.simple)
        make_wheels.make(str(folder), "grow 2.0 requires=dep")
        make_wheels.make(str(folder), "dep 2.0")
        rig.equal(frozen and field.bundle("a frozen lock", frozen, index=index.simple), want,
                  "a newer version on the index: the same bundle")
        done = field.resolve(path, "--json", index=index.simple, cache=rig.scratch / "grow-2")
        rig.equal([f["version"] for f in done.json()["targets"][0]["files"]], ["2.0", "2.0"],
                  "which the open lock would take")


def check_places(field, index):
    rig = field.rig
    place = rig.folder("places")
    text = field.lock.read_text()
    mine, targets, wanted = place / "mine.toml", place / "targets.toml", place / "wanted.txt"
    mine.write_text(text)
    lock(targets, HOST)
    wanted.write_text("pure==1.0\n")
    (place / "link.toml").symlink_to(mine)
    os.link(mine, place / "hard.toml")
    (place / "folder").mkdir()
    os.mkfifo(place / "pipe")
    before = tree(place)
    rows = [  # lock | more options | where to write | exit statuses
        (mine, [], mine, {2}),
        (mine, [], place / "link.toml", {2}),
        (mine, [], place / "hard.toml", {2}),
        (mine, [], place / "folder/../mine.toml", {2}),
        (wanted, ["--targets", targets], targets, {2}),
        (mine, [], place / "folder", {2}),
        (mine, [], place / "pipe", {2}),
        (mine, [], place / "missing/x.toml", {3}),
        (mine, [], place / "mine.toml/x.toml", {3}),
        (mine, [], "/proc/x.toml", {3}),
    ]
    for lock_file, options, where, statuses in rows:
        done = field.resolve(lock_file, *options, "--write-lock", where, "--json", index=index.simple)
        rig.check(done.status in statuses and str(where).rsplit("/", 1)[0] in done.err,
                  f"--write-lock {where}: exit {statuses}, names the place", done)
        rig.check("no JSON" not in str(done.reason()), f"--write-lock {where}: valid JSON", done)
    rig.equal(difference(before, tree(place)), "", "nothing is changed, and nothing left")
    old = place / "old.toml"
    old.write_text("old")
    done = field.resolve(mine, "-t", "host", "--write-lock", old, index=index.simple)
    rig.check(done.status == 0 and "resolved-from" in old.read_text(), "an older lock is replaced", done)
    done = field.resolve(place / "nothing.toml", index=index.simple)
    rig.check(done.status in (1, 2, 3) and "nothing.toml" in done.err, "no lock", done)


def main():
    with Rig(sys.argv) as rig:
        field = Field(rig)
        parts = (check_plan, check_text, check_holes, check_explain, check_frozen, check_places)
        with rig.index(field.folder, "--metadata") as index:
            for part in parts:
                with steps(part.__name__):
                    part(field, index)
        for part in (check_other_answers, check_later):
            with steps(part.__name__):
                part(field, None)
        return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
