#!/usr/bin/env python3
"""Random package indexes, resolved by gpkg-bundle and by uv, and the plans judged by plan_checker.py.

usage: differential_resolve.py PROGRAM [N [SEED]]        PROGRAM: gpkg-bundle, or "uv": only uv against the checker

Each of the N indexes (universe.py) is asked for four targets at once. A case is a target: both must find a plan
or none, the plan must be right, and the versions the same as uv's. What the lock overrides or excludes is written
into the index that uv and the checker see. Where they are not, uv is asked again with
one thing after the other arranged as gpkg-bundle does it on purpose (REASONS): the difference is explained by
the first that makes it go away. The last line is "N cases, M differences"; exit status 1 when M > 0.
"""

import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import plan_checker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from plan_checker import Pick, Target, check_plan
from universe import SERIAL, Server, Universe, normalized, random_universe

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "build/tools/bin"
INDEXES, SEED = 60, 20261130
TARGETS = [Target("3.11", "x86_64"), Target("3.12", "x86_64"), Target("3.13", "x86_64"), Target("3.12", "aarch64")]


def as_overridden(universe):
    """The index as it would be if every file said what the lock's overrides and exclusions say."""

    def told(texts):
        for requirement in map(Requirement, texts):
            name = canonicalize_name(requirement.name)
            if name not in universe.excludes:
                requirement.specifier = SpecifierSet(universe.overrides.get(name, str(requirement.specifier)))
                yield str(requirement)

    return changed(universe, lambda files: [dataclasses.replace(
        f, requires=list(told(f.requires)), build_requires=list(told(f.build_requires))) for f in files])


def changed(universe, change):
    """The universe with other files for each project; change: [File] -> [File]."""
    copy = Universe(universe.roots)
    copy.constraints = universe.constraints
    copy.projects = {name: change(files) for name, files in universe.projects.items()}
    return copy


def renewed(universe):
    """The same with other bytes in each file."""
    return changed(universe, lambda files: [dataclasses.replace(f, serial=next(SERIAL)) for f in files])


# ---- what gpkg-bundle does on purpose, as changes of the index that uv sees ----


def fitting_python(files, target):
    """uv looks at Requires-Python's lower bounds alone, and skips files where it cannot read them."""
    return [dataclasses.replace(f, python="") for f in files
            if plan_checker.python_fits(f, target)]


def fitting_label(files, target):
    """uv knows no variants: the highest local version wins."""
    return [f for f in files if plan_checker.label_fits(f, target)]


def best_of_each_version(files, target):
    """uv reads the METADATA of one file for all of a version, be it that of another machine's wheel."""
    best = {}
    for f in [f for f in files if plan_checker.tag_rank(f, target)]:
        at = plan_checker.version_of(f.version)
        if at not in best or plan_checker.tag_rank(f, target) < plan_checker.tag_rank(best[at], target):
            best[at] = f
    return list(best.values())


REASONS = [
    ("Requires-Python counts whole", fitting_python),
    ("local labels of other variants are left out", fitting_label),
    ("requirements are those of the chosen file", best_of_each_version),
]
KEPT = "the version of an earlier target is kept"
OTHER = "packages hold each other down: others are newer than with uv"
OTHERS_MAX = 0.02  # of all cases


# ---- the two programs ----


@dataclasses.dataclass
class Answer:
    """versions: project -> version, None: there is no plan. holes: of gpkg-bundle."""

    versions: dict | None
    plan: list = dataclasses.field(default_factory=list)
    holes: list = dataclasses.field(default_factory=list)
    text: str = ""


class Programs:

    def __init__(self, program, scratch):
        self.program, self.scratch, self.server = program, pathlib.Path(scratch), Server()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": scratch, "LC_ALL": "C.UTF-8", "PIP_CONFIG_FILE": "/dev/null",
            "UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never", "no_proxy": "127.0.0.1",
        } | {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}

    def run(self, command, **environment):
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300,
                              env={**self.environment, **environment}, check=False)

    def folder(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.scratch))

    def ask_uv(self, index, target, requirements, constraints=(), favoured=None):
        """favoured: project -> version, as an earlier answer that uv keeps to where it can."""
        folder = self.folder()
        (folder / "in.txt").write_text("".join(r + "\n" for r in requirements))
        (folder / "limits.txt").write_text("".join(c + "\n" for c in constraints))
        command = [TOOLS / "uv", "pip", "compile", "-q", "-p", sys.executable, "--python-version", target.python,
                   "--python-platform", f"{target.machine}-manylinux_2_{plan_checker.GLIBC}", "--default-index",
                   index, "--no-header", "--no-annotate", "--no-cache", "-c",
                   folder / "limits.txt", folder / "in.txt"]
        if favoured:
            (folder / "out.txt").write_text("".join(f"{n}=={v}\n" for n, v in favoured.items()))
            command += ["-o", folder / "out.txt"]
        done = self.run(command)
        if done.returncode and "No solution found" not in done.stderr:
            raise RuntimeError(f"uv: {done.stderr}")
        text = (folder / "out.txt").read_text() if favoured and not done.returncode else done.stdout
        pins = [line.split(" ;")[0].split("==") for line in text.splitlines() if "==" in line]
        return Answer(None if done.returncode else {n.partition("[")[0]: v.strip() for n, v in pins},
                      text=done.stderr)

    def ask_gpkg(self, index, universe, cache=None):
        """An answer for each target; cache: a folder, else a new one."""
        folder = self.folder()
        (folder / "lock.toml").write_text("".join(
            ["lock-version = 1\n", f"packages = {json.dumps(universe.roots)}\n",
             f"constraints = {json.dumps(universe.constraints)}\nexclude = {json.dumps(universe.excludes)}\n"] +
            [f'[override.{name}]\nversion = "{specifier or "*"}"\nreason = "a test"\n'
             for name, specifier in universe.overrides.items()] +
            [f'[[target]]\nname = "{t.name}"\npython = "{t.python}"\nplatform = "linux_{t.machine}"\n'
             f'glibc = "2.{plan_checker.GLIBC}"\ncuda = "12.8"\n' for t in TARGETS]))
        done = self.run([self.program, "resolve", folder / "lock.toml", "--json", "--cache", cache or folder / "cache"],
                        PIP_INDEX_URL=index)
        try:
            answer = json.loads(done.stdout)
            planned = {t["name"]: t for t in answer["targets"]}
            if answer["ok"] != (done.returncode == 0):
                raise KeyError("ok")
            return [self.answer_of(planned[t.name], [h for h in answer["holes"] if h["target"] == t.name])
                    for t in TARGETS]
        except (ValueError, KeyError) as wrong:
            raise RuntimeError(f"gpkg-bundle: exit {done.returncode}, {wrong!r}: {done.stdout[-1500:]}"
                               f"{done.stderr[-1500:]}") from wrong

    @staticmethod
    def answer_of(target, holes):
        plan = [Pick(f["file"], set(f["use"]), set(f["extras"])) for f in target["files"]]
        run = {f["name"]: f["version"] for f in target["files"] if "run" in f["use"]}
        return Answer(run, plan, [h for h in holes if not h["waived"]])


# ---- one index ----


class Case:
    """One index and all its targets."""

    def __init__(self, programs, universe, label):
        self.programs, self.label = programs, label
        self.asked, self.universe = universe, as_overridden(universe)
        self.index = programs.server.add(renewed(self.universe))
        self.explained, self.differences = collections.Counter(), []

    def differ(self, target, what):
        self.differences.append(f"{self.label} {target.name}: {what}")

    def ask(self, turn):
        """An answer for each target; neither a full cache nor the order of the pages may change them: by turns."""
        cache, index = self.programs.folder(), self.programs.server.add(self.asked)
        ours = self.programs.ask_gpkg(index, self.asked, cache)
        if turn % 2:
            what, index, cache = "pages in another order", self.programs.server.add(
                changed(self.asked, lambda files: files[::-1])), None
        else:
            what = "a full cache"
        for target, one, other in zip(TARGETS, ours, self.programs.ask_gpkg(index, self.asked, cache)):
            if one.plan != other.plan or len(one.holes) != len(other.holes):
                self.differ(target, f"{what}: {told(one)}\n    and {told(other)}")
        return ours

    def judge(self, ours):
        """Compares all targets; ours: an answer for each, in order."""
        for at, target in enumerate(TARGETS):
            for complaint in [] if ours[at].holes else check_plan(self.universe, target, ours[at].plan):
                self.differ(target, complaint)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda at: self.compare(at, ours), range(len(TARGETS))))

    def compare(self, at, ours):
        target, mine = TARGETS[at], ours[at]
        first = last = favoured = None
        for reason, index, favoured in self.views(target, ours[:at]):
            last = self.programs.ask_uv(index, target, self.universe.roots, self.universe.constraints, favoured)
            first = first or last
            verdict = self.same(target, mine, last, index)
            if verdict:
                self.explained[reason or verdict] += 1
                return
        if self.is_other_optimum(target, mine, last, favoured or {}):
            self.explained[OTHER] += 1
            return
        self.differ(target, f"roots {self.universe.roots}\n    ours {told(mine)}\n    uv   {told(first)}\n"
                            f"    and, arranged as ours, {told(last)}")

    def same(self, target, mine, uv, index):
        """How they agree, or None."""
        if not mine.holes:
            return "same plan" if uv.versions == mine.versions else None
        if uv.versions is None:
            return "no plan"
        return "no build environment" if self.lacks_build(target, uv, index) else None

    def is_other_optimum(self, target, mine, uv, favoured):
        """Is something better in ours than in uv's, and nothing in ours that could be better by itself?"""
        if mine.holes or uv.versions is None or check_plan(self.universe, target, mine.plan):
            return False

        def key(name, version):
            version = plan_checker.version_of(version)
            return (str(version) == favoured.get(name), not version.is_prerelease, version)

        exchanges = plan_checker.find_exchanges(self.universe, target, mine.plan)
        improvable = [f for f, _ in exchanges if favoured.get(normalized(f.project)) != f.version]
        return not improvable and any(key(n, v) > key(n, uv.versions[n])
                                     for n, v in mine.versions.items() if n in uv.versions)

    def lacks_build(self, target, uv, index):
        """Does uv find no build environment for an sdist of its own plan, or one in which it must be there already?"""
        files = files_of(self.universe, target, uv)
        return files is not None and any(f.is_sdist and not self.is_buildable(target, f, index, ()) for f in files)

    def is_buildable(self, target, sdist, index, within):
        """`within`: the sdists whose builds are waiting for this one."""
        if sdist.name in within:
            return False
        env = self.programs.ask_uv(index, target, sdist.build_requires)
        if env.versions is None:
            return False
        files = files_of(self.universe, target, env)
        return files is not None and all(self.is_buildable(target, f, index, within + (sdist.name,))
                                         for f in files if f.is_sdist)

    def views(self, target, earlier):
        """(reason, index, favoured versions), from uv's own to ours. A step that changes nothing is left out."""
        yield None, self.index, None
        view, index = self.universe, self.index
        for reason, change in REASONS:
            next_view = changed(view, lambda files, change=change: change(files, target))
            if next_view.projects != view.projects:
                view, index = next_view, self.programs.server.add(renewed(next_view))
                yield reason, index, None
        favoured = self.favoured(target, view, earlier)
        if favoured:
            yield KEPT, index, favoured

    @staticmethod
    def favoured(target, view, earlier):
        """Of each project the first version of an earlier target that this one could have too, in its own variant."""
        found = {}
        for answer in earlier:
            for name, version in answer.versions.items():
                public = plan_checker.version_of(version).public
                same = [f.version for f in view.projects.get(name, [])
                        if plan_checker.version_of(f.version).public == public
                        and plan_checker.is_allowed(view, target, f)]
                if same and name not in found:
                    found[name] = max(same, key=plan_checker.version_of)
        return found


def told(answer):
    if answer is None or answer.versions is None:
        return "none: " + " ".join(answer.text.split())[:300] if answer else "nothing"
    return " ".join(f"{n}=={v}" for n, v in sorted(answer.versions.items())) + "".join(
        f" HOLE {h['project']}: {' '.join(h['text'].split())[:200]}" for h in answer.holes)


def files_of(universe, target, answer):
    """uv's versions as files; None where a version has no file that fits."""
    found = []
    for name, version in answer.versions.items():
        of_version = [f for f in universe.projects[name]
                      if plan_checker.version_of(f.version) == plan_checker.version_of(version)
                      and plan_checker.fits(f, target)]
        if not of_version:
            return None
        found.append(min(of_version, key=lambda f: plan_checker.tag_rank(f, target)))
    return found


def uv_alone(programs, universe, label, _):
    """uv's answers on what is left after REASONS, before the checker."""
    case = Case(programs, universe, label)
    for target in TARGETS:
        *_, (_, index, _) = case.views(target, [])
        answer = programs.ask_uv(index, target, universe.roots, universe.constraints)
        if answer.versions is None:
            case.explained["no plan"] += 1
            continue
        case.explained["same plan"] += 1
        plan = [Pick(f.name, {"run"}) for f in files_of(case.universe, target, answer)]
        for complaint in check_plan(case.universe, target, plan):
            if "build environment" not in complaint:
                case.differ(target, f"{complaint}\n    roots {universe.roots}\n    uv {told(answer)}")
    return case


def judged(programs, universe, label, turn):
    case = Case(programs, universe, label)
    try:
        case.judge(case.ask(turn))
    except RuntimeError as wrong:
        case.differences.append(f"{label} {wrong}")
    return case


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else INDEXES
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    explained, differences = collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix="gpkg-resolve-") as scratch:
        programs = Programs(sys.argv[1], scratch)
        with programs.server:
            for n in range(count):
                universe = random_universe(random.Random(f"{seed}/{n}"))
                run = uv_alone if sys.argv[1] == "uv" else judged
                case = run(programs, universe, f"index {n} of seed {seed},", n)
                explained += case.explained
                differences += len(case.differences)
                print("".join(f"{d}\n" for d in case.differences), end="", flush=True)
    for reason, times in explained.most_common():
        print(f"{times:6} {reason}")
    if explained[OTHER] > OTHERS_MAX * count * len(TARGETS):
        print(f"too many of these: {OTHER}")
        differences += explained[OTHER]
    print(f"{count * len(TARGETS)} cases, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
