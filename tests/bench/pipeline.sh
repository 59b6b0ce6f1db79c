#!/bin/bash
# create, verify and import against tar, cp and openssl on the same bytes; memory; start-up. See pipeline.py.
#	pipeline.sh [BIN_DIR [OPTIONS]]
cd "$(dirname "$0")/../.." || exit 3
bin=${1:-build}
shift
exec python3 tests/bench/pipeline.py "$bin" "$@"
