#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Small disk images with a known truth, made by script, without privileges.
#
#   bash images.sh OUT [NAME...]      makes the named images (without names: the default list) in the folder OUT
#   bash images.sh --list             the names; those not made by default are marked with a *
#
# Each image is OUT/NAME.EXT (EXT: img, iso, 001, E01, aff, vmdk, vhd, vhdx, qcow2, vdi) with OUT/NAME.truth, one line per object, sorted by
# path (LC_ALL=C):   volume TAB kind TAB path TAB size TAB sha1
#   volume  "-" without partitions, otherwise mmls's first column without leading zeros, "@", and the offset in bytes: 2@1048576
#   kind    file | deleted | stream | gap
#   path    raw bytes, without a leading slash; control characters, DEL and the backslash as \xHH; hard links: all paths, joined by //;
#           streams: FILE:STREAM; gaps: @OFFSET+LENGTH, in bytes from the start of the disk
# The truth comes from the source files before they go into the image, never from a tool that reads images.  Symbolic links, folders and
# the metadata of file systems are not in it.
#
# With IMAGES_KEPT=FOLDER each image is made once and then copied from there, as long as the scripts that make it do not change.
#
# Packages (Debian 12): e2fsprogs dosfstools mtools exfatprogs ntfs-3g libntfs-3g89 xorriso makefs fdisk ewf-tools
# afflib-tools qemu-utils python3
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8 TZ=UTC PATH=$PATH:/usr/sbin:/sbin
export SOURCE_DATE_EPOCH=1704164645 E2FSPROGS_FAKE_TIME=1704164645 MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
UUID=6b697468-0000-4000-8000-000000000001

die()
{
    echo "images.sh: $*" >&2
    exit 1
}

# ---- helpers; each image is made in an empty folder of its own, the result named $img with $truth ----

# tree DIR <SPEC: source files, see truth.py
tree()
{
    python3 "$here/truth.py" tree "$1"
}

# truth VOLUME DIR [OPTION...]: adds the truth of all files below DIR
truth()
{
    python3 "$here/truth.py" of "$@" >>"$truth"
}

# quietly COMMAND...: shows its output only if it fails
quietly()
{
    "$@" >said 2>&1 </dev/null || { cat said >&2; die "$name: failed: $*"; }
}

# quietly_from FILE COMMAND...
quietly_from()
{
    local file=$1
    shift
    "$@" >said 2>&1 <"$file" || { cat said >&2; die "$name: failed: $*"; }
}

# debug IMAGE <COMMANDS: runs debugfs, which never fails, and fails if it printed an error
debug()
{
    debugfs -w -f /dev/stdin "$1" >said 2>complaints || true
    if grep -qv '^debugfs 1' complaints; then
        cat complaints >&2
        die "$name: debugfs failed"
    fi
}

# ext TYPE IMAGE SIZE DIR [OPTION...]: an ext file system holding DIR
ext()
{
    local type=$1 image=$2 size=$3 dir=$4
    shift 4
    quietly mke2fs -q -F -t "$type" -U $UUID -E hash_seed=$UUID,root_owner=0:0 -d "$dir" "$@" "$image" "$size"
}

# fat IMAGE SIZE BITS DIR [OPTION...]: a FAT file system holding DIR
fat()
{
    local image=$1 size=$2 bits=$3 dir=$4
    shift 4
    truncate -s "$size" "$image"
    quietly mkfs.fat --invariant -i 6b697468 -n KITH -F "$bits" "$@" "$image"
    quietly mcopy -s -m -i "$image" "$dir"/* ::/
}

# place IMAGE PART OFFSET: writes the file PART into IMAGE at OFFSET, keeping its holes
place()
{
    dd if="$2" of="$1" bs=64K seek="$3" oflag=seek_bytes conv=notrunc,sparse status=none
}

# ntfs IMAGE SIZE DIR [OPTION...]: an NTFS file system holding DIR, where a file named F:S becomes the stream S of the file F
ntfs()
{
    local image=$1 size=$2 dir=$3 path
    shift 3
    truncate -s "$size" "$image"
    quietly mkntfs -F -Q -q -s 512 -p 0 -H 16 -S 63 -c 4096 -L KITH "$@" "$image"
    while IFS= read -r -d '' path; do
        [ -z "$path" ] || quietly python3 "$here/ntfs.py" "$image" mkdir "/$path"
    done < <(find "$dir" -type d -printf '%P\0' | sort -z)
    while IFS= read -r -d '' path; do
        case $path in
        *:*) quietly ntfscp -f -q -N "${path##*:}" "$image" "$dir/$path" "/${path%:*}" ;;
        *) quietly ntfscp -f -q -t "$image" "$dir/$path" "/$path" ;;
        esac
    done < <(find "$dir" -type f -printf '%P\0' | sort -z)
}

# need COMMAND...
need()
{
    local command
    for command; do
        command -v "$command" >/dev/null || die "$name: no $command; the packages are named at the head of this script"
    done
}

# ---- the images ----

image_ext4()
{
    local long
    long=$(printf 'long%.0s' {1..62})              # and 7 more bytes: 255
    tree src <<EOF
text     1  0        empty.txt
text     2  1        one-byte.txt
bytes    3  4096     one-block.bin
bytes    4  4097     one-block-and-one-byte.bin
text     5  1M       text/one-megabyte.txt
text     6  3000     names/with  two spaces.txt
text     7  3001     names/single'and"double.txt
text     8  3002     names/new\\x0aline.txt
text     9  3003     names/not-utf8-\\xff.txt
text     10 3004     names/=formula.txt
text     11 3005     names/back\\x5cslash.txt
text     12 3006     names/äöü-日本語.txt
text     13 3007     names/$long-tail-x
text     14 20000    links/first-name.txt
link     -  -        links/first-name.txt -> links/another/second-name.txt
symlink  -  -        ../text/one-megabyte.txt -> links/symbolic
sparse   15 3M@1M    sparse/data-in-the-middle.bin
sparse   16 3M@0     sparse/data-at-the-start.bin
sparse   17 3M@3080192 sparse/data-at-the-end.bin
text     18 60000    deep/a/b/c/d/e/f/bottom.txt
dir      -  -        an-empty-folder
text     20 50000    deleted/gone.txt
bytes    21 300000   deleted/gone-large.bin
text     22 5000     deleted/stays.txt
text     23 7000     deleted-folder/inside.txt
bytes    24 9000     deleted-folder/below/inside-too.bin
EOF
    ext ext4 "$img" 12M src -b 4096 -N 512
    debug "$img" <<'EOF'
rm deleted/gone.txt
rm deleted/gone-large.bin
rm deleted-folder/below/inside-too.bin
rmdir deleted-folder/below
rm deleted-folder/inside.txt
rmdir deleted-folder
EOF
    truth - src deleted=deleted/gone deleted=deleted-folder/
}

# A file of more than 400 extents: its blocks lie in the holes which 500 removed files left.  Their content is overwritten, so that they
# are not in the truth.
image_ext4_extents()
{
    local i
    for i in {1000..1999}; do
        echo "bytes $i 4096 filler/$i"
    done | tree src
    tree large <<<'bytes 200 3M fragmented.bin'
    ext ext4 "$img" 12M src -b 4096 -N 1200 -O ^has_journal
    {
        for i in {1001..1999..2}; do
            echo "rm filler/$i"
            rm "src/filler/$i"
        done
        echo write large/fragmented.bin fragmented.bin
    } | debug "$img"
    debugfs -R 'dump_extents -l fragmented.bin' "$img" >extents 2>said
    [ "$(grep -c '^ 1/ 1' extents)" -gt 400 ] || die "$name: only $(grep -c '^ 1/ 1' extents) extents on the second level"
    truth - src
    truth - large
}

# small files kept in the inode itself, and beside it
image_ext4_inline()
{
    tree src <<'EOF'
text  211 0     empty.txt
text  212 1     one-byte.txt
text  213 60    sixty-bytes.txt
text  214 61    sixty-one-bytes.txt
text  215 140   more-than-the-blocks.txt
text  216 5000  not-inline.txt
text  217 100   folder/small.txt
text  218 90    deleted.txt
EOF
    ext ext4 "$img" 4M src -O inline_data,^has_journal -I 256
    debug "$img" <<<'rm deleted.txt'
    truth - src deleted=deleted.txt
}

# 80 MB in blocks of 1 KiB: needs a triple-indirect block
image_ext2()
{
    tree src <<'EOF'
text  221 0     empty.txt
text  222 1024  one-block.txt
text  223 13000 thirteen-blocks.txt
text  224 300000 double-indirect.txt
bytes 225 80M   triple-indirect.bin
text  226 30000 deleted.txt
EOF
    ext ext2 "$img" 84M src -b 1024 -N 64
    debug "$img" <<<'rm deleted.txt'
    truth - src deleted=deleted.txt
}

# sparse NUMBER RANGES SIZE BLOCK: a file with a hole and some data in it, in an image of SIZE
sparse()
{
    tree src <<EOF
sparse ${1}1 $2 sparse.bin
text   ${1}2 30000 text.txt
EOF
    ext ext3 "$img" "$3" src -b "$4" -N 64
    truth - src
}

# a hole of 300 MB in blocks of 1 KiB
image_ext3_sparse()
{
    sparse 23 300M@0,150M,314507264 8M 1024
}

# a hole of 16 GiB in blocks of 4 KiB; hashing its source takes a while
image_ext3_huge()
{
    sparse 24 16G@0,8G,17179803648 16M 4096
}

# FAT files for the three widths: a deleted file loses the first letter of a short name, and nothing of a long one
fat_source()
{
    tree src <<'EOF'
text  31 0      empty.txt
text  32 1      one-byte.txt
bytes 33 512    one-sector.bin
bytes 34 4097   one-more-than-4096.bin
text  35 200000 text/A longer name with spaces.txt
text  36 9000   text/README.TXT
text  37 9001   Bücher/Über die Größe.txt
text  38 9002   Bücher/日本語のとても長いファイル名.txt
text  39 9003   deep/a/b/c/d/e/bottom.txt
bytes 40 100000 pictures/random bytes.bin
text  41 30000  pictures/deleted long name.txt
text  42 20000  deleted from the root.bin
text  43 5000   GONE.TXT
text  48 7000   deleted-folder/inside.txt
bytes 49 8000   deleted-folder/below/inside-too.bin
EOF
}

# fat_image SIZE BITS.  Two files make room for a fragmented one and are overwritten by it, so they are not in the truth.
fat_image()
{
    fat_source
    tree room <<'EOF'
bytes 44 9000  1-room.bin
text  45 20000 2-between.txt
bytes 46 9000  3-room.bin
EOF
    tree late <<'EOF'
bytes 47 60000 fragmented.bin
EOF
    fat "$img" "$1" "$2" room
    quietly mcopy -s -m -i "$img" src/* ::/
    quietly mdel -i "$img" ::/1-room.bin ::/3-room.bin
    if [ "$2" = 32 ]; then                          # without the hint where free clusters begin the first ones are taken
        printf '\xff\xff\xff\xff' | dd of="$img" bs=1 seek=1004 conv=notrunc status=none
    fi
    quietly mcopy -m -i "$img" late/fragmented.bin ::/
    quietly mdel -i "$img" "::/pictures/deleted long name.txt" "::/deleted from the root.bin" ::/GONE.TXT
    quietly mdeltree -i "$img" ::/deleted-folder
    rm room/?-room.bin
    truth - src "deleted=pictures/deleted" "deleted=deleted " deleted=deleted-folder deleted=GONE.TXT as=GONE.TXT=_ONE.TXT \
        as=deleted-folder/inside.txt=deleted-folder/_nside.txt \
        as=deleted-folder/below/inside-too.bin=deleted-folder/_elow/inside-too.bin
    truth - room
    truth - late
}

image_fat12()
{
    fat_image 1440K 12
}

image_fat16()
{
    fat_image 16M 16
}

image_fat32()
{
    fat_image 36M 32
}

image_exfat()
{
    tree src <<'EOF'
text  241 0      empty.txt
text  242 1      one-byte.txt
bytes 243 4096   one-cluster.bin
bytes 244 4097   one-cluster-and-one-byte.bin
text  245 200000 contiguous.txt
text  246 150000 fragmented.txt
bytes 247 90000  folder/below/fragmented.bin
text  248 9001   Bücher/Über die Größe, mit einem langen Namen.txt
text  249 9002   Bücher/日本語.txt
text  250 50000  folder/deleted with a long name.txt
bytes 251 60000  deleted.bin
text  252 9003   deleted-folder/inside.txt
dir   -   -      an-empty-folder
EOF
    truncate -s 8M "$img"
    quietly mkfs.exfat -c 4K -L KITH "$img"
    quietly python3 "$here/exfat.py" "$img" src \
        fragmented=fragmented fragmented=folder/below/fragmented deleted=deleted deleted=folder/deleted
    truth - src deleted=deleted deleted=folder/deleted
}

# A file whose valid length is shorter than its length: the rest reads as zeros, whatever lies in its clusters
# (QUIRK_EXFAT_VALID_LENGTH).
image_exfat_valid()
{
    tree src <<'EOF'
sparse 254 100K@0 half-valid.bin
text   255 30000  text.txt
EOF
    truncate -s 8M "$img"
    quietly mkfs.exfat -c 4K -L KITH "$img"
    quietly python3 "$here/exfat.py" "$img" src valid=half-valid.bin=65536
    truth - src
}

image_ufs1()
{
    ufs_image "$img"
    truth - src
}

# ufs_image IMAGE: 6 MiB of UFS1, and its source
ufs_image()
{
    tree src <<'EOF'
text  261 0      empty.txt
text  262 1      one-byte.txt
bytes 263 8192   one-block.bin
bytes 264 8193   one-block-and-one-byte.bin
text  265 300000 text/indirect.txt
text  266 30000  Bücher/Über die Größe.txt
text  267 30001  links/first-name.txt
link  -   -      links/first-name.txt -> links/second-name.txt
symlink - -      first-name.txt -> links/symbolic
text  268 30002  deep/a/b/c/d/bottom.txt
EOF
    quietly makefs -t ffs -o version=1 -s 6m -T $SOURCE_DATE_EPOCH "$1" src
}

# a BSD disk label inside a DOS slice; its volume is number 3 of that (mmls -t bsd -o 2048) in number 2 of the disk
image_bsd()
{
    ufs_image ufs.img
    truncate -s 8M "$img"
    sfdisk -q --no-reread --no-tell-kernel "$img" >said 2>&1 <<'EOF'
label: dos
label-id: 0x6b697468
1: start=2048, size=14336, type=a5
EOF
    quietly python3 "$here/disklabel.py" "$img" 2048 14336 a=2112+12288
    place "$img" ufs.img $((2112 * 512))
    truth 2.3@1081344 src
}

# the label without a DOS table around it
image_bsd_bare()
{
    ufs_image ufs.img
    truncate -s 8M "$img"
    quietly python3 "$here/disklabel.py" "$img" 0 16384 a=64+12288
    place "$img" ufs.img $((64 * 512))
    truth 2@32768 src
}

ntfs_source()
{
    tree src <<'EOF'
text  51 0      empty.txt
text  52 1      one-byte.txt
text  53 100    resident.txt
text  54 200000 non-resident.txt
bytes 55 4096   one-cluster.bin
bytes 56 4097   one-cluster-and-one-byte.bin
text  57 5000   streams.txt
text  58 90     streams.txt:small
text  59 70000  streams.txt:large
text  60 3000   no-main-content.txt:only
text  60 0      no-main-content.txt
text  61 40000  Bücher/Über die Größe.txt
text  62 40001  Bücher/日本語/tief/unten.txt
text  63 30000  Bücher/first-name.txt
text  64 50000  deleted/gone.txt
text  65 120    deleted/gone-resident.txt
text  66 6000   deleted/gone-with-stream.txt
text  67 8000   deleted/gone-with-stream.txt:stream
text  68 9000   deleted-folder/inside.txt
EOF
}

image_ntfs()
{
    ntfs_source
    ntfs "$img" 12M src
    ln src/Bücher/first-name.txt src/second-name.txt
    quietly python3 "$here/ntfs.py" "$img" link /Bücher/first-name.txt /second-name.txt \
        rm /deleted/gone.txt rm /deleted/gone-resident.txt rm /deleted/gone-with-stream.txt \
        rm /deleted-folder/inside.txt rm /deleted-folder
    truth - src streams deleted=deleted/gone deleted=deleted-folder/
}

# a volume on which everything is compressed (LZNT1): text shrinks, random bytes do not, a long run of zeros becomes a hole
image_ntfs_compressed()
{
    tree src <<'EOF'
text   71 100     resident.txt
text   72 10000   less-than-a-unit.txt
text   73 65536   one-unit.txt
text   74 300000  text.txt
bytes  75 200000  random.bin
sparse 76 1M@512K zeros-around.bin
text   77 50000   text.txt:stream
text   78 100000  deleted.txt
EOF
    ntfs "$img" 10M src -C
    quietly python3 "$here/ntfs.py" "$img" rm /deleted.txt
    truth - src streams deleted=deleted.txt
}

iso_source()
{
    tree src <<'EOF'
text    81 0       empty.txt
text    82 1       one-byte.txt
bytes   83 2048    one-block.bin
bytes   84 2049    one-block-and-one-byte.bin
text    85 500000  text/A longer name with spaces.txt
text    86 30000   text/README.TXT
text    87 30001   Bücher/Über die Größe.txt
text    88 30002   deep/a/b/c/d/bottom.txt
symlink -  -       ../text/README.TXT -> deep/symbolic
EOF
}

image_iso()
{
    iso_source
    quietly xorriso -as mkisofs -quiet -R -J -V KITH -o "$img" src
    truth - src
}

# ISO9660 and HFS+ in one image, both showing the same files: the ISO at 0, which is no volume of the Apple partition map, and HFS+ in the
# map's second partition.  HFS+ keeps names decomposed.
image_iso_hfs()
{
    iso_source
    quietly xorriso -as mkisofs -quiet -R -J -hfsplus -V KITH -o "$img" src
    truth - src
    truth "5@$(hfs_partition "$img" | cut -d' ' -f1)" src nfd
}

# the HFS+ of that image alone
image_hfs()
{
    local start length
    iso_source
    quietly xorriso -as mkisofs -quiet -R -J -hfsplus -V KITH -o both.iso src
    hfs_partition both.iso >where
    read -r start length <where
    dd if=both.iso of="$img" bs=64K skip="$start" count="$length" iflag=skip_bytes,count_bytes conv=sparse status=none
    truth - src nfd
}

# hfs_partition IMAGE: where the Apple partition map has it, in bytes: START LENGTH
hfs_partition()
{
    python3 - "$1" <<'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read(1 << 16)
for at in range(512, len(data), 512):
    if data[at:at + 2] == b"PM" and data[at + 48:at + 80].rstrip(b"\0") == b"Apple_HFS":
        print(*(512 * n for n in struct.unpack_from(">II", data, at + 8)))
EOF
}

# the disk from which the containers are made
image_disk_dos()
{
    make_disk_dos "$img"
}

# make_disk_dos IMAGE: laid out once for all its containers
make_disk_dos()
{
    if [ ! -e "$work/disk-dos.truth" ]; then
        lay_out_disk_dos "$work/disk-dos.img"
        cp "$truth" "$work/disk-dos.truth"
    fi
    cp "$work/disk-dos.img" "$1"
    cp "$work/disk-dos.truth" "$truth"
}

lay_out_disk_dos()
{
    tree one <<'EOF'
text  101 40000   first partition/text.txt
bytes 102 3M      first partition/random.bin
text  103 30000   deleted.txt
text  104 0       empty.txt
EOF
    tree five <<'EOF'
text  111 40000  logical partition/a longer name.txt
text  112 50000  GONE.TXT
text  113 50001  deleted long name.txt
EOF
    tree gaps <<'EOF'
text  121 60000  marker
text  122 70000  tail
EOF
    ext ext4 one.img 10M one -b 1024
    debug one.img <<<'rm deleted.txt'
    fat five.img 8M 16 five -s 1
    quietly mdel -i five.img ::/GONE.TXT '::/deleted long name.txt'
    # The gap extends to the first logical partition: it contains the table of the extended one.
    # In sectors: 1 at 2048, a gap of 1 MiB at 22528, the extended partition at 24576, its first logical one 2048 after that, a tail
    truncate -s 22M "$1"
    sfdisk -q --no-reread --no-tell-kernel "$1" >said 2>&1 <<'EOF'
label: dos
label-id: 0x6b697468
1: start=2048, size=20480, type=83
2: start=24576, size=18432, type=5
5: start=26624, size=16384, type=6
EOF
    place "$1" one.img $((2048 * 512))
    place "$1" five.img $((26624 * 512))
    truncate -s 1M gaps/marker gaps/tail
    place "$1" gaps/marker $((22528 * 512))
    place "$1" gaps/tail $((43008 * 512))
    truth 2@1048576 one deleted=deleted.txt
    truth 6@13631488 five "deleted=deleted " deleted=GONE.TXT as=GONE.TXT=_ONE.TXT
    dd if="$1" of=gaps/between bs=512 skip=22528 count=4096 status=none
    python3 "$here/truth.py" gap $((22528 * 512)) gaps/between >>"$truth"
    python3 "$here/truth.py" gap $((43008 * 512)) gaps/tail >>"$truth"
}

image_disk_gpt()
{
    tree one <<'EOF'
text  131 40000  on ntfs.txt
text  132 50000  on ntfs.txt:stream
text  133 20000  deleted.txt
EOF
    tree two <<'EOF'
text  141 40000  on fat/a longer name.txt
text  142 50001  deleted long name.txt
EOF
    tree three <<'EOF'
text  151 40000  on ext4/text.txt
text  152 30000  deleted.txt
EOF
    tree gaps <<'EOF'
text  161 60000  marker
EOF
    ntfs one.img 6M one
    quietly python3 "$here/ntfs.py" one.img rm /deleted.txt
    fat two.img 8M 16 two -s 1
    quietly mdel -i two.img '::/deleted long name.txt'
    ext ext4 three.img 6M three -b 1024
    debug three.img <<<'rm deleted.txt'
    truncate -s 23M "$img"
    sfdisk -q --no-reread --no-tell-kernel "$img" >said 2>&1 <<'EOF'
label: gpt
label-id: 6B697468-0000-4000-8000-000000000000
1: start=2048, size=12288, type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7, uuid=6B697468-0000-4000-8000-000000000001, name="ntfs"
2: start=14336, size=16384, type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7, uuid=6B697468-0000-4000-8000-000000000002, name="fat"
3: start=32768, size=12288, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4, uuid=6B697468-0000-4000-8000-000000000003, name="ext4"
EOF
    place "$img" one.img $((2048 * 512))
    place "$img" two.img $((14336 * 512))
    place "$img" three.img $((32768 * 512))
    truncate -s 1M gaps/marker
    place "$img" gaps/marker $((30720 * 512))
    truth 4@1048576 one streams deleted=deleted.txt
    truth 5@7340032 two "deleted=deleted "
    truth 7@16777216 three deleted=deleted.txt
    python3 "$here/truth.py" gap $((30720 * 512)) gaps/marker >>"$truth"
}

# ---- containers of disk-dos, each with its truth ----

image_disk_split()
{
    make_disk_dos raw
    split -b 6000K -d -a 3 --numeric-suffixes=1 raw "${img%001}"
}

image_disk_ewf()
{
    make_disk_dos raw
    quietly_from raw ewfacquirestream -q -c best -f encase6 -t "${img%.E01}"
}

image_disk_ewf_segments()
{
    make_disk_dos raw
    quietly_from raw ewfacquirestream -q -c fast -f encase6 -S 1048576 -t "${img%.E01}"
}

image_disk_aff()
{
    make_disk_dos raw
    quietly affconvert -q -o "$img" raw
    chmod 644 "$img"
}

image_disk_vmdk()
{
    make_disk_dos raw
    quietly qemu-img convert -f raw -O vmdk raw "$img"
}

image_disk_vhd()
{
    make_disk_dos raw
    quietly qemu-img convert -f raw -O vpc -o subformat=dynamic,force_size=on raw "$img"
}

image_disk_vhd_fixed()
{
    make_disk_dos raw
    quietly qemu-img convert -f raw -O vpc -o subformat=fixed,force_size=on raw "$img"
}

image_disk_vhdx()
{
    make_disk_dos raw
    quietly qemu-img convert -f raw -O vhdx raw "$img"
}

# containers which kith refuses; the truth is what they contain
image_disk_qcow2()
{
    make_disk_dos raw
    quietly qemu-img convert -f raw -O qcow2 raw "$img"
}

image_disk_vdi()
{
    make_disk_dos raw
    quietly qemu-img convert -f raw -O vdi raw "$img"
}

# ---- names: NAME EXTENSION [*, not by default] ----

images()
{
    cat <<'EOF'
ext4 img
ext4-extents img
ext4-inline img
ext2 img
ext3-sparse img
ext3-huge img *
fat12 img
fat16 img
fat32 img
exfat img
exfat-valid img
ntfs img
ntfs-compressed img
iso iso
iso-hfs iso
hfs img
ufs1 img
bsd img
bsd-bare img
disk-dos img
disk-gpt img
disk-split 001
disk-ewf E01
disk-ewf-segments E01
disk-aff aff
disk-vmdk vmdk
disk-vhd vhd
disk-vhd-fixed vhd
disk-vhdx vhdx
disk-qcow2 qcow2
disk-vdi vdi
EOF
}

# kept NAME EXTENSION: takes it from where an earlier run left it, or makes it and leaves it there
kept()
{
    local keep=$IMAGES_KEPT/$makers/$1 new
    if [ ! -e "$keep" ]; then
        make "$@"
        mkdir -p "$IMAGES_KEPT/$makers"
        new=$(mktemp -d "$IMAGES_KEPT/.new.XXXXXX")
        cp "$out/$1".* "$new"
        mv -T "$new" "$keep" 2>/dev/null || rm -rf "$new" # another run was faster
    else
        rm -f "$out/$1".*
        cp "$keep/$1".* "$out"
    fi
}

# make NAME EXTENSION
make()
{
    name=$1 img=$out/$1.$2 truth=$work/truth
    rm -f "$out/$name".*
    mkdir "$work/$name"
    : >"$truth"
    cd "$work/$name"
    "image_${name//-/_}"
    cd "$out"
    rm -rf "${work:?}/$name"
    LC_ALL=C sort -t "$(printf '\t')" -k3,3 -k1,1 "$truth" >"$out/$name.truth"
}

[ $# -gt 0 ] || die "usage: images.sh OUT [NAME...]"
if [ "$1" = --list ]; then
    images | sed 's/ [^ ]*//'
    exit
fi
name=images.sh
# TOOLS: those that the images named need, if these are fewer
# shellcheck disable=SC2086
need ${TOOLS:-mke2fs debugfs mkfs.fat mcopy mkfs.exfat mkntfs ntfscp xorriso makefs sfdisk ewfacquirestream affconvert qemu-img \
    python3}
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
work=$(mktemp -d "$out/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
makers=$(cat "$here"/{images.sh,truth.py,ntfs.py,exfat.py,disklabel.py} | sha1sum | cut -c1-40)
[ $# -gt 0 ] || mapfile -t default < <(images | awk 'NF == 2 { print $1 }')
for wanted in "${@:-${default[@]}}"; do
    extension=$(images | awk -v name="$wanted" '$1 == name { print $2 }')
    [ -n "$extension" ] || die "no image named $wanted; see images.sh --list"
    if [ -n "${IMAGES_KEPT:-}" ]; then
        kept "$wanted" "$extension"
    else
        make "$wanted" "$extension"
    fi
done
