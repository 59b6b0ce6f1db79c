#!/usr/bin/env python3
"""File names against targets, through the front door: tags, the labels of CUDA and torch builds, versions, and the
places and pages that sources have. A table each: what it is, and whether it fits.

    field_tags.py BIN_DIR [CASE]...
"""

import sys

import field_cases
import make_wheels
from field_cases import X86, torch
from lock_case import Case, linux, machine, spec, wants, wheel, windows
from rig import sha256


def judge(rig, what, target, rows, name="t"):
    """rows: (tag, fits). Each is a project of its own; what does not fit is a hole that names the file."""
    files = [wheel(f"p{i}", "1.0", tag) for i, (tag, _) in enumerate(rows)]
    with Case(rig, *files) as case:
        said = case.resolve(wants(*(f"p{i}" for i in range(len(rows)))), target)
        holes = {h["project"]: h["text"] for h in said.holes}
        have = {f["name"] for f in said.target(name)["files"]}
        rig.check(said.json, f"{what}: an answer", said.done)
        for i, (tag, fits) in enumerate(rows):
            rig.equal((f"p{i}" in have, f"p{i}" in holes), (fits, not fits),
                      f"{what}: {tag} {'fits' if fits else 'does not fit'}")
            if not fits:
                rig.check(tag in holes.get(f"p{i}", ""), f"{what}: {tag} is named", holes.get(f"p{i}"))


def tags(rig):
    judge(rig, "glibc 2.28, Python 3.11", linux("t", "3.11"), [
        ("cp311-cp311-manylinux_2_28_x86_64", True),
        ("cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", True),
        ("cp311-cp311-manylinux_2_5_x86_64.manylinux1_x86_64", True),
        ("cp311-cp311-manylinux2010_x86_64", True),
        ("cp311-cp311-linux_x86_64", True),
        ("cp311-cp311-manylinux_2_31_x86_64", False),
        ("cp311-cp311-musllinux_1_2_x86_64", False),
        ("py39-none-manylinux_2_28_x86_64", True),
        ("cp38-abi3-manylinux1_x86_64", True),
        ("py2.py3-none-manylinux_2_17_x86_64", True),
        ("cp39-none-linux_x86_64", False),
        ("cp311-none-linux_x86_64", True),
        ("cp310-cp310-linux_x86_64", False),
        ("cp310.cp311-none-any", True),
        ("cp310-none-any", False),
        ("py3-none-any", True),
        ("py312-none-any", False),
        ("cp312-abi3-linux_x86_64", False),
        ("cp311-cp311-manylinux1_i686", False),
        ("cp311-cp311-manylinux_2_28_aarch64", False),
        ("cp311-cp311-win_amd64", False),
        ("cp311-cp311-macosx_11_0_arm64", False),
        ("cp311-cp311-manylinux_2_34_x86_64.manylinux_2_35_x86_64", False),
        ("cp311-cp311-manylinux_2_34_x86_64.manylinux_2_28_x86_64", True),
        ("cp311-cp311-manylinux_2_34_aarch64.linux_x86_64", True),
    ])
    judge(rig, "musl 1.2", linux("t", "3.11", musl="1.2"), [
        ("cp311-cp311-musllinux_1_2_x86_64", True),
        ("cp311-cp311-musllinux_1_1_x86_64", True),
        ("cp311-cp311-musllinux_1_3_x86_64", False),
        ("cp311-cp311-manylinux_2_17_x86_64", False),
        ("py3-none-any", True),
    ])
    judge(rig, "Python 3.13", linux("t", "3.13"), [
        ("cp313-cp313t-linux_x86_64", False),
        ("cp313-cp313-linux_x86_64", True),
        ("cp313t-cp313t-linux_x86_64", False),
        ("cp39-abi3-linux_x86_64", True),
    ])
    judge(rig, "Python 3.13t", linux("t", "3.13t"), [
        ("cp313-cp313t-linux_x86_64", True),
        ("cp313-cp313-linux_x86_64", False),
        ("cp39-abi3-linux_x86_64", False),
        ("py3-none-any", True),
    ])
    judge(rig, "Python 3.12.4", linux("t", "3.12.4"), [
        ("cp312-cp312-linux_x86_64", True),
        ("cp39-abi3-linux_x86_64", True),
    ])
    judge(rig, "ARM", linux("t", "3.14", "aarch64", glibc="2.34"), [
        ("cp314-cp314-manylinux_2_34_aarch64", True),
        ("cp314-cp314-manylinux_2_34_x86_64", False),
        ("cp314-cp314-musllinux_1_2_aarch64", False),
        ("cp314-cp314-linux_aarch64", True),
    ])
    judge(rig, "Windows", windows("t", "3.12"), [
        ("cp312-cp312-win_amd64", True),
        ("cp312-cp312-win32", False),
        ("cp312-cp312-win_arm64", False),
        ("cp312-cp312-manylinux_2_17_x86_64", False),
    ])


def impossible_targets(rig):
    with Case(rig, spec("pure", "1.0")) as case:
        for what, target, word in (("Python 3.1", linux("t", "3.1"), "3.1"), ("Python 4.0", linux("t", "4.0"), "4.0"),
                                   ("macOS", machine("t", "3.12", "macosx_11_0_arm64"), "macosx_11_0_arm64")):
            said = case.resolve(wants("pure"), target)
            rig.check(said.done.status == 2 and word in said.error, f"{what}: no such target", said.done)


def best_file(rig):
    """Of one version, the wheel that says most; build tags break ties; a wheel before the source."""
    every = [f"{p}_x86_64" for p in ("linux", "manylinux1", "manylinux2014", "manylinux_2_24", "manylinux_2_28")]
    with Case(rig, *(wheel("ext", "1.0", f"cp312-cp312-{p}") for p in every),
              wheel("ext", "1.0", "cp39-abi3-manylinux_2_28_x86_64"), spec("ext", "1.0", "kind=sdist"),
              spec("built", "1.0", "build=1"), spec("built", "1.0", "build=10"), spec("built", "1.0", "build=9"),
              wheel("plain", "1.0", "cp312-cp312-linux_x86_64"), wheel("plain", "1.0", f"cp312-cp312-{X86}")) as case:
        case.gets("the best file", wants("ext", "built", "plain"), linux("t"), linux("old", glibc="2.17"), want={
            "t": [f"ext-1.0-cp312-cp312-{X86}.whl", "built-1.0-10-py3-none-any.whl",
                  f"plain-1.0-cp312-cp312-{X86}.whl"],
            "old": ["ext-1.0-cp312-cp312-manylinux2014_x86_64.whl", "built-1.0-10-py3-none-any.whl",
                    "plain-1.0-cp312-cp312-linux_x86_64.whl"]})


LABELS = [  # the target | label | fits
    ({"cuda": "13"}, "cu130", True),
    ({"cuda": "13"}, "cu132", True),
    ({"cuda": "13"}, "cu13", True),
    ({"cuda": "13"}, "cu128", False),
    ({"cuda": "13.0.88"}, "cu130", True),
    ({"cuda": "13.0.88"}, "cu131", False),
    ({"cuda": "cu130"}, "cu130", True),
    ({"cuda": "9.2"}, "cu92", True),
    ({"cuda": "9.2"}, "cu102", False),
    ({"cuda": "11.8"}, "cu118torch2.3cxx11abiFALSE", True),
    ({"torch": "2.3.1+cu118"}, "cu118torch2.3cxx11abiFALSE", True),
    ({"torch": "2.3.1+cu118"}, "cu118torch2.3cxx11abiTRUE", False),
    ({"torch": "2.7.0+cu126"}, "cu12torch2.7", True),
    ({"torch": "2.7.0+cu126"}, "cu128torch2.7", False),
    ({"torch": "2.7.0+cu126"}, "cpu", False),
    ({"torch": "2.7.0+cpu"}, "cpu", True),
    ({"torch": "2.7.0+cpu"}, "cu126torch2.7", False),
    ({"torch": "2.11.0+cu130"}, "cu130torch2.9.0andhigher.post4", True),
    ({"torch": "2.9.1+cu130"}, "cu130torch2.9.0andhigher.post4", True),
    ({"torch": "2.8.0+cu129"}, "cu129torch2.9.0andhigher.post4", False),
    ({"torch": "2.8.0+cu128"}, "cu128torch2.8.0.post2", True),
    ({"torch": "2.9.0+cu128"}, "torch291cu128", True),
    ({"torch": "2.10.0+cu128"}, "torch291cu128", False),
    ({"torch": "2.11.0+cu130"}, "torch2110cu130", True),
    ({"torch": "2.11.0+cu130"}, "cu.13.0.torch.2.11", True),
    ({"torch": "2.8.0+cu126"}, "pt28cu126", True),
    ({"torch": "2.8.0+cu126"}, "pt27cu126", False),
    ({"torch": "2.9.1+cu128"}, "20251229.cu128torch291cxx11abitrue.58fe37", True),
    ({"torch": "2.9.1+cu128"}, "20251229.cu128torch291cxx11abifalse.58fe37", False),
    ({"torch": "2.1.0+cu121"}, "torch210cu121", False),  # or 2.10: nobody knows
    ({"torch": "2.10.0+cu128"}, "torch210cu128", False),
    ({"torch": "2.11.0a0+nightly", "cuda": "13.0"}, "cu130torch2.11", True),
    ({"torch": "2.6.0a0+ecf3bae40a.nv25.1", "cuda": "12.8"}, "cu12torch25.01cxx11abiTRUE", True),
    ({"torch": "2.6.0a0+ecf3bae40a.nv25.1", "cuda": "12.8"}, "cu12torch24.10cxx11abiTRUE", False),
    ({"cuda": "12.8", "gpus": ["8.9"]}, "cu128sm89", True),
    ({"cuda": "12.8", "gpus": ["9.0"]}, "cu128sm89", False),
    ({"cuda": "12.8"}, "whatever.58fe37", True),
]


def labels(rig):
    """Builds for one CUDA and torch, in the spellings of their publishers."""
    tag = "cp312-cp312-linux_x86_64"
    files = [wheel(f"p{i}", f"1.0+{label}", tag) for i, (_, label, _) in enumerate(LABELS)]
    targets = {}
    for i, (keys, _, _) in enumerate(LABELS):
        targets.setdefault(str(keys), (f"t{len(targets)}", keys, []))[2].append(i)
    rows = "".join(f'[[package]]\nname = "p{i}"\ntargets = ["{name}"]\n'
                   for name, _, numbers in targets.values() for i in numbers)
    with Case(rig, *files) as case:
        said = case.resolve(*(linux(name, **keys) for name, keys, _ in targets.values()), rows)
        holes = {(h["target"], h["project"]): h["text"] for h in said.holes}
        rig.check(said.json, "labels: an answer", said.done)
        for name, keys, numbers in targets.values():
            have = {f["name"] for f in said.target(name)["files"]}
            for i in numbers:
                label, fits = LABELS[i][1:]
                rig.equal((f"p{i}" in have, (name, f"p{i}") in holes), (fits, not fits),
                          f"{keys}: +{label} {'fits' if fits else 'does not fit'}")
                if not fits:
                    rig.check(f"+{label}" in holes.get((name, f"p{i}"), ""), f"{keys}: +{label} is named",
                              holes.get((name, f"p{i}")))


def packed_digits(rig):
    """torch210 is 2.1.0 or 2.10: the source says which, else nobody guesses."""
    tag = "cp312-cp312-linux_x86_64"
    with Case(rig, spec("natten", "0.14.0", "kind=sdist")) as case:
        make_wheels.make(str(case.folder / "links"), wheel("natten", "0.21.0+torch210cu121", tag))
        make_wheels.make(str(case.folder / "links"), wheel("natten", "0.21.0+torch210cu128", tag))
        old, new = linux("t", torch="2.1.0+cu121"), linux("t", torch="2.10.0+cu128")
        source = '[source.natten]\nlinks = "links"\n'
        trust = {"options": ["--trust-first-use"]}
        for target in (old, new):
            case.lacks("nothing says which", wants("natten"), target, source, want={("t", "natten")},
                       words=["2.10", "2.1.0", "its name does not tell which"], **trust)
        case.gets("full versions", wants("natten"), old, source + 'names = "full"\n',
                  want={"t": [f"natten-0.21.0+torch210cu121-{tag}.whl"]}, **trust)
        case.gets("minor versions", wants("natten"), new, source + 'names = "minor"\n',
                  want={"t": [f"natten-0.21.0+torch210cu128-{tag}.whl"]}, **trust)
        case.lacks("and then the other is none", wants("natten"), new, source + 'names = "full"\n',
                   want={("t", "natten")}, words=["2.1.0"], **trust)


def versions(rig):
    """Finals before pre-releases, dates and local parts in order, specifiers as PEP 440 has them."""
    tag = "cp312-cp312-linux_x86_64"
    date = "3.0.0b1+{}.cu130torch2110cxx11abitrue.{}"
    with Case(rig, *(spec("fin", v) for v in ("2.8.3", "2.8.4.dev4", "2.9.0rc1")), spec("pre", "1.0rc1"),
              spec("pre", "1.0b2"), wheel("flash-attn-3", date.format("20260330", "aaaaaa"), tag),
              wheel("flash-attn-3", date.format("20260318", "ffffff"), tag), wheel("two", "0.6", tag),
              wheel("four", "0.0.2.1", tag), *(torch(v) for v in ("2.10.0", "2.11.0", "2.12.0")),
              spec("eq", "1.0", "requires=torch==2.11"), spec("ne", "1.0", "requires=torch!=2.12"),
              spec("tilde", "1.0", "requires=torch~=2.10.0"), spec("le", "1.0", "requires=torch<=2.11"),
              spec("bad", "1.0", "requires=torch=2.4"), spec("post", "1.0"), spec("post", "1.0.post1")) as case:
        t = linux("t", torch="2.11.0+cu130")
        case.gets("a final before newer pre-releases", wants("fin"), linux("t"),
                  want={"t": ["fin-2.8.3-py3-none-any.whl"]})
        case.gets("a pre-release that is asked for", wants("fin==2.9.0rc1"), linux("t"),
                  want={"t": ["fin-2.9.0rc1-py3-none-any.whl"]}, notes=["pre-release"])
        case.gets("pre-releases where there is nothing else", wants("pre"), linux("t"),
                  want={"t": ["pre-1.0rc1-py3-none-any.whl"]}, notes=["pre-release"])
        case.gets("the newest date", wants("flash-attn-3"), t,
                  want={"t": [f"flash_attn_3-{date.format('20260330', 'aaaaaa')}-{tag}.whl"]})
        case.gets("two and four numbers, and posts", wants("two", "four==0.0.2.1", "post"), linux("t"), want={"t": [
            f"two-0.6-{tag}.whl", f"four-0.0.2.1-{tag}.whl", "post-1.0.post1-py3-none-any.whl"]})
        for name, version in (("eq", "2.11.0"), ("ne", "2.11.0"), ("tilde", "2.10.0"), ("le", "2.11.0")):
            case.gets(f"torch by {name}", wants(name), linux("t"), want={"t": [
                f"{name}-1.0-py3-none-any.whl", f"torch-{version}-cp312-cp312-{X86}.whl"]})
        case.lacks("an operator that there is not", wants("bad"), linux("t"), want={("t", "bad")},
                   words=["bad-1.0-py3-none-any.whl", "torch=2.4"])
    builds = ["2.8.0", "2.8.0+cu126", "2.8.0+cu128", "2.5.1+cu124", "1.13.1+cu117"]
    with Case(rig, *(torch(v) for v in builds)) as case:
        for row, version in (("torch<=2.8.0", "2.8.0+cu128"), ("torch==2.8.*", "2.8.0+cu128"),
                             ("torch~=2.8.0", "2.8.0+cu128"), ("torch===2.8.0", "2.8.0"),
                             ("torch==2.8.0", "2.8.0+cu128")):
            case.gets(f"local versions: {row}", wants(row), linux("t", cuda="12.8"),
                      want={"t": [f"torch-{version}-cp312-cp312-{X86}.whl"]})
        for row, cuda in (("torch>2.5.1", "12.4"), ("torch!=1.13.1", "11.7")):
            case.lacks(f"local versions: {row}", wants(row), linux("t", cuda=cuda), want={("t", "torch")})
        for row in ("torch>=2.8.0+cu126", "torch>=3.5.*", "torch>=3.9.", "torch&gt;=3.10"):
            said = case.resolve(wants(row), linux("t"))
            rig.check(said.done.status == 2 and said.error, f"no specifier: {row}", said.done)


def file_names(rig):
    """Names that are none are no files; href counts, not the text; places by target."""
    tag = "cp312-cp312-linux_x86_64"
    with Case(rig, wheel("ffpa-attn", "0.2.4+cu13", tag), spec("cumm", "1.0")) as case:
        case.write("bad/flash-attn-2.8.3-cp312-cp312-linux_x86_64.whl", "")
        case.write("bad/natten-0.14.2-4.tar.gz", "")
        for name in ("flash-attn", "natten"):
            case.lacks(f"no file name: {name}", wants(name), linux("t"), f'[source.{name}]\nlinks = "bad"\n',
                              want={("t", name)}, options=["--trust-first-use"])
        file = case.files / f"ffpa_attn-0.2.4+cu13-{tag}.whl"
        url = f"{case.index.url}/files/ffpa_attn-0.2.4%2Bcu13-{tag}.whl"
        digest = sha256(file)
        forms = {
            "upper case and single quotes": f"<A HREF='{url}#sha256={digest}'>download</A>",
            "another text": f'<a href="{url}#sha256={digest}">ffpa_attn-9.9+cu13-{tag}.whl</a>',
            "a query": f'<a href="{url}?sig=abc#sha256={digest}">x</a>',
            "a base": f'<a href="ffpa_attn-0.2.4%2Bcu13-{tag}.whl#sha256={digest}">x</a>',
        }
        for what, link in forms.items():
            base = f'<base href="{case.index.url}/files/">' if what == "a base" else ""
            case.write("page.html", f"<!DOCTYPE html><html><head>{base}</head><body>{link}</body></html>\n")
            case.gets(f"a link with {what}", wants("ffpa-attn"), linux("t", cuda="13.0"),
                      '[source.ffpa-attn]\nlinks = "page.html"\n', want={"t": [file.name]})
    with Case(rig) as case:
        target = linux("t", torch="2.11.0+cu130")
        trust = {"options": ["--trust-first-use"]}
        for folder, rest in (("cu130_torch2110", 'links = "cu{cuda}_torch{torch}"\ntorch-style = "packed"\n'),
                             ("torch-2.11.0+cu130", 'links = "torch-{torch}+cu{cuda}"\ntorch-style = "pyg"\n'),
                             ("cu13-2.11", 'links = "cu{cuda}-{torch}"\ncuda-style = "short"\n'),
                             ("13.0/2.11.0",
                              'links = "{cuda}/{torch}"\ncuda-style = "dotted"\ntorch-style = "full"\n')):
            make_wheels.make(str(case.folder / folder), wheel("fa3", "1.0", tag))
            case.gets(f"a place called {folder}", wants("fa3"), target, "[source.fa3]\n" + rest,
                      want={"t": [f"fa3-1.0-{tag}.whl"]}, **trust)


CASES = [tags, impossible_targets, best_file, labels, packed_digits, versions, file_names]

if __name__ == "__main__":
    sys.exit(field_cases.main(CASES))
