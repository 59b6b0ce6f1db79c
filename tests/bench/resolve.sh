#!/bin/bash
# resolve against `uv pip compile` on the same loopback indexes; many candidates; memory. See resolve.py.
#	resolve.sh [BIN_DIR [OPTIONS]]
cd "$(dirname "$0")/../.." || exit 3
bin=${1:-build}
shift
exec build/tools/bin/python tests/bench/resolve.py "$bin" "$@"
