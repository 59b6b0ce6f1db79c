#!/usr/bin/env python3
"""The verb `audit`: a wheel made for each fault, and the faults of real wheels where they are at hand.

    audit.py BIN_DIR [FOLDER]

FOLDER (or $GPKG_BUNDLE_WHEELS) may hold wheels of ffpa-attn 0.2.0, torchvision 0.29.2, xformers 0.0.35, and of torch
2.11.0 and 2.15.0; those that are there are audited.
"""

import os
import pathlib
import struct
import subprocess
import sys
import zipfile

import make_wheels
from rig import CP, MACHINE, PYTHON, Rig, steps, target

OTHER_MACHINE = {"x86_64": ("aarch64", 183), "aarch64": ("x86_64", 62)}[MACHINE]
TAG = f"{CP}-{CP}-linux_{MACHINE}"
SUFFIX = f".cpython-{CP[2:]}-{MACHINE}-linux-gnu.so"
TARGETS = "lock-version = 1\nname = \"audit\"\n" + "".join([
    target("cpu", rest='glibc = "2.36"\n'),
    target("old", rest='glibc = "2.17"\n'),
    target("gpu", rest='glibc = "2.36"\ngpus = ["9.0"]\ndriver = "580.65.06"\n'),
    target("elder", rest='glibc = "2.36"\ngpus = ["9.0"]\ndriver = "535"\n'),
    target("torch", rest='glibc = "2.36"\ngpus = ["9.0"]\ndriver = "580.65.06"\ntorch = "2.15.0+cu130"\n'),
    target("other-torch", rest='glibc = "2.36"\ngpus = ["9.0"]\ntorch = "2.11.0+cu130"\n'),
])


class NativeSpec(make_wheels.Spec):
    """A wheel with binaries beside its words."""

    def __init__(self, text, binaries):
        super().__init__(text)
        self.binaries = binaries

    def members(self):
        yield from super().members()
        yield from self.binaries.items()


def fatbin(sm, kind=2):
    """A container with one entry for that architecture."""
    payload = bytes(range(64))
    entry = struct.pack("<HHIQQHHIQQQQ", kind, 0x0101, 64, len(payload), 0, 0, 9, sm, 0, 0x11, 0, 0) + payload
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry


class Audit:

    def __init__(self, rig):
        self.rig = rig
        self.folder = rig.scratch / "wheels"
        self.folder.mkdir()
        self.targets = rig.scratch / "targets.toml"
        self.targets.write_text(TARGETS)

    # ---- making ----

    def library(self, name, source="", *options, soname=None, versions=None):
        """The bytes of a shared library that needs nothing but what the options link it with."""
        folder = self.rig.scratch / "libraries"
        folder.mkdir(exist_ok=True)
        out = folder / name
        command = ["gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--hash-style=both", "-o", out, "-x", "c", "-"]
        if soname:
            command.append(f"-Wl,-soname,{soname}")
        if versions:
            script = folder / (name + ".map")
            script.write_text(versions)
            command.append(f"-Wl,--version-script={script}")
        subprocess.run([*map(str, command), "-x", "none", *map(str, options)], input=source.encode(), check=True,
                       cwd=folder)
        return out.read_bytes()

    def stub(self, soname, function="stub", versions=None):
        """A library to link with; its path."""
        self.library(soname, f"void {function}(void) {{}}", soname=soname, versions=versions)
        return self.rig.scratch / "libraries" / soname

    def user_of(self, *stubs, source="", options=()):
        """An extension that needs these libraries."""
        init = "void *PyInit__C(void) { return 0; }"
        return self.library("_C.so", init + source, "-Wl,--no-as-needed", *stubs, *options)

    def with_code(self, sm, *stubs, kind=2):
        """One with device code for that architecture."""
        code = self.rig.scratch / "libraries/code.bin"
        code.parent.mkdir(exist_ok=True)
        code.write_bytes(fatbin(sm, kind))
        return self.user_of(*stubs, source=f'\n__asm__(".section .nv_fatbin,\\"a\\"\\n.p2align 3\\n.incbin '
                            f'\\"{code}\\"\\n.text\\n");')

    def wheel(self, text, binaries=None):
        if "tag=" not in text:
            text += f" tag={TAG}"
        return make_wheels.make_wheel(self.folder, NativeSpec(text, binaries or {}))

    def torch(self, version="2.15.0", cuda="13.0", symbols=("_ZN3c103oneEv", "_ZN2at3twoEv")):
        source = "".join(f"void {symbol}(void) {{}}\n" for symbol in symbols)
        label = f"+cu{cuda.replace('.', '')}" if cuda else "+cpu"
        value = f"'{cuda}'" if cuda else "None"
        text = f"from typing import Optional\n__version__ = '{version}{label}'\ncuda: Optional[str] = {value}\n"
        return self.wheel(f"torch {version}", {
            "torch/version.py": text.encode(),
            "torch/lib/libc10.so": self.library("libc10.so", source, soname="libc10.so")})

    # ---- asking ----

    def ask(self, *files, targets=("cpu",), more=(), status=None):
        """The audits of the first file by target, out of --json."""
        names = [word for name in targets for word in ("--target", name)]
        done = self.rig.gpkg("audit", *files, "--targets", self.targets, *names, *more, "--json")
        if status is not None:
            self.rig.equal(done.status, status, f"{pathlib.Path(files[0]).name}: exit status")
        return {audit["target"]: audit for audit in done.json()["files"][0]["audits"]}

    def expect(self, audit, check, result, *words):
        """The gravest finding of that check, and words in one that is so grave."""
        order = ["PASS", "WARN", "UNKNOWN", "FAIL"]
        own = [finding for finding in audit["findings"] if finding["check"] == check]
        worst = max(order.index(finding["result"]) for finding in own)
        self.rig.equal(order[worst], result, f"{check} for {audit['target']}: {own}")
        grave = [" ".join(map(str, finding.values())) for finding in own if finding["result"] == result]
        for word in words:
            self.rig.check(any(word in text for text in grave), f"{check}: {word!r} is not said", own)

    # ---- parts ----

    def demands(self):
        cases = [
            # what is in it, target, check, result, words
            (self.with_code(80), "gpu", "gpu-code", "FAIL", ["sm_80", "sm_90", "no kernel image"]),
            (self.with_code(90), "gpu", "gpu-code", "PASS", ["sm_90"]),
            (self.with_code(80, kind=1), "gpu", "gpu-code", "WARN", ["compute_80"]),
            (self.user_of(self.stub("libcudart.so.12")), "torch", "cuda", "FAIL", ["libcudart.so.12"]),
            (self.user_of(self.stub("libcudart.so.13")), "torch", "cuda", "PASS", []),
            (self.user_of(self.stub("libcudart.so.13")), "elder", "driver", "FAIL", ["580", "535"]),
            (self.user_of(self.stub("libcudart.so.13")), "gpu", "driver", "PASS", ["580"]),
            (self.user_of(self.stub("libnowhere.so.1")), "cpu", "libraries", "UNKNOWN", ["libnowhere.so.1"]),
            (self.user_of(options=["-Wl,-rpath,/opt/build/lib"]), "cpu", "rpath", "WARN", ["/opt/build/lib"]),
            (self.user_of(options=["-Wl,-rpath,$ORIGIN/../x.libs"]), "cpu", "rpath", "PASS", []),
        ]
        for binary, name, check, result, words in cases:
            file = self.wheel("demo 1.0", {"demo/_C" + SUFFIX: binary})
            status = 1 if result == "FAIL" else None
            self.expect(self.ask(file, targets=[name], status=status)[name], check, result, *words)

    def systems(self):
        new = self.stub("libc.so.6", "stub", "GLIBC_2.32 { stub; };")
        call = "void stub(void); void *PyInit__D(void) { stub(); return 0; }"
        file = self.wheel("demo 1.0", {"demo/_D" + SUFFIX: self.library("_D.so", call, new)})
        audits = self.ask(file, targets=["cpu", "old"], status=1)
        self.expect(audits["cpu"], "libc", "PASS", "2.32")
        self.expect(audits["old"], "libc", "FAIL", "2.32", "2.17", "not found")
        plain = self.user_of()
        other = plain[:18] + struct.pack("<H", OTHER_MACHINE[1]) + plain[20:]
        file = self.wheel("demo 1.0", {"demo/_C" + SUFFIX: other})
        self.expect(self.ask(file, status=1)["cpu"], "cpu", "FAIL", OTHER_MACHINE[0])
        file = self.wheel("demo 1.0 tag=" + TAG.replace(CP, "cp38"), {"demo/_C" + SUFFIX: plain})
        self.expect(self.ask(file, status=1)["cpu"], "python", "FAIL", "cp38")
        file = self.wheel("demo 1.0", {"demo/_C.cpython-38-linux-gnu.so": plain})
        self.expect(self.ask(file, status=1)["cpu"], "python", "FAIL")
        musl = self.user_of(self.stub(f"libc.musl-{MACHINE}.so.1"))
        file = self.wheel("demo 1.0", {"demo/_C" + SUFFIX: musl})
        self.expect(self.ask(file, status=1)["cpu"], "os", "FAIL", "musl")

    def names(self):
        file = self.wheel("demo 2.8.3+cu12 metadata-version=2.8.3")
        self.expect(self.ask(file, status=0)["cpu"], "names", "WARN", "2.8.3+cu12")
        file = self.wheel("natten 0.21.0 tag=py3-none-any")
        self.expect(self.ask(file, targets=["gpu"], status=1)["gpu"], "build-kind", "FAIL", "libnatten")
        file = self.wheel("pygpukit 0.2.13 tag=py3-none-any")
        self.expect(self.ask(file)["cpu"], "advisories", "WARN", "0.2.14")
        self.rig.equal([f["check"] for f in self.ask(self.wheel("demo 1.0"))["cpu"]["findings"]],
                       self.known_checks(), "a finding for each check, in order")

    @staticmethod
    def known_checks():
        text = (pathlib.Path(__file__).resolve().parent.parent.parent / "verify/checks.def").read_text()
        return [line.split('"')[1] for line in text.splitlines() if line.startswith("CHECK(")]

    def symbols(self):
        torch = self.torch()
        uses = "\nvoid _ZN3c103oneEv(void); void run(void) { _ZN3c103oneEv(); }"
        misses = uses + "\nvoid _ZN2at5threeEv(void); void more(void) { _ZN2at5threeEv(); }"
        good = self.wheel("good 1.0", {"good/_C" + SUFFIX: self.user_of(source=uses)})
        bad = self.wheel("bad 1.0", {"bad/_C" + SUFFIX: self.user_of(source=misses)})
        one = ["torch"]
        self.expect(self.ask(bad, targets=one)["torch"], "torch-abi", "UNKNOWN", "--torch-wheel")
        self.expect(self.ask(good, targets=one, more=["--torch-wheel", torch])["torch"], "torch-abi", "PASS",
                    "2.15.0+cu130")
        audit = self.ask(bad, targets=one, more=["--torch-wheel", torch], status=1)["torch"]
        self.expect(audit, "torch-abi", "FAIL", "at::three", "1 symbol ", "2.15.0+cu130", "_ZN2at5threeEv")
        self.rig.equal(audit["torch"], "2.15.0+cu130", "the torch that was compared with")
        # Given as one of the files it is audited, and compared with.
        self.expect(self.ask(bad, torch, targets=one)["torch"], "torch-abi", "FAIL", "at::three")
        self.expect(self.ask(torch, targets=one)["torch"], "torch-abi", "PASS")
        # Not the target's torch: nothing is compared, and that is said.
        done = self.rig.gpkg("audit", bad, "--targets", self.targets, "--target", "other-torch", "--torch-wheel",
                             torch, "--json")
        audit = done.json()["files"][0]["audits"][0]
        self.rig.equal(audit["torch"], None, "another torch is not compared with")
        self.expect(audit, "torch-abi", "UNKNOWN")
        self.rig.check("2.11.0+cu130" in done.err, "the warning names the target's torch", done)
        # Two torches: each target has its own.
        older = self.torch("2.11.0", symbols=("_ZN3c103oneEv", "_ZN2at5threeEv"))
        audits = self.ask(bad, targets=["torch", "other-torch"], more=["--torch-wheel", torch, "--torch-wheel", older])
        self.expect(audits["torch"], "torch-abi", "FAIL")
        self.expect(audits["other-torch"], "torch-abi", "PASS")

    def together(self):
        """What one file needs another may bring."""
        user = self.wheel("user 1.0", {"user/_C" + SUFFIX: self.user_of(self.stub("libshared.so.1"))})
        bringer = self.wheel("bringer 1.0", {
            "bringer/lib/libshared.so.1": self.library("libshared.so.1", "int x;", soname="libshared.so.1")})
        self.expect(self.ask(user)["cpu"], "libraries", "UNKNOWN", "libshared.so.1")
        self.expect(self.ask(user, bringer, status=0)["cpu"], "libraries", "PASS")

    def text(self):
        file = self.wheel("demo 1.0", {"demo/_C" + SUFFIX: self.with_code(80, self.stub("libcudart.so.13"))})
        done = self.rig.gpkg("audit", file, "--targets", self.targets, "--target", "gpu", "--target", "cpu")
        self.rig.equal(done.status, 1, "text: exit status")
        lines = done.out.splitlines()
        self.rig.equal(lines[0], pathlib.Path(file).name, "text: the file comes first")
        self.rig.check(lines[1].startswith("  for gpu: 1✗ 2✓ 3"), "text: the short line", done)
        self.rig.check(lines[2].startswith("    FAIL GPU code (1): ") and "sm_80" in lines[2], "text: a finding", done)
        self.rig.check(lines[3].startswith("      avoids: CUDA error"), "text: the error that it avoids", done)
        self.rig.check(lines[4].startswith("      do: "), "text: the remedy", done)
        self.rig.check("PASS" not in done.out, "text: what passes is not told", done)
        self.rig.check("  for cpu: 1✓" in done.out, "text: the other target", done)
        done = self.rig.gpkg("audit", file, "--targets", self.targets, "-t", "gpu", "--verbose")
        self.rig.check("    PASS RECORD: " in done.out, "--verbose tells what passes", done)

    def show(self):
        source = "\nvoid aoti_torch_x(void); void run(void) { aoti_torch_x(); }"
        binary = self.user_of(self.stub("libcudart.so.13"), source=source, options=["-Wl,-rpath,$ORIGIN/lib"])
        file = self.wheel("demo 1.0", {"demo/_C" + SUFFIX: binary})
        for more in ((), ("--show",), ("--targets", self.targets, "-t", "cpu", "--show")):
            done = self.rig.gpkg("audit", file, *more)
            self.rig.equal(done.status, 0, f"the map, {more}: exit status")
            for word in ("demo/_C" + SUFFIX, f"ELF, {MACHINE}", "libcudart.so.13", "$ORIGIN/lib",
                         "1 of torch's stable C", "RECORD: every file fits"):
                self.rig.check(word in done.out, f"the map, {more}: {word!r}", done)
        answer = self.rig.gpkg("audit", file, "--json").json()
        self.rig.equal(sorted(answer), ["files"], "JSON: the whole")
        entry = answer["files"][0]
        self.rig.equal(sorted(entry), ["audits", "file", "native"], "JSON: a file")
        self.rig.equal(entry["audits"], [], "JSON: no target, no audit")
        module = entry["native"]["modules"][0]
        self.rig.equal((module["format"], module["machine"], module["needed"], module["rpath"]),
                       ("elf", MACHINE, ["libcudart.so.13"], "$ORIGIN/lib"), "JSON: a module")
        self.rig.equal(module["torch_symbols"], ["aoti_torch_x"], "JSON: the symbols of torch")
        audit = self.ask(file)["cpu"]
        self.rig.equal(sorted(audit), ["findings", "line", "result", "target", "torch"], "JSON: an audit")
        self.rig.equal(sorted(audit["findings"][0]), ["avoids", "check", "demand", "member", "remedy", "result", "text",
                                                      "title"], "JSON: a finding")

    def refusals(self):
        good, lying = self.wheel("demo 1.0"), self.folder / "lying-1.0-py3-none-any.whl"
        source = self.wheel("lying 1.0 tag=py3-none-any")
        with zipfile.ZipFile(source) as z:
            members = {name: z.read(name) for name in z.namelist()}
        members["lying/__init__.py"] += b"# another\n"
        with zipfile.ZipFile(lying, "w") as z:
            for name, data in members.items():
                z.writestr(name, data)
        self.expect(self.ask(lying, status=1)["cpu"], "record", "FAIL", "lying/__init__.py")
        done = self.rig.gpkg("audit", lying)
        self.rig.check(done.status == 1 and "lying/__init__.py" in done.out, "RECORD is checked without a target", done)
        broken = self.folder / "broken-1.0-py3-none-any.whl"
        broken.write_bytes(b"no wheel")
        done = self.rig.gpkg("audit", broken, good, "--targets", self.targets, "-t", "cpu")
        self.rig.check(done.status == 1 and "broken-1.0" in done.err and "for cpu:" in done.out,
                       "a broken file does not hide the others", done)
        done = self.rig.gpkg("audit", broken, good, "--json")
        files = done.json()["files"]
        self.rig.equal((done.status, files[0]["error"]["reason"], "native" in files[1]), (1, "wheel", True),
                       "JSON: a broken file")
        for what, arguments, status, words in [
            ("no file", [], 2, ["FILE"]),
            ("a file that is not there", [self.folder / "gone-1.0-py3-none-any.whl"], 3, ["gone-1.0"]),
            ("a target without its file", [good, "--target", "cpu"], 2, ["--targets"]),
            ("an unknown target", [good, "--targets", self.targets, "--target", "moon"], 2, ["moon"]),
            ("no such targets", [good, "--targets", "gone.toml"], 1, ["gone.toml"]),
            ("a torch that is none", [good, "--torch-wheel", good], 2, ["not a wheel of torch"]),
            ("a torch without version", [good, "--torch-wheel", self.wheel("torch 9.0")], 1, ["torch/version.py"]),
        ]:
            done = self.rig.gpkg("audit", *arguments)
            self.rig.check(done.status == status and all(word in done.err for word in words) and not done.out,
                           f"{what}: {status} {words}", done)

    # ---- real wheels ----

    def real(self, folder):
        missing_of_ffpa = ["c10::cuda::c10_cuda_check_implementation", "c10::impl::cow::materialize_cow_storage"]
        missing_of_vision = ["torch_exception_get_what", "torch_exception_get_what_without_backtrace",
                             "torch_new_stable_ivalue"]
        known = {  # what each torch lacks
            "ffpa_attn-0.2.0-cp311": {"2.11.0": [], "2.15.0": missing_of_ffpa},
            "ffpa_attn-0.2.0-cp312": {"2.11.0": [], "2.15.0": missing_of_ffpa},
            "torchvision-0.29.2": {"2.11.0": missing_of_vision, "2.15.0": []},
            "xformers-0.0.35": {"2.11.0": [], "2.15.0": []},
        }
        for version in ("2.11.0", "2.15.0"):
            torch = next(folder.glob(f"torch-{version}-*.whl"), None)
            wheels = {start: next(folder.glob(start + "-*.whl"), None) for start in known}
            wheels = {start: path for start, path in wheels.items() if path}
            if torch and wheels:
                self.real_torch(torch, wheels, {start: known[start][version] for start in wheels})
            if not torch or len(wheels) < len(known):
                self.rig.skip(f"torch {version}: not all of the wheels are in {folder}")

    def real_torch(self, torch, wheels, missing):
        targets = self.rig.scratch / "real.toml"
        targets.write_text('lock-version = 1\nname = "real"\n' + target(
            "real", "3.12", "linux_x86_64", 'glibc = "2.34"\ngpus = ["9.0"]\ndriver = "580.65.06"\n'))
        done = self.rig.gpkg("audit", *wheels.values(), "--targets", targets, "--torch-wheel", torch, "--json")
        for start, file in zip(wheels, done.json()["files"]):
            names, audit = missing[start], file["audits"][0]
            self.expect(audit, "torch-abi", "FAIL" if names else "PASS", *names)
            if names:
                self.expect(audit, "torch-abi", "FAIL", f"wants {len(names)} symbols")
            if start.startswith("xformers"):
                self.expect(audit, "cuda", "FAIL", "libcudart.so.12")
            if "cp311" in start:
                self.expect(audit, "python", "FAIL", "3.12")


def main():
    rig = Rig(sys.argv)
    folder = rig.options[0] if rig.options else os.environ.get("GPKG_BUNDLE_WHEELS", "")
    with rig:
        audit = Audit(rig)
        for part in (audit.demands, audit.systems, audit.names, audit.symbols, audit.together, audit.text, audit.show,
                     audit.refusals):
            with steps(part.__name__):
                part()
        if folder:
            with steps("real"):
                audit.real(pathlib.Path(folder))
        else:
            rig.skip("no folder of real wheels is given")
    sys.exit(rig.finish())


if __name__ == "__main__":
    main()
