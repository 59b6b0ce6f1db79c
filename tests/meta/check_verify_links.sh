#!/bin/bash
# The checking side must stand alone: nothing in manifests and verify calls the connected or the
# disconnected side, and gpkg-verify is one static program without HTTP, database or HTML in it.
#	check_verify_links.sh BUILD     the last line is "verify-links: N checks, M wrong"
set -u
build=$(realpath "${1:?usage: check_verify_links.sh BUILD}")
cd "$(dirname "$0")/../.." || exit 3
# shellcheck source=tests/meta/tally.sh
. tests/meta/tally.sh

symbols() { # NM-OPTION FILE...
	nm "$@" 2>/dev/null | awk 'NF >= 2 { print $NF }' | sort -u
}

calls_no_side() {
	comm -12 <(symbols -u "$build/verify.a") \
		<(symbols --defined-only -g "$build"/obj/bundle/*.o "$build"/obj/mirror/*.o) |
		sed 's/^/calls /'
}

has_symbols() { # FILE NAME...
	local all name
	all=$(symbols --defined-only "$1")
	for name in "${@:2}"; do
		grep -qx "$name" <<<"$all" || echo "lacks $name: nm does not see the program"
	done
}

lacks_libraries() {
	symbols --defined-only "$build/gpkg-verify" | grep -E '^(curl_|sqlite3_|MHD_|xml[A-Z]|html[A-Z])' |
		sed 's/^/contains /' | head -n 5
}

is_static() {
	readelf -d "$build/gpkg-verify" | grep NEEDED
	readelf -l "$build/gpkg-verify" | grep 'interpreter'
	true
}

check "gpkg-verify" has_symbols "$build/gpkg-verify" main verify_run verified_open
check "gpkg-verify" is_static
check "gpkg-verify" lacks_libraries
check "verify.a" has_symbols "$build/verify.a" verified_open wheel_open_fd manifest_read
check "verify.a" calls_no_side
verdict verify-links
