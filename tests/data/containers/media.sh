#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures and sounds in media/, and prints what the tests expect of them: the SHA-1 of what other programs take
# out of them.  Needs ImageMagick, exiftool, exiv2, jhead and jpegtran.
set -eu
cd "$(dirname "$0")/media"

# ---- JPEG: one picture with all kinds of metadata, and changed by four programs ----

rm -f ./*.jpg
convert -seed 1 -size 40x24 plasma:red-blue -quality 80 plain.jpg
convert plain.jpg -resize 8x8 -strip -quality 30 small.jpg
jpegtran -copy none -optimize plain.jpg >tagged.jpg
exiftool -q -overwrite_original -Make=Kith -Model='A camera' -DateTimeOriginal='2026:01:02 03:04:05' \
    -Comment='A comment' -XMP:Title='A title' -IPTC:Keywords=one '-ThumbnailImage<=small.jpg' \
    '-icc_profile<='/usr/share/color/icc/ghostscript/sgray.icc tagged.jpg
cp tagged.jpg exiv2.jpg
exiv2 -M 'set Exif.Image.Artist Somebody' -M 'del Xmp.dc.title' exiv2.jpg
cp tagged.jpg jhead.jpg
jhead -q -dt -cl 'Another comment' jhead.jpg >/dev/null
cp tagged.jpg stripped.jpg
exiftool -q -q -overwrite_original -all= stripped.jpg
jpegtran -copy none -optimize tagged.jpg >jpegtran.jpg
rm plain.jpg small.jpg
for tag in Exif ThumbnailImage XMP ICC_Profile Comment; do
    echo "$(exiftool -b -$tag tagged.jpg | sha1sum | cut -c1-40) $tag of tagged.jpg"
done
sha1sum stripped.jpg
ls -l
