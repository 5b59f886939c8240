#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The detection limit, simulated from what ERROR-RATES.md says about it: the length at which a growing fragment is found.

detection.py FILE_C OBJECT_C [LENGTH...]: for a file indexed at one C and objects sampled at another, the length from which on 95 %
of fragments are found; then, for each length, the share that is found.
detection.py choose LENGTH: the largest C, from 128 down, of a set of which fragments of that length are found in 95 % of cases.
"""
import bisect
import math
import random
import sys

N, TRIES, WHOLE = 12, 10000, 1 << 62
SEEDS, GAPS, SPAN, ANCHORS, DENSE = 3, 4, 128, 3, 12


def rate_of(c, random_source):
    """The rate of samples in a fragment of real content, of that in random bytes"""
    mean, shape = (.85, 5) if c <= 32 else (.75, 4) if c <= 64 else (.7, 3)
    return random_source.gammavariate(shape, mean / shape)


def grow(file_c, object_c, random_source):
    """The length at which one fragment is found"""
    probability = rate_of(file_c, random_source) / file_c
    kept = min(1, file_c / object_c)
    places, seeds, run = -1, 0, []
    for number in range(1, 100000):
        places += 1 + int(math.log(1 - random_source.random()) / math.log1p(-probability))
        seeds += random_source.random() < kept
        if run is not None:
            if run and places - run[-1] > GAPS * file_c:
                run = []
            run.append(places)
            if len(run) >= ANCHORS and places + N - run[0] >= SPAN:
                run = None  # from now on there is evidence
        if seeds >= SEEDS and (run is None or number >= DENSE * max(1, 128 / file_c) ** .25):
            return places + N
    return WHOLE


def simulate(file_c, object_c):
    """The lengths at which fragments are found, sorted"""
    random_source = random.Random(1)
    return sorted(grow(file_c, object_c, random_source) for _ in range(TRIES))


def limit_of(lengths):
    return lengths[math.ceil(.95 * TRIES) - 1]


def share_of(lengths, length):
    return bisect.bisect_right(lengths, length) / TRIES


def main():
    if sys.argv[1] == "choose":
        c = 128
        while c >= 4 and limit_of(simulate(c, c)) > int(sys.argv[2]):
            c //= 2
        print(c)
        return
    lengths = simulate(int(sys.argv[1]), int(sys.argv[2]))
    print(limit_of(lengths))
    for length in sys.argv[3:]:
        print("%.3f" % share_of(lengths, int(length)))


if __name__ == "__main__":
    main()
