#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The images of planted.py with containers in all places instead of random bytes.

    planted_containers.py OUT [NAME...]     makes these images (without names: all) in the folder OUT

OUT/members.csv lists for each place that a container fits into: image, place, offset, length, the kind of container, the name
of a member and its SHA-1.  Each place has members of its own.
"""
import csv
import hashlib
import os
import struct
import sys
import zlib

sys.dont_write_bytecode = True
import packed  # noqa: E402 (after it, so that no folder of the source is written to)
from plant import image as plant_image  # noqa: E402

LEAST = 300             # bytes that all kinds of container fit into; of a place that is smaller, nothing is expected


def zip_of(names, size, method):
    """With a comment that makes it as long as required."""
    file = packed.zipped(names, method)
    comment = size - len(file)
    return file[:-2] + struct.pack('<H', comment) + b'-' * comment


def a_zip(text, size):
    text = text[:max(1, size // 2)]
    return zip_of([('note.txt', text)], size, 8), 'note.txt', text


def a_docx(text, size):
    text = text[:size // 4].rstrip()
    document = b'<w:document><w:body><w:p><w:r><w:t>' + text + b'</w:t></w:r></w:p></w:body></w:document>'
    return zip_of([('word/document.xml', document)], size, 8), 'text', text + b'\n'


def a_gz(text, size):
    """With an extra field that makes it as long as required.  Zeros follow, lest the next one be taken for a part of it."""
    text = text[:size // 2]
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = raw.compress(text) + raw.flush() + struct.pack('<II', zlib.crc32(text), len(text))
    body += bytes(16)
    extra = size - len(body) - 12
    return b'\x1f\x8b\x08\x04' + struct.pack('<I', zlib.crc32(text)) + b'\0\3' + struct.pack('<H', extra) + b'-' * extra + body, '', text


def a_mail(text, size):
    """After its end, a mail may have any text."""
    head = b'Message-ID: <%08x@example.org>\nFrom: a@example.org\nTo: b@example.org\n' % zlib.crc32(text)
    head += b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b-b"\n\n--b-b\n\n'
    text = text[:size * 3 // 4 - len(head)]
    return (head + text + b'\n--b-b--\n').ljust(size - 1, b'.') + b'\n', 'part-1', text


def a_jpeg(text, size):
    text = text[:size - 100]
    picture = (b'\xff\xdb\0\x43\0' + bytes(range(1, 65)) + b'\xff\xda\0\x08\1\1\0\0\x3f\0')
    scan = size - 2 - 4 - len(text) - len(picture) - 2
    return b'\xff\xd8\xff\xfe' + struct.pack('>H', len(text) + 2) + text + picture + b'U' * scan + b'\xff\xd9', 'comment', text


KINDS = (('zip', a_zip), ('docx', a_docx), ('gz', a_gz), ('mail', a_mail), ('jpeg', a_jpeg))
members = []            # (image, place, kind, name, SHA-1)


def content(self, place, size=plant_image.KNOWN):
    """Instead of random bytes."""
    assert place not in self.contents, place
    if size < LEAST or size > 60000:
        return random_bytes(self, place, size)
    kind, make = KINDS[zlib.crc32(place.encode()) % len(KINDS)]
    text = packed.prose(zlib.crc32(f'{self.name}/{place}'.encode()), size // 4).encode()
    data, name, member = make(f'{self.name} {place} '.encode() + text, size)
    assert len(data) == size, (place, kind, len(data), size)
    self.contents[place] = data
    members.append((self.name, place, kind, name, hashlib.sha1(member).hexdigest()))
    return data


random_bytes, plant_image.Image.content = plant_image.Image.content, content


def main():
    sys.argv[0] = os.path.join(os.path.dirname(sys.argv[0]), 'planted.py')
    import planted  # noqa: F401 (makes the images)
    with open(os.path.join(sys.argv[1], 'truth.csv'), newline='', encoding='ascii') as file:
        truth = {(row['image'], row['place']): row for row in csv.DictReader(file)}
    with open(os.path.join(sys.argv[1], 'members.csv'), 'w', newline='', encoding='ascii') as file:
        table = csv.writer(file)
        table.writerow(('image', 'place', 'offset', 'length', 'kind', 'member', 'sha1'))
        for image, place, kind, name, sha1 in members:
            row = truth[image + '.img', place]
            table.writerow((row['image'], place, row['offset'], row['length'], kind, name, sha1))


main()
