#!/usr/bin/env python3
"""Bundles that are cut, changed, put together wrongly, old or of strangers: import refuses each
with the reason that is documented, and the store stays as it was.

    hostile_bundle.py BIN_DIR [--quick | --full]      a tenth, or ten times, of the random tries
"""

import concurrent.futures
import gzip
import itertools
import os
import queue
import random
import subprocess
import sys
import tarfile

import make_wheels
from rig import Rig, difference, lock, package, sha256, steps, target, tree

ANY = "bundle-*"  # refused, but which check sees it first depends on the byte
DOCUMENTED = {
    "bundle-not-a-bundle", "bundle-spec", "bundle-cut", "bundle-damaged", "bundle-member",
    "bundle-extra-member", "bundle-missing-member", "bundle-trailing-data", "bundle-manifest",
    "bundle-unsigned", "bundle-untrusted-key", "bundle-bad-signature", "bundle-hash-mismatch",
    "bundle-rollback", "bundle-equivocation", "bundle-expired"
}
SPECS = [
    "alpha 1.0 size=2000", "beta 1.0 size=1000", "gamma 1.0 tag=py3-none-manylinux_2_17_x86_64",
    "delta 1.0", "eps 1.0 kind=sdist"
]
SIGNATURES = {"manifest.json.minisig", "SHA256SUMS.minisig"}


class Store:
    """A store with an older bundle in it, which an attack must leave as it is, objects included."""

    def __init__(self, rig, path, key, first):
        self.rig, self.path = rig, path
        rig.must("trust", "add", f"{key}.pub", "--store", path)
        rig.must("import", first, "--store", path)
        self.look()

    def look(self):
        self.before = tree(self.path, skip=("lock",))

    def changes(self):
        return difference(self.before, tree(self.path, skip=("lock",)))

    def attack(self, bundle, stdin=b""):
        """(reason, or what is wrong with the answer; what changed in the store; the answer)"""
        done = self.rig.gpkg("import", bundle, "--store", self.path, "--json", stdin=stdin)
        return done.reason() if done.status == 1 else f"{done}", self.changes(), done


class Field:
    """Keys, bundles and stores of all parts."""

    def __init__(self, rig):
        self.rig = rig
        folder = rig.folder("packages")
        for spec in SPECS:
            make_wheels.make(str(folder), spec)
        self.key, self.stranger = rig.key(), rig.key("stranger")
        rows = [package(s.split()[0], "1.0") for s in SPECS]
        self.locks = {
            n: lock(rig.scratch / f"{n}.toml", target("t", platform="linux_x86_64"), *rows[:n])
            for n in (1, 2, 5)
        }
        with rig.index(folder) as index:
            self.index = index
            self.first = self.make("first", 1, 10)
            self.good = self.make("good", 5, 20)
            self.other = self.make("other", 2, 20)  # same serial, other content
            self.older = self.make("older", 2, 5)
            self.same_as_first = self.make("same", 2, 10)
            self.foreign = self.make("foreign", 5, 20, key=self.stranger)
            self.channel = self.make("channel", 1, 1, "--channel", "another")
        self.members = self.rig.forge("list", self.good).out.split("\n")[:-1]
        self.files = [m for m in self.members if m.startswith("files/")]
        self.stores = queue.Queue()
        for i in range(2):
            self.stores.put(Store(rig, rig.scratch / f"store{i}", self.key, self.first))
        full = Store(rig, rig.scratch / "store-full", self.key, self.first)
        with rig.index(folder) as index:  # has all the files already, of an older bundle
            self.index = index
            rig.must("import", self.make("earlier", 5, 15), "--store", full.path)
        full.look()
        self.full = full

    def make(self, name, packages, serial, *options, key=None):
        rig, output = self.rig, self.rig.scratch / f"{name}.tar.zst"
        done = rig.create(self.locks[packages], output, "--serial", serial, *options,
                          index=self.index.simple, key=key or self.key, cache=rig.scratch / "cache")
        if done.status:
            raise RuntimeError(done)
        return output

    def refused(self, bundle, want, what, stdin=b""):
        """Checks one attack; the answer of import is returned."""
        store = self.stores.get()
        try:
            reason, changes, done = store.attack(bundle, stdin)
        finally:
            self.stores.put(store)
        fits = reason in DOCUMENTED if want == ANY else reason in want if isinstance(
            want, set) else reason == want
        self.rig.check(fits, f"{what}: refused as {want}", f"{reason}; {done}")
        self.rig.check(changes == "", f"{what}: the store is as it was", changes)
        return reason, done

    def forged(self, verb, *arguments):
        output = self.rig.scratch / f"forged-{os.urandom(6).hex()}"
        self.rig.forge(verb, self.good, output, *arguments)
        return output

    def forged_is_refused(self, want, what, verb, *arguments):
        bundle = self.forged(verb, *arguments)
        self.refused(bundle, want, what)
        bundle.unlink()

    def same_by_verify(self, bundle, reason, what):
        """verify, of either program, gives the same answer as import."""
        for program in (["gpkg-bundle", "verify"], ["gpkg-verify"]):
            done = self.rig.run(self.rig.bin / program[0], *program[1:], bundle, "--pub",
                                f"{self.key}.pub", "--json")
            self.rig.equal((done.status, done.reason()), (1, reason),
                           f"{what}: {' '.join(program)} agrees with import")


# ---- bytes ----


def mutations(field, factor):
    """(what, bytes, reason)"""
    data = field.good.read_bytes()
    rng = random.Random(20240229)
    for at in sorted(rng.sample(range(1, len(data)), max(20, int(200 * factor)))):
        yield f"cut to {at} bytes", data[:at], "bundle-cut"
    for at in range(1, min(40, len(data))):
        yield f"cut to {at} bytes", data[:at], "bundle-cut"
    for at in (1, 2, 3, 4, 5, 512, 1024):
        yield f"cut {at} bytes before the end", data[:-at], "bundle-cut"
    for _ in range(int(2000 * factor)):
        at, flip = rng.randrange(len(data)), rng.randrange(1, 256)
        yield f"byte {at} changed by {flip:#x}", change(data, at, flip), ANY
    for at in range(0, 2048, 1 if factor >= 1 else 7):
        flip = 1 << rng.randrange(8)
        yield f"byte {at} changed by {flip:#x}", change(data, at, flip), ANY
    for _ in range(int(100 * factor)):
        at = rng.randrange(len(data) - 64)
        n = rng.randrange(1, 64)
        yield f"{n} bytes left out at {at}", data[:at] + data[at + n:], ANY
        yield f"{n} bytes put in at {at}", data[:at] + rng.randbytes(n) + data[at:], ANY


def change(data, at, flip):
    return data[:at] + bytes([data[at] ^ flip]) + data[at + 1:]


def check_bytes(field, factor):
    rig, reasons = field.rig, {}
    counter = itertools.count()

    def attempt(job):
        what, data, want = job
        n = next(counter)
        path = rig.scratch / f"mutant-{n}"
        path.write_bytes(data)
        reason, _ = field.refused(path, want, what)
        if n % 40 == 0:
            field.same_by_verify(path, reason, what)
        path.unlink()
        return reason

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for reason in pool.map(attempt, mutations(field, factor)):
            reasons[reason] = reasons.get(reason, 0) + 1
    print("    " + ", ".join(f"{n} {r}"
                             for r, n in sorted(reasons.items(), key=lambda x: str(x[0]))))
    data = field.good.read_bytes()
    for at in random.Random(3).sample(range(
            len(data)), 30):  # where every file is there already, nothing at all changes
        path = rig.scratch / "mutant"
        path.write_bytes(change(data, at, 4))
        reason, changes, done = field.full.attack(path)
        rig.check(reason in DOCUMENTED and changes == "", f"byte {at} changed, files known",
                  f"{done}\n{changes}")


# ---- members ----


def check_members(field, _):
    """One member too few, too many, repeated, swapped or changed, at every place."""
    special_drop = {
        "gpkg-bundle.json": "bundle-not-a-bundle", "manifest.json.minisig": "bundle-unsigned",
        "SHA256SUMS.minisig": "bundle-unsigned"
    }
    for name in field.members:
        field.forged_is_refused(special_drop.get(name, "bundle-missing-member"), f"without {name}",
                                "drop", name)
        field.forged_is_refused("bundle-extra-member", f"a member too many behind {name}", "add",
                                name, "evil.txt")
        field.forged_is_refused("bundle-extra-member", f"a file too many behind {name}", "add",
                                name, "files/" + "0" * 64 + "/evil-1-py3-none-any.whl")
        again = {"bundle-extra-member", "bundle-unsigned"
                 } if name == "SHA256SUMS" else {"bundle-extra-member", "bundle-missing-member"}
        field.forged_is_refused(again, f"{name} twice", "twice", name)
        want = {
            "gpkg-bundle.json": "bundle-spec", "manifest.json": "bundle-bad-signature",
            "SHA256SUMS": "bundle-bad-signature"
        }.get(name, "bundle-hash-mismatch")
        if name in SIGNATURES:
            want = "bundle-bad-signature"
        field.forged_is_refused(want, f"last byte of {name} changed", "change", name)
    special_swap = {
        "gpkg-bundle.json": "bundle-not-a-bundle", "manifest.json.minisig": "bundle-unsigned",
        "SHA256SUMS.minisig": "bundle-unsigned"
    }
    for name, following in zip(field.members, field.members[1:]):
        field.forged_is_refused(special_swap.get(name, "bundle-missing-member"),
                                f"{name} exchanged with {following}", "swap", name)
    for last in (field.members[-1], "manifest.json.minisig", "SHA256SUMS.minisig"):
        for path in ("../evil", "/etc/cron.d/evil", "files/../../evil", "manifest.json/evil",
                     "./manifest.json", "files", "SHA256SUMS ", "x" * 390):
            field.forged_is_refused("bundle-extra-member", f"member {path[:20]!r} behind {last}",
                                    "add", last, path)


def check_headers(field, _):
    """Every field of a tar header but size and name has one spelling."""
    type_member = ("gpkg-bundle.json", "manifest.json", "SHA256SUMS.minisig", "sbom.cdx.json",
                   field.files[0], field.files[-1])
    fields = [(156, t, f"type {t}")
              for t in "1234567gLKSVAxX"] + [(100, "0000755", "mode 0755"),
                                             (100, "0004644", "mode with the set-user-id bit"),
                                             (100, "0000600", "mode 0600"),
                                             (100, "100644 ", "mode in another spelling"),
                                             (108, "0001750", "uid"), (116, "0001750", "gid"),
                                             (157, "/etc/passwd", "link name"),
                                             (265, "root", "user name"),
                                             (297, "root", "group name"),
                                             (329, "0000001", "device"),
                                             (337, "0000001", "minor device"),
                                             (257, "ustar  ", "GNU magic"), (500, "x", "the rest"),
                                             (136, "00000000001", "time"),
                                             (136, "14524770401", "time")]
    for member in type_member:
        for at, text, what in fields:
            want = "bundle-member"
            field.forged_is_refused(want, f"{what} of {member}", "field", member, at, text)
        for text in ("00000000001", "00000000000", "00000001000", "77777777777", "0000000-001"):
            field.forged_is_refused(ANY, f"size {text} of {member}", "field", member, 124, text)
        want = {"gpkg-bundle.json": "bundle-not-a-bundle", "SHA256SUMS.minisig": "bundle-unsigned"}
        field.forged_is_refused(want.get(member, "bundle-extra-member"), f"name of {member}",
                                "field", member, 0, "zzzz")


def check_ends(field, _):
    rig, good = field.rig, field.good.read_bytes()
    for tail in ("x", "\n", "more" * 300):
        field.forged_is_refused("bundle-trailing-data", f"a tail of {len(tail)} bytes", "tail",
                                tail)
    field.forged_is_refused("bundle-cut", "no end marker", "endless")
    cases = [
        ("two bundles in one file", good + good, "bundle-trailing-data"),
        ("another bundle behind it", good + field.first.read_bytes(), "bundle-trailing-data"),
        ("text behind it", good + b"hello", ANY),
        ("zeros behind it", good + bytes(4096), ANY),
        ("a skippable frame behind it", good + b"\x50\x2a\x4d\x18\x04\0\0\0abcd", ANY),
        ("a skippable frame before it", b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + good,
         "bundle-not-a-bundle"),
        ("an empty frame behind it", good + b"\x28\xb5\x2f\xfd\x20\0\x01\0\0", ANY),
        ("one byte before it", b"\n" + good, "bundle-not-a-bundle"),
    ]
    for what, data, want in cases:
        path = rig.scratch / "ends"
        path.write_bytes(data)
        field.refused(path, want, what)


# ---- who and when ----


def check_trust(field, _):
    rig = field.rig
    unsigned = field.forged("drop", "manifest.json.minisig")
    field.refused(unsigned, "bundle-unsigned", "no signature of the manifest")
    half = rig.scratch / "unsigned"
    rig.forge("drop", unsigned, half, "SHA256SUMS.minisig")
    field.refused(half, "bundle-unsigned", "no signature at all")
    field.refused(field.foreign, "bundle-untrusted-key", "a stranger's bundle")
    field.same_by_verify(field.foreign, "bundle-untrusted-key", "a stranger's bundle")
    store = rig.scratch / "store-pub"
    done = rig.gpkg("import", field.foreign, "--store", store, "--pub", f"{field.key}.pub",
                    "--json")
    rig.equal((done.status, done.reason(), store.exists()), (1, "bundle-untrusted-key", False),
              "--pub and a stranger")
    done = rig.gpkg("import", field.good, "--store", store, "--pub", f"{field.key}.pub", "--json")
    rig.check(done.status == 0, "--pub and the right key", done)


def check_order(field, _):
    """Rollback and equivocation, in a store of their own."""
    rig, path = field.rig, field.rig.scratch / "store-order"
    store = Store(rig, path, field.key, field.first)
    for bundle, want, what in ((field.older, "bundle-rollback", "a lower serial"),
                               (field.same_as_first, "bundle-equivocation",
                                "the same serial, other content")):
        reason, changes, done = store.attack(bundle)
        rig.check(reason == want and changes == "", f"{what}: {want}", f"{done}\n{changes}")
    rig.must("import", field.good, "--store", path)
    store.look()
    for bundle, want, what in ((field.first, "bundle-rollback", "replay of the first"),
                               (field.older, "bundle-rollback",
                                "a much older one"), (field.other, "bundle-equivocation",
                                                      "the same serial, other content, again")):
        reason, changes, done = store.attack(bundle)
        rig.check(reason == want and changes == "", f"{what}: {want}", f"{done}\n{changes}")
    done = rig.gpkg("import", field.good, "--store", path, "--json")
    rig.check(done.status == 0 and done.json()["bundles"][0]["known"] is True,
              "the newest once more is no error", done)
    done = rig.gpkg("import", field.channel, "--store", path, "--json")
    rig.check(done.status == 0, "another channel counts on its own", done)
    done = rig.gpkg("import", field.older, field.good, "--store", rig.scratch / "store-list",
                    "--pub", f"{field.key}.pub", "--json")
    rig.check(done.status == 0 and len(done.json()["bundles"]) == 2, "several in their order", done)
    done = rig.gpkg("import", field.good, field.older, "--store", rig.scratch / "store-list2",
                    "--pub", f"{field.key}.pub", "--json")
    rig.equal((done.status, done.reason()), (1, "bundle-rollback"), "several in the wrong order")


# ---- what is no bundle ----


def check_not_bundles(field, _):
    rig = field.rig
    folder = rig.folder("not")
    (folder / "plain.txt").write_text("hello\n")
    with tarfile.open(folder / "x.tar", "w") as tar:
        tar.add(folder / "plain.txt", "plain.txt")
    raw = (folder / "x.tar").read_bytes()
    (folder / "x.tar.gz").write_bytes(gzip.compress(raw))
    subprocess.run(["zstd", "-q", folder / "x.tar", "-o", folder / "x.tar.zst"], check=True)
    subprocess.run("zstd -dcq ../good.tar.zst | zstd -q -o again.tar.zst", shell=True, cwd=folder,
                   check=True)
    (folder / "empty").write_bytes(b"")
    (folder / "lock.toml").write_bytes(field.locks[1].read_bytes())
    (folder / "zeros").write_bytes(bytes(100000))
    (folder / "noise").write_bytes(random.Random(1).randbytes(100000))
    (folder / "magic").write_bytes(b"\x28\xb5\x2f\xfd")
    (folder / "good.tar").write_bytes(
        subprocess.run(["zstd", "-dcq", field.good], capture_output=True, check=True).stdout)
    for name in ("plain.txt", "x.tar", "x.tar.gz", "empty", "lock.toml", "zeros", "noise",
                 "good.tar"):
        field.refused(folder / name, "bundle-not-a-bundle", name)
    field.refused(
        field.rig.folder("packages") / "alpha-1.0-py3-none-any.whl", "bundle-not-a-bundle",
        "a wheel")
    field.refused(folder / "magic", "bundle-cut", "four bytes of a bundle")
    field.refused(folder / "x.tar.zst", {"bundle-not-a-bundle", "bundle-damaged"},
                  "a tar that zstd packed")
    field.refused(folder / "again.tar.zst", {"bundle-not-a-bundle", "bundle-damaged"},
                  "a bundle that zstd packed anew")
    field.refused("/dev/null", "bundle-not-a-bundle", "/dev/null")
    field.refused("/dev/zero", "bundle-not-a-bundle", "/dev/zero")
    store = field.stores.get()
    for path, status in ((folder, {1, 2,
                                   3}), (folder / "missing", {1, 3}), (field.good / "x", {1, 3})):
        done = rig.gpkg("import", path, "--store", store.path, "--json")
        rig.check(done.status in status and str(path) in done.all and store.changes() == "",
                  f"import {path.name}", done)
    done = rig.gpkg("import", "--store", store.path)
    rig.equal(done.status, 2, "import without a file")
    field.stores.put(store)


def check_pipes(field, _):
    """Standard input that ends early, is empty or closed."""
    data = field.good.read_bytes()
    for n in (1, 100, len(data) // 2, len(data) - 1):
        field.refused("-", "bundle-cut", f"a pipe that ends after {n} bytes", stdin=data[:n])
    field.refused("-", "bundle-not-a-bundle", "an empty pipe", stdin=b"")
    field.refused("-", "bundle-trailing-data", "a pipe with two bundles", stdin=data + data)
    store = field.stores.get()
    done = field.rig.run("sh", "-c", 'exec "$0" import - --store "$1" --json <&-',
                         field.rig.bin / "gpkg-bundle", store.path)
    field.rig.check(done.status == 3 and store.changes() == "", "standard input is closed", done)
    field.stores.put(store)


def check_last(field, _):
    """After all that: the right bundle is still taken, and the files come out as they are."""
    rig = field.rig
    while not field.stores.empty():
        store = field.stores.get()
        done = rig.gpkg("import", field.good, "--store", store.path, "--json")
        rig.check(done.status == 0, "the right bundle is taken after all", done)
        for name in field.files:
            digest = name.split("/")[1]
            path = store.path / "objects" / digest[:2] / digest
            rig.check(path.is_file() and sha256(path) == digest, f"{name} is stored")
        leftovers = [
            p for p in store.path.rglob("*")
            if p.is_file() and p.parent.parent.name == "objects" and sha256(p) != p.name
        ]
        rig.equal(leftovers, [], "every object is what its name says")


def main():
    rig = Rig(sys.argv)
    factor = 0.1 if "--quick" in rig.options else 10 if "--full" in rig.options else 1
    with rig:
        field = Field(rig)
        for part in (check_trust, check_order, check_not_bundles, check_pipes, check_members,
                     check_headers, check_ends, check_bytes, check_last):
            with steps(part.__name__):
                part(field, factor)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
