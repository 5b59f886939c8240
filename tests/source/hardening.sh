#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The program is built as configured: the binary itself shows the stack protector, fortified functions, PIE, RELRO
# and CET.  HARDENED is "yes" unless it was switched off, HARDENING has the flags, SANITIZERS those of a sanitizer build.
set -u
KITH=${KITH:?set by make check}
failures=0

skip()
{
    echo "SKIPPED: $*"
    exit 77
}

# shows WHAT PATTERN: readelf's output on the program has a line like that
shows()
{
    grep -qE -- "$2" <<<"$elf" || {
        echo "FAILED: $1: no line like '$2'"
        failures=$((failures + 1))
    }
}

[ -z "${SANITIZERS:-}" ] || skip "a build with sanitizers"
[ "${HARDENED:-}" = yes ] || skip "configured with --disable-hardening"
command -v readelf >/dev/null || skip "no readelf"
elf=$(readelf -hldW --dyn-syms "$KITH") || exit 99

shows "position-independent" '^ *Type: +DYN '
shows "position-independent executable" 'FLAGS_1.*PIE'
shows "RELRO" '^ *GNU_RELRO '
shows "all symbols bound at the start" 'BIND_NOW|FLAGS_1.*NOW'
shows "stack protector" '__stack_chk_fail'
shows "a stack of data" '^ *GNU_STACK .* RW +0x'
case " $HARDENING " in
    *" -D_FORTIFY_SOURCE="*)
        shows "fortified functions" '__memcpy_chk'
        shows "fortified output" '__snprintf_chk'
        ;;
    *) echo "the compiler does not fortify functions" ;;
esac
case " $HARDENING " in
    *" -fcf-protection=full "*)
        # The linker keeps the note only if the C library's start files have it too: the objects must.
        notes=$(readelf -nW "$(dirname "$KITH")/libkith.a" 2>/dev/null)
        same=$(grep -c 'IBT, SHSTK' <<<"$notes") all=$(ar t "$(dirname "$KITH")/libkith.a" | wc -l)
        [ "$same" -eq "$all" ] && [ "$all" -gt 50 ] || {
            echo "FAILED: CET: $same of $all objects"
            failures=$((failures + 1))
        }
        ;;
    *" -mbranch-protection=standard "*)
        elf=$(readelf -nW "$(dirname "$KITH")/libkith.a")
        shows "branch protection" 'BTI'
        ;;
    *) echo "no CET on this machine" ;;
esac
[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
