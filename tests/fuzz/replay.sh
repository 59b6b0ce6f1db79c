#!/bin/bash
# Runs every fuzz target on its corpus and on mutations of it.
#	replay.sh BUILD [NAME]...     BUILD: the folder with replay_NAME
# The corpus of a target is what seeds.py makes, and the texts in tests/fuzz/corpus/NAME.
set -u
build=${1:?usage: replay.sh BUILD [NAME]...}
shift
here=$(dirname "$0")
work=build/fuzz
passed=0
failed=0

if [ $# -eq 0 ]; then
	for source in "$here"/fuzz_*.c; do
		name=${source##*/fuzz_}
		set -- "$@" "${name%.c}"
	done
fi
mkdir -p "$work"
python3 "$here/seeds.py" "$work/seeds" || exit 1
for name in "$@"; do
	printf '%s: ' "$name"
	if "$build/replay_$name" "$work/killer-$name" "$work/seeds/$name" "$here/corpus/$name" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name; the input is $work/killer-$name where the target died"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
