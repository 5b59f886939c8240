#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith extract IMAGE ADDRESS: what it writes is what the image was made of, and what icat and dd read.
. "$(dirname "$0")/lib.sh"
images python3 icat

# manifest FOLDER EVIDENCE ls.csv: each file has the digests and the size that its row states, and the digest that its object has
manifest()
{
    python3 - "$@" <<'PY'
import csv, hashlib, os, sys
folder, listing = sys.argv[1:3]
truth = {}
for line in open(listing, encoding='utf8', errors='surrogateescape'):
    volume, kind, path, size, sha1 = line.rstrip('\n').split('\t')
    for name in path.split('//'):
        truth[volume, kind, name] = sha1
rows = list(csv.DictReader(open(folder + '/manifest.csv', newline='')))
found, files = 0, {'manifest.csv'}
for row in rows:
    data = open(os.path.join(folder, row['file']), 'rb').read()
    files.add(row['file'])
    if (len(data), hashlib.sha1(data).hexdigest(), hashlib.sha256(data).hexdigest()) != (int(row['size']), row['sha1'], row['sha256']):
        print('the row is wrong:', row)
    key = row['volume'], row['kind'], row['path'] or row['address']
    found += key in truth
    if truth.get(key, row['sha1']) != row['sha1'] or row['status'] != 'ok':
        print('the content is wrong:', row)
if found == 0 or files != set(os.listdir(folder)):
    print('found', found, 'and', files ^ set(os.listdir(folder)))
PY
}

# Every container and file system: all files, deleted files, streams and gaps.
bash "$SRCDIR/tests/data/images.sh" . ext4 fat32 exfat ntfs ntfs-compressed disk-split disk-ewf disk-vmdk disk-qcow2 disk-vdi || fail "no images"
for image in ext4.img fat32.img exfat.img ntfs.img ntfs-compressed.img disk-split.001 disk-ewf.E01 disk-vmdk.vmdk disk-qcow2.qcow2 disk-vdi.vdi; do
    "$KITH" ls -q --csv $image 2>/dev/null | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["kind"] in ("file", "deleted", "stream", "gap"): print(row["volume"] + "/" + row["address"])' >addresses
    mapfile -t addresses <addresses
    status 0 "$KITH" extract -q -d "$image.out" -- $image "${addresses[@]}"
    same "$image" "" "$(manifest "$image.out" ${image%.*}.truth)"
done

# The same as icat, and as dd for a range.
while IFS=, read -r address path; do
    rm -rf one
    status 0 "$KITH" extract -q -d one ext4.img "$address"
    cmp <(icat ext4.img "${address%%-*}") one/1* || fail "icat reads $path differently"
done < <("$KITH" ls -q --csv ext4.img 2>/dev/null | python3 -c '
import csv, sys
for row in [r for r in csv.DictReader(sys.stdin) if r["kind"] == "file"][:5]: print(row["address"], row["path"], sep=",")')
range=$("$KITH" ls -q --csv ext4.img 2>/dev/null | grep -o '@[0-9]*+[0-9]*,unallocated' | head -n 1)
range=${range%,*}
start=${range%+*}
start=${start#@}
status 0 "$KITH" extract -d range ext4.img "$range"
says out "range: 1 file, ${range#*+} bytes; manifest.csv describes them"
dd if=ext4.img iflag=skip_bytes,count_bytes skip="$start" count="${range#*+}" status=none | cmp - range/1 || fail "dd reads $range differently"

# Any range of an image, in any container; and as much of a file system as is in the range.
for image in disk-ewf.E01 disk-qcow2.qcow2 disk-split.001; do
    rm -rf any
    status 0 "$KITH" extract -q -d any $image @1000001+2000003 @510+2
    case $image in
    *.E01) ewfexport -q -u -f raw -t - "$image" >raw 2>/dev/null ;;
    *.qcow2) qemu-img convert -O raw "$image" raw ;;
    *) cat "${image%.*}".[0-9][0-9][0-9] >raw ;;
    esac
    cmp <(tail -c +1000002 raw | head -c 2000003) any/1 || fail "$image: the range differs"
    same "$image: the boot signature" 55aa "$(od -An -tx1 any/2 | tr -d ' ')"
done
status 2 "$KITH" extract -q -d none disk-ewf.E01 "@1000001+$(stat -c %s raw)"
says err "there is no object with the address @1000001+"

# Names from evidence are hostile: nothing is written elsewhere, hidden, or named by them.
mkdir -p host/deep
long=$(printf 'n%.0s' {1..250})
names=('-rf' 'CON' '.hidden' $'new\nline' $'\e[2J<script>' '=cmd|calc' $'\xff\xfe' 'deep/..x' "$long.txt" $'\u202ecod.exe')
for name in "${names[@]}"; do
    printf '%s' "$name" >"host/$name"
done
status 0 "$KITH" extract -q -d hostile -- host "${names[@]}"
same "the safe names" 11 "$(LC_ALL=C find hostile -maxdepth 1 -type f -regextype posix-extended -regex 'hostile/([0-9]+-[A-Za-z0-9._-]{1,119}|manifest.csv)' | wc -l)"
same "all names" 11 "$(find hostile -mindepth 1 | wc -l)"
for i in "${!names[@]}"; do
    same "the content of $((i + 1))" "${names[i]}" "$(cat hostile/$((i + 1))-*)"
done
[ "$(find hostile -perm /077 -not -name manifest.csv -type f | wc -l)" -eq 0 ] || fail "others may read them"
LC_ALL=C grep -qP '[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]' hostile/manifest.csv && fail "the manifest has control characters"

# Nothing is overwritten, and nothing is written to evidence.
mkdir full
echo mine >full/1-CON
status 2 "$KITH" extract -q -d full host CON
says err "full: the folder is not empty"
same "what was there" mine "$(cat full/1-CON)"
status 2 "$KITH" extract -q -d host/new host CON
says err "nothing is written to evidence"
[ ! -e host/new ] || fail "it was made"

# Limits: of a file, and of all; nothing is written beyond them.
head -c 5000 /dev/zero >host/large
status 3 "$KITH" extract -q --max-size 4k -d limited host large CON
says err "large (- in volume -): it is larger than --max-size"
same "the others" 3 "$(wc -c <limited/2-CON)"
same "the row" '"",too-large' "$(python3 -c 'import csv; r = next(csv.DictReader(open("limited/manifest.csv", newline=""))); print("\"%s\",%s" % (r["file"], r["status"]))')"
status 2 "$KITH" extract -q --max-total 5k -d beyond host large large CON CON CON '=cmd|calc' "$long.txt"
says err "beyond: 10"
status 2 "$KITH" extract -q --max-total 5002 -d beyond host large CON
says err "beyond: 5003 bytes would be written, more than --max-total allows (5002)"
[ ! -e beyond ] || fail "beyond was made"

# What cannot be found, or is not clear.
status 2 "$KITH" extract -q -d none ext4.img 999999-1-1 @99999999999+2 @5+0
says err "ext4.img: there is no object with the address 999999-1-1 (kith ls lists them)"
says err "ext4.img: there is no object with the address @99999999999+2 (kith ls lists them)"
[ ! -e none ] || fail "none was made"
mkdir two
cp ext4.img two.ext4
truncate -s %1M two.ext4
size=$(stat -c %s two.ext4)
{
    head -c 1M /dev/zero
    cat two.ext4 two.ext4
} >two.dd
printf '%s\n' "start=2048, size=$((size / 512)), type=83" "start=$((2048 + size / 512)), size=$((size / 512)), type=83" | sfdisk -q two.dd || fail "sfdisk"
address=$("$KITH" ls -q --csv ext4.img 2>/dev/null | awk -F, '$4 == "file" { print $3; exit }')
status 2 "$KITH" extract -q -d twice two.dd "$address"
says err "two.dd: several objects have the address $address: say which one, as in "
second=$(sed -n 's/.*say which one, as in //p' err)
status 0 "$KITH" extract -q -d twice two.dd "$second"
status 0 "$KITH" extract -q -o 2048 -d first two.dd "$address"
status 0 "$KITH" extract -q -d plain ext4.img "$address"
same "the second volume" "$(sha1sum <"$(echo plain/1*)")" "$(sha1sum <"$(echo twice/1*)")"
same "the first volume" "$(sha1sum <"$(echo plain/1*)")" "$(sha1sum <"$(echo first/1*)")"

# Bytes that cannot be read are listed, and zeros in the file: here a chunk of an E01 whose checksum is wrong.
text 7 3000000 >big
mkdir files
cp big files/
mke2fs -q -F -t ext4 -d files big.img 6M
ewfacquirestream -q -c none -t bad >/dev/null 2>&1 <big.img
python3 - bad.E01 big <<'PY'
import sys
image, text = open(sys.argv[1], 'rb').read(), open(sys.argv[2], 'rb').read()
at = image.find(text[1500000:1500100])
open(sys.argv[1], 'wb').write(image[:at] + bytes([image[at] ^ 1]) + image[at + 1:])
PY
address=$("$KITH" ls -q --csv big.img | awk -F, '$4 == "file" && $5 == "big" { print $3 }')
status 3 "$KITH" extract -q -d bad.out bad.E01 "$address"
python3 - big bad.out <<'PY' || fail "bytes are wrong"
import csv, hashlib, sys
data, row = open(sys.argv[1], 'rb').read(), next(csv.DictReader(open(sys.argv[2] + '/manifest.csv', newline='')))
got = open(sys.argv[2] + '/' + row['file'], 'rb').read()
assert row['status'] == 'partial' and row['sha1'] == hashlib.sha1(got).hexdigest(), row
(start, size), = [map(int, part.split('+')) for part in row['unreadable'].split()]
assert start <= 1500000 < start + size <= start + 65536, row
assert got == data[:start] + bytes(size) + data[start + size:]
PY

# A worker that dies in the middle of an object is replaced, and what had arrived is written anew.
mkdir large
head -c 60M /dev/urandom >large/file
mke2fs -q -F -t ext4 -d large large.img 70M >err 2>&1 || fail "mke2fs: $(cat err)"
address=$("$KITH" ls -q --csv large.img | awk -F, '$4 == "file" && $5 == "file" { print $3 }')
"$KITH" extract -q -j1 -d killed large.img "$address" 2>err &
pid=$!
while [ ! -s killed/1-file ] && kill -0 $pid 2>/dev/null; do
    sleep 0.01
done
read -ra workers <"/proc/$pid/task/$pid/children" && kill -KILL "${workers[@]}"
wait $pid || fail "after a worker was killed: $(cat err)"
cmp large/file killed/1-file || fail "after a worker was killed the file differs"

status 2 "$KITH" extract ext4.img "$address"
says err "no folder given to write to (-d FOLDER)"
status 2 "$KITH" extract -d x
says err "no case and no evidence given"
status 2 "$KITH" extract -d x ext4.img
says err "no address given (kith ls lists them)"
finish
