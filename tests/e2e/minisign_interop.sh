#!/bin/bash
# Round trips between our keys and signatures and stock minisign's, in both directions.
#	minisign_interop.sh BIN [N]     BIN: gpkg-bundle, with minisign_tool beside it; N round trips each way (20)
# Keys are made by either side, with and without a password. An encrypted key costs seconds and 1 GiB a
# use, by design, so only every 50th round trip takes one.
set -u

bin=${1:?usage: minisign_interop.sh BIN [N]}
rounds=${2:-20}
bin=$(realpath "$bin")
tool=$(dirname "$bin")/minisign_tool
passed=0
failed=0

if ! command -v minisign >/dev/null; then
	echo "skipped: no minisign"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
export HOME=$work
: >out

check() { # WHAT COMMAND...: it must succeed; what the check before it printed is in ./last
	local what=$1
	shift
	mv -f out last
	if "$@" >out 2>err; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what: $*"
		cat out err
	fi
}

check_not() { # WHAT COMMAND...: it must refuse with exit status 1
	local what=$1 status
	shift
	mv -f out last
	"$@" >out 2>err
	status=$?
	if [ "$status" -eq 1 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what: status $status: $*"
		cat out err
	fi
}

with_password() { # COMMAND...: typed once for us, twice for minisign's new keys
	printf 'correct horse\ncorrect horse\n' | "$@"
}

same_text() { # FILE TEXT
	[ "$(cat "$1")" = "$2" ]
}

same_key() { # PUB PUB: minisign 0.11 writes a number in the comment without its leading zeros
	[ "$(sed -n 2p "$1")" = "$(sed -n 2p "$2")" ]
}

# ours-plain, ours-locked, stock-plain, stock-locked; *-unlocked is *-locked after minisign -C -W
make_keys() {
	check "our plain key" "$bin" keygen --no-password -o ours-plain
	check "our locked key" with_password "$bin" keygen -o ours-locked
	check "stock's plain key" minisign -G -W -p stock-plain.pub -s stock-plain.key
	check "stock's locked key" with_password minisign -G -p stock-locked.pub -s stock-locked.key
	check "stock's public half of our plain key" minisign -R -s ours-plain.key -p again.pub
	check "and it is the same" same_key again.pub ours-plain.pub
	check "stock's public half of our locked key" \
		with_password minisign -R -s ours-locked.key -p again2.pub
	check "and it is the same" same_key again2.pub ours-locked.pub
	for k in ours stock; do
		cp -p $k-locked.key $k-unlocked.key
		cp $k-locked.pub $k-unlocked.pub
		check "stock takes the password off $k-locked" \
			with_password minisign -C -W -s $k-unlocked.key
	done
}

choose_key() { # ROUND: which key it uses
	local plain=(ours-plain stock-plain ours-unlocked stock-unlocked)
	case $(($1 % 50)) in
	24) echo ours-locked ;;
	49) echo stock-locked ;;
	*) echo "${plain[$((RANDOM % 4))]}" ;;
	esac
}

make_message() { # 0 to 64 KiB, now and then nothing and 3 MiB
	local size=$((RANDOM * 2))
	case $((RANDOM % 20)) in
	0) size=0 ;;
	1) size=3145728 ;;
	esac
	head -c "$size" /dev/urandom >message
}

make_comment() { # printable ASCII, TAB and spaces inside, 0 to 300 characters
	local n=$((RANDOM % 300)) text
	text=$(head -c 2000 /dev/urandom | tr -dc ' -~\t' | head -c "$n")
	printf 'x%s.' "$text"
}

damage() { # the last byte of the message, or one more where it is empty
	cp message damaged
	printf '\377' >>damaged
}

round_ours() { # we sign, both verify
	local key comment
	key=$(choose_key "$1")
	make_message
	comment=$(make_comment)
	check "we sign with $key" with_password "$tool" sign "$key.key" message ours.minisig "$comment"
	check "stock verifies" minisign -Q -VHm message -x ours.minisig -p "$key.pub"
	check "and prints our comment" same_text last "$comment"
	check "we verify" "$tool" verify "$key.pub" message ours.minisig
	damage
	check_not "stock refuses a changed message" minisign -VHm damaged -x ours.minisig -p "$key.pub"
}

round_stock() { # stock signs, both verify
	local key comment
	key=$(choose_key "$1")
	make_message
	comment=$(make_comment)
	check "stock signs with $key" with_password minisign -S -m message -x stock.minisig \
		-s "$key.key" -t "$comment" -c "untrusted $1"
	check "we verify" "$tool" verify "$key.pub" message stock.minisig
	check "and print its comment" same_text last "$comment"
	damage
	check_not "we refuse a changed message" "$tool" verify "$key.pub" damaged stock.minisig
	other=ours-plain
	[ "$key" != ours-plain ] || other=stock-plain
	check_not "we refuse another key" "$tool" verify "$other.pub" message stock.minisig
}

refusals() {
	echo text >message
	minisign -S -l -m message -x legacy.minisig -s stock-plain.key >/dev/null
	check_not "we refuse the legacy kind" "$tool" verify stock-plain.pub message legacy.minisig
	minisign -S -m message -x good.minisig -s stock-plain.key >/dev/null
	check "stock's default comment" "$tool" verify stock-plain.pub message good.minisig
	sed 's/$/\r/' good.minisig >crlf.minisig
	check "CRLF, ours" "$tool" verify stock-plain.pub message crlf.minisig
	check "CRLF, stock" minisign -VHm message -x crlf.minisig -p stock-plain.pub
	check_not "we refuse a wrong password" \
		bash -c "echo wrong | '$tool' sign ours-locked.key message x.minisig t"
	check_not "a pair is never replaced" "$bin" keygen --no-password -o ours-plain
	check "trust takes stock's key" "$bin" trust --store store add stock-plain.pub
	check "and lists it" "$bin" trust --store store list
	check "with stock's line" grep -q "$(sed -n 2p stock-plain.pub)" last
}

make_keys
refusals
for ((i = 0; i < rounds; i++)); do
	round_ours "$i"
	round_stock "$i"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
