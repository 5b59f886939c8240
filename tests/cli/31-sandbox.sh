#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a system that cannot confine the processes that read evidence nothing is read, unless the user asks for it.
. "$(dirname "$0")/lib.sh"

# lacking.py WHAT COMMAND...: runs it as if the kernel lacked that, by a filter that all its processes inherit
cat >lacking.py <<'PY'
import ctypes, errno, os, platform, struct, sys
CALLS = {'x86_64': {'landlock': 444, 'seccomp': 317, 'prctl': 157},
         'aarch64': {'landlock': 444, 'seccomp': 277, 'prctl': 167}}
calls = CALLS.get(platform.machine())
if not calls:
    sys.exit(77)
NO_NEW_PRIVS, SET_SECCOMP, SET_FILTER, FILTER_MODE = 38, 22, 1, 2
refuse = {'landlock': [(calls['landlock'], None, errno.ENOSYS)],
          'disabled-landlock': [(calls['landlock'], None, errno.EOPNOTSUPP)],
          'seccomp': [(calls['seccomp'], None, errno.ENOSYS), (calls['prctl'], SET_SECCOMP, errno.EINVAL)],
          # it claims to support filters, but accepts none
          'new-filters': [(calls['seccomp'], SET_FILTER, errno.EPERM), (calls['prctl'], SET_SECCOMP, errno.EPERM)]}
refuse['both'] = refuse['landlock'] + refuse['seccomp']
code = []
for number, argument, error in refuse[sys.argv[1]]:
    code.append((0x20, 0, 0, 0))                                   # load the number
    code.append((0x15, 0, 1 if argument is None else 3, number))
    if argument is not None:
        code.append((0x20, 0, 0, 16))                              # load the first argument
        code.append((0x15, 0, 1, argument))
    code.append((0x06, 0, 0, 0x00050000 | error))
code.append((0x06, 0, 0, 0x7fff0000))                              # allow
program = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *c) for c in code))
class Program(ctypes.Structure):
    _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
filter = Program(len(code), ctypes.addressof(program))
if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, FILTER_MODE, ctypes.byref(filter), 0, 0):
    sys.exit(77)
os.execvp(sys.argv[2], sys.argv[2:])
PY
lacking()
{
    python3 lacking.py "$@"
}

lacking landlock true || skip "no filter can be set, so nothing can be taken away"
mkdir tree
text 1 5000 >tree/one
text 2 70000 >tree/two
tar -cf tree.tar tree
status 0 "$KITH" add -q s.kith tree
case $(head -c 200 err) in *"this system lacks"*) skip "this system has no sandbox" ;; esac
status 0 "$KITH" ls --hash tree
cp out listing
status 0 "$KITH" scan -q -r s.kith tree
cp out findings

# refuses WHAT COMMAND...: it reports what is missing, writes nothing, and does not end as a partial success
refuses()
{
    local what=$1
    shift
    status 2 lacking "$what" "$KITH" "$@"
    same "$what: rows of $1" 0 "$(wc -c <out)"
    says err "this system lacks"
    says err "--no-sandbox"
    case $what in
    *landlock) says err "Landlock" ;;
    *) says err "seccomp" ;;
    esac
}

for what in landlock disabled-landlock seccomp new-filters both; do
    refuses $what ls tree
    refuses $what ls -q --csv tree.tar
    refuses $what scan -r s.kith tree
    refuses $what scan -q -r s.kith --case new.case tree
    refuses $what add -q new.kith tree
    [ -e new.case ] && fail "$what: a case was created although nothing was read"
    [ -e new.kith ] && fail "$what: a set was created although nothing was read"

    # on request it works as usual, and says so even with -q
    status 0 lacking $what "$KITH" ls --no-sandbox -q --hash tree
    says err "tree: read without a complete sandbox: this system lacks"
    cmp -s out listing || fail "$what: the listing differs without the sandbox"
    status 0 lacking $what "$KITH" scan --no-sandbox -q -r s.kith tree
    says err "tree: read without a complete sandbox"
    cmp -s out findings || fail "$what: the findings differ without the sandbox"
    status 0 lacking $what "$KITH" scan --no-sandbox -q -r s.kith --case $what.case tree
    status 0 "$KITH" report --about $what.case
    says out "read without a complete sandbox"
    status 0 lacking $what "$KITH" add --no-sandbox -q $what.kith tree
    says err "tree: read without a complete sandbox"
    same "$what: files of the set" "$("$KITH" export s.kith | cut -d, -f2)" "$("$KITH" export $what.kith | cut -d, -f2)"
done

# commands without workers need no sandbox
for command in "sign tree" "compare tree/one tree/two" "export s.kith" "sets info s.kith" "report both.case" "help"; do
    # shellcheck disable=SC2086
    status 0 lacking both "$KITH" $command
done

# if nothing is missing the option changes nothing
status 0 "$KITH" ls --no-sandbox --hash tree
cmp -s out listing || fail "--no-sandbox changes the listing"
same "no message" 0 "$(grep -c 'sandbox' err)"
finish
