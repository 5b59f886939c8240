#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith case: the seal, and signatures of it, which OpenSSL makes and checks as well.
. "$(dirname "$0")/lib.sh"
tamper=$SRCDIR/tests/data/tamper.py
export PYTHONDONTWRITEBYTECODE=1

mkdir refs tree
for i in 1 2 3; do text $i 6000 >refs/$i; done
cp refs/1 tree
text 9 5000 >tree/other
status 0 "$KITH" add -q --kind notable refs.kith refs
status 0 "$KITH" scan -r refs.kith --case good.case tree
sealed=$(sed -n 's/.*good.case: sealed with //p' err)
[ "${#sealed}" -eq 64 ] || fail "no seal: $(cat err)"

# unchanged FILE SUM: its content has this SHA-256
unchanged()
{
    same "the content of $1" "$2" "$(sha256sum <"$1")"
}
before=$(sha256sum <good.case)

# ---- usage ----

status 2 "$KITH" case
says err "no action given"
status 2 "$KITH" case sael good.case
says err "unknown action 'sael' (did you mean seal?)"
status 2 "$KITH" case seal
says err "no case given"
status 2 "$KITH" case seal good.case good.case
says err "more than one case given"
status 2 "$KITH" case seal refs.kith
says err "refs.kith: is a reference set, not a case"
status 2 "$KITH" case seal nowhere.case
says err "nowhere.case: No such file"
status 2 "$KITH" case upgrade --sign key good.case
says err "--sign has no meaning for upgrade"
status 2 "$KITH" case seal --sign a --verify b good.case
says err "contradict each other"
status 2 "$KITH" case seal --signature a good.case
says err "--signature is an option of --sign and --verify"

# ---- the seal ----

status 0 "$KITH" case seal good.case
same "the seal" "$sealed" "$(cat out)"
status 0 "$KITH" case upgrade good.case
says out "good.case: needs no upgrade"
unchanged good.case "$before"

# ---- signatures ----

# pair NAME ALGORITHM: a private key and a public one
pair()
{
    openssl genpkey -algorithm "$2" -out "$1.private" 2>/dev/null || fail "no key of $2"
    openssl pkey -in "$1.private" -pubout -out "$1.public" 2>/dev/null
}
pair mine ed25519
pair other ed25519
pair agreed x25519

status 0 "$KITH" case seal --sign mine.private good.case
same "the seal that was signed" "$sealed" "$(cat out)"
cp out seal
openssl pkeyutl -verify -pubin -inkey mine.public -rawin -in seal -sigfile good.case.sig >openssl 2>&1 ||
    fail "OpenSSL does not accept the signature: $(cat openssl)"
status 0 "$KITH" case seal --verify mine.public good.case
says out "good.case: good signature, and the case is as it was signed"
openssl pkeyutl -sign -inkey mine.private -rawin -in seal -out by.openssl || fail "OpenSSL does not sign"
status 0 "$KITH" case seal --verify mine.public --signature by.openssl good.case
status 3 "$KITH" case seal --verify other.public good.case
says err "good.case.sig: BAD SIGNATURE"
cp by.openssl flipped
flip_bit flipped 7
status 3 "$KITH" case seal --verify mine.public --signature flipped good.case
says err "flipped: BAD SIGNATURE"
head -c 63 by.openssl >short
(cat by.openssl && printf x) >long
for file in short long /dev/null; do
    status 2 "$KITH" case seal --verify mine.public --signature $file good.case
    says err "$file: is not a signature: one has 64 bytes"
done

# Nothing is overwritten, or left behind.
sum=$(sha256sum <good.case.sig)
status 2 "$KITH" case seal --sign other.private good.case
says err "good.case.sig: File exists; a signature is never overwritten"
unchanged good.case.sig "$sum"
status 2 "$KITH" case seal --sign mine.private --signature tree/1 good.case
cmp -s tree/1 refs/1 || fail "a signature replaced another file"
status 2 "$KITH" case seal --sign nowhere --signature new good.case
says err "nowhere: No such file"
status 2 "$KITH" case seal --sign mine.public --signature new good.case
says err "mine.public: is not a private key in PEM"
status 2 "$KITH" case seal --sign agreed.private --signature new good.case
says err "agreed.private: is a private key, but not one of Ed25519"
status 2 "$KITH" case seal --verify mine.private good.case
says err "mine.private: is not a public key in PEM"
[ -e new ] && fail "a signature was left by an error"
unchanged good.case "$before"

# A case that was edited is neither sealed nor signed, and its signature is worth nothing.
cp good.case bad.case
python3 "$tamper" bad.case "UPDATE finding SET matched = 1" || fail "it could not be changed"
for action in "" "--sign mine.private" "--verify mine.public --signature good.case.sig"; do
    # shellcheck disable=SC2086
    status 3 "$KITH" case seal $action bad.case
    says err "bad.case: the case is damaged"
    says err "the case does not verify"
    [ -s out ] && fail "'$action' says $(cat out)"
done
[ -e bad.case.sig ] && fail "an edited case was signed"
head -c 3000 good.case >cut.case
status 2 "$KITH" case seal cut.case

# Neither is one whose scan is not finished: its rows are not sealed.
cp good.case begun.case
python3 "$tamper" begun.case "UPDATE evidence SET state = 'begun'; DELETE FROM log WHERE id > 2"
status 3 "$KITH" case seal --sign mine.private begun.case
says err "tree: the scan is incomplete, so the case was not signed"
[ -e begun.case.sig ] && fail "an unfinished case was signed"

# It resumes, and the signature of the finished case holds for no case but that one.
status 0 "$KITH" scan -q -r refs.kith --case begun.case tree
status 3 "$KITH" case seal --verify mine.public --signature good.case.sig begun.case
says err "BAD SIGNATURE"
finish
