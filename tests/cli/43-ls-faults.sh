#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Truncated, unreadable and changing evidence: all the rest is listed, and what is missing is reported.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images mkntfs
bash "$data/images.sh" . ext4 ntfs fat16 iso disk-ewf || fail "images.sh failed"

# check_listing WHOLE PART: what is listed as whole in a part is the same as in the whole
check_listing()
{
    python3 - "$1" "$2" <<'PY'
import csv, sys
csv.field_size_limit(1 << 30)
def read(path):
    return {(r['address'], r['kind'], r['path']): r for r in csv.DictReader(open(path, newline=''))}
whole, part = read(sys.argv[1]), read(sys.argv[2])
bad = [key for key, r in part.items() if r['status'] == 'ok' and key in whole and key[1] in ('file', 'stream') and
       r['size'] == whole[key]['size'] and r['sha1'] != whole[key]['sha1']]
print(len(whole), len(part), bad)
sys.exit(1 if bad else 0)
PY
}

for name in ext4 ntfs fat16; do
    "$KITH" ls -q --hash --csv $name.img >whole
    size=$(stat -c %s $name.img)
    for percent in 10 25 50 75 90; do
        head -c $((size * percent / 100)) $name.img >cut.img
        timeout 120 "$KITH" ls -q --hash --csv cut.img >part 2>err
        code=$?
        [ $code -eq 0 ] || [ $code -eq 3 ] || fail "$name cut to $percent %: exit $code"
        check_listing whole part >said || fail "$name cut to $percent %: $(cat said)"
        [ $percent -lt 50 ] || [ "$(grep -c ',file,' part)" -gt 3 ] || fail "$name cut to $percent %: hardly any file is listed"
        [ $code -eq 0 ] || grep -q . err || fail "$name cut to $percent %: exit 3 without a message"
    done
done

# A file that lies past the end is reported as partial, even without reading it.
"$KITH" ls -q --csv --only file ext4.img >whole
end=$(python3 -c '
import csv
print(max(sum(map(int, run.split("@")[1].split("+"))) for r in csv.DictReader(open("whole", newline="")) for run in r["runs"].split()))')
head -c $((end - 5)) ext4.img >cut.img
status 3 "$KITH" ls --csv cut.img
says out "partial: 5 bytes of it lie beyond the end of the image"

# Sectors that cannot be read: a preloaded library makes pread fail there.
if command -v cc >/dev/null && ! grep -qa __asan_init "$KITH"; then
    cat >failing.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
static ssize_t fail(int fd, void *into, size_t len, off_t at)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    static long long from, to;
    if (!real) {
        real = (ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
        from = atoll(getenv("FAIL_FROM"));
        to = atoll(getenv("FAIL_TO"));
    }
    if (at < to && at + (off_t)len > from) {
        errno = EIO;
        return -1;
    }
    return real(fd, into, len, at);
}
int madvise(void *at, size_t len, int advice)
{
    (void)at, (void)len, (void)advice;
    errno = EINVAL; /* an old kernel's answer: then files are read, not mapped */
    return -1;
}
ssize_t pread(int fd, void *into, size_t len, off_t at) { return fail(fd, into, len, at); }
ssize_t pread64(int fd, void *into, size_t len, off_t at) { return fail(fd, into, len, at); }
C
    cc -shared -fPIC -o failing.so failing.c -ldl || fail "cc failed"
    "$KITH" ls -q --hash --csv ext4.img >whole
    start=$(python3 -c '
import csv
rows = [r for r in csv.DictReader(open("whole", newline="")) if r["kind"] == "file" and int(r["size"]) > 200000]
print(rows[0]["runs"].split()[0].split("@")[1].split("+")[0], rows[0]["address"])')
    LD_PRELOAD=$PWD/failing.so FAIL_FROM=$((${start% *} + 8192)) FAIL_TO=$((${start% *} + 8192 + 4096)) "$KITH" ls --hash --csv ext4.img >part 2>err
    same "unreadable sectors" 3 $?
    says err "bytes $((${start% *} + 8192)) to $((${start% *} + 8192 + 4095)) of the image cannot be read"
    grep ",${start#* }," part | grep -q "partial: 4096 bytes of it cannot be read" || fail "the file is not marked: $(grep ",${start#* }," part)"
    check_listing whole part >said || fail "unreadable sectors: $(cat said)"
    same "all the rest" "$(wc -l <whole)" "$(wc -l <part)"
    same "other rows differ" 1 "$(diff whole part | grep -c '^>')"
fi

# A damaged chunk of an E01: what lies on it is marked, and the stored digest does not match.
"$KITH" ls -q --hash --csv disk-ewf.E01 >whole
python3 - disk-ewf.E01 broken.E01 <<'PY'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = data.index(b'sectors\0') + 76 + 200000
data[at:at + 8] = bytes(255 - b for b in data[at:at + 8])
open(sys.argv[2], 'wb').write(data)
PY
status 3 "$KITH" ls --hash --hash-image --csv broken.E01
says err "of the image cannot be read"
says err "the md5 of the image does not match the one stored in it at acquisition"
says out "bytes of it cannot be read"
sed 's/^broken/disk-ewf/' out >part
check_listing whole part >said || fail "damaged chunk: $(cat said)"

# A worker that is killed costs nothing.
truncate -s 600M large.img
cp ext4.img small.img
dd if=/dev/urandom of=large.img bs=1M count=200 seek=20 conv=notrunc status=none
dd if=ext4.img of=large.img conv=notrunc status=none
"$KITH" ls -q --hash --csv large.img >whole
"$KITH" ls -q --hash --csv large.img >part 2>err &
parent=$!
for _ in $(seq 200); do
    worker=$(pgrep -P $parent | head -n 1)
    [ -n "$worker" ] && break
    sleep 0.01
done
sleep 0.05
kill -9 "$worker" 2>/dev/null || echo "it was too fast to be killed"
wait $parent
same "a killed worker" 0 $?
cmp -s whole part || fail "a killed worker changed the outcome: $(diff whole part | head -n 3) $(cat err)"

# Evidence that changes while it is read.
(
    sleep 0.1
    touch -d '2001-01-01' large.img
) &
"$KITH" ls -q --hash --csv large.img >out 2>err
code=$?
wait
if [ $code -ne 0 ]; then
    same "changing evidence" 4 $code
    says err "changed while it was read"
else
    echo "it was too fast to be changed"
fi
finish
