#!/bin/bash
# What a receiving desk and a user do with a bundle that have none of our programs: only the distribution's
# tar, zstd, minisign, sha256sum and pip. Run it where there is no network: unshare -n stock_side.sh ...
#	stock_side.sh BUNDLE PUBLIC_KEY TARGET FOLDER [SUMS]
# FOLDER is made: the bundle unpacked, and FOLDER/venv with the target's packages. SUMS: sha256sum's lines of
# what else must hold in the unpacked bundle.
set -euo pipefail

usage="usage: stock_side.sh BUNDLE PUBLIC_KEY TARGET FOLDER [SUMS]"
bundle=$(realpath "${1:?$usage}")
key=$(realpath "${2:?$usage}")
target=${3:?$usage}
folder=${4:?$usage}
sums=${5:+$(realpath "$5")}
# The Python that the target has; where it stands is the distribution's matter.
python=${PYTHON:-python3.11}

show() { # COMMAND...
	printf '  $ %s\n' "$*"
	"$@" 2>&1 | sed 's/^/    /'
}

mkdir -p "$folder"
cd "$folder"
show tar --zstd -xf "$bundle"
show minisign -Vm SHA256SUMS -p "$key"
show sha256sum --quiet -c SHA256SUMS
echo "    all $(wc -l <SHA256SUMS) members are as the signed list says"
if [ -n "$sums" ]; then
	sha256sum --quiet -c "$sums"
	echo "    all $(wc -l <"$sums") files are as the index published them"
fi
show "$python" -m venv venv
show venv/bin/pip --version
show venv/bin/pip install --quiet --no-index --no-deps --require-hashes -r "requirements.$target.txt"
show venv/bin/pip list --format freeze
