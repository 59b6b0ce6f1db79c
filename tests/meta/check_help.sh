#!/bin/bash
# --help of every verb: on standard output, narrow, exit status 0, and the same options as its page.
#	check_help.sh BUILD     the last line is "help: N checks, M wrong"
set -u
build=$(realpath "${1:?usage: check_help.sh BUILD}")
cd "$(dirname "$0")/../.." || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/meta/tally.sh
. tests/meta/tally.sh

# STATUS COMMAND...: what it prints is in $work/out and $work/err.
status_is() {
	local expected=$1 status
	shift
	"$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[ "$status" -eq "$expected" ] || echo "exit status $status, not $expected"
}

helps() { # COMMAND...: help went to standard output, 100 columns wide at most
	status_is 0 "$@"
	[ -s "$work/out" ] || echo "prints nothing on standard output"
	[ ! -s "$work/err" ] || cat "$work/err"
	expand "$work/out" | awk 'length > 100 { print "line " NR " is " length " columns wide" }'
	head -n 1 "$work/out" | grep -q "^usage: $(basename "$1") " || echo "does not begin with \"usage: \""
}

refuses() { # COMMAND...: a usage error, on standard error alone, which says where to look
	status_is 2 "$@"
	[ ! -s "$work/out" ] || echo "prints on standard output"
	grep -q -- --help "$work/err" || echo "does not say: see --help"
}

# "--name ARGUMENT" for every row of the help in $work/out.
help_options() {
	sed -nE 's/^  (-.,|   )? ?(--[a-z0-9-]+)( [^ ]+)?(  .*)?$/\2\3/p' "$work/out" | sort -u
}

# The same for the tagged paragraphs of a page's section OPTIONS.
page_options() { # PAGE
	awk '/^\.SH/ { inside = $2 == "OPTIONS" } inside && tag { print; tag = 0 }
		inside && /^\.(TP|TQ)/ { tag = 1 } inside && /^\.IP/ { print }' "$1" |
		sed -E 's/\\-/-/g; s/\\f[BIRP]//g; s/^\.[A-Z]+ //; s/"//g; s/ +/ /g' |
		grep -oE -- '--[a-z0-9-]+( [A-Z][^ ,]*)?' | sort -u
}

same_options() { # PAGE
	diff <(help_options) <(page_options "$1") | sed -n 's/^< /only in --help: /p; s/^> /only in the page: /p'
}

names_page() {
	local page
	page=$(sed -n 's/^More: man //p' "$work/out")
	[ -e "man/$page.1" ] || echo "names the page \"$page\", which does not exist"
}

check "gpkg-bundle --help" helps "$build/gpkg-bundle" --help
check "gpkg-bundle --version" status_is 0 "$build/gpkg-bundle" --version
check "gpkg-bundle" refuses "$build/gpkg-bundle"
check "gpkg-bundle nonsense" refuses "$build/gpkg-bundle" nonsense
for verb in $(verbs); do
	check "gpkg-bundle $verb --no-such-option" refuses "$build/gpkg-bundle" "$verb" --no-such-option
	check "gpkg-bundle $verb --help" helps "$build/gpkg-bundle" "$verb" --help
	check "gpkg-bundle $verb --help" names_page
	check "gpkg-bundle $verb --help and man/gpkg-bundle-$verb.1" same_options "man/gpkg-bundle-$verb.1"
done
check "gpkg-verify --no-such-option" refuses "$build/gpkg-verify" --no-such-option
check "gpkg-verify --help" helps "$build/gpkg-verify" --help
check "gpkg-verify --help" names_page
check "gpkg-verify --help and man/gpkg-verify.1" same_options man/gpkg-verify.1
verdict help
