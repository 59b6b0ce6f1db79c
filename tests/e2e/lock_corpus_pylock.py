#!/usr/bin/env python3
"""lock_corpus_pylock.py LOCK_PLAN DIR: compares the reader of pylock.toml with real locks and their answers.

DIR holds good/pylock.*.toml with *.expect.json (what `packaging` selects for each target), and broken/.
The last line is "pylock corpus: N files, M wrong"; the exit status is 1 when M > 0. Without DIR the test
is skipped.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = "\n[[packages]]\n"


def table_of(name, python):
    """The [[target]] called "cp311-linux_x86_64-glibc2.28" in the answers."""
    _, platform, *libc = name.split("-")
    glibc = f'glibc = "{libc[0].removeprefix("glibc")}"\n' if libc else ""
    return (f'[[target]]\nname = "{name.replace(".", "_")}"\npython = "{python}"\n'
            f'platform = "{platform}"\n{glibc}')


class Plan:
    def __init__(self, tool, folder):
        self.tool, self.targets = tool, Path(folder) / "targets.toml"

    def run(self, lock, machines, options=()):
        self.targets.write_text("lock-version = 1\n" + "".join(table_of(*m) for m in machines.items()))
        return subprocess.run([self.tool, str(lock), "--targets", str(self.targets), *options],
                              capture_output=True, text=True)


def options_of(selection):
    """"extra=fast, groups=default,dev" and "groups=dev only" as options."""
    if selection == "default":
        return []
    options = []
    for part in selection.split(", "):
        kind, names = part.removesuffix(" only").split("=")
        if kind == "groups" and part.endswith(" only"):
            options.append("--no-default-groups")
        for name in names.split(","):
            options += ["--extra" if kind == "extra" else "--group", name]
    return options


def versioned(want, have):
    """An archive's entry may say no version, which the reader takes from its file's name."""
    full = {pin.split("==")[0]: pin for pin in have}
    return want if "==" in want else full.get(want, want)


def cell_faults(want, have, without=()):
    pins = have["select"]
    select = sorted(versioned(w, pins) for w in want["select"] if w not in without)
    if select != pins:
        yield f"selects {sorted(set(pins) - set(select))}, lacks {sorted(set(select) - set(pins))}"
    files = {versioned(w, pins): f for w, f in want["files"].items()}
    if files != have["files"]:
        yield f"files {[f for f in have['files'].items() if f not in files.items()]}"


def refusal_faults(run, words):
    if run.returncode != 1 or run.stdout:
        yield f"exit status {run.returncode}"
    for word in words:
        if word not in run.stderr:
            yield f"the message lacks {word!r}: {run.stderr.strip()}"


def without_entries(lock, names, folder):
    head, *entries = lock.read_text(encoding="utf-8").split(HEAD)
    kept = [e for e in entries if e.split('"')[1] not in names]
    assert len(kept) == len(entries) - len(names)
    copy = Path(folder) / lock.name
    copy.write_text(HEAD.join([head, *kept]), encoding="utf-8")
    return copy


def lock_faults(plan, lock, folder):
    expect = json.loads(lock.with_suffix(".expect.json").read_text())
    pythons = expect["environment"]["python_full_version"]
    for selection, cells in expect["selections"].items():
        options, together = options_of(selection), {}
        for name, want in cells["targets"].items():
            machine, key = {name: pythons[name]}, name.replace(".", "_")
            where = f"{selection}, {name}: "
            if want["packaging_select"].startswith("refused: python_full_version"):
                words = ["line ", "requires Python", f"target {key} has {pythons[name]}"]
                yield from (where + f for f in refusal_faults(plan.run(lock, machine, options), words))
                continue
            cannot = [p for p, why in want.get("not_wheel", {}).items() if why.startswith(("vcs:", "directory:"))]
            source = lock
            if cannot:
                first = cannot[0].split("==")[0]
                words = ["line ", f": {first} is ", f"target {key} needs it", "build a wheel"]
                yield from (where + f for f in refusal_faults(plan.run(lock, machine, options), words))
                source = without_entries(lock, [p.split("==")[0] for p in cannot], folder)
            run = plan.run(source, machine, options)
            if run.returncode:
                yield where + f"refused: {run.stderr.strip()}"
                continue
            have = json.loads(run.stdout)
            yield from (where + f for f in cell_faults(want, have[key], cannot))
            if not cannot:
                together[name] = have[key]
        if together:
            run = plan.run(lock, {name: pythons[name] for name in together}, options)
            if run.returncode or list(json.loads(run.stdout).values()) != list(together.values()):
                yield f"{selection}: targets together get something else than each alone {run.stderr.strip()}"


CP312 = {"cp312-linux_x86_64-glibc2.35": "3.12.7"}
WINDOWS = {"cp312-win_amd64": "3.12.7"}
CP311 = {"cp311-linux_x86_64-glibc2.28": "3.11.9"}
# The lock, text that is replaced in it, the machine, and words that the refusal must hold.
BROKEN = [
    ("pylock.twice.toml", None, CP312, ["line 34, column 3: idna ", "line 27", "cp312-linux_x86_64-glibc2_35"]),
    ("pylock.twice.toml", None, WINDOWS, ["line 34, column 3: idna ", "line 27", "cp312-win_amd64"]),
    ("pylock.twice.toml", None, CP311, ["requires Python >=3.12"]),
    ("pylock.lockversion2.toml", None, CP312, ["line 3, column 16: ", "pylock.toml", "2.0", "1.x"]),
    ("pylock.escape.toml", None, CP312, ["line 21, column 8: ", "../../../etc/click-8.5.1-py3-none-any.whl"]),
    ("pylock.escape.toml", ("../../../etc/", "a/../../x/"), CP312, ["line 21, column 8: ", "a/../../x/click"]),
    ("pylock.escape.toml", ("../../../etc/", "/etc/"), CP312, ["line 21, column 8: ", "/etc/click", "absolute"]),
    ("pylock.badutf8.toml", None, CP312, ["line 4, ", "byte 224 ", "UTF-8"]),
]


def broken_faults(plan, lock, edit, machine, words, folder):
    if edit:
        text = lock.read_text(encoding="utf-8")
        assert edit[0] in text
        lock = Path(folder) / lock.name
        lock.write_text(text.replace(*edit), encoding="utf-8")
    return list(refusal_faults(plan.run(lock, machine), [lock.name, *words]))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: lock_corpus_pylock.py LOCK_PLAN DIR")
    tool, corpus = sys.argv[1], Path(sys.argv[2])
    good = sorted((corpus / "good").glob("pylock.*.toml"))
    if not good:
        print(f"pylock corpus: skipped: no {corpus}")
        return 0
    faults = {}
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(tool, folder)
        for lock in good:
            faults[lock.name] = list(lock_faults(plan, lock, folder))
        for number, (name, edit, machine, words) in enumerate(BROKEN, 1):
            found = broken_faults(plan, corpus / "broken" / name, edit, machine, words, folder)
            faults[f"broken {number}, {name}"] = found
    for name, found in faults.items():
        for fault in found:
            print(f"{name}: {fault}")
    print(f"pylock corpus: {len(faults)} files, {sum(map(bool, faults.values()))} wrong")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
