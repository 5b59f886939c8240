#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes two folders of files with hostile names: hostile.py TREE REFS.  Each file in TREE is one of REFS, whole or in part."""
import os
import sys

NAMES = [b'<script>alert(1)<script>', b'=cmd|x', b'\x1b[2J\n\r\t', b'\xff\xc0\x80\xed\xa0\x80', '\u202egnp.\u200b\ufeff'.encode(),
         b'a"b\\c\\x41\\u0041', b"'&;,", b'\\', b'n' * 255, ']]>-->&lt;\ufffe\uffff\ufdd0'.encode()]


def main(tree, refs):
    words = b''.join(b'%d is not %d. ' % (i * i, i ^ 77) for i in range(4000))
    for folder in tree, refs:
        os.makedirs(folder + '/' + '/'.join(f'{i}' + 'd' * 250 for i in range(12)))
    for i, name in enumerate(NAMES):
        content = words[i * 5000:i * 5000 + 20000]
        with open(os.fsencode(refs) + b'/' + name, 'wb') as file:
            file.write(content)
        with open(os.fsencode(tree) + b'/' + name, 'wb') as file:
            file.write(os.urandom(3000) + content[:15000] if i % 2 else content)
    for name, content in ('small', b'x'), ('same', b'x' * 10000):
        with open(f'{tree}/{name}', 'wb') as file:
            file.write(content)
    os.link(f'{tree}/same', os.fsencode(tree) + b'/' + NAMES[2] + b'2')


if __name__ == '__main__':
    main(*sys.argv[1:])
