# SPDX-License-Identifier: Apache-2.0
"""Archives: trees packed anew, and packages in two versions."""
import glob
import io
import os
import subprocess
import tarfile
import zipfile

LEAST_COMMON = 1000  # bytes of lines that two versions share, or they are no pair


def members(path):
    """(name, content) of the files in a tar of any compression"""
    with tarfile.open(path) as tar:
        return [(entry.name, tar.extractfile(entry).read()) for entry in tar if entry.isfile()]


def content_of_deb(path):
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return [(entry.name, tar.extractfile(entry).read()) for entry in tar if entry.isfile()]


def lines(files):
    return {line for _, content in files for line in content.split(b"\n") if len(line) >= 24}


def common(a, b):
    """Bytes of the lines of some length that both have."""
    return sum(map(len, lines(a) & lines(b)))


def put_zip(path, files, level, date):
    with zipfile.ZipFile(path, "w") as out:
        for name, content in files:
            out.writestr(zipfile.ZipInfo(name, date), content, zipfile.ZIP_DEFLATED, level)
    return path


def put_tar(path, files, mode, date):
    with tarfile.open(path, mode) as out:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), date
            out.addfile(info, io.BytesIO(content))
    return path


def put_7z(path, files, folder, *options):
    """With 7z, in the format that the path's ending names."""
    for name, content in files:
        place = os.path.join(folder, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(content)
    if os.path.exists(path):
        os.unlink(path)
    subprocess.run(["7z", "a", "-bd", "-y", *options, os.path.abspath(path), "."], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return path


def both(corpus, ending):
    """Paths of the packages of a kind that there are in two versions."""
    for old in sorted(glob.glob(corpus.packages + "/old/*" + ending)):
        new = old.replace("/old/", "/new/")
        if os.path.exists(new):
            yield old, new


def zip_rebuilt(corpus):
    """The same files in another order and with other dates, and compressed at other levels."""
    for name in ("zip, other order and dates", "zip, other level"):
        corpus.begin(name)
    for number, (old, _) in enumerate(both(corpus, ".tgz")):
        files, folder = members(old), corpus.scratch("zip-rebuilt/%d" % number)
        reference = put_zip(folder + "/a.zip", files, 6, (2022, 11, 3, 9, 30, 2))
        corpus.random("zip", old).shuffle(files)
        other = (2024, 2, 28, 17, 4, 8)
        corpus.add("zip, other order and dates", reference, put_zip(folder + "/b.zip", files, 6, other))
        evidence = folder + "/c.zip"
        if number % 3 == 2:
            put_7z(evidence, files, folder + "/7z", "-mx=9")
        else:
            put_zip(evidence, files, (1, 3)[number % 3], other)
        corpus.add("zip, other level", reference, evidence)


def zip_as_other(corpus):
    """The files of a zip in an archive of another kind."""
    corpus.begin("zip, as tgz, tar.xz or 7z")
    for old, _ in both(corpus, ".tgz"):
        files = members(old)
        number = corpus.count("zip, as tgz, tar.xz or 7z")
        folder = corpus.scratch("zip-other/%d" % number)
        reference = put_zip(folder + "/a.zip", files, 6, (2022, 11, 3, 9, 30, 2))
        if number % 3 == 2:
            evidence = put_7z(folder + "/b.7z", files, folder + "/7z")
        else:
            evidence = put_tar(folder + ("/b.tgz", "/b.txz")[number % 3], files, ("w:gz", "w:xz")[number % 3], 1700000000)
        corpus.add("zip, as tgz, tar.xz or 7z", reference, evidence)


def one_file(corpus):
    """A file by itself, and the archive that has it."""
    corpus.begin("file, in zip, tgz or 7z")
    for old, _ in both(corpus, ".tgz"):
        files = members(old)
        name, content = max(files, key=lambda file: len(file[1]) if len(file[1]) < 100_000 else 0)
        number = corpus.count("file, in zip, tgz or 7z")
        folder = corpus.scratch("one-file/%d" % number)
        with open(folder + "/a" + os.path.splitext(name)[1], "wb") as file:
            file.write(content)
        if number % 3 == 0:
            evidence = put_zip(folder + "/b.zip", files, 6, (2022, 11, 3, 9, 30, 2))
        elif number % 3 == 1:
            evidence = put_tar(folder + "/b.tgz", files, "w:gz", 1700000000)
        else:
            evidence = put_7z(folder + "/b.7z", files, folder + "/7z")
        corpus.add("file, in zip, tgz or 7z", folder + "/a" + os.path.splitext(name)[1], evidence)


def npm_versions(corpus):
    corpus.begin("tgz, two versions")
    for old, new in both(corpus, ".tgz"):
        if common(members(old), members(new)) >= LEAST_COMMON:
            corpus.add("tgz, two versions", old, new)


def xz_versions(corpus):
    """The same packages, compressed by xz, the older one as tgz."""
    corpus.begin("tgz and tar.xz, two versions")
    folder = corpus.scratch("xz-versions")
    for old, new in both(corpus, ".tgz"):
        files = members(new)
        if common(members(old), files) >= LEAST_COMMON:
            corpus.add("tgz and tar.xz, two versions", old, put_tar(folder + "/b.txz", files, "w:xz", 1700000000))


def deb_versions(corpus):
    corpus.begin("deb, two versions")
    for old, new in both(corpus, ".deb"):
        if max(map(os.path.getsize, (old, new))) < 1_000_000 and common(content_of_deb(old), content_of_deb(new)) >= LEAST_COMMON:
            corpus.add("deb, two versions", old, new)


MAKERS = (zip_rebuilt, zip_as_other, one_file, npm_versions, xz_versions, deb_versions)
