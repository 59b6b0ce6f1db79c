#!/usr/bin/env python3
"""Real stacks against the index that pip is configured with: our `resolve` and `uv pip compile`, side by side.

    stacks.py [--cache DIR] [--together] PROGRAM [STACK]...

For each stack and target: the same verdict? the same versions? Differences are printed. Each target has a lock of its
own; --together puts all of a stack into one, where a version that an earlier target got is preferred to a newer one. A hand run: it looks up, by
name, what the stacks need and nothing else. The last line is "N cells, M with another verdict, D differences"."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

STACKS = {
    "torch": ["torch"],
    "xformers": ["xformers"],
    "vllm": ["vllm"],
    "cupy": ["cupy-cuda13x"],
    "transformers": ["transformers", "accelerate", "bitsandbytes"],
    "ray": ["ray[default]"],
    "jupyterlab": ["jupyterlab"],
    "science": ["scikit-learn", "pandas", "matplotlib"],
    "pygpukit": ["pygpukit"],
    "ffpa-attn": ["ffpa-attn"],
    "torch-scatter": ["torch-scatter"],
    "spacy": ["spacy"],
}
TARGETS = {
    "cp311": ("3.11", "x86_64"),
    "cp312": ("3.12", "x86_64"),
    "cp313": ("3.13", "x86_64"),
    "grace": ("3.12", "aarch64"),
}
LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def write_lock(folder, wanted, targets):
    path = os.path.join(folder, "lock.toml")
    with open(path, "w") as f:
        f.write("lock-version = 1\npackages = %s\n" % json.dumps(wanted))
        for name in targets:
            python, machine = TARGETS[name]
            f.write('\n[[target]]\nname = "%s"\npython = "%s"\nplatform = "linux_%s"\nglibc = "2.35"\n'
                    % (name, python, machine))
    return path


def ours(program, lock, cache):
    """{target: {name: version} or None}, the notes, and seconds."""
    begin = time.monotonic()
    run = subprocess.run([program, "resolve", lock, "--json", "--cache", cache], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if not run.stdout.strip():
        sys.exit(run.stderr)
    answer = json.loads(run.stdout)
    # A wheel to be compiled wants a [toolkit], which these locks leave out: uv does not ask for one.
    bad = {h["target"] for h in answer["holes"] if "compiled with nvcc" not in h["text"]}
    plans = {}
    for target in answer.get("targets", []):
        files = {normal(f["name"]): f["version"] for f in target["files"] if "run" in f["use"]}
        plans[target["name"]] = None if target["name"] in bad else files
    return plans, answer["holes"], answer.get("notes", []), seconds


def uv(wanted, python, machine, cache):
    with tempfile.NamedTemporaryFile("w", suffix=".in") as f:
        f.write("\n".join(wanted) + "\n")
        f.flush()
        begin = time.monotonic()
        run = subprocess.run(
            [shutil.which("uv") or "build/tools/bin/uv", "pip", "compile", "--no-header", "--no-annotate",
             "--python-version", python, "--python-platform", machine + "-manylinux_2_35",
             "--cache-dir", cache, f.name],
            capture_output=True, text=True, env=dict(os.environ, UV_PYTHON_DOWNLOADS="never"))
        seconds = time.monotonic() - begin
    if run.returncode:
        return None, run.stderr.strip().splitlines()[-8:], seconds
    found = (LINE.match(line) for line in run.stdout.splitlines())
    return {normal(m[1]): m[2] for m in found if m}, [], seconds


def compare(stack, target, mine, theirs, why, holes):
    if (mine is None) != (theirs is None):
        print("%s %s: VERDICT ours %s, uv %s" % (stack, target, mine and "yes", theirs and "yes"))
        for line in why + [h["text"] for h in holes if h["target"] == target]:
            print("    " + line)
        return 1, 0
    if mine is None:
        return 0, 0
    differences = 0
    for name in sorted(set(mine) | set(theirs)):
        if mine.get(name) != theirs.get(name):
            differences += 1
            print("%s %s: %s ours %s, uv %s" % (stack, target, name, mine.get(name), theirs.get(name)))
    return 0, differences


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--cache")
    p.add_argument("--together", action="store_true")
    p.add_argument("stacks", nargs="*")
    args = p.parse_args()
    cache = args.cache or tempfile.mkdtemp(prefix="stacks-")
    cells = verdicts = differences = 0
    for stack in args.stacks or STACKS:
        plans, holes, notes, seconds = {}, [], [], 0
        for group in [list(TARGETS)] if args.together else [[t] for t in TARGETS]:
            with tempfile.TemporaryDirectory() as folder:
                lock = write_lock(folder, STACKS[stack], group)
                some, lack, said, took = ours(args.program, lock, cache + "/ours")
            plans.update(some)
            holes += lack
            notes += said
            seconds += took
        total = 0
        for target, (python, machine) in TARGETS.items():
            theirs, why, took = uv(STACKS[stack], python, machine, cache + "/uv")
            total += took
            bad, different = compare(stack, target, plans.get(target), theirs, why, holes)
            cells += 1
            verdicts += bad
            differences += different
        print("%-14s ours %.1f s for %d targets, uv %.1f s; files %s; %d notes" % (
            stack, seconds, len(TARGETS), total,
            " ".join(str(len(x)) if x is not None else "-" for x in plans.values()), len(notes)), flush=True)
    print("%d cells, %d with another verdict, %d differences" % (cells, verdicts, differences))
    return 1 if verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
