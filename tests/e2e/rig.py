"""What the end-to-end scripts stand on: programs, a scratch folder, an index on loopback, counting.

    rig = Rig(sys.argv)         argv[1]: the folder with gpkg-bundle, gpkg-verify and bundle_forge
    with rig: ...               the scratch folder and every child end with the block
    sys.exit(rig.finish())      prints "N passed, N failed"
"""

import contextlib
import hashlib
import json
import os
import pathlib
import platform
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIME = 1700000000  # of every bundle here, so that runs can be compared
MACHINE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
CP = f"cp{sys.version_info.major}{sys.version_info.minor}"


class Result:
    """A program that has ended."""

    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")

    @property
    def all(self):
        return self.out + self.err

    def json(self):
        return json.loads(self.out)

    def reason(self):
        """The reason code of a --json refusal, or what came in its place."""
        try:
            answer = json.loads(self.out)
        except ValueError:
            return f"no JSON: {self.all.strip()[-300:]}"
        return answer.get("reason") or answer.get("error", {}).get("reason")

    def __str__(self):
        return f"exit {self.status}: {self.all.strip()[-1500:]}"


class Index:
    """tests/e2e/index_server.py on a folder."""

    def __init__(self, rig, folder, *options):
        self.log = rig.scratch / f"index-{time.monotonic_ns()}.log"
        command = [sys.executable, HERE / "index_server.py", folder, "--log", self.log, *options]
        self.child = rig.start(command, stdout=subprocess.PIPE)
        self.url = self.child.stdout.readline().decode().strip()
        self.simple = self.url + "/simple/"

    def requests(self):
        """What was asked so far: a dict a request, see index_server.py. A line is written after its
        answer: so the log is read until it rests."""
        text, before = "", None
        while text != before:
            time.sleep(0.05)
            before, text = text, self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def stop(self):
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Rig:

    def __init__(self, argv):
        if len(argv) < 2:
            sys.exit(f"usage: {argv[0]} BIN_DIR [options]")
        self.bin = pathlib.Path(argv[1]).resolve()
        self.options = argv[2:]
        self.passed = self.failed = 0
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the block below ends
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="gpkg-e2e-"))
        self.children = []
        tools = ROOT / "build/tools/bin"
        self.path = f"{tools}:{os.environ['PATH']}" if tools.is_dir() else os.environ["PATH"]
        home = self.scratch / "home"
        home.mkdir()
        # Nothing of the caller's: no configuration of pip or uv, no keys, no store, no proxy.
        self.env = {
            "PATH": self.path, "HOME": str(home), "TMPDIR": str(self.scratch), "LC_ALL": "C.UTF-8",
            "PIP_CONFIG_FILE": "/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_RETRIES":
            "1", "PIP_NO_CACHE_DIR": "1", "UV_NO_CONFIG": "1", "UV_NO_CACHE": "1", "UV_PYTHON":
            sys.executable, "UV_PYTHON_DOWNLOADS": "never", "PYTHONDONTWRITEBYTECODE": "1",
            "SOURCE_DATE_EPOCH": str(TIME), "no_proxy": "127.0.0.1"
        }
        # But for what a sanitizer of the programs is told.
        self.env |= {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}

    # ---- counting ----

    def check(self, ok, what, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}" + (f"\n    {str(detail)[:2000]}" if detail != "" else ""),
                  flush=True)
        return bool(ok)

    def equal(self, have, want, what):
        return self.check(have == want, what,
                          f"have {have}\n    want {want}" if have != want else "")

    def skip(self, why):
        print(f"skipped: {why}", flush=True)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0

    # ---- programs ----

    def tool(self, name):
        """The path of a program of the machine, or None."""
        return shutil.which(name, path=self.path)

    def run(self, *command, env=None, cwd=None, stdin=b"", timeout=300, **more):
        """Any program; `env` adds to the rig's own, a None takes away."""
        merged = {k: v for k, v in {**self.env, **(env or {})}.items() if v is not None}
        give = {"stdin": stdin} if not isinstance(stdin, bytes) else {"input": stdin}
        try:
            done = subprocess.run([str(c) for c in command], env=merged, cwd=cwd or self.scratch,
                                  **give, capture_output=True, timeout=timeout, check=False, **more)
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess(
                command, 124, late.stdout or b"",
                (late.stderr or b"") + f"\nno end after {timeout} s".encode())
        return Result(done)

    def gpkg(self, *arguments, **more):
        return self.run(self.bin / "gpkg-bundle", *arguments, **more)

    def forge(self, *arguments):
        # It leaves its memory to the system; a sanitizer would complain.
        done = self.run(self.bin / "bundle_forge", *arguments,
                        env={"ASAN_OPTIONS": "detect_leaks=0"})
        if done.status:
            raise RuntimeError(f"bundle_forge {arguments}: {done}")
        return done

    def must(self, *arguments, **more):
        """gpkg-bundle where a failure makes all that follows senseless."""
        done = self.gpkg(*arguments, **more)
        if done.status:
            raise RuntimeError(f"gpkg-bundle {' '.join(map(str, arguments))}: {done}")
        return done

    def start(self, command, env=None, **more):
        merged = {k: v for k, v in {**self.env, **(env or {})}.items() if v is not None}
        child = subprocess.Popen([str(c) for c in command], env=merged, cwd=self.scratch, **more)
        self.children.append(child)
        return child

    def offline(self, *command, **more):
        """In a network name space without any interface, or None where this machine grants none."""
        prefix = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
        if self.run(*prefix, "true").status:
            return None
        return self.run(*prefix, *command, **more)

    # ---- the usual things ----

    def folder(self, name):
        path = self.scratch / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def key(self, name="signing"):
        base = self.scratch / name
        self.must("keygen", "--no-password", "-o", base)
        return base

    def index(self, folder, *options):
        return Index(self, folder, *options)

    def create(self, lock, output, *options, index, key, cache, **more):
        """`create` against one index, with a cache of its own."""
        env = {"PIP_INDEX_URL": index, **more.pop("env", {})}
        return self.gpkg("create", lock, "-o", output, "--key", key, "--cache", cache, *options,
                         env=env, **more)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while piece := f.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def tree(folder, skip=()):
    """{relative path: (mode, sha256 or link or None)}: names, contents and modes, but no times."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = pathlib.Path(at, name)
            relative = str(path.relative_to(folder))
            if relative.split("/")[0] in skip:
                continue
            state = path.lstat()
            content = None
            if stat.S_ISREG(state.st_mode):
                content = sha256(path)
            elif stat.S_ISLNK(state.st_mode):
                content = os.readlink(path)
            found[relative] = (stat.filemode(state.st_mode), content)
    return found


def difference(before, after):
    """What changed between two trees, in words."""
    lines = [f"gone: {n}" for n in sorted(before.keys() - after.keys())]
    lines += [f"new: {n}" for n in sorted(after.keys() - before.keys())]
    lines += [
        f"changed: {n}" for n in sorted(before.keys() & after.keys()) if before[n] != after[n]
    ]
    return "; ".join(lines)


@contextlib.contextmanager
def steps(title):
    """Says which part of a script a stack trace belongs to, and how long it took."""
    began = time.monotonic()
    try:
        yield
    except Exception:
        print(f"FAILED: {title} ended early", flush=True)
        raise
    print(f"{title}: {time.monotonic() - began:.1f} s", flush=True)


TARGET = """[[target]]
name = "{name}"
python = "{python}"
platform = "{platform}"
{rest}"""


def target(name, python=PYTHON, platform=f"linux_{MACHINE}", rest='glibc = "2.28"\n'):
    return TARGET.format(name=name, python=python, platform=platform, rest=rest)


def package(name, version, rest=""):
    return f'[[package]]\nname = "{name}"\nversion = "=={version}"\n{rest}'


def lock(path, *parts, name="demo"):
    path.write_text(f'lock-version = 1\nname = "{name}"\n' + "".join(parts))
    return path
