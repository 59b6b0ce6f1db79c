#!/usr/bin/env python3
"""lock_corpus.py LOCK_JSON DIR: compares the lock reader with a corpus of locks and their answers.

DIR holds good/*.gpkg.lock.toml with *.gpkg.expect.json, and broken/. The last line is
"lock corpus: N locks, M wrong"; the exit status is 1 when M > 0. Without DIR the test is skipped.
"""
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote


def read(tool, lock, glibc, machines=()):
    return subprocess.run([tool, str(lock), glibc, *machines], capture_output=True, text=True)


def machine_of(name):
    """cp311-linux_x86_64-glibc2.28 as the tool takes it: 3.11/linux_x86_64/2.28."""
    python, platform, *libc = name.split("-")
    glibc = libc[0].removeprefix("glibc") if libc else ""
    return f"{python[2]}.{python[3:]}/{platform}/{glibc}"


def environment_faults(expect, target):
    given = expect["gpkg_environment"]
    cuda = given["cuda"][:2] + "." + given["cuda"][2:]
    for key, want in {**given, "cuda": cuda}.items():
        if target[key] != want:
            yield f"{key} is {target[key]}, not {want}"


def wheel_faults(wheel, package):
    if package["name"] != wheel["package"] or package["version"] != wheel["version"]:
        yield f"{wheel['package']} is read as {package['name']} {package['version']}"
    if package["file"] != wheel["filename"]:
        yield f"{wheel['filename']} is read as {package['file']}"
    if unquote(package["url"]) != wheel["url"] or re.search(r"[+ ]", package["url"]):
        yield f"URL {package['url']}"
    if not re.search(r"/[^/?#]+\.whl(\?|$)", package["url"]):
        yield f"URL does not end in its wheel: {package['url']}"


def good_faults(tool, lock):
    expect = json.loads(lock.with_name(lock.name.replace(".lock.toml", ".expect.json")).read_text())
    wheels = tomllib.loads(lock.read_text(encoding="utf-8"))["wheels"]
    targets = expect["selections"]["default"]["targets"]
    is_linux = expect["gpkg_environment"]["platform"].startswith("linux")
    run = read(tool, lock, "2.28" if is_linux else "-", [machine_of(name) for name in targets])
    if run.returncode:
        yield f"refused: {run.stderr.strip()}"
        return
    have = json.loads(run.stdout)
    yield from environment_faults(expect, have["targets"][0])
    if have["kind"] != "gpkg" or len(have["packages"]) != len(wheels):
        yield f"{have['kind']}, {len(have['packages'])} packages"
    for wheel, package in zip(wheels, have["packages"]):
        yield from wheel_faults(wheel, package)
    for name, want in targets.items():
        fits = have["fits"][machine_of(name)]
        files = [p["file"] if f else None for p, f in zip(have["packages"], fits)]
        if files != list(want["wheel_that_fits"].values()):
            yield f"{name}: {files}"
    if is_linux:
        run = read(tool, lock, "-")
        if run.returncode != 1 or "--glibc" not in run.stderr:
            yield f"without glibc: {run.returncode} {run.stderr.strip()}"


# Words that a refusal must hold: the file, the place or the version, and the remedy. The other broken
# locks need targets: lock_corpus_pylock.py, lock_corpus_uv.py, lock_corpus_requirements.py.
BROKEN = {
    "quote.gpkg.lock.toml": ["quote.gpkg.lock.toml: line 16, column 27:", "escaping"],
    "pylock.badutf8.toml": ["byte 224 ", "UTF-8", "line "],
    "pylock.twice.toml": ["pylock.twice.toml", "--targets FILE"],
    "uv-merge-conflict/uv.lock": ["line ", "merge conflict"],
    "uv-version-2/uv.lock": ["uv.lock", "--targets FILE"],
    "poetry.lock": ["poetry.lock (lock-version 2.1", "URLs", "poetry export -f pylock.toml"],
    "editable-dot.requirements.txt": ["requirements.txt", "--targets FILE"],
}


def broken_faults(tool, lock, words):
    run = read(tool, lock, "2.28")
    if run.returncode != 1 or run.stdout:
        yield f"exit status {run.returncode}"
    for word in words:
        if word not in run.stderr:
            yield f"the message lacks {word!r}: {run.stderr.strip()}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: lock_corpus.py LOCK_JSON DIR")
    tool, folder = sys.argv[1], Path(sys.argv[2])
    good = sorted((folder / "good").glob("*.gpkg.lock.toml"))
    if not good:
        print(f"lock corpus: skipped: no {folder}")
        return 0
    faults = {lock: list(good_faults(tool, lock)) for lock in good}
    for name, words in BROKEN.items():
        faults[folder / "broken" / name] = list(broken_faults(tool, folder / "broken" / name, words))
    for lock, found in faults.items():
        for fault in found:
            print(f"{lock.relative_to(folder)}: {fault}")
    print(f"lock corpus: {len(faults)} locks, {sum(map(bool, faults.values()))} wrong")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
