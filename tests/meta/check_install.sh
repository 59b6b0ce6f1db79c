#!/bin/bash
# `make install` into an empty folder: everything is there, runs from there, and nothing is outside.
set -u
cd "$(dirname "$0")/../.." || exit 3
# shellcheck source=tests/meta/tally.sh
. tests/meta/tally.sh
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

quietly() { # COMMAND...
	local said
	said=$("$@" 2>&1) || echo "$said"
}

says() { # TEXT COMMAND...
	local said
	said=$("${@:2}" 2>&1)
	[ "$said" = "$1" ] || echo "says $said"
}

pages() {
	diff <(find man -type f -printf "%f\n" | sort) <(cd "$place/usr/share/man" && find man1 man5 -type f -printf "%f\n" | sort)
}

version=$(sed -n 's/#define TOOL_VERSION "\(.*\)"/\1/p' manifests/tool.h)
check "make install" quietly make install DESTDIR="$place" PREFIX=/usr
check "gpkg-bundle" says "gpkg-bundle $version" "$place/usr/bin/gpkg-bundle" --version
check "gpkg-verify" says "gpkg-verify $version" "$place/usr/bin/gpkg-verify" --version
check "pages" pages
check "man" quietly man -M "$place/usr/share/man" -w gpkg-bundle gpkg-verify
for file in README.md LICENSE CHANGELOG.md; do
	check "$file" cmp "$file" "$place/usr/share/doc/gpkg-bundle/$file"
done
check "CHANGELOG.md" grep -q "^## $version" CHANGELOG.md
verdict install
