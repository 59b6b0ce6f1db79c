#!/usr/bin/env python3
"""published.py PLAN OUT: asks the index itself for the sha256 of each file of a bundle.

PLAN is `gpkg-bundle inspect --json` of the bundle. OUT gets a line "SHA256  FILE" for each of its files. The
index is the one that pip is configured with, so this runs with a Python that has pip. An OUT that has all
the files already is kept."""
import html
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.2"


def index_url():
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"]
    for key in ("install.index-url", "global.index-url"):
        asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", key], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.strip():
            return asked.stdout.strip()
    from pip._internal.models.index import PyPI

    return PyPI.simple_url


def page(url):
    """{file name: sha256} of a project's page, in either of its two forms."""
    request = urllib.request.Request(url, headers={"Accept": ACCEPT})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
        if "json" in answer.headers.get_content_type():
            return {f["filename"]: f["hashes"].get("sha256") for f in json.loads(text)["files"]}
    links = [html.unescape(link) for link in re.findall(r'href\s*=\s*["\']([^"\']*)', text)]
    found = [re.fullmatch(r"(?:.*/)?([^/#?]+)#sha256=([0-9a-f]{64})", link) for link in links]
    return {urllib.parse.unquote(m[1]): m[2] for m in found if m}


def main(plan_path, out_path):
    with open(plan_path) as f:
        files = {f["file"]: f for f in json.load(f)["distinct_files"]}
    known = {}
    if os.path.exists(out_path):
        with open(out_path) as f:
            known = {name: sha for sha, name in (line.rstrip("\n").split("  ", 1) for line in f)}
    base = None if known.keys() == files.keys() else index_url().rstrip("/")
    if base:
        pages = {f["name"]: None for f in files.values()}
        for project in pages:
            pages[project] = page(f"{base}/{project}/")
        known = {name: pages[f["name"]].get(name) for name, f in files.items()}
    wrong = [name for name, f in files.items() if known[name] != f["sha256"]]
    for name in wrong:
        print(f"{name}: the index publishes {known[name]}, the plan has {files[name]['sha256']}")
    if wrong:
        return 1
    with open(out_path, "w") as f:
        f.writelines(f"{known[name]}  {name}\n" for name in sorted(known))
    print(f"{len(known)} files: the plan's sha256 is what the index publishes, for each.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
