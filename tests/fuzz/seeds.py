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
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import make_wheels  # noqa: E402


# --- device code ------------------------------------------------------------------------------


def fatbin_entry(kind, sm, payload, flags=0x11, header=64, isa=(8, 0), packed=0, size=0):
    head = struct.pack("<HHIQQHHIQQQQ", kind, 0x101, header, len(payload), packed, isa[1], isa[0], sm, 0, flags,
                       0, size)
    return head.ljust(header, b"\0") + payload


def raw_frame(contents):
    """Zstandard with one raw block."""
    block = (len(contents) << 3 | 1).to_bytes(3, "little")
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(contents)) + block + contents


def literal_block(contents):
    """An LZ4 block of literals alone."""
    rest = len(contents) - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + contents


def note(text):
    return struct.pack("<III12s", 12, len(text), 2000, b"NVIDIA Corp") + text + bytes(-len(text) % 4)


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
CUBIN_NEW = elf([(".note.nv.tkinfo", note(b"ptxas, V13.0.88\0-arch sm_90a -m 64 \0")), (".text.k", bytes(16))],
                machine=190, flags=0x6005A04, abi=0x41)


# A container whose first frame is damaged behind its notes: once it told its toolkit or not by how it was cut.
DAMAGED_FRAME = zlib.decompress(base64.b85decode(
    "c-j-LclB{&0D^$Gp}QCv1Q-}t7{GvufsxSxNFQK?@b@t8;A3V;NCdH?7?3~%0}9vxRj;vC|L+12r;(QdWCs%?qa#cWGs8XxMg~l<"
    "0ZOw(F|av+Sq?zwFf;G~St>w$ft`WDFU-@$(^0`Wzo>wrprj(PSVtku&{)qv&%%O1H?b%=L!me~-qIjZK{r>y%tQgx61}|ql2pCC"
    "GQE=Q%)GRG2ECHhiW0qS2EF2p;*z40#3Tla0V5Qn0|zK=gGD_u5X7Os21*MM&@YKYe-D&aCZHdC{4;#}4*|r-{|7q7zY#s+KbDO6"
    "N3e?Hi!-ZIfllJmE6Xg-Ov*`B&`ZrLDXLV+#-2zBMKUK$jQEs7O8f%=EbnBl"))


def seeds_fatbin():
    both = fatbin(fatbin_entry(2, 90, CUBIN), fatbin_entry(1, 90, PTX, isa=(8, 7)))
    yield "both", b"\x07" + both
    yield "ptx", b"\x00" + PTX
    yield "flags", b"\x10" + fatbin(fatbin_entry(2, 100, CUBIN_NEW, 0x1100011, 80), fatbin_entry(8, 80, b"x" * 32))
    yield "damaged-frame", DAMAGED_FRAME
    yield "compressed", b"\xff" + fatbin(fatbin_entry(1, 80, b"\x28\xb5\x2f\xfd" + bytes(20), 0x8011))
    for name, flag, packed in ("zstd", 0x8000, raw_frame(CUBIN_NEW)), ("lz4", 0x2000, literal_block(CUBIN_NEW)):
        entry = fatbin_entry(2, 90, packed + bytes(-len(packed) % 8), flag, 64, (0, 0), len(packed), len(CUBIN_NEW))
        yield name, b"\x13" + b"\x7fELF".ljust(8, b"\0") + fatbin(entry, entry)
    yield "cubin", b"\x05" + CUBIN_NEW
    yield "old", b"\x05" + b"\x7fELF".ljust(8, b"\0") + struct.pack("<QQ", 0x1EE55A01, 4) + both
    yield "two", b"\x3f" + both + bytes(64) + both
    yield "cut", b"\x02" + both[:-9]


def seeds_elf():
    yield "cubin", CUBIN
    yield "cubin-new", CUBIN_NEW
    yield "library", elf([(".text", bytes(32)), (".nv_fatbin", fatbin(fatbin_entry(2, 90, CUBIN)))])
    yield "empty", elf([])


# --- what loaders read ------------------------------------------------------------------------


def elf_library(symbols, hash_tag=0x6FFFFEF5, machine=62, extra=()):
    """A shared library of two segments; symbols: (name, info, section), undefined ones first."""
    strings, table = b"\0libc10.so\0libc.so.6\0GLIBC_2.28\0$ORIGIN\0", bytes(24)
    for name, info, section in symbols:
        table += struct.pack("<IBBHQQ", len(strings), info, 0, section, 0, 0)
        strings += name.encode() + b"\0"
    first = 1 + sum(section == 0 for _, _, section in symbols)
    last = len(symbols) - first
    if hash_tag == 4:
        chains = struct.pack("<IIi", 1, len(symbols) + 1, 0) + bytes(4 * len(symbols) + 4)
    else:
        chains = struct.pack("<IIIIQI", 1, first, 1, 0, 0, first if last >= 0 else 0) + b"".join(
            struct.pack("<I", i == last) for i in range(last + 1))
    needs = struct.pack("<HHIII", 1, 1, 11, 16, 0) + struct.pack("<IHHII", 0, 0, 2, 21, 0)
    at_table = 64 + 3 * 56
    at_needs = at_table + len(table)
    at_hash = at_needs + len(needs)
    at_dynamic = at_hash + len(chains)
    at_dynamic += -at_dynamic % 8
    tags = [(1, 1), (1, 11), (29, 32), (6, at_table), (hash_tag, at_hash), (0x6FFFFFFE, at_needs), (10, len(strings)), *extra]
    at_strings = at_dynamic + 16 * (len(tags) + 2)
    tags += [(5, at_strings + 0x1000), (0, 0)]
    end = at_strings + len(strings)
    row = lambda kind, at, shift, n: struct.pack("<IIQQQQQQ", kind, 4, at, at + shift, 0, n, n, 8)  # noqa: E731
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
    rows = row(1, 0, 0, at_hash + len(chains)) + row(2, at_dynamic, 0x1000, 16 * len(tags)) + \
        row(1, at_dynamic, 0x1000, end - at_dynamic)
    body = (head + rows + table + needs + chains).ljust(at_dynamic, b"\0")
    return body + b"".join(struct.pack("<QQ", *tag) for tag in tags) + strings


def seeds_elf_scan():
    symbols = [("_ZN3c105ErrorE", 0x12, 0), ("PyList_New", 0x12, 0), ("torch_x", 0x22, 0), ("PyInit_x", 0x12, 7),
               ("_ZTVN2at1XE", 0xA1, 7)]
    yield "gnu-hash", b"\x07" + elf_library(symbols)
    yield "hash", b"\x3f" + elf_library(symbols, 4)
    yield "no-hash", b"\xff" + elf_library(symbols, 0x70000000, extra=[(36, 64), (15, 1), (14, 1)])
    yield "arm", b"\x00" + elf_library(symbols[:2], machine=183)
    yield "cubin", b"\x10" + CUBIN


def dll(needed, delayed, machine=0x8664):
    names, tables, directories = b"", b"", [0] * 16
    for directory, libraries, layout in ((1, needed, "<12xI4x"), (13, delayed, "<4xI24x")):
        directories[directory] = 0x1000 + len(tables)
        for library in libraries:
            tables += struct.pack(layout, 0x2000 + len(names))
            names += library + b"\0"
        tables += bytes(struct.calcsize(layout))
    optional = struct.pack("<H106xI", 0x20B, 16) + b"".join(struct.pack("<II", d, 0) for d in directories)
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HH12xH2x", machine, 2, len(optional)) + optional
    at = len(head) + 80
    for address, offset, data in ((0x1000, at, tables), (0x2000, at + len(tables), names)):
        head += struct.pack("<8xIIII16x", len(data), address, len(data), offset)
    return head + tables + names


def seeds_pe():
    yield "both", b"\x07" + dll([b"KERNEL32.dll", b"c10.dll"], [b"cudnn64_9.dll"])
    yield "arm", b"\x00" + dll([b"python312.dll"], [], 0xAA64)
    yield "nothing", b"\x40" + dll([], [])


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
    "elf_scan": seeds_elf_scan,
    "fatbin": seeds_fatbin,
    "frames": seeds_frames,
    "minisig": seeds_minisig,
    "pe": seeds_pe,
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
