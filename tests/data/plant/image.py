# SPDX-License-Identifier: Apache-2.0
"""An image under construction, and what is planted in it."""
import hashlib
import os
import random
import struct
import subprocess
import sys

SECONDS = 1704164645
ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", SOURCE_DATE_EPOCH=str(SECONDS), E2FSPROGS_FAKE_TIME=str(SECONDS),
                   MTOOLS_SKIP_CHECK="1", MTOOLSRC="/dev/null", PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
UUID = "6b697468-0000-4000-8000-000000000001"
KNOWN = 8192            # bytes of a planted content, unless its place is smaller


def run(*command, stdin="", complaints=()):
    """Runs a tool; returns its output. COMPLAINTS are starts of harmless lines on stderr."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    said = [line for line in done.stderr.splitlines() if line and not line.startswith(tuple(complaints))]
    if done.returncode or (complaints and said):
        sys.exit("%s: exit %d: %s%s" % (" ".join(command), done.returncode, done.stdout[-500:], "\n".join(said)))
    return done.stdout


class Image:
    """DATA are its bytes while Python has it (between load and store); tools work on the file PATH."""

    def __init__(self, folder, name, suffix=".img"):
        self.name = name
        self.path = os.path.join(folder, name + suffix)
        self.sources = os.path.join(folder, "sources", name)
        self.contents, self.where = {}, {}
        self.data = bytearray()
        os.makedirs(self.sources, exist_ok=True)

    # ---- content ----

    def content(self, place, size=KNOWN):
        """SIZE bytes that are unique to this place."""
        assert place not in self.contents, place
        self.contents[place] = random.Random(self.name + "/" + place).randbytes(size)
        return self.contents[place]

    def file(self, place, size=KNOWN, path=None, before=b"", after=b""):
        """A source file that holds the content of this place."""
        name = os.path.join(self.sources, path or place)
        return self.save(name, before + self.content(place, size) + after)

    def filler(self, name, size):
        """A source file with bytes that are not checked."""
        return self.save(os.path.join(self.sources, name), random.Random(self.name + "/" + name).randbytes(size))

    @staticmethod
    def save(name, data):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(data)
        os.utime(name, (SECONDS, SECONDS))
        return name

    def content_at(self, place):
        """Where the content of a place lies now, in one piece; a record of NTFS has the ends of its sectors elsewhere."""
        content = self.contents[place]
        at = self.data.find(content[:40])
        here = self.data[at:at + len(content)]
        same = here == content or all(a == b or (at + i) % 512 >= 510 for i, (a, b) in enumerate(zip(content, here)))
        assert at >= 0 and same, (self.name, place, "is not in the image in one piece")
        assert self.data.find(content[:40], at + 1) < 0, (self.name, place, "is there twice")
        return at

    # ---- bytes ----

    def blank(self, size):
        with open(self.path, "wb") as file:
            file.truncate(size)

    def load(self):
        with open(self.path, "rb") as file:
            self.data = bytearray(file.read())

    def store(self):
        with open(self.path, "wb") as file:
            file.write(self.data)

    def get(self, form, at):
        """The numbers of this struct format; a single one as such."""
        numbers = struct.unpack_from(form, self.data, at)
        return numbers[0] if len(numbers) == 1 else numbers

    def put(self, form, at, *numbers):
        struct.pack_into(form, self.data, at, *numbers)

    def write(self, at, data):
        assert at + len(data) <= len(self.data), (self.name, at)
        self.data[at:at + len(data)] = data

    def plant(self, place, at, size=KNOWN, over=False):
        """Writes the content of this place where nothing is yet; OVER permits overwriting."""
        assert over or not any(self.data[at:at + size]), (self.name, place, "something is there")
        self.write(at, self.content(place, size))
        self.where[place] = at

    def append(self, place, size=KNOWN, gap=0):
        """Plants after the end."""
        self.data += bytes(gap + size)
        self.plant(place, len(self.data) - size, size)

    # ---- truth ----

    def truth(self):
        """(image, place, offset, length, sha1) of everything planted; each is there exactly once."""
        self.load()
        for place, content in self.contents.items():
            at = self.content_at(place)
            assert self.where.get(place, at) == at, (self.name, place)
            yield os.path.basename(self.path), place, at, len(content), hashlib.sha1(content).hexdigest()
