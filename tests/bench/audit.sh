#!/bin/bash
# Reading a wheel's native code against inflating every member and hashing its contents once.
#	audit.sh [BIN_DIR [WHEEL]...]     without WHEEL: the largest in $GPKG_BUNDLE_WHEELS
# Prints CPU seconds, the ratio (at most 1.3), seconds by the clock on all cores, and the greatest memory (at most
# 256 MiB). Of three runs, the least of each time and the most of memory.
cd "$(dirname "$0")/../.." || exit 3
bin=${1:-build}
shift
if [ $# = 0 ]; then
	largest=$(find "${GPKG_BUNDLE_WHEELS:-/nonexistent}" -name '*.whl' -printf '%s %p\n' 2>/dev/null | sort -rn |
		sed -n '1s/^[0-9]* //p')
	[ -n "$largest" ] || { echo "skipped: no wheel given, and none in \$GPKG_BUNDLE_WHEELS"; exit 0; }
	set -- "$largest"
fi

best() { # ARGUMENT...: CPU seconds, seconds by the clock, KiB
	for _ in 1 2 3; do
		"$bin/native_bench" "$@" || exit 3
	done | awk '
		NR == 1 || $1 < cpu { cpu = $1 }
		NR == 1 || $2 < wall { wall = $2 }
		$3 > kib { kib = $3 }
		END { print cpu, wall, kib }'
}

status=0
for wheel; do
	read -r plain plain_wall _ < <(best plain 1 "$wheel")
	read -r cpu _ _ < <(best read 1 "$wheel")
	read -r all_cpu wall kib < <(best read 0 "$wheel")
	awk -v name="$(basename "$wheel")" -v plain="$plain" -v plain_wall="$plain_wall" -v cpu="$cpu" \
		-v all_cpu="$all_cpu" -v wall="$wall" -v kib="$kib" 'BEGIN {
		printf "%s\n", name
		printf "  inflate and hash  %6.2f CPU-s  %6.2f s\n", plain, plain_wall
		printf "  read, one thread  %6.2f CPU-s  ratio %.2f (at most 1.30)\n", cpu, cpu / plain
		printf "  read, all cores   %6.2f CPU-s  ratio %.2f  %6.2f s, %.2f of one thread\n", all_cpu,
			all_cpu / plain, wall, wall / cpu
		printf "  memory            %6.0f MiB (at most 256)\n", kib / 1024
		exit !(cpu <= 1.3 * plain && kib <= 256 * 1024)
	}' || status=1
done
exit $status
