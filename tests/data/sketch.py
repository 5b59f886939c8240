# SPDX-License-Identifier: Apache-2.0
"""Prints the fields shingles, modulus and values of a sketch, made from the description in kith-sketch(5) alone: sketch.py SKETCH FILE, where
SKETCH is a line with the parameters to use.  Tokens are bytes, or words of ASCII letters; no canonical form."""
import re
import sys

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
M64 = 2**64 - 1


def little(number):
    return number.to_bytes(8, "little")


def rotate(x, n):
    return (x << n | x >> (64 - n)) & M64


def siphash(key, message):
    """SipHash-2-4 of one word of eight bytes (Aumasson and Bernstein, 2012)."""
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    a, b, c, d = k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573

    def mix(times, a, b, c, d):
        for _ in range(times):
            a = (a + b) & M64
            b = rotate(b, 13) ^ a
            a = rotate(a, 32)
            c = (c + d) & M64
            d = rotate(d, 16) ^ c
            a = (a + d) & M64
            d = rotate(d, 21) ^ a
            c = (c + b) & M64
            b = rotate(b, 17) ^ c
            c = rotate(c, 32)
        return a, b, c, d

    for word in (int.from_bytes(message, "little"), 8 << 56):
        a, b, c, d = mix(2, a, b, c, d ^ word)
        a ^= word
    a, b, c, d = mix(4, a, b, c ^ 0xff, d)
    return a ^ b ^ c ^ d


def remainder(a, p):
    while a.bit_length() >= p.bit_length():
        a ^= p << (a.bit_length() - p.bit_length())
    return a


def square(a, p):
    return remainder(int(format(a, "b"), 4), p)  # over GF(2): a zero between any two bits


def gcd(a, b):
    while b:
        a, b = b, remainder(a, b)
    return a


def is_irreducible(p):
    n, x, powers = p.bit_length() - 1, 2, {}
    for i in range(1, n + 1):
        x = square(x, p)
        powers[i] = x
    return powers[n] == 2 and all(gcd(p, powers[n // q] ^ 2) == 1 for q in range(2, n + 1)
                                  if n % q == 0 and all(q % i for i in range(2, q)))


class Maker:
    def __init__(self, line):
        (_, self.scheme, self.unit, _, self.option, window, rate, size, bits, seed) = line.split(":")[:10]
        self.window, self.rate, self.size, self.bits, self.seed = map(int, (window, rate, size, bits, seed))
        self.modulus = self.rate if self.scheme in ("mod", "minmod") else 0
        self.p, self.labels = self.polynomial(0), self.polynomial(1)

    def random(self, stream, index):
        return siphash(little(self.seed) + little(stream), little(index))

    def polynomial(self, stream):
        index = 0
        while True:
            p = 1 << self.bits | self.random(stream, index) >> (64 - self.bits) | 1
            if is_irreducible(p):
                return p
            index += 1

    def permutation(self, stream, i=0):
        key, first, second = (self.random(stream, 3 * i + k) for k in range(3))
        mask, half = (1 << self.bits) - 1, (self.bits + 1) // 2

        def apply(x):
            x = ((x ^ key) & mask) * (first | 1) & mask
            x ^= x >> half
            x = x * (second | 1) & mask
            return x ^ x >> half
        return apply

    def fingerprint(self, data, p):
        return remainder((1 << 8 * len(data) | int.from_bytes(data, "big")) << self.bits, p)

    def tokens(self, data):
        if self.unit == "bytes":
            return [bytes([c]) for c in data]
        permuted, words = self.permutation(2), re.findall(rb"[A-Za-z0-9]+", data)
        if self.unit == "words8":
            return [word[i:i + 8].ljust(8, b"\0") for word in words for i in range(0, len(word), 8)]
        return [little(permuted(self.fingerprint(word, self.p))) for word in words]

    def shingles(self, tokens):
        permuted, seen, found = self.permutation(3), {}, []
        for i in range(len(tokens) - self.window + 1):
            value = self.fingerprint(b"".join(tokens[i:i + self.window]), self.p)
            if self.option == "A":
                seen[value] = seen.get(value, 0) + 1
                value = self.fingerprint(little(value) + little(seen[value]), self.labels)
            found.append(permuted(value))
        return found

    def chunks(self, tokens, shingles):
        permuted, p = self.permutation(11), self.polynomial(10)
        values, start, least = set(), 0, M64
        for i, value in enumerate(shingles):
            least = min(least, value)
            if value % self.rate == 0 or i == len(shingles) - 1:
                chunk = b"".join(tokens[start:i + self.window])
                values.add(least if self.scheme == "bsw" else permuted(self.fingerprint(chunk, p)))
                start, least = i + self.window, M64
        return sorted(values)

    def values(self, data):
        tokens = self.tokens(data)
        shingles = self.shingles(tokens)
        self.count = len(shingles)
        if self.scheme in ("bsw", "chunks"):
            return self.chunks(tokens, shingles)
        if self.scheme in ("minwise", "hamming"):
            minima = [min(map(self.permutation(8, i), shingles)) for i in range(self.size)]
            if self.scheme == "minwise":
                return minima
            bits = [bin(least & self.random(9, i)).count("1") % 2 for i, least in enumerate(minima)]
            return [sum(bit << k for k, bit in enumerate(bits[i:i + 64])) for i in range(0, self.size, 64)]
        modulus = self.rate or 1
        while self.scheme == "nested" and len({value for value in shingles if value % modulus == 0}) > self.size:
            modulus *= 2
        if self.scheme == "nested":
            self.modulus = modulus
        found = sorted({value for value in shingles if value % modulus == 0})
        return found[:self.size] if self.scheme in ("min", "minmod") else found

    def text(self, data):
        width = ((64 if self.scheme == "hamming" else self.bits) + 5) // 6
        digits = "".join(ALPHABET[value >> 6 * (width - 1 - k) & 63] for value in self.values(data) for k in range(width))
        return f"{self.count}:{self.modulus}:{digits}"


with open(sys.argv[2], "rb") as file:
    print(Maker(sys.argv[1]).text(file.read()))
