#!/usr/bin/env python3
"""lock_corpus_requirements.py LOCK_PLAN DIR: compares the reader of requirements.txt with real files and their
answers.

DIR holds good/*.requirements.txt with *.requirements.expect.json, and broken/. Where the answer has
entries that cannot be carried, the file must be refused at the first of them, and read rightly
without them. The last line is "requirements corpus: N files, M wrong"; the exit status is 1 when M > 0.
Without DIR the test is skipped.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote


def table_of(name, python):
    """The [[target]] called "cp311-linux_x86_64-glibc2.28" in the answers."""
    _, platform, *libc = name.split("-")
    glibc = f'glibc = "{libc[0].removeprefix("glibc")}"\n' if libc else ""
    return (f'[[target]]\nname = "{name.replace(".", "_")}"\npython = "{python}"\n'
            f'platform = "{platform}"\n{glibc}')


class Plan:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, Path(folder)

    def run(self, lock, machines):
        targets = self.folder / "targets.toml"
        targets.write_text("lock-version = 1\n" + "".join(table_of(*m) for m in machines.items()))
        return subprocess.run([self.tool, str(lock), "--targets", str(targets)], capture_output=True,
                              text=True)

    def run_text(self, name, text, machines):
        copy = self.folder / name
        copy.write_text(text, encoding="utf-8")
        return self.run(copy, machines)


class Entry:
    """A logical line that asks for something: its first line's number, its lines, its hashes."""

    def __init__(self, number, lines):
        self.number, self.lines = number, lines
        text = " ".join(line.rstrip("\\") for line in lines)
        self.hashes = sorted(re.findall(r"sha256[:=]([0-9a-f]{64})", text))
        self.text = re.split(r" ;|; | --hash", text)[0].strip()
        self.is_carried = not (self.text.startswith("-e") or "git+" in self.text or
                               (self.text.startswith(".") and not re.search(r"\.(whl|gz)$", self.text)))

    @property
    def pin(self):
        """name==version, as the file's name says where it is one."""
        file = self.file
        if file is None:
            name, version = re.split(r"==|;", self.text)[:2]
            return f"{normal(name.split('[')[0])}=={version.strip()}"
        name, version = re.sub(r"\.tar\.gz$", "", file).split("-")[:2]
        return f"{normal(name)}=={version.split('+')[0]}"

    @property
    def file(self):
        is_direct = "/" in self.text
        return unquote(self.text.split("#")[0].rpartition("/")[2]) if is_direct else None


def normal(name):
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def entries_of(text):
    lines, number = text.split("\n"), 0
    while number < len(lines):
        first = number
        while lines[number].endswith("\\"):
            number += 1
        number += 1
        head = lines[first]
        if head.strip() and not head.strip().startswith(("#", "--")):
            yield Entry(first + 1, lines[first:number])


def without(text, gone):
    lines = text.split("\n")
    for entry in gone:
        for i in range(len(entry.lines)):
            lines[entry.number - 1 + i] = "#"
    return "\n".join(lines)


def refusal_faults(run, words):
    if run.returncode != 1 or run.stdout:
        yield f"exit status {run.returncode}"
    for word in words:
        if word not in run.stderr:
            yield f"the message lacks {word!r}: {run.stderr.strip()}"


def cell_faults(want, have, entries):
    kept = [e for e in entries if e.is_carried and e.text in want["select"]]
    direct = {e.text: e for e in kept if e.file}
    select = sorted(direct[w].pin if w in direct else w for w in want["select"]
                    if w in direct or "==" in w)
    if select != have["select"]:
        yield f"selects {have['select']}, not {select}"
    files = {e.pin: e.file for e in kept if e.file}
    if files != {pin: file for pin, file in have["files"].items() if file}:
        yield f"files {have['files']}"


def hash_faults(have, entries):
    by_pin = {}
    for entry in entries:
        if entry.is_carried:
            by_pin.setdefault(entry.pin, []).append(entry.hashes)
    for pin, hashes in have["hashes"].items():
        if sorted(hashes) not in by_pin[pin]:
            yield f"hashes of {pin}"


def lock_faults(plan, lock):
    expect = json.loads(lock.with_suffix(".expect.json").read_text())
    machines = expect["environment"]["python_full_version"]
    text = lock.read_text(encoding="utf-8")
    entries = list(entries_of(text))
    gone = [e for e in entries if not e.is_carried]
    if len(entries) != expect["lines"]:
        yield f"this test reads {len(entries)} lines, not {expect['lines']}"
    run = plan.run(lock, machines)
    if gone:
        first = next((e for e in gone if e.text.startswith("-e")), gone[0])
        yield from refusal_faults(run, [f": line {first.number}, column 1: ", first.text, "wheel"])
        text = without(text, gone)
        run = plan.run_text(lock.name, text, machines)
    bare = [e for e in entries if e.is_carried and not e.hashes]
    if bare and any(e.hashes for e in entries) and "mixed" in expect.get("strict_reader", ""):
        yield from refusal_faults(run, [f": line {bare[0].number}, column 1: ", "no --hash"])
        run = plan.run_text(lock.name, text + "\n--no-require-hashes\n", machines)
    if run.returncode:
        yield f"refused: {run.stderr.strip()}"
        return
    have = json.loads(run.stdout)
    for name, want in expect["selections"]["default"]["targets"].items():
        cell = have[name.replace(".", "_")]
        yield from (f"{name}: {fault}" for fault in cell_faults(want, cell, entries))
        yield from (f"{name}: {fault}" for fault in hash_faults(cell, entries))


MACHINE = {"cp312-linux_x86_64-glibc2.35": "3.12.7"}


def broken_faults(plan, lock):
    yield from refusal_faults(plan.run(lock, MACHINE),
                              [f"{lock.name}: line 1, column 1: -e .", "uv export --no-emit-project"])
    text = lock.read_text(encoding="utf-8")
    run = plan.run_text("fine.txt", text.replace("-e .\n", "", 1), MACHINE)
    if run.returncode:
        yield f"refused without its first line: {run.stderr.strip()}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: lock_corpus_requirements.py LOCK_PLAN DIR")
    tool, folder = sys.argv[1], Path(sys.argv[2])
    good = sorted((folder / "good").glob("*.requirements.txt"))
    if not good:
        print(f"requirements corpus: skipped: no {folder}")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        plan = Plan(tool, temporary)
        faults = {lock: list(lock_faults(plan, lock)) for lock in good}
        broken = folder / "broken" / "editable-dot.requirements.txt"
        faults[broken] = list(broken_faults(plan, broken))
    for lock, found in faults.items():
        for fault in found:
            print(f"{lock.relative_to(folder)}: {fault}")
    print(f"requirements corpus: {len(faults)} files, {sum(map(bool, faults.values()))} wrong")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
