#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the packages of packages.txt: fetch.py FOLDER.

FOLDER/old and FOLDER/new get NAME.deb or NAME.tgz (npm) of the two versions, and FOLDER/tree/{old,new}/NAME the files of those
Debian packages whose files are wanted.  What is there already is not fetched again, and a package that is in only one of
the two releases is left out."""
import lzma
import os
import subprocess
import sys
import urllib.error
import urllib.request


def first_line(*command):
    """The first line that a command prints, without a slash at its end."""
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\n")[0].rstrip("/")


# where this machine gets packages from
MIRROR = os.environ.get("MIRROR") or first_line("apt-get", "indextargets", "--format", "$(REPO_URI)", "Label: Debian")
REGISTRY = os.environ.get("REGISTRY") or first_line("npm", "config", "get", "registry")
RELEASES = {"old": "bookworm", "new": "trixie"}
UNPACKED = ("texts", "pdfs", "once")


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def addresses(release):
    """Package -> where it is, of the packages for all architectures."""
    found, name = {}, ""
    index = lzma.decompress(get("%s/dists/%s/main/binary-all/Packages.xz" % (MIRROR, release))).decode()
    for line in index.splitlines():
        key, _, value = line.partition(": ")
        if key == "Package":
            name = value
        elif key == "Filename":
            found[name] = "%s/%s" % (MIRROR, value)
    return found


def listed(path):
    """(kind, name, versions) of each package"""
    with open(path, encoding="utf-8") as lines:
        for words in (line.split() for line in lines):
            if words and words[0] == "npm":
                yield "npm", words[1], words[2:]
            elif words and words[0] != "#":
                yield from ((words[0], name, []) for name in words[1:])


def store(url, path):
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    content = get(url)
    with open(path + ".part", "wb") as file:
        file.write(content)
    os.rename(path + ".part", path)


def fetch_npm(name, versions, folder):
    for side, version in zip(RELEASES, versions):
        store("%s/%s/-/%s-%s.tgz" % (REGISTRY, name, name.split("/")[-1], version), "%s/%s/%s.tgz" % (folder, side, name))


def fetch_deb(kind, name, places, folder):
    sides = ("old",) if kind == "once" else tuple(RELEASES)
    if any(name not in places[side] for side in sides):
        print("left out: %s: not in %s" % (name, " and ".join(RELEASES[side] for side in sides)), file=sys.stderr)
        return
    for side in sides:
        deb, tree = "%s/%s/%s.deb" % (folder, side, name), "%s/tree/%s/%s" % (folder, side, name)
        store(places[side][name], deb)
        if kind in UNPACKED and not os.path.exists(tree):
            os.makedirs(os.path.dirname(tree), exist_ok=True)
            subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)


def main(folder):
    places = {side: addresses(release) for side, release in RELEASES.items()}
    for kind, name, versions in listed(os.path.join(os.path.dirname(__file__), "packages.txt")):
        try:
            if kind == "npm":
                fetch_npm(name, versions, folder)
            else:
                fetch_deb(kind, name, places, folder)
        except urllib.error.URLError as error:
            print("left out: %s: %s" % (name, error), file=sys.stderr)


main(*sys.argv[1:])
