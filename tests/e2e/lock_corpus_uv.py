#!/usr/bin/env python3
"""lock_corpus_uv.py LOCK_PLAN DIR: compares the reader of uv.lock with a corpus of locks and their answers.

DIR holds good/uv-*/ with uv-*.expect.json, and broken/. A case is one target of one selection, or one
thing that must be said. The last line is "lock corpus uv: N cases, M differences"; the exit status is 1
when M > 0. Without DIR the test is skipped.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# What a bundle cannot carry, and who needs it: the targets file leaves it out, once it was refused.
UNCARRIED = {
    "uv-h-sources": ["dirpkg", "tinygit", "tinysub"],
    "uv-c-workspace": ["lab-util"],
    "uv-j-preview-no-metadata": ["lab-util"],
}
# Not those of `--package`, where nothing needs it.
NEEDS_NONE = {"package=lab-cli"}

BROKEN = {
    "uv-version-2/uv.lock": ["uv.lock: line 1, column 11: ", "version 2;", "reads 1", "uv export --format pylock.toml"],
    "uv-merge-conflict/uv.lock": ["uv.lock: line 10, column 1: ", "merge conflict"],
}


def name_of(target):
    return target.replace(".", "_")


def target_table(target, python):
    platform = target.split("-")[1]
    libc = f'glibc = "{target.split("glibc")[1]}"\n' if "glibc" in target else ""
    return f'[[target]]\nname = "{name_of(target)}"\npython = "{python}"\nplatform = "{platform}"\n{libc}\n'


def targets_file(folder, expect, targets, waived=()):
    pythons = expect["environment"]["python_full_version"]
    tables = "".join(target_table(t, pythons[t]) for t in targets)
    waivers = "".join(f'{name} = "the site has it"\n' for name in waived)
    path = folder / "targets.toml"
    path.write_text(f"lock-version = 1\n\n{tables}[waive]\n{waivers}")
    return path


def run(tool, lock, targets, args=()):
    return subprocess.run([tool, str(lock), "--targets", str(targets), *args], capture_output=True, text=True)


def chosen(args):
    """The options of `uv export` that choose; what is only about its output is left out."""
    words = iter(args.split())
    for word in words:
        if word in ("--extra", "--group", "--package"):
            yield from (word, next(words))
        elif word in ("--no-default-groups", "--all-packages"):
            yield word
        elif not word.startswith("--no-emit-"):
            raise ValueError(word)


def wanted(cell, uncarried):
    """What of a cell comes from files: the project's own packages have no version there."""
    keep = [pin for pin in cell["select"] if "==" in pin and pin.split("==")[0] not in uncarried]
    return {"select": keep, "files": {pin: cell["files"].get(pin) for pin in keep}}


def refusal_faults(tool, lock, targets, args, name):
    found = run(tool, lock, targets, args)
    for word in (f"{lock.name}: line ", f"{name} is ", "the target ", "build a wheel", f"[waive] {name}"):
        if found.returncode != 1 or found.stdout or word not in found.stderr:
            yield f"{name}: {found.returncode} {found.stderr.strip()}"
            return


def selection_faults(tool, folder, lock, expect, selection):
    """A list of differences for every case."""
    args = list(chosen(selection["uv_export_args"]))
    cells = selection["targets"]
    is_refused = {t: cell.get("packaging_select", "").startswith("refused") for t, cell in cells.items()}
    good = [t for t in cells if not is_refused[t]]
    for target in (t for t in cells if is_refused[t]):
        found = run(tool, lock, targets_file(folder, expect, [target]), args)
        is_right = found.returncode == 1 and f"the target {name_of(target)}:" in found.stderr
        yield [] if is_right else [f"{target}: {found.returncode} {found.stderr.strip()}"]
    uncarried = selection["uncarried"]
    for i, name in enumerate(uncarried):
        targets = targets_file(folder, expect, good, uncarried[:i] + uncarried[i + 1:])
        yield list(refusal_faults(tool, lock, targets, args, name))
    found = run(tool, lock, targets_file(folder, expect, good, uncarried), args)
    if found.returncode:
        yield from ([f"{t}: refused: {found.stderr.strip()}"] for t in good)
        return
    have = json.loads(found.stdout)
    for target in good:
        want = wanted(cells[target], uncarried)
        mine = have[name_of(target)]
        yield [f"{target}: {key} {mine[key]}, not {want[key]}" for key in want if mine[key] != want[key]]


def lock_faults(tool, folder, expect_path):
    expect = json.loads(expect_path.read_text())
    lock = expect_path.parent / expect["lock"]
    for name, selection in expect["selections"].items():
        uncarried = [] if name in NEEDS_NONE else UNCARRIED.get(lock.parent.name, [])
        selection["uncarried"] = uncarried
        for faults in selection_faults(tool, folder, lock, expect, selection):
            yield [f"{lock.parent.name}: {name}: {fault}" for fault in faults]


def conflict_faults(tool, folder, good):
    expect = json.loads((good / "uv-d-conflicts.expect.json").read_text())
    targets = targets_file(folder, expect, expect["environment"]["python_full_version"])
    for args, words in (
        (["--extra", "cpu", "--extra", "cu"], ["exclude each other", "line 11"]),
        (["--extra", "gpu"], ['no extra "gpu"', "cpu, cu"]),
        (["--group", "docs"], ['no dependency group "docs"']),
        (["--package", "einops"], ['no project "einops"', "two-torches"]),
    ):
        found = run(tool, good / "uv-d-conflicts/uv.lock", targets, args)
        is_right = found.returncode == 1 and all(word in found.stderr for word in words)
        yield [] if is_right else [f"{args}: {found.returncode} {found.stderr.strip()}"]


def broken_faults(tool, folder, corpus):
    targets = folder / "targets.toml"
    targets.write_text('lock-version = 1\n[[target]]\nname = "w"\npython = "3.12"\nplatform = "win_amd64"\n')
    for name, words in BROKEN.items():
        found = run(tool, corpus / "broken" / name, targets)
        is_right = found.returncode == 1 and not found.stdout
        lacks = [word for word in words if word not in found.stderr]
        yield [] if is_right and not lacks else [f"{name}: {found.returncode} {found.stderr.strip()}: lacks {lacks}"]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: lock_corpus_uv.py LOCK_PLAN DIR")
    tool, corpus = sys.argv[1], Path(sys.argv[2])
    locks = sorted((corpus / "good").glob("uv-*.expect.json"))
    if not locks:
        print(f"lock corpus uv: skipped: no {corpus}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [faults for path in locks for faults in lock_faults(tool, folder, path)]
        cases += conflict_faults(tool, folder, corpus / "good")
        cases += broken_faults(tool, folder, corpus)
    for faults in cases:
        for fault in faults:
            print(fault)
    differences = sum(map(bool, cases))
    print(f"lock corpus uv: {len(cases)} cases, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
