#!/usr/bin/env python3
"""differential_requirements.py LOCK_PLAN: reads made requirements files with gpkg-bundle and with pip, and
compares what each line gives this machine's kind of target.

Files are made from pieces by a fixed seed. What pip refuses must be refused; what pip takes must give
the same name, version and digests, except where gpkg-lock(5) says that more is refused. The last line is
"requirements: N cases, M differences"; the exit status is 1 when M > 0.
"""
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from pip._internal.network.session import PipSession
from pip._internal.req.constructors import install_req_from_parsed_requirement
from pip._internal.req.req_file import parse_requirements

TARGET = ('lock-version = 1\n[[target]]\nname = "t"\npython = "3.12.4"\nplatform = "linux_x86_64"\n'
          'glibc = "2.28"\n')
# Of that target, for packaging's markers inside pip.
MARKERS = {
    "os_name": "posix", "sys_platform": "linux", "platform_machine": "x86_64",
    "platform_python_implementation": "CPython", "platform_system": "Linux", "python_version": "3.12",
    "python_full_version": "3.12.4", "implementation_name": "cpython",
    "implementation_version": "3.12.4", "extra": "", "platform_release": "", "platform_version": "",
}
DIGESTS = [c * 64 for c in "0123456789abcdef"]
CASES = 1500

NAMES = ["a", "B_c", "d.E", "f-g-h", "x1"]
VERSIONS = ["1", "2.0", "1.0rc1", "3!1", "2.11.0+cu130", "0.0.1.post2", "1.${MADE_NUMBER}"]
SPECIFIERS = ["=={}", " == {}", "== {}", " (=={})", "=={},!=99", "==={}", "=={} ;"]
MARKER_TEXTS = ["", "", "", " ; sys_platform == 'linux'", "; sys_platform == \"win32\"",
                ";python_version<'3.12'", " ; python_full_version >= '3.12.4' and os_name != 'nt'",
                " ; platform_machine in 'x86_64 aarch64'", "; (os_name == 'nt' or extra == 'z')"]
BAD_LINES = ["a=1", "==1", "a==1 --nonsense", "--hash", "a==1 ; os_nam == 'x'", "-r gone.txt",
             "a==1 --hash=sha256", "a==1 --hash=md4:00", "--no-index=1", "a b==1", "a[x==1", "-q", "--re x"]
OPTION_LINES = ["--pre", "--prefer-binary", "--no-index", "--only-binary :all:", "-f links",
                "--trusted-host=h", "--use-feature=fast-deps", "--no-bin=a", "--extra-index-url https://h/s",
                "--index-url 'https://h/simple'", "-ihttps://h/simple"]


def made_requirement(rng, name, hashed):
    line = name + rng.choice(["", "", "[x]", "[Y_z, x]"])
    line += rng.choice(SPECIFIERS).format(rng.choice(VERSIONS))
    line += "" if line.endswith(";") else rng.choice(MARKER_TEXTS)
    glue = rng.choice([" ", " \\\n    ", " \\\r\n  "])
    for digest in rng.sample(DIGESTS, rng.randint(1, 3) if hashed else 0):
        form = rng.choice(["--hash=sha256:{}", "--hash sha256:{}", "--hash=\"sha256:{}\"", "--has=sha256:{}"])
        line += glue + form.format(digest)
    return line + rng.choice(["", "", "   ", " # why", "\n    # via x"])


def made_file(rng):
    names = rng.sample(NAMES, rng.randint(1, len(NAMES)))
    hashed = rng.random() < 0.5
    lines = [made_requirement(rng, name, hashed) for name in names]
    lines += rng.sample(OPTION_LINES, rng.randint(0, 2))
    lines += rng.sample(["", "  ", "# a comment \\", "   # another"], 2)
    if rng.random() < 0.2:
        lines.append(rng.choice(BAD_LINES))
    rng.shuffle(lines)
    text = rng.choice(["", "", "\ufeff"])
    return text + rng.choice(["\n", "\n", "\r\n"]).join(lines) + rng.choice(["", "\n"])


def quietly(items):
    with contextlib.redirect_stderr(io.StringIO()):
        return list(items)


def asked_of_pip(path):
    """{"name==version": [digests]}, or None where pip refuses."""
    have = {}
    try:
        for parsed in quietly(parse_requirements(str(path), session=PipSession())):
            req = install_req_from_parsed_requirement(parsed)
            if req.markers and not req.markers.evaluate(MARKERS):
                continue
            pin = next(s for s in req.req.specifier if s.operator in ("==", "==="))
            have[f"{req.name.lower().replace('_', '-').replace('.', '-')}=={pin.version}"] = sorted(
                (parsed.options or {}).get("hashes", {}).get("sha256", []))
    except Exception as e:  # pylint: disable=broad-except
        return None, str(e)
    return have, ""


def asked_of_us(tool, path, targets):
    run = subprocess.run([tool, str(path), "--targets", str(targets)], capture_output=True, text=True)
    if run.returncode == 1:
        return None, run.stderr.strip()
    cell = json.loads(run.stdout)["t"]
    return {pin: sorted(digests) for pin, digests in cell["hashes"].items()}, ""


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: differential_requirements.py LOCK_PLAN")
    tool = os.path.abspath(sys.argv[1])
    rng, differences, refused = random.Random(20), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path, targets = Path(folder) / "made.txt", Path(folder) / "targets.toml"
        targets.write_text(TARGET)
        (Path(folder) / "links").mkdir()
        os.chdir(folder)
        os.environ["MADE_NUMBER"] = "7"
        for case in range(CASES):
            path.write_text(made_file(rng), newline="")
            want, why = asked_of_pip(path)
            have, message = asked_of_us(tool, path, targets)
            refused += want is None
            if want != have:
                differences += 1
                print(f"case {case}: pip {want} {why}\n  we {have} {message}\n{path.read_text()}")
    print(f"pip refuses {refused} of them")
    print(f"requirements: {CASES} cases, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
