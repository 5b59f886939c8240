#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures and sounds in media/, and prints what the tests expect of them: the SHA-1 of what other programs take
# out of them.  Needs ImageMagick, exiftool, exiv2, jhead, jpegtran, optipng,
# pngcrush, zopflipng, sox, lame, id3v2, eyeD3, ffmpeg, flac and opusenc.
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

# ---- PNG: compressed by other programs ----

rm -f ./*.png
convert -seed 1 -size 40x24 plasma:red-blue -strip -depth 8 -define png:compression-level=1 -define png:color-type=2 plain.png
optipng -quiet -o5 -nx -out optipng.png plain.png
pngcrush -q -l 9 plain.png pngcrush.png 2>/dev/null
zopflipng -y --iterations=5 plain.png zopflipng.png >/dev/null
echo "$(convert plain.png RGB:- | sha1sum | cut -c1-40) pixels of plain.png"

# ---- sound ----

rm -f ./*.mp3 ./*.flac ./*.opus
sox -n -R -r 16000 -c 1 -b 16 sound.wav synth 0.3 sine 440 sine 997
lame --quiet -t -b 16 -m m sound.wav bare.mp3
lame --quiet -V7 --tt 'A title' --ti stripped.jpg sound.wav lame.mp3
id3v2 --delete-all lame.mp3 >/dev/null
for file in bare lame; do
    cp $file.mp3 $file-id3v2.mp3
    id3v2 -t 'A title' -a Somebody $file-id3v2.mp3
    cp $file.mp3 $file-eyed3.mp3
    eyeD3 -Q --add-image stripped.jpg:FRONT_COVER:described -t 'Another title' $file-eyed3.mp3 >/dev/null 2>&1
    ffmpeg -v error -i $file.mp3 -c copy -metadata title=Third $file-ffmpeg.mp3
done
sha1sum bare.mp3
flac -s -f --no-padding -T TITLE=one --picture stripped.jpg sound.wav -o tagged.flac
cp tagged.flac changed.flac
metaflac --dont-use-padding --remove-tag=TITLE --set-tag='TITLE=another one' changed.flac
cp tagged.flac bare.flac
metaflac --dont-use-padding --remove-all bare.flac
echo "$(tail -c +43 bare.flac | sha1sum | cut -c1-40) frames of bare.flac"
opusenc --quiet --bitrate 8 --serial 1 --discard-comments --title one sound.wav one.opus
opusenc --quiet --bitrate 8 --serial 9 --discard-comments --picture stripped.jpg --title "$(printf '%0600d' 1)" sound.wav two.opus
ffmpeg -v error -flags +bitexact -i one.opus -c copy -metadata title=three three.opus
rm sound.wav
ls -l
