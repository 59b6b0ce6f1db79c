#!/usr/bin/env python3
"""The locks that other tools write, made here by the real tools against an index on loopback, become
bundles with the very files that the native lock gives.

    foreign_locks.py BIN_DIR
"""

import sys

import sample
from rig import Rig, lock, steps, tree

PROJECT = """\
[project]
name = "app"
version = "0"
requires-python = ">=3.11"
dependencies = ["pure==1.0", "native==2.1", "host[fast]==1.0", "mixed-case"]
"""
WANTED = "pure==1.0\nnative==2.1\nhost[fast]==1.0\nmixed-case\n"
TARGETS = ["host", "other", "win"]


def expected(target):
    """sample.py's plan without what this project does not ask for."""
    return {
        f for f in sample.PLANS[target]
        if not f.startswith(("srcpure", "tinybuild", "labelled"))
    }


def write_locks(rig, simple, uv):
    """{what: path} of every form that can be made here."""
    folder, env = rig.folder("project"), {"UV_DEFAULT_INDEX": simple}
    (folder / "pyproject.toml").write_text(PROJECT)
    wanted = folder / "wanted.in"
    wanted.write_text(WANTED)
    made = {
        "uv.lock": [uv, "lock"],
        "pylock.toml": [uv, "export", "--no-emit-project", "-o", "pylock.toml"],
        "exported.txt": [uv, "export", "--no-emit-project", "-o", "exported.txt"],
        "compiled.txt": [uv, "pip", "compile", "--universal", "--generate-hashes", "wanted.in", "-o",
                         "compiled.txt"],
        "pylock.compiled.toml": [uv, "pip", "compile", "--universal", "wanted.in", "-o",
                                 "pylock.compiled.toml"],
    }
    locks = {}
    for name, command in made.items():
        done = rig.run(*command, env=env, cwd=folder)
        if rig.check(done.status == 0, f"uv makes {name}", done):
            locks[name] = folder / name
    return locks


def plans(rig, bundle, key):
    answer = rig.must("inspect", bundle, "--pub", f"{key}.pub", "--json").json()
    return {
        t["name"]: {f["file"] for f in p["files"]}
        for t, p in zip(answer["targets"], answer["plans"])
    }


def check_lock(rig, name, path, targets, index, key):
    bundle = rig.scratch / f"{name}.tar.zst"
    before = tree(path.parent)
    done = rig.create(path, bundle, "--targets", targets, index=index.simple, key=key,
                      cache=rig.scratch / "cache")
    if rig.check(done.status == 0, f"create {name}", done):
        for target, files in plans(rig, bundle, key).items():
            rig.equal(sorted(files), sorted(expected(target)), f"{name}: files of {target}")
    rig.equal(tree(path.parent), before, f"{name}: the user's lock is not touched")
    done = rig.create(path, bundle, index=index.simple, key=key, cache=rig.scratch / "cache")
    rig.check(done.status == 2 and "--targets" in done.err, f"{name} asks for its targets", done)


def check_mirror_gone(rig, path, targets, key):
    """A uv.lock names its files: with them in the cache, no index is asked at all."""
    done = rig.create(path, rig.scratch / "again.tar.zst", "--targets", targets,
                      index="http://127.0.0.1:9/simple", key=key, cache=rig.scratch / "cache")
    rig.check(done.status == 0, "uv.lock needs no index once its files are there", done)


def check_wrong_hash(rig, targets, index, key):
    """A requirements.txt whose hashes fit nothing on the index is a hole, not a choice."""
    wrong = rig.scratch / "wrong.txt"
    wrong.write_text("pure==1.0 --hash=sha256:" + "0" * 64 + "\n")
    done = rig.create(wrong, rig.scratch / "w.tar.zst", "--targets", targets, index=index.simple,
                      key=key, cache=rig.scratch / "cache")
    rig.check(done.status == 1 and "sha256 the lock allows" in done.err,
              "hashes that fit nothing", done)
    rig.check(not (rig.scratch / "w.tar.zst").exists(), "and nothing is written")


def main():
    with Rig(sys.argv) as rig:
        uv = rig.tool("uv")
        if not uv:
            rig.skip("no uv")
            return rig.finish()
        sample.make_files(rig.folder("packages"))
        key = rig.key()
        targets = lock(rig.scratch / "targets.toml",
                       *[t for t in sample.TARGETS if any(f'"{n}"' in t for n in TARGETS)])
        with rig.index(rig.folder("packages"), "--metadata") as index:
            locks = write_locks(rig, index.simple, uv)
            for name, path in locks.items():
                with steps(name):
                    check_lock(rig, name, path, targets, index, key)
            check_wrong_hash(rig, targets, index, key)
        check_mirror_gone(rig, locks["uv.lock"], targets, key)
        return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
