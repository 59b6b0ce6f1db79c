#!/usr/bin/env python3
"""Compares versions, specifiers, project names and file names with PyPI's `packaging`.

usage: differential_versions.py NOUNS_ORACLE [SEED]

Asks build/nouns_oracle and `packaging` the same questions, prints where they differ, and ends with
"differential versions: N cases, M differences". Exit status 1 if there is a difference that ALLOWED
does not explain, or an explanation that no case needs any more.
"""

import itertools
import random
import re
import subprocess
import sys

import packaging
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import (
    InvalidName,
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

OLDEST = "26.3"  # the first that refuses empty tags and names
SEED = 20261130
SHOWN = 40

# --- what `packaging` answers, in the oracle's words ------------------------------------------


def ask_name(text):
    try:
        canonicalize_name(text, validate=True)
        verdict = "valid"
    except InvalidName:
        verdict = "invalid"
    return (verdict, str(canonicalize_name(text)))


def ask_version(text):
    v = Version(text)
    return (str(v), v.public, v.local or "", "pre" if v.is_prerelease else "final")


def sign(a, b):
    return "<" if a < b else ">" if a > b else "="


def ask_cmp(left, right):
    a, b = Version(left), Version(right)
    return (sign(a, b), sign(Version(a.public), Version(b.public)))


def ask_specifier(text, version):
    specifiers, v = SpecifierSet(text), Version(version)
    return (
        "in" if specifiers.contains(v, prereleases=True) else "out",
        "pre" if specifiers.prereleases else "final",
        frozenset(str(s) for s in specifiers),
    )


def ask_wheel(text):
    name, version, build, tags = parse_wheel_filename(text)
    return (str(name), str(version), build, frozenset(str(t) for t in tags))


def ask_sdist(text):
    name, version = parse_sdist_filename(text)
    return (str(name), str(version))


ASK = {
    "name": ask_name,
    "version": ask_version,
    "cmp": ask_cmp,
    "specifier": ask_specifier,
    "wheel": ask_wheel,
    "sdist": ask_sdist,
}
REFUSALS = (InvalidVersion, InvalidSpecifier, InvalidWheelFilename, InvalidSdistFilename)


def expected(kind, fields):
    try:
        return ASK[kind](*fields)
    except REFUSALS:
        return "error"


def answered(kind, line):
    """The oracle's line in the shape of ASK's answers."""
    if line == "error":
        return line
    fields = tuple(line.split("\t"))
    if kind == "specifier":
        return (fields[0], fields[1], frozenset(filter(None, fields[2].split(","))))
    if kind == "wheel":
        name, version, number, build = fields[:4]
        tags = itertools.product(*(set_.split(".") for set_ in fields[4:]))
        rest = re.sub(r"\A[0-9]+", "", build)
        return (
            name,
            version,
            (int(number), rest) if build else (),
            frozenset("-".join(tag) for tag in tags),
        )
    return fields


# --- differences that are meant ---------------------------------------------------------------


def has_big_number(fields):
    return any(int(n) >= 2**64 for n in re.findall(r"[0-9]+", " ".join(fields)))


def is_foreign(fields):
    return not all(f.isascii() for f in fields)


def has_odd_space(fields):
    return any(re.search(r"[\x1c-\x1f]", f) for f in fields)


ALLOWED = [
    # (name, kinds, does it explain the case?, reason): it explains why the oracle refuses
    ("64 bit", "version cmp specifier wheel sdist", has_big_number, "numbers are 64-bit"),
    ("ASCII", "version cmp specifier wheel sdist name", is_foreign, "all of it is ASCII here"),
    ("NUL", "sdist", lambda f: "\0" in f[0], "names are handed to the system as C text"),
    (
        "separators 1c-1f",
        "version cmp specifier wheel sdist",
        has_odd_space,
        "Python counts the separators of ASCII as white space, we do not",
    ),
    (
        "long version",
        "version cmp specifier",
        lambda f: any(len(v.strip()) > 256 for v in f),
        "LIMIT_VERSION",
    ),
    ("long file name", "wheel sdist", lambda f: len(f[0]) > 255, "LIMIT_FILE_NAME"),
    ("long name", "name", lambda f: len(f[0]) > 128, "LIMIT_NAME"),
]


def explanation(kind, fields, ours):
    for name, kinds, explains, _ in ALLOWED:
        if kind not in kinds.split() or not explains(fields):
            continue
        # A name has no error, and behind "===" what is no version to us is a text like any other.
        if ours == "error" or kind == "name" or "===" in fields[0]:
            return name
    return None


# --- questions --------------------------------------------------------------------------------

NUMBERS = ["0", "1", "2", "3", "9", "10", "00", "01", "20240101", "18446744073709551615"]
LOCALS = [
    "cu128", "cu130", "cu92", "cu118", "5", "05", "cpu", "cu12torch2.8cxx11abiTRUE", "abc.5",
    "cu12.torch-2", "g1a2b3c", "0", "1.a", "5228986c39.nv25.5", "pt20cu118", "CU12_torch-2",
]  # fmt: skip
NAMES = [
    "torch", "flash_attn", "PyYAML", "zope.interface", "ruamel.yaml.clib", "backports.zoneinfo",
    "nvidia_cublas_cu12", "Pillow", "a", "7zip", "a.b_c", "jaraco.functools", "mamba_ssm",
]  # fmt: skip
ODD_NAMES = [
    "A_", "_x", "x.", "flash-attn", "natten-0.14.2", "a__b", "a..b", "x-y-z", "a b", "", "é",
]  # fmt: skip
PYTHONS = ["cp312", "cp313", "py3", "py2.py3", "CP39", "pp310", "py3.py2.cp39", "_x"]
ODD_PYTHONS = ["3", "", "c p", "py3.7", ".py3", "cp-312"]
ABIS = ["cp312", "cp313t", "abi3", "none", "cp37m", "NONE", "abi3.none", "pypy310_pp73"]
ODD_ABIS = ["", "abi3.", "3", "a b"]
PLATFORMS = [
    "any", "linux_x86_64", "manylinux_2_17_x86_64.manylinux2014_x86_64", "win_amd64",
    "manylinux_2_28_aarch64", "macosx_11_0_universal2", "Linux_X86_64", "musllinux_1_2_x86_64",
]  # fmt: skip
ODD_PLATFORMS = ["", "a..b", "any.", "linux-x86_64"]
BUILDS = ["1", "0", "01", "1cu12torch28", "2_x.y", "123abc", "1.0"]
ODD_BUILDS = ["18446744073709551616", "a1", "", "1 ", "-1"]
ENDINGS = [".tar.gz", ".zip"]
ODD_ENDINGS = [".tar.bz2", ".tgz", ".TAR.GZ", ".whl", ""]
OPERATORS = ["==", "!=", "<=", ">=", "<", ">", "~=", "==="]
ALPHABET = "0123456789.-_+!*vabcrdeptoslhwxyzPOSTDEV <>=~;(),/\\%#@'\"$:\x0b\x0c\r\x1c\u212aé"

REAL_FILES = [
    "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
    "flash_attn-2.7.4.post1+cu12torch2.6cxx11abiFALSE-cp310-cp310-linux_x86_64.whl",
    "flash-attn-2.8.3-cp311-cp311-linux_x86_64.whl",
    "flash_attn_3-3.0.0b1-cp39-abi3-linux_x86_64.whl",
    "torch-2.11.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl",
    "torch-2.8.0a0+5228986c39.nv25.5-cp312-cp312-linux_x86_64.whl",
    "causal_conv1d-1.5.0.post8+cu12torch2.5cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
    "PyYAML-6.0.2-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "zope.interface-7.2-cp312-cp312-manylinux_2_5_x86_64.manylinux1_x86_64"
    ".manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "six-1.17.0-py2.py3-none-any.whl",
    "triton-3.4.0-1cu12torch28-cp312-cp312-linux_x86_64.whl",
    "nvidia_nccl_cu12-2.27.3-py3-none-manylinux2014_x86_64.manylinux_2_18_x86_64.whl",
    "torch_scatter-2.1.2+pt20cu118-cp310-cp310-win_amd64.whl",
    "natten-0.14.2-4.tar.gz",
    "PyYAML-6.0.2.tar.gz",
    "zope.interface-7.2.tar.gz",
    "flash_attn-2.8.3.tar.gz",
    "transformer-engine-1.0.zip",
    "foo-1.0.tar.bz2",
    "foo-1.0-py3-none-any.WHL",
    "foo-1.0-py3.7-none-any.whl",
    "foo.tar.gz",
    "-1.0.tar.gz",
    ".whl",
    "",
]


class Maker:
    """Makes texts that are mostly right, near to each other, and sometimes damaged."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, things):
        return self.random.choice(things)

    def pick_odd(self, things, odd):
        """Most often one that is right."""
        return self.pick(odd if self.chance(7) else things)

    def number(self):
        if self.chance(90):
            return self.pick(NUMBERS[:5])
        return self.pick(NUMBERS) if self.chance(97) else "18446744073709551616"

    def suffix(self, words):
        separators = ["", "", "", ".", "-", "_"]
        number = self.number() if self.chance(80) else ""
        return self.pick(separators) + self.pick(words) + self.pick(separators) + number

    def release(self, most=4):
        if self.chance(60):
            return self.pick(["1", "1.0", "1.0.0", "1.1", "1.2", "1.1.0.1", "2.0", "0"])
        return ".".join(self.number() for _ in range(self.random.randint(1, most)))

    def public(self):
        epoch = self.number() + "!" if self.chance(8) else ""
        return epoch + self.release() + self.suffixes()

    def suffixes(self):
        text = ""
        if self.chance(35):
            text += self.suffix(["a", "b", "rc", "c", "alpha", "beta", "pre", "preview"])
        if self.chance(30):
            text += self.suffix(["post", "rev", "r"]) if self.chance(80) else "-" + self.number()
        if self.chance(30):
            text += self.suffix(["dev"])
        return text

    def relatives(self, release=None):
        """Two versions that differ in what follows the release numbers, or in their zeros."""
        release = release or self.release(2)
        return [release + self.pick(["", ".0", ".1"]) + self.suffixes() for _ in range(2)]

    def version(self):
        text = self.public()
        if self.chance(30):
            text += "+" + self.pick(LOCALS)
        if self.chance(10):
            text = self.pick("vV") + text
        if self.chance(10):
            text = text.upper() if self.chance(50) else text.title()
        return " " * self.chance(5) + text + "\x0b" * self.chance(3)

    def file_version(self):
        """A '-' of a version is written '_' where a file name is made well."""
        return self.version().replace("-", "_" if self.chance(80) else "-")

    def specifier(self):
        operator = self.pick(OPERATORS)
        if operator == "===":
            text = self.pick([self.version(), self.release(), "anything-at_all"])
        elif operator in ("==", "!="):
            wildcard = self.release() + ".*"
            text = self.pick([self.version(), self.public(), self.public(), wildcard, wildcard])
        else:
            text = self.public() if self.chance(97) else self.version() + self.pick(["", ".*"])
        return " " * self.chance(5) + operator + " " * self.chance(10) + text + " " * self.chance(5)

    def specifier_set(self):
        return ",".join(self.specifier() for _ in range(self.pick([1, 1, 1, 1, 2, 2, 3])))

    def wheel(self):
        part = [self.pick_odd(NAMES, ODD_NAMES), self.file_version()]
        if self.chance(25):
            part.append(self.pick_odd(BUILDS, ODD_BUILDS))
        part.append(self.pick_odd(PYTHONS, ODD_PYTHONS))
        part.append(self.pick_odd(ABIS, ODD_ABIS))
        part.append(self.pick_odd(PLATFORMS, ODD_PLATFORMS))
        return "-".join(part) + ".whl"

    def sdist(self):
        name, ending = self.pick_odd(NAMES, ODD_NAMES), self.pick_odd(ENDINGS, ODD_ENDINGS)
        return name + "-" + self.file_version() + ending

    def damage(self, text):
        for _ in range(self.pick([1, 1, 1, 2, 3])):
            at = self.random.randrange(len(text) + 1)
            action = self.random.randrange(4)
            if action == 0:
                text = text[:at] + self.pick(ALPHABET) + text[at:]
            elif action == 1:
                text = text[:at] + text[at + 1 :]
            elif action == 2:
                text = text[:at] + self.pick(ALPHABET) + text[at + 1 :]
            else:
                text = text[:at] + text[at - 1 : at + 1] + text[at:]
        return text

    def maybe_damaged(self, text, percent):
        return self.damage(text) if self.chance(percent) else text


def version_questions(m):
    for _ in range(8000):
        yield "version", m.maybe_damaged(m.version(), 40)
    for _ in range(8000):
        yield "cmp", m.version(), m.version()
    for _ in range(4000):
        yield "cmp", *m.relatives()
    for _ in range(12000):
        yield "specifier", m.maybe_damaged(m.specifier_set(), 15), m.version()
    for operator, _ in itertools.product(OPERATORS, range(900)):
        # a version against a specifier of itself and of its relatives
        a, b = m.relatives()
        normal = str(Version(a))
        yield "specifier", operator + a, m.pick([a, normal, b, a + "+cu128", b + "+5"])
        yield "specifier", operator + normal + m.pick(["", ".0", "+5"]), m.pick([a, b, b + "+5"])
    for operator, _ in itertools.product(["==", "!=", "~="], range(900)):
        release = m.release()
        wildcard = "" if operator == "~=" else ".*"
        yield "specifier", operator + release + wildcard, m.pick(m.relatives(release))
    yield "version", "1." * 128 + "1"
    yield "version", "1\u00a0"


def file_questions(m):
    for _ in range(3000):
        yield "name", m.maybe_damaged(m.pick(NAMES), 60)
    for _ in range(13000):
        yield "wheel", m.maybe_damaged(m.wheel(), 40)
    for _ in range(9000):
        yield "sdist", m.maybe_damaged(m.sdist(), 40)
    for name in REAL_FILES:
        for kind in ("wheel", "sdist"):
            yield kind, name
            for _ in range(150):
                yield kind, m.damage(name)
    for name in ("a" * 129, "a" * 128, "A-_-b"):
        yield "name", name
    yield "sdist", "a" * 251 + "-1.zip"
    yield "sdist", "a\0b-1.zip"


def is_askable(question):
    """The oracle's lines cannot hold these."""
    return not any(c in field for field in question[1:] for c in "\t\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if Version(packaging.__version__) < Version(OLDEST):
        print(f"skipped: packaging {packaging.__version__} is older than {OLDEST}")
        return 0
    maker = Maker(int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
    questions = list(itertools.chain(version_questions(maker), file_questions(maker)))
    questions = [q for q in dict.fromkeys(questions) if is_askable(q)]
    lines = "".join("\t".join(q) + "\n" for q in questions).encode()
    output = subprocess.run([sys.argv[1]], input=lines, stdout=subprocess.PIPE, check=True).stdout
    answers = output.decode().split("\n")[:-1]
    if len(answers) != len(questions):
        sys.exit(f"{len(questions)} questions, {len(answers)} answers")

    differences, used, refused, counts = 0, set(), 0, {}
    for (kind, *fields), line in zip(questions, answers):
        counts[kind] = counts.get(kind, 0) + 1
        ours, theirs = answered(kind, line), expected(kind, fields)
        refused += theirs == "error"
        if ours == theirs:
            continue
        reason = explanation(kind, fields, ours)
        if reason:
            used.add(reason)
            continue
        differences += 1
        if differences <= SHOWN:
            print(f"{kind} {fields!r}: we say {ours!r}, packaging says {theirs!r}")
    for name, *_ in ALLOWED:
        if name not in used:
            differences += 1
            print(f"the allowed difference {name!r} is not needed: remove it")
    print("asked:", ", ".join(f"{k} {n}" for k, n in counts.items()), f"({refused} refused)")
    print(f"differential versions: {len(questions)} cases, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
