#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containers that claim, repeat, contain or contradict themselves without end.

    bombs.py OUT FILE     makes them in the folder OUT; FILE is what is packed in those from which something has to be found
"""
import io
import os
import struct
import sys
import tarfile
import zipfile
import zlib

MANY = 250001


# ---- a gzip file that contains itself ----

def bits(*fields):
    """(value, number of bits) each, into bytes; Huffman codes have their first bit first, all else its last."""
    all_bits = []
    for value, count, is_code in fields:
        one = [value >> i & 1 for i in range(count)]
        all_bits += one[::-1] if is_code else one
    assert len(all_bits) == 40
    return bytes(sum(bit << i for i, bit in enumerate(all_bits[at:at + 8])) for at in range(0, 40, 8))


def literal(size):
    """A stored block: the next bytes are output.  Five bytes, as all commands."""
    return struct.pack('<BHH', 0, size, size ^ 0xffff)


def repeat(size):
    """A block with fixed codes: the last bytes are output again, by two references back."""
    assert 17 <= size <= 20
    back = (8, 5, True), (size - 17, 3, False)
    return bits((0, 1, False), (1, 2, False), (10 - 3 + 1, 7, True), *back, (size - 10 - 3 + 1, 7, True), *back, (0, 7, True))


def with_itself(crc):
    """Each command outputs what is written further on, so that all of it is output in the end."""
    start = b'\x1f\x8b\x08\x08\0\0\0\0\0\3' + b'r\0'
    one, four = literal(5), literal(20)
    again, start_again, end_again = repeat(20), repeat(len(start) + 5), repeat(18)
    begin, finish, nothing = literal(len(start) + 5), literal(18), literal(0)
    parts = [start, begin, start, begin, start_again, one, start_again, one, one, four, start_again, one, one, four, again]
    parts += [four, again] * 4 + [nothing, nothing, finish, again, nothing, nothing, finish]
    size = sum(map(len, parts)) + 2 * (5 + 13)
    end = b'\1\0\0\xff\xff' + struct.pack('<II', crc, size)
    return b''.join(parts + [end_again, end] * 2)


def quine():
    """Its CRC is linear in the bits of the CRC that stands in it, twice."""
    zero = zlib.crc32(with_itself(0))
    rows = []       # bit i of (CRC of the file with `crc` in it) ^ crc must be 0
    columns = [zlib.crc32(with_itself(1 << bit)) ^ zero ^ 1 << bit for bit in range(32)]
    for i in range(32):
        rows.append(sum((column >> i & 1) << bit for bit, column in enumerate(columns)) | (zero >> i & 1) << 32)
    for bit in range(32):
        pivot = next(i for i in range(bit, 32) if rows[i] >> bit & 1)
        rows[bit], rows[pivot] = rows[pivot], rows[bit]
        rows = [row ^ rows[bit] if i != bit and row >> bit & 1 else row for i, row in enumerate(rows)]
    file = with_itself(sum((row >> 32 & 1) << bit for bit, row in enumerate(rows)))
    assert zlib.decompress(file, 31) == file
    return file


# ---- zip ----

def local(name, data):
    return b'PK\3\4' + struct.pack('<HHHHHIIIHH', 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0) + name + data


def central(name, data, offset):
    return b'PK\1\2' + struct.pack('<HHHHHHIIIHHHHHII', 20, 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0, 0, 0, 0, 0,
                                   offset) + name


def ended(locals_, centrals):
    """With the end of zip64, since there may be many."""
    count, size, at = len(centrals), sum(map(len, centrals)), len(locals_)
    far = b'PK\6\6' + struct.pack('<QHHIIQQQQ', 44, 45, 45, 0, 0, count, count, size, at)
    far += b'PK\6\7' + struct.pack('<IQI', 0, at + size, 1)
    return locals_ + b''.join(centrals) + far + b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, 65535, 65535, 0xffffffff, 0xffffffff, 0)


def many_members():
    """One after another, all of the same bytes."""
    return ended(local(b'x', b'.'), [central(b'x', b'.', 0)] * MANY)


def overlapping(data):
    """Each member has the next one as its bytes."""
    inner, centrals = local(b'last', data), [(b'last', data)]
    for i in range(20):
        centrals.append((b'%d' % i, inner))
        inner = local(b'%d' % i, inner)
    return ended(inner, [central(name, part, len(inner) - len(local(name, part))) for name, part in centrals])


def contradicting(data):
    """The local header has another name than the central directory, which also has an entry for nothing."""
    file = local(b'local', data)
    return ended(file, [central(b'central', data, 0), central(b'missing', b'', len(file))])


def odd_names(data):
    names = [b'a\0b', b'../../up', b'n' * 65535, b'/etc/passwd', b'twice', b'twice', b'\xff\xfe', b'']
    file, centrals = b'', []
    for name in names:
        centrals.append(central(name, data, len(file)))
        file += local(name, data)
    return ended(file, centrals)


# ---- tar ----

def header(name, size, kind=b'0'):
    """A size that octal digits have no room for is binary."""
    field = b'%011o\0' % size if size < 8 ** 11 else b'\x80' + size.to_bytes(11, 'big')
    block = name.ljust(100, b'\0') + b'0000644\0' + b'0000000\0' * 2 + field + b'00000000000\0' + b' ' * 8 + kind + bytes(100)
    block = (block + b'ustar\x0000').ljust(512, b'\0')
    return block[:148] + b'%06o\0 ' % sum(block) + block[156:]


def padded(data):
    return data + bytes(-len(data) % 512)


def one_file(data, name=b'whole'):
    return header(name, len(data)) + padded(data)


def sparse(data):
    """After what can be read, a file that consists of nearly 2^63 bytes of hole."""
    def record(key, value):
        text = f' {key}={value}\n'
        return f'{len(text) + len(str(len(text) + 2))}{text}'.encode()

    huge = (1 << 63) - 1
    fields = b''.join(record(*field) for field in (('GNU.sparse.major', 1), ('GNU.sparse.minor', 0), ('GNU.sparse.name', 'hole'),
                                                   ('GNU.sparse.realsize', huge)))
    place = b'1\n%d\n0\n' % huge
    return one_file(data) + header(b'x', len(fields), b'x') + padded(fields) + header(b'hole', 512) + padded(place) + bytes(1024)


def tar_of(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT) as file:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        file.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def zip_of(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, data)
    return out.getvalue()


def main():
    out, path = sys.argv[1:]
    with open(path, 'rb') as file:
        data = file.read()
    os.makedirs(out, exist_ok=True)
    for name, content in (('quine.gz', quine()), ('many.zip', many_members()), ('overlapping.zip', overlapping(data)),
                          ('contradicting.zip', contradicting(data)), ('names.zip', odd_names(data)),
                          ('huge.tar', one_file(data) + header(b'huge', (1 << 63) - 1) + data), ('sparse.tar', sparse(data)),
                          ('two.zip', zip_of('one', data) + zip_of('two', data[::-1])),
                          ('two.tar', tar_of('one', data) + tar_of('two', data[::-1])),
                          ('cut.zip', zip_of('whole', data)[:-60]), ('cut.tar', tar_of('whole', data)[:-9000]),
                          ('plain.txt', data)):
        with open(os.path.join(out, name), 'wb') as file:
            file.write(content)


main()
