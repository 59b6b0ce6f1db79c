#!/usr/bin/env python3
"""Packages from places besides the index: a lock's [source.<package>] and the registry, against sites that
answer as the publishers of GPU wheels do.

    sources.py BIN_DIR
"""

import json
import sys
import urllib.parse

from rig import Rig, lock, sha256, steps
from source_site import Site, anchors, make_certificate, page

LINUX = 'glibc = "2.35"\n'


def machine(torch, python="3.12", platform="linux_x86_64", more=""):
    libc = LINUX if platform.startswith("linux") else ""
    return (f'[[target]]\nname = "t"\npython = "{python}"\nplatform = "{platform}"\n{libc}'
            f'torch = "{torch}"\n{more}')


def source(package, **fields):
    rows = "".join(f'{k.replace("_", "-")} = "{v}"\n' for k, v in fields.items())
    return f"[source.{package}]\n{rows}"


def want(package, version=None):
    return f'[[package]]\nname = "{package}"\n' + (f'version = "{version}"\n' if version else "")


class Field:
    """The sites, and an index that has higher versions of everything."""

    def __init__(self, rig, site):
        self.rig, self.site, self.count = rig, site, 0
        self.env = {**site.env, "PIP_INDEX_URL": site.url + "/simple",
                    "GPKG_BUNDLE_GITHUB_API": site.url + "/api/"}
        self.cache = rig.scratch / "cache"

    def resolve(self, *parts, options=(), env=None, cache=None):
        self.count += 1
        path = lock(self.rig.scratch / f"lock-{self.count}.toml", *parts)
        return self.rig.gpkg("resolve", path, "--json", "--trust-first-use", "--cache",
                             cache or self.cache, *options, env={**self.env, **(env or {})})

    def chosen(self, what, target, package, source_table, file, version=None, **more):
        """The one file that the plan must have."""
        done = self.resolve(target, source_table, want(package, version), **more)
        if self.rig.check(done.status == 0, f"{what}: resolves", done):
            files = [f["file"] for f in done.json()["targets"][0]["files"] if f["name"] == package]
            self.rig.equal(files, [file], what)
        return done

    def refused(self, what, target, package, source_table, *texts, version=None, **more):
        done = self.resolve(target, source_table, want(package, version), **more)
        self.rig.check(done.status == 1 and all(t in done.all for t in texts), f"{what}: says {texts}", done)
        return done


# ---- the index: somebody else's files under the same names ----


def make_index(site):
    for project in ("flash-attn", "natten", "cumm", "torch-scatter", "flash-attn-3", "causal-conv1d", "mamba-ssm"):
        fake = site.wheel(f"{project} 99.0", "index")
        site.put(f"/simple/{project}/", page([fake], f"Links for {project}"))


# ---- releases ----

DAO = "flash_attn-2.8.3+cu12torch{}-linux_{}.whl"
DAO_283 = [DAO.format("2.8cxx11abiTRUE-cp312-cp312", "x86_64"), DAO.format("2.9cxx11abiTRUE-cp312-cp312", "x86_64"),
           DAO.format("2.8cxx11abiFALSE-cp312-cp312", "x86_64"), DAO.format("2.6cxx11abiTRUE-cp312-cp312", "x86_64"),
           DAO.format("2.6cxx11abiFALSE-cp312-cp312", "x86_64"),
           DAO.format("2.4cxx11abiFALSE-cp310-cp310", "x86_64"), DAO.format("2.9cxx11abiTRUE-cp312-cp312", "aarch64")]
CONV = [("v1.7.0", ["causal_conv1d-1.7.0+cu12torch2.10cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"]),
        ("v1.6.2.post1", ["causal_conv1d-1.6.2.post1+cu12torch2.10cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"]),
        ("v1.6.1.post4", ["causal_conv1d-1.6.1+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
                          "causal_conv1d-1.6.1+cu13torch2.10cxx11abiTRUE-cp313-cp313-linux_x86_64.whl"]),
        ("v1.5.3.post2", ["causal_conv1d-1.5.3.post1+cu12torch25.04cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"]),
        ("v1.4.0", ["causal_conv1d-1.4.0+cu122torch2.4cxx11abiFALSE-cp311-cp311-linux_x86_64.whl"])]
MAMBA = [("v2.3.1", ["mamba_ssm-2.3.1+cu13torch2.10cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"]),
         ("v2.2.4", ["mamba_ssm-2.2.4+cu12torch2.5cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
                     "mamba_ssm-2.2.4+cu11torch2.4cxx11abiFALSE-cp310-cp310-linux_x86_64.whl"]),
         ("v2.2.2", ["mamba_ssm-2.2.2+cu122torch2.4cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
                     "mamba_ssm-2.2.2+cu118torch2.3cxx11abiFALSE-cp310-cp310-linux_x86_64.whl"])]


def make_releases(site):
    betas = [(f"fa4-v4.0.0.beta{n}", [site.wheel(f"flash-attn-4 4.0.0b{n}", f"beta{n}")], {"prerelease": True})
             for n in range(12, 0, -1)]
    draft = site.absolute(DAO.format("2.8cxx11abiTRUE-cp312-cp312", "x86_64").replace("2.8.3", "2.9.9"), "draft")
    half = site.absolute(DAO.format("2.8cxx11abiTRUE-cp312-cp312", "x86_64").replace("2.8.3", "2.9.8"), "half")
    half["state"] = "starter"
    rest = [("v2.9.9", [draft], {"draft": True}), ("v2.9.8", [half], {}),
            ("v2.8.3", [site.absolute(f, "v2.8.3") for f in DAO_283], {}),
            ("v2.8.1", [site.absolute(f.replace("2.8.3", "2.8.1"), "v2.8.1") for f in DAO_283[:2]], {})]
    site.releases("Dao-AILab/flash-attention", betas + rest, size=6)
    site.releases("Dao-AILab/causal-conv1d", [(t, [site.absolute(f, t) for f in files], {}) for t, files in CONV])
    site.releases("state-spaces/mamba", [(t, [site.absolute(f, t) for f in files], {}) for t, files in MAMBA],
                  digests=False)


NGC = "2.7.0a0+79aa17489c.nv25.04"
RELEASES = [  # repository, package, target, the file that its plan has
    ("Dao-AILab/flash-attention", "flash-attn", machine("2.8.0+cu128"), DAO_283[0]),
    ("Dao-AILab/flash-attention", "flash-attn", machine("2.9.1+cu128"), DAO_283[1]),
    ("Dao-AILab/flash-attention", "flash-attn", machine("2.6.0+cu124", more="cxx11_abi = false\n"), DAO_283[4]),
    ("Dao-AILab/flash-attention", "flash-attn", machine("2.4.1+cu124", "3.10"), DAO_283[5]),
    ("Dao-AILab/flash-attention", "flash-attn", machine("2.9.0+cu126", platform="linux_aarch64"), DAO_283[6]),
    ("Dao-AILab/causal-conv1d", "causal-conv1d", machine("2.8.0+cu128"), CONV[2][1][0]),
    ("Dao-AILab/causal-conv1d", "causal-conv1d", machine("2.10.0+cu128"), CONV[0][1][0]),
    ("Dao-AILab/causal-conv1d", "causal-conv1d", machine("2.10.0+cu130", "3.13"), CONV[2][1][1]),
    ("Dao-AILab/causal-conv1d", "causal-conv1d", machine(NGC, more='cuda = "12.9"\n'), CONV[3][1][0]),
    ("Dao-AILab/causal-conv1d", "causal-conv1d", machine("2.4.0", "3.11", more='cuda = "12.2"\ncxx11_abi = false\n'),
     CONV[4][1][0]),
    ("state-spaces/mamba", "mamba-ssm", machine("2.10.0+cu130"), MAMBA[0][1][0]),
    ("state-spaces/mamba", "mamba-ssm", machine("2.5.1+cu124", "3.11"), MAMBA[1][1][0]),
    ("state-spaces/mamba", "mamba-ssm", machine("2.3.1+cu118", "3.10"), MAMBA[2][1][1]),
]


def check_releases(field):
    rig, site = field.rig, field.site
    for repository, package, target, file in RELEASES:
        field.chosen(f"releases of {repository}: {file}", target, package, source(package, github=repository), file)
    rig.check(site.asked("flash-attention/releases?per_page=100&page=3"), "every page of releases is read")
    first = len(site.asked("flash-attention/releases?per_page=100"))
    rig.equal(first, 3, "the pages are kept: one request each for all these plans")
    source_table = source("flash-attn", github="Dao-AILab/flash-attention")
    done = field.refused("a torch that has no wheel", machine("2.7.1+cu128"), "flash-attn", source_table,
                         "flash-attn", "torch 2.", "2.7.1")
    rig.check("99.0" not in done.all, "and the index's is not mentioned", done)
    field.refused("a version that only the index has", machine("2.8.0+cu128"), "flash-attn", source_table,
                  "flash-attn", "2.8.3", version=">=90")
    field.refused("no such repository", machine("2.8.0+cu128"), "flash-attn",
                  source("flash-attn", github="nobody/nothing"), "the source flash-attn has no page",
                  "/api/repos/nobody/nothing/releases", "is not there")


def check_wrong_releases(field):
    """A list that goes round, leads away, or is none."""
    site = field.site
    one = site.absolute(DAO_283[0], "wrong")
    rows = [("round", '<{here}>; rel="next"', "go round in a circle"),
            ("away", '<https://example.org/x?page=2>; rel="next"', "goes on at another host"),
            ("plain", '<http://localhost:1/x?page=2>; rel="next"', "goes on at another host")]
    for name, link, text in rows:
        first = site.releases(f"owner/{name}", [("v1", [one], {})])
        status, headers, body = site.pages[first]
        headers["Link"] = link.format(here=site.url + first)
        done = field.resolve(machine("2.8.0+cu128"), source("flash-attn", github=f"owner/{name}"), want("flash-attn"))
        field.rig.check(done.status != 0 and text in done.all, f"releases that go {name}: {text}", done)
    first = site.releases("owner/cut", [("v1", [one], {}), ("v0", [one], {})], size=1)
    del site.pages[first + "&page=2"]
    done = field.resolve(machine("2.8.0+cu128"), source("flash-attn", github="owner/cut"), want("flash-attn"))
    field.rig.check(done.status != 0 and "page 2 of the list is not there" in done.all, "a list that is cut off", done)
    for name, body, text in [("text", "[", "releases?per_page=100"), ("object", '{"message": "no"}', "no list of releases"),
                             ("asset", '[{"assets": [{}]}]', "assets[0]"),
                             ("digest", '[{"assets": [{"browser_download_url": "x-1-py3-none-any.whl", '
                              '"digest": "sha256:zz"}]}]', "digest")]:
        site.put(f"/api/repos/wrong/{name}/releases?per_page=100", body, "application/json")
        done = field.resolve(machine("2.8.0+cu128"), source("flash-attn", github=f"wrong/{name}"), want("flash-attn"))
        field.rig.check(done.status != 0 and text in done.all, f"releases that are wrong, {name}: {text}", done)
    site.put("/api/repos/busy/busy/releases?per_page=100", '{"message": "API rate limit exceeded"}',
             "application/json", status=403, X_RateLimit_Remaining="0", X_RateLimit_Reset="4102444800")
    done = field.resolve(machine("2.8.0+cu128"), source("flash-attn", github="busy/busy"), want("flash-attn"))
    field.rig.check(done.status != 0 and "takes no more requests until 2100-01-01" in done.all, "a rate limit", done)


MJUN = "flash_attn-2.8.3+cu128torch2.9-cp312-cp312-linux_x86_64.whl"


def check_twins(field):
    """One name in several releases: the same bytes are one file, others are a question."""
    rig, site = field.rig, field.site
    new, old = site.absolute(MJUN, "v0.9.0"), site.absolute(MJUN, "v0.4.15")
    same = dict(new, url=site.url + "/files/copy/" + urllib.parse.quote(MJUN))
    site.put("/files/copy/" + MJUN, site.pages["/files/v0.9.0/" + MJUN][2], "application/octet-stream")
    site.releases("copies/prebuild", [("v0.9.0", [new], {}), ("v0.8", [same], {})])
    field.chosen("copies of one file", machine("2.9.1+cu128"), "flash-attn",
                 source("flash-attn", github="copies/prebuild", names="minor"), MJUN)
    site.releases("twins/prebuild", [("v0.9.0", [new], {}), ("v0.4.15", [old], {})])
    done = field.resolve(machine("2.9.1+cu128"), source("flash-attn", github="twins/prebuild", names="minor"),
                         want("flash-attn"))
    rig.check(done.status == 1 and done.reason() == "ambiguous" and "v0.9.0" in done.all and "v0.4.15" in done.all,
              "two files of one name: both are named", done)
    lock_row = f'[[package]]\nname = "flash-attn"\nurl = "{old["url"]}"\n'
    done = field.resolve(machine("2.9.1+cu128"), source("flash-attn", github="twins/prebuild"), lock_row)
    rig.check(done.status == 0 and done.json()["targets"][0]["files"][0]["sha256"] in (None, old["sha256"]),
              "the one that the lock names by its URL", done)


# ---- pages ----

NATTEN = ["natten-0.21.6+torch2110cu130-cp312-cp312-linux_x86_64.whl",
          "natten-0.21.6+torch2120cu132-cp313-cp313t-linux_x86_64.whl",
          "natten-0.21.1+torch280cu129-cp313-cp313t-linux_x86_64.whl",
          "natten-0.21.0+torch270cu128-cp312-cp312-linux_x86_64.whl",
          "natten-0.17.5+torch260cpu-cp310-cp310-linux_x86_64.whl",
          "natten-0.17.5+torch210cu121-cp310-cp310-linux_x86_64.whl"]
COSMOS = ["natten-0.21.0+cu128.torch27-cp312-cp312-linux_x86_64.whl",
          "natten-0.21.0+cu126.torch260-cp310-cp310-linux_x86_64.whl",
          "natten-0.21.6+cu130.torch213-cp313-cp313-linux_aarch64.whl",
          "natten-0.21.6.dev6+cu128.torch210-cp313-cp313-linux_x86_64.whl"]
WIND = "flash_attn_3-3.0.0+2026{}.cu128torch2110cxx11abi{}.{}-cp39-abi3-{}.whl"


def check_natten(field):
    """The text of a link names folders, its href the file; one page for everything."""
    site = field.site
    files = [site.absolute(f, "natten") for f in NATTEN]
    other = site.absolute("unrelated-9.0-py3-none-any.whl", "natten")
    site.put("/natten/", page(files + [other], line='<a href="{url}">cu130/torch2.11.0/{name}</a><br>'))
    table = source("natten", links=site.url + "/natten/", names="full")
    for target, file in [(machine("2.11.0+cu130"), NATTEN[0]), (machine("2.12.0+cu132", "3.13t"), NATTEN[1]),
                         (machine("2.7.0+cu128"), NATTEN[3]), (machine("2.6.0+cpu", "3.10"), NATTEN[4]),
                         (machine("2.1.0+cu121", "3.10"), NATTEN[5])]:
        field.chosen(f"one page: {file}", target, "natten", table, file)
    field.refused("a free-threaded wheel alone", machine("2.8.0+cu129", "3.13"), "natten", table, "cp313t")
    field.refused("torch210 is 2.1.0 here", machine("2.10.0+cu121", "3.10"), "natten", table, "torch 2.1")


def check_cosmos(field):
    """Single quotes, upper case, a digest in the fragment, another base."""
    site = field.site
    files = [dict(site.absolute(f, "cosmos"), base="files/cosmos/" + urllib.parse.quote(f)) for f in COSMOS]
    text = f"<HTML><HEAD><BASE HREF='{site.url}/'><TITLE>Simple index</TITLE></HEAD><BODY>\n"
    text += anchors(files, "<A class=x HREF='{base}?sig=a%2Bb#sha256={sha256}' data-x>{name}</A>")
    for f in files:  # the query belongs to the file's address
        site.pages[f"/{f['base']}?sig=a%2Bb"] = site.pages[f"/files/cosmos/{f['name']}"]
    site.put("/cosmos/simple/natten/", text + "</BODY></HTML>")
    table = source("natten", index=site.url + "/cosmos/simple/", names="minor")
    done = field.chosen("an index with quotes of its own", machine("2.7.1+cu128"), "natten", table, COSMOS[0])
    if done.status == 0:
        chosen = done.json()["targets"][0]["files"][0]
        field.rig.equal((chosen["sha256"], chosen["url"]),
                        (files[0]["sha256"], f"{site.url}/{files[0]['base']}?sig=a%2Bb"), "its digest and its query")
    field.chosen("torch213", machine("2.13.0+cu130", "3.13", "linux_aarch64"), "natten", table, COSMOS[2])
    field.chosen("torch260 there, too", machine("2.6.0+cu126", "3.10"), "natten", table, COSMOS[1])
    field.chosen("a pre-release where there is nothing else", machine("2.10.0+cu128", "3.13"), "natten", table,
                 COSMOS[3])
    field.refused("a digit string of two readings", machine("2.10.0+cu128", "3.13"), "natten",
                  source("natten", index=site.url + "/cosmos/simple/"), "torch")
    field.refused("a project that the index lacks", machine("2.10.0+cu128"), "mamba-ssm",
                  source("mamba-ssm", index=site.url + "/cosmos/simple/"), "/cosmos/simple/mamba-ssm/ is not there")


def check_windreamer(field):
    """The pair of CUDA and torch in the page's name; newest by date; the C++ ABI counts."""
    site = field.site
    names = [WIND.format("0330", "true", "98024f", "linux_x86_64"), WIND.format("0318", "true", "8afc61", "linux_x86_64"),
             WIND.format("0401", "false", "c9a560", "linux_x86_64"), WIND.format("0427", "true", "c9a560", "win_amd64")]
    names += ["flash_attn_3-3.0.0b1+20261230.cu128torch2110cxx11abitrue.58fe37-cp39-abi3-linux_x86_64.whl"]
    site.put("/wind/cu128_torch2110/", page([site.absolute(f, "wind") for f in names]))
    table = source("flash-attn-3", links=site.url + "/wind/cu{cuda}_torch{torch}/", torch_style="packed", names="full")
    field.chosen("the newest date", machine("2.11.0+cu128"), "flash-attn-3", table, names[0])
    field.chosen("Windows", machine("2.11.0+cu128", platform="win_amd64"), "flash-attn-3", table, names[3])
    field.refused("a page that is not there", machine("2.12.0+cu130"), "flash-attn-3", table,
                  "/wind/cu130_torch2120/ is not there")
    field.refused("no CUDA at all", machine("2.11.0+cpu"), "flash-attn-3", table, "for CUDA alone")


REGISTRY = '''[[sources]]
package = "torch-scatter"
type = "find-links"
url_template = "{url}/pyg/whl/torch-{{torch}}+cu{{cuda}}.html"
wheel_name = "torch_scatter-{{version}}+pt{{torch}}cu{{cuda}}-{{pytag}}-{{platform}}.whl"
torch_format = "pyg"
description = "pages that are copies"
'''
SCATTER = "torch_scatter-2.1.2+pt{}cu{}-cp312-cp312-linux_x86_64.whl"


def make_scatter(site):
    for torch, file in [("2.9.0", SCATTER.format(29, 128)), ("2.8.0", SCATTER.format(28, 128)),
                        ("2.11.0", SCATTER.format(211, 130))]:
        files = [site.absolute(file, "pyg"), site.absolute("torch_scatter-2.0.9-cp312-cp312-linux_x86_64.whl", "pyg")]
        cuda = file.partition("cu")[2][:3]
        site.put(f"/pyg/whl/torch-{torch}+cu{cuda}.html", page(files, line='<a href="{url}">{name}</a><br/>'))
    site.pages["/pyg/whl/torch-2.9.1+cu128.html"] = site.pages["/pyg/whl/torch-2.9.0+cu128.html"]


def check_registry(field):
    """PyG's pages, named by a registry of gpkg's."""
    rig, site = field.rig, field.site
    path = rig.scratch / "registry.toml"
    path.write_text(REGISTRY.format(url=site.url))
    make_scatter(site)
    done = rig.gpkg("sources", "--registry", path, "--json")
    if not rig.check(done.status == 0, "sources of a registry", done):
        return
    row = done.json()["sources"][0]
    rig.equal((row["kind"], row["packages"]), ("links", ["torch-scatter"]), "its row")
    table = source("torch-scatter", **{"from": row["name"]})
    options = ["--registry", path]
    field.chosen("a page of its own", machine("2.9.0+cu128"), "torch-scatter", table, SCATTER.format(29, 128),
                 options=options)
    field.chosen("a copy", machine("2.9.1+cu128"), "torch-scatter", table, SCATTER.format(29, 128), options=options)
    field.chosen("a patch release without a page", machine("2.8.1+cu128"), "torch-scatter", table,
                 SCATTER.format(28, 128), options=options)
    for variable in ("GPKG_BUNDLE_REGISTRY", "UVFORGE_REGISTRY"):
        field.chosen(f"pt211, {variable}", machine("2.11.0+cu130"), "torch-scatter", table, SCATTER.format(211, 130),
                     env={variable: str(path)})
    field.refused("no page", machine("2.10.0+cu128"), "torch-scatter", table, "torch-2.10.0+cu128.html is not there",
                  options=options)
    path.write_text(path.read_text().replace('package = "torch-scatter"\n', ""))
    done = rig.gpkg("sources", "--registry", path)
    rig.check(done.status == 2 and "registry.toml: line " in done.err, "a registry without a package", done)


CUMM = ["cumm-0.8.2+cu128torch2.11-cp312-cp312-manylinux_2_24_aarch64.manylinux_2_28_aarch64.whl",
        "cubvh-0.1.2+cu128torch2.8-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        "vox2seq-0.0.0+cu128torch2.8-cp312-cp312-win_amd64.whl"]


def check_manifest(field):
    """packages.json: digests before any download; of torch-free packages the label's torch means nothing."""
    site = field.site
    made = [site.absolute(f, "forge") for f in CUMM]

    def wheels(file):
        return [{"filename": "a-name-that-lies-1-py3-none-any.whl", "url": file["url"], "sha256": file["sha256"],
                 "cuda": "12.8", "python": None}]

    packages = {"cumm": {"torch_free": True, "wheels": wheels(made[0])}, "cubvh": {"wheels": wheels(made[1])},
                "vox2seq": {"torch_free": False, "wheels": wheels(made[2])}}
    site.put("/forge/packages.json", json.dumps({"schema": 1, "packages": packages}), "application/json")
    where = site.url + "/forge/packages.json"
    done = field.chosen("torch-free", machine("2.8.0+cu128", platform="linux_aarch64"), "cumm",
                        source("cumm", manifest=where), CUMM[0])
    if done.status == 0:
        field.rig.equal(done.json()["targets"][0]["files"][0]["sha256"], made[0]["sha256"], "its digest")
    field.refused("torch-free, another CUDA", machine("2.8.0+cu130", platform="linux_aarch64"), "cumm",
                  source("cumm", manifest=where), "built for another CUDA")
    field.chosen("its torch", machine("2.8.0+cu128"), "cubvh", source("cubvh", manifest=where), CUMM[1])
    field.refused("another torch", machine("2.9.0+cu128"), "cubvh", source("cubvh", manifest=where), "torch 2.8")
    field.chosen("Windows", machine("2.8.0+cu128", platform="win_amd64"), "vox2seq",
                 source("vox2seq", manifest=where), CUMM[2])
    site.put("/forge/new.json", json.dumps({"schema": 2, "packages": {}}), "application/json")
    done = field.resolve(machine("2.8.0+cu128"), source("cubvh", manifest=site.url + "/forge/new.json"), want("cubvh"))
    field.rig.check(done.status != 0 and "schema 2" in done.all, "a schema that nobody knows", done)


def check_torch_root(field):
    """pytorch.org: 403 for what is not there, builds without a label, links into folders of other CUDAs."""
    site = field.site
    site.forbidden.append("/whl/")
    plain = site.absolute("torch-2.5.1-cp312-cp312-linux_aarch64.whl", "whl/cu124")
    label = site.absolute("torch-2.5.1+cu124-cp312-cp312-linux_x86_64.whl", "whl/cu124")
    legacy = site.absolute("torch-2.5.1-cp312-cp312-manylinux_2_28_aarch64.whl", "whl/cpu")
    for cuda in ("124", "126"):
        site.put(f"/whl/cu{cuda}/torch/", page([plain, label, legacy], "Links for torch"))
    table = source("torch", index=site.url + "/whl/{accelerator}")
    field.chosen("a build without a label, by its folder", machine("2.5.1+cu124", platform="linux_aarch64"), "torch",
                 table, plain["name"])
    field.refused("the same in the folder of another CUDA", machine("2.5.1+cu124", platform="linux_aarch64"), "torch",
                  source("torch", index=site.url + "/simple"), "the source torch")
    field.chosen("a build with a label", machine("2.5.1+cu124"), "torch", table, label["name"])
    field.refused("403 is absent", machine("2.5.1+cu124"), "natten", source("natten", index=site.url + "/whl/cu{cuda}"),
                  "/whl/cu124/natten/ is not there")


def check_files(field):
    """One file by URL, a folder, and places on this machine."""
    rig, site = field.rig, field.site
    name = "sageattention-2.2.0+cu128.torch2.11-cp311-cp311-win_amd64.whl"
    made = site.absolute(name, "mobcat")
    target = machine("2.11.0+cu128", "3.11", "win_amd64")
    field.chosen("one file", target, "sageattention", source("sageattention", file=made["url"]), name)
    field.refused("one file, another target", machine("2.11.0+cu128", "3.12", "win_amd64"), "sageattention",
                  source("sageattention", file=made["url"]), "cp311")
    folder = site.folder / "mobcat"
    field.chosen("a folder", target, "sageattention", source("sageattention", links=folder.as_uri()), name)
    field.chosen("a file here", target, "sageattention",
                 source("sageattention", file=folder.as_uri() + "/" + urllib.parse.quote(name)), name)
    field.refused("a folder that is not there", target, "sageattention",
                  source("sageattention", links="file:///nowhere/at/all"), "/nowhere/at/all is not there")
    done = field.resolve(target, source("sageattention", links="http://192.0.2.1/x/"), want("sageattention"))
    rig.check(done.status == 3 and "plain http, and its host is not trusted" in done.err, "plain http", done)
    index = rig.folder("local-index/sageattention")
    (index / name).write_bytes((folder / name).read_bytes())
    field.chosen("an index in a folder", target, "sageattention", source("sageattention", index=index.parent.as_uri()),
                 name)


def check_bundle(field):
    """One package, two targets, a file each from its own page; another one from the index; frozen and packed."""
    rig, site = field.rig, field.site
    two = machine("2.8.0+cu128").replace('"t"', '"old"') + machine("2.9.1+cu128").replace('"t"', '"new"')
    parts = [two, '[source."Flash_Attn"]\ngithub = "Dao-AILab/flash-attention"\nreason = "the index has none for CUDA"\n',
             want("flash.attn", "==2.8.3"), want("natten"),
             '[waive]\nflash-attn = "it has no code: made for this test"\nnatten = "the same"\n']
    done = field.resolve(*parts)
    if not rig.check(done.status == 0, "two targets", done):
        return
    plan = {t["name"]: {f["name"]: f["file"] for f in t["files"]} for t in done.json()["targets"]}
    rig.equal(plan, {"old": {"flash-attn": DAO_283[0], "natten": "natten-99.0-py3-none-any.whl"},
                     "new": {"flash-attn": DAO_283[1], "natten": "natten-99.0-py3-none-any.whl"}},
              "each target from its own build, the rest from the index")
    path, key = lock(rig.scratch / "two.toml", *parts), rig.key()
    frozen = rig.scratch / "frozen.toml"
    done = rig.gpkg("resolve", path, "--write-lock", frozen, "--cache", field.cache, env=field.env)
    rig.check(done.status == 0, "a frozen lock of it", done)
    for name, what in (("a", path), ("b", frozen)):
        done = rig.create(what, rig.scratch / f"{name}.tar.zst", "--serial", "1", index=site.url + "/simple", key=key,
                          cache=field.cache, env=field.env)
        rig.check(done.status == 0, f"create from {what.name}", done)
    rig.equal(sha256(rig.scratch / "a.tar.zst"), sha256(rig.scratch / "b.tar.zst"), "the frozen lock's bundle is the same")


def main():
    rig = Rig(sys.argv)
    with rig:
        tls = make_certificate(rig)
        if not tls:
            rig.skip("no openssl program")
            return rig.finish()
        site = Site(rig, tls)
        make_index(site)
        make_releases(site)
        field = Field(rig, site)
        for step in (check_releases, check_wrong_releases, check_twins, check_natten, check_cosmos, check_windreamer,
                     check_manifest, check_torch_root, check_files, check_registry, check_bundle):
            with steps(step.__name__):
                step(field)
        site.close()
    return rig.finish()


if __name__ == "__main__":
    sys.exit(main())
