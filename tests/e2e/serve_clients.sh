#!/bin/bash
# Stock pip and uv, as they are, against a served store, over loopback and nothing else.
#	serve_clients.sh BIN_STORE_FILL BIN_GPKG_BUNDLE
# Clients: pip of $PIP_PYTHONS (a list of interpreters; default: python3) and uv, where they are found.
set -u
fill=$(realpath "${1:?usage: serve_clients.sh BIN_STORE_FILL BIN_GPKG_BUNDLE}")
bin=$(realpath "${2:?usage: serve_clients.sh BIN_STORE_FILL BIN_GPKG_BUNDLE}")
make_wheels=$(realpath "$(dirname "$0")/make_wheels.py")
pythons=${PIP_PYTHONS:-python3}
passed=0
failed=0
server=

work=$(mktemp -d)
stop() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null
		wait "$server" 2>/dev/null
	fi
	rm -rf "$work"
}
trap stop EXIT
cd "$work" || exit 3
export HOME=$work PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_RETRIES=0
export UV_PYTHON_DOWNLOADS=never UV_NO_CONFIG=1 UV_CACHE_DIR=$work/uv-cache
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX_URL UV_DEFAULT_INDEX UV_INDEX UV_OFFLINE

check() { # WHAT COMMAND...: it must succeed
	local what=$1
	shift
	if "$@" >out 2>err; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what: $*"
		tail -n 15 out err
	fi
}

check_not() { # WHAT COMMAND...: it must fail
	local what=$1
	shift
	if "$@" >out 2>err; then
		failed=$((failed + 1))
		echo "FAILED: $what succeeded: $*"
	else
		passed=$((passed + 1))
	fi
}

has() { # FOLDER MODULE VERSION: what was installed there
	grep -qx "__version__ = '$3'" "$1/$2/__init__.py"
}

fetch() { # OPTION... PATH
	curl -fsS --max-time 20 "${@:1:$#-1}" "$url${*: -1}"
}

# ---- two targets, as two bundles bring them ----
tag=$(python3 -c 'import sys; v = "cp%d%d" % sys.version_info[:2]; print(v + "-" + v + "-linux_x86_64")')
here=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
common=('plain 1.0' 'plain 1.1 python=">=99"' 'With.Dots_and-dashes 2.0 requires="plain>=1"' \
	'extra 1.0 extra=fast requires="plain; extra == \"fast\""' 'source 3.0 kind=sdist' 'yank 1.0' 'yank 0.9')
python3 "$make_wheels" new "${common[@]}" "variant 1.0+cu128 tag=$tag size=300000" \
	"renamed 2.8.3+cu12torch2.8 metadata-version=2.8.3" >/dev/null
python3 "$make_wheels" old "${common[0]}" "variant 1.0+cu126 tag=$tag" >/dev/null
python3 "$make_wheels" new/build 'builder 0.1' >/dev/null
echo "it loses <files>" >new/yank-1.0-py3-none-any.whl.yanked
check "fill" "$fill" bundle store lab 1 "new,$here,linux_x86_64,2.28,9.0" new "old,$here,linux_x86_64,2.28,8.0" old

"$bin" serve --store store --listen 127.0.0.1:0 >address 2>talk.log &
server=$!
for _ in $(seq 100); do
	[ -s address ] && break
	sleep 0.1
done
url=$(cat address)
url=${url%/}
if [ -z "$url" ]; then
	echo "FAILED: the server did not start"
	cat talk.log
	exit 1
fi
check "the lines to paste" grep -q "pip install --index-url $url/t/new/simple/ PACKAGE" talk.log

# ---- pages ----
check "health" test "$(fetch /healthz)" = ok
check "page for people" grep -q 'id="new"' <(fetch /)
check "flat page" grep -q "variant-1.0%2Bcu128-$tag.whl#sha256=" <(fetch /t/new/flat/)
check_not "an ambiguous project in the list" grep -q variant <(fetch /simple/)
check_not "an ambiguous project" fetch /simple/variant/
check_not "the other target's variant" grep -q cu126 <(fetch /t/new/simple/variant/)
check "list" grep -q "variant 1.0+cu128" <("$bin" list --store store)
check "list --json" python3 -c 'import json, sys; d = json.load(sys.stdin); assert len(d["targets"]) == 2, d' \
	< <("$bin" list --store store --json)

# The same bytes by every spelling of '+', and none by a double escape.
sha=$(sha256sum "new/variant-1.0+cu128-$tag.whl" | cut -d ' ' -f 1)
for plus in + %2B %2b; do
	check "file by $plus" cmp "new/variant-1.0+cu128-$tag.whl" \
		<(fetch "/files/$sha/variant-1.0${plus}cu128-$tag.whl")
done
check_not "file by %252B" fetch "/files/$sha/variant-1.0%252Bcu128-$tag.whl"
check "a range" cmp <(tail -c 16384 "new/variant-1.0+cu128-$tag.whl") \
	<(fetch -r -16384 "/files/$sha/variant-1.0+cu128-$tag.whl")
sha=$(sha256sum new/plain-1.0-py3-none-any.whl | cut -d ' ' -f 1)
check "METADATA" cmp <(unzip -p new/plain-1.0-py3-none-any.whl '*/METADATA') \
	<(fetch "/files/$sha/plain-1.0-py3-none-any.whl.metadata")

# ---- pip ----
pip_tests() { # PYTHON
	local py=$1 name
	name=pip-$("$py" -m pip --version | cut -d ' ' -f 2)-$("$py" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	local index=(--index-url "$url/t/new/simple/" --no-cache-dir)
	check "$name: a package and what it needs" "$py" -m pip install -q "${index[@]}" -t "$name-a" with-dots-and-dashes
	check "$name: the version for this Python" has "$name-a" plain 1.0
	check "$name: an extra" "$py" -m pip install -q "${index[@]}" -t "$name-b" 'extra[fast]'
	check "$name: its need" has "$name-b" plain 1.0
	check "$name: a renamed wheel" "$py" -m pip install -q "${index[@]}" -t "$name-c" renamed==2.8.3
	check "$name: a source" "$py" -m pip install -q "${index[@]}" -t "$name-d" source
	check "$name: it was built" has "$name-d" source 3.0
	check "$name: no yanked version" "$py" -m pip install -q "${index[@]}" -t "$name-e" yank
	check "$name: the one before it" has "$name-e" yank 0.9
	check "$name: find-links" "$py" -m pip install -q --no-index --no-cache-dir --find-links "$url/t/new/flat/" \
		-t "$name-f" plain
	check_not "$name: what is not there" "$py" -m pip install -q "${index[@]}" -t "$name-g" nothing
	fetch /t/old/pip.conf >"$name.conf"
	check "$name: pip.conf" env PIP_CONFIG_FILE="$name.conf" "$py" -m pip install -q --no-cache-dir -t "$name-h" plain
	if [ "$("$py" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$here" ]; then
		check "$name: a local version" "$py" -m pip install -q "${index[@]}" -t "$name-i" variant==1.0+cu128
		check "$name: it" has "$name-i" variant 1.0+cu128
		fetch /t/old/requirements.txt >"$name.txt"
		check "$name: requirements.txt" "$py" -m pip install -q --require-hashes --no-cache-dir \
			-t "$name-j" -r "$name.txt"
		check "$name: its variant" has "$name-j" variant 1.0+cu126
	fi
}

for py in $pythons; do
	if "$py" -m pip --version >/dev/null 2>&1; then
		pip_tests "$py"
	else
		echo "skipped: $py has no pip"
	fi
done

# ---- uv ----
if uv=$(command -v uv); then
	py=$(command -v python3)
	index=(-q -p "$py" --default-index "$url/t/new/simple/")
	check "uv: a package and what it needs" "$uv" pip install "${index[@]}" --target uv-a with-dots-and-dashes
	check "uv: the version for this Python" has uv-a plain 1.0
	check "uv: a local version" "$uv" pip install "${index[@]}" --target uv-b variant==1.0+cu128
	check "uv: a renamed wheel" "$uv" pip install "${index[@]}" --target uv-c renamed
	check "uv: a source" "$uv" pip install "${index[@]}" --target uv-d source
	check "uv: no yanked version" "$uv" pip install "${index[@]}" --target uv-e yank
	check "uv: the one before it" has uv-e yank 0.9
	check "uv: find-links" "$uv" pip install -q -p "$py" --no-index --find-links "$url/t/new/flat/" --target uv-f plain
	check_not "uv: what is not there" "$uv" pip install "${index[@]}" --target uv-g nothing
	fetch /t/old/uv.toml >uv.toml
	check "uv: uv.toml" env -u UV_NO_CONFIG "$uv" pip install -q -p "$py" --config-file uv.toml --target uv-h plain
	check "uv: requirements.txt" "$uv" pip install -q -p "$py" --require-hashes --target uv-i \
		-r "$url/t/old/requirements.txt"
	check "uv: its variant" has uv-i variant 1.0+cu126
else
	echo "skipped: no uv"
fi

# ---- what changes while it runs ----
python3 "$make_wheels" later 'plain 1.0' 'later 1.0' >/dev/null
check_not "a package of the future" fetch /t/new/simple/later/
check "a second bundle" "$fill" bundle store lab 2 "new,$here,linux_x86_64,2.28,9.0" later
check "is served at once" fetch /t/new/simple/later/
check "beside the first" fetch /t/new/simple/variant/
python3 "$make_wheels" built 'source 3.0' >/dev/null
check "a built wheel" "$fill" build store new new/source-3.0.tar.gz built/source-3.0-py3-none-any.whl
check "is served beside its source" grep -c source-3.0 <(fetch /t/new/simple/source/)
check_not "and to no other target" fetch /t/old/simple/source/

# An object that was damaged is not served.
object=store/objects/${sha:0:2}/$sha
chmod u+w "$object"
truncate -s 100 "$object"
check "a damaged file is an error" test \
	"$(curl -s -o /dev/null -w '%{http_code}' "$url/files/$sha/plain-1.0-py3-none-any.whl")" = 500

kill -TERM "$server"
wait "$server"
status=$?
check "a clean end" test "$status" -eq 0
server=
check_not "nobody listens any more" fetch /healthz

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
