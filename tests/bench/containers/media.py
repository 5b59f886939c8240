# SPDX-License-Identifier: Apache-2.0
"""Pictures and sound with other metadata: the same stream in other files."""
import glob
import os
import shutil
import struct
import subprocess
import zlib


def run(*command):
    """Whether it succeeded; its output is of no interest."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def copy(path, target):
    shutil.copyfile(path, target)
    return target


def pictures(corpus, ending, least=15_000):
    """Pictures of the manuals in a random order, each content once."""
    paths = sorted(path for path in glob.glob(corpus.packages + "/tree/old/gimp-help-en/**/*" + ending, recursive=True)
                   if not os.path.islink(path) and os.path.getsize(path) >= least)
    seen, chosen = set(), []
    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        if content not in seen:
            seen.add(content)
            chosen.append(path)
    corpus.random("pictures", ending).shuffle(chosen)
    return chosen


TAGS = ("-overwrite_original", "-Artist=A. Photographer", "-Copyright=All rights reserved, 2024", "-DateTimeOriginal=2024:05:07 10:02:04",
        "-GPSLatitude=48.1372", "-GPSLatitudeRef=N", "-GPSLongitude=11.5756", "-GPSLongitudeRef=E", "-XMP:Description=On the way back",
        "-XMP:Subject=mountains", "-IPTC:City=Munich")


def tagged(path, target, number, thumbnail=None):
    copy(path, target)
    tags = list(TAGS) + ["-XMP:Title=Picture %d" % number]
    if thumbnail and target.endswith(".jpg"):
        tags.append("-ThumbnailImage<=" + thumbnail)
    return target if run("exiftool", "-q", *tags, target) else None


def jpeg(corpus):
    """With tags and a thumbnail, and without any."""
    folder = corpus.scratch("jpeg")
    for name in ("jpeg, other tags", "jpeg, stripped"):
        corpus.begin(name)
    for number, path in enumerate(pictures(corpus, ".jpg")):
        if min(map(corpus.count, ("jpeg, other tags", "jpeg, stripped"))) >= corpus.pairs:
            break
        thumbnail = folder + "/small.jpg"
        run("ffmpeg", "-y", "-i", path, "-vf", "scale=160:-1", thumbnail)
        marked = tagged(path, folder + "/tagged.jpg", number, thumbnail)
        bare = copy(path, folder + "/bare.jpg")
        if not marked or not run("exiftool", "-q", "-overwrite_original", "-all=", bare):
            continue
        corpus.add("jpeg, other tags", path, marked)
        corpus.add("jpeg, stripped", marked, bare)


def chunks(content):
    at = 8
    while at + 12 <= len(content):
        size, = struct.unpack(">I", content[at:at + 4])
        yield content[at + 4:at + 8], content[at + 8:at + 8 + size]
        at += 12 + size


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def compressed_anew(path, target, level):
    """The same scan lines, compressed at another level."""
    with open(path, "rb") as file:
        content = file.read()
    parts, out, is_done = list(chunks(content)), content[:8], False
    data = zlib.compress(zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT")), level)
    for kind, body in parts:
        if kind != b"IDAT":
            out += chunk(kind, body)
        elif not is_done:
            out, is_done = out + chunk(b"IDAT", data), True
    with open(target, "wb") as file:
        file.write(out)
    return target


def png(corpus):
    folder = corpus.scratch("png")
    for name in ("png, other tags", "png, compressed anew"):
        corpus.begin(name)
    for number, path in enumerate(pictures(corpus, ".png")):
        if min(map(corpus.count, ("png, other tags", "png, compressed anew"))) >= corpus.pairs:
            break
        marked = tagged(path, folder + "/tagged.png", number)
        if marked:
            corpus.add("png, other tags", path, marked)
            corpus.add("png, compressed anew", path, compressed_anew(path, folder + "/anew.png", (1, 3)[number % 2]))


def sounds(corpus):
    paths = glob.glob(corpus.packages + "/tree/old/*-sounds/**/*.ogg", recursive=True)
    chosen = sorted(path for path in paths if not os.path.islink(path) and os.path.getsize(path) > 12_000)
    corpus.random("sounds").shuffle(chosen)
    return chosen


def encoded(path, ending, folder):
    """The sound in another format, with the tags of the original."""
    target = folder + "/sound" + ending
    options = {".mp3": ("-b:a", "128k"), ".flac": (), ".wav": ()}[ending]
    return target if run("ffmpeg", "-y", "-t", "60", "-i", path, "-vn", *options, target) else None


def retag(path, ending, number, cover):
    title, artist = "Track %d" % number, "Nobody in Particular"
    if ending == ".mp3":
        return run("id3v2", "-D", path) and run("id3v2", "-2", "-t", title, "-a", artist, "-c", "bought:for listening:eng", path)
    if ending == ".flac":
        return run("metaflac", "--remove-all-tags", "--set-tag=TITLE=" + title, "--set-tag=ARTIST=" + artist,
                   "--import-picture-from=" + cover, path)
    # A comment that is long enough to move the pages of the sound.
    return run("vorbiscomment", "-w", "-t", "TITLE=" + title, "-t", "ARTIST=" + artist, "-t", "LYRICS=" + "la la li " * (40 + number), path)


def sound(corpus):
    """Other tags; for FLAC with a picture."""
    folder = corpus.scratch("sound")
    cover = next(iter(pictures(corpus, ".jpg")))
    for ending in (".mp3", ".flac", ".ogg"):
        name = ending[1:] + ", other tags"
        corpus.begin(name)
        for number, path in enumerate(sounds(corpus)):
            if corpus.count(name) == corpus.pairs:
                break
            first = path if ending == ".ogg" else encoded(path, ending, folder)
            if not first:
                continue
            other = copy(first, folder + "/other" + ending)
            if retag(other, ending, number, cover):
                corpus.add(name, first, other)


MAKERS = (jpeg, png, sound)
