#!/bin/bash
# The solver alone, on universes made on the fly: CPU time, peak memory, what it asks for. See solve_bench.c.
#	solver.sh [BIN_DIR [CASE]...]
cd "$(dirname "$0")/../.." || exit 3
bin=${1:-build}
shift
exec "$bin/solve_bench" "$@"
