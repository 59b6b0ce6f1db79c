#!/usr/bin/env python3
"""More of what users hit while files are chosen: names, Requires-Python that no index tells, sdists that cannot be
built, containers' torch, yanked files, what stands in version control.

    field_traps.py BIN_DIR [CASE]...
"""

import sys
import zipfile

import field_cases
import make_wheels
from field_cases import X86, TOOLS, torch
from lock_case import Case, Source, build_system, linux, made, pkg_info, renamed, spec, wants, wheel
from rig import sha256


def spellings(rig):
    """Projects have one name, files keep theirs."""
    with Case(rig, wheel("PyYAML", "6.0.2", f"cp312-cp312-{X86}"), spec("repoze.lru", "0.7"),
              spec("Flash.Attn", "2.8.3"),
              spec("app", "1.0", "requires=PYYAML>=6", "requires=repoze_lru", "requires=Zope-Interface")) as case:
        dotted = case.files / "zope.interface-5.4.0-cp312-cp312-linux_x86_64.whl"
        case.add(wheel("zope.interface", "5.4.0", "cp312-cp312-linux_x86_64"))
        (case.files / "zope_interface-5.4.0-cp312-cp312-linux_x86_64.whl").rename(dotted)
        case.gets("names in any spelling", wants("App", "flash_ATTN==2.8.3"), linux("t"), want={"t": [
            "app-1.0-py3-none-any.whl", f"PyYAML-6.0.2-cp312-cp312-{X86}.whl", "repoze_lru-0.7-py3-none-any.whl",
            "Flash_Attn-2.8.3-py3-none-any.whl", dotted.name]})
        pages = {r["path"] for r in case.index.requests() if r["path"].startswith("/simple/")}
        rig.equal({p for p in pages if "zope" in p or "repoze" in p or "flash" in p.lower()},
                  {"/simple/zope-interface/", "/simple/repoze-lru/", "/simple/flash-attn/"},
                  "pages are asked by the normalised name")
        bundle, said = case.create(wants("zope.interface", "pyyaml"), linux("t"))
        listed = rig.run("tar", "--zstd", "-tf", bundle).out
        rig.check(said.done.status == 0 and f"/{dotted.name}\n" in listed and "/PyYAML-6.0.2-" in listed,
                  "and carried under their own", listed)


def python_of_metadata(rig):
    """Requires-Python stands in METADATA and PKG-INFO, not on the page."""
    old, new = linux("old", "3.10"), linux("new", "3.12")
    with Case(rig, spec("foo", "1.0"), spec("foo", "1.1", "python=>=3.12"),
              Source("bar-2.0.tar.gz", {"PKG-INFO": pkg_info("bar", "2.0", "Requires-Python: >=3.12"),
                                        "pyproject.toml": build_system("tiny")}),
              spec("bar", "1.0")) as case:
        case.gets("a newer file that only says inside whom it is for", wants("foo", "bar"), new, old, use="run",
                  want={"old": ["foo-1.0-py3-none-any.whl", "bar-1.0-py3-none-any.whl"],
                        "new": ["foo-1.1-py3-none-any.whl", "bar-2.0.tar.gz"]})
        case.gets("what the first target got is preferred", wants("foo"), old, new, want={
            "old": ["foo-1.0-py3-none-any.whl"], "new": ["foo-1.0-py3-none-any.whl"]})
        for row, file in (("foo==1.1", "foo"), ("bar>=2", "bar")):
            case.lacks(f"{row} pinned", wants(row), old, want={("old", file)}, words=[">=3.12", "3.10", file])


STUBS = [
    Source("tensorrt_cu13_libs-10.13.3.9.tar.gz", {
        "pyproject.toml": build_system("nvidia_stub.buildapi", "nvidia-stub"),
        "PKG-INFO": pkg_info("tensorrt_cu13_libs", "10.13.3.9")}),
    Source("cudf_cu11-24.8.2.tar.gz", {
        "pyproject.toml": build_system("wheel_stub.buildapi", "wheel-stub"),
        "PKG-INFO": pkg_info("cudf-cu11", "24.8.2")}),
    Source("nvidia_cuda_runtime_cu13-0.0.1.tar.gz", {
        "setup.py": "import sys\nfrom setuptools import setup\n"
                    "sys.exit('nvidia-cuda-runtime-cu13 is only a placeholder project: install the right one')\n",
        "PKG-INFO": pkg_info("nvidia-cuda-runtime-cu13", "0.0.1")}),
]


def stubs(rig):
    """What downloads the true file when it is built covers nothing."""
    with Case(rig, *STUBS, spec("nvidia-stub", "1.0"), spec("wheel-stub", "1.0"), spec("setuptools", "80.9.0"),
              *TOOLS) as case:
        for name, word in (("tensorrt-cu13-libs", "stub"), ("cudf-cu11", "stub"),
                           ("nvidia-cuda-runtime-cu13", "placeholder")):
            case.lacks(f"{name} alone", wants(name), linux("t"), want={("t", name)},
                       words=[word, name.replace("-", "_")])
        case.lacks("a stub, and what to do", wants("cudf-cu11"), linux("t"), want={("t", "cudf-cu11")},
                   words=["[source.cudf-cu11]", "index"])
        case.add(wheel("cudf-cu11", "24.8.1", f"cp312-cp312-{X86}"))
        case.gets("an older version that is true", wants("cudf-cu11"), linux("t"),
                  want={"t": [f"cudf_cu11-24.8.1-cp312-cp312-{X86}.whl"]}, notes=["cudf_cu11-24.8.2.tar.gz", "stub"])
        case.lacks("a stub that is pinned", wants("cudf-cu11==24.8.2"), linux("t"), want={("t", "cudf-cu11")},
                   words=["stub"])
        true = rig.folder("true-index")
        make_wheels.make(str(true), wheel("cudf-cu11", "24.8.2", f"cp312-cp312-{X86}"))
        with rig.index(true) as second:
            case.gets("the true wheel, on an index that the lock names", wants("cudf-cu11"), linux("t"),
                      f'[source.cudf-cu11]\nindex = "{second.simple}"\n',
                      want={"t": [f"cudf_cu11-24.8.2-cp312-cp312-{X86}.whl"]})
            case.gets("or that pip knows", wants("cudf-cu11"), linux("t"), env={"PIP_EXTRA_INDEX_URL": second.simple},
                      want={"t": [f"cudf_cu11-24.8.2-cp312-cp312-{X86}.whl"]})


def incomplete_source(rig):
    """An sdist without the files that its setup.py compiles."""
    setup = ("from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
             "setup(ext_modules=[CUDAExtension('x', ['csrc/selective_scan/selective_scan.cpp',"
             " 'csrc/selective_scan/scan.cu'])])\n")
    whole = {"setup.py": setup, "csrc/selective_scan/selective_scan.cpp": "int x;\n",
             "csrc/selective_scan/scan.cu": "int y;\n"}
    machine = linux("t", torch="2.8.0+cu128")
    with Case(rig, spec("setuptools", "80.9.0"), torch("2.8.0+cu128"), *TOOLS, Source("mamba_ssm-2.2.2.tar.gz", {
            "setup.py": setup, "PKG-INFO": pkg_info("mamba-ssm", "2.2.2")})) as case:
        case.lacks("no sources in it", wants("mamba-ssm"), machine, want={("t", "mamba-ssm")},
                   words=["mamba_ssm-2.2.2.tar.gz", "incomplete", "csrc/selective_scan/"])
        case.add(Source("mamba_ssm-2.2.1.tar.gz", {**whole, "PKG-INFO": pkg_info("mamba-ssm", "2.2.1")}))
        case.gets("an older one that is whole", wants("mamba-ssm"), machine, use="run",
                  want={"t": ["mamba_ssm-2.2.1.tar.gz"]}, notes=["mamba_ssm-2.2.2.tar.gz"])
        Source("flash-attention-2.8.2.zip", {"setup.py": setup}).write(case.files)
        path = case.write("wanted.txt", f"flash-attention @ {case.index.url}/files/flash-attention-2.8.2.zip"
                                        f"#sha256={sha256(case.files / 'flash-attention-2.8.2.zip')}\n")
        case.write("targets.toml", f"lock-version = 1\n{machine}")
        case.lacks("an archive of a code host without its submodules", path=path,
                   options=["--targets", "targets.toml"], want={("t", "flash-attention")},
                   words=["flash-attention-2.8.2.zip", "incomplete"])


def setuptools_ceiling(rig):
    """torch before 2.9 builds extensions with what setuptools 82 has no more."""
    source = Source("gsplat-1.5.tar.gz", {"pyproject.toml": build_system("setuptools.build_meta", "setuptools"),
                                          "PKG-INFO": pkg_info("gsplat", "1.5")})
    with Case(rig, source, spec("setuptools", "70.2.0"), spec("setuptools", "82.0.1"), *TOOLS) as case:
        old, new = linux("old", torch="2.6.0+cu126"), linux("new", torch="2.9.0+cu128")

        def tools(what, *parts, want):
            said = case.resolve(*parts)
            rig.check(said.done.status == 0, f"{what}: there is a plan", said.done)
            for name, version in want.items():
                rig.equal(said.files(name, "build"), [f"setuptools-{version}-py3-none-any.whl"], f"{what}: {name}")

        tools("the newest that the target's torch can use", wants("gsplat"), new, old,
              want={"old": "70.2.0", "new": "82.0.1"})
        tools("a torch without that limit", wants("gsplat"), new, want={"new": "82.0.1"})
        case.lacks("none that will do", wants("gsplat", build_constraints=["setuptools>80,<82"]), old,
                   want={("old", "setuptools")}, words=["gsplat-1.5.tar.gz", "setuptools<82,>80"])
        tools("the lock knows better", wants("gsplat", build_constraints=["setuptools>=82"]), old,
              want={"old": "82.0.1"})
        tools("a constraint of what is installed does not count", wants("gsplat", constraints=["setuptools<80"]),
              new, want={"new": "82.0.1"})
        tools("one for builds does", wants("gsplat", build_constraints=["setuptools<80"]), new,
              want={"new": "70.2.0"})
        tools("a row for builds", wants("gsplat"), new,
              '[[package]]\nname = "setuptools"\nversion = "==70.2.0"\nuse = "build"\n', want={"new": "70.2.0"})


def circles(rig):
    """What is needed to build itself, and is nowhere a wheel, cannot be built."""
    def source(name, *requires):
        return Source(f"{name}-1.0.tar.gz", {"pyproject.toml": build_system(name, *requires),
                                             "PKG-INFO": pkg_info(name, "1.0")})

    with Case(rig, source("selfish", "selfish"), source("one", "two"), source("two", "one"), source("three", "four"),
              spec("four", "1.0", "requires=three"), source("flit-like")) as case:
        case.lacks("itself", wants("selfish"), linux("t"), want={("t", "selfish")}, words=["selfish-1.0.tar.gz"])
        case.lacks("by way of another", wants("one"), linux("t"), want={("t", "one"), ("t", "two")},
                   words=["one-1.0.tar.gz", "two-1.0.tar.gz"])
        case.lacks("by way of a wheel", wants("three"), linux("t"), want={("t", "four")}, words=["three-1.0.tar.gz"])
        case.gets("one that has its backend inside", wants("flit-like"), linux("t"),
                  want={"t": ["flit-like-1.0.tar.gz"]})
        case.add(spec("selfish", "0.9"))
        said = case.gets("an older wheel builds it", wants("selfish"), linux("t"), use="run",
                         want={"t": ["selfish-1.0.tar.gz"]})
        rig.equal(said.files("t", "build"), ["selfish-0.9-py3-none-any.whl"], "an older wheel is carried for it")
        case.add(spec("selfish", "1.0"))
        case.gets("a wheel ends it", wants("selfish"), linux("t"), want={"t": ["selfish-1.0-py3-none-any.whl"]})


def container_torch(rig):
    """The torch of NVIDIA's containers is what it is, and no other is packed."""
    tag = "cp310-cp310-linux_x86_64"
    flash = [renamed("flash-attn", f"2.8.0.post2+cu12torch{t}cxx11abi{abi}", tag, "requires=torch")
             for t in ("2.5", "2.6") for abi in ("TRUE", "FALSE")]
    machine = linux("t", "3.10", torch="2.5.0a0+e000cf0ad9.nv24.10", cuda="12.6")
    with Case(rig, *flash, torch("2.5.1+cu124", tag=tag), torch("2.6.0+cu126", tag=tag), torch("2.7.0", tag=tag),
              spec("ssm", "1.0", "requires=torch>=2.4"), spec("modern", "1.0", "requires=torch>=2.8.0")) as case:
        said = case.gets("a container", wants("flash-attn==2.8.0.post2", "ssm"), machine, want={"t": [
            f"flash_attn-2.8.0.post2+cu12torch2.5cxx11abiTRUE-{tag}.whl", "ssm-1.0-py3-none-any.whl"]},
            notes=["2.5.0a0+e000cf0ad9.nv24.10", "ABI"])
        rig.equal(said.target("t")["given"], [{"name": "torch", "version": "2.5.0a0+e000cf0ad9.nv24.10"}],
                  "its torch is given")
        bundle, said = case.create(wants("flash-attn==2.8.0.post2", "ssm"), machine, options=made("flash-attn"))
        rig.check(said.done.status == 0 and "torch-2" not in rig.run("tar", "--zstd", "-tf", bundle).out,
                  "and no other is in the bundle", said.done)
        case.lacks("an alpha is no release", wants("modern"), linux("t", "3.10", torch="2.8.0a0+5228986c39.nv25.5"),
                   want={("t", "torch")}, words=["torch>=2.8.0", "2.8.0a0+5228986c39.nv25.5", "pre-release"])
        rows = [(">=2.7.1,<=2.8.0a0", True), ("<2.8.0", False), ("==2.8.0", False), (">=2.4", True)]
        for i, (row, fits) in enumerate(rows):
            name = f"by{i}"
            case.add(spec(name, "1.0", f"requires=torch{row}"))
            answer = case.gets if fits else case.lacks
            answer(f"torch{row}", wants(name), linux("t", "3.10", torch="2.8.0a0+5228986c39.nv25.5"),
                   want={"t": [f"{name}-1.0-py3-none-any.whl"]} if fits else {("t", "torch")})
        case.gets("unless the lock says it will do", wants("modern"),
                  linux("t", "3.10", torch="2.8.0a0+5228986c39.nv25.5"),
                  '[override.torch]\nversion = ">=2.8.0a0"\nreason = "has all that we use"\n',
                  want={"t": ["modern-1.0-py3-none-any.whl"]})
        case.gets("a release is never replaced by a newer one", wants("flash-attn"),
                  linux("t", "3.10", torch="2.6.0+cu126"), want={"t": [
                      f"flash_attn-2.8.0.post2+cu12torch2.6cxx11abiTRUE-{tag}.whl", f"torch-2.6.0+cu126-{tag}.whl"]})


def nightlies(rig):
    """A nightly for the right CUDA against a release for another."""
    tag, nightly = "cp38-abi3-manylinux1_x86_64", "0.20.2rc1.dev233+g5497ffbf7.cu129"
    with Case(rig, wheel("vllm", nightly, tag), wheel("vllm", "0.20.2+cu130", tag)) as case:
        machine = linux("t", cuda="12.9")
        for row in ("vllm", f"vllm=={nightly}", "vllm==0.20.2rc1.dev233"):
            case.gets(f"{row} for CUDA 12.9", wants(row), machine, want={"t": [f"vllm-{nightly}-{tag}.whl"]},
                      notes=["pre-release"])
        case.gets("a release where one fits", wants("vllm"), linux("t", cuda="13.0"),
                  want={"t": [f"vllm-0.20.2+cu130-{tag}.whl"]})
        case.lacks("the release for CUDA 12.9", wants("vllm==0.20.2"), machine, want={("t", "vllm")},
                   words=["0.20.2"])


def hash_of_source(rig):
    """A lock that knows the hash of the source alone gets the source."""
    with Case(rig, spec("flash-attn", "2.8.3", "kind=sdist"), spec("flash-attn", "2.8.3"), spec("setuptools", "80"),
              torch("2.6.0+cu126"), *TOOLS) as case:
        digest = sha256(case.files / "flash_attn-2.8.3.tar.gz")
        path = case.write("wanted.txt", f"flash-attn==2.8.3 --hash=sha256:{digest}\n")
        case.write("targets.toml", "lock-version = 1\n" + linux("t", torch="2.6.0+cu126"))
        case.gets("a hash of the source", path=path, options=["--targets", "targets.toml"], use="run",
                  want={"t": ["flash_attn-2.8.3.tar.gz"]})


def yanked(rig):
    """Yanked with a reason or without: not chosen, unless the lock pins it."""
    options = ["--yanked", "soft-2.0-py3-none-any.whl=", "--yanked", "hard-2.0-py3-none-any.whl=eats data"]
    for form in ("html", "json"):
        with Case(rig, *(spec(n, v) for n in ("soft", "hard") for v in ("1.0", "2.0")),
                  options=options + ["--format", form]) as case:
            case.gets(f"{form}: yanked, with a reason and without", wants("soft", "hard"), linux("t"),
                      want={"t": ["soft-1.0-py3-none-any.whl", "hard-1.0-py3-none-any.whl"]})
            bundle, said = case.create(wants("soft==2.0", "hard==2.0"), linux("t"))
            rig.check(said.done.status == 0 and "eats data" in said.notes and "soft-2.0" in said.notes,
                      f"{form}: pinned: carried with a warning", said.done)
            text = rig.run("tar", "--zstd", "-xOf", bundle, "manifest.json").out
            rig.check('"yanked":""' in text and '"yanked":"eats data"' in text, f"{form}: the reason goes along",
                      text)
            case.lacks(f"{form}: yanked, and no other will do", wants("hard>=2"), linux("t"), want={("t", "hard")},
                       words=["yanked", "eats data"])


VCS = '''lock-version = "1.0"
created-by = "test"
[[packages]]
name = "p"
[packages.vcs]
type = "git"
url = "https://example.org/o/p"
commit-id = "{commit}"
subdirectory = "py"
'''


def version_control(rig):
    """What stands in version control is no file: refused, never cloned."""
    with Case(rig, spec("foo", "1.0"), spec("app", "1.0", "requires=foo @ git+https://example.org/foo@main"),
              spec("direct", "1.0", "requires=foo @ {url}")) as case:
        path = case.write("pylock.toml", VCS.format(commit="0123456789" * 4))
        case.write("targets.toml", f'lock-version = 1\n{linux("t")}')
        said = case.resolve(path=path, options=["--targets", "targets.toml"])
        rig.check(said.done.status == 2 and said.reason == "unsupported" and "git" in said.error,
                  "a pylock's entry in version control", said.done)
        case.lacks("a requirement in version control", wants("app"), linux("t"), want={("t", "foo")},
                   words=["git+https://example.org/foo@main", "foo"])
        case.gets("met by the index where the lock says so", wants("app"), linux("t"),
                  '[override.foo]\nversion = "==1.0"\nreason = "the same code"\n',
                  want={"t": ["app-1.0-py3-none-any.whl", "foo-1.0-py3-none-any.whl"]})
        case.lacks("an override with a version that is not there", wants("app"), linux("t"),
                   '[override.foo]\nversion = "==9"\nreason = "none"\n', want={("t", "foo")}, words=["==9", "1.0"])
        case.gets("excluded", wants("app", exclude=["foo"]), linux("t"), want={"t": ["app-1.0-py3-none-any.whl"]})
        url = f"{case.index.url}/files/foo-1.0-py3-none-any.whl"
        case.add(spec("direct", "1.1", f"requires=foo @ {url}"))
        case.gets("a requirement by URL is that very file", wants("direct"), linux("t"),
                  want={"t": ["direct-1.1-py3-none-any.whl", "foo-1.0-py3-none-any.whl"]})


def record_gaps(rig):
    """A wheel whose RECORD lacks a member is reported, and its bytes stay as they are."""
    with Case(rig, spec("gappy", "1.0")) as case:
        path = case.files / "gappy-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "a") as z:
            z.writestr("gappy-1.0.dist-info/licenses/LICENSE", "free")
        before = sha256(path)
        bundle, said = case.create(wants("gappy"), linux("t"), options=["--waive", "gappy=as upstream made it"])
        rig.check(said.done.status == 0, "a gap in RECORD, waived", said.done)
        shown = rig.must("inspect", bundle, "--pub", case.public, "--json").json()
        rig.equal([f["sha256"] for f in shown["distinct_files"]], [before], "its bytes are unchanged")
        said = case.create(wants("gappy"), linux("t"))[1]
        rig.check("licenses/LICENSE" in said.done.err, "a gap in RECORD is named", said.done)


def source_of_newest(rig):
    """Wheels for one Python only: elsewhere the newest source, not an old wheel, and it is said."""
    tag = "cp312-cp312-manylinux_2_34_x86_64.manylinux_2_35_x86_64"
    machine = linux("t", "3.11", glibc="2.35")
    source = spec("pygpukit", "0.2.19", "kind=sdist", "requires-build=scikit-build-core")
    with Case(rig, wheel("pygpukit", "0.2.19", tag), source, spec("pygpukit", "0.1.1"),
              spec("scikit-build-core", "0.11"), *TOOLS) as case:
        case.gets("a wheel of the newest", wants("pygpukit"), linux("t", "3.12", glibc="2.35"),
                  want={"t": [f"pygpukit-0.2.19-{tag}.whl"]})
        said = case.gets("the source of the newest", wants("pygpukit"), machine, use="run",
                         want={"t": ["pygpukit-0.2.19.tar.gz"]}, notes=["pygpukit-0.1.1-py3-none-any.whl"])
        rig.equal({f.split("-")[0] for f in said.files("t", "build")}, {"cmake", "ninja", "scikit_build_core"},
                  "and what builds it")
        (case.files / "pygpukit-0.2.19.tar.gz").unlink()
        case.add()
        case.gets("an old version, said aloud", wants("pygpukit"), machine,
                  want={"t": ["pygpukit-0.1.1-py3-none-any.whl"]}, notes=["is not the newest", "0.2.19", tag])
        case.lacks("an old version is no answer where the lock pins the new one", wants("pygpukit==0.2.19"), machine,
                   want={("t", "pygpukit")}, words=["cp312"])


CASES = [spellings, python_of_metadata, stubs, incomplete_source, setuptools_ceiling, circles, container_torch,
         nightlies, hash_of_source, yanked, version_control, record_gaps, source_of_newest]

if __name__ == "__main__":
    sys.exit(field_cases.main(CASES))
