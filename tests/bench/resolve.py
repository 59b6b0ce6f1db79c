#!/usr/bin/env python3
"""resolve against uv on the same indexes on loopback, side by side in one run.

    resolve.py BIN_DIR [--rounds N] [--candidates N]

Closures of the shape of torch's (29 packages) and vllm's (187, with pages of thousands of files) for eight
targets: one `gpkg-bundle resolve` against eight `uv pip compile`, with an empty and with a full cache; from an index
that says how long its pages may be kept, and from one that says nothing. Then one project of 10,000 versions of which
only the oldest will do: because a requirement, its Requires-Python or the METADATA of each of the others says so. The
programs take turns; the median counts, peak memory is what the kernel reports. The last word of a row says whether
the budget holds.
"""

import argparse
import functools
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from universe import Server, Universe  # noqa: E402 (the path comes first)

TARGETS = [(python, machine) for machine in ("x86_64", "aarch64") for python in ("3.10", "3.11", "3.12", "3.13")]
WARM_RATIO, MANY_SECONDS, MANY_MIB = 0.5, 0.2, 64

# ---- indexes ----

BINARY = [f"cp3{n}-cp3{n}-{p}" for n in (10, 11, 12, 13) for p in (
    "manylinux_2_17_x86_64.manylinux2014_x86_64", "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "musllinux_1_2_x86_64", "macosx_11_0_arm64", "win_amd64")]
NVIDIA = ["py3-none-manylinux_2_27_x86_64", "py3-none-manylinux_2_27_aarch64", "py3-none-win_amd64"]
PURE = ["py3-none-any"]
NVIDIA_NAMES = ["cublas", "cuda-cupti", "cuda-nvrtc", "cuda-runtime", "cudnn", "cufft", "cufile", "curand", "cusolver",
                "cusparse", "cusparselt", "nccl", "nvjitlink", "nvshmem", "nvtx"]


def add_project(universe, name, nversions, tags, requires=lambda version: []):
    """Versions 1.0 to nversions.0, each with an sdist."""
    for number in range(1, nversions + 1):
        needs = requires(number)
        for tag in [*tags, ""]:
            universe.add(name, f"{number}.0", tags=tag, requires=needs, python=">=3.9", is_hollow=True)


def torch_index():
    """29 packages: exact pins of the accelerator's parts through extras of one package, ranges for the rest."""
    u = Universe()
    plain = {"filelock": 60, "typing-extensions": 40, "networkx": 60, "fsspec": 90, "mpmath": 20, "pathfinder": 15}
    for name, nversions in plain.items():
        add_project(u, name, nversions, PURE)
    add_project(u, "setuptools", 600, PURE)
    add_project(u, "sympy", 40, PURE, lambda n: ["mpmath<20,>=1.1"])
    add_project(u, "markupsafe", 40, BINARY)
    add_project(u, "jinja", 50, PURE, lambda n: ["markupsafe>=2.0"])
    add_project(u, "bindings", 15, BINARY, lambda n: [f"pathfinder~={max(1, n - 3)}.0"])
    for name in NVIDIA_NAMES:
        needs = ["nvidia-nvjitlink"] if name in ("cufft", "cusolver", "cusparse") else []
        add_project(u, f"nvidia-{name}", 16, NVIDIA, lambda n, needs=needs: needs)
    parts = NVIDIA_NAMES[:10]
    for n in range(1, 11):
        u.add("toolkit", f"{n}.0", extras=parts, is_hollow=True, requires=[
            f'nvidia-{p}=={n + 2}.*; (sys_platform == "win32" or sys_platform == "linux") and extra == "{p}"'
            for p in parts])
    add_project(u, "triton", 30, BINARY)
    add_project(u, "torch", 47, BINARY, lambda n: [
        "filelock", "typing-extensions>=4.10", 'setuptools; python_version >= "3.12"', "sympy>=13.3",
        "networkx>=2.5.1", "jinja", "fsspec>=8.5", f'triton=={min(n, 30)}.0; platform_system == "Linux"',
        f"bindings<{min(16, n)},>=10.0", *(f'nvidia-{p}=={min(n, 12)}.0; platform_system == "Linux"'
                                           for p in NVIDIA_NAMES[10:]),
        f'toolkit[{",".join(parts)}]=={max(1, min(n, 47) - 38)}.0; platform_system == "Linux"'])
    return u


def stack_index(packages=187, seed=5):
    """A large application: every package needs some of the later ones, mostly from a version on, at times up to one."""
    rng = random.Random(seed)
    u = Universe()
    sizes = [rng.choice([8, 20, 40, 60, 90, 150]) for _ in range(packages)]
    for at in range(packages):
        later = range(at + 1, packages)
        asked = rng.sample(later, min(len(later), 70 if at == 0 else rng.choice([0, 1, 2, 3, 5, 8])))
        asked = sorted({*asked, at + 1} & set(later))

        def requires(number, at=at, asked=asked):
            for to in asked:
                share = number / sizes[at]
                roll = (at * 31 + to * 17) % 100
                low, high = max(1, int(sizes[to] * share * 0.5)), max(1, int(sizes[to] * (0.6 + 0.4 * share)))
                yield (f"p{to}" if roll < 25 else f"p{to}>={low}.0" if roll < 85 else f"p{to}>={low}.0,<={high}.0") + (
                    ' ; python_version >= "3.9"' if roll % 10 == 3 else "")

        kind = rng.choices([PURE, BINARY, NVIDIA], [70, 22, 8])[0] if at else BINARY
        nversions = 200 if at == 7 else sizes[at]  # one page as large as numpy's
        sizes[at] = nversions
        add_project(u, f"p{at}", nversions, BINARY if at == 7 else kind, lambda n, f=requires: list(f(n)))
    return u


def many_index(kind, candidates):
    """`many` has so many versions; only the oldest will do."""
    u = Universe()
    u.add("holder", "1.0", requires=["many<=1.0"] if kind == "requirement" else ["peg<2"], is_hollow=True)
    for number in range(1, candidates + 1):
        old = number == 1
        u.add("many", f"{number}.0", is_hollow=True, python=">=3.99" if kind == "python" and not old else ">=3.8",
              requires=["peg>=2"] if kind == "metadata" and not old else ["peg"])
    u.add("peg", "1.0", is_hollow=True)
    u.add("peg", "2.0", is_hollow=True)
    return u


# ---- running ----


class Measured:

    def __init__(self, cpu=0.0, wall=0.0, mib=0.0):
        self.cpu, self.wall, self.mib = cpu, wall, mib

    def __add__(self, other):
        return Measured(self.cpu + other.cpu, self.wall + other.wall, max(self.mib, other.mib))


def run(command, output, **environment):
    """One program to its end."""
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            for descriptor, path in ((1, output), (2, output.with_suffix(".err"))):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)
            os.execvpe(str(command[0]), [str(c) for c in command], {**BASE, **environment})
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status):
        told = output.with_suffix(".err").read_text()[-2000:]
        sys.exit(f"bench: failed: {' '.join(map(str, command))}: {told}")
    return Measured(usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024)


BASE = {"PATH": os.environ["PATH"], "PIP_CONFIG_FILE": "/dev/null", "UV_NO_CONFIG": "1", "LC_ALL": "C.UTF-8",
        "UV_PYTHON_DOWNLOADS": "never", "no_proxy": "127.0.0.1"}


def serve(shapes, cache_control):
    """A process that makes indexes and serves them, every page made beforehand: (its id, their URLs). Not this one:
    what a process has had counts as the peak of what it starts."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            server = Server(cache_control)
            urls = [server.add(shape()) for shape in shapes]
            for prefix, (universe, _) in server.universes.items():
                for name in universe.projects:
                    server.find([prefix, "simple", name])
            os.write(writing, "\n".join(urls).encode())
            os.close(writing)
            server.serve_forever()
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, encoding="utf-8") as told:
        return child, told.read().split()


class Bench:

    def __init__(self, options, scratch):
        self.program = options.bin / "gpkg-bundle"
        self.rounds, self.scratch, self.missed = options.rounds, pathlib.Path(scratch), 0
        BASE["HOME"] = scratch

    def ours(self, url, roots, targets, cache):
        lock = self.scratch / "lock.toml"
        lock.write_text(f"lock-version = 1\npackages = {json.dumps(roots)}\n" + "".join(
            f'[[target]]\nname = "t{n}"\npython = "{python}"\nplatform = "linux_{machine}"\nglibc = "2.28"\n'
            for n, (python, machine) in enumerate(targets)))
        return run([self.program, "resolve", lock, "--json", "--quiet", "--cache", self.scratch / cache],
                   self.scratch / "ours.json", PIP_INDEX_URL=url)

    def theirs(self, url, roots, targets, cache):
        (self.scratch / "in.txt").write_text("\n".join(roots) + "\n")
        total = Measured()
        for n, (python, machine) in enumerate(targets):
            total += run([ROOT / "build/tools/bin/uv", "pip", "compile", "-q", "-p", sys.executable, "--python-version",
                          python, "--python-platform", f"{machine}-manylinux_2_28", "--default-index", url,
                          "--no-header", "--no-annotate", "--cache-dir", self.scratch / cache,
                          self.scratch / "in.txt"], self.scratch / f"uv{n}.txt")
        return total

    def both(self, url, roots, targets):
        """{(who, "cold" or "warm"): samples}; each round begins with empty caches."""
        samples = {}
        for _ in range(self.rounds):
            for who, ask in (("ours", self.ours), ("uv", self.theirs)):
                shutil.rmtree(self.scratch / who, ignore_errors=True)
                for state in ("cold", "warm"):
                    samples.setdefault((who, state), []).append(ask(url, roots, targets, who))
        return samples

    def packages(self):
        """How many each of the two gives the first target, and how many of these differ."""
        answer = json.loads((self.scratch / "ours.json").read_text())
        mine = {f["name"]: f["version"] for f in answer["targets"][0]["files"] if "run" in f["use"]}
        uv = dict(line.split(" ;")[0].split("==") for line in (self.scratch / "uv0.txt").read_text().split())
        return len(mine), len(uv), sum(mine.get(n) != v for n, v in uv.items())

    def compare(self, title, url, roots):
        samples = self.both(url, roots, TARGETS)
        mine, uv, differing = self.packages()
        print(f"{title}: {mine} packages, uv {uv}, {differing} of other versions; {len(TARGETS)} targets")
        for state in ("cold", "warm"):
            a, b = ({k: median(samples[who, state], k) for k in ("cpu", "wall", "mib")} for who in ("ours", "uv"))
            ratio = a["wall"] / b["wall"]
            verdict = "" if state == "cold" else f" (<= {WARM_RATIO})  {self.verdict(ratio <= WARM_RATIO)}"
            print(f"  {state}: {a['wall']:6.2f} s, CPU {a['cpu']:6.2f} s, {a['mib']:4.0f} MiB; uv {b['wall']:6.2f} s, "
                  f"CPU {b['cpu']:6.2f} s, {b['mib']:4.0f} MiB; wall {ratio:5.2f}, CPU {a['cpu'] / b['cpu']:5.2f}"
                  f"{verdict}", flush=True)

    def many(self, kind, url, state):
        samples = self.both(url, ["many", "holder"], [("3.12", "x86_64")])
        for at in ("cold", "warm"):
            a, b = ({k: median(samples[who, at], k) for k in ("cpu", "wall", "mib")} for who in ("ours", "uv"))
            good = a["wall"] <= MANY_SECONDS and a["mib"] <= MANY_MIB
            verdict = f" (<= {MANY_SECONDS} s, {MANY_MIB} MiB)  {self.verdict(good)}" if at == state else ""
            print(f"  by {kind}, {at}: {a['wall']:5.2f} s, {a['mib']:4.0f} MiB; uv {b['wall']:5.2f} s, "
                  f"{b['mib']:4.0f} MiB{verdict}", flush=True)

    def verdict(self, good):
        self.missed += not good
        return "ok" if good else "MISSED"


def median(samples, field):
    return statistics.median(getattr(s, field) for s in samples)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("bin", type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--candidates", type=int, default=10000)
    options = p.parse_args()
    kinds = {"requirement": "cold", "python": "cold", "metadata": "warm"}  # the state that has the budget
    many = [functools.partial(many_index, k, options.candidates) for k in kinds]
    children = []
    try:
        with tempfile.TemporaryDirectory(prefix="gpkg-bench-") as scratch:
            bench = Bench(options, scratch)
            for what, cache_control in (("pages may be kept", "max-age=3600"), ("pages without Cache-Control", "")):
                child, urls = serve([torch_index, stack_index, *many][:5 if cache_control else 2], cache_control)
                children.append(child)
                bench.compare(f"the shape of torch, {what}", urls[0], ["torch"])
                bench.compare(f"the shape of vllm, {what}", urls[1], ["p0"])
                if cache_control:
                    print(f"{options.candidates} candidates, of which the oldest will do")
                for (kind, state), url in zip(kinds.items(), urls[2:]):
                    bench.many(kind, url, state)
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
    print(f"{bench.missed} budgets missed; this machine has {os.cpu_count()} cores")
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
