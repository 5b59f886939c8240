#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The disks of virtual machines, in all the forms that qemu-img makes: each has the bytes of the raw image, those that need
# more than the file are refused by name, and damaged ones are never listed as whole with wrong bytes.
. "$(dirname "$0")/lib.sh"
images python3 qemu-io

mkdir files
text 1 700000 >files/text
head -c 2000000 /dev/urandom >files/random
mke2fs -q -F -t ext4 -b 1024 -d files disk.img 9M >err 2>&1 || fail "mke2fs: $(cat err)"
"$KITH" ls -q --hash --csv disk.img >raw.csv

# like IMAGE RAW OPTIONS...: the whole and each object are those of the raw image
like()
{
    local image=$1 raw=$2
    shift 2
    status 0 "$KITH" ls --hash --hash-image --csv "$@" "$image"
    says out ",image,,,$(stat -c %s "$raw"),$(sha1sum <"$raw" | cut -c1-40)"
    same "$image" "" "$(grep -v ',image,' out | sed 's/^[^,]*//' | cut -d, -f1-7 | diff <(sed 's/^[^,]*//' raw.csv | cut -d, -f1-7) - | head -n 3)"
}

# refused IMAGE TEXT [OPTIONS...]
refused()
{
    local image=$1 text=$2
    shift 2
    status 3 "$KITH" ls --csv "$@" "$image"
    same "rows of what was refused" "" "$(tail -n +2 out)"
    says err "$text"
}

make()
{
    qemu-img convert -f raw -O "$@" 2>err || fail "qemu-img $*: $(cat err)"
}

# ---- qcow2 ----

for options in compat=0.10 compat=1.1 cluster_size=512 cluster_size=2M lazy_refcounts=on; do
    make qcow2 -o $options disk.img a.qcow2 && like a.qcow2 disk.img
done
make qcow2 -c disk.img packed.qcow2 && like packed.qcow2 disk.img
make qcow2 -c -o cluster_size=4k disk.img packed.qcow2 && like packed.qcow2 disk.img -j1
mv a.qcow2 a.name && like a.name disk.img -i qcow2 && mv a.name a.qcow2

# Clusters marked as zeros, with and without an allocation of their own.
cp a.qcow2 zeros.qcow2
cp disk.img zeros.img
for place in 3M 5M; do
    qemu-io -c "write -z $place 128k" zeros.qcow2 >/dev/null 2>&1
    dd if=/dev/zero of=zeros.img bs=64k count=2 seek=$((${place%M} * 16)) conv=notrunc status=none
done
qemu-io -c "write -z -u 6M 64k" zeros.qcow2 >/dev/null 2>&1
dd if=/dev/zero of=zeros.img bs=64k count=1 seek=96 conv=notrunc status=none
"$KITH" ls -q --hash --csv zeros.img >keep && mv raw.csv raw.keep && mv keep raw.csv
like zeros.qcow2 zeros.img
mv raw.keep raw.csv

qemu-img create -q -f qcow2 -b a.qcow2 -F qcow2 child.qcow2
refused child.qcow2 "unsupported qcow2 image: it has a backing file"
qemu-img create -q -f qcow2 -o encrypt.format=luks,encrypt.key-secret=s --object secret,id=s,data=x crypt.qcow2 4M 2>/dev/null &&
    refused crypt.qcow2 "unsupported qcow2 image: it is encrypted"
qemu-img create -q -f qcow2 -o data_file=data.raw outer.qcow2 4M 2>/dev/null && refused outer.qcow2 "its data is in another file"
qemu-img create -q -f qcow2 -o extended_l2=on,cluster_size=128k wide.qcow2 4M 2>/dev/null && refused wide.qcow2 "extended L2"
make qcow2 -c -o compression_type=zstd disk.img zstd.qcow2 && refused zstd.qcow2 "compressed with zstd"
cp a.qcow2 snap.qcow2
qemu-img snapshot -c one snap.qcow2
status 3 "$KITH" ls -q --hash --csv snap.qcow2
says err "internal snapshots not examined: 1"

# ---- VDI ----

make vdi disk.img d.vdi && like d.vdi disk.img
make vdi -o static=on disk.img s.vdi && like s.vdi disk.img
change()
{
    python3 - "$@" <<'PY'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
exec(sys.argv[3])
open(sys.argv[2], 'wb').write(data)
PY
}
change d.vdi twice.vdi 'data[512 + 8:512 + 12] = data[512 + 4:512 + 8]'
refused twice.vdi "is claimed more than once"
status 3 "$KITH" ls --force --hash --csv twice.vdi
says err "is claimed more than once"
says err "of the image cannot be read"
change d.vdi child.vdi 'data[0x1a8] = 1'
refused child.vdi "differencing VDI image"

# ---- VMDK ----

for form in monolithicSparse monolithicFlat twoGbMaxExtentSparse twoGbMaxExtentFlat streamOptimized; do
    make vmdk -o subformat=$form disk.img $form.vmdk && like $form.vmdk disk.img
done
like monolithicFlat.vmdk disk.img
says err "also reads monolithicFlat-flat.vmdk: 9437184 bytes"

# A disk in one file is that file, whatever name is stored in it, and whatever file has that name now.
mv monolithicSparse.vmdk renamed.vmdk
like renamed.vmdk disk.img
head -c 9437184 /dev/zero | tr '\0' x >foreign.img
make vmdk -o subformat=monolithicSparse foreign.img monolithicSparse.vmdk
like renamed.vmdk disk.img
mv streamOptimized.vmdk stream.vmdk
like stream.vmdk disk.img

# Extents that do not belong to the descriptor.
truncate -s 9437183 monolithicFlat-flat.vmdk
refused monolithicFlat.vmdk "monolithicFlat-flat.vmdk: too short for its extent"
rm monolithicFlat-flat.vmdk
refused monolithicFlat.vmdk "monolithicFlat.vmdk: extent monolithicFlat-flat.vmdk: No such file"
head -c 5M /dev/zero >small.img
make vmdk -o subformat=twoGbMaxExtentSparse small.img small.vmdk
mv small-s001.vmdk twoGbMaxExtentSparse-s001.vmdk
refused twoGbMaxExtentSparse.vmdk "does not belong to this disk: the extent has 5242880 bytes, not 9437184"
refused twoGbMaxExtentSparse-s001.vmdk "specify the .vmdk file that lists the extents"
mkdir -p elsewhere
sed 's#"twoGb#"../elsewhere/twoGb#' twoGbMaxExtentFlat.vmdk >outside.vmdk
refused outside.vmdk "is in another folder"
sed 's/^RW \([0-9]*\) FLAT/RW \1 SESPARSE/' twoGbMaxExtentFlat.vmdk >new.vmdk
refused new.vmdk "extent of type SESPARSE"
change stream.vmdk swapped.vmdk '
import struct
directory = struct.unpack_from("<Q", data, 56)[0] * 512
table = struct.unpack_from("<I", data, directory)[0] * 512
at = [table + i * 4 for i in range(512) if struct.unpack_from("<I", data, table + i * 4)[0] > 1][:40]
data[at[20]:at[20] + 4], data[at[30]:at[30] + 4] = data[at[30]:at[30] + 4], data[at[20]:at[20] + 4]'
refused swapped.vmdk "its two copies differ in block"
status 3 "$KITH" ls -q --force --hash --csv swapped.vmdk
says err "of the image cannot be read"
# As VMware writes streams: only the end says where the directory lies.
change stream.vmdk footer.vmdk 'header = bytes(data[:512]); data[56:64] = b"\xff" * 8; data += header + bytes(512)'
like footer.vmdk disk.img
change footer.vmdk none.vmdk 'del data[-1024:]'
refused none.vmdk "the footer is missing"

# ---- impossible maps ----

# right WHAT: what is listed as ok is as on the disk
right()
{
    sed 's/^[^,]*//' out | grep ',ok.$' | cut -d, -f3,7,8 | grep -v '^@' |
        grep -vxFf <(sed 's/^[^,]*//' raw.csv | cut -d, -f3,7,8) >others
    [ -s others ] && fail "$1: $(head -n 3 others)"
}

# wrong IMAGE PYTHON TEXT: refused; with --force what is listed as ok is as on the disk
wrong()
{
    local image=wrong.${1#*.}
    change "$1" $image "$entries
$2"
    refused $image "$3"
    status 3 "$KITH" ls --force --csv $image # nothing is read, and the losses are known
    says err "of the image cannot be read"
    status 3 "$KITH" ls --force --hash --csv $image
    right "$1 with '$2'"
    says err "${4-$3}"
    says err "of the image cannot be read"
}
shared="is claimed more than once, or is marked as unused"

make qcow2 disk.img map.qcow2
entries='
import struct
def get(at): return struct.unpack_from(">Q", data, at)[0]
def put(at, value): struct.pack_into(">Q", data, at, value)
first = get(40)
table = get(first) & 0x00fffffffffffe00
used = [table + i * 8 for i in range(8192) if get(table + i * 8)]'
wrong map.qcow2 'put(used[3], get(used[9]))' "$shared"
wrong map.qcow2 'put(used[3], table | 1 << 63)' "$shared"
wrong map.qcow2 'put(used[3], first | 1 << 63)' "$shared"
wrong map.qcow2 'put(used[3], get(48) | 1 << 63)' "$shared"
wrong map.qcow2 'put(used[3], get(get(48)) | 1 << 63)' "$shared"
wrong map.qcow2 'put(first, first | 1 << 63)' "$shared"
for bit in 1 4 8 56 61; do
    wrong map.qcow2 "put(used[3], get(used[3]) | 1 << $bit)" "corrupt map: the entry of block"
done
wrong map.qcow2 'put(used[3], get(used[3]) + 512)' "corrupt map: the entry of block"
wrong map.qcow2 'put(first, get(first) | 1)' "corrupt map: the entry of block 0 is invalid"
# Version 2 has no zero clusters.
make qcow2 -o compat=0.10 disk.img old.qcow2
wrong old.qcow2 'put(used[3], get(used[3]) | 1)' "corrupt map: the entry of block"
wrong map.qcow2 'data += bytes(data[get(used[3]) & ~(1 << 63):][:65536]) + bytes(-len(data) % 65536); put(used[3], len(data) - 65536 | 1 << 63)' "$shared"
# Not refused: after a crash clusters may be left over.  But what is not in the map is not necessarily zeros.
for what in 'put(used[3], 0)' 'put(first, 0)'; do
    change map.qcow2 zeroed.qcow2 "$entries
$what"
    status 3 "$KITH" ls --hash --csv zeroed.qcow2
    says err "clusters in use according to the reference counts but not mapped"
    says err "the content of unallocated clusters is in doubt"
    right "a map with '$what'"
done
change map.qcow2 left.qcow2 'import struct
data += bytes(-len(data) % 65536 + 65536)
block = struct.unpack_from(">Q", data, struct.unpack_from(">Q", data, 48)[0])[0]
struct.pack_into(">H", data, block + (len(data) // 65536 - 1) * 2, 1)'
status 3 "$KITH" ls --hash --csv left.qcow2
says err "not mapped: 1;"
same "what a left-over cluster leaves of a file" "$(grep -c ',file,random,.*ok' raw.csv)" "$(grep -c ',file,random,.*,ok' out)"
right "a left-over cluster"
# A compressed cluster, in one cluster of the file and in the next, which also belongs to another one.
python3 - <<'PY'
import random, struct, zlib
size = 65536
first = random.Random(1).randbytes(size)
data = bytearray(8 * size)
struct.pack_into('>4sIQIIQIIQQIIQ', data, 0, b'QFI\xfb', 3, 0, 0, 16, 4 * size, 0, 1, 3 * size, size, 1, 0, 0)
struct.pack_into('>QQQII', data, 72, 0, 0, 0, 4, 104)
struct.pack_into('>Q', data, size, 2 * size)
struct.pack_into('>8H', data, 2 * size, 1, 1, 1, 1, 1, 1, 2, 0)
struct.pack_into('>Q', data, 3 * size, 4 * size | 1 << 63)
stream = zlib.compressobj(0, zlib.DEFLATED, -12)
stream = stream.compress(first) + stream.flush()
at = 6 * size - 20000
data[at:at + len(stream)] = stream
sectors = (at + len(stream) - 1) // 512 - at // 512
struct.pack_into('>QQQ', data, 4 * size, 1 << 62 | sectors << 54 | at, 0, 6 * size | 1 << 63)
data[6 * size + 1000:6 * size + 9000] = bytes(8000)
open('tail.qcow2', 'wb').write(data)
PY
refused tail.qcow2 "$shared"
status 3 "$KITH" ls --force --hash-image --csv tail.qcow2
says err "bytes 0 to 65535 of the image cannot be read"
# Unreadable reference counts must not pass for correct ones.
counts="corrupt reference counts"
wrong map.qcow2 'put(used[3], 0); put(48, 1 << 40)' "$counts"
wrong map.qcow2 'put(used[3], 0); struct.pack_into(">I", data, 56, 0)' "$counts"
wrong map.qcow2 'put(used[3], 0); struct.pack_into(">I", data, 56, 0xffffffff)' "$counts"
wrong map.qcow2 'put(used[3], 0); struct.pack_into(">I", data, 96, 7)' "$counts"
wrong map.qcow2 'put(used[3], 0); put(get(48), 1 << 40)' "$counts"
change map.qcow2 dirty.qcow2 "$entries
put(48, 1 << 40); data[79] |= 1"
like dirty.qcow2 disk.img
# A snapshot shares clusters with the current state, which also has its own.
qemu-img snapshot -c one map.qcow2
qemu-io -c "write -P 7 3M 1M" map.qcow2 >/dev/null 2>&1
status 3 "$KITH" ls -q --hash-image --csv map.qcow2
same "what is said of a snapshot" "kith: map.qcow2: internal snapshots not examined: 1; only the current state was read" "$(cat err)"
qemu-img convert -O raw map.qcow2 map.img
says out ",$(sha1sum <map.img | cut -c1-40)"

make vmdk -o subformat=monolithicSparse disk.img map.vmdk
entries='
import struct
def get(at): return struct.unpack_from("<I", data, at)[0]
def put(at, value): struct.pack_into("<I", data, at, value)
def tables(at):
    directory = struct.unpack_from("<Q", data, at)[0] * 512
    return directory, get(directory) * 512
(directory, table), (other_directory, copy) = tables(56), tables(48)
used = [i * 4 for i in range(512) if get(table + i * 4)]
def both(i, value):
    put(table + used[i], value)
    put(copy + used[i], value)'
wrong map.vmdk 'both(3, get(table + used[9]))' "$shared"
wrong map.vmdk 'both(3, 0x2)' "$shared"
wrong map.vmdk 'both(3, 0)
put(table + used[3], table // 512)' "$shared"
wrong map.vmdk 'both(3, get(table + used[3]) ^ 1)' "$shared"
wrong map.vmdk 'put(table + used[3], 0)' "its two copies differ in block"
wrong map.vmdk 'put(copy + used[3], 0)' "its two copies differ in block"
wrong map.vmdk 'put(directory, 0)' "its two copies differ in block"
wrong map.vmdk 'put(directory, directory // 512)' "$shared"

entries='import struct'
wrong d.vdi 'struct.pack_into("<I", data, 0x158, 512)' "$shared"

wrong d.vdi 'data[512 + 4:512 + 8] = b"\xff" * 4' "corrupt map: it refers to fewer blocks than the"
wrong d.vdi 'struct.pack_into("<I", data, 512 + 4, 1000)' "corrupt map: the entry of block 1 is invalid"
wrong d.vdi 'struct.pack_into("<I", data, 0x184, struct.unpack_from("<I", data, 0x184)[0] - 1)' "corrupt map"
wrong d.vdi '
map = struct.unpack_from("<9i", data, 512)
data[512 + map.index(-1) * 4:][:4] = data[512:516]
struct.pack_into("<i", data, 512 + map.index(-1) * 4, map[0])' "corrupt map"

# A disk may have 1 PiB, all of it unallocated; not more.
printf '# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\nRW %s ZERO\n' $((1 << 41)) >huge.vmdk
sed "s/$((1 << 41))/$(((1 << 41) + 1))/" huge.vmdk >larger.vmdk
refused larger.vmdk "claims to hold a disk of 1125899906843136 bytes; more than 1 PiB (1125899906842624 bytes)"
refused larger.vmdk "more than 1 PiB" -i vmdk
status 0 "$KITH" ls --csv --only file huge.vmdk
sed "s/$((1 << 41))/$((1 << 31))/" huge.vmdk >large.vmdk
status 0 "$KITH" ls --csv large.vmdk
same "rows of 1 TiB" "1024 @1098437885952+1073741824" "$(tail -n +2 out | wc -l) $(tail -n 1 out | cut -d, -f3)"
qemu-img create -q -f qcow2 -o cluster_size=2M huge.qcow2 2P 2>/dev/null &&
    refused huge.qcow2 "claims to hold a disk of 2251799813685248 bytes"

# A disk that holds only what differs from another one is refused, whether its type is detected or given.
qemu-img create -q -f vmdk -b renamed.vmdk -F vmdk delta.vmdk 2>err || fail "qemu-img: $(cat err)"
refused delta.vmdk "differencing VMDK"
refused delta.vmdk "differencing VMDK" -i vmdk
# .. with its descriptor where only the reader of the whole looks
change delta.vmdk far.vmdk '
import struct
at = -(-len(data) // 512)
data += bytes(max(0, 1024 - at) * 512) + bytes(-len(data) % 512)
text = data[512:512 * 21]
data[28:36] = struct.pack("<Q", len(data) // 512)
data += text'
refused far.vmdk "differencing VMDK" -i vmdk
make vpc disk.img d.vhd
for place in 0 -512; do
    change d.vhd delta.vhd "
import struct
at = $place % len(data)
data[at + 60:at + 64] = bytes([0, 0, 0, 4])
data[at + 64:at + 68] = bytes(4)
data[at + 64:at + 68] = struct.pack('>I', 0xffffffff & ~sum(data[at:at + 512]))"
    refused delta.vhd "unsupported format (differencing VHD)"
    refused delta.vhd "unsupported format (differencing VHD)" -i vhd
done

# ---- a split image ----

split -b 2500000 -d -a 3 --numeric-suffixes=1 disk.img part.
like part.001 disk.img
truncate -s -512 part.002
refused part.001 "part.002: this segment has 2499488 bytes, but the first one has 2500000"

# ---- truncated or damaged disks ----

# A file may end with the disk, within a cluster.
for format in "qcow2" "qcow2 -o cluster_size=2M" "qcow2 -c" vdi vmdk; do
    head -c 1536 files/random | cat disk.img - >odd.img
    make $format odd.img odd.${format%% *}
    status 0 "$KITH" ls -q --hash-image --csv odd.${format%% *}
    says out ",$(sha1sum <odd.img | cut -c1-40)"
done

# shorten IMAGE BYTES: refused; with --force the losses are known before reading
shorten()
{
    local image=short.${1#*.}
    head -c "$2" "$1" >$image
    refused $image "lies beyond the end of the file"
    status 3 "$KITH" ls --force --csv $image
    says err "lies beyond the end of the file"
    says err "of the image cannot be read"
    grep ',ok.$' out | cut -d, -f2-5 >before
    status 3 "$KITH" ls --force --hash --csv $image
    same "$1 cut at $2: what only reading shows" "" "$(grep ',ok.$' out | cut -d, -f2-5 | diff before - | head -n 3)"
    right "$1 cut at $2"
}
# end_of STREAM: where its last grain ends, less a byte
end_of()
{
    python3 - "$1" <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
table = struct.unpack_from('<I', data, struct.unpack_from('<Q', data, 56)[0] * 512)[0] * 512
last = max(struct.unpack_from('<512I', data, table)) * 512
print(last + 12 + struct.unpack_from('<I', data, last + 8)[0] - 1)
PY
}
for image in a.qcow2 packed.qcow2 d.vdi s.vdi renamed.vmdk stream.vmdk; do
    size=$(stat -c %s $image)
    last=$((size - 513))
    [ $image = stream.vmdk ] && last=$(end_of stream.vmdk) # after that nothing but zeros
    for len in $last $((size * 95 / 100)) $((size * 60 / 100)); do
        shorten $image $len
    done
    for percent in 1 20; do
        head -c $((size * percent / 100)) $image >short.${image#*.}
        refused short.${image#*.} ""
        status 3 "$KITH" ls -q --force --hash --csv short.${image#*.}
        right "$image cut at $percent %"
    done
done
# Tables past the end.
entries='
import struct
def put(form, at, value): struct.pack_into(form, data, at, value)
def get(form, at): return struct.unpack_from(form, data, at)[0]'
for edit in "a.qcow2 put('>Q',get('>Q',40),1<<63|1<<40)" "renamed.vmdk put('<I',get('<Q',56)*512,1<<30)" "renamed.vmdk put('<I',get('<Q',48)*512,1<<30)"; do
    change ${edit%% *} far.x "$entries
${edit#* }"
    refused far.x "lies beyond the end of the file"
done
finish
