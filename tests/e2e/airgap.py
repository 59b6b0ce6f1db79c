#!/usr/bin/env python3
"""The main road on small packages: create, check with stock tools, import, serve, install.

    airgap.py BIN_DIR
"""

import subprocess
import sys
import threading
import urllib.request
import zipfile

import sample
from rig import Rig, difference, sha256, steps, tree


def make_bundle(rig, given):
    given["files"] = sample.make_files(rig.folder("packages"))
    given["lock"] = sample.make_lock(rig.scratch / "lock.toml")
    given["key"] = rig.key()
    given["bundle"] = rig.scratch / "demo.tar.zst"
    with rig.index(rig.folder("packages"), "--metadata") as index:
        done = rig.create(given["lock"], given["bundle"], "--serial", "7", "--json",
                          index=index.simple, key=given["key"], cache=rig.scratch / "cache")
        asked = index.requests()
    if not rig.check(done.status == 0, "create", done):
        raise RuntimeError("without a bundle nothing else can be tested")
    answer = done.json()
    rig.equal((answer["ok"], answer["serial"], answer["channel"]), (True, 7, "demo"),
              "create --json says what it made")
    rig.equal(answer["files"], len(set().union(*sample.PLANS.values())),
              "create --json counts distinct files")
    rig.equal(answer["bundle_bytes"], given["bundle"].stat().st_size, "create --json has the size")
    fetched = [
        r["path"] for r in asked
        if r["path"].startswith("/files/") and not r["path"].endswith(".metadata")
    ]
    rig.equal(len(fetched), len(set(fetched)), "no file is fetched twice")


def check_plan(rig, given):
    """inspect, against the table of sample.py and against the bytes of the index."""
    done = rig.gpkg("inspect", given["bundle"], "--pub", f"{given['key']}.pub", "--json")
    rig.check(done.status == 0, "inspect", done)
    answer = done.json()
    names = [t["name"] for t in answer["targets"]]
    rig.equal(names, ["host", "other", "musl", "win"], "targets stand in the lock's order")
    for name, plan in zip(names, answer["plans"]):
        rig.equal({f["file"]: f["use"]
                   for f in plan["files"]}, sample.PLANS[name], f"plan of {name}")
        rig.equal(plan["machine"].get("name", name), name, f"machine of {name}")
    for f in answer["distinct_files"]:
        path = given["files"][f["file"]]
        rig.equal((f["sha256"], f["size"]), (sha256(path), len(open(path, "rb").read())),
                  f"digest of {f['file']}")
    given["plans"] = {n: [f["file"] for f in p["files"]] for n, p in zip(names, answer["plans"])}
    given["sha256"] = {f["file"]: f["sha256"] for f in answer["distinct_files"]}
    matrix = rig.gpkg("inspect", given["bundle"], "--pub", f"{given['key']}.pub", "--matrix")
    rig.check("srcpure" in matrix.out and "0.5 sdist" in matrix.out,
              "inspect --matrix marks the sdist", matrix)
    sbom = rig.gpkg("inspect", given["bundle"], "--pub", f"{given['key']}.pub", "--sbom").json()
    rig.equal((sbom["bomFormat"], sbom["specVersion"]), ("CycloneDX", "1.6"), "inspect --sbom")


def check_verify(rig, given):
    for program in ("gpkg-bundle", "gpkg-verify"):
        command = [rig.bin / program] + (["verify"] if program == "gpkg-bundle" else [])
        done = rig.run(*command, given["bundle"], "--pub", f"{given['key']}.pub", "--json")
        rig.check(done.status == 0 and done.json()["ok"] is True, f"{program} verifies", done)
        stranger = rig.key(f"stranger-{program}")
        done = rig.run(*command, given["bundle"], "--pub", f"{stranger}.pub", "--json")
        rig.equal((done.status, done.reason()), (1, "bundle-untrusted-key"),
                  f"{program} and a stranger's key")


def check_stock_tools(rig, given):
    """The receiving desk: tar, minisign and sha256sum, none of our programs."""
    desk = rig.folder("desk")
    given["desk"] = desk
    done = rig.run("tar", "--zstd", "-xf", given["bundle"], cwd=desk)
    rig.check(done.status == 0, "tar --zstd -xf", done)
    if rig.tool("minisign"):
        for document in ("SHA256SUMS", "manifest.json"):
            done = rig.run("minisign", "-Vm", document, "-p", f"{given['key']}.pub", cwd=desk)
            rig.check(done.status == 0, f"minisign -Vm {document}", done)
    else:
        rig.skip("no minisign on this machine")
    done = rig.run("sha256sum", "--strict", "-c", "SHA256SUMS", cwd=desk)
    rig.check(done.status == 0, "sha256sum -c", done)
    listed = {line.split("  ", 1)[1] for line in (desk / "SHA256SUMS").read_text().splitlines()}
    there = {n for n, (_, content) in tree(desk).items() if content is not None}
    rig.equal(there - listed, {"SHA256SUMS", "SHA256SUMS.minisig"},
              "SHA256SUMS lists every other member")
    for name, digest in given["sha256"].items():
        rig.equal(sha256(desk / "files" / digest / name), sha256(given["files"][name]),
                  f"unpacked {name}")
    modes = {mode for mode, content in tree(desk).values() if content is not None}
    rig.check(modes <= {"-rw-r--r--", "-rw-------"}, "members are plain files", modes)


def new_venv(rig, name):
    venv = rig.scratch / name
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    return venv


def installed(place):
    """The site-packages of a venv, or a --target folder."""
    found = sorted(place.glob("lib/python*/site-packages"))
    return found[0] if found else place


def check_installed(rig, given, target, place, what):
    """Every run file of the plan is there, byte for byte; nothing of another wheel is."""
    site = installed(place)
    for file in sample.PLANS[target]:
        if sample.PLANS[target][file] != "run" or not file.endswith(".whl"):
            continue
        with zipfile.ZipFile(given["files"][file]) as wheel:
            wrong = [
                n for n in wheel.namelist() if not n.endswith("/RECORD") and not (
                    (site / n).is_file() and (site / n).read_bytes() == wheel.read(n))
            ]
        rig.equal(wrong, [], f"{what}: all of {file} is installed")
    projects = {f.split("-")[0].lower() for f, use in sample.PLANS[target].items() if use == "run"}
    have = {p.name.split("-")[0].lower() for p in site.glob("*.dist-info")}
    rig.equal(have, projects, f"{what}: exactly the plan's projects")


def check_stock_pip(rig, given):
    """pip and uv without a network, out of the unpacked folder; tinybuild builds srcpure."""
    venv = new_venv(rig, "venv-stock")
    done = rig.offline("pip", "--python", venv, "install", "--no-index", "--no-deps",
                       "--require-hashes", "-r", "requirements.host.txt", cwd=given["desk"])
    if done is None:
        rig.skip("no network name space: pip could not be cut off")
        return
    rig.check(done.status == 0, "pip install -r requirements.host.txt, offline", done)
    check_installed(rig, given, "host", venv, "stock pip")
    check_pylock(rig, given)
    for target in sample.PLANS:
        place = rig.scratch / f"uv-stock-{target}"
        done = rig.offline("uv", "pip", "install", "--offline", "--no-deps",
                           "--require-hashes", "-r", f"requirements.{target}.txt",
                           *uv_target(target, place), cwd=given["desk"])
        rig.check(done.status == 0, f"uv pip install -r requirements.{target}.txt, offline", done)
        check_installed(rig, given, target, place, f"stock uv for {target}")
    done = rig.offline("pip", "--python", new_venv(rig, "venv-wrong"), "install", "--no-deps",
                       "--require-hashes", "-r", "requirements.win.txt", cwd=given["desk"])
    rig.check(done.status != 0, "another platform's list does not install here", done)


def check_pylock(rig, given):
    """A pylock has no build requirements (PEP 751): the sdist's backend is found by its folder."""
    links = [
        "--find-links", given["desk"] / "files" / given["sha256"]["tinybuild-1.0-py3-none-any.whl"]
    ]
    tail = ["--no-index", *links, "-r", "pylock.host.toml"]
    installers = {"uv": ["uv", "pip", "install", "--offline", *tail, "--python"]}
    version = rig.run("pip", "--version").out.split()
    if version and float(".".join(version[1].split(".")[:2])) >= 26.1:
        installers["pip"] = ["pip", "install", *tail, "--prefix"]
    for name, command in installers.items():
        venv = new_venv(rig, f"venv-pylock-{name}")
        done = rig.offline(*command, venv, cwd=given["desk"])
        rig.check(done.status == 0, f"{name} installs pylock.host.toml, offline", done)
        check_installed(rig, given, "host", venv, f"pylock by {name}")


def check_import(rig, given):
    store = rig.scratch / "store"
    given["store"] = store
    env = {"GPKG_BUNDLE_STORE": str(store)}
    done = rig.gpkg("import", given["bundle"], "--json", env=env)
    rig.check(done.status == 3 and done.reason() == "store" and "trust add" in done.all,
              "import before trust add is refused, and says what to do", done)
    rig.check(not store.exists(), "a refused first bundle leaves no store")
    rig.must("trust", "add", f"{given['key']}.pub", env=env)
    done = rig.gpkg("import", given["bundle"], "--json", env=env)
    rig.check(done.status == 0, "import", done)
    first = done.json()["bundles"][0]
    count = len(given["sha256"])
    rig.equal((first["known"], first["files"], first["new_files"]), (False, count, count),
              "import --json")
    before = tree(store, skip=("lock",))
    done = rig.gpkg("import", given["bundle"], "--json", env=env)
    rig.check(done.status == 0, "second import", done)
    again = done.json()["bundles"][0]
    rig.equal((again["known"], again["new_files"], again["new_bytes"]), (True, 0, 0),
              "second import changes nothing")
    rig.equal(difference(before, tree(store, skip=("lock",))), "",
              "second import leaves the store as it was")
    with open(given["bundle"], "rb") as f:
        done = rig.gpkg("import", "-", "--json", env=env, stdin=f)
    rig.check(done.status == 0, "import from standard input that is a file", done)
    check_pipe(rig, given)
    done = rig.gpkg("list", "--json", env=env)
    rig.check(done.status == 0 and all(t in done.out for t in sample.PLANS),
              "list names the targets", done)
    done = rig.gpkg("inspect", store, "--json")
    rig.equal([sorted(f["file"] for f in p["files"]) for p in done.json()["plans"]],
              [sorted(sample.PLANS[t]) for t in sorted(sample.PLANS)],
              "inspect of the store shows the same plans")


def check_pipe(rig, given):
    """From a pipe, in small pieces, into a store of its own: the same objects."""
    other = rig.scratch / "store-pipe"
    rig.must("trust", "add", f"{given['key']}.pub", "--store", other)
    child = rig.start([rig.bin / "gpkg-bundle", "import", "-", "--store", other],
                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed():
        with child.stdin, open(given["bundle"], "rb") as f:
            while piece := f.read(777):
                child.stdin.write(piece)

    feeder = threading.Thread(target=feed)
    feeder.start()
    said = child.stderr.read()
    feeder.join()
    rig.check(child.wait() == 0, "import from a pipe", said)
    child.stdout.close()
    child.stderr.close()
    rig.equal(difference(tree(given["store"] / "objects"), tree(other / "objects")), "",
              "a pipe gives the same objects as a file")


def get(url, headers=None):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {}),
                                timeout=20) as answer:
        return answer.read()


def check_serve(rig, given):
    child = rig.start(
        [rig.bin / "gpkg-bundle", "serve", "--listen", "127.0.0.1:0", "--store", given["store"]],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    base = child.stdout.readline().decode().strip().rstrip("/")
    rig.check(base.startswith("http://127.0.0.1:"), "serve prints its address", base)
    for name, digest in sorted(given["sha256"].items()):
        quoted = urllib.request.quote(name)
        rig.equal(get(f"{base}/files/{digest}/{quoted}"),
                  open(given["files"][name], "rb").read(), f"served {name}")
        if name.endswith(".whl"):
            with zipfile.ZipFile(given["files"][name]) as wheel:
                inside = [n for n in wheel.namelist() if n.endswith(".dist-info/METADATA")][0]
                rig.equal(get(f"{base}/files/{digest}/{quoted}.metadata"), wheel.read(inside),
                          f"served {name}.metadata")
    names = ["pure", "native", "host[fast]", "srcpure", "labelled"]
    venv = new_venv(rig, "venv-serve-pip")
    done = rig.run("pip", "--python", venv, "install", "--index-url", f"{base}/t/host/simple/",
                   *names)
    rig.check(done.status == 0, "pip install from serve", done)
    check_installed(rig, given, "host", venv, "pip from serve")
    for target in sample.PLANS:
        check_uv(rig, given, base, target, names if target in ("host", "other") else names[:4])
    child.terminate()
    rig.equal(child.wait(timeout=20), 0, "serve ends on SIGTERM with 0")
    child.stdout.close()


def uv_target(target, place):
    return [
        "--target", place, "--python-platform", sample.PLATFORMS[target], "--python-version",
        sample.PYTHONS[target]
    ]


def check_uv(rig, given, base, target, names):
    place = rig.scratch / f"uv-{target}"
    done = rig.run("uv", "pip", "install", "--default-index", f"{base}/t/{target}/simple/",
                   *uv_target(target, place), *names)
    rig.check(done.status == 0, f"uv pip install for {target}", done)
    check_installed(rig, given, target, place, f"uv for {target}")
    if target == "host":
        venv = new_venv(rig, "venv-serve-uv")
        done = rig.run("uv", "pip", "install", "--python", venv, "--default-index",
                       f"{base}/t/host/simple/", *names)
        rig.check(done.status == 0, "uv pip install into a venv", done)
        check_installed(rig, given, "host", venv, "uv into a venv")


def main():
    rig = Rig(sys.argv)
    given = {}
    with rig:
        for part in (make_bundle, check_plan, check_verify, check_stock_tools, check_stock_pip,
                     check_import, check_serve):
            with steps(part.__name__):
                part(rig, given)
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
