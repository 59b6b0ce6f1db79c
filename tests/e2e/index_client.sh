#!/bin/bash
# Index pages, METADATA and files over the loopback interface, with faults: index_client.sh TOOL
# TOOL is build/index_client. The last line is "N passed, N failed".
set -u

tool=$(realpath "${1:?usage: index_client.sh TOOL}")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
server=
passed=0
failed=0

stop_server() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null
		wait "$server" 2>/dev/null
	fi
	server=
}
trap 'stop_server; rm -rf "$work"' EXIT

# ---- helpers ----

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
alpha=alpha-2.0+cu128-py3-none-any.whl
with=()

# ---- pages ----

start
fresh
client projects alpha gamma Flash.Attn
good "JSON pages" "alpha: 2 files" "gamma: 1 files" "$(sha "$work/wheels/alpha-1.0-py3-none-any.whl")" \
	"alpha-2.0%2Bcu128-py3-none-any.whl" "size=$(size "$work/wheels/gamma-1.0.tar.gz")"
good "names are normalised, a longer name is another project" "flash-attn: 1 files"
is "one request a project" "$(requests)" 3
client projects alpha gamma flash_attn
good "the same from the cache" "alpha: 2 files" "flash-attn: 1 files"
is "a fresh page is not asked for again" "$(requests)" 3
client projects nowhere
good "an unknown project is no error" "nowhere: 0 files" "not on the index at $index"
client projects nowhere
is "an unknown project is remembered" "$(requests nowhere)" 1

start --format html
fresh
client projects alpha gamma
good "HTML pages" "alpha: 2 files" "$(sha "$work/wheels/alpha-1.0-py3-none-any.whl")" "gamma: 1 files"

start --cache no-cache
fresh
client projects alpha
client projects alpha
good "no-cache: asked again, answered with 304" "alpha: 2 files"
is "the page is sent once" "$(requests '"status": 304')" 1

start --cache max-age=3600 --yanked "alpha-1.0-py3-none-any.whl=" --yanked "$alpha=bad build" \
	--requires "$alpha=>=3.9,<4" --format html
fresh
client projects alpha
good "yanked and requires-python" "yanked=()" "yanked=(bad build)" "python=>=3.9,<4"

start --fault gzip
fresh
client projects alpha
good "a compressed page" "alpha: 2 files"

start --fault bomb
fresh
client projects alpha
bad "a compressed bomb" index "$index/alpha/" "longer than"

start --fault 500=2
fresh
client projects alpha
good "500 twice, then well" "alpha: 2 files"
is "three tries" "$(requests)" 3

start --fault 500
fresh
with=(PIP_RETRIES=1)
client projects alpha
bad "500 for ever" index "$index/alpha/" "500 Internal Server Error"
with=()

start --fault html-error
fresh
client projects alpha
bad "an HTML page that is no index" index "Please sign in" "$index/alpha/"

start --content-type application/octet-stream
fresh
client projects alpha
bad "an unknown content type" index "application/octet-stream" "$index/alpha/"

for format in json html; do
	start --fault old-api --format $format
	fresh
	client projects alpha
	bad "another major version of the API ($format)" index "version 2.0" "$index/alpha/"
done

start --fault loop
fresh
client projects alpha
bad "a redirect loop" index "redirects"

start --fault "redirect=file://"
fresh
client projects alpha
bad "a redirect to a file" index "no http or https"

start --fault retry-after=1
fresh
client projects alpha
good "429 with Retry-After" "alpha: 2 files"

start --fault hang
fresh
with=(PIP_TIMEOUT=1 PIP_RETRIES=0)
client projects alpha
bad "a server that hangs" network "time-out" "$index/alpha/" "PIP_TIMEOUT"
with=()

start --fault s3-403
fresh
client projects alpha
good "S3's 403 for a key that is not there" "alpha: 0 files"

start --fault status=403
fresh
client projects alpha
bad "403 by anybody else" index "403 Forbidden" "netrc"

stop_server
fresh
client projects alpha
bad "nobody listens" network "$index/alpha/" "refused"

index=http://192.0.2.1/simple
client projects alpha
bad "plain http to a host that is not trusted" index "192.0.2.1" "PIP_TRUSTED_HOST"

# ---- credentials ----

start --auth 'me:p@ss'
plain=$index
fresh
client projects alpha
bad "no credentials" index "401" "netrc"
index=${plain/127/me:p%40ss@127}
client projects alpha
good "credentials in the index URL" "alpha: 2 files" "from=$plain"
grep -q 'p%40ss\|p@ss' "$work/out" "$work/err"
is "no output shows them" $? 1
client fetch "${plain%/simple}/files/beta-1.0-py3-none-any.whl" "$(sha "$work/wheels/beta-1.0-py3-none-any.whl")" -
good "they serve for files of the same origin" "fetched"
client projects nowhere
good "a 404 with credentials" "not on the index at $plain"
index=${plain/127/me:wr%40ng@127}
fresh
client projects alpha
bad "wrong credentials" index "401"
grep -q 'wr%40ng\|wr@ng' "$work/err"
is "no message shows them" $? 1
index=$plain
printf 'machine 127.0.0.1 login me password p@ss\n' >"$work/home/.netrc"
client projects alpha
good "credentials in netrc" "alpha: 2 files"
rm "$work/home/.netrc"

start --fault redirect-host
index=${index/127/me:secret@127}
fresh
client projects alpha
good "a redirect to another host" "alpha: 2 files"
is "which gets no credentials" "$(requests '"auth": null, .*"host": "localhost')" 1
is "the first host got them" "$(requests '"auth": "Basic [^"]*", .*"host": "127')" 1

# ---- TLS ----

if command -v openssl >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
	cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
	start --tls "$work/both.pem"
	fresh
	client projects alpha
	bad "an unknown certificate" network "certificate is not trusted" "PIP_CERT"
	with=(PIP_CERT="$work/cert.pem")
	client projects alpha
	good "PIP_CERT" "alpha: 2 files"
	fresh
	with=(PIP_TRUSTED_HOST=127.0.0.1)
	client projects alpha
	good "PIP_TRUSTED_HOST" "alpha: 2 files"
	with=(PIP_CERT="$work/nowhere.pem")
	client projects alpha
	bad "a certificate bundle that is not there" invalid "nowhere.pem" "PIP_CERT"
	fresh
	start --tls "$work/both.pem" --fault "redirect=http://127.0.0.1:9"
	with=(PIP_CERT="$work/cert.pem")
	client projects alpha
	bad "from https to http" index "from https to http"
	with=()
fi

# ---- METADATA ----

start --metadata
fresh
client metadata alpha "$alpha"
good "METADATA by its sibling" "Version: 2.0+cu128"
is "no byte of the wheel" "$(requests 'any.whl"')" 0
client metadata alpha "$alpha"
is "kept for the next run" "$(requests metadata)" 1

start --metadata --fault 404:.metadata
fresh
client metadata alpha "$alpha"
good "a sibling that is promised only" "Version: 2.0+cu128"

start --metadata --fault html-error:.metadata
fresh
client metadata alpha "$alpha"
bad "a sibling with other bytes" hash-mismatch ".metadata"

start
fresh
client metadata alpha "$alpha"
good "METADATA by a range" "Version: 2.0+cu128"
is "one request" "$(requests /files/)" 1
[ "$(sent)" -le 65536 ]
say "not the whole wheel" $?
client metadata many many-1.0-py3-none-any.whl
good "a long directory" "Name: many"

start --format html
fresh
client metadata alpha "$alpha"
good "the last bytes of a file of unknown size" "Version: 2.0+cu128"
is "one request with a suffix" "$(requests 'bytes=-65536')" 1
client metadata beta beta-1.0-py3-none-any.whl
good "a file shorter than the range" "Name: beta"

start --format html --no-suffix
fresh
client metadata alpha "$alpha"
good "a server that takes no suffix" "Version: 2.0+cu128"
is "asked for the size" "$(requests '"method": "HEAD"')" 1

start --no-ranges
fresh
client metadata alpha "$alpha"
good "a server without ranges" "Version: 2.0+cu128"
is "the whole wheel is in the cache" "$(blobs)" 1

start --fault 404:/files/
fresh
client metadata alpha "$alpha"
bad "a listed file that is not there" index "404 Not Found" "lists a file that is not there"

# ---- files ----

start
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size" \
	"$url/files/alpha-2.0%2Bcu128-py3-none-any.whl" "$(sha "$work/wheels/$alpha")" -
good "two files" "fetched $big_sha $big_size"
cmp -s "$big" "$work/cache/gpkg-bundle/blobs/${big_sha:0:2}/$big_sha"
say "the bytes are right" $?
n=$(requests)
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "again from the cache" "cached $big_sha"
is "without a request" "$(requests)" "$n"
printf x >"$work/cache/gpkg-bundle/blobs/${big_sha:0:2}/$big_sha"
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "a cached file of another size is fetched again" "fetched $big_sha"
client fetch "$url/files/alpha-2.0+cu128-py3-none-any.whl" "$(sha "$work/wheels/$alpha")" -
good "a bare + is the same file" "cached"
fresh
client fetch "$url/files/beta-1.0-py3-none-any.whl" - -
good "without a hash: computed" "fetched $(sha "$work/wheels/beta-1.0-py3-none-any.whl")"
client fetch "file://$work/wheels/alpha-2.0%2Bcu128-py3-none-any.whl" "$(sha "$work/wheels/$alpha")" -
good "a file of this machine" "fetched $(sha "$work/wheels/$alpha")"
client fetch "file://$work/wheels/none.whl" - -
bad "a file that is not there" not-found "none.whl"

: >"$work/log"
fresh
wrong=${big_sha//[0-9]/7}
client fetch "$url/files/big-1.0-py3-none-any.whl" "$wrong" -
bad "wrong bytes" hash-mismatch "$wrong" "$big_sha" "/files/big-1.0"
is "are fetched once more" "$(requests)" 2
is "and not kept" "$(find "$work/cache/gpkg-bundle/blobs" "$work/cache/gpkg-bundle/partial" -type f | wc -l)" 0
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" 12345
bad "wrong size" hash-mismatch "12345"
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" 99999999
bad "wrong size, too short" hash-mismatch "99999999"

start --fault half-file=1
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "a cut transfer goes on" "fetched $big_sha"
is "from where it stopped" "$(requests "bytes=$((big_size / 2))-")" 1
is "no byte twice" "$(sent)" "$big_size"

start --fault cut=500000
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "cut again and again" "fetched $big_sha"
is "no byte twice there" "$(sent)" "$big_size"

start --fault half-file=1 --no-ranges
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "a server without ranges: from the start" "fetched $big_sha"

start --fault half-file=1 --etag
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "with an ETag: If-Range" "fetched $big_sha"
is "it was sent" "$(requests '"if_range": "\\"')" 1

start --fault half-file=1 --fault bad-range
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "another range than asked for: from the start" "fetched $big_sha"

start --fault slow=400000
fresh
become_client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size" &
job=$!
sleep 2
kill -9 "$job"
wait "$job" 2>/dev/null
kept=$(size "$work/cache/gpkg-bundle/partial/$big_sha" 2>/dev/null || echo 0)
[ "$kept" -gt 0 ]
say "killed: the partial file stays" $?
start
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "the next run" "fetched $big_sha"
is "goes on from there" "$(requests "bytes=$kept-")" 1
is "and gets only the rest" "$(sent)" $((big_size - kept))

fresh
mkdir -p "$work/cache/gpkg-bundle/partial"
head -c 100000 /dev/zero >"$work/cache/gpkg-bundle/partial/$big_sha"
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "a partial file with wrong bytes" "fetched $big_sha"
fresh
mkdir -p "$work/cache/gpkg-bundle/partial"
cp "$big" "$work/cache/gpkg-bundle/partial/$big_sha"
: >"$work/log"
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
good "a partial file that is complete" "fetched $big_sha"
is "needs no request" "$(requests)" 0
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" -

start --fault slow=1500000
fresh
with=(PIP_TIMEOUT=10)
become_client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size" &
job=$!
sleep 0.5
env -i PATH="$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/cache" PIP_CONFIG_FILE=/dev/null \
	PIP_INDEX_URL="$index" "$tool" fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size" \
	>"$work/out2" 2>"$work/err2"
is "a second process waits for the first" "$? $(cut -d' ' -f1 "$work/out2")" "0 cached"
wait "$job"
is "and nothing is fetched twice" "$(sent)" "$big_size"
with=()

start --fault 404:/files/
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
bad "a file that was removed" index "404 Not Found" "/files/big-1.0"

start --fault html-error:/files/
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" -
bad "an HTML page in place of a file" hash-mismatch "HTML page"

start
fresh
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" 99999999999999
bad "a disk that is too small" no-space "99999999999999 bytes"
if unshare -m true 2>/dev/null; then
	fresh
	mkdir -p "$work/cache"
	env -i PATH="$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/cache" PIP_CONFIG_FILE=/dev/null \
		PIP_INDEX_URL="$index" unshare -m sh -c 'mount -t tmpfs -o size=2m none "$1" && shift && exec "$@"' sh \
		"$work/cache" "$tool" fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" - >"$work/out" 2>"$work/err"
	status=$?
	bad "a disk that fills up" no-space
fi

# ---- find-links and several indexes ----

start
fresh
with=(PIP_FIND_LINKS="$work/other $work/empty $work/missing" PIP_NO_INDEX=1)
client projects delta alpha
good "a folder, an empty one, a missing one" "delta: 1 files" "file://$work/other/delta-1.0" "alpha: 1 files"
client metadata delta delta-1.0-py3-none-any.whl
good "METADATA of a local wheel" "Name: delta"
is "no-index: no request" "$(requests)" 0
with=(PIP_FIND_LINKS="$url/flat/" PIP_NO_INDEX=1)
client projects alpha gamma
good "a find-links page" "alpha: 2 files" "gamma: 1 files"
printf '<a href="other/delta-1.0-py3-none-any.whl#sha256=%s">x</a>' "$(sha "$work/other/delta-1.0-py3-none-any.whl")" \
	>"$work/links.html"
with=(PIP_FIND_LINKS="file://$work/links.html" PIP_NO_INDEX=1)
client projects delta
good "a local page" "delta: 1 files" "sha256=$(sha "$work/other/delta-1.0-py3-none-any.whl")"
with=(PIP_FIND_LINKS="$url/nowhere/" PIP_NO_INDEX=1)
client projects alpha
bad "a find-links page that is not there" index "$url/nowhere/" "404" "find-links"

mkdir -p "$work/local/alpha"
printf '<a href="../../other/alpha-1.0-py3-none-any.whl">x</a>' >"$work/local/alpha/index.html"
with=(PIP_INDEX_URL="file://$work/local")
client projects alpha beta
good "an index in a folder" "alpha: 1 files" "beta: 0 files"

first=$index
first_server=$server
server=
python3 "$here/index_server.py" "$work/other" >"$work/url2" &
server=$!
for _ in $(seq 100); do
	[ -s "$work/url2" ] && break
	sleep 0.05
done
second=$(head -n 1 "$work/url2")/simple
with=(PIP_INDEX_URL="$first" PIP_EXTRA_INDEX_URL="$second")
client projects alpha delta
good "two indexes are merged" "alpha: 2 files" "delta: 1 files" "conflict=$second"
client metadata alpha alpha-1.0-py3-none-any.whl
bad "one name, two files" ambiguous "$first" "$second" "alpha-1.0-py3-none-any.whl"
client metadata alpha "$alpha"
good "which does not disturb another file" "Version: 2.0+cu128"
kill "$first_server"
wait "$first_server" 2>/dev/null

# ---- pip's default ----

start
fresh
mkdir -p "$work/bin"
printf '#!/bin/sh\necho "%s"\n' "$index" >"$work/bin/python3"
chmod +x "$work/bin/python3"
with=(PIP_INDEX_URL= PATH="$work/bin:$PATH")
client projects alpha
good "the index that pip itself names" "alpha: 2 files" "from=$index"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/python3"
client projects alpha
bad "no pip to ask" tool "no package index is configured" "PIP_INDEX_URL"
with=()

stop_server
echo "index_client: $passed passed, $failed failed"
[ "$failed" = 0 ]
