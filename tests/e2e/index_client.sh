#!/bin/bash
# Index pages and METADATA over the loopback interface, with faults.
# index_client.sh TOOL; TOOL is build/index_client. The last line is "N passed, N failed".
set -u
# shellcheck source=tests/e2e/client_fixture.sh
. "$(dirname "$0")/client_fixture.sh"

# ---- pages ----

start
fresh
client projects alpha gamma Flash.Attn
good "JSON pages" "alpha: 2 files" "gamma: 1 files" "$(sha "$work/wheels/alpha-1.0-py3-none-any.whl")" \
	"alpha-2.0%2Bcu128-py3-none-any.whl" "size=$(size "$work/wheels/gamma-1.0.tar.gz")"
good "names are normalised, a longer name is another project" "flash-attn: 1 files"
is "one request a project" "$(requests)" 3
client projects alpha gamma flash_attn
good "the same from the cache" "alpha: 2 files" "flash-attn: 1 files"
is "a fresh page is not asked for again" "$(requests)" 3
client projects nowhere
good "an unknown project is no error" "nowhere: 0 files" "not on the index at $index"
client projects nowhere
is "an unknown project is asked for again" "$(requests nowhere)" 2

start --format html
fresh
client projects alpha gamma
good "HTML pages" "alpha: 2 files" "$(sha "$work/wheels/alpha-1.0-py3-none-any.whl")" "gamma: 1 files"

start --cache no-cache
fresh
client projects alpha
client projects alpha
good "no-cache: asked again, answered with 304" "alpha: 2 files"
is "the page is sent once" "$(requests '"status": 304')" 1

# damage EXPRESSION: the body of each kept page becomes that (of `body`, bytes), with the digest it then has
damage() {
	python3 - "$work/cache/gpkg-bundle/cache.sqlite" "$1" <<'END'
import hashlib, sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    for key, body in db.execute("SELECT key, body FROM page").fetchall():
        bad = eval(sys.argv[2], {"body": body})
        db.execute("UPDATE page SET body = ?, sum = ? WHERE key = ?", (bad, hashlib.sha256(bad).digest(), key))
END
}

for bad in 'b""' 'body[:-1]' 'body + body' 'b"{}"' 'body.replace(b"links-1", b"links-0")'; do
	fresh
	client projects alpha
	damage "$bad"
	: >"$work/log"
	client projects alpha
	good "kept pages that do not read ($bad) are no pages" "alpha: 2 files"
	is "and are not compared with ($bad)" "$(requests '"status": 200') $(requests)" "1 1"
done

start --cache max-age=3600 --yanked "alpha-1.0-py3-none-any.whl=" --yanked "$alpha=bad build" \
	--requires "$alpha=>=3.9,<4" --format html
fresh
client projects alpha
good "yanked and requires-python" "yanked=()" "yanked=(bad build)" "python=>=3.9,<4"
cp "$work/out" "$work/first"
client projects alpha
is "a kept page says all that the page said" "$(requests) $(cmp "$work/first" "$work/out" 2>&1)" "1 "

start --fault gzip
fresh
client projects alpha
good "a compressed page" "alpha: 2 files"

start --fault bomb
fresh
client projects alpha
bad "a compressed bomb" index "$index/alpha/" "longer than"

start --fault 500=2
fresh
client projects alpha
good "500 twice, then well" "alpha: 2 files"
is "three tries" "$(requests)" 3

start --fault 500
fresh
with=(PIP_RETRIES=1)
client projects alpha
bad "500 for ever" index "$index/alpha/" "500 Internal Server Error"
with=()

start --fault html-error
fresh
client projects alpha
bad "an HTML page that is no index" index "Please sign in" "$index/alpha/"

start --content-type application/octet-stream
fresh
client projects alpha
bad "an unknown content type" index "application/octet-stream" "$index/alpha/"

for format in json html; do
	start --fault old-api --format $format
	fresh
	client projects alpha
	bad "another major version of the API ($format)" index "version 2.0" "$index/alpha/"
done

start --fault loop
fresh
client projects alpha
bad "a redirect loop" index "redirects"

start --fault "redirect=file://"
fresh
client projects alpha
bad "a redirect to a file" index "no http or https"

start --fault retry-after=1
fresh
client projects alpha
good "429 with Retry-After" "alpha: 2 files"

start --fault hang
fresh
with=(PIP_TIMEOUT=1 PIP_RETRIES=0)
client projects alpha
bad "a server that hangs" network "time-out" "$index/alpha/" "PIP_TIMEOUT"
with=()

start --fault s3-403
fresh
client projects alpha
good "S3's 403 for a key that is not there" "alpha: 0 files"

start --fault status=403
fresh
client projects alpha
bad "403 by anybody else" index "403 Forbidden" "netrc"

stop_server
fresh
client projects alpha
bad "nobody listens" network "$index/alpha/" "refused"

index=http://192.0.2.1/simple
client projects alpha
bad "plain http to a host that is not trusted" index "192.0.2.1" "PIP_TRUSTED_HOST"

start --fault half-file=1
fresh
client projects alpha
good "a page that is cut" "alpha: 2 files"

start
fresh
with=(PIP_INDEX_URL=http://proxied.invalid/simple PIP_TRUSTED_HOST=proxied.invalid PIP_PROXY="$url")
client projects alpha
good "PIP_PROXY" "alpha: 2 files" "from=http://proxied.invalid/simple"
for name in http_proxy HTTP_PROXY; do
	fresh
	with=(PIP_INDEX_URL=http://proxied.invalid/simple PIP_TRUSTED_HOST=proxied.invalid "$name=$url")
	client projects alpha
	good "$name" "alpha: 2 files"
done
fresh
with=(http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1)
client projects alpha
good "no_proxy" "alpha: 2 files"
with=()

# ---- credentials ----

start --auth 'me:p@ss'
plain=$index
fresh
client projects alpha
bad "no credentials" index "401" "netrc"
index=${plain/127/me:p%40ss@127}
client projects alpha
good "credentials in the index URL" "alpha: 2 files" "from=$plain"
grep -q 'p%40ss\|p@ss' "$work/out" "$work/err"
is "no output shows them" $? 1
client fetch "${plain%/simple}/files/beta-1.0-py3-none-any.whl" "$(sha "$work/wheels/beta-1.0-py3-none-any.whl")" -
good "they serve for files of the same origin" "fetched"
client projects nowhere
good "a 404 with credentials" "not on the index at $plain"
index=${plain/127/me:wr%40ng@127}
fresh
client projects alpha
bad "wrong credentials" index "401"
grep -q 'wr%40ng\|wr@ng' "$work/err"
is "no message shows them" $? 1
index=$plain
printf 'machine 127.0.0.1 login me password p@ss\n' >"$work/home/.netrc"
chmod 644 "$work/home/.netrc"
client projects alpha
bad "netrc that others can read" permission "$work/home/.netrc" "chmod 600"
chmod 600 "$work/home/.netrc"
client projects alpha
good "credentials in netrc" "alpha: 2 files"
rm "$work/home/.netrc"

start --fault redirect-host
index=${index/127/me:secret@127}
fresh
client projects alpha
good "a redirect to another host" "alpha: 2 files"
is "which gets no credentials" "$(requests '"auth": null, .*"host": "localhost')" 1
is "the first host got them" "$(requests '"auth": "Basic [^"]*", .*"host": "127')" 1

# ---- TLS ----

if command -v openssl >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
	cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
	start --tls "$work/both.pem"
	fresh
	client projects alpha
	bad "an unknown certificate" network "certificate is not trusted" "PIP_CERT"
	with=(PIP_CERT="$work/cert.pem")
	client projects alpha
	good "PIP_CERT" "alpha: 2 files"
	fresh
	with=(PIP_TRUSTED_HOST=127.0.0.1)
	client projects alpha
	good "PIP_TRUSTED_HOST" "alpha: 2 files"
	with=(PIP_CERT="$work/nowhere.pem")
	client projects alpha
	bad "a certificate bundle that is not there" invalid "nowhere.pem" "PIP_CERT"
	fresh
	start --tls "$work/both.pem" --fault "redirect=http://127.0.0.1:9"
	with=(PIP_CERT="$work/cert.pem")
	client projects alpha
	bad "from https to http" index "from https to http"
	with=()
fi

# ---- METADATA ----

start --metadata
fresh
client metadata alpha "$alpha"
good "METADATA by its sibling" "Version: 2.0+cu128"
is "no byte of the wheel" "$(requests 'any.whl"')" 0
client metadata alpha "$alpha"
is "kept for the next run" "$(requests metadata)" 1

start --metadata --fault 404:.metadata
fresh
client metadata alpha "$alpha"
good "a sibling that is promised only" "Version: 2.0+cu128"

start --metadata --fault html-error:.metadata
fresh
client metadata alpha "$alpha"
bad "a sibling with other bytes" hash-mismatch ".metadata"

start
fresh
client metadata alpha "$alpha"
good "METADATA by a range" "Version: 2.0+cu128"
is "one request" "$(requests /files/)" 1
[ "$(sent)" -le 65536 ]
say "not the whole wheel" $?
client metadata many many-1.0-py3-none-any.whl
good "a long directory" "Name: many"

start --format html
fresh
client metadata alpha "$alpha"
good "the last bytes of a file of unknown size" "Version: 2.0+cu128"
is "one request with a suffix" "$(requests 'bytes=-65536')" 1
client metadata beta beta-1.0-py3-none-any.whl
good "a file shorter than the range" "Name: beta"

start --format html --no-suffix
fresh
client metadata alpha "$alpha"
good "a server that takes no suffix" "Version: 2.0+cu128"
is "asked for the size" "$(requests '"method": "HEAD"')" 1

start --no-ranges
fresh
client metadata alpha "$alpha"
good "a server without ranges" "Version: 2.0+cu128"
is "the whole wheel is in the cache" "$(blobs)" 1

start --fault 404:/files/
fresh
client metadata alpha "$alpha"
bad "a listed file that is not there" index "404 Not Found" "lists a file that is not there"

# ---- find-links and several indexes ----

start
fresh
with=(PIP_FIND_LINKS="$work/other $work/empty $work/missing" PIP_NO_INDEX=1)
client projects delta alpha
good "a folder, an empty one, a missing one" "delta: 1 files" "file://$work/other/delta-1.0" "alpha: 1 files"
client metadata delta delta-1.0-py3-none-any.whl
good "METADATA of a local wheel" "Name: delta"
is "no-index: no request" "$(requests)" 0
with=(PIP_FIND_LINKS="$url/flat/" PIP_NO_INDEX=1)
client projects alpha gamma
good "a find-links page" "alpha: 2 files" "gamma: 1 files"
printf '<a href="other/delta-1.0-py3-none-any.whl#sha256=%s">x</a>' "$(sha "$work/other/delta-1.0-py3-none-any.whl")" \
	>"$work/links.html"
with=(PIP_FIND_LINKS="file://$work/links.html" PIP_NO_INDEX=1)
client projects delta
good "a local page" "delta: 1 files" "sha256=$(sha "$work/other/delta-1.0-py3-none-any.whl")"
with=(PIP_FIND_LINKS="$url/nowhere/" PIP_NO_INDEX=1)
client projects alpha
bad "a find-links page that is not there" index "$url/nowhere/" "404" "find-links"

mkdir -p "$work/local/alpha"
printf '<a href="../../other/alpha-1.0-py3-none-any.whl">x</a>' >"$work/local/alpha/index.html"
with=(PIP_INDEX_URL="file://$work/local")
client projects alpha beta
good "an index in a folder" "alpha: 1 files" "beta: 0 files"

first=$index
first_server=$server
server=
python3 "$here/index_server.py" "$work/other" >"$work/url2" &
server=$!
for _ in $(seq 100); do
	[ -s "$work/url2" ] && break
	sleep 0.05
done
second=$(head -n 1 "$work/url2")/simple
with=(PIP_INDEX_URL="$first" PIP_EXTRA_INDEX_URL="$second")
client projects alpha delta
good "two indexes are merged" "alpha: 2 files" "delta: 1 files" "conflict=$second"
client metadata alpha alpha-1.0-py3-none-any.whl
bad "one name, two files" ambiguous "$first" "$second" "alpha-1.0-py3-none-any.whl"
client metadata alpha "$alpha"
good "which does not disturb another file" "Version: 2.0+cu128"
kill "$first_server"
wait "$first_server" 2>/dev/null

# ---- pip's default ----

start
fresh
mkdir -p "$work/bin"
printf '#!/bin/sh\necho "%s"\n' "$index" >"$work/bin/python3"
chmod +x "$work/bin/python3"
with=(PIP_INDEX_URL= PATH="$work/bin:$PATH")
client projects alpha
good "the index that pip itself names" "alpha: 2 files" "from=$index"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/python3"
client projects alpha
bad "no pip to ask" tool "no package index is configured" "PIP_INDEX_URL"
with=()

verdict
