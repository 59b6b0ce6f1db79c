#!/usr/bin/env python3
"""Ratios of the pipeline against stock tools on the same bytes, side by side in one run.

    pipeline.py BIN_DIR [--size MB] [--rounds N]

Makes wheels of random bytes (2 GB unless told otherwise), serves them on loopback, and measures
CPU seconds (user + system) and wall time of each step and of its yardstick, taking turns; the median
counts. Peak memory is what the kernel reports for each process. The last line of each row says whether
the budget holds.
"""

import argparse
import base64
import hashlib
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
E2E = os.path.join(os.path.dirname(HERE), "e2e")


def make_wheel(folder, name, size):
    """A valid wheel whose one big member cannot be compressed."""
    path = os.path.join(folder, f"{name}-1.0-py3-none-any.whl")
    info = f"{name}-1.0.dist-info"
    members = {
        f"{name}/data.bin": os.urandom(size),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for member, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{member},sha256={digest},{len(data)}\n"
    members[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as z:
        for member, data in members.items():
            z.writestr(zipfile.ZipInfo(member, (2020, 1, 1, 0, 0, 0)), data)
    return path


class Measured:
    def __init__(self, cpu, wall, rss):
        self.cpu, self.wall, self.rss = cpu, wall, rss


def run(command, env=None, cwd=None):
    """Runs one command to its end: CPU seconds, wall seconds, peak KiB of its largest process."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.chdir(cwd or ".")
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.execvpe(command[0], command, env or os.environ)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"bench: failed: {' '.join(command)}")
    return Measured(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss)


def median(samples, field):
    return statistics.median(getattr(s, field) for s in samples)


failed = 0


def report(name, ours, theirs, budget_cpu, budget_wall, rss_limit=256 * 1024):
    global failed
    cpu = median(ours, "cpu") / median(theirs, "cpu")
    wall = median(ours, "wall") / median(theirs, "wall")
    rss = max(s.rss for s in ours)
    good = cpu <= budget_cpu and wall <= budget_wall and rss <= rss_limit
    failed += not good
    print(
        f"{name:<34} CPU {median(ours, 'cpu'):6.2f} s / {median(theirs, 'cpu'):6.2f} s = {cpu:4.2f}"
        f" (<= {budget_cpu}), wall {wall:4.2f} (<= {budget_wall}), peak {rss / 1024:5.1f} MiB"
        f"  {'ok' if good else 'MISSED'}",
        flush=True,
    )


def start_server(folder, env):
    server = subprocess.Popen(
        [sys.executable, os.path.join(E2E, "index_server.py"), folder], stdout=subprocess.PIPE, text=True
    )
    port = server.stdout.readline().strip().rsplit(":", 1)[-1].rstrip("/")
    env["PIP_INDEX_URL"] = f"http://127.0.0.1:{port}/simple/"
    return server


def write_lock(path, names):
    with open(path, "w", encoding="utf-8") as f:
        f.write('lock-version = 1\nname = "bench"\n[[target]]\nname = "t"\npython = "3.12"\n')
        f.write('platform = "linux_x86_64"\nglibc = "2.28"\n')
        for name in names:
            f.write(f'[[package]]\nname = "{name}"\nversion = "==1.0"\n')


def start_up(tool, env, store, rounds):
    global failed
    for command in (["--help"], ["list", "--store", store], ["create", "--help"]):
        samples = [run([tool, *command], env) for _ in range(10 * rounds)]
        wall = median(samples, "wall") * 1000
        good = wall < 20
        failed += not good
        print(f"start-up: {' '.join(command[:1]):<24} {wall:5.1f} ms (< 20)  {'ok' if good else 'MISSED'}")


def memory_row(name, rss):
    global failed
    good = rss <= 256 * 1024
    failed += not good
    print(f"peak memory: {name:<21} {rss / 1024:5.1f} MiB (<= 256)  {'ok' if good else 'MISSED'}")


def memory(tool, env, bundle, pub):
    """The verbs that are not measured above, on the same large bundle and store."""
    for command in (
        ["inspect", bundle, "--pub", pub, "--files"],
        ["inspect", env["GPKG_BUNDLE_STORE"], "--matrix"],
        ["list", "--json"],
    ):
        memory_row(" ".join(command[:1]), run([tool, *command], env).rss)
    serve = subprocess.Popen([tool, "serve", "-q", "--listen", "127.0.0.1:0"], env=env, stdout=subprocess.PIPE, text=True)
    base = serve.stdout.readline().strip()
    page = urllib.request.urlopen(base + "t/t/flat/").read().decode()
    for link in re.findall('href="([^"]+)"', page):
        with urllib.request.urlopen(urllib.parse.urljoin(base + "t/t/flat/", link)) as answer:
            while answer.read(1 << 20):
                pass
    # Its own mark: what the kernel reports at the end includes this script's, from before the exec.
    status = open(f"/proc/{serve.pid}/status", encoding="ascii").read()
    serve.terminate()
    serve.wait()
    memory_row("serve, every file", int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("--size", type=int, default=2048, help="MB of wheels")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    tool = os.path.abspath(os.path.join(args.bin_dir, "gpkg-bundle"))
    root = tempfile.mkdtemp(prefix="gpkg-bench-", dir=os.environ.get("TMPDIR"))
    server = None
    try:
        wheels = os.path.join(root, "wheels")
        os.mkdir(wheels)
        count = 8
        names = [f"bench{i}" for i in range(count)]
        files = [make_wheel(wheels, n, args.size * 1000 * 1000 // count) for n in names]
        print(f"{count} wheels, {sum(map(os.path.getsize, files)) / 1e9:.2f} GB", flush=True)
        env = {
            "PATH": os.environ["PATH"],
            "HOME": root,
            "PIP_CONFIG_FILE": os.devnull,
            "GPKG_BUNDLE_STORE": os.path.join(root, "store"),
        }
        server = start_server(wheels, env)
        lock, key, bundle = (os.path.join(root, n) for n in ("lock.toml", "k", "b.tar.zst"))
        write_lock(lock, names)
        run([tool, "keygen", "--no-password", "-q", "-o", key], env)
        run([tool, "trust", "add", key + ".pub"], env)
        create = [tool, "create", lock, "-q", "--key", key + ".key", "-o", bundle, "--serial", "1"]
        cold = run(create, env, root)
        print(f"create, cold: {cold.wall:.2f} s wall, {cold.cpu:.2f} s CPU, peak {cold.rss / 1024:.1f} MiB")
        measure(tool, env, root, create, bundle, files, args.rounds)
        memory(tool, env, bundle, key + ".pub")
        start_up(tool, env, env["GPKG_BUNDLE_STORE"], args.rounds)
    finally:
        if server:
            server.kill()
            server.wait()
        shutil.rmtree(root)
    print(f"bench: {failed} budgets missed")
    return 1 if failed else 0


def copy_and_digest(paths, target):
    return ["sh", "-c", 'out=$1; shift; cp "$@" "$out" && openssl dgst -sha256 "$@"', "-", target, *paths]


def tar_and_digest(paths, target):
    return ["sh", "-c", 'out=$1; shift; tar -cf "$out" "$@" && openssl dgst -sha256 "$@"', "-", target, *paths]


def measure(tool, env, root, create, bundle, files, rounds):
    """Each step and its yardstick take turns, so that a busy neighbour hurts both."""
    store = env["GPKG_BUNDLE_STORE"]
    scratch = os.path.join(root, "scratch")
    keep = os.path.join(root, "trust")
    shutil.copytree(os.path.join(store, "trust"), keep)
    pairs = {"create": ([], []), "verify": ([], []), "import": ([], [])}
    for _ in range(rounds):
        ours, theirs = pairs["create"]
        os.unlink(bundle)
        ours.append(run(create, env, root))
        theirs.append(run(tar_and_digest(files, os.path.join(root, "y.tar")), env))
        os.unlink(os.path.join(root, "y.tar"))
        ours, theirs = pairs["verify"]
        ours.append(run([tool, "verify", "-q", bundle], env))
        theirs.append(run(["openssl", "dgst", "-sha256", bundle], env))
        ours, theirs = pairs["import"]
        shutil.rmtree(store)
        os.makedirs(store)
        shutil.copytree(keep, os.path.join(store, "trust"))
        os.mkdir(scratch)
        ours.append(run([tool, "import", "-q", bundle], env))
        theirs.append(run(copy_and_digest(files, scratch), env))
        shutil.rmtree(scratch)
    report("create, warm, to tar + dgst", *pairs["create"], 1.25, 1.25)
    report("verify to openssl dgst", *pairs["verify"], 1.25, 1.25)
    report("import to cp + dgst", *pairs["import"], 1.15, 1.15)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
