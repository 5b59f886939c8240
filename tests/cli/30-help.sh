#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Help, version, man pages and completion list the same options.
. "$(dirname "$0")/lib.sh"

status 0 "$KITH" help
cp out help
status 0 "$KITH" --help
cmp -s out help || fail "kith --help and kith help differ"
status 2 "$KITH"
status 2 "$KITH" nonsense
says err "unknown command 'nonsense'"
status 2 "$KITH" help nonsense
status 2 "$KITH" help sign compare
status 0 "$KITH" --version
grep -qE '^kith [0-9]+\.[0-9]+' out || fail "version: $(cat out)"

for shell in bash zsh fish; do
    status 0 "$KITH" completion $shell
    cp out $shell-completion
done

for name in $(awk '/^  [a-z]/ && $1 != "kith" { print $1 }' help); do
    status 0 "$KITH" "$name" --help
    cp out this-help
    status 0 "$KITH" help "$name"
    [ "$name" = help ] || cmp -s out this-help || fail "help $name and $name --help differ"
    page=$SRCDIR/man/kith-$name.1
    [ "$name" = help ] && page=$SRCDIR/man/kith.1
    [ -f "$page" ] || fail "there is no man page for $name"
    for option in $(grep -oE -- '--[a-z0-9-]+' this-help | sort -u); do
        option=${option#--}
        [ "$name" = help ] && continue
        says bash-completion "--$option"
        says zsh-completion "--$option"
        says fish-completion "-l $option"
        [ "$option" = help ] || grep -qF -- "Fl -$option" "$page" || fail "the man page of $name does not describe --$option"
    done
done

finish
