#!/usr/bin/env python3
"""Compares what we read of pip's configuration with what this Python's pip reads.

usage: differential_pip_config.py CLIENT     (the program made from tests/tools/index_client.c)

Each case is a machine of its own: files of every level with random settings, good and odd spellings, and
random variables. The seed is fixed. Exit status 1 on any difference.
"""

import contextlib
import io
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pip
    from pip._internal.commands import create_command
except ImportError:
    print("skipped: this Python has no pip")
    sys.exit(0)
if int(pip.__version__.split(".")[0]) < 26:
    print(f"skipped: pip {pip.__version__} is older than 26 and lets one name stand in two spellings")
    sys.exit(0)

SEED = 20261130
CASES = 200
SHOWN = 10

VALUES = {
    "index-url": ["https://one/simple", "https://u:p%40w@two/simple/", "", "/srv/simple"],
    "pypi-url": ["https://three/simple"],
    "extra-index-url": ["https://four", "https://four https://five", "\n    https://six\n\thttps://seven", ""],
    "find-links": ["/srv/wheels", "/a /b\n  https://h/flat.html", "~/wheels ~/gone", ""],
    "trusted-host": ["one", "one\n  two:8080", "a b c"],
    "no-index": ["true", "no", "0", "1", "Off", "maybe", ""],
    "cert": ["/etc/ca.pem", "~/ca.pem", ""],
    "client-cert": ["/me.pem"],
    "proxy": ["http://proxy:3128", "u:p@proxy:3128", ""],
    "timeout": ["5", "2.5", "180", "soon"],
    "default-timeout": ["7"],
    "retries": ["0", "9", "many"],
    "format": ["columns"],
    "disable-pip-version-check": ["1"],
}
SECTIONS = ["global", "install", "list", "freeze", "Global", "DEFAULT"]
NOISE = ["# a comment", "; another", "", "   # indented", "\t"]
ODD = ["no delimiter here", "= no name", "[open", "[]", "[global]"]
BAD = ["soon", "many", "maybe"]


def spelled(draw, name):
    form = draw.random()
    if form < 0.2:
        name = name.replace("-", "_")
    elif form < 0.3:
        name = name.upper()
    elif form < 0.33:
        name = "--" + name
    return name


def setting(draw):
    name = draw.choice(list(VALUES))
    value = draw.choice(VALUES[name])
    while value in BAD and draw.random() < 0.9:
        value = draw.choice(VALUES[name])
    return name, value


def ini_text(draw):
    """A line indented under a value of one word would go on with it: pip then takes "URL\\nline" for the
    URL, and we refuse that. So only a section's first line may be indented."""
    lines = []
    for section in draw.sample(SECTIONS, draw.randint(1, 3)):
        lines.append(f"[{section}]")
        names = set()
        for i in range(draw.randint(0, 5)):
            name, value = setting(draw)
            if name in names and draw.random() < 0.9:
                continue
            names.add(name)
            delimiter = draw.choice([" = ", "=", ": ", " :"])
            indent = " " * draw.choice([0, 0, 0, 2]) if i == 0 else ""
            lines.append(indent + spelled(draw, name) + delimiter + value)
            if draw.random() < 0.3:
                lines.append(draw.choice(NOISE))
            if draw.random() < 0.02:
                lines.append(draw.choice(ODD))
    return "\n".join(lines) + draw.choice(["", "\n", "\r\n"])


def machine(draw, root):
    """Files below root and the environment that goes with them."""
    env = {"HOME": str(root), "XDG_CONFIG_HOME": f"{root}/xdg", "XDG_CONFIG_DIRS": f"{root}/e1:{root}/e2",
           "PATH": f"{root}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": f"{root}/cache"}
    for place in ["e1/pip", "e2/pip", ".pip", "xdg/pip", "prefix", "named"]:
        (root / place).mkdir(parents=True)
        if draw.random() < 0.4:
            (root / place / "pip.conf").write_bytes(ini_text(draw).encode())
    (root / "wheels").mkdir()
    if draw.random() < 0.3:
        env["PIP_CONFIG_FILE"] = draw.choice([f"{root}/named/pip.conf", os.devnull, f"{root}/none", ""])
    for _ in range(draw.choice([0, 0, 1, 3])):
        name, value = setting(draw)
        env["PIP_" + name.upper().replace("-", "_")] = value
    (root / "bin").mkdir()
    (root / "bin/python3").write_text(f"#!/bin/sh\necho {root}/prefix\necho https://default/simple\n")
    (root / "bin/python3").chmod(0o755)
    return env


def pips_answer(root, env):
    """What pip's own option parser makes of that machine, or None where it refuses it."""
    old, prefix = dict(os.environ), sys.prefix
    os.environ.clear()
    os.environ.update(env)
    sys.prefix = f"{root}/prefix"
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            command = create_command("install")
            default = command.parser.get_option("--index-url").default
            o = command.parser.get_default_values()
    except SystemExit:
        return None
    finally:
        os.environ.clear()
        os.environ.update(old)
        sys.prefix = prefix
    def home(path):
        return path if not path.startswith("~/") or not os.path.exists(f"{root}{path[1:]}") else f"{root}{path[1:]}"
    index = "https://default/simple" if o.index_url == default else o.index_url
    answer = [("index", i) for i in ([] if o.no_index else [index] + o.extra_index_urls)]
    answer += [("find-links", home(f)) for f in o.find_links]
    answer += [("trusted-host", h) for h in o.trusted_hosts]
    answer += [(k, v) for k, v in [("cert", o.cert), ("client-cert", o.client_cert), ("proxy", o.proxy)] if v]
    answer += [("timeout", str(0 if o.timeout == 15 else math.ceil(o.timeout))), ("retries", str(o.retries)),
               ("no-index", str(int(bool(o.no_index))))]
    return answer


def our_answer(client, env):
    run = subprocess.run([client, "config"], env=env, capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr
    return [tuple(line.split(" ", 1)) for line in run.stdout.splitlines()], run.stderr


def main():
    client = os.path.realpath(sys.argv[1])
    draw = random.Random(SEED)
    wrong = refused = 0
    for case in range(CASES):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(os.path.realpath(folder))
            env = machine(draw, root)
            theirs = pips_answer(root, env)
            ours, message = our_answer(client, env)
            refused += theirs is None
            if ours != theirs:
                wrong += 1
                if wrong <= SHOWN:
                    print(f"case {case}:\n  pip:  {theirs}\n  ours: {ours} {message}")
                    print("  environment:", {k: v for k, v in env.items() if k.startswith("PIP_")})
                    for conf in sorted(root.rglob("pip.conf")):
                        print(f"  {conf.relative_to(root)}: {conf.read_text()!r}")
    print(f"pip {pip.__version__} refuses {refused} of them")
    print(f"{CASES} cases, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
