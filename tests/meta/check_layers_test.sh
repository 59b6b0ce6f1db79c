#!/bin/bash
# Plants one violation of each law in a small tree and sees whether check_layers.sh names it.
set -u
laws=$(realpath "$(dirname "$0")/check_layers.sh")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 3
passed=0
failed=0

put() { # FILE LINE...
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "${@:2}" >"$1"
}

clean_tree() {
	rm -rf -- "${tree:?}"/*
	put manifests/base/str.h '#include <stdint.h>'
	put manifests/base/json.c '#include "manifests/base/str.h"' '#include <jansson.h>'
	put manifests/base/log.c 'const char *program = "gpkg-bundle";'
	put manifests/name.h '#include "manifests/base/str.h"'
	put verify/trust.c '#include "manifests/name.h"'
	put bundle/main.c '#include "verify/trust.h"' '#include "bundle/commands.def"'
	put mirror/db.c '#include <sqlite3.h>' '#include "manifests/base/str.h"'
	put tests/unit/db_test.c '#include "mirror/db.h"' '#include <sqlite3.h>' 'char t[] = "tmp.XXXXXX";'
	put tests/e2e/corpus.py 'folder = "../shared"'
}

lines() { # N TEXT
	local i
	for ((i = 0; i < $1; i++)); do
		echo "$2"
	done
}

# One message, and it is about FILE and holds TEXT.
expect() { # FILE TEXT
	local said
	said=$("$laws" "$tree" 2>&1)
	if [ $? -eq 1 ] && [ "$(wc -l <<<"$said")" -eq 2 ] && [[ $said == "$1:"*"$2"*", 1 wrong" ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED: planted in %s, expected "%s", got:\n%s\n' "$1" "$2" "$said"
	fi
	clean_tree
}

plant() { # FILE LINE TEXT: adds the line and expects a message with the text
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >>"$1"
	expect "$1" "$3"
}

clean_tree
if "$laws" "$tree" >said 2>&1; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAILED: a clean tree:"
	cat said
fi
rm -f said

plant manifests/base/json.c '#include "manifests/name.h"' 'manifests/base must not include manifests/name.h'
plant manifests/name.h '#include "verify/trust.h"' 'manifests must not include'
plant verify/trust.c '#include "bundle/pack.h"' 'verify must not include'
plant verify/trust.c '#  include "mirror/db.h"' 'verify must not include'
plant bundle/main.c '#include "mirror/db.h"' 'bundle must not include'
plant mirror/db.c '#include "bundle/pack.h"' 'mirror must not include'
plant mirror/db.c '#include "tests/unit/unit.h"' 'mirror must not include'
plant mirror/db.c '#include "store.h"' 'not written from the root'
plant mirror/db.c '#include "extra/store.h"' 'not written from the root'
plant mirror/store.c '#include <sqlite3.h>' 'belongs to'
plant bundle/main.c '#include <jansson.h>' 'belongs to'
plant verify/trust.c '#include <curl/curl.h>' 'belongs to'
plant verify/trust.c '#include <yaml.h>' 'has no owner'
plant verify/common.c 'int x;' 'a name that says nothing'
plant verify/str_util.c 'int x;' 'a name that says nothing'
put mirror/trust.c 'int x;'
expect verify/trust.c 'the name of mirror/trust.c'
plant manifests/base/log.c '/* of a Wheel */' 'base knows no such word'
plant manifests/base/log.c 'int cuda_version;' 'base knows no such word'
plant verify/trust.c "/* TO""DO: more */" 'unfinished'
plant tests/e2e/corpus.py "# FIX""ME" 'unfinished'
plant tests/e2e/corpus.py "index = 'https://pypi"".org/simple'" 'a registry'
plant verify/trust.c "/* see /wor""k/main */" 'a path of one machine'
plant verify/trust.c "open('../sha""red/x')" 'only tests may look'
plant verify/trust.c "$(lines 501 'int x;')" 'lines, at most 500'
plant tests/e2e/corpus.py "$(lines 500 'x = 1')" '501 lines, at most 500'
plant verify/trust.c "
/* A comment does not count. */
static int long_one(void)
{
$(lines 58 '	x();')
}" 'a function of 61 lines'
printf '\0\1\2' >verify/blob.bin
expect verify/blob.bin 'a binary file'

# What is allowed although it looks alike.
put verify/trust.c '' 'static int just_right(void)' '{' "$(lines 57 '	x();')" '}'
lines 400 '' >>verify/trust.c
if "$laws" "$tree" >said 2>&1; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAILED: a function of 60 lines:"
	cat said
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
