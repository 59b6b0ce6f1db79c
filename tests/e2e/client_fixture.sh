# Sourced by index_client.sh and fetch_client.sh with the tool as $1: a server, a client, and the verdicts.
# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is read there

tool=$(realpath "${1:?usage: $0 TOOL}")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
server=
passed=0
failed=0
with=() # more variables for the client

stop_server() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null
		wait "$server" 2>/dev/null
	fi
	server=
}
trap 'stop_server; rm -rf "$work"' EXIT

verdict() {
	stop_server
	echo "$(basename "$0" .sh): $passed passed, $failed failed"
	[ "$failed" = 0 ]
}

# start OPTION...: a fresh server for the wheels; sets $url and empties the log
start() {
	stop_server
	rm -f "$work/url" "$work/log"
	python3 "$here/index_server.py" "$work/wheels" --log "$work/log" "$@" >"$work/url" 2>"$work/server.err" &
	server=$!
	for _ in $(seq 100); do
		[ -s "$work/url" ] && break
		sleep 0.05
	done
	url=$(head -n 1 "$work/url")
	index=$url/simple
	: >"$work/log"
}

# fresh: an empty cache
fresh() {
	rm -rf "$work/cache"
}

# client ARGUMENT...: output in $work/out, messages in $work/err, status in $status
client() {
	(become_client "$@")
	status=$?
}

become_client() { # for a subshell: its process is the tool
	exec env -i PATH="$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/cache" PIP_CONFIG_FILE=/dev/null \
		PIP_INDEX_URL="$index" PIP_TIMEOUT=10 "${with[@]}" "$tool" "$@" >"$work/out" 2>"$work/err"
}

say() { # say NAME RESULT
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		sed 's/^/    out: /' "$work/out" | head -n 5
		sed 's/^/    err: /' "$work/err" | head -n 5
	fi
}

# good NAME TEXT...: status 0 and each text is in the output
good() {
	local name=$1 ok=0 text
	shift
	[ "$status" = 0 ] || ok=1
	for text; do
		grep -qF -- "$text" "$work/out" || ok=1
	done
	say "$name" $ok
}

# bad NAME REASON TEXT...: the reason code, and each text is in the message
bad() {
	local name=$1 ok=0 text
	grep -q "^$2: " "$work/err" || ok=1
	[ "$status" != 0 ] || ok=1
	shift 2
	for text; do
		grep -qF -- "$text" "$work/err" || ok=1
	done
	say "$name" $ok
}

requests() { # requests [PATTERN]: lines of the log that contain it
	grep -cE -- "${1:-.}" "$work/log"
}

is() { # is NAME VALUE EXPECTED
	[ "$2" = "$3" ]
	local ok=$?
	[ $ok = 0 ] || echo "    $1: is $2, expected $3"
	say "$1" $ok
}

sent() { # bytes of file bodies that the server has sent
	python3 - "$work/log" <<'END'
import json, sys
print(sum(json.loads(l)["sent"] for l in open(sys.argv[1]) if "/files/" in l))
END
}

sha() { sha256sum "$1" | cut -d' ' -f1; }
size() { stat -c %s "$1"; }
blobs() { find "$work/cache/gpkg-bundle/blobs" -type f | wc -l; }

# ---- fixtures ----

mkdir -p "$work/home" "$work/other" "$work/empty"
python3 - "$work/wheels" "$work/other" <<'END'
import os, random, sys, tarfile, io, zipfile

def wheel(folder, name, version, pad=0, members=0, seed=1):
    os.makedirs(folder, exist_ok=True)
    plain = name.replace("-", "_")
    info = f"{plain}-{version}.dist-info"
    path = os.path.join(folder, f"{plain}-{version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        def add(member, data):
            z.writestr(zipfile.ZipInfo(member, (2020, 1, 1, 0, 0, 0)), data)
        add(f"{plain}/__init__.py", f"seed = {seed}\n")
        for i in range(members):
            add(f"{plain}/part_{i:05}.py", "")
        if pad:
            add(f"{plain}/blob.bin", random.Random(seed).randbytes(pad))
        add(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            f"Requires-Dist: beta\n")
        add(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        add(f"{info}/RECORD", "")

wheels, other = sys.argv[1:]
wheel(wheels, "alpha", "1.0")
wheel(wheels, "alpha", "2.0+cu128", pad=400000)
wheel(wheels, "beta", "1.0", pad=1000)
wheel(wheels, "big", "1.0", pad=3000000)
wheel(wheels, "many", "1.0", pad=200000, members=3000)
wheel(wheels, "flash-attn", "2.8.3+cu12torch2.8cxx11abiTRUE")
wheel(wheels, "flash-attn-extra", "1.0")
with tarfile.open(os.path.join(wheels, "gamma-1.0.tar.gz"), "w:gz") as t:
    data = b"Metadata-Version: 2.1\nName: gamma\nVersion: 1.0\n"
    entry = tarfile.TarInfo("gamma-1.0/PKG-INFO")
    entry.size = len(data)
    t.addfile(entry, io.BytesIO(data))
wheel(other, "alpha", "1.0", seed=2)
wheel(other, "delta", "1.0")
END
big=$work/wheels/big-1.0-py3-none-any.whl
big_sha=$(sha "$big")
big_size=$(size "$big")
alpha="alpha-2.0+cu128-py3-none-any.whl"
