#!/bin/bash
# Files into the cache over the loopback interface: cut, wrong, resumed, killed.
# fetch_client.sh TOOL; TOOL is build/index_client. The last line is "N passed, N failed".
set -u
# shellcheck source=tests/e2e/client_fixture.sh
. "$(dirname "$0")/client_fixture.sh"

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

start --fault half-file --no-ranges
fresh
with=(PIP_RETRIES=2)
client fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" "$big_size"
bad "and without an end" network "cut before the end" "/files/big-1.0"
is "it gives up" "$(requests)" 3
with=()

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
	# shellcheck disable=SC2016 # the inner shell's
	env -i PATH="$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/cache" PIP_CONFIG_FILE=/dev/null \
		PIP_INDEX_URL="$index" unshare -m sh -c 'mount -t tmpfs -o size=2m none "$1" && shift && exec "$@"' sh \
		"$work/cache" "$tool" fetch "$url/files/big-1.0-py3-none-any.whl" "$big_sha" - >"$work/out" 2>"$work/err"
	status=$?
	bad "a disk that fills up" no-space
fi

verdict
