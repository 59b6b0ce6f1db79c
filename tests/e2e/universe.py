"""Made-up package indexes, whole: files with real bytes, what is true of them, and a server on loopback.

    universe = random_universe(random.Random(7)), or
    universe = Universe(roots=["a"])
    universe.add("a", "1.0", requires=["b>=2"], tags="py3-none-any")
    with Server() as server:
        simple = server.add(universe)          http://127.0.0.1:PORT/uN/simple/

One server has many universes, each under a prefix of its own. Pages are PEP 691 JSON; wheels offer METADATA
beside them (PEP 658) where File.is_offered says so, and by range otherwise; an sdist has to be opened. No two
files have the same bytes, in any universe of a process: uv keeps what it has read by a file's hash.
"""

import dataclasses
import gzip
import hashlib
import http.server
import io
import itertools
import json
import re
import socketserver
import tarfile
import threading
import urllib.parse
import zipfile

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
BACKEND = "backend.api"  # of every sdist; nothing is ever built
SERIAL = itertools.count()


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclasses.dataclass
class File:
    """One wheel (tags: "py3-none-any") or sdist (tags: "")."""

    project: str
    version: str
    tags: str = "py3-none-any"
    requires: list = dataclasses.field(default_factory=list)  # Requires-Dist
    extras: list = dataclasses.field(default_factory=list)  # Provides-Extra
    python: str = ""  # Requires-Python
    yanked: str | None = None  # the reason, "" too
    build_requires: list = dataclasses.field(default_factory=list)  # sdists: build-system.requires
    is_offered: bool = True  # wheels: METADATA by PEP 658
    is_hollow: bool = False  # only METADATA can be had of it: for pages with thousands of files
    serial: int = dataclasses.field(default_factory=lambda: next(SERIAL))

    @property
    def is_sdist(self):
        return not self.tags

    @property
    def escaped(self):
        return re.sub(r"[-_.]+", "_", self.project)

    @property
    def name(self):
        stem = f"{self.escaped}-{self.version}"
        return f"{stem}-{self.tags}.whl" if self.tags else f"{stem}.tar.gz"

    def metadata(self):
        lines = ["Metadata-Version: 2.2", f"Name: {self.project}", f"Version: {self.version}"]
        lines += [f"Summary: file {self.serial}"]
        lines += [f"Requires-Python: {self.python}"] if self.python else []
        lines += [f"Provides-Extra: {e}" for e in self.extras]
        lines += [f"Requires-Dist: {r}" for r in self.requires]
        return ("\n".join(lines) + "\n").encode()

    def data(self):
        """The bytes, made when they are first asked for."""
        if "made" not in self.__dict__:
            self.__dict__["made"] = self.sdist() if self.is_sdist else self.wheel()
        return self.__dict__["made"]

    def digest(self):
        return hashlib.sha256(str(self.serial).encode() if self.is_hollow else self.data()).hexdigest()

    def size(self):
        return 100000 + self.serial if self.is_hollow else len(self.data())

    def wheel(self):
        info = f"{self.escaped}-{self.version}.dist-info"
        tags = "".join(f"Tag: {p}-{a}-{o}\n" for p, a, o in itertools.product(
            *(part.split(".") for part in self.tags.split("-")[-3:])))
        members = {
            f"{info}/METADATA": self.metadata(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: universe\nRoot-Is-Purelib: true\n" + tags.encode(),
        }
        members[f"{info}/RECORD"] = "".join(f"{m},,\n" for m in [*members, f"{info}/RECORD"]).encode()
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            for member, data in members.items():
                entry = zipfile.ZipInfo(member)
                entry.create_system, entry.external_attr = 3, 0o100644 << 16
                z.writestr(entry, data)
        return out.getvalue()

    def sdist(self):
        requires = ", ".join(json.dumps(r) for r in self.build_requires)
        members = {
            "PKG-INFO": self.metadata(),
            "pyproject.toml": f'[build-system]\nrequires = [{requires}]\nbuild-backend = "{BACKEND}"\n'.encode(),
        }
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for member, data in members.items():
                entry = tarfile.TarInfo(f"{self.name.removesuffix('.tar.gz')}/{member}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
        return gzip.compress(raw.getvalue(), 1, mtime=0)


class Universe:
    """projects: normalised name -> its files, in the order of the page. roots: what is asked for (PEP 508), and as a
    lock says besides: constraints (PEP 508), overrides (normalised name -> specifier), excludes (normalised names)."""

    def __init__(self, roots=()):
        self.projects = {}
        self.roots = list(roots)
        self.constraints, self.overrides, self.excludes = [], {}, []

    def add(self, project, version, **more):
        file = File(project, version, **more)
        self.projects.setdefault(normalized(project), []).append(file)
        return file

    def files(self):
        return {f.name: f for files in self.projects.values() for f in files}

    def page(self, name):
        """PEP 691, or None."""
        if name not in self.projects:
            return None
        files = []
        for f in self.projects[name]:
            entry = {"filename": f.name, "url": f"../../files/{urllib.parse.quote(f.name)}",
                     "hashes": {"sha256": f.digest()}, "requires-python": f.python or None,
                     "size": f.size(), "yanked": False if f.yanked is None else f.yanked or True}
            if f.is_offered and not f.is_sdist:
                entry["core-metadata"] = {"sha256": hashlib.sha256(f.metadata()).hexdigest()}
            files.append(entry)
        return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files,
                           "versions": sorted({f.version for f in self.projects[name]})}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one write
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = urllib.parse.unquote(self.path.partition("?")[0])
        parts = path.strip("/").split("/")
        answer = self.server.find(parts) if len(parts) == 3 else None
        if answer is None:
            self.send(404, "text/plain", b"")
        elif parts[1] == "simple":
            self.send(200, JSON_TYPE, answer)
        else:
            self.send_part(answer)

    def send_part(self, data):
        """A file or the range of it that was asked for."""
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
        if not wanted or wanted[0] == "bytes=-":
            self.send(200, "application/octet-stream", data, {"Accept-Ranges": "bytes"})
            return
        first = int(wanted[1]) if wanted[1] else max(0, len(data) - int(wanted[2]))
        last = min(int(wanted[2]), len(data) - 1) if wanted[1] and wanted[2] else len(data) - 1
        if first > last:
            self.send(416, "text/plain", b"", {"Content-Range": f"bytes */{len(data)}"})
            return
        self.send(206, "application/octet-stream", data[first:last + 1],
                  {"Accept-Ranges": "bytes", "Content-Range": f"bytes {first}-{last}/{len(data)}"})

    def send(self, status, kind, body, headers=None):
        self.server.count += 1
        self.send_response(status)
        kept = {"Cache-Control": self.server.cache_control} if self.server.cache_control else {}
        for name, value in {"Content-Type": kind, "Content-Length": len(body), **kept, **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Serves from a thread of this process, from `with` on."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, cache_control=""):
        super().__init__(("127.0.0.1", 0), Handler)
        self.cache_control = cache_control
        self.universes, self.kept, self.count = {}, {}, 0
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def add(self, universe):
        prefix = f"u{len(self.universes)}"
        self.universes[prefix] = (universe, universe.files())
        return f"http://127.0.0.1:{self.server_address[1]}/{prefix}/simple/"

    def find(self, parts):
        """The body for [prefix, "simple" or "files", name], or None. Nothing changes while it is served."""
        key = "/".join(parts)
        if key not in self.kept:
            universe, files = self.universes.get(parts[0], (None, None))
            found = None
            if universe and parts[1] == "simple":
                found = universe.page(parts[2])
            elif universe and parts[1] == "files":
                file = files.get(parts[2].removesuffix(".metadata"))
                if file is not None and (parts[2].endswith(".metadata") or not file.is_hollow):
                    found = file.metadata() if parts[2].endswith(".metadata") else file.data()
            self.kept[key] = found
        return self.kept[key]

    def handle_error(self, request, client_address):
        pass  # a client that has heard enough

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


# ---- random ones ----

X86, ARM, OLD = "manylinux_2_17_x86_64.manylinux2014_x86_64", "manylinux_2_28_aarch64", "linux_x86_64"
WHEELS = [  # the files that one version may have: (weight, tags)
    (46, ["py3-none-any"]),
    (10, ["py3-none-any", ""]),
    (7, [""]),
    (8, [f"cp3{n}-cp3{n}-{plat}" for n in (11, 12, 13) for plat in (X86, ARM)]),
    (6, [f"cp312-cp312-{X86}", f"cp312-cp312-{ARM}", ""]),
    (4, [f"cp311-cp311-{X86}", f"cp313-cp313-{OLD}", ""]),
    (4, [f"cp3{n}-cp3{n}-{X86}" for n in (12, 13)]),
    (4, [f"cp39-abi3-{X86}", f"cp39-abi3-{ARM}"]),
    (3, [f"cp312-abi3-{X86}", f"cp311-cp311-{X86}", "py3-none-any"]),
    (3, [f"py3-none-{X86}", "py3-none-win_amd64"]),
    (2, [f"cp312-cp312-{X86}", f"1-cp312-cp312-{X86}", "py2.py3-none-any"]),
    (1, ["cp312-cp312-win_amd64", "cp312-cp312-manylinux_2_39_x86_64", "cp39-cp39-linux_x86_64"]),
]
PYTHONS = [
    (120, ""), (25, ">=3.8"), (8, ">=3.12"), (5, ">=3.13"), (4, "<4,>=3.9"), (3, "<3.13"), (2, "<3.12,>=3.9"),
    (2, "!=3.12.*"), (1, "==3.12.*"), (1, ">=3.12.1"), (1, ">=3.x"),
]
MARKERS = [
    'python_version < "3.12"', 'python_version >= "3.12"', 'python_full_version >= "3.12.1"',
    'sys_platform == "win32"', 'sys_platform == "linux"', 'platform_machine == "x86_64"',
    'platform_machine != "aarch64" and python_version >= "3.13"', 'os_name == "nt" or python_version == "3.11"',
    'platform_python_implementation == "CPython"', 'python_version not in "3.11 3.12"',
]
NAMES = ["alpha", "Beta", "gamma-ray", "delta.x", "eps", "zeta_q", "eta", "theta", "Iota.B", "kappa", "lam", "mu",
         "nu-2", "xi"]
EXTRAS = ["fast", "all"]


def weighted(rng, rows):
    return rng.choices([r[1] for r in rows], [r[0] for r in rows])[0]


def random_versions(rng):
    """Distinct versions of one project, as its files spell them."""
    pool = ["0.9", "1.0", "1.1", "1.2", "2.0", "2.1", "2.2.1", "3.0", "10.0"]
    chosen = rng.sample(pool, rng.choice([1, 2, 2, 3, 3, 4, 5, 6]))
    for last in list(chosen):
        roll = rng.random()
        if roll < 0.10:
            chosen.append(last + rng.choice(["rc1", "a1", "b2", ".dev3", "a2.dev1"]))
            if rng.random() < 0.3:
                chosen.remove(last)
        elif roll < 0.13:
            chosen.append(last + rng.choice([".post1", ".post2.dev1"]))
        elif roll < 0.15:
            chosen.append("1!" + last)
    return chosen


def random_specifier(rng, versions, loose):
    """loose: how often it is one that most versions meet."""
    if rng.random() < loose:
        return rng.choice(["", ">=" + versions[0], ">=0.9", "!=" + rng.choice(versions)])
    version = rng.choice(versions)
    roll = rng.random()
    if roll < 0.34:
        return ""
    if roll < 0.55:
        return ">=" + version
    if roll < 0.67:
        return "<" + version if rng.random() < 0.6 else "<=" + version
    if roll < 0.80:
        return "==" + version
    if roll < 0.85:
        return "!=" + version
    if roll < 0.90:
        return "==" + version.split("rc")[0].split("a")[0].split("b")[0].split(".")[0] + ".*"
    if roll < 0.94 and "." in version.split("!")[-1]:
        return "~=" + version
    if roll < 0.96:
        return ">" + version
    first, last = sorted([version, rng.choice(versions)])
    return f">={first},<={last}"


class Maker:
    """Grows one universe."""

    def __init__(self, rng):
        self.rng = rng
        self.names = rng.sample(NAMES, rng.randint(3, len(NAMES)))
        self.versions = {n: random_versions(rng) for n in self.names}
        self.extras = {n: EXTRAS[:rng.choice([0, 0, 0, 1, 2])] for n in self.names}
        self.is_uneven = rng.random() < 0.12  # files of one version need different things
        self.loose = rng.choice([0, 0, 0.3, 0.6])
        self.universe = Universe()

    def requirement(self, name, can_have_marker=True):
        rng = self.rng
        text = name if rng.random() < 0.8 else name.lower().replace("_", "-")
        if self.extras.get(name) and rng.random() < 0.4:
            text += f"[{rng.choice([*self.extras[name], 'fast,all', 'none-such'])}]"
        specifier = random_specifier(rng, self.versions.get(name, ["1.0"]), self.loose)
        text += rng.choice(["", " "]) + specifier if specifier else ""
        if can_have_marker and rng.random() < 0.2:
            text += f" ; {rng.choice(MARKERS)}"
        return text

    def needs(self, at):
        """Requires-Dist of a version of the at-th project: mostly of later ones."""
        rng, found = self.rng, []
        for _ in range(rng.choice([0, 0, 1, 1, 2, 2, 3, 4])):
            later = self.names[at + 1:] if rng.random() < 0.9 else self.names
            name = rng.choice(later) if later else None
            if rng.random() < 0.02:
                name = "ghost"
            if name and (name != self.names[at] or rng.random() < 0.3):
                found.append(self.requirement(name))
        for extra in self.extras[self.names[at]]:
            for _ in range(rng.choice([0, 1, 1, 2])):
                plain = self.requirement(rng.choice(self.names), False)
                found.append(f'{plain} ; extra == "{extra}"')
            if extra == "all" and rng.random() < 0.5:
                found.append(f'{self.names[at]}[fast] ; extra == "all"')
        return found

    def add_version(self, at, version):
        rng, name = self.rng, self.names[at]
        label = rng.random() < 0.06 and "+" not in version
        needs, python, yanked = self.needs(at), weighted(rng, PYTHONS), "broken" if rng.random() < 0.05 else None
        extras = [e for e in self.extras[name] if rng.random() < 0.95]
        for tags in weighted(rng, WHEELS):
            if self.is_uneven and rng.random() < 0.5:
                needs = self.needs(at)
            if self.is_uneven and rng.random() < 0.2:
                python = weighted(rng, PYTHONS)
            for local in rng.sample(["", "+cpu", "+cu118", "+cu128"], rng.randint(1, 3)) if label and tags else [""]:
                self.universe.add(name, version + local, tags=tags, requires=needs, extras=extras, python=python,
                                  yanked=yanked, is_offered=rng.random() < 0.85,
                                  build_requires=self.build_requires())

    def build_requires(self):
        rng = self.rng
        asked = [rng.choice(["backend", "backend>=1", "backend>=2", "backend<2", "backend==1.*"])]
        if rng.random() < 0.2:
            asked.append(self.requirement(rng.choice(self.names)))
        if rng.random() < 0.03:
            asked.append("backend>=9")
        return asked

    def roots(self):
        """The first is for every target; no project is pinned twice: such a lock would be refused."""
        rng = self.rng
        names = rng.sample(self.names[:4] + self.names, rng.randint(1, 4))
        asked = [self.requirement(n, at and rng.random() < 0.3) for at, n in enumerate(dict.fromkeys(names))]
        if rng.random() < 0.05:
            asked.append(self.requirement(rng.choice(self.names)))
        yanked = [f for files in self.universe.projects.values() for f in files if f.yanked is not None]
        if yanked and rng.random() < 0.1:
            file = rng.choice(yanked)
            asked.append(f"{file.project}=={file.version}")
        pinned = set()
        for text in list(asked):
            name = normalized(re.match(r"[\w.-]*\w", text)[0])
            if "==" in text.partition(";")[0]:
                if name in pinned:
                    asked.remove(text)
                pinned.add(name)
        return asked

    def add_wishes(self):
        """What a lock may know better, of projects that it does not ask for itself."""
        rng, u = self.rng, self.universe
        for name in rng.sample(self.names, min(len(self.names), rng.choice([0, 0, 0, 1, 2]))):
            # Never a pin: to uv that is leave to take a yanked file.
            specifier = random_specifier(rng, self.versions[name], 0.3).replace("==", "!=")
            if specifier:
                u.constraints.append(name + specifier + rng.choice(["", "", f" ; {rng.choice(MARKERS)}"]))
        asked = " ".join(normalized(r) for r in u.roots)
        free = [n for n in map(normalized, self.names) if n not in asked]
        if free and rng.random() < 0.12:
            name = rng.choice(free)
            versions = next(v for n, v in self.versions.items() if normalized(n) == name)
            u.overrides[name] = random_specifier(rng, versions, 0.2)
            free.remove(name)
        if free and rng.random() < 0.08:
            u.excludes.append(rng.choice(free))

    def make(self):
        for at, name in enumerate(self.names):
            for version in self.versions[name]:
                self.add_version(at, version)
            self.rng.shuffle(self.universe.projects[normalized(name)])
        self.universe.add("backend", "1.5", requires=["tool-kit"])
        self.universe.add("backend", "2.0", requires=["tool-kit>=1.1", "tool-kit<3 ; python_version < '3.12'"])
        for version in ("1.0", "1.1", "4.0"):
            self.universe.add("tool-kit", version)
        self.universe.roots = self.roots()
        self.add_wishes()
        return self.universe


def random_universe(rng):
    return Maker(rng).make()
