#!/usr/bin/env python3
"""seeds.py FOLDER: writes FOLDER/<target>/<file> for every fuzz target whose inputs are made here.

Inputs that are texts stand in tests/fuzz/corpus/<target>; what is binary, or derived from something
else, is made here, so that no binary is committed. A target may have both.
"""
import base64
import ctypes
import gzip
import io
import struct
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import make_wheels  # noqa: E402


# --- device code ------------------------------------------------------------------------------


def fatbin_entry(kind, sm, payload, flags=0x11, header=64, isa=(8, 0)):
    head = struct.pack("<HHIQQHHIQQ", kind, 0x101, header, len(payload), 0, isa[1], isa[0], sm, 0, flags)
    return head.ljust(header, b"\0") + payload


def fatbin(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def elf(sections, machine=62, flags=0, abi=0):
    names, body, rows = b"\0", b"", [bytes(64)]
    for name, contents in [*sections, (".shstrtab", None)]:
        at = len(names)
        names += name.encode() + b"\0"
        contents = names if contents is None else contents
        rows.append(struct.pack("<IIQQQQIIQQ", at, 1, 0, 0, 64 + len(body), len(contents), 0, 0, 1, 0))
        body += contents
    body += bytes(-len(body) % 8)
    ident = b"\x7fELF\2\1\1" + bytes([abi]) + bytes(8)
    head = struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, 64 + len(body), flags, 64, 0, 0, 64,
                       len(rows), len(rows) - 1)
    return ident + head + body + b"".join(rows)


PTX = b".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n\0"
CUBIN = elf([(".text.k", bytes(16))], machine=190, flags=0x5A055A, abi=0x33)
CUBIN_NEW = elf([(".text.k", bytes(16))], machine=190, flags=0x6005A04, abi=0x41)


def seeds_fatbin():
    both = fatbin(fatbin_entry(2, 90, CUBIN), fatbin_entry(1, 90, PTX, isa=(8, 7)))
    yield "both", b"\x07" + both
    yield "ptx", b"\x00" + PTX
    yield "flags", b"\x10" + fatbin(fatbin_entry(2, 100, CUBIN_NEW, 0x1100011, 80), fatbin_entry(8, 80, b"x" * 32))
    yield "compressed", b"\xff" + fatbin(fatbin_entry(1, 80, b"\x28\xb5\x2f\xfd" + bytes(20), 0x8011))
    yield "two", b"\x3f" + both + bytes(64) + both
    yield "cut", b"\x02" + both[:-9]


def seeds_elf():
    yield "cubin", CUBIN
    yield "cubin-new", CUBIN_NEW
    yield "library", elf([(".text", bytes(32)), (".nv_fatbin", fatbin(fatbin_entry(2, 90, CUBIN)))])
    yield "empty", elf([])


# --- archives ---------------------------------------------------------------------------------


def made(make, text):
    with tempfile.TemporaryDirectory() as folder:
        return Path(make(folder, make_wheels.Spec(text))).read_bytes()


def zip_of(members, how=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, how)
    return out.getvalue()


def seeds_wheel():
    yield "plain", made(make_wheels.make_wheel, "demo 1.0 requires='dep>=2; extra == \"x\"' extra=x")
    library = elf([(".nv_fatbin", fatbin(fatbin_entry(2, 90, CUBIN), fatbin_entry(1, 90, PTX)))])
    info = "demo-1.0.dist-info/"
    members = [("demo/_c.so", library), (info + "METADATA", b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"),
               (info + "WHEEL", b"Wheel-Version: 1.0\nTag: py3-none-any\n"), (info + "RECORD", b"demo/_c.so,,\n")]
    yield "device-code", zip_of(members)
    yield "device-code-deflated", zip_of(members, zipfile.ZIP_DEFLATED)
    yield "empty", zip_of([])


def seeds_sdist():
    gz = made(make_wheels.make_sdist, "demo 1.0")
    yield "tar-gz", b"\0" + gz
    yield "tar", b"\2" + gzip.decompress(gz)
    with tarfile.open(fileobj=io.BytesIO(gz)) as tar:
        members = [(m.name, tar.extractfile(m).read()) for m in tar.getmembers() if m.isfile()]
    yield "zip", b"\1" + zip_of(members)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, kind in (("demo-1.0", tarfile.DIRTYPE), ("demo-1.0/link", tarfile.SYMTYPE),
                           ("demo-1.0/" + "long/" * 30 + "pyproject.toml", tarfile.REGTYPE)):
            member = tarfile.TarInfo(name)
            member.type = kind
            member.linkname = "pyproject.toml"
            tar.addfile(member)
    yield "gnu", b"\2" + out.getvalue()


# --- the outer layer of a bundle --------------------------------------------------------------


def frame(content, block=128 * 1024):
    xxhash = ctypes.CDLL("libxxhash.so.0")
    xxhash.XXH64.restype = ctypes.c_uint64
    xxhash.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    out = struct.pack("<IBBQ", 0xFD2FB528, 0xC4, 0x38, len(content))
    for at in range(0, len(content), block):
        piece = content[at:at + block]
        out += struct.pack("<I", len(piece) << 3 | (at + block >= len(content)))[:3] + piece
    return out + struct.pack("<I", xxhash.XXH64(content, len(content), 0) & 0xFFFFFFFF)


def tar_header(path, size=0):
    member = tarfile.TarInfo(path)
    member.mode, member.mtime, member.size = 0o644, 1796054598, size
    return member.tobuf(tarfile.PAX_FORMAT)


def seeds_frames():
    text = tar_header("gpkg-bundle.json", 33) + b"{}".ljust(512, b"\0")
    yield "bundle", frame(text) + frame(tar_header("files/x", 700) + bytes(1024)) + frame(bytes(1024))
    yield "small-blocks", frame(text, 100)
    yield "header", tar_header("requirements.h100.txt")
    yield "long-path", tar_header("files/" + "a" * 64 + "/" + "b" * 200 + ".whl")
    yield "huge", tar_header("files/huge.whl", 1 << 36)


# --- keys and signatures ----------------------------------------------------------------------


def minisig(comment, *lines):
    return ("untrusted comment: " + comment + "\n" + "".join(line + "\n" for line in lines)).encode()


def seeds_minisig():
    # RFC 8032, section 7.1, test 1.
    key = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    number = bytes(range(8))
    text = lambda data: base64.b64encode(data).decode()  # noqa: E731
    yield "key", minisig("minisign public key 0706050403020100", text(b"Ed" + number + key))
    signature = text(b"ED" + number + bytes(range(64)))
    yield "signature", minisig("signature", signature, "trusted comment: a\tb", text(bytes(64)))
    yield "old-form", minisig("signature", text(b"Ed" + number + bytes(64)), "trusted comment: x", text(bytes(64)))


TARGETS = {
    "elf": seeds_elf,
    "fatbin": seeds_fatbin,
    "frames": seeds_frames,
    "minisig": seeds_minisig,
    "sdist": seeds_sdist,
    "wheel": seeds_wheel,
}


def main():
    root = Path(sys.argv[1])
    for target, seeds in TARGETS.items():
        if not (HERE / f"fuzz_{target}.c").exists():
            sys.exit(f"seeds.py: there is no fuzz target {target}")
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
