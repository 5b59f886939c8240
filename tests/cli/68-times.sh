#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Times say which zone they are in, or that they have none.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir tree refs
text 1 20000 >refs/known
cp refs/known tree/file
touch -d 2024-05-01T12:00:00Z tree/file

status 0 "$KITH" ls -q -l tree
grep -qE '  2024-05-01T12:00:00Z  .*  file$' out || fail "UTC: $(cat out)"
cp out utc
status 0 env TZ=IST-5:30 "$KITH" ls -q -l tree
cmp -s utc out || fail "the environment changes the zone: $(cat out)"
status 0 env TZ=IST-5:30 "$KITH" ls -q -l --timezone UTC tree
cmp -s utc out || fail "UTC is not the default: $(cat out)"
status 0 env TZ=IST-5:30 "$KITH" ls -q --format text --timezone local tree
grep -qE '  2024-05-01T17:30:00\+05:30  .*  file$' out || fail "local: $(cat out)"
if [ -e /usr/share/zoneinfo/America/New_York ]; then
    status 0 "$KITH" ls -q -l --timezone America/New_York tree
    grep -qE '  2024-05-01T08:00:00-04:00  .*  file$' out || fail "in New York: $(cat out)"
    touch -d 2024-01-01T12:00:00Z tree/file
    status 0 "$KITH" ls -q -l --timezone America/New_York tree
    grep -qE '  2024-01-01T07:00:00-05:00  .*  file$' out || fail "in winter: $(cat out)"
fi
mkdir zones zones/.hidden
echo "no zone" >zones/Text
printf 'TZif2' | tee outside zones/.hidden/zone >/dev/null
for zone in Nowhere/Land America ../outside .hidden/zone x/../../outside "$PWD/outside" Text utc '' ':UTC'; do
    status 2 env TZDIR="$PWD/zones" "$KITH" ls -q -l --timezone "$zone" tree
    says err "unknown time zone '$zone'"
done
for form in --csv --json --body --summary; do
    status 2 "$KITH" ls -q $form --timezone UTC tree
    says err "--timezone is an option of --long"
done

# ---- cases ----

status 0 "$KITH" add -q refs.kith refs
SOURCE_DATE_EPOCH=1714564800 status 0 "$KITH" scan -q --case a.case -r refs.kith tree
status 0 "$KITH" report --about a.case
says out "created     2024-05-01T12:00:00Z by"
says out "log         2024-05-01T12:00:00Z "
status 0 env TZ=EST5 "$KITH" report --about --timezone local a.case
says out "created     2024-05-01T07:00:00-05:00 by"
says out "log         2024-05-01T07:00:00-05:00 "
status 2 "$KITH" report --about --timezone Nowhere/Land a.case
says err "unknown time zone 'Nowhere/Land'"
status 2 "$KITH" report --timezone UTC a.case
says err "--timezone is an option of --about"

# ---- FAT has no zone ----

if PATH=$PATH:/usr/sbin:/sbin command -v mkfs.fat >/dev/null && command -v mcopy >/dev/null; then
    head -c 2000000 /dev/zero >fat.img
    touch -d 2024-05-01T12:00:00Z tree/file
    PATH=$PATH:/usr/sbin:/sbin mkfs.fat fat.img >/dev/null
    TZ=UTC mcopy -m -i fat.img tree/file ::/
    status 0 "$KITH" ls -q -l fat.img
    grep -qE '  2024-05-01T12:00:00 no zone  .*  file$' out || fail "FAT: $(cat out)"
    status 0 env TZ=EST5 "$KITH" ls -q -l --timezone local fat.img
    grep -qE '  2024-05-01T12:00:00 no zone  .*  file$' out || fail "FAT has got a zone: $(cat out)"
    status 0 "$KITH" ls -q --json fat.img
    says out '"mtime":"2024-05-01T12:00:00"'
    status 0 "$KITH" ls -q --csv fat.img
    says out ',2024-05-01T12:00:00Z,'
fi

finish
