#!/usr/bin/env python3
"""The device code of real wheels, against NVIDIA's cuobjdump, entry for entry.

    cuobjdump_differential.py PROGRAM FOLDER [--small] [--fetch] [WHEEL-PREFIX...]

PROGRAM is tests/tools/device_show, FOLDER holds wheels; --fetch lets pip download those of the table below that it
lacks. --small leaves out what is over 100 MB. cuobjdump is $CUOBJDUMP, that in $PATH, or that in a triton wheel in
FOLDER. cuobjdump looks only into the two sections that nvcc fills; of these the listed architectures must be the same,
each as often, and the toolkits those that stand in the cubins which cuobjdump extracts (not for the largest binaries).
What we see elsewhere (CUPTI's own kernels, those of CuTe DSL) is printed. The last line is "N cases, M differences".
"""

import collections
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

SMALL = 100 << 20
EXTRACTED = 200 << 20  # a larger binary holds more device code than a test should write to disk

# What is known of these files: a member, all its architectures, the toolkits of its cubins, how PTX says it was made.
BITSANDBYTES = "bitsandbytes/libbitsandbytes_cuda{}.so"
KNOWN = {
    "pygpukit-0.2.19": {
        "pygpukit/_pygpukit_native_cu131.cpython-312-x86_64-linux-gnu.so":
            ("80 86 89 90 100 120a", "80 86 89 90 100 120a", {"9.0"}, {"13.0.88"})},
    "xformers-0.0.35": {"xformers/_C.so": ("75 80 90a", "80", {"8.7"}, {"12.8"})},
    "torchvision-0.29.2": {
        "torchvision/_C_stable.so": ("75 80 86 90 100 120", "120", {"9.2"}, {"13.2.86"})},
    "cupy_cuda13x-14.2.0": {
        f"cupy/cuda/{name}.cpython-312-x86_64-linux-gnu.so":
            ("75 80 86 89 90 100f 120f", "120", {"9.2"}, {"13.2.78"}) for name in ("cub", "thrust")},
    "ffpa_attn-0.2.0-cp312": {
        "ffpa_attn/_C.cpython-312-x86_64-linux-gnu.so": ("80 89 90 100 120", "", set(), {"13.0.48"})},
    "ffpa_attn-0.2.4": {},
    "bitsandbytes-0.50.2": {
        BITSANDBYTES.format(118): ("60 70 75 80 86 89 90", "90", {"7.8"}, {"11.8"}),
        BITSANDBYTES.format(121): ("60 70 75 80 86 89 90", "90", {"8.1"}, {"12.1"}),
        BITSANDBYTES.format(126): ("60 70 75 80 86 89 90", "90", {"8.5"}, {"12.6"}),
        BITSANDBYTES.format(128): ("70 75 80 86 89 90 100 120", "120", {"8.7"}, {"12.8", "12.8.93"}),
        BITSANDBYTES.format(130): ("75 80 86 89 90 100 120", "120", {"9.0"}, {"13.0.88"}),
        BITSANDBYTES.format(132): ("75 80 86 89 90 100 120", "120", {"9.2"}, {"13.2.51"})},
    "triton-3": {},
    "vllm-": {},
    "torch-2.15.0": {
        "torch/lib/libtorch_cuda.so": ("75 80 86 89 90 90a 100 100a 103f 120 120a 121a", "", set(),
                                       {"13.2.86", "13.4.59"}),
        "torch/lib/libtorch_nvshmem.so": ("75 80 86 89 90 100 120", "120", {"9.0"}, {"13.0.100", "13.2.86"})},
}
FETCH = ("pygpukit==0.2.19", "xformers==0.0.35", "torchvision==0.29.2", "cupy-cuda13x==14.2.0", "ffpa-attn==0.2.0",
         "ffpa-attn==0.2.4", "bitsandbytes==0.50.2", "triton", "vllm", "torch==2.15.0")
# cuobjdump 13.1 stops in the middle of this one, whose cubins are sound.
CUOBJDUMP_FAILS = (BITSANDBYTES.format(121),)

LINE = re.compile(r"  (cubin sm|ptx compute|lto lto)_(\d+[af]?) (\S+) (\S+) x(\d+)(?: isa (\S+))?$")
LISTED = re.compile(r"^(ELF|PTX) file +\d+: .*\.sm_(\d+a?)f?\.(?:cubin|ptx)$", re.M)


class Code:
    """What a program says of one binary: counters of cubins and PTX by architecture, of toolkits by architecture."""

    def __init__(self):
        self.cubins, self.ptx, self.toolkits = (collections.Counter() for _ in range(3))
        self.isas = set()

    def without_family(self):
        """As cuobjdump has it: without the letter f."""
        drop = lambda counter: sum((collections.Counter({sm.rstrip("f"): n}) for sm, n in counter.items()),
                                   collections.Counter())
        return drop(self.cubins), drop(self.ptx)


def shown(program, path):
    """{member: Code} of a wheel; {"": Code} of a loose file."""
    done = subprocess.run([program, path], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"device_show {path}: {done.stdout}{done.stderr}")
    found, code = {}, None
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if not line.startswith(" "):
            code = found.setdefault(line[len(str(path)) + 2:], Code())
        elif match:
            kind, sm, _, toolkit, count, isa = match.groups()
            if kind.startswith("cubin"):
                code.cubins[sm] += int(count)
                code.toolkits[sm.rstrip("f"), toolkit] += int(count)
            elif kind.startswith("ptx"):
                code.ptx[sm] += int(count)
                code.isas.add(isa)
    return found


def listed(cuobjdump, path):
    """Counters of cubins and PTX; None where cuobjdump gives up."""
    done = subprocess.run([cuobjdump, "-all", "--list-elf", "--list-ptx", path], capture_output=True, text=True)
    if "fatal" in done.stderr + done.stdout:
        return None
    counts = {"ELF": collections.Counter(), "PTX": collections.Counter()}
    for kind, sm in LISTED.findall(done.stdout):
        counts[kind][sm] += 1
    return counts["ELF"], counts["PTX"]


def extracted_toolkits(cuobjdump, path):
    """The toolkit of each cubin that cuobjdump extracts, by architecture."""
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cuobjdump, "-all", "-xelf", "all", path], cwd=folder, check=True, capture_output=True)
        for cubin in pathlib.Path(folder).glob("*.cubin"):
            sm = re.search(r"\.sm_(\d+a?)f?\.cubin$", cubin.name).group(1)
            counts[sm, toolkit_of(cubin.read_bytes())] += 1
    return counts


def toolkit_of(cubin):
    version = struct.unpack_from("<I", cubin, 20)[0]
    if version > 1:
        return f"{version // 10}.{version % 10}"
    releases = re.findall(rb"release [\d.]+, V(\d+)\.(\d+)\.(\d+)", cubin)
    return ".".join(map(str, max(tuple(map(int, r)) for r in releases))) if releases else "unknown"


def archive_objects(archive):
    """The ELF files in an ar archive."""
    at, objects = 8, []
    while at + 60 <= len(archive):
        size = int(archive[at + 48:at + 58])
        if archive[at + 60:at + 64] == b"\x7fELF":
            objects.append(archive[at + 60:at + 60 + size])
        at += 60 + size + size % 2
    return objects


def nvcc_sections(elf):
    """The contents of the sections that nvcc puts device code into."""
    if elf[4] != 2:
        return
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    rows = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for row in rows:
        at = rows[names][4] + row[0]
        if elf[at:elf.index(b"\0", at)] in (b".nv_fatbin", b"__nv_relfatbin"):
            yield elf[row[4]:row[4] + row[5]]


class Comparison:
    def __init__(self, program, cuobjdump):
        self.program, self.cuobjdump = program, cuobjdump
        self.cases = self.differences = 0

    def check(self, is_so, what, *details):
        self.cases += 1
        if not is_so:
            self.differences += 1
            print("DIFFERENT", what, *details)

    def wheel(self, wheel):
        found = shown(self.program, wheel)
        known = next((rows for name, rows in KNOWN.items() if wheel.name.startswith(name)), {})
        print(f"{wheel.name}: {len(found)} members with device code")
        with zipfile.ZipFile(wheel) as z, tempfile.TemporaryDirectory() as folder:
            for info in z.infolist():
                head = z.open(info).read(8) if info.file_size else b""
                if head.startswith((b"\x7fELF", b"!<arch>\n")):
                    path = pathlib.Path(folder) / pathlib.Path(info.filename).name
                    with z.open(info) as source, open(path, "wb") as to:
                        shutil.copyfileobj(source, to)
                    self.binary(f"{wheel.name}: {info.filename}", path, found.get(info.filename, Code()))
                    path.unlink()
        for member, (cubins, ptx, isas, toolkits) in known.items():
            code = found.get(member, Code())
            has = (sorted(code.cubins), sorted(code.ptx), code.isas, {toolkit for _, toolkit in code.toolkits})
            self.check(has == (sorted(cubins.split()), sorted(ptx.split()), isas, toolkits),
                       f"{member}: known otherwise:", *has)
        if known == {} and wheel.name.startswith("ffpa_attn-0.2.4"):
            self.check(found == {}, f"{wheel.name}: device code where none is known")

    def binary(self, name, path, code):
        loose = next(iter(shown(self.program, path).values()))
        self.check(vars(loose) == vars(code), f"{name}: the loose file is read otherwise")
        inside = self.sections(path, code)
        if inside.cubins != code.cubins or inside.ptx != code.ptx:
            print(f"{name}: outside of the sections", dict(code.cubins - inside.cubins), dict(code.ptx - inside.ptx))
        theirs = listed(self.cuobjdump, path)
        if theirs is None:
            self.check(name.endswith(CUOBJDUMP_FAILS), f"{name}: cuobjdump cannot read it, we see", code.cubins)
            return
        self.check(inside.without_family() == theirs, f"{name}: ours", inside.cubins, inside.ptx, "theirs", *theirs)
        if theirs[0] and path.stat().st_size <= EXTRACTED:
            self.toolkits(name, inside.toolkits, extracted_toolkits(self.cuobjdump, path))

    def sections(self, path, code):
        """What we see in a copy that has only the sections that cuobjdump knows; in an archive the objects' own."""
        if not code.cubins and not code.ptx:
            return code
        bytes_ = path.read_bytes()
        copy = path.with_name("sections.so")
        objects = [bytes_] if bytes_.startswith(b"\x7fELF") else archive_objects(bytes_)
        copy.write_bytes(b"\x7fELF".ljust(8, b"\0") + b"".join(
            part.ljust((len(part) + 7) // 8 * 8, b"\0") for elf in objects for part in nvcc_sections(elf)))
        inside = next(iter(shown(self.program, copy).values()))
        copy.unlink()
        return inside

    def toolkits(self, name, ours, theirs):
        """The same ones; where ours is unknown, theirs may be any."""
        left = theirs - ours
        unknown, others = collections.Counter(), collections.Counter()
        for (sm, toolkit), n in (ours - theirs).items():
            (unknown if toolkit == "unknown" else others)[sm] += n
        rest = collections.Counter()
        for (sm, _), n in left.items():
            rest[sm] += n
        self.check(not others and unknown == rest, f"{name}: toolkits: ours", ours - theirs, "theirs", left)
        if unknown:
            print(f"{name}: {unknown.total()} toolkits unknown, which are {sorted({t for _, t in left})}")


def cuobjdump_find(folder, scratch):
    for path in (os.environ.get("CUOBJDUMP"), shutil.which("cuobjdump"),
                 shutil.which("cuobjdump", path="/usr/local/cuda/bin")):
        if path:
            return path
    for wheel in sorted(folder.glob("triton-*.whl")):
        with zipfile.ZipFile(wheel) as z:
            path = z.extract("triton/backends/nvidia/bin/cuobjdump", scratch)
        os.chmod(path, 0o755)
        return path
    return None


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    tags = [f"manylinux_2_{minor}_x86_64" for minor in range(17, 40)] + ["manylinux2014_x86_64"]
    for wanted in FETCH:
        name = wanted.replace("-", "_").replace("==", "-")
        if not list(folder.glob(f"{name}-*.whl")):
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                            "--python-version=3.12", *(f"--platform={tag}" for tag in tags), f"--dest={folder}",
                            wanted], check=True)


def main():
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    program, folder, *prefixes = [word for word in sys.argv[1:] if not word.startswith("--")]
    folder = pathlib.Path(folder)
    if "--fetch" in options:
        fetch(folder)
    wheels = [wheel for wheel in sorted(folder.glob("*.whl"))
              if not ("--small" in options and wheel.stat().st_size > SMALL)
              and (not prefixes or wheel.name.startswith(tuple(prefixes)))]
    with tempfile.TemporaryDirectory() as scratch:
        cuobjdump = cuobjdump_find(folder, scratch)
        if not wheels or not cuobjdump:
            print(f"skipped: no {'cuobjdump' if wheels else 'wheels'} in {folder}; `make check-wheels` fetches them")
            return 0
        comparison = Comparison(program, cuobjdump)
        for wheel in wheels:
            comparison.wheel(wheel)
    print(f"{comparison.cases} cases, {comparison.differences} differences")
    return comparison.differences > 0


if __name__ == "__main__":
    sys.exit(main())
