#!/bin/bash
# Runs the tests: every part of the table below, or those named. `make check` calls it.
#	run.sh [NAME]...     run.sh --list
# A part is a command. Its output goes to build/check/NAME.log. It passes when it exits 0; the last line
# of the kinds "N passed, N failed", "N cases, M differences" and "N files, M wrong" in its output says
# how many checks it made, else it counts as one. "skipped: why" says what it could not do here.
# The last line is "N passed, N failed"; the exit status is 1 if something failed.
set -u
cd "$(dirname "$0")/.." || exit 3

# Nothing of the caller's may decide a test, and no test may reach the caller's store.
unset MAKEFLAGS MFLAGS MAKELEVEL CC SAN BUILD CFLAGS LDFLAGS
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 GPKG_BUNDLE_STORE=$PWD/build/check/store
export py=build/tools/bin/python shared=../shared
export asan=build/clang-address-undefined
jobs="-j$(nproc)"
export jobs
limit=1200 # seconds for one part

# name | command
parts() {
	cat <<'END'
layers          | tests/meta/check_layers.sh
layers-test     | tests/meta/check_layers_test.sh
scripts         | tests/meta/check_scripts.sh
build           | make $jobs all unit tools
build-asan      | make $jobs CC=clang SAN=address,undefined unit replay
build-thread    | make $jobs CC=clang SAN=thread unit
headers         | tests/meta/check_headers.sh build/flags
verify-links    | tests/meta/check_verify_links.sh build
man             | tests/meta/check_man.sh
help            | tests/meta/check_help.sh build
install         | tests/meta/check_install.sh
unit            | build/unit
unit-asan       | $asan/unit
unit-thread     | build/clang-thread/unit
fuzz-replay     | tests/fuzz/replay.sh $asan
versions        | $py tests/e2e/differential_versions.py build/nouns_oracle
markers         | $py tests/e2e/differential_markers.py build/markers_oracle
toml            | $py tests/e2e/toml_conformance.py build/toml_json $shared/toml-test
locks           | $py tests/e2e/lock_corpus.py build/lock_json $shared/locks
locks-pylock    | $py tests/e2e/lock_corpus_pylock.py build/lock_plan $shared/locks
locks-uv        | $py tests/e2e/lock_corpus_uv.py build/lock_plan $shared/locks
foreign-locks   | $py tests/e2e/foreign_locks.py build
locks-txt       | $py tests/e2e/lock_corpus_requirements.py build/lock_plan $shared/locks
requirements    | $py tests/e2e/differential_requirements.py build/lock_plan
minisign        | tests/e2e/minisign_interop.sh build/gpkg-bundle
pip-config      | $py tests/e2e/differential_pip_config.py build/index_client
index-client    | tests/e2e/index_client.sh build/index_client
fetch-client    | tests/e2e/fetch_client.sh build/index_client
credentials     | $py tests/e2e/credentials.py build
doctor          | $py tests/e2e/doctor.py build
resolve-verb    | $py tests/e2e/resolve_verb.py build
field-cases     | $py tests/e2e/field_cases.py build
field-traps     | $py tests/e2e/field_traps.py build
field-tags      | $py tests/e2e/field_tags.py build
sources         | $py tests/e2e/sources.py build
available       | $py tests/e2e/available.py build
index-peers     | $py tests/e2e/index_peers.py build
universes       | $py tests/e2e/differential_resolve.py build/gpkg-bundle 60
readelf         | $py tests/e2e/readelf_differential.py build/elf_show
device-made     | $py tests/e2e/device_made.py build/device_show
cuobjdump       | $py tests/e2e/cuobjdump_differential.py build/device_show build/wheels --small
audit           | $py tests/e2e/audit.py build
audit-create    | $py tests/e2e/audit_create.py build
airgap          | $py tests/e2e/airgap.py build
determinism     | $py tests/e2e/determinism.py build
hostile-bundle  | $py tests/e2e/hostile_bundle.py build
create-faults   | $py tests/e2e/create_faults.py build
bad-input       | $py tests/e2e/bad_input.py build
serve-clients   | PATH=$PWD/build/tools/bin:$PATH tests/e2e/serve_clients.sh build/store_fill build/gpkg-bundle
site-build      | $py tests/e2e/build.py build
END
}

passed=0
failed=0
skipped=0

# Sets p, f and s to what the part's log and exit status say.
count() { # LOG STATUS
	local line
	p=0 f=0
	s=$(grep -cE '(^|[ :])skipped: ' "$1")
	line=$(grep -oE '[0-9]+ passed, [0-9]+ failed|[0-9]+ [a-z]+, [0-9]+ (differences|wrong)' "$1" | tail -n 1)
	case $line in
	*failed)
		p=${line%% *}
		f=${line#*, }
		f=${f%% *}
		;;
	*differences | *wrong)
		f=${line#*, }
		f=${f%% *}
		p=$((${line%% *} - f))
		;;
	*)
		[ "$2" -eq 0 ] && [ "$s" -eq 0 ] && p=1
		;;
	esac
	[ "$2" -ne 0 ] && [ "$f" -eq 0 ] && f=1
}

run_part() { # NAME COMMAND
	local log=build/check/$1.log status begin=$SECONDS verdict=ok
	timeout -k 10 "$limit" bash -c "$2" >"$log" 2>&1 </dev/null
	status=$?
	count "$log" "$status"
	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
	if [ "$f" -gt 0 ]; then
		verdict=FAILED
	elif [ "$p" -eq 0 ]; then
		verdict=skipped
	fi
	printf '%-8s%-16s%4d s  %d passed, %d failed\n' "$verdict" "$1" $((SECONDS - begin)) "$p" "$f"
	grep -E '(^|[ :])skipped: ' "$log" | sed 's/^/        /'
	if [ "$f" -gt 0 ]; then
		echo "        exit status $status; the end of $log:"
		tail -n 25 "$log" | sed 's/^/        | /'
	fi
}

is_asked() { # NAME ASKED...
	local name=$1 asked
	shift
	for asked in "$@"; do
		[ "$asked" = "$name" ] && return 0
	done
	[ $# -eq 0 ]
}

if [ "${1:-}" = --list ]; then
	parts
	exit 0
fi
for asked in "$@"; do
	if ! parts | grep -q "^$asked *|"; then
		echo "run.sh: no part \"$asked\"; see: tests/run.sh --list" >&2
		exit 2
	fi
done
mkdir -p build/check
while IFS='|' read -r name command <&3; do
	name=${name%% *}
	if is_asked "$name" "$@"; then
		run_part "$name" "$command"
	fi
done 3< <(parts)
if [ "$skipped" -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
