# shellcheck shell=bash
# Sourced by the checks of this folder: runs checks, says what is wrong, counts.
checks=0
wrong=0

check() { # WHAT COMMAND...: the command must succeed and say nothing
	local what=$1 said
	shift
	checks=$((checks + 1))
	if ! said=$("$@" 2>&1) || [ -n "$said" ]; then
		wrong=$((wrong + 1))
		echo "$what"
		[ -z "$said" ] || printf '\t%s\n' "${said//$'\n'/$'\n\t'}"
	fi
}

verdict() { # NAME: the last line, and whether all is well
	echo "$1: $checks checks, $wrong wrong"
	[ "$wrong" -eq 0 ]
}

verbs() {
	sed -n 's/^VERB([A-Z]*, \([a-z]*\),.*/\1/p' bundle/commands.def
}
