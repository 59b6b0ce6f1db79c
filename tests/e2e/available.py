#!/usr/bin/env python3
"""The verbs `sources` and `available`, against the sites of sources.py.

    available.py BIN_DIR
"""

import sys

import sources
from rig import Rig, steps
from source_site import Site, make_certificate

WIDE = """[[sources]]
name = "project"
package = "flash-attn"
type = "github"
repo = "Dao-AILab/flash-attention"
description = "its own project"

[[sources]]
name = "prebuild"
package = "flash-attn"
type = "github"
repo = "mjun/prebuild"

[[sources]]
name = "scatter"
package = "torch-scatter"
type = "find-links"
url_template = "{url}/pyg/whl/torch-{{torch}}+cu{{cuda}}.html"
torch_format = "pyg"

[[sources]]
name = "torch-3"
package = "flash-attn-3"
type = "find-links"
url_template = "{url}/wind/cu{{cuda}}_torch{{torch}}/"
torch_format = "packed"

[[sources]]
name = "conv"
package = "causal-conv1d"
type = "github"
repo = "Dao-AILab/causal-conv1d"

[[sources]]
name = "gone"
package = "flash-attn"
type = "index"
url_template = "https://localhost:9/simple"
"""


def make_prebuild(site):
    files = []
    for torch, cudas in [("2.13", (130,)), ("2.10", (126, 128, 130)), ("2.9", (126, 128))]:
        for cuda in cudas:
            for python in ("cp310-cp310", "cp311-cp311", "cp312-cp312", "cp314-cp314", "cp314-cp314t"):
                for platform in ("linux_x86_64", "manylinux_2_34_aarch64", "win_amd64"):
                    files.append(site.absolute(f"flash_attn-2.8.3+cu{cuda}torch{torch}-{python}-{platform}.whl", "pre"))
    site.releases("mjun/prebuild", [("v0.9.0", files, {})])
    return len(files)


def check_available(field):
    rig, site = field.rig, field.site
    count = make_prebuild(site)
    sources.make_scatter(site)
    path = rig.scratch / "wide.toml"
    path.write_text(WIDE.format(url=site.url))

    def available(*words, env=None):
        return rig.gpkg("available", *words, "--registry", path, "--cache", field.cache, env={**field.env, **(env or {})})

    done = available("Flash_Attn")
    rig.check(done.status == 0 and max(map(len, done.out.splitlines())) <= 100, "a table of at most 100 columns", done)
    rig.check("gone gives no answer" in done.err, "who did not answer is said", done)
    rows = {tuple(line.split()[:3]) for line in done.out.splitlines()}
    rig.check({("2.13", "13.0", "-"), ("2.10", "12.8", "-"), ("2.6", "12", "TRUE"), ("2.6", "12", "FALSE")} <= rows,
              "a row for each torch, CUDA and C++ ABI", done)
    done = available("flash-attn", "--json")
    found = done.json()
    by_source = {s: sum(f["source"] == s for f in found) for s in ("project", "prebuild", "index", "gone")}
    rig.equal(by_source, {"project": len(sources.DAO_283) + 2, "prebuild": count, "index": 1, "gone": 0}, "files of each source")
    one = next(f for f in found if f["file"] == sources.DAO_283[0])
    rig.equal({k: one[k] for k in ("version", "cuda", "torch", "python", "abi", "platform", "source", "cxx11_abi")},
              {"version": "2.8.3+cu12torch2.8cxx11abitrue", "cuda": "12", "torch": "2.8", "python": "cp312",
               "abi": "cp312", "platform": "linux_x86_64", "source": "project", "cxx11_abi": True}, "a file")
    rig.check(one["url"].endswith("linux_x86_64.whl") and len(one["sha256"]) == 64, "its URL and sha256", one)
    done = available("flash-attn", "--json", "--source", "project", "--python", "3.10")
    rig.equal([f["file"] for f in done.json()], [sources.DAO_283[5]], "one source, one Python")
    done = available("flash-attn", "--json", "--source", "prebuild", "--platform", "linux_aarch64")
    rig.equal({f["platform"] for f in done.json()}, {"manylinux_2_34_aarch64"}, "one platform")
    done = available("causal-conv1d")
    rig.check(done.status == 0 and "25.04" in done.out, "a container's torch is shown", done)
    done = available("torch-scatter", "--json", "--source", "scatter")
    rig.equal({f["torch"] for f in done.json()} >= {"2.8", "2.9", "2.11"}, True, "pages for each pair are asked for")
    rig.check("torch 2." in done.err, "and which is said", done)
    done = available("nobody-has-this")
    rig.check(done.status == 1 and "no source" in done.out, "what nobody has", done)
    done = available("flash-attn", "--source", "gone")
    rig.check(done.status == 3 and "none of 1 places answers" in done.err, "nobody answers", done)
    done = available("flash-attn", "--source", "none-such")
    rig.check(done.status == 2 and "no such source" in done.err, "no such source", done)
    done = available("flash-attn", "--python", "2.7")
    rig.check(done.status != 0 and "--python" in done.err, "an impossible Python", done)


def check_sources(field):
    rig = field.rig
    secret = "ghp_secret0123456789"
    done = rig.gpkg("sources", "--json", env={"GITHUB_TOKEN": secret})
    rows = {s["name"]: s for s in done.json()["sources"]}
    rig.check(done.status == 0 and secret not in done.all, "no secret is shown", done)
    rig.equal(rows["mamba"]["credential"], "the token in GITHUB_TOKEN", "the variable's name is")
    rig.equal([rows[n]["kind"] for n in ("mamba", "natten", "pytorch", "cuda-wheels-manifest")],
              ["github", "links", "index", "manifest"], "kinds")
    done = rig.gpkg("sources")
    rig.check(done.status == 0 and max(map(len, done.out.splitlines())) <= 160, "in words", done)
    rig.check("any package" in done.out and "natten" in done.out and "asked with" not in done.out, "in words", done)


def main():
    rig = Rig(sys.argv)
    with rig:
        tls = make_certificate(rig)
        if not tls:
            rig.skip("no openssl program")
            return rig.finish()
        site = Site(rig, tls)
        sources.make_index(site)
        sources.make_releases(site)
        field = sources.Field(rig, site)
        for step in (check_available, check_sources):
            with steps(step.__name__):
                step(field)
        site.close()
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
