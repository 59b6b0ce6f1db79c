#!/usr/bin/env python3
"""Makes tiny valid wheels and sdists, with the standard library alone. The same words, the same bytes.

    make_wheels.py FOLDER [SPEC]...          prints the path of each file

A SPEC is a string of shell-like words, the first two being name and version:

    'demo 1.0'                               demo-1.0-py3-none-any.whl with the module demo
    'demo 1.0 kind=sdist'                    demo-1.0.tar.gz; builds offline, with nothing installed
    'demo 1.0+cu128 tag=cp312-cp312-linux_x86_64 build=1 requires="dep>=2" requires="x; extra == \\"fast\\""'
    'Demo_Pkg 1.0 python=">=3.9" extra=fast summary="What it is" module=other size=100000'
    'demo 2.8.3+cu12 metadata-version=2.8.3' a wheel renamed after it was built, as some publishers do
    'demo 1.0 file=path/in/wheel=TEXT'       one more member; in an sdist too
    'demo 1.0 requires-build=setuptools'     sdist: build-system.requires; backend=MODULE where it is not setuptools

From Python: make(folder, "demo 1.0 ...") returns the path; make_wheel and make_sdist take a Spec.
"""

import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import sys
import tarfile
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)
MANY = ("requires", "extra", "file", "requires-build")
ONE = ("kind", "tag", "build", "python", "summary", "module", "size", "metadata-version", "license",
       "backend")

BACKEND = '''\
"""A build backend of its own: the wheel is written as it is, whatever is installed."""
import base64
import hashlib
import os
import zipfile

NAME, VERSION, MODULE, METADATA = {name!r}, {version!r}, {module!r}, {metadata!r}
WHEEL = "Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(folder, config_settings=None, metadata_directory=None):
    info = NAME + "-" + VERSION + ".dist-info/"
    with open(os.path.join(MODULE, "__init__.py"), "rb") as f:
        members = [(MODULE + "/__init__.py", f.read())]
    members += [(info + "METADATA", METADATA.encode()), (info + "WHEEL", WHEEL.encode())]
    rows = ""
    for name, data in members:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows += "%s,sha256=%s,%d\\n" % (name, digest, len(data))
    members.append((info + "RECORD", (rows + info + "RECORD,,\\n").encode()))
    wheel = NAME + "-" + VERSION + "-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data)
    return wheel
'''


class Spec:
    def __init__(self, text):
        words = shlex.split(text)
        if len(words) < 2:
            raise ValueError("a spec begins with name and version: " + text)
        self.name, self.version = words[:2]
        self.one = {}
        self.many = {key: [] for key in MANY}
        for word in words[2:]:
            key, equals, value = word.partition("=")
            if equals and key in MANY:
                self.many[key].append(value)
            elif equals and key in ONE:
                self.one[key] = value
            else:
                raise ValueError("unknown word in a spec: " + word)

    @property
    def escaped(self):
        return re.sub(r"[-_.]+", "_", self.name)

    @property
    def module(self):
        return self.one.get("module", self.escaped.lower())

    @property
    def metadata_version(self):
        return self.one.get("metadata-version", self.version)

    def metadata(self):
        lines = ["Metadata-Version: 2.1", "Name: " + self.name, "Version: " + self.metadata_version]
        lines.append("Summary: " + self.one.get("summary", "A package for tests"))
        if "license" in self.one:
            lines.append("License: " + self.one["license"])
        if "python" in self.one:
            lines.append("Requires-Python: " + self.one["python"])
        lines += ["Provides-Extra: " + extra for extra in self.many["extra"]]
        lines += ["Requires-Dist: " + requirement for requirement in self.many["requires"]]
        return "\n".join(lines) + "\n"

    def members(self):
        code = "__version__ = %r\n" % self.metadata_version
        yield self.module + "/__init__.py", code.encode()
        for extra in self.many["file"]:
            path, _, text = extra.partition("=")
            yield path, text.encode()
        if "size" in self.one:
            yield self.module + "/data.bin", noise(self.escaped + self.version, int(self.one["size"]))


def noise(seed, size):
    """Bytes that do not compress."""
    out = bytearray()
    block = seed.encode()
    while len(out) < size:
        block = hashlib.sha512(block).digest()
        out += block
    return bytes(out[:size])


def record_row(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (path, digest, len(data))


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def make_wheel(folder, spec):
    tag = spec.one.get("tag", "py3-none-any")
    info = "%s-%s.dist-info/" % (spec.escaped, spec.metadata_version)
    wheel = "Wheel-Version: 1.0\nGenerator: make_wheels\nRoot-Is-Purelib: %s\n" % (
        "true" if tag.endswith("-none-any") else "false"
    )
    python, abi, platform = tag.split("-")
    for p in python.split("."):
        for a in abi.split("."):
            for f in platform.split("."):
                wheel += "Tag: %s-%s-%s\n" % (p, a, f)
    members = list(spec.members())
    members += [(info + "METADATA", spec.metadata().encode()), (info + "WHEEL", wheel.encode())]
    record = "".join(record_row(*member) for member in members) + info + "RECORD,,\n"
    members.append((info + "RECORD", record.encode()))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in members:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            z.writestr(entry, data)
    build = [spec.one["build"]] if "build" in spec.one else []
    name = "-".join([spec.escaped, spec.version] + build + [tag]) + ".whl"
    return write(folder, name, out.getvalue())


def make_sdist(folder, spec):
    root = "%s-%s" % (spec.escaped.lower(), spec.version)
    own_backend = not spec.many["requires-build"]
    requires = ", ".join('"%s"' % r for r in spec.many["requires-build"])
    pyproject = "[build-system]\nrequires = [%s]\n" % requires
    members = [("PKG-INFO", spec.metadata().encode())]
    if own_backend:
        pyproject += 'build-backend = "tiny_backend"\nbackend-path = ["."]\n'
        backend = BACKEND.format(
            name=spec.escaped, version=spec.version, module=spec.module, metadata=spec.metadata()
        )
        members.append(("tiny_backend.py", backend.encode()))
    else:
        pyproject += 'build-backend = "%s"\n\n[project]\nname = "%s"\nversion = "%s"\n' % (
            spec.one.get("backend", "setuptools.build_meta"),
            spec.name,
            spec.version,
        )
    members.append(("pyproject.toml", pyproject.encode()))
    members += list(spec.members())
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data in members:
            entry = tarfile.TarInfo(root + "/" + path)
            entry.size = len(data)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(data))
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as gz:
        gz.write(raw.getvalue())
    return write(folder, root + ".tar.gz", out.getvalue())


def make(folder, text):
    spec = Spec(text)
    os.makedirs(folder, exist_ok=True)
    return (make_sdist if spec.one.get("kind") == "sdist" else make_wheel)(folder, spec)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for text in sys.argv[2:]:
        print(make(sys.argv[1], text))


if __name__ == "__main__":
    main()
