#!/bin/bash
# Compiles every header alone: it must bring what it uses, and be included twice without harm.
#	check_headers.sh FLAGS     FLAGS: build/flags, the compiler and its flags as the build uses them
set -u
flags=$(realpath "${1:?usage: check_headers.sh FLAGS}")
cd "$(dirname "$0")/../.." || exit 3
export flags

check_one() {
	# shellcheck disable=SC2046 # a list of words
	printf '#include "%s"\n#include "%s"\n' "$1" "$1" | $(cat "$flags") -fsyntax-only -x c -
}
export -f check_one

headers=$(find manifests verify bundle mirror tests -name '*.h' | sort)
report=$(xargs -P "$(nproc)" -I '{}' bash -c 'check_one {} || echo "{}: does not compile alone"' \
	<<<"$headers" 2>&1)
wrong=$(grep -c ': does not compile alone$' <<<"$report")
if [ "$wrong" -gt 0 ]; then
	echo "$report"
fi
echo "headers: $(wc -l <<<"$headers") files, $wrong wrong"
[ "$wrong" -eq 0 ]
