#!/usr/bin/env python3
"""Locks with one fault each, locks whose closure has one hole each: status, place, remedy, JSON.

    bad_input.py BIN_DIR
"""

import sys
import zipfile

import make_wheels
from rig import CP, MACHINE, PYTHON, Rig, lock, package, sha256, steps, target

HEAD = 'lock-version = 1\nname = "demo"\n'
TARGET = ('[[target]]\nname = "t"\npython = "3.12"\nplatform = "linux_x86_64"\nglibc = "2.28"\n'
          )  # lines 3 to 7
ROW = '[[package]]\nname = "pure"\nversion = "==1.0"\n'  # lines 8 to 10

UV_LOCK = ('version = 1\nrevision = 3\nrequires-python = ">=3.12"\n\n'
           '[[package]]\nname = "a"\nversion = "1"\nsource = {}\n')
POETRY_LOCK = ('[[package]]\nname = "a"\nversion = "1"\n\n'
               '[metadata]\nlock-version = "2.1"\npython-versions = "*"\n')
PYLOCK = 'lock-version = "1.0"\ncreated-by = "x"\n\n[[packages]]\nname = "a"\nversion = "1"\n'

# what | the lock | line (None: no certain one) | words of the message | words of the remedy
LOCKS = [
    ("an unknown key", HEAD + TARGET + ROW + 'verison = "1"\n', 11, ["verison"], []),
    ("an unknown key of the whole", HEAD + 'channel = "x"\n' + TARGET + ROW, 3, ["channel"], []),
    ("a misspelled table", HEAD + TARGET.replace("target", "targets", 1) + ROW, 3, ["targets"], []),
    ("a misspelled package table", HEAD + TARGET + ROW.replace("package", "packages"), 8, [
        "packages"
    ], []),
    ("a table in place of a list", HEAD + TARGET.replace("[[target]]", "[target]") + ROW, 3, [
        "target"
    ], []),
    ("an impossible Python", HEAD + TARGET.replace("3.12", "3.1") + ROW, 5, ['3.1'], []),
    ("Python as a number", HEAD + TARGET.replace('"3.12"', "3.12") + ROW, 5, ["python"], []),
    ("a free-threaded Python that is none", HEAD + TARGET.replace("3.12", "3.12t") + ROW, 5, [
        "3.12t"
    ], []),
    ("no Python", HEAD + TARGET.replace('python = "3.12"\n', "") + ROW, 3, ["python"], []),
    ("an unknown platform", HEAD + TARGET.replace("linux_x86_64", "linux_sparc") + ROW, 6, [
        "linux_sparc"
    ], []),
    ("a manylinux tag as platform",
     HEAD + TARGET.replace("linux_x86_64", "manylinux_2_28_x86_64") + ROW, 6, [
         "manylinux_2_28_x86_64"
     ], []),
    ("no glibc", HEAD + TARGET.replace('glibc = "2.28"\n', "") + ROW, 3, ["glibc"], []),
    ("glibc on Windows", HEAD + TARGET.replace("linux_x86_64", "win_amd64") + ROW, 7, ["glibc"],
     []),
    ("glibc and musl", HEAD + TARGET + 'musl = "1.2"\n' + ROW, None, ["musl"], []),
    ("an impossible glibc", HEAD + TARGET.replace("2.28", "2") + ROW, 7, ['"2"'], []),
    ("a GPU by its name", HEAD + TARGET + 'gpus = ["H100"]\n' + ROW, 8, ["H100"], []),
    ("a driver that is none", HEAD + TARGET + 'driver = "new"\n' + ROW, 8, ["new"], []),
    ("torch against CUDA", HEAD + TARGET + 'torch = "2.8.0+cu128"\ncuda = "12.6"\n' + ROW, None, [
        "cu"
    ], []),
    ("no targets", HEAD + ROW, None, ["[[target]]"], ["detect"]),
    ("no rows at all", HEAD, None, ["[[target]]"], ["detect"]),
    ("a duplicate target", HEAD + TARGET + TARGET + ROW, 9, ['"t"', "twice"], []),
    ("a dot in a target's name", HEAD + TARGET.replace('"t"', '"t.1"') + ROW, 4, ["t.1"], []),
    ("an upper-case target", HEAD + TARGET.replace('"t"', '"T"') + ROW, 4, ['"T"'], []),
    ("a target without a name", HEAD + TARGET.replace('name = "t"\n', "") + ROW, 3, ["name"], []),
    ("an unknown target in a row", HEAD + TARGET + ROW + 'targets = ["u"]\n', 11, ['"u"'], []),
    ("an empty list of targets", HEAD + TARGET + ROW + "targets = []\n", 11, ["pure"], ["leave"]),
    ("a bare version", HEAD + TARGET + ROW.replace("==1.0", "1.0"), 10, ["1.0"], ["==1.0"]),
    ("a version that is none", HEAD + TARGET + ROW.replace("==1.0", "==one"), 10, ["one"], []),
    ("a project's name that is none", HEAD + TARGET + ROW.replace("pure", "-pure"), 9, ["-pure"],
     []),
    ("an extra that is none", HEAD + TARGET + ROW + 'extras = ["a b"]\n', 11, ["a b"], []),
    ("a marker that is none", HEAD + TARGET + ROW + "marker = \"os_nam == 'nt'\"\n", 11, ["os_nam"],
     []),
    ("an unknown use", HEAD + TARGET + ROW + 'use = "test"\n', 11, ["test"], ["build"]),
    ("two versions for one target", HEAD + TARGET + ROW + ROW.replace("1.0", "2.0"), 11, [
        "pure==2.0", "line 8"
    ], []),
    ("a newer lock", HEAD.replace("1", "2") + TARGET + ROW, 1, ["lock-version 2"], ["newer"]),
    ("no lock-version", TARGET + ROW, None, ["lock-version"], ["lock-version = 1"]),
    ("a channel with a blank", HEAD.replace("demo", "de mo") + TARGET + ROW, 2, ["de mo"], []),
    ("bad TOML", HEAD + TARGET + '[[package]\nname = "x"\n', 8, ["column 1"], []),
    ("a string without an end", HEAD + TARGET + '[[package]]\nname = "x\n', 9, ["column"], []),
    ("a key twice", HEAD + TARGET + ROW + 'name = "pure"\n', 11, ["name"], []),
    ("a value that is missing", HEAD + TARGET + "[[package]]\nname =\n", 9, ["column 7"], []),
    ("not UTF-8", (HEAD + TARGET).encode() + b'[[package]]\nname = "\xff\xfe"\n', 9, [], []),
    ("a NUL byte", (HEAD + TARGET).encode() + b"\0" + ROW.encode(), 8, [], []),
    ("UTF-16", (HEAD + TARGET + ROW).encode("utf-16"), 1, [], []),
    ("a waiver without a reason", HEAD + TARGET + ROW + '[waive]\nghost = ""\n', 12, ["reason"],
     []),
    ("a waiver for an unknown target", HEAD + TARGET + ROW + '[waive]\n"ghost@u" = "x"\n', 12, [
        "u"
    ], []),
    ("a file without a hash",
     HEAD + TARGET + ROW + '[[file]]\nurl = "https://h/pure-1.0-py3-none-any.whl"\n', 11, [
         "sha256"
     ], []),
    ("a hash that is none",
     HEAD + TARGET + ROW + '[[file]]\nurl = "https://h/pure-1.0-py3-none-any.whl"\nsha256 = "00"\n',
     13, [], []),
    ("a URL of no distribution",
     HEAD + TARGET + '[[package]]\nname = "pure"\nurl = "https://h/pure.exe"\n', 10, ["pure.exe"
                                                                                      ], []),
    ("a URL with a password",
     HEAD + TARGET + '[[package]]\nname = "x"\nurl = "ftp://u:secret@h/x-1-py3-none-any.whl"\n', 10,
     [], []),
    ("an empty file", "", None, ["lock.toml"], []),
    ("blank lines", "\n\n  \n", None, ["lock.toml"], []),
    ("a poetry.lock", POETRY_LOCK, None, ["poetry.lock"], ["poetry export"]),
    ("a uv.lock", UV_LOCK, None, ["uv.lock"], ["--targets"]),
    ("a pylock.toml", PYLOCK, None, ["pylock.toml"], ["--targets"]),
    ("a requirements.txt", "pure==1.0 --hash=sha256:00\n", 1, [], [".txt"]),
    ("JSON", '{"version": 1}\n', 1, [], []),
    ("a pyproject.toml", '[project]\nname = "x"\nversion = "1"\n', None, ["lock.toml"], []),
    ("a Pipfile.lock", '{"_meta": {"hash": {}}, "default": {}}', 1, [], []),
]


class Field:

    def __init__(self, rig):
        self.rig = rig
        self.key = rig.key()
        self.count = 0

    def try_lock(self, path, *options, url="http://127.0.0.1:9/simple/"):
        """create as people see it, and as programs do; nothing is ever written."""
        rig, output = self.rig, self.rig.scratch / "out.tar.zst"
        plain = rig.create(path, output, *options, index=url, key=self.key,
                           cache=rig.scratch / "cache")
        as_json = rig.create(path, output, "--json", *options, index=url, key=self.key,
                             cache=rig.scratch / "cache")
        rig.check(plain.status == as_json.status, f"{path}: --json does not change the exit status",
                  as_json)
        rig.check(not output.exists() or plain.status == 0, f"{path}: no bundle")
        try:
            answer = as_json.json()
        except ValueError:
            rig.check(False, f"{path}: --json is valid JSON", as_json)
            answer = {}
        return plain, answer


def check_locks(field):
    rig = field.rig
    for what, text, line, words, remedy in LOCKS:
        path = rig.folder("locks") / "given.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done, answer = field.try_lock(path)
        if not rig.check(done.status == 2, f"{what}: exit status 2", done):
            continue
        first = done.err.splitlines()[0]
        rig.check(str(path) in first, f"{what}: the file is named", first)
        if line is not None:
            rig.check(f"line {line}" in first, f"{what}: line {line} is named", first)
        rig.check(all(w in first for w in words), f"{what}: the message has {words}", done)
        rig.check(all(w in done.err for w in remedy), f"{what}: the remedy has {remedy}", done)
        rig.check(
            len(done.err) < 1500 and "secret" not in done.err,
            f"{what}: a short message without secrets", done)
        error = answer.get("error", {})
        rig.check(
            error.get("reason") in ("usage", "syntax", "invalid", "unsupported")
            and error.get("text", "") in done.err, f"{what}: --json says the same", answer)
        rig.check(done.out == "", f"{what}: nothing on standard output", done.out)


def check_unreadable(field):
    rig = field.rig
    folder = rig.folder("unreadable")
    (folder / "folder.toml").mkdir()
    rows = [(folder / "missing.toml", "a missing lock"), (folder / "folder.toml", "a folder"),
            (folder / "folder.toml/x", "a lock in a missing folder"),
            ("/dev/zero", "an endless file"), ("", "an empty name")]
    for path, what in rows:
        done, answer = field.try_lock(path)
        rig.check(done.status in (1, 2, 3), f"{what}: exit status", done)
        rig.check(str(path) in done.err, f"{what}: its name is in the message", done)
        rig.check(isinstance(answer.get("error", {}).get("reason"), str),
                  f"{what}: JSON with a reason", answer)
    big = folder / "big.toml"
    big.write_bytes(b"#" * (17 << 20))
    done, answer = field.try_lock(big)
    rig.check(done.status in (1, 2) and answer["error"]["reason"] == "limit", "a lock of 17 MiB",
              done)


def check_usage(field):
    rig = field.rig
    path = lock(rig.scratch / "good.toml", target("t"), package("pure", "1.0"))
    rows = [  # words of the command line | words of the message
        ([], ["LOCK"]),
        ([path, path], []),
        ([path, "--serial", "x"], ["--serial x"]),
        ([path, "--serial", "-1"], ["--serial"]),
        ([path, "--serial", str(2**53 + 1)], ["--serial"]),
        ([path, "--channel", "a/b"], ["a/b"]),
        ([path, "--channel", ""], []),
        ([path, "--target", "u"], ['"u"']),
        ([path, "--waive", "ghost"], ["--waive ghost", "reason"]),
        ([path, "--waive", "ghost="], ["reason"]),
        ([path, "--waive", "=x"], ["--waive"]),
        ([path, "--waive", "ghost@u=x"], ['"u"']),
        ([path, "--waive", "g h=x"], ["g h"]),
        ([path, "--waive", "ghost=" + "x" * 501], ["500"]),
        ([path, "--frobnicate"], ["--frobnicate"]),
        ([path, "--jobs", "0x"], ["--jobs"]),
        ([path, "--glibc", "2.28"], ["glibc"]),
    ]
    for words, wanted in rows:
        done = rig.gpkg("create", *words, "-o", rig.scratch / "out", "--key", field.key,
                        env={"PIP_INDEX_URL": "http://127.0.0.1:9/simple/"})
        what = "create " + " ".join(str(w)[:40] for w in words)
        rig.check(done.status in (1, 2) if "--target" in words else done.status == 2,
                  f"{what}: exit status 2", done)
        rig.check(all(w in done.err for w in wanted), f"{what}: the message has {wanted}", done)


# ---- holes: the lock is right, and a target would lack something ----

SPECS = [
    "pure 1.0",
    "pure 2.0",
    "asker 1.0 'requires=ghost>=1'",
    "strict 1.0 'requires=pure>=2'",
    "forked 1.0 'requires=pure[fast]==1.0'",
    "host 1.0 extra=fast 'requires=ghost; extra == \"fast\"'",
    "source 1.0 kind=sdist requires-build=ghostbuild>=3 backend=ghostbuild",
    "source2 1.0 kind=sdist requires-build=pure>=2 backend=pure",
    "wheelonly 1.0 tag=cp39-cp39-manylinux_2_17_x86_64",
    "wheelonly 1.0 tag=cp310-cp310-win_amd64",
    "newglibc 1.0 tag=%s-%s-manylinux_2_35_%s" % (CP, CP, MACHINE),
    "young 1.0 python=>=3.99",
    "old 1.0 'python=<3'",
    "deep 1.0 requires=asker",
    "winask 1.0 'requires=ghost; sys_platform == \"win32\"'",
]
# what | rows | project that the hole is about | words of its text
HOLES = [
    ("a missing dependency", [package("asker", "1.0")], "ghost", ["asker 1.0", "ghost>=1"]),
    ("a missing dependency, one deeper", [package("deep", "1.0"),
                                          package("asker", "1.0")], "ghost", ["asker 1.0"]),
    ("a wrong version is pinned", [package("strict", "1.0"),
                                   package("pure",
                                           "1.0")], "pure", ["strict 1.0", "pure>=2", "1.0"]),
    ("the dependency of an extra", [package(
        "host", "1.0", 'extras = ["fast"]\n')], "ghost", ["host[fast]==1.0", "ghost; extra"]),
    ("a build requirement", [package("source",
                                     "1.0")], "ghostbuild", ["source-1.0.tar.gz", "ghostbuild>=3"]),
    ("a build requirement in a wrong version", [
        package("source2", "1.0"),
        package("pure", "1.0", 'use = "build"\n')
    ], "pure", ["source2-1.0.tar.gz", "pure>=2", "pure==1.0 (line 11)"]),
    ("a project that does not exist", [package(
        "nowhere", "1.0")], "nowhere", ["nowhere==1.0", "line 8", "has no nowhere"]),
    ("a version that does not exist", [package("pure", "3.0")], "pure", ["pure==3.0", "2.0"]),
    ("wheels for other Pythons only", [package("wheelonly", "1.0")], "wheelonly", [
        "cp39-cp39-manylinux_2_17_x86_64", "cp310-cp310-win_amd64", "no sdist"
    ]),
    ("wheels for a newer glibc", [package("newglibc",
                                          "1.0")], "newglibc", [f"manylinux_2_35_{MACHINE}"]),
    ("a Python that is too old", [package("young", "1.0")], "young", [">=3.99"]),
    ("a Python that is too new", [package("old", "1.0")], "old", ["<3"]),
]


def check_holes(field, index):
    rig = field.rig
    for what, rows, project, words in HOLES:
        path = lock(rig.scratch / "holes.toml", target("t"), *rows)
        done, answer = field.try_lock(path, url=index.simple)
        if not rig.check(done.status == 1, f"{what}: exit status 1", done):
            continue
        holes = answer["holes"]
        rig.equal(
            (answer["error"]["reason"], [(h["project"], h["target"], h["waived"]) for h in holes]),
            ("hole", [(project, "t", "")]), f"{what}: one hole in --json")
        text = holes[0]["text"] if holes else ""
        rig.check(all(w in text for w in words), f"{what}: its text has {words}", text)
        shown = text.replace("\n", "\n    ")
        rig.check(f"hole t: {shown}" in done.err and "--waive" in done.err,
                  f"{what}: the same in words, with a remedy", done)
        check_waiver(field, index, what, path, project)


# A lock that says all leaves nothing to a solver: what it does not name is a hole.
# what | lines: project, version, file | project that the hole is about | words of its text
CLOSED = [
    ("a dependency that the lock lacks", ["strict"], "pure",
     ["strict 1.0", "pure>=2", "no row for it", "pure==2.0 would do"]),
    ("a dependency that nobody has", ["asker"], "ghost",
     ["asker 1.0", "ghost>=1", "no row for it", "has nothing"]),
    ("a dependency in a wrong version", ["strict", "pure"], "pure",
     ["strict 1.0", "pure>=2", "the lock pins 1.0", "pure==2.0 would do"]),
    ("one deeper", ["deep", "asker"], "ghost", ["asker 1.0", "ghost>=1"]),
]


def check_closed_holes(field, index):
    rig = field.rig
    targets = lock(rig.scratch / "closed-targets.toml", target("t"))
    for what, names, project, words in CLOSED:
        path = rig.scratch / "closed.txt"
        path.write_text("".join(
            f"{n}==1.0 --hash=sha256:{sha256(rig.scratch / f'packages/{n}-1.0-py3-none-any.whl')}\n"
            for n in names))
        done, answer = field.try_lock(path, "--targets", targets, url=index.simple)
        rig.check(done.status == 1 and answer["error"]["reason"] == "hole",
                  f"{what}: exit status 1", done)
        rig.equal([(h["project"], h["target"]) for h in answer.get("holes", [])], [(project, "t")],
                  f"{what}: one hole in --json")
        rig.check(all(w in done.err for w in words), f"{what}: its text has {words}", done)
        check_waiver(field, index, what, path, project, "--targets", targets)


def check_waiver(field, index, what, path, project, *options):
    """Waived by name, the bundle is made, and the reason is signed into it."""
    rig, output = field.rig, field.rig.scratch / "waived.tar.zst"
    for waiver, fits in ((f"{project}=the site has it", True), (f"{project}@t=only here", True),
                         ("other=no", False)):
        done = rig.create(path, output, "--waive", waiver, "--json", *options, index=index.simple,
                          key=field.key, cache=rig.scratch / "cache")
        if not fits:
            rig.check(done.status == 1 and not output.exists(),
                      f"{what}: a waiver of something else does not help", done)
            continue
        if not rig.check(done.status == 0, f"{what}: --waive {waiver}", done):
            continue
        reason = waiver.split("=", 1)[1]
        shown = rig.gpkg("inspect", output, "--pub", f"{field.key}.pub", "--json")
        rig.equal([(w["project"], w["target"], w["what"], w["reason"])
                   for w in shown.json()["waivers"]], [(project, "t", "hole", reason)],
                  f"{what}: inspect --json shows the waiver")
        words = rig.gpkg("verify", output, "--pub", f"{field.key}.pub")
        rig.check(words.status == 0 and reason in words.out and project in words.out,
                  f"{what}: verify shows the waiver", words)
        output.unlink()


def check_more_holes(field, index):
    rig = field.rig
    path = lock(rig.scratch / "many.toml", target("t"),
                target("u", python="3.12", platform="win_amd64", rest=""), package("asker", "1.0"),
                package("winask", "1.0"), package("wheelonly", "1.0"), package("nowhere", "1.0"))
    done, answer = field.try_lock(path, url=index.simple)
    found = sorted((h["target"], h["project"]) for h in answer["holes"])
    rig.check(done.status == 1, "many holes: exit status 1", done)
    wanted = [("t", "ghost"), ("t", "nowhere"), ("t", "wheelonly"), ("u", "ghost"), ("u", "ghost"),
              ("u", "nowhere"), ("u", "wheelonly")]
    rig.equal(sorted(set(found)), sorted(set(wanted)), "all holes of all targets are told at once")
    rig.check("nothing was written" in done.err, "many holes: and that nothing was written", done)
    done, answer = field.try_lock(path, "--waive", "ghost=x", "--waive", "nowhere@t=y",
                                  url=index.simple)
    rig.check(done.status == 1 and "waived t:" in done.err, "some waived, some open", done)
    open_ones = sorted({(h["target"], h["project"]) for h in answer["holes"] if not h["waived"]})
    rig.equal(open_ones, [("t", "wheelonly"), ("u", "nowhere"), ("u", "wheelonly")],
              "what is waived and what is not")
    # The lock itself may waive.
    path = lock(rig.scratch / "lockwaive.toml", target("t"), package("asker", "1.0"),
                '[waive]\nghost = "in the image"\n')
    output = rig.scratch / "lockwaive.tar.zst"
    done = rig.create(path, output, index=index.simple, key=field.key, cache=rig.scratch / "cache")
    rig.check(done.status == 0, "a waiver in the lock", done)
    shown = rig.gpkg("inspect", output, "--pub", f"{field.key}.pub")
    rig.check("in the image" in shown.out, "inspect shows the waiver of the lock", shown)


# ---- wheels that contradict themselves ----


def rewrite(path, change):
    """The same zip with other members: change(name, data) is (name, data), or None to drop it."""
    with zipfile.ZipFile(path) as old:
        members = [change(n, old.read(n)) for n in old.namelist()]
    with zipfile.ZipFile(path, "w") as new:
        for name, data in filter(None, members):
            new.writestr(zipfile.ZipInfo(name), data)


def other_code(name, data):
    return (name, data + b"x = 1\n") if name.endswith("__init__.py") else (name, data)


def no_record(name, data):
    return None if name.endswith("/RECORD") else (name, data)


def no_metadata(name, data):
    return None if name.endswith("/METADATA") else (name, data)


def other_name(name, data):
    return name, data.replace(b"Name: liar", b"Name: other") if name.endswith("/METADATA") else data


def other_version(name, data):
    return name, data.replace(b"Version: 1.0",
                              b"Version: 1.1") if name.endswith("/METADATA") else data


def escape(name, data):
    return ("../../evil.py", data) if name.endswith("__init__.py") else (name, data)


# The change | the reason code where the wheel is asked for its METADATA, and where the index tells it | what a waiver
# accepts: bytes that RECORD contradicts, or that the wheel is left out. None: see below.
LIES = [(other_code, "wheel", "wheel", "record"), (no_record, "wheel", "wheel", None),
        (no_metadata, "hole", "hole", "hole"), (other_name, "hole", "hole", "hole"),
        (other_version, "hole", "hole", "hole"), (escape, "hole", "wheel", None)]


def check_lies(field, _):
    rig, output = field.rig, field.rig.scratch / "liar.tar.zst"
    path = lock(rig.scratch / "liar.toml", target("t"), package("liar", "1.0"))
    for change, *reasons, waives in LIES:
        folder = rig.folder(f"liar-{change.__name__}")
        rewrite(make_wheels.make(str(folder), "liar 1.0"), change)
        for option, reason in zip(("--no-metadata", "--metadata"), reasons):
            what = f"a wheel with {change.__name__}, {option}"
            with rig.index(folder, option) as index:
                done, answer = field.try_lock(path, url=index.simple)
                rig.check(done.status == 1 and answer["error"]["reason"] == reason,
                          f"{what}: exit 1, reason {reason}", done)
                rig.check("liar-1.0-py3-none-any.whl" in done.err, f"{what}: is named", done)
                again = rig.create(path, output, "--waive", "liar=as upstream made it",
                                   index=index.simple, key=field.key, cache=rig.scratch / "cache")
            check_waived_lie(field, what, again, output, waives or (reason == "hole" and "hole"))


def check_waived_lie(field, what, again, output, waives):
    """A waiver accepts a RECORD that is wrong, never a wheel that is not what its name says."""
    rig = field.rig
    if waives:
        rig.check(again.status == 0, f"{what}: waived", again)
    if again.status == 0:
        shown = rig.gpkg("inspect", output, "--pub", f"{field.key}.pub", "--json").json()
        rig.equal([(w["project"], w["what"], w["reason"]) for w in shown["waivers"]],
                  [("liar", waives or "record", "as upstream made it")],
                  f"{what}: inspect shows the waiver")
        rig.equal(len(shown["distinct_files"]), 0 if waives == "hole" else 1,
                  f"{what}: the wheel is in the bundle only where its RECORD alone is wrong")
        output.unlink()
    rig.check(not output.exists(), f"{what}: no bundle")


def check_not_meant(field, index):
    """What only looks like a hole: markers, extras and targets that are not meant."""
    rig = field.rig
    rows = [
        ("a dependency for Windows only", [target("t")], [package("winask", "1.0")]),
        ("what the lock does not name and the index has", [target("t")], [package("strict", "1.0")]),
        ("a version that is open", [target("t")], ['[[package]]\nname = "pure"\nversion = ">=1.0"\n']),
        ("a wildcard", [target("t")], ['[[package]]\nname = "pure"\nversion = "==1.*"\n']),
        ("neither version nor url", [target("t")], ['[[package]]\nname = "pure"\n']),
        ("an extra that nobody asks for", [target("t")], [package("host", "1.0")]),
        ("a marker of the lock", [target("t")], [
            package("pure", "1.0"),
            package("nowhere", "1.0", "marker = \"os_name == 'nt'\"\n")
        ]),
        ("a row for another target", [
            target("t"), target("win", python="3.12", platform="win_amd64", rest="")
        ], [package("pure", "1.0"),
            package("winask", "1.0", 'targets = ["t"]\n')]),
        ("a waiver that nothing needs", [target("t")], [
            package("pure", "1.0"), '[waive]\npure = "x"\n'
        ]),
        ("a Python just right", [target(
            "t", python=PYTHON)], [package("pure", "2.0"),
                                   package("strict", "1.0")]),
    ]
    for what, targets, packages in rows:
        path = lock(rig.scratch / "meant.toml", *targets, *packages)
        done = rig.create(path, rig.scratch / "meant.tar.zst", "--json", index=index.simple,
                          key=field.key, cache=rig.scratch / "cache")
        rig.check(done.status == 0 and done.json()["holes"] == [], f"{what} is no hole", done)
        shown = rig.gpkg("inspect", rig.scratch / "meant.tar.zst", "--pub", f"{field.key}.pub",
                         "--json")
        rig.equal(shown.json()["waivers"], [], f"{what}: no waiver is recorded")


def main():
    rig = Rig(sys.argv)
    with rig:
        field = Field(rig)
        for part in (check_locks, check_unreadable, check_usage):
            with steps(part.__name__):
                part(field)
        for spec in SPECS:
            make_wheels.make(str(rig.folder("packages")), spec)
        with rig.index(rig.folder("packages")) as index:
            for part in (check_holes, check_closed_holes, check_more_holes, check_lies, check_not_meant):
                with steps(part.__name__):
                    part(field, index)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
