#!/bin/bash
# The laws of the tree, each a function that prints what breaks it:
#	check_layers.sh [ROOT]     the last line is "check-layers: N files, M wrong"
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 3

files() { # FIND-TEST...: everything but what git and the build keep
	find . \( -name .git -o -name build -o -name __pycache__ \) -prune -o -type f "$@" -print | sed 's,^\./,,' | sort
}

c_files() {
	files \( -name '*.c' -o -name '*.h' -o -name '*.def' \)
}

program_files() {
	files \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.sql' -o -name '*.sh' -o -name '*.py' \)
}

# "FILE NAME" for every #include "NAME" and #include <NAME>, the quote or bracket before the name.
includes() {
	c_files | xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null |
		sed -nE 's/^([^:]*):[0-9]+:[^"<]*(["<][^">]*)[">].*/\1 \2/p'
}

# manifests/base <- manifests <- verify <- bundle | mirror; tests may include anything.
include_law() {
	includes | awk '
		function folder(path) {
			if (path ~ /^manifests\/base\//) return "manifests/base"
			sub(/\/.*/, "", path)
			return path
		}
		BEGIN {
			rank["manifests/base"] = 1; rank["manifests"] = 2; rank["verify"] = 3
			rank["bundle"] = 4; rank["mirror"] = 4; rank["tests"] = 5
		}
		substr($2, 1, 1) == "\"" {
			path = substr($2, 2); from = folder($1); to = folder(path)
			if (!(to in rank) || path !~ /\//)
				print $1 ": includes \"" path "\", not written from the root"
			else if (from != to && rank[to] >= rank[from])
				print $1 ": " from " must not include " path
		}'
}

# A third-party header has one owner, or one for each direction: HEADER-PATTERN OWNER-PATTERN
owners() {
	cat <<'END'
jansson\.h         manifests/base/json\.c
openssl/.*          verify/hash\.c
sodium\.h           verify/crypto\.c
archive.*\.h        verify/archive_in\.c
xxhash\.h           verify/zstd_in\.c|bundle/zstd_out\.c
zlib\.h             verify/wheel_in\.c
zstd\.h|lz4\.h      verify/device_payload\.c
curl/.*             bundle/http_[a-z]+\.[ch]
libxml/.*           bundle/index_html\.c
sqlite3\.h          mirror/db\.c|bundle/cache[a-z_]*\.c
microhttpd\.h       mirror/http_serve\.c
END
}

# What the C library and the kernel bring; every other header is third-party and must stand above.
system_headers='(assert|ctype|dirent|dlfcn|elf|errno|fcntl|float|ftw|getopt|glob|grp|inttypes|langinfo|limits'
system_headers+='|link|locale|math|mntent|netdb|poll|pthread|pwd|sched|signal|spawn|stdalign|stdarg|stdatomic'
system_headers+='|stdbool|stddef|stdint|stdio|stdlib|string|strings|termios|time|unistd|wchar|sys/[a-z]+'
system_headers+='|linux/[a-z_]+|net/[a-z_]+|netinet/[a-z]+|arpa/inet|endian|byteswap|malloc|syslog)\.h'

header_owners() {
	owners | awk -v system_headers="^$system_headers$" '
		NR == FNR { pattern[++n] = "^" $1 "$"; owner[n] = "^(" $2 ")$"; next }
		$1 ~ /^tests\// || substr($2, 1, 1) != "<" { next }
		{
			header = substr($2, 2)
			if (header ~ system_headers) next
			for (i = 1; i <= n && header !~ pattern[i]; i++) ;
			if (i > n) print $1 ": includes <" header ">, which has no owner in check_layers.sh"
			else if ($1 !~ owner[i]) print $1 ": includes <" header ">, which belongs to " owner[i]
		}' - <(includes)
}

file_length() {
	program_files | xargs wc -l | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, at most 500" }'
}

# Counted from the first line of the signature to the closing brace in the first column.
function_length() {
	c_files | xargs awk '
		FNR == 1 { start = inside = 0 }
		inside && /^}/ {
			if (FNR - start + 1 > 60)
				print FILENAME ":" start ": a function of " FNR - start + 1 " lines, at most 60"
			inside = start = 0
			next
		}
		inside { next }
		/^$|^#|^\/\*|^ \*/ { start = 0; next }
		!start { start = FNR }
		/^{$/ { inside = 1 }'
}

file_names() {
	program_files | awk -F / '
		tolower($NF) ~ /(^|[_.-])(util|utils|common|misc|helper|helpers)([_.-]|$)/ {
			print $0 ": a name that says nothing"
		}
		$NF in seen { print $0 ": the name of " seen[$NF] }
		{ seen[$NF] = $0 }'
}

# Only the program's own name and the texts of rc.def.
base_vocabulary() {
	# shellcheck disable=SC2016 # awk's own
	files -path './manifests/base/*' ! -name rc.def | xargs awk '{
		text = tolower($0)
		gsub(/gpkg-bundle/, "", text)
		if (match(text, /wheel|cuda|bundle/))
			print FILENAME ":" FNR ": base knows no such word as \"" substr(text, RSTART, RLENGTH) "\""
	}'
}

leftovers() {
	files | xargs grep -nIE '\b(TO[D]O|FIX[M]E|X[X]X)\b' /dev/null | sed 's/^\([^:]*:[0-9]*\):.*/\1: unfinished/'
}

# The index is the one that pip is configured with; a test's folder is one it made.
places() {
	files | xargs grep -nIE 'pypi[.]org|pythonhosted[.]org|npmjs[.]|crates[.]io|anaconda[.]org' /dev/null |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: the host name of a registry/'
	files | xargs grep -nIE '(^|[^A-Za-z0-9_.-])/(wor[k]|tmp/(tool[s]|brie[f]))(/|$|[^a-z])' /dev/null |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: a path of one machine/'
	files ! -path './tests/*' | xargs grep -nI '[.][.]/shared' /dev/null |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: only tests may look beside the tree/'
}

binaries() {
	files -size +0 | xargs grep -LI . /dev/null | grep -v '^/dev/null$' | sed 's/$/: a binary file/'
}

report=$(
	include_law
	header_owners
	file_length
	function_length
	file_names
	base_vocabulary
	leftovers
	places
	binaries
)
wrong=$(printf '%s' "$report" | grep -c '')
if [ "$wrong" -gt 0 ]; then
	echo "$report"
fi
echo "check-layers: $(files | wc -l) files, $wrong wrong"
[ "$wrong" -eq 0 ]
