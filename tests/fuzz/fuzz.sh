#!/bin/bash
# Fuzzes: fuzz.sh BUILD SECONDS [NAME]...     BUILD: the folder with the programs fuzz_NAME
# Each target gets SECONDS. What it finds stays in BUILD/corpus/NAME for the next run, an input that
# kills it in BUILD/NAME-crash-...
set -u
build=${1:?usage: fuzz.sh BUILD SECONDS [NAME]...}
seconds=${2:?usage: fuzz.sh BUILD SECONDS [NAME]...}
shift 2
here=$(dirname "$0")
failed=0

python3 "$here/seeds.py" "$build/seeds" || exit 1
for name in "$@"; do
	folders=("$build/corpus/$name" "$build/seeds/$name")
	mkdir -p "${folders[@]}"
	if [ -d "$here/corpus/$name" ]; then
		folders+=("$here/corpus/$name")
	fi
	echo "== $name"
	if ! "$build/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
		-print_funcs=0 -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/$name-" "${folders[@]}"; then
		failed=$((failed + 1))
		echo "FAILED: $name: see $build/$name-*"
	fi
done
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
