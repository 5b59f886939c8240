#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls of damaged images: it always ends, with a sound table; what it lists as whole after a truncation is unchanged.
# 25 mutants of each file system; MUTANTS=250 makes ten times as many.
. "$(dirname "$0")/lib.sh"

export PATH=$PATH:/usr/sbin:/sbin
systems=(ext4 fat16 fat32 exfat ntfs iso hfs ufs1)
for tool in mke2fs debugfs mkfs.fat mcopy mkfs.exfat mkntfs ntfscp xorriso makefs python3; do
    command -v "$tool" >/dev/null || skip "there is no $tool to make images with"
done
bash "$SRCDIR/tests/data/images.sh" "$scratch/images" "${systems[@]}" >said 2>&1 || skip "images cannot be made: $(tail -n 1 said)"

python3 - "$KITH" "$SRCDIR/tests/data" "${MUTANTS:-25}" "${systems[@]}" <<'PY' || failures=1
import collections, csv, glob, io, os, subprocess, sys, time
kith, folder, count, *systems = sys.argv[1:]
sys.path.insert(0, folder)
sys.dont_write_bytecode = True
import mutate

CONTENT = ('file', 'deleted', 'orphan', 'stream')
LIMIT = 60
wrong, statuses, times, rows, taken_as_files = [], collections.Counter(), [], 0, 0
csv.field_size_limit(1 << 30)


def listing(path):
    """Exit status (None: it did not end), the lines of the table, standard error."""
    # CPU time that one object may take; the whole has a minute of wall time.
    command = [kith, 'ls', '--hash', '--csv', '--quiet', '--object-seconds', '2', path]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, [], ''
    return run.returncode, list(csv.reader(io.StringIO(run.stdout.decode(), newline=''), strict=True)), run.stderr.decode(errors='replace')


def whole(lines):
    """SHA-1s of the files in it that are listed as read completely."""
    lines = [dict(zip(lines[0], line)) for line in lines]
    return {line['sha1'] for line in lines if line['kind'] in CONTENT and line['status'] == 'ok' and line['address'] != '-'}


def truth(path):
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        return {line.rstrip('\n').split('\t')[-1] for line in file}


for system in systems:
    image, = [name for name in glob.glob(f'images/{system}.*') if not name.endswith('.truth')]
    data, groups = mutate.prepare(image)
    status, lines, said = listing(image)
    if status != 0:
        wrong.append(f'{system}: exit {status} for the image as it was made: {said[:300]}')
        continue
    known = whole(lines) | truth(f'images/{system}.truth')
    for seed in range(int(count)):
        name = os.path.basename(image)
        content, done = mutate.mutant(data, groups, f'{name} {seed}')
        mutate.write_sparse('mutant', content)
        began = time.monotonic()
        try:
            status, lines, said = listing('mutant')
        except (ValueError, csv.Error) as error:
            wrong.append(f'{name} {seed}: its table cannot be read: {error} ({done})')
            continue
        times.append((time.monotonic() - began, f'{name} {seed}'))
        statuses[status] += 1
        rows += len(lines)
        taken_as_files += len(lines) == 2 and lines[1][2] == '-'
        if status is None:
            wrong.append(f'{name} {seed}: it did not end within {LIMIT} s ({done})')
            continue
        if status not in (0, 3, 4):
            wrong.append(f'{name} {seed}: exit {status} ({done}): {said[:300]}')
        if 'Sanitizer' in said or 'runtime error' in said:
            wrong.append(f'{name} {seed}: ({done}): {said[:2000]}')
        if status == 3 and not said and all(line[-1] == 'ok' for line in lines[1:]):
            wrong.append(f'{name} {seed}: exit 3, and nothing says why ({done})')
        if not lines or len({len(line) for line in lines}) != 1:
            wrong.append(f'{name} {seed}: its table is no table ({done})')
        elif done.startswith('cut '):
            wrong += [f'{name} {seed}: {sha1} is called whole, but no file was like that ({done})'
                      for sha1 in whole(lines) - known]
print('\n'.join(wrong))
shown = ', '.join(f'{number} ended with {status}' for status, number in sorted(statuses.items(), key=str))
print(f'{sum(statuses.values())} mutants of {len(systems)} file systems: {shown}; {rows} lines; '
      f'{taken_as_files} were taken as files')
if times:
    print(f'slowest: {max(times)[1]}, {max(times)[0]:.1f} s; all: {sum(t for t, _ in times):.0f} s')
sys.exit(1 if wrong else 0)
PY

finish
