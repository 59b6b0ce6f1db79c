#!/usr/bin/env python3
"""`build` and `install` on the far side: sources that behave, sources that do not, toolkits that fit or not.

    build.py BIN_DIR [--cuda FOLDER]

With --cuda, a folder with the sdist of cuda-kernels 0.2.0 and wheels for it (setuptools, wheel, numpy for the
Python that runs this, and the
CUDA 13.0 toolkit: nvidia-cuda-nvcc, -nvvm, -cuda-crt, -cuda-runtime, -cuda-cccl), real device code is built too.
"""

import gzip
import io
import os
import pathlib
import re
import shutil
import stat
import sys
import tarfile

import make_wheels
from rig import MACHINE, Rig, lock, package, sha256, steps, target

FAR = "linux_x86_64" if MACHINE == "aarch64" else "linux_aarch64"
GPU = 'glibc = "2.28"\ngpus = ["9.0"]\n'

# Runs before the wheel is written; what each source tries is in {before}.
BACKEND = '''
import os, sys
import tiny_backend


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(folder, config_settings=None, metadata_directory=None):
{before}
    name = tiny_backend.build_wheel(folder, config_settings, metadata_directory)
{after}
    return name
'''

FAKE_NVCC = """#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release {release}, V{release}.88" ;;
--list-gpu-arch) for a in {archs}; do echo compute_$a; done ;;
*) exit 1 ;;
esac
"""


def add(tar, path, text):
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(text.encode()), 0o644
    tar.addfile(entry, io.BytesIO(text.encode()))


def make_sdist(folder, name, before="pass", after="pass", requires=(), files=()):
    """name 1.0 whose backend does what it is told on top of make_wheels' own."""
    spec = make_wheels.Spec(f"{name} 1.0 kind=sdist")
    tiny = make_wheels.BACKEND.format(name=spec.escaped, version="1.0", module=spec.module,
                                      metadata=spec.metadata())
    indent = lambda code: "\n".join("    " + line for line in code.splitlines())
    raw = io.BytesIO()
    root = f"{spec.escaped.lower()}-1.0"
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        add(tar, f"{root}/PKG-INFO", spec.metadata())
        add(tar, f"{root}/pyproject.toml", "[build-system]\nrequires = [" + ", ".join(f'"{r}"' for r in requires)
            + ']\nbuild-backend = "backend"\nbackend-path = ["."]\n')
        add(tar, f"{root}/tiny_backend.py", tiny)
        add(tar, f"{root}/backend.py", BACKEND.format(before=indent(before), after=indent(after)))
        add(tar, f"{root}/{spec.module}/__init__.py", f"name = {name!r}\n")
        for path, text in files:
            add(tar, f"{root}/{path}", text)
    path = pathlib.Path(folder, root + ".tar.gz")
    path.write_bytes(gzip.compress(raw.getvalue(), mtime=0))
    return path


LOOK = """
seen = {}
with open("/proc/net/dev") as f:
    seen["network"] = [line.split(":")[0].strip() for line in f if ":" in line]
seen["store"] = os.path.exists(os.path.join(%r, "catalog.db"))
seen["environment"] = sorted(os.environ)
seen["hidden"] = os.environ.get("GPKG_TEST_SECRET")
try:
    open(%r, "w")
    seen["outside"] = "written"
except OSError:
    seen["outside"] = "closed"
seen["here"] = os.getcwd()
import json
with open(os.path.join("looker", "seen.json"), "w") as f:
    json.dump(seen, f)
with open(os.path.join("looker", "__init__.py"), "a") as f:
    f.write("seen = %%r" %% (seen,))
"""

CALL = """
import urllib.request
urllib.request.urlopen("https://files.example.org/caller-1.0-py3-none-any.whl", timeout=20)
"""

BAD = {  # what each does, the reason that must be given, and words that its message must hold
    "caller": (CALL, "pass", "build", "files.example.org"),
    "silent": ("pass", "os.remove(os.path.join(folder, name))", "build", ""),
    "importer": ("import not_declared_anywhere", "pass", "build", "not_declared_anywhere"),
    "liar": ("pass", "os.rename(os.path.join(folder, name), os.path.join(folder, 'other-1.0-py3-none-any.whl'));"
             "name = 'other-1.0-py3-none-any.whl'", "wheel|build", "other"),
    "foreign": ("pass", "os.rename(os.path.join(folder, name), os.path.join(folder, "
                "'foreign-1.0-cp27-none-any.whl')); name = 'foreign-1.0-cp27-none-any.whl'", "build", "tags"),
    "torn": ("pass", "import zipfile; p = os.path.join(folder, name); z = zipfile.ZipFile(p)\n"
             "m = {n: z.read(n) for n in z.namelist()}; z = zipfile.ZipFile(p, 'w')\n"
             "[z.writestr(n, d + b'#' * n.endswith('__init__.py')) for n, d in m.items()]; z.close()", "wheel", "RECORD"),
}


def prepare(rig, given, name, sources, locks):
    """One bundle with these sources, imported into a store of its own; returns the store."""
    folder, store = rig.folder(f"{name}-index"), rig.scratch / f"{name}-store"
    for make in sources:
        make(folder)
    bundle = rig.scratch / f"{name}.tar.zst"
    if "key" not in given:
        given["key"] = rig.key()
    with rig.index(folder) as index:
        done = rig.create(lock(rig.scratch / f"{name}.toml", *locks, name=name), bundle, index=index.simple,
                          key=given["key"], cache=rig.scratch / f"{name}-cache")
    if done.status:
        raise RuntimeError(f"create {name}: {done}")
    rig.must("trust", "add", f"{given['key']}.pub", "--store", store)
    rig.must("import", bundle, "--store", store)
    return store


def items(done):
    return {b["name"]: b for b in done.json()["builds"]}


def check_good(rig, given):
    outside = rig.scratch / "outside"
    store = rig.scratch / "good-store"
    look = LOOK % (str(store), str(outside))
    prepare(rig, given, "good", [
        lambda f: make_wheels.make(f, "plain 1.0 kind=sdist"),
        lambda f: make_sdist(f, "looker", before=look),
        lambda f: make_sdist(f, "first"),
        lambda f: make_sdist(f, "aaa-second", before="import first", requires=["first"])],
        [target("here"), target("far", platform=FAR),
         package("plain", "1.0"), package("looker", "1.0"), package("first", "1.0"), package("aaa-second", "1.0")])
    early = rig.gpkg("install", "--target", "here", "--venv", rig.scratch / "early", "--store", store, "--json")
    rig.equal((early.status, early.reason()), (1, "hole"), "install before the build names the source")
    done = rig.gpkg("build", "--store", store, "--json", env={"GPKG_TEST_SECRET": "1"})
    rig.check(done.status == 0, "build", done)
    made = {(b["target"], b["name"]): b["state"] for b in done.json()["builds"]}
    rig.equal({made[t, n] for t, n in made if t == "here"}, {"built"}, "all are built for the target of this machine")
    rig.equal({made[t, n] for t, n in made if t == "far"}, {"not-here"}, "and those of another machine are named")
    rig.equal(len(made), 8, "each source of each target is told of")
    first = {n: b["sha256"] for n, b in items(done).items() if "sha256" in b}
    rig.check(not outside.exists(), "a build writes nothing outside")

    again = rig.gpkg("build", "--target", "here", "--store", store, "--json")
    rig.equal({b["state"] for b in again.json()["builds"]}, {"built-before"}, "what is built is not built again")
    rebuilt = rig.gpkg("build", "--rebuild", "--target", "here", "plain", "first", "--store", store, "--json")
    rig.equal({b["sha256"] for b in rebuilt.json()["builds"]},
              {b["sha256"] for b in done.json()["builds"] if b["name"] in ("plain", "first") and "sha256" in b},
              "built again: the same bytes")
    venv = rig.scratch / "venv"
    done = rig.gpkg("install", "--target", "here", "--venv", venv, "--store", store, "--json")
    rig.check(done.status == 0, "install", done)
    rig.equal({p["name"]: p["built"] for p in done.json()["packages"]},
              dict.fromkeys(["plain", "looker", "first", "aaa-second"], True), "install says what it put there")
    done = rig.run(venv / "bin/python", "-c", "import looker, json; print(json.dumps(looker.seen))")
    seen = done.json()
    rig.equal((seen["hidden"], seen["outside"], seen["store"]), (None, "closed", False),
              "a build sees neither our environment nor the store, and cannot write")
    rig.check(set(seen["network"]) <= {"lo"}, "a build has no network device", seen["network"])
    rig.equal(seen["here"], "/gpkg-build/src/looker-1.0", "a build finds itself at a fixed path")
    freeze = rig.run(venv / "bin/python", "-m", "pip", "freeze")
    rig.check("@" not in freeze.out, "pip notes down no path that is gone", freeze)
    return store, first


def check_site_key(rig, store):
    mode = stat.S_IMODE(os.stat(store / "site.key").st_mode)
    rig.equal(mode, 0o600, "the site key is the owner's alone")
    if not rig.tool("minisign"):
        rig.skip("no minisign on this machine")
        return
    statements = [p for p in store.glob("objects/*/*") if p.read_bytes().startswith(b'{"_type":"https://in-toto.io/')]
    signatures = [p for p in store.glob("objects/*/*") if p.read_bytes().startswith(b"untrusted comment: signature by a gpkg")]
    rig.check(len(statements) >= 4, "each build has a statement", len(statements))
    good = 0
    for statement in statements:
        for signature in signatures:
            if rig.run("minisign", "-Vm", statement, "-x", signature, "-p", store / "site.pub").status == 0:
                good += 1
                break
    rig.equal(good, len(statements), "minisign verifies every statement with site.pub")


def check_bad(rig, given):
    outside = rig.scratch / "secret"
    outside.write_text("secret")
    sources = [lambda f, n=n, b=b: make_sdist(f, n, before=b[0], after=b[1]) for n, b in BAD.items()]
    link = f"os.remove(os.path.join(folder, name)); os.symlink({str(outside)!r}, os.path.join(folder, name))"
    sources.append(lambda f: make_sdist(f, "linker", after=link))
    store = prepare(rig, given, "bad", sources,
                    [target("here")] + [package(n, "1.0") for n in [*BAD, "linker"]])
    done = rig.gpkg("build", "--store", store, "--json")
    rig.equal(done.status, 1, "failed builds are the answer no")
    for name, item in items(done).items():
        _, _, reason, words = BAD.get(name, ("", "", "build|wheel", ""))
        rig.equal(item["state"], "failed", f"{name} fails")
        rig.check(re.fullmatch(reason, item["error"]["reason"]), f"{name}: reason", item["error"])
        rig.check(words in item["error"]["text"] + item["error"]["hint"], f"{name}: says {words}", item["error"])
        log = store / "logs/here" / f"{name}-1.0.log"
        rig.check(log.is_file() and str(log) in item["error"]["hint"], f"{name}: the log is kept and named", item["error"])
    rig.check(all(word in done.err for word in BAD), "each failure is told on standard error", done)
    rig.equal([b for b in items(rig.gpkg("build", "--store", store, "--json", "caller")).values()][0]["state"], "failed",
              "a failed build is tried again")


def check_usage(rig, store):
    for arguments, status, words in (
            (["--target", "nope"], 1, "it has: far, here"),
            (["nothing-of-that-name"], 1, "no package of that name"),
            (["--jobs", "0"], 2, "--jobs"),
            (["--time-limit", "0"], 2, "--time-limit"),
            (["--target", "far", "plain"], 3, FAR)):
        done = rig.gpkg("build", *arguments, "--store", store)
        rig.check(done.status == status and words in done.err, f"build {arguments}", done)
    for arguments, status, words in (
            ([], 2, "--target NAME and --venv DIR"),
            (["--target", "here", "--venv", store], 1, "no virtual environment"),
            (["--target", "nope", "--venv", "v"], 1, "not in this store"),
            (["--target", "far", "--venv", "v"], 3, FAR),
            (["--target", "here", "--venv", "v", "ghost"], 1, "has no package ghost"),
            (["--target", "here", "--venv", "v", "plain==2"], 2, "versions are those of the bundle")):
        done = rig.gpkg("install", *arguments, "--store", store)
        rig.check(done.status == status and words in done.err, f"install {arguments}", done)


def fake_toolkit(rig, name, release, archs):
    home = rig.folder(f"cuda-{name}")
    (home / "bin").mkdir()
    nvcc = home / "bin/nvcc"
    nvcc.write_text(FAKE_NVCC.format(release=release, archs=archs))
    nvcc.chmod(0o755)
    return home


def check_toolkits(rig, given):
    """Nothing is compiled: each of these is refused before, or its wheel holds no device code."""
    recipe = '[recipe.gpuonly]\ndevice-code = true\n[toolkit]\nfrom = "site"\nversion = "13.0"\n'
    store = prepare(rig, given, "kit", [lambda f: make_sdist(f, "gpuonly", files=[("gpuonly/k.cu", "")])],
                    [target("here", rest=GPU), package("gpuonly", "1.0"), recipe])
    for name, release, archs, status, reason, words in (
            ("old", "12.4", "80 90", 3, "tool", "13.0"),
            ("blind", "13.0", "75 80", 3, "tool", "9.0"),
            ("right", "13.0", "80 90", 1, "no-device-code", "gpuonly")):
        home = fake_toolkit(rig, name, release, archs)
        done = rig.gpkg("build", "--target", "here", "--store", store, "--json", env={"CUDA_HOME": str(home)})
        error = items(done)["gpuonly"].get("error", {})
        rig.equal((done.status, error.get("reason")), (status, reason), f"toolkit {name}")
        rig.check(words in error.get("text", "") + error.get("hint", ""), f"toolkit {name}: says {words}", error)
    done = rig.gpkg("build", "--store", store, "--target", "here", env={"CUDA_HOME": "/nowhere"})
    rig.check(done.status == 3 and "nvcc not found at /nowhere/bin" in done.err, "a wrong CUDA_HOME is named", done)


KIT = ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl")


def check_cuda(rig, given, packages):
    """cuda-kernels with the toolkit out of wheels, in namespaces; and its trap: an nvcc that fails unnoticed."""
    versions = {f.name.split("-")[0].replace("_", "-").lower(): f.name.split("-")[1] for f in packages.glob("*.whl")}
    rows = [package("cuda-kernels", "0.2.0"), package("numpy", versions["numpy"])]
    rows += [package(n, versions[n], 'use = "build"\n') for n in ("setuptools", "wheel", *KIT)]
    kit = '[toolkit]\nfrom = "wheels"\npackages = [' + ", ".join(f'"{n}"' for n in KIT) + "]\n"
    copy = lambda folder: [shutil.copy(f, folder) for f in packages.iterdir()]
    store = prepare(rig, given, "cuda", [copy], [target("h100", rest=GPU), *rows, kit])
    done = rig.gpkg("build", "--store", store, "--json", "--jobs", "1")
    item = items(done)["cuda-kernels"]
    rig.equal((done.status, item["state"], item.get("device_code")), (0, "built", "sm_90"), "cuda-kernels for sm_90")
    again = items(rig.gpkg("build", "--rebuild", "--store", store, "--json", "--jobs", "1"))["cuda-kernels"]
    rig.equal(again.get("sha256"), item.get("sha256"), "built twice: the same bytes")
    broken = '[recipe.cuda-kernels]\ndevice-code = true\nreason = "test"\n' \
             'env = { NVCC_APPEND_FLAGS = "-gencode=arch=compute_33,code=sm_33" }\n'
    store = prepare(rig, given, "trap", [copy], [target("h100", rest=GPU), *rows, kit, broken])
    done = rig.gpkg("build", "--store", store, "--json")
    item = items(done)["cuda-kernels"]
    rig.equal((done.status, item["state"], item.get("error", {}).get("reason")), (1, "failed", "no-device-code"),
              "pip succeeds without device code, and build does not")


def main():
    rig = Rig(sys.argv)
    given = {}
    # The targets have the Python that runs this script: it must be found, also where PATH only has wrappers.
    rig.env["PATH"] = f"{pathlib.Path(os.path.realpath(sys.executable)).parent}:{rig.env['PATH']}"
    with rig:
        with steps("good sources"):
            store, _ = check_good(rig, given)
        with steps("site key"):
            check_site_key(rig, store)
        with steps("bad sources"):
            check_bad(rig, given)
        with steps("usage"):
            check_usage(rig, store)
        with steps("toolkits"):
            check_toolkits(rig, given)
        if "--cuda" in rig.options:
            with steps("real device code"):
                check_cuda(rig, given, pathlib.Path(rig.options[rig.options.index("--cuda") + 1]).resolve())
        else:
            rig.skip("device code: no --cuda FOLDER")
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
