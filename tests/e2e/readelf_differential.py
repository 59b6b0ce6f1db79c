#!/usr/bin/env python3
"""readelf_differential.py PROGRAM [FILE | FOLDER | WHEEL]...: ELF files as elf_show reads them and as readelf does.

Compared: DT_NEEDED, DT_SONAME, DT_RUNPATH or DT_RPATH, DT_RELR, the needed versions, and the undefined and exported
symbols of torch and Python. Without files: libraries made here by every compiler and linker that there is, and those
of this machine. Of a wheel all ELF files in it. The last line is "N files, M wrong".
"""
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

SOURCE = """
#include <stdio.h>
extern int aoti_torch_here(void), torch_far(void), _ZN2at4nearEv(void), Py_Here(void);
extern int _ZN3c104softEv(void) __attribute__((weak));
int _ZN5torch4mineEv(void) { return aoti_torch_here() + torch_far() + _ZN2at4nearEv() + Py_Here(); }
int _ZN5torch4softEv(void) __attribute__((weak));
int _ZN5torch4softEv(void) { return _ZN3c104softEv ? _ZN3c104softEv() : 0; }
__attribute__((visibility("hidden"))) int _ZN5torch6hiddenEv(void) { return 1; }
static void *volatile table[100] = { (void *)_ZN5torch4mineEv, (void *)table };
int PyInit_demo(void) { puts("x"); return table[0] != 0; }
"""
SILENT = """
extern int torch_far(void), Py_Here(void);
__attribute__((constructor)) static void init(void) { torch_far(); Py_Here(); }
"""
OPTIONS = [[], ["-Wl,--hash-style=sysv"], ["-Wl,--hash-style=gnu"], ["-Wl,--hash-style=both"], ["-Wl,-z,noseparate-code"],
           ["-Wl,-rpath,$ORIGIN/../x:/y", "-Wl,--disable-new-dtags"], ["-Wl,-rpath,/z", "-Wl,--enable-new-dtags"],
           ["-Wl,-soname,libdemo.so.1"], ["-Wl,-z,pack-relative-relocs"], ["-Wl,--pack-dyn-relocs=relr"], ["-s"],
           ["-Wl,-z,max-page-size=65536"], ["-Wl,--no-as-needed", "-lm", "-lpthread"]]


def make_files(folder):
    (folder / "demo.c").write_text(SOURCE)
    (folder / "silent.c").write_text(SILENT)
    made = []
    for compiler in filter(shutil.which, ["gcc", "clang"]):
        for linker in ["bfd", "gold", "lld"]:
            for options in OPTIONS:
                for name in ["demo", "silent"]:
                    out = folder / f"{len(made)}.so"
                    done = subprocess.run([compiler, "-O1", "-g", "-shared", "-fPIC", f"-fuse-ld={linker}", "-o", out,
                                           folder / f"{name}.c", *options], capture_output=True, check=False)
                    if done.returncode == 0:
                        made.append(out)
    if shutil.which("clang"):
        for hash_style in ["sysv", "gnu"]:
            out = folder / f"arm-{hash_style}.so"
            command = ["clang", "--target=aarch64-linux-gnu", "-nostdlib", "-shared", "-fPIC", "-fuse-ld=lld",
                       f"-Wl,--hash-style={hash_style}", "-o", out, folder / "silent.c"]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                made.append(out)
    for extra in [["-c"], ["-static"], ["-pie", "-fPIE"], ["-no-pie"]]:
        (folder / "main.c").write_text('#include <stdio.h>\nint main(void) { return puts(""); }\n')
        out = folder / f"main{len(made)}"
        if subprocess.run(["gcc", *extra, "-o", out, folder / "main.c"], capture_output=True, check=False).returncode == 0:
            made.append(out)
    if shutil.which("objcopy") and made:
        out = folder / "demo.debug"
        subprocess.run(["objcopy", "--only-keep-debug", made[0], out], check=True)
        made.append(out)
    return made


def files_of_machine():
    folders = [sysconfig.get_path("platstdlib"), sysconfig.get_path("platlib"), "/usr/lib/x86_64-linux-gnu", "/usr/lib64"]
    found = []
    for folder in filter(None, folders):
        found += sorted(p for p in Path(folder).rglob("*.so*") if p.is_file() and not p.is_symlink())[:150]
    return found


def is_elf64(path):
    with path.open("rb") as f:
        head = f.read(6)
    return head[:4] == b"\x7fELF" and head[4:6] == b"\x02\x01"


def readelf(path, *options):
    done = subprocess.run(["readelf", "-W", *options, str(path)], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "surrogateescape")


TORCH = re.compile(r"_Z(T[hvc][chvn0-9_]+|T[A-Z]|G[A-Z])?Z*N[rVKRO]*(8pybind116detail11type_casterIN[rVK]*)?"
                   r"(2at|3c10|4c10d|5torch|6caffe2|\d+THP)|_Z(T[A-Z]|G[A-Z])?Z*\d+THP|THP|torch_|aoti_(torch|record)_|_?Py[A-Z_]")


def symbols(path):
    undefined, exported = set(), set()
    for line in readelf(path, "--dyn-syms").splitlines():
        row = re.match(r" *\d+: [0-9a-f]+ +\S+ +\S+ +(\w+) +(\w+) +(?:\[.*\] +)?(\w+) (\S+)", line)
        if not row:
            continue
        binding, visibility, section, name = row.groups()
        name = name.split("@")[0]
        if not TORCH.match(name):
            continue
        if section == "UND":
            if binding == "GLOBAL":
                undefined.add(name)
        elif binding in ("GLOBAL", "WEAK", "UNIQUE") and visibility not in ("HIDDEN", "INTERNAL"):
            exported.add(name)
    return [f"undefined {n}" for n in sorted(undefined)] + [f"exported {n}" for n in sorted(exported)]


def versions(path):
    out, library, is_needs = [], "", False
    for line in readelf(path, "-V").splitlines():
        if line.startswith("Version "):
            is_needs = line.startswith("Version needs")
        found = re.search(r"File: (\S+)  Cnt", line)
        library = found[1] if found else library
        found = re.search(r"Name: (\S+)  Flags: (\S+)", line)
        if is_needs and found and "WEAK" not in found[2]:
            out.append(f"version {library} {found[1]}")
    return out


def expected(path):
    texts = {"SONAME": [], "RPATH": [], "RUNPATH": [], "NEEDED": [], "RELR": []}
    for line in readelf(path, "-d").splitlines():
        row = re.match(r" 0x[0-9a-f]+ \((\w+)\) +(?:.*\[(.*)\]|(.*))", line)
        if row and row[1] in texts:
            texts[row[1]].append(row[2] or "")
    out = [f"soname {t}" for t in texts["SONAME"] if t]
    out += [f"rpath {t}" for t in texts["RUNPATH"] or texts["RPATH"] if t]
    out += [f"needed {t}" for t in texts["NEEDED"]]
    return out + versions(path) + ["relr"] * bool(texts["RELR"]) + symbols(path)


def shown(program, path):
    done = subprocess.run([program, str(path)], capture_output=True, check=False)
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    return [l for l in lines if l.split()[0] not in ("file", "machine", "passes")]


def is_wrong(program, path):
    have, want = shown(program, path), expected(path)
    if have == want:
        return False
    print(f"{path}:")
    for line in [f"  only elf_show: {l}" for l in have if l not in want][:5]:
        print(line)
    for line in [f"  only readelf:  {l}" for l in want if l not in have][:5]:
        print(line)
    if sorted(have) == sorted(want):
        print("  another order")
    return True


def unpack(wheel, folder):
    """The ELF files of a wheel, one after the other; each is gone when the next one is asked for."""
    with zipfile.ZipFile(wheel) as z:
        for info in z.infolist():
            with z.open(info) as source:
                if source.peek(4)[:4] != b"\x7fELF":
                    continue
                path = folder / Path(info.filename).name
                with path.open("wb") as to:
                    shutil.copyfileobj(source, to)
            yield path
            path.unlink()


def files_of(path, scratch):
    if path.suffix == ".whl":
        return unpack(path, scratch)
    if path.is_dir():
        return sorted(p for p in path.rglob("*") if p.is_file() and not p.is_symlink())
    return [path]


def main():
    program, named = sys.argv[1], [Path(p) for p in sys.argv[2:]]
    if not shutil.which("readelf"):
        sys.exit("skipped: no readelf")
    with tempfile.TemporaryDirectory() as folder:
        scratch, count, wrong = Path(folder), 0, 0
        for path in named or make_files(scratch) + files_of_machine():
            for file in filter(is_elf64, files_of(path, scratch)):
                count += 1
                wrong += is_wrong(program, file)
    print(f"{count} files, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
