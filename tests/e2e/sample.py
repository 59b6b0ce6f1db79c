"""A small index with one of everything, a lock of four targets for it, and the plan to come out."""

import shlex

import make_wheels
from rig import CP, MACHINE, PYTHON, lock, package, target

OTHER = "aarch64" if MACHINE == "x86_64" else "x86_64"

# A build backend of one file: the sdist below is built with nothing but what the bundle carries.
BACKEND = '''\
import base64, hashlib, os, re, zipfile


def field(name):
    with open("PKG-INFO") as f:
        return re.search(rf"^{name}: (.*)$", f.read(), re.M).group(1)


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(folder, config_settings=None, metadata_directory=None):
    project, version = field("Name"), field("Version")
    info = f"{project}-{version}.dist-info"
    members = {}
    for name in sorted(os.listdir(project)):
        with open(os.path.join(project, name), "rb") as f:
            members[f"{project}/{name}"] = f.read()
    with open("PKG-INFO", "rb") as f:
        members[f"{info}/METADATA"] = f.read()
    members[f"{info}/WHEEL"] = (b"Wheel-Version: 1.0\\nGenerator: tinybuild\\n"
                                b"Root-Is-Purelib: true\\nTag: py3-none-any\\n")
    rows = ""
    for name, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows += f"{name},sha256={digest},{len(data)}\\n"
    members[f"{info}/RECORD"] = (rows + f"{info}/RECORD,,\\n").encode()
    file = f"{project}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as out:
        for name, data in members.items():
            out.writestr(zipfile.ZipInfo(name), data)
    return file
'''

GLIBC = [
    f"{CP}-{CP}-manylinux_2_17_x86_64.manylinux2014_x86_64", f"{CP}-{CP}-manylinux_2_28_x86_64",
    f"{CP}-{CP}-manylinux_2_34_x86_64", f"{CP}-{CP}-manylinux_2_17_aarch64.manylinux2014_aarch64",
    f"{CP}-{CP}-manylinux_2_28_aarch64"
]
NATIVE = GLIBC + [
    f"{CP}-{CP}-musllinux_1_1_x86_64", "cp312-cp312-win_amd64", "cp312-cp312-win_arm64",
    "cp27-cp27mu-manylinux_2_17_x86_64", f"{CP}-{CP}-macosx_11_0_arm64"
]

SPECS = [
    "pure 1.0 size=3000 'requires=Mixed.Case>=2' 'requires=winonly; sys_platform == \"win32\"' "
    "'requires=ghost; python_version < \"3\"'",
    "pure 0.9",  # older: must not be taken
    "pure 1.1",  # newer: the lock pins 1.0
    *[f"native 2.1 size=70000 tag={tag}" for tag in NATIVE],
    "host 1.0 extra=fast extra=slow 'requires=speedy; extra == \"fast\"' "
    "'requires=ghost; extra == \"slow\"'",
    "speedy 3.0",
    "winonly 1.0",
    "srcpure 0.5 kind=sdist requires-build=tinybuild>=1 backend=tinybuild.api requires=speedy",
    "tinybuild 1.0 " + shlex.quote("file=tinybuild/api.py=" + BACKEND),
    "labelled 1.2+cu130 metadata-version=1.2",
    "labelled 1.2+cu126 metadata-version=1.2",
    "Mixed.Case 2.0",
]

GPU = 'gpus = ["9.0"]\ncuda = "13.0"\n'
TARGETS = [
    target("host", rest='glibc = "2.28"\n' + GPU),
    target("other", platform=f"linux_{OTHER}", rest='glibc = "2.28"\n' + GPU),
    target("musl", platform="linux_x86_64", rest='musl = "1.2"\n' + GPU),
    target("win", python="3.12", platform="win_amd64", rest=GPU),
]
ROWS = [
    package("pure", "1.0"),
    package("native", "2.1"),
    package("host", "1.0", 'extras = ["fast"]\n'),
    package("speedy", "3.0"),
    package("winonly", "1.0", "marker = \"sys_platform == 'win32'\"\n"),
    package("srcpure", "0.5"),
    package("tinybuild", "1.0", 'use = "build"\n'),
    package("labelled", "1.2+cu130", 'targets = ["host", "other"]\n'),
    package("mixed-case", "2.0"),
]

EVERYWHERE = {
    "pure-1.0-py3-none-any.whl": "run",
    "host-1.0-py3-none-any.whl": "run",
    "speedy-3.0-py3-none-any.whl": "run",
    "srcpure-0.5.tar.gz": "run",
    "tinybuild-1.0-py3-none-any.whl": "build",
    "Mixed_Case-2.0-py3-none-any.whl": "run",
}
LABELLED = {"labelled-1.2+cu130-py3-none-any.whl": "run"}
PLANS = {  # target -> file -> what for
    "host": {**EVERYWHERE, **LABELLED, f"native-2.1-{CP}-{CP}-manylinux_2_28_{MACHINE}.whl": "run"},
    "other": {**EVERYWHERE, **LABELLED, f"native-2.1-{CP}-{CP}-manylinux_2_28_{OTHER}.whl": "run"},
    "musl": {**EVERYWHERE, f"native-2.1-{CP}-{CP}-musllinux_1_1_x86_64.whl": "run"},
    "win": {**EVERYWHERE, "winonly-1.0-py3-none-any.whl": "run",
            "native-2.1-cp312-cp312-win_amd64.whl": "run"},
}
# What uv is told to install for each target on this machine.
PLATFORMS = {
    "host": f"{MACHINE}-manylinux_2_28",
    "other": f"{OTHER}-manylinux_2_28",
    "musl": "x86_64-unknown-linux-musl",
    "win": "x86_64-pc-windows-msvc",
}
PYTHONS = {"host": PYTHON, "other": PYTHON, "musl": PYTHON, "win": "3.12"}


def make_files(folder):
    """{file name: path} of the whole index."""
    return {
        path.rsplit("/", 1)[1]: path
        for path in (make_wheels.make(str(folder), s) for s in SPECS)
    }


def make_lock(path):
    return lock(path, *TARGETS, *ROWS)
