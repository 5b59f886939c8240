#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Containers that are endless, impossible or contradictory (tests/data/bombs.py) cost only what is in themselves; what can be read
# of them is listed with its SHA-1, and the rest is reported.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "there is no python3"

text 5 17000 >content
python3 "$SRCDIR/tests/data/bombs.py" bombs content || fail "bombs.py failed"
status 3 "$KITH" ls -q --csv --hash bombs
python3 - content <<'PY' || failures=1
import collections, csv, hashlib, sys
csv.field_size_limit(1 << 30)
with open(sys.argv[1], 'rb') as file:
    data = file.read()
good, back = (hashlib.sha1(part).hexdigest() for part in (data, data[::-1]))
with open('out', newline='', encoding='utf-8') as file:
    rows = list(csv.DictReader(file))
wrong = 0


def check(what, right):
    global wrong
    if not right:
        wrong += 1
        print(f'FAILED: {what}')


of = collections.defaultdict(dict)      # of a file: address -> row
for row in rows:
    name = row['path'].partition('/')[0]
    of[name][row['address'].removeprefix('-').removeprefix('/')] = row


def whole(name, *addresses, sha1=good):
    for address in addresses:
        row = of[name].get(address)
        check(f'{name}: {address} is not listed with its SHA-1: {row}', row and row['sha1'] == sha1 and row['status'] == 'ok')


def told(name, text):
    check(f'{name}: nothing says "{text}"', any(text in row['status'] for row in of[name].values()))


def count(name, number):
    check(f'{name}: {len(of[name])} rows', len(of[name]) == number)


whole('plain.txt', '')

# one after another, up to the limit
count('many.zip', 1 + 250000 + 1)
told('many.zip', 'opening stopped: more than 250000 members in one object')

# what is in it is what it is
itself = of['quine.gz']['']['sha1']
whole('quine.gz', *('//'.join(['gz/r'] * depth) for depth in range(1, 6)), sha1=itself)
told('quine.gz', 'not opened: it is nested more than 5 deep')
count('quine.gz', 7)

# every member, though all of them lie in the first one
whole('overlapping.zip', 'zip/last', 'zip/0//zip/last')
check('overlapping.zip: members are missing', all(f'zip/{i}' in of['overlapping.zip'] for i in range(20)))

# sizes that cannot be
whole('huge.tar', 'tar/whole')
told('huge.tar', 'opening stopped: the tar')
whole('sparse.tar', 'tar/whole')
told('sparse.tar', 'its container holds too much for its size')
told('sparse.tar', 'opening stopped: more bytes were unpacked than an object may yield')
check('sparse.tar: more than it may yield', int(of['sparse.tar']['tar/hole']['size']) <= (64 << 20) + 250 * int(of['sparse.tar']['']['size']))

# both headers are read
whole('contradicting.zip', 'zip/central')
told('contradicting.zip', 'the central directory calls it central, its local header local')
told('contradicting.zip', 'its local header is missing')

# each name has an address of its own, and none is a path
whole('names.zip', 'zip/a%00b', 'zip/../../up', 'zip/;3', 'zip/%2Fetc/passwd', 'zip/twice', 'zip/twice;6', 'zip/%FF%FE', 'zip/;8')
count('names.zip', 9)

# one after the other, and cut off
whole('two.zip', 'zip/one')
whole('two.zip', 'zip/two', sha1=back)
whole('two.tar', 'tar/one')
whole('two.tar', 'tar/two', sha1=back)
whole('cut.zip', 'zip/whole')
told('cut.zip', 'opening stopped: the zip is cut off')
told('cut.tar', 'it is cut off')
row = of['cut.tar']['tar/whole']
check('cut.tar: its first bytes', row['sha1'] == hashlib.sha1(data[:int(row['size'])]).hexdigest() and int(row['size']) > 8000)
sys.exit(1 if wrong else 0)
PY

# the second of two members with the same name, and one whose name is no address
status 0 "$KITH" extract -q -d taken -- bombs/names.zip '-/zip/twice;6' '-/zip/;3'
cmp -s content taken/1-* && cmp -s content taken/2-* || fail "extracted: $(ls taken)"
finish
