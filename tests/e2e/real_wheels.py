#!/usr/bin/env python3
"""Real wheels of many producers: no false alarm, the faults that are known, and what other tools say of them.

    real_wheels.py BIN_DIR FOLDER [--fetch] [--quick]

FOLDER holds the GPU wheels of FINDINGS, FOLDER/many the closures of a few names. --fetch lets pip download what is not
there, and auditwheel and abi3audit into FOLDER/peers; without it they are taken from there or from $PATH. --quick
leaves out what is over 100 MB. What is not at hand is skipped. The last line is "N passed, N failed".
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import readelf_differential
from rig import Rig, steps, target

LARGE = 100 << 20
PEERS = ("auditwheel", "abi3audit")
MANY = ("jupyterlab", "spacy", "scikit-learn", "matplotlib", "pandas", "polars", "mkdocs-material", "sphinx",
        "nvidia-nvtx", "nvidia-cuda-runtime", "cryptography", "poetry")
MANY_LEAST = 120

PYGPUKIT = "pygpukit-0.2.19-cp312"
BITSANDBYTES = "bitsandbytes-0.50.2"
TORCHVISION = "torchvision-0.29.2"
XFORMERS = "xformers-0.0.35"
FFPA, FFPA_311, FFPA_PURE = "ffpa_attn-0.2.0-cp312", "ffpa_attn-0.2.0-cp311", "ffpa_attn-0.2.4-py3"
VLLM, CUPY = "vllm-0.33.0", "cupy_cuda13x-14.2.0"
OLD_TORCH, NEW_TORCH = "torch-2.11.0-cp312", "torch-2.15.0-cp312"
LABELS = {OLD_TORCH: "2.11.0+cu130", NEW_TORCH: "2.15.0+cu132"}
FETCH = {  # the file's start: what pip is to download, for which Python
    BITSANDBYTES: ("bitsandbytes==0.50.2", "3.12"), PYGPUKIT: ("pygpukit==0.2.19", "3.12"),
    TORCHVISION: ("torchvision==0.29.2", "3.12"), XFORMERS: ("xformers==0.0.35", "3.12"),
    FFPA: ("ffpa-attn==0.2.0", "3.12"), FFPA_311: ("ffpa-attn==0.2.0", "3.11"),
    FFPA_PURE: ("ffpa-attn==0.2.4", "3.12"), VLLM: ("vllm==0.33.0", "3.12"), CUPY: ("cupy-cuda13x==14.2.0", "3.12"),
    OLD_TORCH: ("torch==2.11.0", "3.12"), NEW_TORCH: ("torch==2.15.0", "3.12"), "triton-3": ("triton", "3.12"),
}

# Wheel, glibc of the target, its torch or "", check, the gravest result, words in one so grave. With a torch, the
# symbols that this torch lacks are compared name for name, with MISSING.
FINDINGS = [
    (FFPA, "2.34", OLD_TORCH, "torch-abi", "PASS", []),
    (FFPA, "2.34", NEW_TORCH, "torch-abi", "FAIL", ["wants 2 symbols"]),
    (FFPA_311, "2.34", OLD_TORCH, "torch-abi", "PASS", []),
    (FFPA_311, "2.34", NEW_TORCH, "torch-abi", "FAIL", ["wants 2 symbols"]),
    (TORCHVISION, "2.28", OLD_TORCH, "torch-abi", "FAIL", ["wants 3 symbols"]),
    (TORCHVISION, "2.28", NEW_TORCH, "torch-abi", "PASS", ["stable ABI"]),
    (XFORMERS, "2.28", OLD_TORCH, "torch-abi", "PASS", ["stable ABI"]),
    (XFORMERS, "2.28", NEW_TORCH, "torch-abi", "PASS", ["stable ABI"]),
    (XFORMERS, "2.28", NEW_TORCH, "cuda", "FAIL", ["libcudart.so.12", "CUDA 13"]),
    (BITSANDBYTES, "2.28", "", "libc", "WARN", ["bitsandbytes_xpu", "2.32", "2.28"]),
    (BITSANDBYTES, "2.28", "", "libc", "WARN", ["bitsandbytes_xpu", "manylinux_2_24"]),
    (PYGPUKIT, "2.28", "", "libc", "FAIL", ["needs glibc 2.34", "has 2.28"]),
    (PYGPUKIT, "2.28", "", "libc", "FAIL", ["tagged for glibc 2.34"]),
    (PYGPUKIT, "2.34", "", "libc", "PASS", []),
    (PYGPUKIT, "2.34", "", "cuda", "WARN", ["says CUDA 13.1", "13.0.88"]),
    (FFPA, "2.34", "", "gpu-code", "PASS", ["sm_90"]),
    (FFPA_PURE, "2.34", "", "build-kind", "WARN", ["no device code"]),
    (CUPY, "2.28", "", "names", "WARN", ["WHEEL says cp312-cp312-linux_x86_64", "manylinux2014_x86_64"]),
    (TORCHVISION, "2.28", "", "names", "WARN", ["WHEEL says py3-none-linux_x86_64", "manylinux_2_28_x86_64"]),
    (VLLM, "2.28", "", "names", "WARN", ["WHEEL says cp38-abi3-linux_x86_64", "manylinux_2_28_x86_64"]),
]
MISSING = {
    (FFPA, NEW_TORCH): {"c10::cuda::c10_cuda_check_implementation", "c10::impl::cow::materialize_cow_storage"},
    (TORCHVISION, OLD_TORCH): {"torch_exception_get_what", "torch_exception_get_what_without_backtrace",
                               "torch_new_stable_ivalue"},
}
MISSING[FFPA_311, NEW_TORCH] = MISSING[FFPA, NEW_TORCH]
# Wheel, what of its torch symbols are of C++ and of C, each counted once.
TORCH_SYMBOLS = {FFPA: (48, 0), FFPA_311: (48, 0), TORCHVISION: (0, 85), XFORMERS: (0, 70)}
GRAVITY = ["PASS", "WARN", "UNKNOWN", "FAIL"]


# ---- fetching ----


def platforms():
    return [f"--platform=manylinux_2_{minor}_x86_64" for minor in range(5, 40)] + [
        f"--platform=manylinux{old}_x86_64" for old in ("2014", "2010", "1")]


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *map(str, arguments)], check=True)


def fetch(folder):
    common = ["--only-binary=:all:", "--implementation=cp", *platforms()]
    for start, (wanted, python) in FETCH.items():
        if not list(folder.glob(start + "*.whl")):
            pip("download", "--no-deps", f"--dest={folder}", f"--python-version={python}", *common, wanted)
    if len(list((folder / "many").glob("*.whl"))) < MANY_LEAST:
        pip("download", f"--dest={folder / 'many'}", "--python-version=3.12", "--abi=cp312", "--abi=abi3", "--abi=none",
            *common, *MANY)
    peers = folder / "peers"
    if not all((peers / "bin" / name).exists() for name in PEERS):
        subprocess.run([sys.executable, "-m", "venv", peers], check=True)
        subprocess.run([peers / "bin/pip", "--quiet", "install", *PEERS], check=True)


# ---- what is read of a wheel ----


def generator(wheel):
    """Who made it, by its WHEEL, without release."""
    with zipfile.ZipFile(wheel) as z:
        name = next(n for n in z.namelist() if re.fullmatch(r"[^/]+\.dist-info/WHEEL", n))
        found = re.findall(r"^Generator:\s*([\w-]+)", z.read(name).decode(), re.M | re.I)
        if any(re.match(r"[^/]+\.libs/|[^/]+\.dist-info/sboms/auditwheel", n) for n in z.namelist()):
            found.append("auditwheel")
    return " + ".join(found) or "unknown"


def floors(names):
    """Of symbol versions of glibc and the compiler's libraries the highest: {"GLIBC": (2, 28)}."""
    highest = {}
    for name in names:
        match = re.fullmatch(r"(GLIBC|GLIBCXX|CXXABI|GCC)_(\d+(?:\.\d+)*)", name)
        if match:
            number = tuple(map(int, match[2].split(".")))
            highest[match[1]] = max(number, highest.get(match[1], ()))
    return highest


def glibc_of(tags):
    """The lowest minor release of glibc that platform tags name; a plain linux tag names one that nothing has."""
    tags = tags.replace("manylinux2014", "manylinux_2_17")
    return min(map(int, re.findall(r"manylinux_2_(\d+)", tags)), default=1000)


def strong_versions(wheel):
    """What its binaries cannot be loaded without, as readelf has it: {("libc.so.6", "GLIBC_2.28")}."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for path in readelf_differential.unpack(wheel, pathlib.Path(folder))
                 for line in readelf_differential.versions(path)]
    return {tuple(line.split()[1:]) for line in lines}


class RealWheels:

    def __init__(self, rig, folder, is_quick):
        self.rig, self.folder = rig, folder
        fits = lambda path: not (is_quick and path.stat().st_size > LARGE)
        self.known = sorted(filter(fits, folder.glob("*.whl")))
        self.many = sorted((folder / "many").glob("*.whl"))
        self.wheels = {path.name: path for path in self.known + self.many}
        self.maps = {}  # file name: modules
        self.beyond_tag = {}  # file name: is it said that its binaries need more than its tag allows?
        self.peers = {name: folder / "peers/bin" / name if (folder / "peers/bin" / name).exists() else rig.tool(name)
                      for name in PEERS}

    def find(self, start):
        return next((path for path in self.known if path.name.startswith(start)), None)

    def audit(self, wheels, options=()):
        done = self.rig.gpkg("audit", *wheels, *options, "--json", timeout=1200)
        return {entry["file"]: entry for entry in done.json()["files"]}

    # ---- parts ----

    def strict(self):
        """Every wheel is sound, by the whole of the strict check: zip, RECORD, metadata, binaries. Those that pip took
        for a target have nothing against them there."""
        table = collections.defaultdict(collections.Counter)
        targets = self.targets("2.36", "3.12", "")
        for name, entry in self.audit(self.wheels.values(), ["--targets", targets]).items():
            row = table[generator(self.wheels[name])]
            row["wheels"] += 1
            native = entry.get("native", {"modules": [], "record_fault": "", "unreadable_containers": 0})
            fault = entry.get("error", {}).get("text") or native["record_fault"]
            self.rig.equal(fault, "", f"{name}: a false alarm, or it is damaged")
            self.rig.equal(native["unreadable_containers"], 0, f"{name}: device code that cannot be read")
            self.maps[name] = native["modules"]
            findings = [finding for audit in entry.get("audits", []) for finding in audit["findings"]]
            self.beyond_tag[name] = any("its tag manylinux" in finding["text"] for finding in findings)
            if self.wheels[name] in self.many:
                against = [finding for finding in findings if finding["result"] in ("FAIL", "UNKNOWN")]
                self.rig.equal(against, [], f"{name}: a false alarm of the audit")
                row["warned"] += any(finding["result"] == "WARN" for finding in findings)
            row["native"] += bool(native["modules"])
            row["binaries"] += len(native["modules"])
            row["refused"] += bool(fault)
        table["all"] = sum(table.values(), collections.Counter())
        columns = ("wheels", "native", "binaries", "refused", "warned")
        print(f"{'generator':32}" + "".join(f"{column:>10}" for column in columns))
        for maker, row in sorted(table.items(), key=lambda item: (item[1]["wheels"], item[0])):
            print(f"{maker:32}" + "".join(f"{row[column]:10}" for column in columns))
        if len(self.wheels) < MANY_LEAST:
            self.rig.skip(f"{len(self.wheels)} wheels are at hand; --fetch gets {MANY_LEAST} and more")

    def floors(self):
        """The highest symbol versions, and whether the tag allows them, against auditwheel's."""
        if not self.peers["auditwheel"]:
            return self.rig.skip("no auditwheel")
        for name, modules in self.maps.items():
            if name.endswith(("-any.whl", "-win_amd64.whl")):
                continue
            ours = floors(word for module in modules for word in module["floors"].split())
            # Without a search path for libraries, or the versions that those of this machine want count as well.
            done = self.rig.run(self.peers["auditwheel"], "show", "--json", "--disable-isa-ext-check",
                                "--ldpaths=/nonexistent", self.wheels[name], timeout=900)
            if done.status and "no ELF" in done.err:
                self.rig.equal(modules, [], f"{name}: auditwheel sees no ELF file")
                continue
            answer = done.json()
            theirs = {version for versions in answer["versioned_symbols"].values() for version in versions}
            if floors(theirs) != ours:
                theirs = self.explained(name, theirs)
            self.rig.equal(ours, floors(theirs), f"{name}: floors")
            self.rig.equal(self.beyond_tag[name], glibc_of(answer["sym_tag"]) > glibc_of(name),
                           f"{name}: beyond its tag? auditwheel says {answer['sym_tag']}")
        return None

    def explained(self, name, theirs):
        """auditwheel counts weak needs, which no loader insists on, and does not count what is wanted of the loader."""
        strong = strong_versions(self.wheels[name])
        weak = theirs - {version for _, version in strong}
        loaders = {version for library, version in strong if library.startswith("ld-linux")} - theirs
        print(f"{name}: auditwheel counts weak needs: {sorted(weak)}; not those of the loader: {sorted(loaders)}")
        return theirs - weak | loaders

    def stable_abi(self):
        """What abi3 wheels import beyond their tag, binary for binary, against abi3audit."""
        if not self.peers["abi3audit"]:
            return self.rig.skip("no abi3audit")
        targets = self.targets("2.34", "3.12", "")
        for name in (name for name in self.maps if "-abi3-" in name):
            report = self.rig.scratch / "abi3.json"
            self.rig.run(self.peers["abi3audit"], "--report", f"--output={report}", self.wheels[name], timeout=900)
            theirs = {}
            for answer in next(iter(json.loads(report.read_text())["specs"].values()))["wheel"]:
                result = answer["result"]
                beyond = set(result["non_abi3_symbols"]) | set(result["future_abi3_objects"])
                if beyond:
                    theirs[answer["name"]] = len(beyond)
            ours = {}
            for finding in self.findings(self.wheels[name], targets):
                match = re.match(r"is tagged abi3 and imports (\d+) ", finding["text"])
                if match:
                    ours[pathlib.PurePath(finding["member"]).name] = int(match[1])
            self.rig.equal(ours, theirs, f"{name}: names beyond the stable ABI of its tag")
            print(f"{name}: {theirs or 'nothing'} beyond the stable ABI of its tag")
        return None

    # ---- what is known of some ----

    def targets(self, glibc, python, torch):
        path = self.rig.scratch / "targets.toml"
        rest = f'glibc = "{glibc}"\ngpus = ["9.0"]\ndriver = "580.65.06"\n'
        rest += f'torch = "{torch}"\n' if torch else ""
        path.write_text('lock-version = 1\nname = "real"\n' + target("real", python, "linux_x86_64", rest))
        return path

    def findings(self, wheel, targets, options=()):
        return self.audit([wheel], ["--targets", targets, *options])[wheel.name]["audits"][0]["findings"]

    def known_faults(self):
        left_out, cases = 0, collections.defaultdict(list)
        for start, glibc, torch, *rest in FINDINGS:
            cases[start, glibc, torch].append(rest)
        for (start, glibc, torch), expected in cases.items():
            wheel, torch_wheel = self.find(start), self.find(torch) if torch else None
            if not wheel or (torch and not torch_wheel):
                left_out += len(expected)
                continue
            targets = self.targets(glibc, "3.11" if start == FFPA_311 else "3.12", LABELS.get(torch, ""))
            findings = self.findings(wheel, targets, ["--torch-wheel", torch_wheel] if torch else [])
            for check, result, words in expected:
                what = f"{start}, glibc {glibc}, {torch or 'no torch'}: {check}"
                self.known_fault(what, findings, check, result, words)
            if torch:
                self.missing_symbols(f"{start} beside {torch}", findings, MISSING.get((start, torch), set()))
        if left_out:
            self.rig.skip(f"{left_out} of {len(FINDINGS)} findings: their wheels are not at hand")

    def known_fault(self, what, findings, check, result, words):
        own = [finding for finding in findings if finding["check"] == check]
        self.rig.equal(max((finding["result"] for finding in own), key=GRAVITY.index), result, what)
        said = [f"{finding['member']} {finding['text']}" for finding in own if finding["result"] == result]
        self.rig.check(any(all(word in text for word in words) for text in said), f"{what}: {words} is not said", said)

    def missing_symbols(self, what, findings, missing):
        texts = [finding["text"] for finding in findings if finding["check"] == "torch-abi"]
        lists = [re.split(r"does not export: ", text)[1] for text in texts if "does not export: " in text]
        self.rig.equal({name for text in lists for name in text.split(", ")}, missing, f"{what}: missing symbols")

    def known_maps(self):
        for start, counts in TORCH_SYMBOLS.items():
            names = {name for module in self.map(start) for name in module["torch_symbols"]}
            cxx = sum(name.startswith("_Z") for name in names)
            if names:
                self.rig.equal((cxx, len(names) - cxx), counts, f"{start}: symbols of torch, of C++ and of C")
        for module in self.map(PYGPUKIT):
            if "_cu131." in module["name"]:
                self.rig.equal(module["toolkits"], ["13.0.88"], f"{PYGPUKIT}: the toolkit, whatever the name says")
                self.rig.check("libcuda.so.1" in module["needed"], f"{PYGPUKIT}: needs the driver", module["needed"])
        for module in self.map(BITSANDBYTES):
            if "_cuda" in module["name"]:
                self.rig.equal(floors(module["floors"].split())["GLIBC"], (2, 2, 5), f"{module['name']}: glibc")
            if "_xpu" in module["name"]:
                self.rig.equal(floors(module["floors"].split())["GLIBC"], (2, 32), f"{module['name']}: glibc")
        if self.find(FFPA_PURE):
            self.rig.equal([module for module in self.map(FFPA_PURE) if module["device_code"]], [],
                           f"{FFPA_PURE}: device code")
        for start in (FFPA, FFPA_311):
            if self.find(start):
                codes = {module["device_code"] for module in self.map(start)}
                self.rig.check(any("sm_90" in code for code in codes), f"{start}: device code", codes)

    def map(self, start):
        wheel = self.find(start)
        return self.maps.get(wheel.name, []) if wheel else []


def main():
    words = [word for word in sys.argv if not word.startswith("--")]
    rig = Rig(words)
    if not rig.options:
        sys.exit(__doc__)
    folder = pathlib.Path(rig.options[0]).resolve()
    if "--fetch" in sys.argv:
        (folder / "many").mkdir(parents=True, exist_ok=True)
        fetch(folder)
    with rig:
        real = RealWheels(rig, folder, "--quick" in sys.argv)
        if not real.wheels:
            rig.skip(f"no wheels in {folder}; `make check-wheels` fetches them")
        else:
            for part in (real.strict, real.floors, real.stable_abi, real.known_faults, real.known_maps):
                with steps(part.__name__):
                    part()
    sys.exit(rig.finish())


if __name__ == "__main__":
    main()
