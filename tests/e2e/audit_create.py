#!/usr/bin/env python3
"""`create` audits what it packs: what does not fit stops it, a waiver is signed, a second run reads no wheel again,
and the far side can see it all: `inspect` as text, matrix, JSON and page, of a bundle and of a store.

    audit_create.py BIN_DIR
"""

import html.parser
import json
import os
import sys
import zipfile

import make_wheels
from audit import Audit
from rig import CP, MACHINE, Rig, lock, package, sha256, steps, target

REASON = 'their <b>GPUs</b> & "drivers" come later'
TORCH = "2.15.0+cu130"


def machine(name, gpus, rest=f'torch = "{TORCH}"\n'):
    return target(name, rest=f'glibc = "2.36"\ngpus = {gpus}\ndriver = "580.65.06"\n{rest}')


TARGETS = [machine("h100", '["9.0"]'), machine("mixed", '["8.0", "9.0"]'), target("cpu", rest='glibc = "2.36"\n')]
ROWS = [package("demo", "1.0"), package("torch", TORCH, 'targets = ["h100", "mixed"]\n'), package("plain", "1.0"),
        package("source", "1.0")]
WAIVED = ("--waive", f"demo@mixed={REASON}")


def spoil(path):
    """Its RECORD says something else of a file than what is there."""
    rows = [b"data.txt,sha256=", b"data.txt,sha256=" + b"A" * 43 + b",3\ndata.was,sha256="]
    with zipfile.ZipFile(path) as old:
        members = [(entry, old.read(entry)) for entry in old.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for entry, data in members:
            new.writestr(entry, data.replace(*rows) if entry.filename.endswith("RECORD") else data)


def make_index(audit):
    """demo has code for 9.0 alone; torch offers one symbol; user wants another one, and a library of bringer's."""
    text = f"__version__ = '{TORCH}'\ncuda = '13.0'\n"
    code = {f"torch/lib/libtorch_cuda{sm}.so": audit.with_code(sm) for sm in (80, 90)}
    symbols = audit.library("libc10.so", "void _ZN3c103oneEv(void) {}", soname="libc10.so")
    audit.wheel(f"torch {TORCH}", {"torch/version.py": text.encode(), "torch/lib/libc10.so": symbols,
                                   "torch/lib/libtorch_cuda.so": audit.with_code(90), **code})
    audit.wheel("demo 1.0", {f"demo/_C.cpython-{CP[2:]}-{MACHINE}-linux-gnu.so": audit.with_code(90)})
    for words in ("plain 1.0", "source 1.0 kind=sdist"):
        make_wheels.make(audit.folder, words)
    spoil(make_wheels.make(audit.folder, "wrong 1.0 file=wrong/data.txt=abc"))
    missing = "void _ZN3c104goneEv(void); void use(void) { _ZN3c104goneEv(); }"
    audit.wheel("user 1.0", {"user/_C.so": audit.user_of(
        audit.stub("libbrought.so.1"), source=missing,
        options=("-Wl,--unresolved-symbols=ignore-all", audit.stub("libc10.so")))})
    audit.wheel("bringer 1.0", {"bringer/libbrought.so.1": audit.library("libbrought.so.1", soname="libbrought.so.1")})


class Page(html.parser.HTMLParser):
    """Tags that are closed in order, texts, and whatever would be loaded."""
    VOID = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.loaded, self.texts, self.tags, self.faults = [], [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.loaded += [value for name, value in attrs if name in ("src", "href", "style", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


class Field:
    def __init__(self, rig):
        self.rig = rig
        self.audit = Audit(rig)
        self.key = rig.key()
        self.public = f"{self.key}.pub"
        make_index(self.audit)
        self.lock = lock(rig.scratch / "lock.toml", *TARGETS, *ROWS)
        self.index = rig.index(self.audit.folder)

    def create(self, name, *options, what=None, cache="cache"):
        path = self.rig.scratch / name
        done = self.rig.create(what or self.lock, path, "--serial", "7", *options, index=self.index.simple,
                               key=self.key, cache=self.rig.scratch / cache)
        return path, done


def check_stop(field):
    rig = field.rig
    path, done = field.create("a.tar.zst")
    rig.equal((done.status, path.exists()), (1, False), f"a FAIL stops it: {done}")
    for words in ("audit mixed: demo-1.0-", "GPU code: ", "avoids: ", "do: ", "1 wheel does not fit its target",
                  "--waive PKG[@TARGET]=REASON"):
        rig.check(words in done.err, f"it says {words!r}", done)
    rig.check("audit h100" not in done.err.replace("warning: audit h100", ""), "of that target alone", done)
    path, done = field.create("a.tar.zst", "--json")
    rig.equal(done.reason(), "audit", "its reason code")
    unfit = [a for a in done.json()["audit"] if not a["fits"]]
    rig.equal([(a["project"], a["target"], a["waived"]) for a in unfit], [("demo", "mixed", "")], "what does not fit")
    grave = [f for f in unfit[0]["findings"] if f["result"] == "FAIL"]
    rig.equal({f["check"] for f in grave}, {"gpu-code"}, f"and why: {grave}")
    rig.check(all(f["text"] and f["avoids"] and f["remedy"] for f in grave), "the whole story", grave)
    rig.check("✗" in unfit[0]["line"] and unfit[0]["line"].startswith("1"), "the short line", unfit)
    for waiver in (f"demo@h100={REASON}", f"plain={REASON}"):
        rig.equal(field.create("a.tar.zst", "--waive", waiver)[1].status, 1, f"a waiver for another: {waiver}")


def manifest_of(rig, path):
    done = rig.run("tar", "--zstd", "-xOf", path, "manifest.json")
    return json.loads(done.out)


def check_waived(field):
    rig = field.rig
    path, done = field.create("a.tar.zst", *WAIVED)
    rig.check(done.status == 0 and "waived mixed: demo-1.0-" in done.err, "waived, it goes through", done)
    rig.check("audit: all 3 wheels were read before" in done.err, "and reads no wheel again", done)
    manifest = manifest_of(rig, path)
    rig.equal(manifest["waivers"], [{"project": "demo", "reason": REASON, "target": "mixed", "what": "audit"}],
              "the waiver is signed")
    picks = {(t["machine"]["name"], manifest["files"][p["file"]]["name"]): p
             for t in manifest["targets"] for p in t["plan"]}
    rig.equal([(f["check"], f["result"]) for f in picks["mixed", "demo"]["findings"] if f["result"] == "FAIL"],
              [("gpu-code", "FAIL")], "the finding is in the manifest")
    rig.check("✗" not in picks["h100", "demo"]["audit"] and picks["h100", "demo"]["audit"], "where it fits")
    rig.equal((picks["cpu", "source"]["audit"], picks["cpu", "source"]["findings"]), ("", []), "an sdist has none")
    rig.check(picks["cpu", "plain"]["audit"], "a pure wheel has one")
    for name, options, what in (
        ("fresh", {"cache": "other-cache"}, "with an empty cache"), ("warm", {}, "with a warm one")):
        again, done = field.create(f"{name}.tar.zst", *WAIVED, **options)
        rig.check(done.status == 0 and sha256(again) == sha256(path), f"the same bundle {what}", done)
    own = lock(rig.scratch / "own.toml", *TARGETS, *ROWS, f"[waive]\n\"demo@mixed\" = {json.dumps(REASON)}\n")
    again, done = field.create("own.tar.zst", what=own)
    rig.equal(manifest_of(rig, again)["waivers"], manifest["waivers"], f"a waiver of the lock: {done}")
    verified = rig.gpkg("verify", path, "--pub", field.public, "--json")
    rig.equal(verified.json()["waivers"], manifest["waivers"], "verify shows it")
    field.bundle, field.manifest = path, manifest


def check_torch(field):
    """An extension is compared with the torch of its target; libraries with the whole closure."""
    rig = field.rig
    rows = [package(name, version) for name, version in (("user", "1.0"), ("torch", TORCH))]

    def unfit(*more):
        what = lock(rig.scratch / "torch.toml", TARGETS[0], *rows, *more)
        done = field.create("torch.tar.zst", "--json", what=what)[1]
        found = {a["project"]: a for a in done.json()["audit"]}["user"]
        return {f["check"]: f["text"] for f in found["findings"] if f["result"] == "FAIL"}

    have = unfit()
    rig.equal(set(have), {"torch-abi", "libraries"}, f"a symbol and a library are missing: {have}")
    rig.check("gone" in have.get("torch-abi", ""), "the symbol is named", have)
    rig.equal(set(unfit(package("bringer", "1.0"))), {"torch-abi"}, "another wheel of the closure brings the library")


def check_record(field):
    """A RECORD that does not fit has its own reason code and its own word in the manifest, as ever."""
    rig = field.rig
    what = lock(rig.scratch / "wrong.toml", TARGETS[2], package("wrong", "1.0"))
    rig.equal(field.create("wrong.tar.zst", "--json", what=what)[1].reason(), "wheel", "a wrong RECORD")
    bundle, done = field.create("wrong.tar.zst", "--waive", "wrong=known", what=what)
    rig.check(done.status == 0, "waived", done)
    rig.equal([w["what"] for w in manifest_of(rig, bundle)["waivers"]], ["record"], "as what it is")


def check_shown(rig, what, options, name):
    """`what`: a bundle or a store; both must say the same."""
    shown = rig.gpkg("inspect", what, *options)
    rig.check("FAIL gpu-code: " in shown.out and "✗" in shown.out, f"{name}: findings", shown)
    matrix = rig.gpkg("inspect", what, *options, "--matrix")
    rows = {line.split("  ")[0]: [c.strip() for c in line.split("  ")[1:] if c.strip()]
            for line in matrix.out.splitlines() if line.strip()}
    order = rows.get("target", [])
    rig.equal(sorted(order), ["cpu", "h100", "mixed", "mixed"], f"{name}: a column for each GPU: {matrix}")
    by_gpu = {(t, g): {project: row[i] for project, row in rows.items()}
              for i, (t, g) in enumerate(zip(order, rows["gpu"]))}
    rig.equal(by_gpu["h100", "9.0"]["torch"].split()[0], TORCH, f"{name}: the axis comes first, then the package")
    rig.equal(by_gpu["mixed", "8.0"]["demo"], "1.0 other-GPU FAIL", f"{name}: no code for that GPU")
    rig.equal(by_gpu["mixed", "9.0"]["demo"], "1.0 FAIL", f"{name}: its target does not fit")
    rig.equal(by_gpu["h100", "9.0"]["demo"].split()[0], "1.0", f"{name}: it fits")
    rig.equal(by_gpu["cpu", "-"]["libc"], "glibc 2.36", f"{name}: libc")
    rig.check(by_gpu["cpu", "-"]["source"].startswith("1.0 sdist"), f"{name}: an sdist is marked", matrix)
    answer = rig.gpkg("inspect", what, *options, "--json").json()
    found = {(p["machine"]["name"], f["file"].split("-")[0]): f for p in answer["plans"] for f in p["files"]}
    rig.equal(answer["waivers"][0]["reason"], REASON, f"{name}: waivers as JSON")
    return {key: (f["audit"], f["findings"]) for key, f in found.items()}


def check_page(rig, what, options, name, *, texts):
    path = rig.scratch / f"{name}.html"
    done = rig.gpkg("inspect", what, *options, "--html", path)
    if not rig.check(done.status == 0 and done.out == "" and path.exists(), f"{name}: a page", done):
        return
    page = Page(path.read_text())
    rig.equal((page.faults, page.open), ([], []), f"{name}: tags are closed in order")
    rig.equal(page.loaded, [], f"{name}: nothing is loaded or linked")
    rig.check(not page.tags & {"script", "link", "img", "iframe", "b"}, f"{name}: plain tags", page.tags)
    whole = "".join(page.texts)
    for text in (REASON, "Coverage", "FAIL", "gpu-code", "h100, mixed" if name == "bundle" else "mixed", *texts):
        rig.check(text in whole, f"{name}: the page says {text!r}")
    for rule in ("color-scheme:light dark", "prefers-color-scheme:dark", "width=device-width"):
        rig.check(rule in path.read_text(), f"{name}: {rule}")


def check_hole(field):
    rig = field.rig
    what = lock(rig.scratch / "hole.toml", TARGETS[2], package("plain", "1.0"), package("ghost", "1.0"))
    bundle, done = field.create("hole.tar.zst", "--waive", "ghost@cpu=nobody has it", what=what)
    rig.check(done.status == 0, "a waived hole", done)
    matrix = rig.gpkg("inspect", bundle, "--pub", field.public, "--matrix")
    rig.check(["ghost", "hole"] in [line.split() for line in matrix.out.splitlines()], "the matrix shows it", matrix)


def check_far_side(field):
    rig, pub = field.rig, ("--pub", field.public)
    hashes = [f["sha256"] for f in field.manifest["files"]]
    from_bundle = check_shown(rig, field.bundle, pub, "bundle")
    check_page(rig, field.bundle, pub, "bundle", texts=[*hashes, "Signature", "Nothing was known against"])
    store = rig.scratch / "store"
    rig.must("trust", "add", field.public, "--store", store)
    rig.must("import", field.bundle, "--store", store)
    rig.equal(check_shown(rig, store, (), "store"), from_bundle, "the store keeps every finding")
    check_page(rig, store, (), "store", texts=[*hashes, "Bundles and signatures", "imported"])
    refused = rig.gpkg("inspect", field.bundle, *pub, "--html", rig.scratch / "no/such/folder.html", "--json")
    rig.check(refused.status in (1, 3), "a page that cannot be written", refused)


def main():
    rig = Rig(sys.argv)
    with rig:
        if not rig.tool("gcc"):
            rig.skip("no gcc on this machine")
            return rig.finish()
        field = Field(rig)
        for step in (check_stop, check_waived, check_torch, check_record, check_hole, check_far_side):
            with steps(step.__name__):
                step(field)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
