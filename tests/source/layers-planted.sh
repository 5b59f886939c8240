#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# layers.sh detects each kind of fault: one at a time is planted in a copy of the library and its objects.  Objects get theirs
# by renaming a symbol, so no compiler is needed.  PLANTED=no leaves it out: it takes minutes, and is the same everywhere.
set -u
. "$SRCDIR/tests/cli/lib.sh"
[ "${PLANTED:-yes}" = yes ] || skip "PLANTED=$PLANTED"
command -v objcopy >/dev/null || skip "no objcopy"
build=$(dirname "$KITH")
script=$SRCDIR/tests/source/layers.sh

fresh()
{
    rm -rf tree
    mkdir -p tree/src tree/build tree/tests
    cp -r "$SRCDIR/lib" "$SRCDIR/ARCHITECTURE.md" tree/
    cp "$SRCDIR"/src/*.[ch] tree/src/
    chmod -R u+w tree
    cp -rs "$build/lib" tree/build/
}

# rename_symbol OBJECT FROM TO
rename_symbol()
{
    rm "tree/build/lib/$1.o"
    objcopy --redefine-sym "$2=$3" "$build/lib/$1.o" "tree/build/lib/$1.o" || fail "objcopy: $1"
}

layers()
{
    env SRCDIR="$PWD/tree" KITH="$PWD/tree/build/kith" bash "$script" >report 2>&1
}

# seen TEXT...: the test fails with these texts; then everything is restored
seen()
{
    local text
    layers && fail "it does not detect this: $*"
    for text; do
        grep -qF -- "$text" report || fail "it does not say '$text': $(cat report)"
    done
    fresh
}

fresh
layers || fail "it fails without a planted fault: $(cat report)"

sed -i 's|^#include "base/error.h"|&\n#include "case/casefile.h"|' tree/lib/base/json.h
seen 'lib/base/json.h includes case/casefile.h, but base may not use case'
echo '#include "error.h"' >>tree/lib/base/json.c
seen 'lib/base/json.c includes error.h without its folder'
echo '#include "base/nothing.h"' >>tree/lib/base/json.c
seen 'lib/base/json.c includes base/nothing.h, which is not in lib'

echo '  #  include "case/casefile.h"' >>tree/lib/base/json.c
echo '#include <case/casefile.h>' >>tree/lib/base/csv.c
echo '#include "../case/casefile.h"' >>tree/lib/base/error.c
seen 'lib/base/json.c includes case/casefile.h, but base may not use case' \
    'lib/base/csv.c includes case/casefile.h, but base may not use case' \
    'lib/base/error.c includes ../case/casefile.h, which is not a path from lib'

mkdir tree/lib/more
seen 'ARCHITECTURE.md does not state what lib/more may use'
touch tree/lib/more.c
seen 'lib/more.c lies in no folder'
sed -i '/^## Layers/,$s/^base$/base <- case/' tree/ARCHITECTURE.md
seen 'ARCHITECTURE.md: base uses case, which does not stand above it'

rename_symbol base/json error_set casefile_open
seen 'base/json.c calls casefile_open, but base may not use case'
rename_symbol base/error strerror json_new
seen 'in a circle: base/error.c calls json_new of base/json.c'
grep -q "in a circle: base/json.c calls .* of base/error.c" report || fail "it does not report the way back: $(cat report)"

rename_symbol base/json json_new jsn_new
sed -i 's/\bjson_new(/jsn_new(/' tree/lib/base/json.h
seen 'lib/base/json.h: jsn_new does not begin with the name of its module'
rename_symbol base/json json_new json_anew
seen 'base/json.c: json_anew is declared in no header'
rm tree/build/lib/base/json.o
seen 'lib/base/json.c has no object'

sed -i '/^#endif/i int json_more(struct json *json);\n' tree/lib/base/json.h
seen 'lib/base/json.h: json_more has no contract'
sed -i '/^#endif/i \/* ---- more ---- *\/\n\nint json_more(struct json *json);\n' tree/lib/base/json.h
seen 'lib/base/json.h: json_more has no contract'
sed -i '/^#endif/i \/* Both more. *\/\nint json_more(struct json *json);\nint json_most(struct json *json, struct error *err,\n              int more);\n' tree/lib/base/json.h
layers || fail "a contract for two functions is none: $(cat report)"
fresh

sed -i '/^#endif/i static inline int json_more(int more)\n{\n    return more; /* the same */\n}\n' tree/lib/base/json.h
rename_symbol match/queries error_set proof_run
rename_symbol match/seeds error_set chains_begin
seen 'lib/base/json.h: json_more has no contract' \
    'match/queries.c calls proof_run of a later stage, proof' \
    'match/seeds.c calls chains_begin of a later stage, chains'
sed -i 's/`holders`, //' tree/ARCHITECTURE.md
seen 'ARCHITECTURE.md: no place in the order for lib/match/holders'

echo '#include <sqlite3.h>' >>tree/lib/base/json.c
echo '  #  include "zlib.h"' >>tree/lib/base/json.c
seen '<sqlite3.h...> is included by lib/base/json.c lib/database/database_inner.h' \
    '<zlib.h...> is included by lib/base/json.c lib/disk/deflate.c'

rename_symbol base/error strerror printf
rename_symbol match/queries error_set __printf_chk
rename_symbol match/seeds error_set puts
rename_symbol match/naming free vdprintf
rename_symbol match/proof free stderr
rename_symbol match/alignment free exit
rename_symbol match/chains free _exit
# a constant becomes a variable
rm tree/build/lib/base/{csv,digest}.o
objcopy --rename-section .data.rel.ro.local=.data --rename-section .data.rel.ro=.data "$build/lib/base/csv.o" tree/build/lib/base/csv.o
objcopy --rename-section .data.rel.ro.local=.bss --rename-section .data.rel.ro=.bss "$build/lib/base/digest.o" tree/build/lib/base/digest.o
seen "lib/base/error.c calls printf -- the library neither prints nor exits" \
    "lib/match/queries.c calls __printf_chk --" "lib/match/seeds.c calls puts --" "lib/match/naming.c calls vdprintf --" \
    "lib/match/proof.c calls stderr --" "lib/match/alignment.c calls exit --" "lib/match/chains.c calls _exit --" \
    'lib/base/csv.c: signs can change -- the library keeps no state' 'lib/base/digest.c: kinds_table can change --'
finish
