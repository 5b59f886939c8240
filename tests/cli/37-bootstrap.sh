#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Without root and sudo, bootstrap prints one complete command line for what is missing, and asks only for what is needed.
. "$(dirname "$0")/lib.sh"

mkdir bin
for tool in bash sed cut sort paste dirname tr grep; do
    ln -s "$(command -v $tool)" bin/$tool
done
printf '#!%s\necho 1000\n' "$(command -v bash)" >bin/id
chmod +x bin/id

# asks MANAGER ARGUMENT...: what it prints on a system that has this package manager and little else; to ./line
asks()
{
    local manager=$1
    shift
    rm -f bin/{apt-get,dnf,pacman}
    printf '#!/bin/false\n' >bin/$manager
    chmod +x bin/$manager
    status 2 env PATH="$PWD/bin" "$PWD/bin/bash" "$SRCDIR/bootstrap" "$@"
    grep "$manager" err >line
    same "lines of $manager, $*" 1 "$(wc -l <line)"
}

# names or lacks PACKAGE...
names()
{
    for package; do
        grep -qwF -- "$package" line || fail "$package is not asked for: $(cat line)"
    done
}
lacks()
{
    for package; do
        grep -qE -- " $package( |\$)" line && fail "$package is asked for: $(cat line)"
    done
}

asks apt-get
names "apt-get update && apt-get install -y" gcc make autoconf automake libsqlite3-dev libssl-dev
[ -e /usr/include/stdio.h ] || names libc6-dev
lacks check mandoc bsdutils python3 xz-utils qemu-utils fish sleuthkit
asks apt-get demo
names gcc python3 mtools
lacks check mandoc bsdutils qemu-utils
asks apt-get check
names gcc python3 check
lacks mandoc bsdutils qemu-utils fish clang
says err "then ./bootstrap check again"
asks apt-get deps check
names gcc python3 check mandoc bsdutils qemu-utils sleuthkit
lacks fish clang
status 2 env PATH="$PWD/bin" "$PWD/bin/bash" "$SRCDIR/bootstrap" deps foo
says err "unknown argument 'foo': deps takes check or ci"
asks apt-get deps ci
names check clang zsh fish
asks dnf
names "dnf install -y" gcc sleuthkit-devel
lacks check-devel
asks pacman check
names "pacman -S --needed" check

# check ends with the reasons of the tests that were skipped in this run
mkdir -p build/tests/cli
for test in old new; do
    printf ':test-result: SKIP\n' >build/tests/cli/$test.trs
    printf 'SKIPPED: no %s tool\nSKIP %s\n' $test $test >build/tests/cli/$test.log
done
printf ':test-result: PASS\n' >build/tests/cli/passed.trs
touch -d 2001-01-01 build/tests/cli/old.trs
touch -d 2002-01-01 started
eval "$(sed -n '/^show_skipped()/,/^}/p' "$SRCDIR/bootstrap")"
same "reasons" "skipped: tests/cli/new: no new tool" "$(show_skipped started)"
finish
