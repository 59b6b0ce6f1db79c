"""One case for `resolve` and `create`: an index on loopback with the few files that matter, locks for it, and the
answer that is right. The same words, the same files.

    with Case(rig, spec("app", "1.0", "requires=dep>=2"), ...) as case:
        case.gets("the dependency", wants("app"), linux("t"), want={"t": ["app-1.0-py3-none-any.whl", ...]})
        case.lacks("another Python", wants("app"), linux("t", "3.8"), want={("t", "app")}, words=["3.8"])
"""

import gzip
import io
import itertools
import json
import re
import shlex
import tarfile
import zipfile

import make_wheels
from rig import lock, target

COUNT = itertools.count()


# ---- locks ----


def toml_list(texts):
    return json.dumps(list(texts))


def wants(*packages, **lists):
    """The top of a lock: wants("numpy>=2", constraints=["numpy<2.4"]); comes before all tables."""
    more = "".join(f"{key.replace('_', '-')} = {toml_list(texts)}\n" for key, texts in lists.items())
    return f"packages = {toml_list(packages)}\n" + more


def machine(name, python, platform, **keys):
    return target(name, python, platform, "".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items()))


def linux(name, python="3.12", arch="x86_64", **keys):
    keys = keys if "musl" in keys else {"glibc": "2.28", **keys}
    return machine(name, python, f"linux_{arch}", **keys)


def windows(name, python="3.12", **keys):
    return machine(name, python, "win_amd64", **keys)


# ---- files ----


def spec(name, version, *words):
    """A text for make_wheels."""
    return " ".join(shlex.quote(w) for w in (name, version, *words))


def wheel(name, version, tag="py3-none-any", *words):
    return spec(name, version, f"tag={tag}", *words)


def renamed(name, version, tag, *words):
    """A wheel whose METADATA lacks the local version of its file name."""
    return wheel(name, version, tag, f"metadata-version={version.partition('+')[0]}", *words)


class Source:
    """An sdist of exactly these members: {path: text}. A .zip where its name ends so."""

    def __init__(self, file, members):
        self.file, self.members = file, members

    def write(self, folder):
        root = re.sub(r"\.(tar\.gz|zip)$", "", self.file)
        out = io.BytesIO()
        if self.file.endswith(".zip"):
            with zipfile.ZipFile(out, "w") as z:
                for path, text in self.members.items():
                    z.writestr(zipfile.ZipInfo(f"{root}/{path}"), text)
        else:
            with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as gz:
                with tarfile.open(fileobj=gz, mode="w") as tar:
                    for path, text in self.members.items():
                        entry = tarfile.TarInfo(f"{root}/{path}")
                        entry.size = len(text.encode())
                        tar.addfile(entry, io.BytesIO(text.encode()))
        (folder / self.file).write_bytes(out.getvalue())


def pkg_info(name, version, *lines):
    return "\n".join(["Metadata-Version: 2.2", f"Name: {name}", f"Version: {version}", *lines, ""])


def build_system(backend, *requires):
    return f"[build-system]\nrequires = {toml_list(requires)}\nbuild-backend = \"{backend}\"\n"


# ---- the case ----


class Answer:
    """What `resolve --json` or `create --json` said."""

    def __init__(self, done):
        self.done = done
        try:
            self.json = done.json()
        except ValueError:
            self.json = {}
        self.holes = self.json.get("holes", [])
        self.notes = "\n".join(self.json.get("notes", []))
        self.text = "\n".join([self.notes, *(h["text"] for h in self.holes)])
        error = self.json.get("error") or {}
        self.reason = error.get("reason")
        self.error = f"{error.get('text', '')}\n{error.get('hint', '')}"

    def target(self, name):
        found = [t for t in self.json.get("targets", []) if t["name"] == name]
        return found[0] if found else {"files": [], "given": []}

    def files(self, name, use=None):
        return sorted(f["file"] for f in self.target(name)["files"] if use is None or use in f["use"])


def made(*names):
    """Options of `create` that take wheels which are made here, without the code that the audit looks for."""
    return [word for name in names for word in ("--waive", f"{name}=made for this test")]


class Case:

    def __init__(self, rig, *files, options=()):
        self.rig, self.options = rig, options
        self.key, self.public = rig.scratch / "signing", rig.scratch / "signing.pub"  # rig.key() made them
        self.folder = rig.folder(f"case-{next(COUNT)}")
        self.files = self.folder / "files"
        self.files.mkdir()
        self.add(*files)

    def add(self, *files):
        """More on the index, from now on: pages that were read before are forgotten."""
        self.cache = self.folder / f"cache-{next(COUNT)}"
        for f in files:
            if isinstance(f, Source):
                f.write(self.files)
            else:
                make_wheels.make(str(self.files), f)

    def __enter__(self):
        self.index = self.rig.index(self.files, "--metadata", *self.options)
        return self

    def __exit__(self, *_):
        self.index.stop()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def lock(self, *parts):
        return lock(self.folder / "lock.toml", *parts, name="case")

    def run(self, verb, path, *options, env=None):
        done = self.rig.gpkg(verb, path, "--json", "--cache", self.cache, *options,
                             env={"PIP_INDEX_URL": self.index.simple, **(env or {})}, cwd=self.folder)
        return Answer(done)

    def resolve(self, *parts, options=(), env=None, path=None):
        return self.run("resolve", path or self.lock(*parts), *options, env=env)

    def create(self, *parts, options=(), env=None, path=None):
        """The bundle and what was said of it; the bundle may not be there."""
        bundle = self.folder / f"{next(COUNT)}.tar.zst"
        said = self.run("create", path or self.lock(*parts), "-o", bundle, "--key", self.key, *options, env=env)
        return bundle, said

    # ---- answers ----

    def gets(self, what, *parts, want, notes=(), use=None, **more):
        """These files for these targets, and notes that have these words. Returns the answer."""
        said = self.resolve(*parts, **more)
        if self.rig.check(said.done.status == 0, f"{what}: there is a plan", said.done):
            for name, files in want.items():
                self.rig.equal(said.files(name, use), sorted(files), f"{what}: files of {name}")
            for words in notes:
                self.rig.check(words in said.notes, f"{what}: a note says \"{words}\"", said.notes)
        return said

    def lacks(self, what, *parts, want, words=(), **more):
        """Exactly these holes, (target, project), whose texts together have these words."""
        said = self.resolve(*parts, **more)
        ok = self.rig.check(said.done.status == 1 and said.reason == "hole", f"{what}: a hole", said.done)
        if ok:
            self.rig.equal({(h["target"], h["project"]) for h in said.holes}, set(want), f"{what}: what lacks")
            text = "\n".join(h["text"] for h in said.holes)
            for w in words:
                self.rig.check(w in text, f"{what}: it says \"{w}\"", text)
        return said

    def refuses(self, what, *parts, reason, words=(), **more):
        """No plan at all, for this reason, in a message that has these words."""
        said = self.resolve(*parts, **more)
        ok = self.rig.check(said.done.status != 0 and said.reason == reason, f"{what}: {reason}", said.done)
        for w in words if ok else ():
            self.rig.check(w in said.error, f"{what}: it says \"{w}\"", said.error)
        return said
