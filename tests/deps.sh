#!/bin/bash
# Installs what building and testing needs, and only what is missing: a second run is instantaneous and
# needs no network.
#	deps.sh [bench]     bench: also what the measurements are taken against
# Distribution packages come by apt-get, as root or through sudo. Python tools go into a virtual
# environment of their own, build/tools, from the index that pip is configured with.
set -eu
cd "$(dirname "$0")/.."

build="gcc g++ make pkg-config libjansson-dev libssl-dev libsodium-dev libarchive-dev
	libxxhash-dev zlib1g-dev libzstd-dev liblz4-dev libcurl4-openssl-dev libxml2-dev libsqlite3-dev
	libmicrohttpd-dev"
tests="check clang clang-format libclang-rt-14-dev shellcheck groff-base man-db valgrind binutils
	python3 python3-venv python3-pip python3-dev minisign zstd openssl curl unzip util-linux iproute2
	procps ca-certificates locales-all"
bench="nginx-light"
python_tools="pip>=26 uv>=0.13 packaging>=26.3 setuptools pypiserver devpi-server devpi-client"
venv=build/tools

missing_packages() { # NAME...
	local have name
	have=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' "$@" 2>/dev/null || true)"
	for name in "$@"; do
		if [[ $have != *" $name:installed "* ]]; then
			echo "$name"
		fi
	done
}

install_packages() { # NAME...
	local root=()
	if [ "$(id -u)" -ne 0 ]; then
		root=(sudo)
		if ! command -v sudo >/dev/null; then
			echo "deps: neither root nor sudo; let root run: apt-get install $*" >&2
			exit 3
		fi
	fi
	echo "deps: installing $*"
	"${root[@]}" apt-get update -q
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

packages() {
	local list missing
	list="$build $tests"
	if [ "${1:-}" = bench ]; then
		list="$list $bench"
	fi
	if ! command -v dpkg-query >/dev/null; then
		# shellcheck disable=SC2086
		echo "deps: no Debian: install the likes of these yourself:" $list >&2
		return
	fi
	# shellcheck disable=SC2086 # a list of words
	missing=$(missing_packages $list)
	if [ -n "$missing" ]; then
		# shellcheck disable=SC2086
		install_packages $missing
	fi
}

# The list beside the environment says that it is complete, and with what.
python_environment() {
	if [ "$(cat "$venv/installed" 2>/dev/null)" = "$python_tools" ] && "$venv/bin/python" -c ''; then
		return
	fi
	echo "deps: making $venv with $python_tools"
	rm -rf "$venv"
	mkdir -p "$(dirname "$venv")"
	python3 -m venv "$venv"
	# shellcheck disable=SC2086
	if ! "$venv/bin/python" -m pip install --quiet --upgrade $python_tools; then
		echo "deps: pip cannot install them; does it reach its index? see: pip config list" >&2
		exit 3
	fi
	echo "$python_tools" >"$venv/installed"
}

packages "$@"
python_environment
