#!/usr/bin/env python3
"""Device code made to order with nvcc, and what the readers find in it.

    device_made.py PROGRAM

PROGRAM is tests/tools/device_show; nvcc is that of $CUDA_HOME, of $PATH or of /usr/local/cuda. Shared libraries,
objects, static archives and loose files; plain, architecture-specific and family-specific code; PTX and LTO code;
every way of compressing; relocatable code, linked and not. The last line is "N passed, N failed".
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = r"""
#define TWICE(x) x x
__global__ void saxpy(int n, float a, const float *x, float *y)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(y[i] = a * x[i] + y[i]; x++; y++;)))))))
	}
}
extern "C" int run(void)
{
	saxpy<<<1, 32>>>(0, 1.0f, nullptr, nullptr);
	return 0;
}
"""
PLAIN = "75 80 86 87 88 89 90 100 103 110 120 121".split()
SPECIFIC = "90a 100a 103a 110a 120a 121a".split()
FAMILY = "100f 103f 110f 120f 121f".split()
LINE = re.compile(r"  (cubin sm|ptx compute|lto lto)_(\d+[af]?) (\S+) (\S+) x(\d+)")


def nvcc_find():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc", path=f"{home}/bin") or shutil.which("nvcc")


def gencode(*pairs):
    """ "90 sm_90": arch and code. """
    return [f"-gencode=arch=compute_{pair.split()[0]},code={pair.split()[1]}" for pair in pairs]


def cubins(*archs):
    return gencode(*(f"{arch} sm_{arch}" for arch in archs))


class Made:
    def __init__(self, program, nvcc, folder):
        self.program, self.nvcc, self.folder = program, nvcc, folder
        self.passed = self.failed = 0
        self.source = folder / "k.cu"
        self.source.write_text(SOURCE)
        version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        self.release = re.search(r", V(\S+)", version).group(1)

    def check(self, is_so, what, *details):
        self.passed += bool(is_so)
        self.failed += not is_so
        if not is_so:
            print("FAILED", what, *details)

    def compile(self, name, *options):
        out = self.folder / name
        subprocess.run([self.nvcc, "-o", out, *options, self.source], check=True, capture_output=True, cwd=self.folder)
        return out

    def library(self, name, *options):
        return self.compile(name, "--shared", "-Xcompiler=-fPIC", *options)

    def read(self, path):
        """Sorted ("sm_90a", packing, toolkit, count)."""
        done = subprocess.run([self.program, path], capture_output=True, text=True)
        rows = [LINE.match(line).groups() for line in done.stdout.splitlines()[1:]]
        return sorted((kind.split()[1] + "_" + arch, packing, toolkit, int(count))
                      for kind, arch, packing, toolkit, count in rows)

    def expect(self, path, cubins, others=(), packings=("raw", "zstd", "raw+zstd"), count=2, ptx_toolkit="unknown"):
        """cubins "90a 100", others ("compute_90", "lto_90"): these and no others, of this nvcc; each cubin `count`
        times, which is twice in a library: the linker of device code adds one."""
        rows = self.read(path)
        wanted = sorted([f"sm_{arch}" for arch in cubins.split()] + list(others))
        self.check([row[0] for row in rows] == wanted, f"{path.name}: wanted", wanted, "found", rows)
        self.check(all(row[2] == (self.release if row[0].startswith("sm_") else ptx_toolkit) for row in rows),
                   f"{path.name}: toolkits:", rows)
        self.check(all(row[1] in packings for row in rows), f"{path.name}: packings:", rows)
        self.check(all(row[3] == (count if row[0].startswith("sm_") else 1) for row in rows),
                   f"{path.name}: counts:", rows)

    def architectures(self):
        known = set(re.findall(r"sm_(\d+\w?)", subprocess.run([self.nvcc, "--list-gpu-code"], capture_output=True,
                                                             text=True, check=True).stdout))
        plain = [arch for arch in PLAIN if arch in known]
        self.expect(self.library("plain.so", *cubins(*plain)), " ".join(plain))
        variants = [arch for arch in SPECIFIC + FAMILY if arch[:-1] in known]
        self.expect(self.library("variants.so", *cubins(*variants)), " ".join(variants))
        # An f in the virtual architecture alone makes code of the family.
        self.expect(self.library("family.so", *gencode("100f sm_100")), "100f")

    def kinds(self):
        ptx = self.library("ptx.so", *gencode("90 compute_90", "90a compute_90a", "120f compute_120f"))
        self.expect(ptx, "", ("compute_120f", "compute_90", "compute_90a"))
        both = self.library("both.so", *gencode("80 sm_80", "80 compute_80"))
        self.expect(both, "80", ("compute_80",))
        lto = self.compile("lto.o", "-c", "-dc", *gencode("90 lto_90"))
        self.expect(lto, "", ("lto_90",))

    def compression(self):
        some = gencode("75 sm_75", "90a sm_90a", "120 sm_120", "120 compute_120")
        for mode, packings in (("none", ("raw",)), ("size", ("zstd",)), ("speed", ("raw", "lz4", "raw+lz4")),
                               ("balance", ("raw", "zstd", "raw+zstd"))):
            path = self.library(f"{mode}.so", f"--compress-mode={mode}", *some)
            self.expect(path, "120 75 90a", ("compute_120",), packings)
        packed = {row[1] for row in self.read(self.folder / "speed.so")}
        self.check("lz4" in packed, "speed.so: nothing is packed with LZ4")

    def relocatable(self):
        some = cubins("80", "90")
        self.expect(self.compile("rdc.o", "-c", "-rdc=true", *some), "80 90", count=1)
        archive = self.compile("k.a", "-lib", "-rdc=true", *some)
        self.expect(archive, "80 90", count=1)
        odd = self.folder / "odd.a"
        (self.folder / "t.txt").write_text("x")
        subprocess.run(["ar", "q", odd, "t.txt", "rdc.o", "t.txt", "rdc.o"], check=True, cwd=self.folder,
                       capture_output=True)
        self.expect(odd, "80 90", count=2)
        # The linked code, and the objects that it was linked from.
        rows = self.read(self.library("linked.so", "-rdc=true", *some))
        self.check({row[0] for row in rows} >= {"sm_80", "sm_90"}, "linked.so: found", rows)
        self.check({row[2] for row in rows if row[0].startswith("sm_")} == {self.release}, "linked.so: toolkits", rows)

    def loose(self):
        for arch in ("75", "90a", "100f", "103a", "120"):
            self.expect(self.compile(f"k{arch}.cubin", "-cubin", f"-arch=sm_{arch}"), arch, count=1)
        for arch in ("75", "90a", "100f"):
            self.expect(self.compile(f"k{arch}.ptx", "-ptx", f"-arch=compute_{arch}"), "", (f"compute_{arch}",),
                        count=1, ptx_toolkit=self.release)
        fatbin = self.compile("k.fatbin", "-fatbin", *gencode("80 sm_80", "90a sm_90a", "90 compute_90"))
        self.expect(fatbin, "80 90a", ("compute_90",), count=1)
        cut = self.folder / "cut.cubin"
        cut.write_bytes((self.folder / "k75.cubin").read_bytes()[:-1])
        done = subprocess.run([self.program, cut], capture_output=True, text=True)
        self.check(done.returncode == 1 and "cubin: its tables" in done.stdout, "cut.cubin:", done.stdout)


def main():
    nvcc = nvcc_find()
    if not nvcc:
        print("skipped: no nvcc in $CUDA_HOME, in $PATH or in /usr/local/cuda")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        made = Made(pathlib.Path(sys.argv[1]).resolve(), nvcc, pathlib.Path(folder))
        for part in (made.architectures, made.kinds, made.compression, made.relocatable, made.loose):
            part()
    print(f"{made.passed} passed, {made.failed} failed")
    return made.failed > 0


if __name__ == "__main__":
    sys.exit(main())
