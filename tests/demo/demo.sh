#!/bin/bash
# The main job on real packages, end to end: `make demo` builds the program and calls it.
#	demo.sh
# On this side of the gap: a key, and one bundle for the four machines of lock.toml. Then the network is
# cut (a network namespace with nothing but a loopback), and the rest happens there: verify, import, serve,
# build, pip, uv. All of it lies under build/demo; downloads stay in build/demo/cache for the next time.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$PWD
demo=$root/build/demo
bundle=$demo/media/demo.tar.zst
plan=$demo/plan.json          # `inspect --json` of the bundle
published=$demo/published.txt # "SHA256  FILE" as the index says
uv=$root/build/tools/bin/uv
number=${DEMO_STEP:-0}
title=${DEMO_TITLE:-before the first step}
server=

gpkg() {
	"$root/build/gpkg-bundle" "$@"
}

# ---- talk ----

say() { # SENTENCE...
	printf '%s\n' "$*" | fold -s -w 96 | sed 's/ $//'
}

step() { # TITLE
	number=$((number + 1))
	title=$1
	printf '\n== %d. %s\n\n' "$number" "$title"
}

indent() { # ...its input; paths as seen from here
	sed "s|$root/||g; s/^/    /"
}

show() { # COMMAND...: as a user would type it, then its output
	local word line=
	for word in "$@"; do
		case $word in
		gpkg) word=gpkg-bundle ;;
		"$uv") word=uv ;;
		"$demo"/*) word=${word#"$root/"} ;;
		esac
		case $word in
		*[!A-Za-z0-9_./:=@,+-]*) word="'$word'" ;;
		esac
		line="$line $word"
	done
	printf '  $%s\n' "$line"
	"$@" 2>&1 | indent
}

fail() { # WHY
	echo "$*" >&2
	exit 1
}

finish() {
	local status=$?
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
	fi
	if [ "$status" -ne 0 ] && [ ! -e "$demo/failed" ]; then
		touch "$demo/failed" 2>/dev/null || true
		echo "demo: step $number failed: $title" >&2
	fi
}
trap finish EXIT

must_refuse() { # VERB...: it has to say no
	local status=0
	printf '  $%s\n' " gpkg-bundle ${*#"$root/"}"
	gpkg "$@" >"$demo/refusal" 2>&1 || status=$?
	indent <"$demo/refusal"
	case $status in
	1 | 3) printf '    exit status %d\n' "$status" ;;
	*) fail "exit status $status" ;;
	esac
}

# ---- this side of the gap ----

fresh_start() {
	mkdir -p "$demo"
	rm -f "$demo/failed"
	find "$demo" -mindepth 1 -maxdepth 1 ! -name cache ! -name published.txt -exec rm -rf {} +
	mkdir -p "$demo/media" "$demo/home" "$demo/tmp"
	for tool in "$root/build/gpkg-bundle" "$uv" unshare ip minisign zstd sha256sum curl c++; do
		command -v "$tool" >/dev/null || fail "$tool is missing; this installs it: make deps"
	done
	PATH=/usr/bin:$PATH command -v python3.11 >/dev/null ||
		fail "the target debian12 is a machine with Python 3.11, as Debian 12 has it"
}

pack() {
	step "The packer makes a key pair"
	say "The secret key stays here. The public one goes to the site, once, by a way that it trusts."
	show gpkg keygen --no-password -o "$demo/packer"

	step "One lock, four kinds of machines, one signed bundle"
	say "Every requirement is proved for every machine before a byte is packed. The packages come from" \
		"the index that pip is configured with, and only the first time."
	show gpkg create tests/demo/lock.toml --key "$demo/packer.key" --cache "$demo/cache" -o "$bundle"
	cp "$demo/packer.pub" "$demo/media"
	gpkg inspect --pub "$demo/packer.pub" --json "$bundle" >"$plan"
	count_files
}

count_files() {
	local distinct sum
	gpkg inspect --pub "$demo/packer.pub" --files "$bundle" >"$demo/files.txt"
	distinct=$(grep -c '\.whl$' "$demo/files.txt")
	sum=$(gpkg inspect --pub "$demo/packer.pub" "$bundle" | grep -c '\.whl')
	say "$distinct wheels are in the bundle; packed for each machine alone they would be $sum."
	[ "$distinct" -lt "$sum" ]
	[ "$(grep -c 'nvidia_cuda_runtime-.*x86_64' "$demo/files.txt")" -eq 1 ] ||
		fail "a file that two machines share is not in it once"
}

ask_index() {
	step "What the index publishes, asked without this program"
	say "The sha256 of every file of the plan, straight from the index's pages. Behind the gap it must" \
		"be the same."
	build/tools/bin/python tests/demo/published.py "$plan" "$published"
}

# ---- the far side ----

# Nothing of the caller's environment goes over: no proxy, no index, no toolkit, no key.
cut_off() { # COMMAND...
	local cut=(unshare -n)
	if [ "$(id -u)" -ne 0 ]; then
		cut=(unshare -rn)
	fi
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME="$demo/home" TMPDIR="$demo/tmp" \
		GPKG_BUNDLE_STORE="$demo/store" PIP_CONFIG_FILE=/dev/null PIP_ROOT_USER_ACTION=ignore \
		PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COLOR=1 UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never \
		DEMO_STEP="$number" DEMO_TITLE="$title" "${cut[@]}" "$@"
}

look_around() {
	ip link set lo up
	say "From here on nothing is up but a loopback, and all there is are the two files that came over:"
	show ip -brief link show up
	[ "$(ip -o link show up | grep -cv ': lo:')" -eq 0 ] || fail "there is a network"
	show ls -l "$demo/media"
}

receive() {
	step "The receiving desk verifies"
	say "Nobody has said yet whose bundles to accept, so this one is refused:"
	must_refuse verify "$bundle"
	say "The site pins the packer's public key, and the same bundle is right:"
	show gpkg trust add "$demo/media/packer.pub"
	show gpkg verify "$bundle"
	say "With one byte in the middle of it changed, it is not:"
	cp "$bundle" "$demo/changed.tar.zst"
	change_byte "$demo/changed.tar.zst" "$(($(stat -c %s "$bundle") / 2))"
	must_refuse verify "$demo/changed.tar.zst"
	rm "$demo/changed.tar.zst"
	show gpkg inspect --matrix "$bundle"
	say "The device code in the wheels for rhel9, as read from their bytes:"
	gpkg inspect "$bundle" >"$demo/bundle.txt"
	sed -n '/^rhel9:/,/^$/{/\[/p}' "$demo/bundle.txt" | indent
}

change_byte() { # FILE OFFSET
	local byte
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	printf '%b' "$(printf '\\0%o' $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

import_bundle() {
	step "Import, verified again on the way in"
	say "From a pipe, as it may come off a tape or through a diode. A second time changes nothing."
	printf '  $ cat media/demo.tar.zst | gpkg-bundle import -\n'
	gpkg import --quiet - <"$bundle" | indent
	show gpkg import --quiet "$bundle"
}

serve() {
	step "Serve"
	# Not by way of a function: that would be a shell of its own, and to kill it would leave the server.
	"$root/build/gpkg-bundle" serve --listen 127.0.0.1:0 >"$demo/address" 2>"$demo/serve.log" &
	server=$!
	local tries=100
	until [ -s "$demo/address" ] && grep -q t/windows "$demo/serve.log"; do
		tries=$((tries - 1))
		if [ "$tries" -eq 0 ] || ! kill -0 "$server" 2>/dev/null; then
			fail "$(cat "$demo/serve.log")"
		fi
		sleep 0.1
	done
	url=$(sed 's|/$||' "$demo/address")
	say "The mirror answers on $url, each kind of machine with an index of its own. These are the" \
		"lines that its users paste:"
	indent <"$demo/serve.log"
	local sha256 file count=0
	while read -r sha256 file; do
		curl -sf "$url/files/$sha256/$file" | sha256sum --status -c <(echo "$sha256  -") ||
			fail "$file: not the bytes that the index published"
		count=$((count + 1))
	done <"$published"
	say "All $count files were fetched from it: their sha256 is what the index published."
}

build() {
	step "Compile what has no wheel"
	say "cuda-kernels came as source, nvcc as wheels in the same bundle. No CUDA is installed here."
	if command -v nvcc >/dev/null; then
		say "(An nvcc of this machine exists too; it is not used.)"
	fi
	show gpkg build --target debian12
	say "An exit status proves nothing, the device code in the wheel does:"
	gpkg inspect "$GPKG_BUNDLE_STORE" >"$demo/store.txt"
	grep 'built here' "$demo/store.txt" | indent
	grep -q 'cuda_kernels-0.2.0-.*\[sm_90\]$' "$demo/store.txt" || fail "no sm_90 in cuda-kernels"
	gpkg inspect --json "$GPKG_BUNDLE_STORE" >"$demo/store.json"
}

check_installed() { # TARGET FOLDER
	python3.11 tests/demo/installed.py "$demo/store.json" "$1" "$url" "$2"
}

everywhere=(anyio charset-normalizer docopt markupsafe nvidia-cuda-runtime nvidia-nvtx 'requests[socks]' tqdm)

install_here() {
	local index=$url/t/debian12/simple/

	step "Install with stock pip"
	say "Debian's own pip, told nothing but the address of the index:"
	show python3.11 -m venv "$demo/with-pip"
	show "$demo/with-pip/bin/pip" --version
	show "$demo/with-pip/bin/pip" install --quiet --no-cache-dir --index-url "$index" "${everywhere[@]}" cuda-kernels
	check_installed debian12 "$demo/with-pip/lib/python3.11/site-packages"

	step "Install with stock uv"
	show "$uv" venv --quiet -p "$(command -v python3.11)" "$demo/with-uv"
	show "$uv" pip install --quiet --no-cache -p "$demo/with-uv" --default-index "$index" "${everywhere[@]}" \
		cuda-kernels
	check_installed debian12 "$demo/with-uv/lib/python3.11/site-packages"
}

install_foreign() { # TARGET PYTHON PLATFORM [PACKAGE]...
	local target=$1 python=$2 platform=$3
	shift 3
	show "$uv" pip install --quiet --no-cache -p "$(command -v python3.11)" --target "$demo/for-$target" \
		--python-platform "$platform" --python-version "$python" \
		--default-index "$url/t/$target/simple/" "${everywhere[@]}" "$@"
	check_installed "$target" "$demo/for-$target"
}

install_elsewhere() {
	step "Install for machines that are not here"
	say "Another Python, another CPU, another system: uv fills a folder for them. docopt is compiled by" \
		"uv from its source; all else must be the files that the plan names."
	install_foreign rhel9 3.12 x86_64-manylinux_2_34 pygpukit
	install_foreign grace 3.13 aarch64-manylinux_2_28
	install_foreign windows 3.12 windows
}

far_side() {
	look_around
	receive
	import_bundle
	serve
	build
	install_here
	install_elsewhere
	echo "$number" >"$demo/step"
}

# ---- the far side once more ----

stock_side() {
	step "The same far side with no code of ours"
	say "tar, zstd, minisign, sha256sum and pip, all of them Debian's, and the network cut again."
	sed -E 's|^([0-9a-f]{64})  (.*)$|\1  files/\1/\2|' "$published" >"$demo/published.sums"
	cut_off tests/demo/stock_side.sh "$bundle" "$demo/media/packer.pub" debian12 "$demo/stock" \
		"$demo/published.sums" | sed "s|$root/||g"
}

use() {
	step "Use what was installed"
	local venv
	for venv in with-pip with-uv stock/venv; do
		show "$demo/$venv/bin/python" tests/demo/use.py
	done
}

if [ "${1:-}" = --far-side ]; then
	far_side
	exit
fi
fresh_start
pack
ask_index
step "The network is cut"
cut_off "$root/tests/demo/demo.sh" --far-side
number=$(cat "$demo/step")
stock_side
use
printf '\ndemo: all %d steps passed, in %d seconds\n' "$number" "$SECONDS"
