#!/usr/bin/env python3
"""What users of such tools really hit while files are chosen and fetched, each as a small index and a lock with the
answer that is right: ABI, markers, hashes, labels, renamed files, what cannot be had.

    field_cases.py BIN_DIR [CASE]...
"""

import json
import sys

import make_wheels
from lock_case import (Case, Source, build_system, linux, made, pkg_info, renamed, spec, wants, wheel, windows)
from rig import Rig, sha256, steps

X86, ARM = "manylinux_2_28_x86_64", "manylinux_2_28_aarch64"
TOOLS = [spec(name, "1.0") for name in ("ninja", "packaging", "psutil", "wheel", "cmake")]


def torch(version, *words, tag=f"cp312-cp312-{X86}"):
    return wheel("torch", version, tag, *words)


def torch_abi(rig):
    """The C++ ABI is one of torch's build: 2.6.0 has both."""
    tag = "cp310-cp310-linux_x86_64"
    flash = "flash_attn-2.7.4.post1+cu12torch2.6cxx11abi{}-" + tag + ".whl"
    files = [renamed("flash-attn", f"2.7.4.post1+cu12torch2.6cxx11abi{abi}", tag, "requires=torch")
             for abi in ("TRUE", "FALSE")]
    files += [torch(f"2.6.0+{cuda}", tag=tag) for cuda in ("cu124", "cu126")]
    with Case(rig, *files) as case:
        parts = (wants("flash-attn"), linux("new", "3.10", torch="2.6.0+cu126"),
                 linux("old", "3.10", torch="2.6.0+cu124"))
        case.gets("the ABI of each torch", *parts, want={
            "new": [flash.format("TRUE"), f"torch-2.6.0+cu126-{tag}.whl"],
            "old": [flash.format("FALSE"), f"torch-2.6.0+cu124-{tag}.whl"],
        })
        bundle, said = case.create(*parts, options=made("flash-attn", "torch"))
        rig.check(said.done.status == 0, "both ABIs in one bundle", said.done)
        shown = rig.must("inspect", bundle, "--files", "--pub", case.public)
        rig.check(all(flash.format(abi) in shown.out for abi in ("TRUE", "FALSE")), "are in it", shown)
        case.lacks("a torch that exists with either", wants("flash-attn"), linux("t", "3.10", torch="2.6.0"),
                   want={("t", "flash-attn")}, words=["2.6.0", "which one", "cxx11_abi"])
        for keys, abi, cuda in (({"cuda": "12.6"}, "TRUE", "cu126"), ({"cuda": "12.4"}, "FALSE", "cu124")):
            case.gets(f"told by {keys}", wants("flash-attn"), linux("t", "3.10", torch="2.6.0", **keys),
                      want={"t": [flash.format(abi), f"torch-2.6.0+{cuda}-{tag}.whl"]})
        for torch_version, word in (("2.7.1+cu128", "torch 2.6"), ("2.6.0+cpu", "CPU"), ("2.6.0+rocm6.2.4", "ROCm")):
            case.lacks(f"no wheel of it for {torch_version}", wants("flash-attn"),
                       linux("t", "3.10", torch=torch_version), want={("t", "flash-attn")}, words=[word])


def torch_minor(rig):
    """A wheel for torch 2.8 is none for 2.9, but its source is."""
    tag = "cp312-cp312-linux_x86_64"
    old = renamed("flash-attn", "2.8.3+cu12torch2.8cxx11abiTRUE", tag, "requires=torch")
    machine = linux("t", torch="2.9.0+cu128")
    with Case(rig, old, torch("2.9.0+cu128"), *TOOLS, spec("setuptools", "80.9.0")) as case:
        case.lacks("a wheel of the last torch", wants("flash-attn"), machine, want={("t", "flash-attn")},
                   words=["built for torch 2.8", "2.9.0+cu128"])
        case.add(spec("flash-attn", "2.8.3", "kind=sdist", "requires=torch"))
        case.gets("its source instead", wants("flash-attn"), machine, use="run", want={
            "t": ["flash_attn-2.8.3.tar.gz", f"torch-2.9.0+cu128-cp312-cp312-{X86}.whl"]})
        case.add(renamed("flash-attn", "2.8.1+cu12torch2.9cxx11abiTRUE", tag, "requires=torch"))
        case.gets("its source rather than an older wheel, said aloud", wants("flash-attn"), machine, use="run",
                  want={"t": ["flash_attn-2.8.3.tar.gz", f"torch-2.9.0+cu128-cp312-cp312-{X86}.whl"]},
                  notes=["flash_attn-2.8.1+cu12torch2.9cxx11abiTRUE"])


def torch_of_wheels(rig):
    """A target that does not state its torch: what is chosen for it fits together all the same."""
    tag, machine = "cp312-cp312-linux_x86_64", linux("t", cuda="12.6")
    flash = "2.7.4.post1+cu12torch{}cxx11abiTRUE"
    files = [torch(f"{v}+cu126") for v in ("2.6.0", "2.7.1", "2.8.0")]
    with Case(rig, *files, renamed("flash-attn", flash.format("2.7"), tag, "requires=torch"),
              wheel("torch-scatter", "2.1.2+pt27cu126", tag)) as case:
        case.gets("an older torch for a wheel that was built for it", wants("flash-attn"), machine, want={"t": [
            f"flash_attn-{flash.format('2.7')}-{tag}.whl", f"torch-2.7.1+cu126-cp312-cp312-{X86}.whl"]})
        case.lacks("another torch is pinned", wants("flash-attn", "torch==2.8.0"), machine, want={("t", "torch")},
                   words=[f"flash_attn-{flash.format('2.7')}-{tag}.whl was built for", "torch==2.8.0"])
        case.lacks("a wheel that does not even require torch", wants("torch-scatter", "torch==2.8.0"), machine,
                   want={("t", "torch-scatter")}, words=["built for torch 2.7", "2.8.0+cu126", "state"])
        case.gets("and fits", wants("torch-scatter", "torch==2.7.1"), machine, want={"t": [
            f"torch_scatter-2.1.2+pt27cu126-{tag}.whl", f"torch-2.7.1+cu126-cp312-cp312-{X86}.whl"]})
        case.add(renamed("flash-attn", flash.format("2.8"), tag, "requires=torch"))
        case.gets("the pinned torch chooses the wheel", wants("flash-attn", "torch==2.8.0"), machine, want={"t": [
            f"flash_attn-{flash.format('2.8')}-{tag}.whl", f"torch-2.8.0+cu126-cp312-cp312-{X86}.whl"]})
        case.refuses("nothing chooses", wants("flash-attn"), machine, reason="ambiguous",
                     words=[f"flash_attn-{flash.format(t)}-{tag}.whl" for t in ("2.7", "2.8")])


def build_requirements(rig):
    """Builds need what no metadata of the package names."""
    host = linux("t")
    files = [
        Source("leftpad-0.1.2.tar.gz", {"setup.py": "from setuptools import setup\nsetup()\n",
                                        "PKG-INFO": pkg_info("leftpad", "0.1.2")}),
        Source("deep-1.0.tar.gz", {
            "pyproject.toml": build_system("setuptools.build_meta", "setuptools>=61", "Cython>=0.29.14", "srconly"),
            "PKG-INFO": pkg_info("deep", "1.0")}),
        Source("srconly-2.0.tar.gz", {"pyproject.toml": build_system("hatchling.build", "hatchling"),
                                      "PKG-INFO": pkg_info("srconly", "2.0")}),
    ]
    with Case(rig, *files, spec("setuptools", "80.9.0"), spec("wheel", "0.45")) as case:
        case.gets("no pyproject.toml", wants("leftpad"), host, use="run",
                  want={"t": ["leftpad-0.1.2.tar.gz"]})
        said = case.resolve(wants("leftpad"), host)
        rig.check("setuptools-80.9.0-py3-none-any.whl" in said.files("t", "build"),
                  "no pyproject.toml: setuptools is carried", said.done)
        case.add(spec("Cython", "3.1"))
        case.lacks("a build requirement of a build requirement", wants("deep"), host, want={("t", "hatchling")},
                   words=["srconly-2.0.tar.gz", "hatchling"])
        case.add(spec("hatchling", "1.27", "requires=pluggy"), spec("pluggy", "1.6"))
        said = case.gets("build requirements all the way", wants("deep"), host, use="build", want={"t": [
            "Cython-3.1-py3-none-any.whl", "setuptools-80.9.0-py3-none-any.whl", "srconly-2.0.tar.gz",
            "hatchling-1.27-py3-none-any.whl", "pluggy-1.6-py3-none-any.whl"]})
        rig.equal(said.files("t", "run"), ["deep-1.0.tar.gz"], "and only the package is installed")
        case.add(Source("needy-1.0.tar.gz", {"pyproject.toml": build_system("b", "Cython>=4"),
                                             "PKG-INFO": pkg_info("needy", "1.0")}))
        case.lacks("a build requirement in another version", wants("needy"), host, linux("u", "3.11"),
                   want={("t", "cython"), ("u", "cython")}, words=["needy-1.0.tar.gz", "Cython>=4", "3.1"])


def markers(rig):
    """Evaluated for the target, never for this machine; one that cannot be decided is no False."""
    app = spec("app", "1.0", 'requires=pywin32-ctypes; sys_platform == "win32"',
               'requires=nvidia-cublas-cu12==12.8.4.1; platform_system == "Linux" and platform_machine == "x86_64"',
               'requires=triton; platform_machine == "AMD64"',
               'requires=newer; python_full_version >= "3.12" and implementation_name == "cpython"',
               'requires=posix-only; os_name == "posix"',
               'requires=other; platform_python_implementation != "CPython" or implementation_version < "3.11"')
    names = [("pywin32-ctypes", "1.0"), ("nvidia-cublas-cu12", "12.8.4.1"), ("triton", "1.0"), ("newer", "1.0"),
             ("posix-only", "1.0"), ("other", "1.0")]
    file = {name: f"{name.replace('-', '_')}-{version}-py3-none-any.whl" for name, version in names}
    with Case(rig, app, *(spec(*n) for n in names), spec("kernel", "1.0", 'requires=newer; platform_release > "5"'),
              spec("kernel", "0.9")) as case:
        case.gets("markers", wants("app"), windows("win", "3.11"), linux("arm", "3.12", "aarch64"),
                  linux("x86", "3.12"), want={
                      "win": ["app-1.0-py3-none-any.whl", file["pywin32-ctypes"], file["triton"]],
                      "arm": ["app-1.0-py3-none-any.whl", file["newer"], file["posix-only"]],
                      "x86": ["app-1.0-py3-none-any.whl", file["newer"], file["posix-only"],
                              file["nvidia-cublas-cu12"]]})
        said = case.resolve(wants("kernel"), linux("t"))
        rig.check(said.done.status == 2 and all(w in said.done.all for w in ("kernel", "platform_release")),
                  "a marker that the target does not decide is an error", said.done)
        said = case.resolve(wants("newer; platform_version != '1'"), linux("t"))
        rig.check(said.done.status != 0 and "platform_version" in said.done.all,
                  "in the lock as well", said.done)
        case.gets("an older version without it", wants("kernel<1"), linux("t"),
                  want={"t": ["kernel-0.9-py3-none-any.whl"]})


def hashes(rig):
    """Neither a digest of METADATA nor one of a sibling is one of the file."""
    name = "torch-2.7.0+cu128-cp310-cp310-{}.whl"
    files = [torch("2.7.0+cu128", tag=f"cp310-cp310-{p}") for p in (ARM, X86)]
    parts = (wants("torch"), linux("arm", "3.10", "aarch64", cuda="12.8"))
    for form in ("html", "json"):
        with Case(rig, *files, options=["--no-hash", "aarch64", "--format", form]) as case:
            case.gets(f"{form}: the file that has a digest", wants("torch"), linux("x86", "3.10", cuda="12.8"),
                      want={"x86": [name.format(X86)]})
            case.refuses(f"{form}: a file without a digest", *parts, reason="hash-mismatch",
                         words=[name.format(ARM), "--trust-first-use"])
            bundle, said = case.create(*parts, options=["--trust-first-use", *made("torch")])
            rig.check(said.done.status == 0 and name.format(ARM) in said.notes,
                      f"{form}: taken on first use, said aloud", said.done)
            shown = rig.must("inspect", bundle, "--pub", case.public, "--json").json()
            rig.equal([f["sha256"] for f in shown["distinct_files"]], [sha256(case.files / name.format(ARM))],
                      f"{form}: by the digest of its own bytes")
            done = rig.run("tar", "--zstd", "-xOf", bundle, "manifest.json")
            rig.equal([f["hash_from"] for f in json.loads(done.out)["files"]], ["first-use"],
                      f"{form}: the signed manifest says so")
    with Case(rig, spec("other", "1.0")) as case:
        for fragment in ("md5=" + "0" * 32, "sha512=" + "0" * 128, "sha256=", "egg=other"):
            case.write("page.html", f'<!DOCTYPE html><html><body><a href="{case.index.url}/files/'
                                    f'other-1.0-py3-none-any.whl#{fragment}">x</a></body></html>\n')
            case.refuses(f"a link with #{fragment[:7]}", wants("other"), linux("t"),
                         '[source.other]\nlinks = "page.html"\n', reason="hash-mismatch", words=["other-1.0"])
    with Case(rig, spec("somepackage", "1.0.19"), spec("somepackage", "1.0.19", "kind=sdist")) as case:
        case.write("targets.toml", f'lock-version = 1\n{linux("t")}')
        digest = sha256(case.files / "somepackage-1.0.19.tar.gz")
        path = case.write("uv.lock", f'''version = 1
revision = 3
requires-python = ">=3.10"
[[package]]
name = "app"
version = "0.1"
source = {{ virtual = "." }}
dependencies = [{{ name = "somepackage" }}]
[[package]]
name = "somepackage"
version = "1.0.19"
source = {{ registry = "{case.index.url}/simple" }}
sdist = {{ url = "{case.index.url}/files/somepackage-1.0.19.tar.gz", hash = "sha256:{digest}" }}
wheels = [{{ url = "{case.index.url}/files/somepackage-1.0.19-py3-none-any.whl" }}]
''')
        case.refuses("a lock with a digest for the sdist alone", path=path, options=["--targets", "targets.toml"],
                     reason="hash-mismatch", words=["somepackage-1.0.19-py3-none-any.whl"])


PYLOCK = '''lock-version = "1.0"
created-by = "test"
[[packages]]
name = "torch"
version = "{version}"
[[packages.wheels]]
url = "{url}"
hashes = {{ sha256 = "{sha256}" }}
'''


def plus_signs(rig):
    """%2B is decoded once: in file names and versions stands +, in requests %2B."""
    file = f"torch-2.12.1+cpu-cp312-cp312-{X86}.whl"
    with Case(rig, torch("2.12.1+cpu")) as case:
        case.write("targets.toml", f'lock-version = 1\n{linux("t", cuda="none")}')
        more = {"options": ["--targets", "targets.toml"]}

        def pylock(spelling, version="2.12.1+cpu"):
            url = f"{case.index.url}/files/{file.replace('+', spelling)}"
            return case.write("pylock.toml", PYLOCK.format(url=url, version=version,
                                                           sha256=sha256(case.files / file)))

        for spelling in ("%2B", "%2b", "+"):
            case.gets(f"a URL with {spelling}", path=pylock(spelling), want={"t": [file]}, **more)
        bundle, said = case.create(path=pylock("%2B"), **more)
        rig.check(said.done.status == 0, "create with a local version", said.done)
        listed = rig.run("tar", "--zstd", "-tf", bundle).out
        rig.check(f"/{file}\n" in listed and "%2" not in listed, "its member is called as the file", listed)
        asked = {r["path"] for r in case.index.requests() if "torch" in r["path"]}
        rig.check(asked and all("%2B" in p or "%2b" in p for p in asked), "requests have %2B", asked)
        for what, spelling, version, word in (("encoded twice", "%252B", "2.12.1+cpu", "%2Bcpu"),
                                              ("another local version", "%2B", "2.12.1+cu130", "2.12.1+cu130"),
                                              ("another version", "%2B", "2.12.0", "2.12.0")):
            said = case.resolve(path=pylock(spelling, version), **more)
            rig.check(said.done.status in (1, 2) and word in said.done.err, f"{what} is refused", said.done)
        case.gets("the same from an index", wants("torch==2.12.1"), linux("t", cuda="none"), want={"t": [file]})


def renamed_files(rig):
    """Renamed after they were built: carried as they are, and who will refuse them is said."""
    tag = "cp312-cp312-linux_x86_64"
    machine = linux("t", torch="2.9.0+cu130")
    with Case(rig, renamed("cc-torch", "0.2+cu130torch29", tag),
              wheel("xformers", "0.0.33.dev20250901+cu129", tag, "metadata-version=0.0.33+5d4b92a5.d20250907"),
              wheel("torchaudio", "0.7.0", tag, "metadata-version=0.7.0+cpu")) as case:
        file = f"cc_torch-0.2+cu130torch29-{tag}.whl"
        case.gets("a local version that METADATA lacks", wants("cc-torch"), machine, want={"t": [file]},
                  notes=[file, "pip"])
        bundle, said = case.create(wants("cc-torch==0.2"), machine)
        rig.check(said.done.status == 0 and file in said.notes, "create says so too", said.done)
        shown = rig.must("inspect", bundle, "--pub", case.public, "--json").json()
        rig.equal([(f["file"], f["sha256"]) for f in shown["distinct_files"]],
                  [(file, sha256(case.files / file))], "the bytes and the name are the publisher's")
        case.gets("a local version in METADATA alone", wants("torchaudio"), linux("t", cuda="none"),
                  want={"t": [f"torchaudio-0.7.0-{tag}.whl"]})
        case.lacks("another public version", wants("xformers==0.0.33.dev20250901"), linux("t", cuda="12.9"),
                   want={("t", "xformers")}, words=["0.0.33.dev20250901+cu129", "0.0.33+5d4b92a5"])


def accelerators(rig):
    """One flat heap of torch's builds."""
    builds = ["2.8.0", "2.8.0+cpu", "2.8.0+cu126", "2.8.0+cu128", "2.8.0+rocm6.4", "2.8.0+xpu"]
    file = {v: f"torch-{v}-cp312-cp312-{X86}.whl" for v in builds}
    row = wants("torch==2.8.0")
    with Case(rig, *(torch(v) for v in builds)) as case:
        case.gets("each its own", row, linux("a", cuda="12.6"), linux("b", cuda="none"), linux("c", cuda="12.8"),
                  linux("d", torch="2.8.0+rocm6.4"), linux("e", torch="2.8.0+xpu"),
                  linux("f", torch="2.8.0+cu126", gpus=["6.0"]), want={
                      "a": [file["2.8.0+cu126"]], "b": [file["2.8.0+cpu"]], "c": [file["2.8.0+cu128"]],
                      "d": [file["2.8.0+rocm6.4"]], "e": [file["2.8.0+xpu"]], "f": [file["2.8.0+cu126"]]})
        case.refuses("nothing said of CUDA", row, linux("t"), reason="ambiguous",
                     words=["torch", *file.values()])
        case.refuses("GPUs, and nothing said of CUDA", row, linux("t", gpus=["9.0"]), reason="ambiguous",
                     words=["+cu126", "+cu128"])
        case.gets("nothing said, but the build is named", wants("torch==2.8.0+cu126"), linux("t"),
                  want={"t": [file["2.8.0+cu126"]]})
        case.lacks("a CUDA that there is no build for", row, linux("t", cuda="11.8"), want={("t", "torch")},
                   words=["11.8", "cu"])
    with Case(rig, torch("2.8.0"), torch("2.8.0", tag="cp312-cp312-win_amd64")) as case:
        case.lacks("PyPI's plain build on Linux is none for the CPU", row, linux("t", cuda="none"),
                   want={("t", "torch")}, words=["12.8", file["2.8.0"]])
        case.gets("on Windows it is", row, windows("w", cuda="none"), linux("c", cuda="12.8"), want={
            "w": ["torch-2.8.0-cp312-cp312-win_amd64.whl"], "c": [file["2.8.0"]]})


def build_downloads(rig):
    """What a build would do is not done here: nothing of an sdist is run."""
    evil = "open('ran-here', 'w')\nimport urllib.request\nurllib.request.urlopen('{url}')\n"
    with Case(rig, spec("setuptools", "80.9.0"), torch("2.8.0+cu128"), *TOOLS) as case:
        case.add(Source("flash_attn-2.8.3.tar.gz", {
            "setup.py": evil.format(url=case.index.url + "/guessed.whl"),
            "PKG-INFO": pkg_info("flash-attn", "2.8.3", "Requires-Dist: torch")}))
        machine = linux("t", torch="2.8.0+cu128")
        said = case.resolve(wants("flash-attn"), machine)
        rig.check(said.done.status == 0, "an sdist whose build downloads", said.done)
        rig.equal({f.split("-")[0] for f in said.files("t", "build")},
                  {"torch", "setuptools", "ninja", "packaging", "psutil", "wheel"}, "its hidden build requirements")
        rig.check(not list(rig.scratch.rglob("ran-here")) and
                  not any("guessed" in r["path"] for r in case.index.requests()), "and nothing of it was run")
        built = "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"
        case.add(renamed("flash-attn", "2.8.3+cu12torch2.8cxx11abiTRUE", "cp312-cp312-linux_x86_64",
                         "requires=torch"))
        case.gets("the wheel that it would look for", wants("flash-attn"), machine, want={"t": [
            built, f"torch-2.8.0+cu128-cp312-cp312-{X86}.whl"]})


def missing_upstream(rig):
    """The index lists what it does not have."""
    fault = ["--fault", "404:files/gone-1.0-py3-none-any.whl"]
    with Case(rig, spec("gone", "1.0"), spec("here", "1.0"), options=fault) as case:
        bundle, said = case.create(wants("gone", "here"), linux("t"))
        rig.check(said.done.status == 3 and "gone-1.0-py3-none-any.whl" in said.error and not bundle.exists(),
                  "a listed file is gone: no bundle, and which", said.done)
    with Case(rig, spec("cudnn", "9.1.0.70")) as case:
        file = "cudnn-9.1.0.70-py3-none-any.whl"
        pylock = case.write("pylock.toml", PYLOCK.format(url=f"{case.index.url}/files/{file}", version="9.1.0.70",
                                                         sha256=sha256(case.files / file)).replace("torch", "cudnn"))
        case.write("targets.toml", f'lock-version = 1\n{linux("t")}')
        more = {"path": pylock, "options": ["--targets", "targets.toml"]}
        rig.check(case.create(**more)[1].done.status == 0, "while it was there", "")
        (case.files / file).unlink()
        bundle, said = case.create(**more)
        rig.check(said.done.status == 0 and bundle.exists(), "its digest is known here: no need to ask", said.done)
        case.lacks("a version that disappeared", wants("cudnn==9.1.0.70"), linux("t"), want={("t", "cudnn")},
                   words=["no cudnn"])
        case.write("page/index.html", "<!DOCTYPE html><html><body>nothing</body></html>\n")
        case.lacks("a page without links", wants("cudnn"), linux("t"), '[source.cudnn]\nlinks = "page/index.html"\n',
                   want={("t", "cudnn")}, words=["cudnn"])


def same_name(rig):
    """One name, two contents."""
    tag = "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64"
    file = f"triton-3.4.0-{tag}.whl"
    with Case(rig) as case:
        for folder, text in (("w126", "upstream"), ("w128", "torch")):
            make_wheels.make(str(case.folder / folder), wheel("triton", "3.4.0", tag, f"file=triton/who.py={text}"))
        parts = (wants("triton"), linux("a", "3.11", cuda="12.6"), linux("b", "3.11", cuda="12.8"),
                 '[source.triton]\nlinks = "w{cuda}"\n')
        bundle, said = case.create(*parts, options=["--trust-first-use"])
        if rig.check(said.done.status == 0, "the same name twice in one bundle", said.done):
            plans = rig.must("inspect", bundle, "--pub", case.public, "--json").json()["plans"]
            digests = {p["machine"].get("name") or t: [f["sha256"] for f in p["files"]]
                       for t, p in zip("ab", plans)}
            rig.equal(digests, {"a": [sha256(case.folder / "w126" / file)],
                                "b": [sha256(case.folder / "w128" / file)]}, "each target has its own bytes")
        make_wheels.make(str(case.files), wheel("triton", "3.4.0", tag, "file=triton/who.py=index"))
        other = rig.folder("other-triton")
        make_wheels.make(str(other), wheel("triton", "3.4.0", tag, "file=triton/who.py=another"))
        with rig.index(other) as second:
            said = case.resolve(wants("triton"), linux("t", "3.11"), env={"PIP_EXTRA_INDEX_URL": second.simple})
            rig.check(said.done.status == 1 and all(u in said.done.err for u in (case.index.url, second.url, file)),
                      "two indexes, two contents: both are named", said.done)


UV = '''version = 1
revision = 3
requires-python = ">=3.12"
[[package]]
name = "app"
version = "0.1"
source = {{ virtual = "." }}
dependencies = [
    {{ name = "av", marker = "platform_machine == 'aarch64' and sys_platform == 'linux'" }},
    {{ name = "pure" }},
]
[[package]]
name = "av"
version = "17.0.1"
source = {{ registry = "{simple}" }}
[[package]]
name = "pure"
version = "1.0"
source = {{ registry = "{simple}" }}
wheels = [{{ url = "{url}", hash = "sha256:{sha256}" }}]
'''


def nothing_for_target(rig):
    """The lock has an entry and no file."""
    with Case(rig, spec("pure", "1.0"), spec("av", "17.0.1"),
              *(wheel("only", "1.0", t) for t in ("cp312-cp312-win_amd64", f"cp311-cp311-{X86}"))) as case:
        pure = case.files / "pure-1.0-py3-none-any.whl"
        path = case.write("uv.lock", UV.format(simple=case.index.simple, sha256=sha256(pure),
                                               url=f"{case.index.url}/files/{pure.name}"))
        case.write("x86.toml", f'lock-version = 1\n{linux("x86")}')
        case.write("both.toml", f'lock-version = 1\n{linux("x86")}{linux("arm", arch="aarch64")}')
        case.gets("an entry that the target does not reach", path=path, options=["--targets", "x86.toml"],
                  want={"x86": [pure.name]})
        case.lacks("an entry without files", path=path, options=["--targets", "both.toml"], want={("arm", "av")},
                   words=["av", "17.0.1", "no wheel and no sdist"])
        case.lacks("tags that do not match", wants("only"), linux("t"), want={("t", "only")},
                   words=["cp312-cp312-win_amd64", f"cp311-cp311-{X86}"])
        case.lacks("a target that gets nothing", wants("pure; sys_platform == 'win32'"), linux("t"),
                   want={("t", "")}, words=["no row"])


def arm_torch(rig):
    """PyPI's plain torch for ARM had no CUDA."""
    row, machine = wants("torch==2.8.0"), linux("t", arch="aarch64", cuda="12.8")
    tag = f"cp312-cp312-{ARM}"
    with Case(rig, torch("2.8.0", tag=tag)) as case:
        case.lacks("CPU torch for a GPU", row, machine, want={("t", "torch")},
                   words=["CPU-only build for a target with CUDA 12.8", f"torch-2.8.0-{tag}.whl", "+cu128"])
        case.lacks("CPU torch for a GPU of which no more is said", row, linux("t", arch="aarch64", gpus=["9.0"]),
                   want={("t", "torch")}, words=["without CUDA", "GPUs (sm_90)", f"torch-2.8.0-{tag}.whl"])
        case.gets("CPU torch for a CPU", row, linux("t", arch="aarch64", cuda="none"),
                  want={"t": [f"torch-2.8.0-{tag}.whl"]})
        case.add(torch("2.8.0+cu128", tag=tag))
        case.gets("the build with CUDA", row, machine, linux("c", arch="aarch64", cuda="none"), want={
            "t": [f"torch-2.8.0+cu128-{tag}.whl"], "c": [f"torch-2.8.0-{tag}.whl"]})
        case.refuses("both builds", row, linux("t", arch="aarch64"), reason="ambiguous", words=["+cu128"])


CASES = [torch_abi, torch_minor, torch_of_wheels, build_requirements, markers, hashes, plus_signs, renamed_files,
         accelerators, build_downloads, missing_upstream, same_name, nothing_for_target, arm_torch]


def main(cases=None):
    with Rig(sys.argv) as rig:
        rig.key()
        chosen = set(rig.options)
        for case in cases or CASES:
            if not chosen or case.__name__ in chosen:
                with steps(case.__name__):
                    case(rig)
        return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
