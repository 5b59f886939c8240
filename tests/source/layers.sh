#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The layers of the library, as ARCHITECTURE.md states them: a folder includes and calls only itself and those that it may
# use, no object file calls another one that calls it back, directly or not, and every name that the linker sees begins
# with that of the module whose header declares it.  x_inner.h and x_y.h are parts of module x.  Every function of a header
# has a contract.  In lib/match, a stage calls only earlier ones.  Each outside library is known to one module; the library
# neither prints nor exits, and keeps no state of its own.
set -u
cd "${SRCDIR:-.}" || exit 99
build=$(dirname "${KITH:?set by make check}")
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# report LINES: each is a failure
report()
{
    local line
    while read -r line; do
        [ -z "$line" ] || fail "$line"
    done <<<"$1"
}

# ---- the folders ----

declare -A may # what a folder may use, itself included
above=' '

layers=$(sed -n '/^## Layers/,/^## /{/^```/,/^```/p}' ARCHITECTURE.md | grep -v '^```')
[ -n "$layers" ] || { echo "FAILED: ARCHITECTURE.md has no layers"; exit 1; }
while read -r folder arrow others; do
    [ "$folder" != src ] || continue
    [ -d "lib/$folder" ] || fail "ARCHITECTURE.md: there is no folder lib/$folder"
    [ "${arrow:-<-}" = '<-' ] || fail "ARCHITECTURE.md: $folder is followed by $arrow, not <-"
    for other in $others; do
        [[ $above == *" $other "* ]] || fail "ARCHITECTURE.md: $folder uses $other, which does not stand above it"
    done
    may[$folder]=" $folder $others "
    above+="$folder "
done <<<"$layers"
for path in lib/*; do
    [ -d "$path" ] || fail "$path lies in no folder"
    [ ! -d "$path" ] || [ -n "${may[${path#lib/}]:-}" ] || fail "ARCHITECTURE.md does not state what $path may use"
done

# ---- what is included ----

# <...> finds the library's headers, too
while IFS=: read -r file include; do
    header=$(sed -E 's/^[^<"]*[<"]([^>"]*).*/\1/' <<<"$include")
    folder=${file#lib/}
    folder=${folder%%/*}
    if [[ /$header == */.* ]]; then
        fail "$file includes $header, which is not a path from lib"
    elif [[ $include == *'<'* ]] && [ ! -e "lib/$header" ]; then
        continue
    elif [[ $header != */* ]]; then
        fail "$file includes $header without its folder"
    elif [ ! -e "lib/$header" ]; then
        fail "$file includes $header, which is not in lib"
    elif [[ ${may[$folder]:-} != *" ${header%%/*} "* ]]; then
        fail "$file includes $header, but $folder may not use ${header%%/*}"
    fi
done < <(grep -HE '^\s*#\s*include\b' lib/*/*.[ch])

# ---- what headers declare ----

# One line for each declaration outside of braces: folder, header, name, and whether it has a contract: a comment above it
# without a blank line between, or one that is a paragraph of its own and stands above its paragraph, or one in its line.
# Titles of sections do not count, and variables need none.
declarations=$(awk '
    function done(name) { if (name) print folder, header, name, contract; name = "" }
    function paragraph_ends() {
        if (commented && !coded)
            before = !titled
        else if (declared)
            before = 0
        commented = coded = declared = titled = 0
    }
    FNR == 1 {
        split(FILENAME, parts, "/"); folder = parts[2]; header = parts[3]
        inside = depth = open = before = macro = 0
        commented = coded = declared = titled = 0
    }
    /^$/ && !inside && !depth { paragraph_ends(); next }
    {
        code = ""; rest = $0; remark = inside
        if (!inside && /^\/\* ----/) titled = 1
        while (rest != "")
            if (inside) {
                at = index(rest, "*/")
                rest = at ? substr(rest, at + 2) : ""
                inside = !at
            } else {
                at = index(rest, "/*")
                code = code (at ? substr(rest, 1, at - 1) : rest)
                rest = at ? substr(rest, at + 2) : ""
                if (at) remark = inside = 1
            }
        if (code ~ /^[ \t]*$/) { if (remark && !open && !depth) commented = 1; next }
        coded = 1
        if (macro || code ~ /^#/) { macro = code ~ /\\$/; next }
        if (!open && !depth) {
            name = ""
            if (code ~ /^extern .*[;\[]/) {
                name = code; sub(/[;\[].*/, "", name); sub(/.*[ *]/, "", name); contract = 1
            } else if (code ~ /^[a-z_][A-Za-z0-9_ *]*[ *][a-z_][a-z0-9_]*\(/ && code !~ /^(static|typedef) / ||
                     code ~ /^static inline /) {
                name = code; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
                contract = commented || before; declared = 1
            }
            open = 1
        }
        if (remark && !depth) contract = 1 # not if inside the body of a function
        braces = code; depth += gsub(/\{/, "", braces) - gsub(/\}/, "", braces)
        if (!depth && code ~ /[;}][ \t]*$/) { done(name); name = ""; open = 0 }
    }' lib/*/*.h)
[ -n "$declarations" ] || fail "no header declares anything"
report "$(awk '!$4 { print "lib/" $1 "/" $2 ": " $3 " has no contract" }' <<<"$declarations")"

# ---- what is called ----

# In: `may FOLDER OTHER`, `is FOLDER MODULE` for each header, `declares FOLDER HEADER NAME`, and what nm -AP says.
# Names with two leading underscores belong to compilers.
check_symbols()
{
    awk '
    function folder_of(module) { return substr(module, 1, index(module, "/") - 1) }
    # The module itself, or one that it is a part of: of "a_b_c" "a_b_c", "a_b" and "a", if they have headers.
    function begins(name, folder, module,    whole) {
        for (whole = module; module; ) {
            if ((module == whole || (folder, module) in is) && (name == module || index(name, module "_") == 1))
                return 1
            if (!sub(/_[^_]*$/, "", module)) return 0
        }
    }
    $1 == "may" { may[$2, $3]; next }
    $1 == "is" { is[$2, $3]; next }
    $1 == "declares" {
        stem = $3; sub(/\.h$/, "", stem); sub(/_inner$/, "", stem)
        declared[$4] = "lib/" $2 "/" $3
        if (begins($4, $2, stem)) good[$4]
        next
    }
    $2 ~ /^__|\./ { next }
    {
        module = $1; sub(/^lib\//, "", module); sub(/\.o:$/, "", module)
        if ($3 ~ /^[TDRBVWCSG]$/) { home[$2] = module; symbols++ }
        else if ($3 ~ /^[Uw]$/) calls[module, $2]
    }
    END {
        if (!symbols) { print "no object of the library has symbols"; exit }
        for (name in home)
            if (!(name in declared))
                print home[name] ".c: " name " is declared in no header"
            else if (!(name in good))
                print declared[name] ": " name " does not begin with the name of its module"
        for (call in calls) {
            split(call, part, SUBSEP)
            from = part[1]; name = part[2]
            if (!(name in home) || (to = home[name]) == from) continue
            if (!((folder_of(from), folder_of(to)) in may))
                print from ".c calls " name ", but " folder_of(from) " may not use " folder_of(to)
            if (!((from, to) in edge)) { out[from]++; into[to]++ }
            edge[from, to] = edge[from, to] " " name
        }
        # what calls nothing that is left, or is called by nothing that is left, is in no cycle
        do {
            gone = 0
            for (call in edge) {
                split(call, part, SUBSEP)
                if (out[part[2]] > 0 && into[part[1]] > 0) continue
                delete edge[call]; out[part[1]]--; into[part[2]]--; gone++
            }
        } while (gone)
        for (call in edge) {
            split(call, part, SUBSEP)
            print "in a circle: " part[1] ".c calls" edge[call] " of " part[2] ".c"
        }
    }' | sort
}

symbols()
{
    local folder other file
    for folder in "${!may[@]}"; do
        for other in ${may[$folder]}; do
            echo "may $folder $other"
        done
    done
    for file in lib/*/*.h; do
        file=${file#lib/}
        echo "is ${file%/*} $(basename "$file" .h)"
    done
    awk '{ print "declares", $0 }' <<<"$declarations"
    [ ${#objects[@]} -eq 0 ] || (cd "$build" && ${NM:-nm} -AP "${objects[@]}")
}

objects=()
for file in lib/*/*.c; do
    objects+=("${file%.c}.o")
    [ -e "$build/${file%.c}.o" ] || { fail "$file has no object in $build"; unset 'objects[-1]'; }
done
report "$(symbols | check_symbols)"

# ---- the stages of lib/match ----

# In: the stages, in their order, on one line, and then what nm -AP says.
check_stages()
{
    awk '
    NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i; next }
    {
        stage = $1; sub(/.*\//, "", stage); sub(/\.o:$/, "", stage)
        if (!(stage in number)) { if (!missed[stage]++) print "ARCHITECTURE.md: no place in the order for lib/match/" stage }
        else if ($3 == "T") home[$2] = stage
        else if ($3 == "U") calls[stage, $2]
    }
    END {
        for (call in calls) {
            split(call, part, SUBSEP)
            if (part[2] in home && number[home[part[2]]] > number[part[1]])
                print "match/" part[1] ".c calls " part[2] " of a later stage, " home[part[2]]
        }
    }' | sort
}

stages=$(sed -n '/^`spans`/,/`scanner`/p' ARCHITECTURE.md | grep -o '`[a-z_]*`' | tr -d '`' | paste -sd' ')
[ -n "$stages" ] || fail "ARCHITECTURE.md does not state the order of the stages of lib/match"
report "$({ echo "$stages"; [ ${#objects[@]} -eq 0 ] || (cd "$build" && ${NM:-nm} -AP lib/match/*.o); } | check_stages)"

# ---- outside libraries ----

# only HEADERS FILES: those files alone include them
only()
{
    local found
    found=$(grep -lE "^\s*#\s*include\s*[<\"]$1" lib/*/*.[ch] src/*.[ch] | tr '\n' ' ')
    [ "$found" = "$2 " ] || fail "<$1...> is included by $found, not by $2 alone"
}
only openssl/ "lib/base/digest.c lib/base/digest_cipher.c lib/base/digest_signature.c"
only tsk/ lib/disk/tsk.h
only sqlite3.h lib/database/database_inner.h
only libewf.h lib/disk/backend_libewf.c
only zlib.h lib/disk/deflate.c
only archive lib/container/archive_inner.h
only lzma.h lib/container/unpack.c
only zstd.h lib/container/unpack.c
only seccomp.h lib/crew/sandbox.c
only linux/landlock.h lib/crew/sandbox.c
only pthread.h "lib/base/queue.c src/terminal.c"

# ---- output and state ----

# What writes to a standard stream or ends the process.  Fortified builds call __printf_chk and the like.
# A worker ends with _exit, since what its parent registered with atexit does not concern it.
report "$([ ${#objects[@]} -eq 0 ] || (cd "$build" && ${NM:-nm} -AP "${objects[@]}") | awk '
    $3 != "U" || ($2 == "_exit" && $1 ~ /^lib\/crew\//) { next }
    {
        name = $2; sub(/@.*/, "", name); sub(/^__/, "", name); sub(/_chk$/, "", name); sub(/_unlocked$/, "", name)
        if (name ~ /^(stdout|stderr|v?f?printf|v?f?wprintf|v?dprintf|f?puts|f?putc|putchar|putw|fputws|f?putwc|putwchar|perror|psignal|psiginfo)$/ ||
            name ~ /^(v?err|v?errx|v?warn|v?warnx|error|error_at_line|v?syslog|_?exit|_Exit|quick_exit|abort)$/)
            print substr($1, 1, length($1) - 3) ".c calls " $2 " -- the library neither prints nor exits"
    }')"

# Variables that can change.  Constants with pointers are in .data.rel.ro, which is made read-only once they are relocated.
# Two columns: object, variable.  database_pages: sqlite3_vfs_register links the VFS into a list of SQLite's.
may_change='
lib/database/database_pages vfs
'
report "$([ ${#objects[@]} -eq 0 ] || (cd "$build" && ${NM:-nm} -f sysv "${objects[@]}") |
    awk -F'|' -v may_change="$may_change" '
        /^(Symbols|Undefined symbols) from / { object = $0; sub(/.* from /, "", object); sub(/\.o:$/, "", object); next }
        {
            gsub(/ /, ""); name = $1; sub(/\.[0-9]+$/, "", name)
            if ($7 ~ /^(\*COM\*|\.t?data|\.t?bss)/ && $7 !~ /^\.data\.rel\.ro/ && name !~ /^\./ && name != "" &&
                index(may_change, "\n" object " " name "\n") == 0)
                print object ".c: " name " can change -- the library keeps no state"
        }')"

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
