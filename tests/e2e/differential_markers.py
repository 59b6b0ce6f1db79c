#!/usr/bin/env python3
"""Compares markers, requirements and tags with PyPI's `packaging`, which pip carries inside.

usage: differential_markers.py ORACLE     (the program made from tests/tools/markers_oracle.c)

The cases come from a fixed seed: texts grown from the grammar of PEP 508, lines as they stand in
real METADATA (requirement_lines.txt), mutations of both, and targets of every platform. Exit status
1 on any difference that is not in ALLOWED.
"""

import random
import re
import subprocess
import sys
from pathlib import Path

try:
    import packaging
    from packaging import _manylinux, _musllinux, tags
    from packaging.markers import Marker
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
except ImportError:
    print("skipped: this Python has no packaging 26")
    sys.exit(0)
if int(packaging.__version__.split(".")[0]) < 26:
    print(f"skipped: packaging {packaging.__version__} is older than 26")
    sys.exit(0)

SEED = 20261130
MARKERS = 14000
REQUIREMENTS = 14000
RANKS = 24000
SHOWN = 20

VARIABLES = [
    "python_version", "python_full_version", "os_name", "os.name", "sys_platform", "sys.platform",
    "platform_release", "platform_system", "platform_version", "platform.version",
    "platform_machine", "platform.machine", "platform_python_implementation",
    "platform.python_implementation", "python_implementation", "implementation_name",
    "implementation_version", "extra", "extras", "dependency_groups",
]
VARIABLE_NAMES = {name.replace(".", "_") for name in VARIABLES}


def ends_with_underscore(case):
    try:
        r = Requirement(case.text)
    except InvalidRequirement:
        return False
    return any(name.endswith("_") for name in [r.name, *r.extras])


def quotes_a_variable(case):
    return any(f"'{name}'" in case.text or f'"{name}"' in case.text for name in VARIABLE_NAMES)


# Where the two differ on purpose: (reason, what tells such a case).
ALLOWED = [
    (
        "PEP 508 lets a name end only in a letter or a digit; packaging takes 'name_'",
        lambda c: c.ours == "invalid" and c.kind == "requirement" and ends_with_underscore(c),
    ),
    (
        "PEP 508 has no escapes and no control characters in texts; packaging reads Python's",
        lambda c: c.ours == "invalid" and re.search(r"[\\\x00-\x08\x0a-\x1f\x7f]", c.text),
    ),
    (
        "an empty item between commas is refused; packaging's '===' swallows the commas behind it",
        lambda c: c.ours == "invalid" and re.search(r"===[^;)]*,[ \t]*,", c.text),
    ),
    (
        "PEP 508 writes versions in ASCII; packaging takes others behind a lone '==='",
        lambda c: c.ours == "invalid" and re.search(r"===[^;)]*[^\x00-\x7f]", c.text),
    ),
    (
        "a version number over 64 bits is refused",
        lambda c: re.search(r"[0-9]{20,}", c.text),
    ),
    (
        "two quoted texts have no meaning; packaging looks the right one up as a variable",
        lambda c: c.ours == "invalid" and c.kind == "marker" and quotes_a_variable(c),
    ),
]


class Case:
    def __init__(self, kind, line, text, theirs):
        self.kind, self.line, self.text, self.theirs = kind, line, text, theirs
        self.ours = None


class Target:
    """One kind of machine, as the oracle reads it and as packaging sees it."""

    def __init__(
        self, minor, platform, libc="", version=(0, 0), patch=None, threaded=False, release=""
    ):
        self.minor, self.platform, self.libc, self.version = minor, platform, libc, version
        self.patch, self.threaded, self.release = patch, threaded, release

    def spec(self, for_marker=False):
        text = f"python=3.{self.minor}"
        if self.patch is not None:
            text += f".{self.patch}"
        text += f"{'t' if self.threaded else ''} platform={self.platform}"
        if self.libc:
            text += f" {self.libc}={self.version[0]}.{self.version[1]}"
        if for_marker and self.release:
            text += f" release={self.release}"
        return text

    def environment(self):
        windows = self.platform.startswith("win")
        full = f"3.{self.minor}.{self.patch or 0}"
        machine = "AMD64" if windows else self.platform.split("_", 1)[1]
        return {
            "os_name": "nt" if windows else "posix",
            "sys_platform": "win32" if windows else "linux",
            "platform_system": "Windows" if windows else "Linux",
            "platform_machine": machine,
            "platform_python_implementation": "CPython",
            "implementation_name": "cpython",
            "python_version": f"3.{self.minor}",
            "python_full_version": full,
            "implementation_version": full,
            "platform_release": self.release,
            "platform_version": "",
            "extras": frozenset(),
            "dependency_groups": frozenset(),
        }

    def platforms(self):
        """packaging's own list for this machine. packaging 26.3 moved the plain linux_ARCH to the
        front; pip to 26.2 and uv have it last, and so do we: it promises nothing about glibc, so
        a manylinux wheel of the same version must win."""
        if self.platform.startswith("win"):
            return [self.platform]
        machine = self.platform.split("_", 1)[1]
        module = _manylinux if self.libc == "glibc" else _musllinux
        _manylinux._get_glibc_version = lambda: self.version
        _musllinux._get_musl_version = lambda _: _musllinux._MuslVersion(*self.version)
        return [*module.platform_tags([machine]), self.platform]

    def tags(self):
        interpreter = f"cp3{self.minor}"
        abi = interpreter + ("t" if self.threaded else "")
        platforms = self.platforms()
        return [
            *tags.cpython_tags((3, self.minor), [abi], platforms),
            *tags.compatible_tags((3, self.minor), interpreter, platforms),
        ]


# ---- cases from a grammar ----

VERSIONS = [
    "3", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "2.7", "4", "4.0", "3.9.1",
    "3.11.3", "3.12.0", "3.12.4", "3.13.0", "3.12.*", "3.*", "3.10.*", "3.9.", "3.12rc1",
    "3.13.0a1", "3.12.dev1", "3.12.post1", "3.12+local", "1!3.12", "v3.12", " 3.12 ", "3.12.0.0",
    "", "3.8,<4", "3.11 3.12", "3.11, 3.12", "=3.12", "linux", "5.15.0", "5", "5.15.0-91-generic",
    "6.8", "03.12", "3.012", "3.12;", "99999999999999999999999",
]
TEXTS = [
    "linux", "win32", "darwin", "Linux", "Windows", "Darwin", "posix", "nt", "x86_64", "AMD64",
    "aarch64", "arm64", "CPython", "cpython", "PyPy", "pypy", "test", "Foo_Bar", "foo-bar", "a.b",
    "gpu", "", " ", "x86_64 aarch64", "linux win32", "cuda12", "it's", 'say "no"', "é", "all",
    "--A__b..c", "os_name",
]
OPERATORS = ["==", "!=", "<=", ">=", "<", ">", "in", "not in"] * 4
OPERATORS += ["~=", "===", "not  in", "not\tin"]
SPECIFIERS = [
    ">=1", "<2", "==1.0", "!=1.5.*", "~=1.4.2", ">=1.0rc1", "==2.8.0+cu128", "===1.0+weird_x",
    "<=3.0.post1", ">0.1.dev3", "==1.*", ">=3.5.*", ">=3.9.", "~=1", ">=1.0+cu116", "== 1.0",
    ">= v1", "", "=1.0", "1.0", "=>1", "==1!2.0", "===a,b", "===anything", "== 1.0.*",
    "~=2.2.post3",
]
NAMES = [
    "torch", "Flask", "zope.interface", "ruamel.yaml", "typing_extensions", "nvidia-cublas-cu12",
    "A", "x2", "foo__bar", "foo.-_bar", "foo-", "-foo", "foo_", ".foo", "", "é", "flash_attn",
    "0", "a.b-c_d",
]
EXTRAS = ["test", "dev", "CUDA", "a_b", "a.b", "A--B", "x", "s3fs", "_x", "x-", "", "dev test"]
URLS = [
    "https://example.com/foo-1.0-py3-none-any.whl", "file:///srv/foo.tar.gz",
    "git+https://example.com/a.git@v1", "https://example.com/a%2Bcu128.whl#sha256=00",
    "../wheels/x.whl", "https://example.com/a;b", "x", "",
    "https://user:pw@example.com/x.whl?y=1&z=(2)",
]
LINES = Path(__file__).with_name("requirement_lines.txt").read_text().splitlines()


def is_specifier(text):
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return True


class Grower:
    def __init__(self, rng):
        self.rng = rng

    def blank(self, most=2):
        return "".join(self.rng.choice("   \t") for _ in range(self.rng.randint(0, most)))

    def quoted(self, text):
        quote = self.rng.choice("\"'")
        if quote in text:
            quote = '"' if quote == "'" else "'"
        return quote + text + quote

    def literal(self):
        return self.quoted(self.rng.choice(VERSIONS if self.rng.random() < 0.5 else TEXTS))

    def comparison(self):
        variable, op = self.rng.choice(VARIABLES), self.rng.choice(OPERATORS)
        versions = "version" in variable or variable == "platform_release"
        fitting = self.quoted(self.rng.choice(VERSIONS if versions else TEXTS))
        literal = fitting if self.rng.random() < 0.85 else self.literal()
        roll = self.rng.random()
        if roll < 0.7:
            sides = [variable, literal]
        elif roll < 0.92:
            sides = [literal, variable]
        elif roll < 0.97:
            sides = [variable, self.rng.choice(VARIABLES)]
        else:
            sides = [literal, self.literal()]
        gap = " " if op[0] in "in" or self.rng.random() < 0.6 else self.blank()
        return sides[0] + gap + op + gap + sides[1]

    def marker(self, depth=0):
        text = ""
        for i in range(self.rng.choice([1, 1, 1, 2, 2, 3])):
            if i:
                text += self.rng.choice([" and ", " or ", "  and\t", " or "])
            if depth < 4 and self.rng.random() < 0.25:
                text += "(" + self.blank() + self.marker(depth + 1) + self.blank() + ")"
            else:
                text += self.comparison()
        return text

    def requirement(self):
        text = (
            self.blank(1)
            + self.rng.choice(NAMES[:9] if self.rng.random() < 0.8 else NAMES)
            + self.blank(1)
        )
        if self.rng.random() < 0.3:
            choices = EXTRAS[:8] if self.rng.random() < 0.8 else EXTRAS
            extras = [self.rng.choice(choices) for _ in range(self.rng.randint(0, 3))]
            text += (
                "["
                + ",".join(self.blank(1) + e + self.blank(1) for e in extras)
                + "]"
                + self.blank(1)
            )
        if self.rng.random() < 0.2:
            text += (
                "@"
                + self.blank()
                + self.rng.choice(URLS)
                + self.rng.choice([" ", " ", self.blank()])
            )
        else:
            right = self.rng.random() < 0.7
            choices = [s for s in SPECIFIERS if is_specifier(s)] if right else SPECIFIERS
            specifiers = [self.rng.choice(choices) for _ in range(self.rng.randint(0, 3))]
            listed = ",".join(self.blank(1) + s + self.blank(1) for s in specifiers)
            text += f"({listed})" if self.rng.random() < 0.3 else listed
        if self.rng.random() < 0.4:
            text += self.blank() + ";" + self.blank() + self.marker()
        return text

    def mutate(self, text):
        alphabet = "abz_.-0129 \t()[]<>=!~,;@'\"*+:/\\\x01é"
        for _ in range(self.rng.randint(1, 2)):
            at, roll = self.rng.randint(0, len(text)), self.rng.random()
            if roll < 0.4:
                text = text[:at] + text[at + 1 :]
            elif roll < 0.7:
                text = text[:at] + self.rng.choice(alphabet) + text[at:]
            elif roll < 0.9:
                text = text[:at] + self.rng.choice(alphabet) + text[at + 1 :]
            else:
                end = self.rng.randint(at, min(len(text), at + 12))
                text = text[:at] + text[at:end] * 2 + text[end:]
        return text


# ---- what packaging says ----


def marker_answer(text, target, extras):
    environment = target.environment()
    try:
        marker = Marker(text)
        held = [marker.evaluate({**environment, "extra": extra}) for extra in extras or [""]]
    except (ValueError, KeyError):
        return "invalid"
    return "true" if any(held) else "false"


def requirement_answer(text):
    try:
        r = Requirement(text)
        marker = str(r.marker) if r.marker else ""
    except (InvalidRequirement, ValueError):
        return "invalid"
    extras = sorted({canonicalize_name(e) for e in r.extras})
    normal = (
        canonicalize_name(r.name) + (f"[{','.join(extras)}]" if extras else "") + str(r.specifier)
    )
    if r.url:
        normal += f" @ {r.url}" + (" " if marker else "")
    return normal + (f"; {marker}" if marker else "")


def rank_answer(name, ranks):
    try:
        wheel = parse_wheel_filename(name)[3]
    except InvalidWheelFilename:
        return "invalid"
    return str(min((ranks[tag] for tag in wheel if tag in ranks), default=-1))


# ---- the lists of cases ----


def marker_cases(rng, grow, targets):
    texts = [line.partition(";")[2] for line in LINES if ";" in line]
    for i in range(MARKERS):
        text = grow.marker() if i % 3 else rng.choice(texts)
        if rng.random() < 0.2:
            text = grow.mutate(text)
        target = rng.choice(targets)
        extras = sorted({canonicalize_name(e) for e in rng.sample(TEXTS[16:21], rng.randint(0, 2))})
        line = f"marker\t{target.spec(True)}\t{','.join(extras)}\t{text}"
        yield Case("marker", line, text, marker_answer(text, target, extras))


def requirement_cases(rng, grow):
    for i in range(REQUIREMENTS):
        text = (
            LINES[i] if i < len(LINES) else rng.choice(LINES) if i % 4 == 0 else grow.requirement()
        )
        if i >= len(LINES) and rng.random() < 0.35:
            text = grow.mutate(text)
        yield Case("requirement", f"requirement\t{text}", text, requirement_answer(text))


def tag_cases(targets):
    for target in targets:
        listed = [str(tag) for tag in target.tags()]
        yield Case(
            "tags", f"tags\t{target.spec()}", target.spec(), f"{len(listed)} {' '.join(listed)}"
        )


def wheel_name(rng, listed):
    """A wheel that often fits: one of the target's tags, or nearly, beside unrelated ones."""
    tag = rng.choice(listed)
    python, abi, platform = [tag.interpreter], [tag.abi], [tag.platform]
    machine = rng.choice(["x86_64", "x86_64", "aarch64", "i686"])
    others = [
        (
            python,
            [
                "py3",
                "py2",
                "cp27",
                "CP312",
                "pp310",
                f"cp3{rng.randint(0, 15)}",
                f"py3{rng.randint(0, 15)}",
            ],
        ),
        (
            abi,
            [
                "none",
                "abi3",
                "abi3t",
                "cp36m",
                f"cp3{rng.randint(8, 15)}",
                f"cp3{rng.randint(13, 15)}t",
            ],
        ),
        (
            platform,
            [
                f"manylinux_2_{rng.randint(5, 41)}_{machine}",
                f"manylinux2014_{machine}",
                f"linux_{machine}",
            ]
            + [
                f"manylinux2010_{machine}",
                f"manylinux1_{machine}",
                f"musllinux_1_{rng.randint(0, 3)}_{machine}",
            ]
            + ["any", "win_amd64", "win32", "macosx_11_0_arm64"],
        ),
    ]
    for part, choices in others:
        if rng.random() < 0.2:
            part.clear()
        for _ in range(rng.choice([0, 0, 0, 1, 2]) if part else 1):
            part.append(rng.choice(choices))
        rng.shuffle(part)
    build = rng.choice(["", "", "-1", "-2cu13"])
    return f"foo-1.0{build}-{'.'.join(python)}-{'.'.join(abi)}-{'.'.join(platform)}.whl"


def rank_cases(rng, targets):
    ranks = {}
    for _ in range(RANKS):
        target = rng.choice(targets)
        spec = target.spec()
        if spec not in ranks:
            ranks[spec] = {tag: i for i, tag in enumerate(target.tags())}
        name = wheel_name(rng, list(ranks[spec]))
        yield Case(
            "rank", f"rank\t{spec}\t{name}", f"{name} on {spec}", rank_answer(name, ranks[spec])
        )


def marker_targets():
    for minor in range(9, 15):
        yield Target(minor, "linux_x86_64", "glibc", (2, 28))
        yield Target(minor, "linux_aarch64", "glibc", (2, 34), patch=minor % 5)
        yield Target(minor, "win_amd64", patch=11, release="11")
        yield Target(minor, "linux_x86_64", "musl", (1, 2), patch=3, release="5.15.0-91-generic")
        yield Target(minor, "linux_x86_64", "glibc", (2, 39), threaded=minor >= 13, release="6.8.0")


def tag_targets():
    _manylinux._have_compatible_abi = lambda *_: True
    _manylinux._get_manylinux_module = lambda: None
    for minor in range(8, 16):
        for threaded in [False, True] if minor >= 13 else [False]:
            yield Target(minor, "win_amd64", threaded=threaded)
            for machine in ["x86_64", "aarch64"]:
                for glibc in [5, 11, 12, 16, 17, 24, 28, 31, 34, 39, 99]:
                    yield Target(minor, f"linux_{machine}", "glibc", (2, glibc), threaded=threaded)
                for musl in [0, 1, 2, 5]:
                    yield Target(minor, f"linux_{machine}", "musl", (1, musl), threaded=threaded)


def ask(oracle, cases):
    text = "".join(case.line + "\n" for case in cases)
    run = subprocess.run([oracle], input=text.encode(), stdout=subprocess.PIPE, check=True)
    answers = run.stdout.decode().split("\n")[:-1]
    if len(answers) != len(cases):
        sys.exit(f"{oracle}: {len(answers)} answers to {len(cases)} questions")
    for case, answer in zip(cases, answers):
        case.ours = answer


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    rng = random.Random(SEED)
    grow = Grower(rng)
    lists = list(tag_targets())
    cases = [
        *marker_cases(rng, grow, list(marker_targets())),
        *requirement_cases(rng, grow),
        *tag_cases(lists),
        *rank_cases(rng, lists),
    ]
    ask(sys.argv[1], cases)
    differences, allowed = 0, [0] * len(ALLOWED)
    for case in cases:
        if case.ours == case.theirs:
            continue
        reasons = [i for i, (_, is_such) in enumerate(ALLOWED) if is_such(case)]
        if reasons:
            allowed[reasons[0]] += 1
            continue
        differences += 1
        if differences <= SHOWN:
            print(f"{case.line!r}\n  ours   {case.ours[:400]!r}\n  theirs {case.theirs[:400]!r}")
    for kind in ["marker", "requirement", "tags", "rank"]:
        of_kind = [c for c in cases if c.kind == kind]
        refused = sum(c.theirs in ("invalid", "-1") for c in of_kind)
        print(f"{kind}: {len(of_kind)} cases, {refused} of them invalid or without a fit")
    for (reason, _), count in zip(ALLOWED, allowed):
        print(f"allowed: {count} ({reason})")
    print(f"differential markers: {len(cases)} cases, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
