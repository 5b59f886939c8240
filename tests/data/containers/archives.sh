#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the archives of test_archive in tests/data/containers/archives, all of the same files, with the usual programs:
#
#   archives.sh     needs bzip2, compress, dpkg-deb, gcab, GNU tar, jlha, lz4, lzip, python3, 7z, bsdtar, rpmbuild, xorriso, xz, zip,
#                   zstd.  The SHA-1 of the files, as sha1sum prints them, are in test_archive.c.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$here/archives
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rm -rf "$out"
mkdir "$out"
cd "$scratch"
export TZ=UTC LC_ALL=C.UTF-8

mkdir -p in/folder
seq 1 500 >in/numbers
seq 1 7 3000 | tac >in/folder/tac
: >in/empty
printf 'a name beyond ASCII\n' >"in/folder/zażółć"
ln -s numbers in/link
find in -exec touch -h -d '2024-05-01 12:00:00' {} +
files=(numbers folder/tac empty folder/zażółć)

cd in
zip -q -X "$out/deflate.zip" "${files[@]}"
zip -q -X -0 "$out/stored.zip" "${files[@]}"
zip -q -X -Z bzip2 "$out/bzip2.zip" "${files[@]}"
zip -q -X -fz- - "${files[@]}" | cat >"$out/streamed.zip"
zip -q -X -fz "$out/zip64.zip" "${files[@]}"
7z a -bd -tzip -mm=lzma "$out/lzma.zip" "${files[@]}" >/dev/null
7z a -bd -tzip -mm=ppmd "$out/ppmd.zip" "${files[@]}" >/dev/null
7z a -bd -tzip -mm=deflate64 "$out/deflate64.zip" "${files[@]}" >/dev/null
7z a -bd -tzip -psecret "$out/encrypted.zip" "${files[@]}" >/dev/null
7z a -bd "$out/lzma2.7z" "${files[@]}" >/dev/null
7z a -bd -m0=ppmd "$out/ppmd.7z" "${files[@]}" >/dev/null
7z a -bd -psecret "$out/encrypted.7z" "${files[@]}" >/dev/null
7z a -bd -psecret -mhe "$out/encrypted-names.7z" "${files[@]}" >/dev/null
tar -b1 --owner=0 --group=0 -cf "$out/gnu.tar" -- * && xz -9 -T1 -k -c "$out/gnu.tar" >"$out/gnu.tar.xz"
for format in ustar pax; do
    bsdtar --format=$format -b1 --uid 0 --gid 0 -cf "$out/$format.tar" -- *
done
gzip -9 <"$out/ustar.tar" >"$out/ustar.tar.gz"
bzip2 <"$out/ustar.tar" >"$out/ustar.tar.bz2"
zstd -q <"$out/ustar.tar" >"$out/ustar.tar.zst"
for format in bin odc newc; do
    bsdtar --format=$format --uid 0 --gid 0 -cf "$out/$format.cpio" -- *
done
gzip -9 <"$out/newc.cpio" >"$out/newc.cpio.gz"
bsdtar --format=iso9660 --options 'iso9660:!rockridge,joliet' -cf "$out/joliet.iso" -- *
xorriso -as mkisofs -quiet -r -o "$out/rockridge.iso" . 2>/dev/null
xz -9 "$out"/*.iso
bsdtar --format=xar -cf "$out/gzip.xar" -- *
gcab -c -z "$out/mszip.cab" "${files[@]}"
for kind in 0 1 2; do # of headers
    jlha "a$kind" "$out/lh5-$kind.lzh" numbers folder/tac empty
done
jlha ao6 "$out/lh6.lzh" numbers folder/tac empty
jlha ao7 "$out/lh7.lzh" numbers folder/tac empty
cd ..

# holes at the start, in between and at the end
truncate -s 200000 sparse
printf first | dd of=sparse bs=1 seek=50000 conv=notrunc status=none
printf second | dd of=sparse bs=1 seek=150000 conv=notrunc status=none
for format in gnu posix; do
    tar -b1 --sparse --format=$format --owner=0 --group=0 -cf "$out/sparse-$format.tar" sparse
done
# what only Deflate64 has: distances of more than 32 KiB, and lengths of more than 258
python3 -c 'import hashlib, sys
part = b"".join(hashlib.sha1(b"%d" % i).digest() for i in range(60))
sys.stdout.buffer.write(part + bytes(45000) + part + bytes(30000) + part)' >far
7z a -bd -tzip -mm=deflate64 "$out/far.zip" far >/dev/null
cp in/numbers copy && ln copy link
tar -b1 --owner=0 --group=0 -cf "$out/links.tar" copy link

mkdir -p deb/DEBIAN deb/opt && cp in/numbers deb/opt
printf 'Package: numbers\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: numbers\n' >deb/DEBIAN/control
dpkg-deb --root-owner-group -b deb "$out/numbers.deb" >/dev/null
(cd in && ar rcD "$out/names.a" numbers folder/tac)
cat >spec <<SPEC
Name: numbers
Version: 1
Release: 1
Summary: numbers
License: none
BuildArch: noarch
%description
numbers
%install
mkdir -p %{buildroot}/opt
cp $scratch/in/numbers $scratch/in/folder/tac %{buildroot}/opt
%files
/opt/*
SPEC
rpmbuild --quiet --define "_rpmdir $scratch" --define "_topdir $scratch" -bb spec
mv noarch/*.rpm "$out/numbers.rpm"

gzip -9 -c in/numbers >"$out/numbers.gz"
{ gzip -9 -c in/numbers && gzip -9 -n -c in/folder/tac; } >"$out/two.gz"
bzip2 -c in/numbers >"$out/numbers.bz2"
{ xz -T1 -c in/numbers && head -c 8 /dev/zero && xz -T1 -c in/folder/tac; } >"$out/two.xz"
{ zstd -q -c in/numbers && zstd -q -c in/folder/tac; } >"$out/two.zst"
xz --format=lzma -c in/numbers >"$out/numbers.lzma"
lz4 -q -c in/numbers >"$out/numbers.lz4"
: | lz4 -q -c >"$out/empty.lz4"
: | bzip2 -c >"$out/empty.bz2"
lzip -c in/numbers >"$out/numbers.lz"
compress -c in/numbers >"$out/numbers.Z"
python3 "$here/rar.py" "$out" in "${files[@]}"
du -bsc "$out"/* | tail -n 1
