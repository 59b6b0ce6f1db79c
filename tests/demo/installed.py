#!/usr/bin/env python3
"""installed.py PLAN TARGET URL FOLDER: is FOLDER (site-packages) made of the files that the plan names?

PLAN is `gpkg-bundle inspect --json` of the store, URL the mirror. For each project that TARGET runs, the wheel
is fetched by its sha256, and every member of it must lie in FOLDER with the same bytes; what an installer puts
elsewhere (scripts, data) or writes anew (RECORD) is left out. Of an sdist that the installer had to compile
itself only name and version are known. Nothing else may be installed but pip and setuptools, which a venv
may have from its birth."""
import hashlib
import json
import os
import re
import sys
import urllib.parse
import urllib.request
import zipfile
from io import BytesIO


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def planned(plan_path, target):
    """{project: its file}: the wheel where there is one, also one that was compiled here."""
    with open(plan_path) as f:
        plan = json.load(f)
    project = {f["file"]: normal(f["name"]) for f in plan["distinct_files"]}
    files = {}
    for f in next(p for p in plan["plans"] if p["machine"]["name"] == target)["files"]:
        if "run" in f["use"] or f["use"] == "built here":
            name = project[f["file"]]
            if name not in files or f["file"].endswith(".whl"):
                files[name] = f
    return files


def present(folder):
    """{project: (version, dist-info folder)}"""
    found = {}
    for entry in os.listdir(folder):
        if entry.endswith(".dist-info"):
            name, version = entry[: -len(".dist-info")].split("-", 1)
            found[normal(name)] = (version, entry)
    return found


def fetch(url, f):
    address = f"{url}/files/{f['sha256']}/{urllib.parse.quote(f['file'])}"
    with urllib.request.urlopen(address, timeout=60) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != f["sha256"]:
        sys.exit(f"{f['file']}: served with other bytes than the plan's")
    return data


def differences(wheel, folder):
    """Members that an installer copies as they are, and that are not so in the folder."""
    same, wrong = 0, []
    for member in wheel.infolist():
        name = member.filename
        if member.is_dir() or name.split("/")[0].endswith(".data") or name.endswith(".dist-info/RECORD"):
            continue
        path = os.path.join(folder, name)
        if os.path.isfile(path) and open(path, "rb").read() == wheel.read(member):
            same += 1
        else:
            wrong.append(name)
    return same, wrong


def main(plan_path, target, url, folder):
    files, dists = planned(plan_path, target), present(folder)
    wrong = [f"{name} is not installed" for name in sorted(files.keys() - dists.keys())]
    wrong += [f"{name} is installed and not planned" for name in sorted(dists.keys() - files.keys() - {"pip", "setuptools"})]
    wheels = compiled = same = 0
    for name in sorted(files.keys() & dists.keys()):
        f = files[name]
        if not f["file"].endswith(".whl"):
            compiled += 1
            version = f["file"].removesuffix(".tar.gz").rsplit("-", 1)[1]
            if dists[name][0] != version:
                wrong.append(f"{name} is {dists[name][0]}, the plan says {version}")
            continue
        wheels += 1
        ok, other = differences(zipfile.ZipFile(BytesIO(fetch(url, f))), folder)
        same += ok
        wrong += [f"{f['file']}: {member} is not as in the wheel" for member in other[:5]]
    for line in wrong:
        print(f"{target}: {line}")
    if wrong:
        return 1
    built = f", and {compiled} compiled from the sdist" if compiled else ""
    print(f"{target}: exactly the {wheels} wheels of the plan ({same} files compared){built}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
