"""Judges a plan by the index's own truth, with PyPI's `packaging` alone: no solver, nothing of ours.

    target = Target("3.12", "x86_64")
    plan = [Pick("a-1.0-py3-none-any.whl", {"run"}, {"fast"})]
    for complaint in check_plan(universe, target, plan): ...

A plan is right where every requirement that counts for the target is met by exactly one run-time file, each
file is the best of its version for the target, and nothing is there that nobody needs. find_exchanges() says
besides where a newer version could be had without touching anything else.
"""

import dataclasses
import functools
import itertools

from packaging import tags
from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from universe import normalized

GLIBC = 28  # 2.28


class Target:
    """CPython on glibc 2.28; `cuda` is the label of its local versions ("cu128")."""

    def __init__(self, python, machine, cuda="cu128"):
        self.python, self.machine, self.cuda = python, machine, cuda
        self.full = python + ".0"
        self.environment = {
            "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": machine,
            "platform_python_implementation": "CPython", "implementation_name": "cpython",
            "python_version": python, "python_full_version": self.full, "implementation_version": self.full,
            "platform_release": "", "platform_version": "", "extra": "",
        }
        self.ranks = {t: n for n, t in enumerate(self.tags())}

    @property
    def name(self):
        return f"cp{self.python.replace('.', '')}-{self.machine.replace('_', '-')}"

    def tags(self):
        pair = tuple(int(n) for n in self.python.split("."))
        platforms = []
        for minor in range(GLIBC, 4 if self.machine == "x86_64" else 16, -1):
            platforms.append(f"manylinux_2_{minor}_{self.machine}")
            legacy = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}.get(minor)
            platforms += [f"{legacy}_{self.machine}"] if legacy else []
        platforms.append(f"linux_{self.machine}")
        interpreter = "cp" + self.python.replace(".", "")
        yield from tags.cpython_tags(pair, [interpreter], platforms)
        yield from tags.compatible_tags(pair, interpreter, platforms)

    def holds(self, requirement, extras=()):
        """Does its marker, for any of the extras that are asked for?"""
        marker = requirement.marker
        return marker is None or any(
            marker.evaluate({**self.environment, "extra": extra}) for extra in [*extras, ""])


@functools.lru_cache(maxsize=None)
def requirement_of(text):
    return Requirement(text)


@functools.lru_cache(maxsize=None)
def version_of(text):
    return Version(text)


def admits(requirement, version):
    return requirement.specifier.contains(version, prereleases=True)


# ---- files ----


def python_fits(file, target):
    """A text that nobody can read counts as none, as for pip."""
    try:
        return SpecifierSet(file.python).contains(target.full, prereleases=True)
    except InvalidSpecifier:
        return True


def label_fits(file, target):
    """No local label of another variant than the target's."""
    local = version_of(file.version).local
    return not local or not (local == "cpu" or local.startswith("cu")) or local == target.cuda


def tag_rank(file, target):
    """(0: wheel, 1: sdist; rank of its best tag; -build number), the smaller the better; None: does not fit."""
    if file.is_sdist:
        return (1, 0, 1)
    _, _, build, found = parse_wheel_filename(file.name)
    ranks = [target.ranks[t] for t in found if t in target.ranks]
    return (0, min(ranks), -build[0] if build else 1) if ranks else None


def fits(file, target):
    return python_fits(file, target) and label_fits(file, target) and tag_rank(file, target) is not None


def is_pinned(file, target, roots):
    """uv's rule: a root asks for this very version, and for nothing else."""
    for root in map(requirement_of, roots):
        pins = list(root.specifier)
        if (normalized(root.name) == normalized(file.project) and target.holds(root) and len(pins) == 1
                and pins[0].operator in ("==", "===") and not pins[0].version.endswith(".*")
                and version_of(pins[0].version) == version_of(file.version)):
            return True
    return False


def candidate_key(file):
    """The order of preference: finals before pre-releases, then versions."""
    version = version_of(file.version)
    return (not version.is_prerelease, version)


# ---- plans ----


@dataclasses.dataclass
class Pick:
    file: str
    use: set  # "run", "build", "toolkit"
    extras: set | None = None  # as the plan says; None: it does not


class Closure:
    """What `roots` lead to over the files of a plan. asked: project -> the requirements on it."""

    def __init__(self, target, roots, files):
        self.target, self.files = target, files
        self.asked, self.extras, self.unmet = {}, {}, []
        todo = [(None, requirement_of(r), ()) for r in roots]
        seen = set()
        while todo:
            who, requirement, extras = todo.pop(0)
            if not target.holds(requirement, extras):
                continue
            name = canonicalize_name(requirement.name)
            self.asked.setdefault(name, []).append((who, requirement))
            file = files.get(name)
            if file is None or not admits(requirement, version_of(file.version)):
                self.unmet.append((who, requirement))
                continue
            known = self.extras.setdefault(name, set())
            known |= {canonicalize_name(e) for e in requirement.extras}
            state = (name, frozenset(known))
            if state not in seen:
                seen.add(state)
                todo += [(file.name, requirement_of(r), known) for r in file.requires]


def check_plan(universe, target, plan):
    """Complaints, in words."""
    files = universe.files()
    complaints = [f"{p.file} is not in the index" for p in plan if p.file not in files]
    if complaints:
        return complaints
    run = [files[p.file] for p in plan if "run" in p.use]
    build = [files[p.file] for p in plan if "build" in p.use]
    chosen = {normalized(f.project): f for f in run}
    if len(chosen) != len(run):
        complaints.append("two run-time files of one project")
    closure = Closure(target, universe.roots, chosen)
    complaints += [f"{file.name} is against the constraint {c}" for file in run
                   for c in constraints_on(universe, target, file) if not admits(c, version_of(file.version))]
    complaints += [f"unmet: {requirement} of {who or 'the lock'}" for who, requirement in closure.unmet]
    complaints += [f"nobody needs {chosen[n].name}" for n in chosen.keys() - closure.asked.keys()]
    for pick in plan:
        file = files[pick.file]
        complaints += check_file(universe, target, file, "run" in pick.use)
        want = closure.extras.get(normalized(file.project), set())
        if "run" in pick.use and pick.extras not in (None, want):
            complaints.append(f"{pick.file} has the extras {sorted(pick.extras)}, not {sorted(want)}")
    return complaints + list(check_builds(target, run, build))


def constraints_on(universe, target, file):
    return [c for c in map(requirement_of, universe.constraints)
            if normalized(c.name) == normalized(file.project) and target.holds(c)]


def check_file(universe, target, file, is_run):
    if not fits(file, target):
        yield f"{file.name} does not fit: python {file.python or 'any'}, tags {file.tags or 'sdist'}"
        return
    if file.yanked is not None and not (is_run and is_pinned(file, target, universe.roots)):
        yield f"{file.name} is yanked, and nothing pins it"
    for other in universe.projects[normalized(file.project)]:
        if (version_of(other.version) == version_of(file.version) and is_allowed(universe, target, other)
                and tag_rank(other, target) < tag_rank(file, target)):
            yield f"{other.name} fits better than {file.name}"


def is_allowed(universe, target, file):
    return fits(file, target) and (file.yanked is None or is_pinned(file, target, universe.roots))


def find_exchanges(universe, target, plan):
    """[(chosen File, better File)]: a candidate of another version that could stand there, all else as it is. No
    fault in itself: where two packages hold each other down, a solver raises one before it lets go of the other."""
    files, found = universe.files(), []
    chosen = {normalized(files[p.file].project): files[p.file] for p in plan if "run" in p.use}
    closure = Closure(target, universe.roots, chosen)
    for name, file in chosen.items():
        for better in universe.projects[name]:
            if (any(check_file(universe, target, better, True))  # not the best of its version, or not for this target
                    or candidate_key(better) <= candidate_key(file)
                    or not all(admits(r, version_of(better.version)) for r in constraints_on(universe, target, better))
                    or not all(admits(r, version_of(better.version)) for _, r in closure.asked[name])):
                continue
            other = Closure(target, universe.roots, {**chosen, name: better})
            if not other.unmet and other.asked.keys() == chosen.keys():
                found.append((file, better))
    return found


def check_builds(target, run, build):
    """Every sdist's build requirements are met, and nothing else is there to build with."""
    by_name, needed = {}, set()
    for file in build:
        by_name.setdefault(normalized(file.project), []).append(file)
    for sdist in [f for f in {f.name: f for f in [*run, *build]}.values() if f.is_sdist]:
        environment = find_environment(target, sdist.build_requires, by_name)
        if environment is None:
            yield f"no build environment for {sdist.name}: {', '.join(sdist.build_requires)}"
        else:
            needed |= environment
    for file in build:
        if normalized(file.project) not in needed:
            yield f"nobody builds with {file.name}"


def find_environment(target, requires, by_name):
    """The projects of one consistent choice among the files, or None."""
    names = list(by_name)
    needed, is_found = set(), False
    for choice in itertools.islice(itertools.product(*by_name.values()), 4096):
        closure = Closure(target, requires, dict(zip(names, choice)))
        if not closure.unmet:
            is_found = True
            needed |= closure.asked.keys()
    return needed if is_found else None
