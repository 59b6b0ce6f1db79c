#!/usr/bin/env python3
"""toml_conformance.py ORACLE DIR: judges a TOML reader by the toml-test suite for TOML 1.0.

ORACLE reads TOML on standard input and prints tagged JSON, or exits 1 with "line L, column C: ...".
DIR holds files-toml-1.0.0 (or a folder `tests` that does). Values are compared, not texts.
The last line is "toml conformance: N files, M wrong"; the exit status is 1 when M > 0.
"""
import json
import math
import re
import subprocess
import sys
from pathlib import Path

LIST = "files-toml-1.0.0"
WHERE = re.compile(rb"line [1-9][0-9]*, column [1-9][0-9]*: \S")


def normal_time(text):
    """One spelling of a date or time: 'T', 'Z', no trailing zeros of a second's fraction."""
    text = text.upper().replace(" ", "T")
    text = re.sub(r"(\.[0-9]*?)0+(?![0-9])", r"\1", text)
    return re.sub(r"\.(?![0-9])", "", text)


def normal_scalar(kind, value):
    if kind == "float":
        number = float(value)
        return "nan" if math.isnan(number) else (number, math.copysign(1, number))
    if kind == "integer":
        return int(value)
    if "date" in kind or "time" in kind:
        return normal_time(value)
    return value


def normal(tree):
    if isinstance(tree, list):
        return [normal(v) for v in tree]
    if set(tree) == {"type", "value"} and isinstance(tree["value"], str):
        return (tree["type"], normal_scalar(tree["type"], tree["value"]))
    return {key: normal(value) for key, value in tree.items()}


def judge(oracle, path):
    """None, or what is wrong with the reader's answer."""
    run = subprocess.run([oracle], input=path.read_bytes(), capture_output=True)
    if run.returncode not in (0, 1):
        return f"exit status {run.returncode}"
    if "invalid" in path.parent.parts[-2:]:
        if run.returncode == 0:
            return "accepted"
        return None if WHERE.match(run.stderr) else f"no place in the message: {run.stderr!r}"
    if run.returncode:
        return f"refused: {run.stderr.decode(errors='replace').strip()}"
    want = normal(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    have = normal(json.loads(run.stdout))
    return None if want == have else f"values differ:\n  want {want}\n  have {have}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: toml_conformance.py ORACLE DIR")
    oracle, folder = sys.argv[1], Path(sys.argv[2])
    if not (folder / LIST).exists() and (folder / "tests" / LIST).exists():
        folder = folder / "tests"
    if not (folder / LIST).exists():
        print(f"toml conformance: skipped: no {folder}")
        return 0
    names = (folder / LIST).read_text(encoding="utf-8").split()
    files = [folder / name for name in names if name.endswith(".toml")]
    wrong = 0
    for path in files:
        fault = judge(oracle, path)
        if fault:
            wrong += 1
            print(f"{path.relative_to(folder)}: {fault}")
    print(f"toml conformance: {len(files)} files, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
