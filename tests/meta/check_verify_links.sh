#!/bin/bash
# gpkg-verify must need nothing of the connected or the disconnected side: no HTTP, no database, no HTML.
#	check_verify_links.sh BUILD
set -u
program=${1:?usage: check_verify_links.sh BUILD}/gpkg-verify
allowed='^lib(c|m|cjson|crypto|sodium|archive|zstd|xxhash|z|lz4|asan|ubsan|tsan|gcc_s)\.so|^ld-linux'
wrong=0

needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
	if ! grep -qE "$allowed" <<<"$library"; then
		echo "$program: links $library"
		wrong=$((wrong + 1))
	fi
done
if [ -z "$needed" ]; then
	echo "$program: not a program with libraries"
	wrong=1
fi
echo "gpkg-verify: $(wc -w <<<"$needed") libraries, $wrong wrong"
[ "$wrong" -eq 0 ]
