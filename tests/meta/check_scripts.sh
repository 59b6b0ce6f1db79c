#!/bin/bash
# Lints the scripts: shellcheck for shell, the compiler for Python; each must be executable.
set -u
cd "$(dirname "$0")/../.." || exit 3
wrong=0
count=0

complain() { # FILE WHAT
	echo "$1: $2"
	wrong=$((wrong + 1))
}

check_one() { # FILE
	case $1 in
	*.py)
		python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$1" ||
			complain "$1" "not Python"
		;;
	*)
		shellcheck -x "$1" || complain "$1" "see shellcheck"
		;;
	esac
	# A module that others import begins with its text, not with an interpreter.
	if head -c 2 "$1" | grep -q '#!' && [ ! -x "$1" ]; then
		complain "$1" "begins with #! and is not executable"
	fi
}

while read -r file; do
	count=$((count + 1))
	check_one "$file"
done < <(find .ci tests -name __pycache__ -prune -o -type f \( -name run -o -name '*.sh' -o -name '*.py' \) -print | sort)
echo "scripts: $count files, $wrong wrong"
[ "$wrong" -eq 0 ]
