#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the tables that many programs contain: tables.py FOLDER

CRCs by the polynomials in use, byte by byte and eight bytes at a time; the constants of SHA-2, which are the first bits of roots
of primes; the tables of AES; the alphabets of Base64.  In the widths and byte orders in which compilers store them.
"""
import math
import os
import struct
import sys

CRCS = {"crc16-arc": (16, 0xa001), "crc16-x25": (16, 0x8408), "crc32": (32, 0xedb88320), "crc32c": (32, 0x82f63b78),
        "crc32k": (32, 0xeb31d82e), "crc64-xz": (64, 0xc96c5795d7870f42), "crc64-iso": (64, 0xd800000000000000)}
FORWARD_CRCS = {"crc16-ccitt": (16, 0x1021), "crc24": (24, 0x864cfb), "crc32-bzip2": (32, 0x04c11db7)}
WIDTHS = {2: "H", 4: "I", 8: "Q"}


def crc_table(polynomial):
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
        table.append(value)
    return table


def forward_crc_table(bits, polynomial):
    table = []
    for byte in range(256):
        value = byte << bits - 8
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value >> bits - 1 else 0)) & (1 << bits) - 1
        table.append(value)
    return table


def by_eight(table):
    """The tables for eight bytes at a time: each is that of the one before, after one more zero byte."""
    tables = [table]
    for _ in range(7):
        tables.append([value >> 8 ^ table[value & 0xff] for value in tables[-1]])
    return sum(tables, [])


def root_bits(number, power, bits):
    """The first bits after the point of the square or cube root."""
    scaled = number << power * bits
    low, high = 0, 1 << bits + 16
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** power <= scaled else (low, middle)
    return low & (1 << bits) - 1


def primes(count):
    found = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def times(a, b):
    """The product in the field of AES."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11b if a & 0x80 else 0)
        b >>= 1
    return product


def aes_box():
    box = []
    for value in range(256):
        inverse = next((x for x in range(256) if times(value, x) == 1), 0)
        byte = 0x63
        for turn in range(5):
            byte ^= (inverse << turn | inverse >> 8 - turn) & 0xff
        box.append(byte)
    return box


def aes_tables(box, factors):
    tables = []
    for turn in range(4):
        for value in box:
            word = 0
            for factor in factors:
                word = word << 8 | times(value, factor)
            tables.append((word >> 8 * turn | word << 32 - 8 * turn) & 0xffffffff)
    return tables


def write(folder, name, values, least):
    """In each width that holds them, up to twice the least one, in both byte orders."""
    for size, letter in WIDTHS.items():
        if not least <= size <= 2 * least:
            continue
        for order, mark in (("little", "<"), ("big", ">")):
            with open(os.path.join(folder, "%s-%d-%s" % (name, 8 * size, order)), "wb") as file:
                file.write(struct.pack("%s%d%s" % (mark, len(values), letter), *values))


def main():
    folder = sys.argv[1]
    for name, (bits, polynomial) in CRCS.items():
        table = crc_table(polynomial)
        write(folder, name, by_eight(table) if bits >= 32 else table, bits // 8)
    for name, (bits, polynomial) in FORWARD_CRCS.items():
        write(folder, name, forward_crc_table(bits, polynomial), 4 if bits > 16 else 2)
    for name, bits, count in (("sha256", 32, 64), ("sha512", 64, 80)):
        write(folder, name, [root_bits(prime, 3, bits) for prime in primes(count)], bits // 8)
    box = aes_box()
    reverse = [box.index(value) for value in range(256)]
    write(folder, "aes", aes_tables(box, (2, 1, 1, 3)), 4)
    write(folder, "aes-reverse", aes_tables(reverse, (14, 9, 13, 11)), 4)
    upper = bytes(range(65, 91))
    alphabet = upper + upper.lower() + b"0123456789"
    contents = {"aes-box": bytes(box) + bytes(reverse), "base64": alphabet + b"+/", "base64-url": alphabet + b"-_",
                "hex-pairs": b"".join(b"%02x" % i for i in range(256)), "decimal-pairs": b"".join(b"%02d" % i for i in range(100)),
                "bytes": bytes(range(256)), "reversed-bits": bytes(int("{:08b}".format(i)[::-1], 2) for i in range(256)),
                "counted-bits": bytes(i.bit_count() if hasattr(i, "bit_count") else bin(i).count("1") for i in range(256)),
                "logarithms": bytes(int(math.log2(i)) if i else 0 for i in range(256))}
    for name, content in contents.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main()
