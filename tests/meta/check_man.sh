#!/bin/bash
# The manual pages: one for each verb and file format, complete, rendered without a warning, and telling
# the same as the tables in the source. The last line is "man: N checks, M wrong".
set -u
cd "$(dirname "$0")/../.." || exit 3
# shellcheck source=tests/meta/tally.sh
. tests/meta/tally.sh

has_row() { # VERB
	verbs | grep -qx "$1"
}

one_source() { # VERB
	[ "$(find bundle verify mirror -name "cmd_$1.c" | wc -l)" -eq 1 ]
}

# .TH names the page; NAME names it again, with one line for whatis.
titled() { # PAGE
	local file=${1##*/} name=${1##*/} section=${1##*.}
	name=${name%.*}
	grep -q "^\.TH ${name^^} $section " "$1" || echo "$file: .TH is not ${name^^} $section"
	awk '/^\.SH NAME/ { getline; print; exit }' "$1" | sed 's/\\-/-/g' | grep -q "^$name - [a-z]" ||
		echo "$file: NAME does not begin with \"$name \\- \""
}

sections() { # PAGE SECTION...
	local page=$1 section
	shift
	for section in "$@"; do
		grep -qxE "\.SH $section" "$page" || echo "no section $section"
	done
}

rendered() { # PAGE
	groff -man -ww -Tutf8 -z "$1"
}

# The text as a reader sees it, unwrapped, so that names can be looked up in it.
text() { # PAGE
	groff -man -Tutf8 -P-cbou -rLL=900n "$1" 2>/dev/null | sed 's/‐/-/g; s/−/-/g'
}

references() { # PAGE: every gpkg-...(N) in it is a page of ours
	local page
	for page in $(text "$1" | grep -oE 'gpkg-[a-z-]+\([1-8]\)' | sort -u); do
		page=${page%)}
		[ -e "man/${page/(/.}" ] || echo "refers to $page), which does not exist"
	done
}

# Every line of standard input is a name that the page's text must hold as a word.
mentions() { # PAGE
	local words name
	words=$(text "$1" | grep -oE '[A-Za-z0-9_$.-]+' | sed 's/[.]*$//' | sort -u)
	while read -r name; do
		grep -qxF -- "$name" <<<"$words" || echo "does not mention $name"
	done
}

mentions_of() { # PAGE COMMAND...
	local page=$1
	shift
	"$@" | mentions "$page"
}

reasons() {
	sed -nE 's/^RC\([A-Z_]+, [1-4], "([a-z-]+)".*/\1/p' manifests/base/rc.def
}

# Under the heading of its exit status stand ".B reason" and, in the next line, what it means.
reason_status() {
	local reason status
	while read -r reason status; do
		sed 's/\\-/-/g' man/gpkg-bundle.1 | awk -v reason="$reason" -v status="$status" '
			/^\.SH/ { inside = $2 == "REASON" }
			/^\.SS/ { at = $NF }
			inside && $1 == ".B" && $2 == reason { found = at }
			END { if (found != status) print "reason " reason " does not stand under status " status }
		'
	done < <(sed -nE 's/^RC\([A-Z_]+, ([1-4]), "([a-z-]+)".*/\2 \1/p' manifests/base/rc.def)
}

# The table of verbs says of each what `gpkg-bundle --help` says.
verb_lines() {
	local name text
	while IFS='|' read -r name text; do
		grep -A 1 -x "\.B $name" man/gpkg-bundle.1 | grep -qxF -- "$text" ||
			echo "$name: not described as \"$text\""
	done < <(sed -nE 's/^VERB\([A-Z]+, ([a-z]+), "(.*)"\)/\1|\2/p' bundle/commands.def)
}

environment() { # every variable that the program reads
	grep -rhoE 'getenv\("[A-Z_]+"\)' manifests verify bundle mirror | cut -d '"' -f 2 | sort -u
}

manifest_keys() {
	sed -nE 's/.*(json_(str|cstr|u64|bool|put_key)|put_(digest|strs)|PUT_LIST)\(&?o, "([a-z0-9_]+)".*/\4/p' \
		manifests/manifest_write.c manifests/target_text.c | sort -u
}

members() {
	sed -nE 's/^#define MEMBER_[A-Z]+ "(.*)"/\1/p' manifests/bundle_format.h
}

for verb in $(verbs); do
	check "commands.def: $verb: not exactly one cmd_$verb.c" one_source "$verb"
	check "commands.def: $verb: no man/gpkg-bundle-$verb.1" test -e "man/gpkg-bundle-$verb.1"
done
for file in $(find bundle verify mirror -name 'cmd_*.c' | sort); do
	verb=${file##*/cmd_}
	check "$file: no row in commands.def" has_row "${verb%.c}"
done
for page in man/gpkg-bundle-*.1; do
	verb=${page#man/gpkg-bundle-}
	check "$page: no row in commands.def" has_row "${verb%.1}"
done
for page in man/*.1; do
	check "$page" sections "$page" NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" "SEE ALSO"
done
for page in man/*.5; do
	check "$page" sections "$page" NAME DESCRIPTION "EXAMPLES?" "SEE ALSO"
done
for page in man/*; do
	check "$page" titled "$page"
	check "$page" rendered "$page"
	check "$page" references "$page"
done
for format in lock manifest bundle-file; do
	check "no man/gpkg-$format.5" test -e "man/gpkg-$format.5"
done
check "man/gpkg-bundle.1" verb_lines
check "man/gpkg-bundle.1" mentions_of man/gpkg-bundle.1 reasons
check "man/gpkg-bundle.1" reason_status
check "man/gpkg-bundle.1" mentions_of man/gpkg-bundle.1 environment
check "man/gpkg-manifest.5" mentions_of man/gpkg-manifest.5 manifest_keys
check "man/gpkg-bundle-file.5" mentions_of man/gpkg-bundle-file.5 members
verdict man
