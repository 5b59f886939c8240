#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith sign on what cannot be signed: it reports what and where, continues with the rest, and sets its exit status.
. "$(dirname "$0")/lib.sh"

text 1 30000 >good
mkfifo fifo
mkdir folder

status 3 "$KITH" sign missing good
says err "kith: missing: No such file or directory"
says out ":good"
status 3 "$KITH" sign fifo good
says err "kith: fifo: is a FIFO"
says out ":good"
status 3 "$KITH" sign /dev/null good
says err "kith: /dev/null: is a character device"
status 3 "$KITH" sign good/below
says err "kith: good/below: Not a directory"

if [ "$(id -u)" -ne 0 ]; then
    cp good secret
    chmod 0 secret
    status 3 "$KITH" sign secret good
    says err "kith: secret: Permission denied"
    says out ":good"
    mkdir closed
    chmod 0 closed
    status 3 "$KITH" sign closed good
    says err "kith: closed: Permission denied"
fi

# within a folder: special files are skipped with a message, links are not followed
mkfifo folder/fifo
cp good folder/file
ln -s ../good folder/link
ln -s . folder/loop
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("folder/socket")'
status 0 "$KITH" sign folder
same "files in the folder" "folder/file" "$(cut -d: -f12 out)"
says err "kith: folder/fifo: skipped: is a FIFO"
says err "kith: folder/socket: skipped: is a socket"
says err "kith: 2 symbolic links not followed"
status 0 "$KITH" sign -q folder
same "quiet" "" "$(cat err)"
status 0 "$KITH" sign folder/link
says out ":folder/link"

# names with terminal control sequences, in messages and in records
evil=$(printf 'evil\033[31m\r\nname\342\200\256')
status 3 "$KITH" sign "$evil"
says err 'kith: evil\x1b[31m\x0d\x0aname\xe2\x80\xae: No such file'
cp good "$evil"
status 0 "$KITH" sign "$evil"
says out ':evil\x1b[31m\x0d\x0aname\xe2\x80\xae'

# files that change while they are read: exit 4, no record, the others still done
python3 - "$KITH" >verdicts <<'PY'
import os, subprocess, sys, threading, time
def changing(change):
    size = 400 << 20
    with open('moving', 'wb') as f:
        f.truncate(size)
    stop = threading.Event()
    def run():
        while not stop.is_set():
            change()
            time.sleep(0.002)
    thread = threading.Thread(target=run)
    thread.start()
    done = subprocess.run([sys.argv[1], 'sign', 'moving', 'good'], capture_output=True)
    stop.set()
    thread.join()
    print(done.returncode, b'moving: changed while it was read' in done.stderr, done.stdout.endswith(b':good\n'),
          b':moving' in done.stdout)
changing(lambda: open('moving', 'ab').write(b'x'))
changing(lambda: os.truncate('moving', max(0, os.stat('moving').st_size - 4096)))
changing(lambda: os.utime('moving'))
PY
same "files that change" "$(printf '4 True True False\n%.0s' 1 2 3)" "$(cat verdicts)"
rm -f moving

# a path longer than any path may be
python3 - <<'PY'
import os
os.mkdir('long')
at = os.open('long', os.O_RDONLY)
for _ in range(30):
    os.mkdir('d' * 200, dir_fd=at)
    below = os.open('d' * 200, os.O_RDONLY, dir_fd=at)
    os.close(at)
    at = below
os.write(os.open('file', os.O_WRONLY | os.O_CREAT, dir_fd=at), b'content of the deep file')
PY
status 0 "$KITH" sign long
same "long path" 1 "$(grep -c '/file$' out)"
says out "$(printf 'content of the deep file' | sha1sum | cut -c1-40)"

# closed descriptors are not taken by the files that are opened
text 9 3000 >other
"$KITH" sign -j1 other - <&- >out 2>err
same "no standard input" "3 1" "$? $(wc -l <out)"
says err "kith: -: "

# usage
status 2 "$KITH" sign
says err "no file or folder given"
for wrong in "-C 100" "-C 0" "-C 2" "-n 7" "-n 33" "-n x" "-k 1" "--scheme sha1" "-j 0" "-j 9999" "--nonsense" "-Z" "-C" \
    "--scheme coates2011 -k 100" "--scheme coates2015 -C 178" "--json=yes" "-n 99999999999999999999"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" sign $wrong good
    same "output of '$wrong'" "" "$(cat out)"
    says err "kith: sign: "
done
KITH_CPU=mmx status 2 "$KITH" sign good
says err "KITH_CPU is 'mmx'"

# output that cannot be written
if [ -w /dev/full ]; then
    "$KITH" sign good >/dev/full 2>err
    same "full disk" 2 "$?"
    says err "cannot write to standard output"
fi
finish
