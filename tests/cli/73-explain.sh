#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith explain: the commands that it prints are run, and print what it says.
. "$(dirname "$0")/lib.sh"
images python3 icat bsdtar

mkdir known disk bin
ln -s "$KITH" bin/kith
PATH=$PWD/bin:$PATH
texts <<'END'
1 60000 known/a.txt
2 200000 known/b.txt
3 30000 before
END
cp known/a.txt disk/copy.txt
cat before known/a.txt before >disk/emb.bin
{ head -c 90000 known/b.txt; echo changed; tail -c +90101 known/b.txt; } >disk/var.txt
{ cat before; tail -c +50001 known/b.txt | head -c 30000; cat before; } >disk/frag.bin
kith add -q --kind notable set.kith known || fail "no set"
mke2fs -q -F -t ext4 -d disk "disk's image.img" 8M >err 2>&1 || fail "mke2fs: $(cat err)"
ewfacquirestream -q -c fast -t disk >/dev/null 2>&1 <"disk's image.img"
qemu-img convert -O qcow2 -c "disk's image.img" disk.qcow2
{ head -c 1M /dev/zero; cat "disk's image.img"; } >parts.img
echo "start=2048, type=83" | sfdisk -q parts.img 2>/dev/null
{ head -c 70001 /dev/zero; cat known/a.txt; head -c 400000 /dev/zero; } >unallocated.raw
mkdir folder
cp known/a.txt $'folder/it\'s $(touch hacked)\n\e[2J\xff.txt'
cp disk/emb.bin folder/

# Each finding is explained in a folder of its own; the commands that have a result must print it.  Only names
# that are not printable ASCII need bash.
cat >run.py <<'PY'
import os, re, shutil, subprocess, sys
case, least = os.path.abspath(sys.argv[1]), int(sys.argv[2])
def kith(*args):
    return subprocess.run(['kith', *args], capture_output=True)
numbers = sorted(set(re.findall(r' finding ([0-9.]+)$', kith('report', '--text', '--all', case).stdout.decode('utf-8', 'replace'), re.M)))
compared = pairs = 0
independent = False
for number in numbers:
    got = kith('explain', case, number)
    if got.returncode or re.search(rb'[^\x20-\x7e\n]', got.stdout):
        print('FAILED:', number, got)
    text = got.stdout.decode()
    shutil.rmtree('run', ignore_errors=True)
    os.mkdir('run')
    sums = []
    for command, expected in re.findall(r'^    \$ (.*)\n(?:      prints (.*)\n)?', text, re.M):
        shell = 'bash' if "$'" in command else 'sh'
        done = subprocess.run([shell, '-c', command.replace('REFERENCE', '../known/b.txt')], cwd='run', capture_output=True, text=True)
        if 'icat' in command and '.E01' in command and os.environ['ICAT'] != 'whole':
            expected = expected and done.stdout.split()[0]
        elif done.returncode or done.stderr or (expected and done.stdout.split()[0] != expected):
            print('FAILED:', command, 'prints', done.stdout, done.stderr, 'and not', expected)
        compared += bool(expected)
        if not expected and 'sha1sum' in command:
            sums.append(done.stdout)
        independent = independent or 'bsdtar' in command and bool(expected)
    pairs += sum(sums[i] == sums[i + 1] for i in range(0, len(sums), 2))
if compared < least:
    print('FAILED:', sys.argv[1], 'has only', compared, 'results in', numbers)
print('pairs', pairs, 'independent' if independent else 'no')
PY
# That of The Sleuth Kit 4.12.1 crashes at the end of its work on an E01, and loses the last bytes.
icat disk.E01 2 >/dev/null 2>&1
if [ $? -lt 128 ]; then export ICAT=whole; else export ICAT=broken; fi
# with what the results are compared, at least: identical 1, embedded 3 or 2, variant 1, fragment 1
while read -r least pairs evidence; do
    rm -f my.case
    kith scan -q -r set.kith --case my.case "$PWD/$evidence" 2>err
    said=$(python3 run.py my.case "$least")
    grep -q "^pairs $pairs" <<<"$said" || fail "$evidence: $said"
    ! grep FAILED <<<"$said" || fail "$evidence"
done <<'END'
6 [1-9] disk's image.img
5 [0-9] disk.E01
5 [1-9] disk.qcow2
6 [1-9] parts.img
3 0 unallocated.raw
3 0 folder
END
# Paths that look like options,
cp disk.E01 ./-i.E01
mkdir ./-n
cp disk/emb.bin ./-n
mkdir twice single
cp disk/emb.bin twice/twice # and folders that have a file of their name
cp disk/emb.bin single/single
cp before single/other
odd=(-n twice single)
[ $ICAT != whole ] || odd+=(-i.E01)
for evidence in "${odd[@]}"; do
    kith scan -q -r set.kith --case "./-$evidence.case" -- "$evidence" 2>err
    kith explain -- "-$evidence.case" "$(kith report --csv --columns id "./-$evidence.case" | tail -n 1 | tr -d '\r' | sed 's/.*,//')" >out
    commands=$(grep -B 1 '^      prints ' out | sed -n 's/^    \$ //p')
    same "$evidence" "$(sed -n 's/^      prints //p' out)" "$(sh -c "$commands" 2>/dev/null | cut -d ' ' -f 1)"
done
[ ! -e hacked ] && [ ! -e run/hacked ] || fail "a name was run as a command"
kith scan -q --blocks 64k -r set.kith --case chunks.case "$PWD/parts.img"
said=$(python3 run.py chunks.case 6)
! grep FAILED <<<"$said" || fail "chunks"

md5sum known/a.txt >list.md5
kith import -q md5.kith list.md5
kith scan -q -r md5.kith --case md5.case "$PWD/parts.img"
said=$(python3 run.py md5.case 1)
! grep FAILED <<<"$said" || fail "MD5"
status 0 kith explain md5.case "$(kith report --text md5.case | awk '/ finding [0-9.]+$/ { print $NF; exit }')"
says out "prints $(md5sum <known/a.txt | cut -c 1-32)"
says out "The set has no digest of the reference but the MD5."
kith add -q --sha256 sha256.kith known
kith scan -q -r sha256.kith --case sha256.case "$PWD/parts.img"
said=$(python3 run.py sha256.case 7)
! grep FAILED <<<"$said" || fail "SHA-256"

# Members of containers, on a disk and in a folder: whole and in part, stored as they are, nested, with odd and with
# repeated names, and in free space.
mkdir packed
python3 - <<'PY'
import io, tarfile, warnings, zipfile
warnings.simplefilter('ignore')
a, b = open('known/a.txt', 'rb').read(), open('known/b.txt', 'rb').read()
with zipfile.ZipFile("packed/it's $(touch hacked).zip", 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("a 'b' $(touch hacked) & (c).txt", a)
    archive.writestr('sub/part.txt', b[50000:80000])
    archive.writestr('[*]?.txt', a)
    for data in b[:20000], b[100000:120000]:
        archive.writestr('twice.txt', data)
    archive.writestr('\x1b.txt', b[20000:60000])
with tarfile.open('packed/t.tgz', 'w:gz') as archive:
    part = tarfile.TarInfo('./deep/part.txt')
    part.size = 50000
    archive.addfile(part, io.BytesIO(b[100000:150000]))
outer = io.BytesIO()
with zipfile.ZipFile(outer, 'w') as archive: # stored
    archive.writestr('b.txt', b)
    archive.write("packed/it's $(touch hacked).zip", 'in/inner.zip')
open('packed/outer.zip', 'wb').write(outer.getvalue())
PY
mke2fs -q -F -t ext4 -d packed packed.img 8M >err 2>&1
{ head -c 70144 /dev/zero; cat packed/outer.zip; head -c 400000 /dev/zero; } >carved.raw
while read -r least independent evidence; do
    rm -f my.case
    kith scan -q -r set.kith --case my.case "$PWD/$evidence" 2>err
    said=$(python3 run.py my.case "$least")
    grep -q "^pairs [0-9]* $independent$" <<<"$said" || fail "$evidence: $said"
    ! grep FAILED <<<"$said" || fail "$evidence"
done <<'END'
12 independent packed.img
12 independent packed
10 no carved.raw
END
kith scan -q -r set.kith --case packed.case packed.img 2>err
number=$(kith report --csv --columns id packed.case 2>err | tr -d '\r' | awk -F, '/outer.zip.in.inner.zip.sub.part.txt/ { print $NF }')
status 0 kith explain packed.case "$number"
same "levels" "$(printf '%s\n' '  packed in     outer.zip (1N-1-0)' '  zip member    in/inner.zip' '  zip member    sub/part.txt')" \
    "$(grep -A 2 '^  packed in' out | sed 's/(1[0-9]-/(1N-/')"
number=$(kith report --csv --columns id packed.case 2>err | tr -d '\r' | awk -F, '/t.tgz.*part.txt/ { print $NF }')
status 0 kith explain packed.case "$number"
says out " ./deep/part.txt | sha1sum"
number=$(kith report --csv --columns id packed.case 2>err | tr -d '\r' | awk -F, '/outer.zip.b.txt/ { print $NF; exit }')
status 0 kith explain packed.case "$number"
grep -q '^    \$ dd if=packed.img ' out || fail "stored, but no dd: $(cat out)"
[ ! -e hacked ] && [ ! -e run/hacked ] || fail "a name was run as a command"

# icat is told the file system if it was given, as here, where there may be two.
cp "disk's image.img" two.img
python3 - <<'PY'
import struct
both = lambda form, n: struct.pack("<" + form, n) + struct.pack(">" + form, n)
volume = bytearray(b"\1CD001\1".ljust(2048, b"\0"))
volume[80:88], volume[128:132], volume[156:174] = both("I", 512), both("H", 2048), b"\42\0" + both("I", 20) + both("I", 2048)
with open("two.img", "r+b") as image:
    image.seek(32768)
    image.write(volume + b"\377CD001\1")
PY
icat two.img 12 >/dev/null 2>&1 && fail "icat needs no help"
kith scan -q -f ext -r set.kith --case two.case "$PWD/two.img"
said=$(python3 run.py two.case 6)
! grep FAILED <<<"$said" || fail "two file systems"

# It says what was found, in words.
kith scan -q -r set.kith --case disk.case disk.E01
number=$(kith report --text disk.case | awk '$2 == "emb.bin" { found = 1 } found && / finding [0-9.]+$/ { print $NF; exit }')
status 0 kith explain disk.case "$number"
for text in "Finding $number of disk.case" "emb.bin" "sha1 $(sha1sum <disk/emb.bin | cut -c 1-40)" \
    "sha1 $(sha1sum <known/a.txt | cut -c 1-40)" "set (notable, 2 files)" "The hash of the image matches the acquisition hash stored in it." \
    "embedded: " "60,000 bytes of the object match, in 1 range between bytes 30000 and 90000" "15 of the 15 blocks" \
    "block of 4,096 bytes" "E is 1.0e-300." "What this does not show"; do
    tr '\n' ' ' <out | tr -s ' ' >line
    says line "$text"
done
limits=$(kith report --about disk.case | sed -n 's/.* detection limits of set: //p')
[ -n "$limits" ] || fail "the log states no limits"
says line "Smaller parts may be missed. With this set and the options of this scan, $limits."
status 0 kith explain disk.case "$number" "$number"
same "two of them" 2 "$(grep -c '^Finding ' out)"

# The first reading of evidence that was read again has the digests of the image.
kith add -q further.kith known/b.txt
kith scan -q -r further.kith --case disk.case
status 0 kith explain disk.case "$(kith report --csv --columns id --set further disk.case | tail -n 1 | tr -d '\r' | sed 's/.*,//')"
tr '\n' ' ' <out | tr -s ' ' >line
says line "of the set further"
says line "of disk.E01 sha1 $(sha1sum <"disk's image.img" | cut -c 1-40)"
says line "The hash of the image matches the acquisition hash stored in it."

status 2 kith explain disk.case 1.99999.1
says err "disk.case: there is no finding 1.99999.1"
status 2 kith explain disk.case 1.2
says err "'1.2' is not the number of a finding, such as 1.204.1"
status 2 kith explain disk.case
says err "no finding given: its number, which kith report lists"
status 2 kith explain set.kith 1.1.1
says err "set.kith: is a reference set, not a case"
finish
