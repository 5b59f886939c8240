#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line has no traps: one meaning for each option, and errors that say what would be right.
. "$(dirname "$0")/lib.sh"

# refused TEXT COMMAND...: exit status 2, the text, and no file left
refused()
{
    local text=$1 before
    shift
    before=$(ls -A)
    status 2 "$@"
    says err "$text"
    rm -f out err
    same "files after '$*'" "$(grep -vxE 'out|err' <<<"$before")" "$(ls -A)"
}

mkdir known tree
text 1 20000 >known/letter
cp known/letter tree/copy
status 0 "$KITH" add -q known.kith known

# ---- -o is the sector offset, --case the case ----

for command in ls scan add; do
    status 0 "$KITH" "$command" --help
    says out "-o, --offset SECTOR"
done
status 0 "$KITH" scan --help
says out "    --case CASE"
grep -q -- --output out && fail "scan still has --output"
refused "-o takes a number from 0 to 140737488355327, not 'my.case'" "$KITH" scan -r known.kith -o my.case tree
refused "output" "$KITH" scan -r known.kith --output my.case tree
status 0 "$KITH" scan -q -r known.kith --case my.case tree
[ -s my.case ] || fail "there is no case"

# ---- names that are probably a mistake ----

refused "'2048' looks like a sector offset; to create a file of that name, write ./2048" "$KITH" scan -r known.kith --case 2048 tree
refused "'-x' looks like an option; to create a file of that name, write ./-x" "$KITH" scan -r known.kith --case -x tree
refused "'2048' looks like a sector offset" "$KITH" add 2048 known
refused "'-x' looks like an option" "$KITH" add -- -x known
refused "'63' looks like a number; to create a file of that name, write ./63" "$KITH" import 63 known/letter
refused "'1' looks like a number" "$KITH" sets merge -o 1 known.kith
refused "option -o needs a value (FILE)" "$KITH" export -o --csv known.kith
refused "option --case needs a value (CASE)" "$KITH" scan --case -r known.kith tree
refused "option --case needs a value (CASE)" "$KITH" scan -r known.kith --case= tree
refused "option --case is given twice, with 'a' and 'b'" "$KITH" scan -r known.kith --case a --case b tree
refused "option --max-e is given twice, with '1' and '2'" "$KITH" scan -r known.kith -t 1 --max-e 2 tree
status 0 "$KITH" scan -q -r known.kith --case ./2048 tree
status 0 "$KITH" scan -q -r known.kith --case 2048 tree # which exists now

# ---- values ----

# lists COMMAND OPTION: the values in its help
lists()
{
    "$KITH" "$1" --help | tr -s ' \n' ' ' | sed -n "s/.* $2 TYPE [^:]*: auto-detect) one of: //; s/ -.*//p" | tr -d ,
}
for type in $(lists ls --image-type); do
    "$KITH" ls -q -i "$type" tree/copy >out 2>err
    grep -q "unknown image type" err && fail "$type is listed but unknown"
done
for word in raw ewf aff vmdk vhd qcow2 vdi; do
    [[ " $(lists ls --image-type) " == *" $word "* ]] || fail "the help does not list -i $word: $(lists ls --image-type)"
done
for type in $(lists ls --fs-type); do
    "$KITH" ls -q -i raw -f "$type" tree/copy >out 2>err
    grep -qE "unknown|nsupported" err && fail "file system $type: $(cat err)"
done
refused "unknown kind 'foo'; the kinds are notable, known, neutral" "$KITH" add --kind foo x.kith known
refused "unknown kind 'notabel' (did you mean notable?); the kinds are notable, known, neutral" "$KITH" add --kind notabel x.kith known
refused "unknown kind 'foo'; the kinds are file, deleted, orphan, stream, slack, unallocated, unclaimed, gap, metadata, folder, member, image" \
    "$KITH" ls --only file,foo tree
refused "unknown image type 'foo'; the image types are raw, ewf, " "$KITH" ls -i foo tree
refused "unknown file system 'nfts' (did you mean ntfs?); the file systems are ntfs, fat, " "$KITH" ls -f nfts tree
refused "unknown scheme 'gf9' (did you mean gf8?); the schemes are shingles, min, mod, minmod, nested, minwise, hamming, bsw, chunks, coates2011, coates2015, gf8" "$KITH" sign -s gf9 tree
refused "unknown format 'xml'; the formats are text, csv" "$KITH" report --format xml my.case
refused "unknown format 'xml'; the formats are nsrl3, nsrl3-delta, " "$KITH" import --format xml x.kith known/letter
refused "unknown action 'lst' (did you mean list?); the actions are info, list, merge" "$KITH" sets lst known.kith
for default in "default: gf8" "default: 12;" "default: 128,"; do
    "$KITH" sign --help | grep -qF "$default" || fail "the help does not say '$default'"
done
"$KITH" scan --help | tr -s ' \n' ' ' >out
says out "verdicts: identical, variant, embedded, fragment, none, too-small, low-entropy, unreadable, skipped"
says out "one of: text, csv"

for command in scan ls sets; do
    "$KITH" "$command" --help | tail -n +2 | grep -nE '.{80}| $' && fail "lines of the help of $command are too long, or end in blanks"
done

# ---- slips ----

refused "unknown option '--depe', did you mean --deep?" "$KITH" scan --depe -r known.kith tree
refused "unknown option '--deeep', did you mean --deep?" "$KITH" scan --deeep=1 -r known.kith tree
refused "unknown option '-deep', did you mean --deep?" "$KITH" scan -deep -r known.kith tree
refused "unknown option '--nonsense' (see: kith scan --help)" "$KITH" scan --nonsense -r known.kith tree
refused "write -- before an address that begins with a dash" "$KITH" extract -d out tree.zip -/zip/a.txt
refused "unknown option '-Z' (see: kith scan --help)" "$KITH" scan -qZ -r known.kith tree
refused "option --max-size needs a value (SIZE)" "$KITH" scan tree --max-size
refused "option -r needs a value (SET)" "$KITH" scan tree -r
refused "option -q takes no value" "$KITH" scan -q=1 -r known.kith tree
refused "tree: is a folder; --offset (-o) needs an image" "$KITH" ls -o 63 tree
refused "tree: is a folder; --fs-type (-f) needs an image" "$KITH" scan -f ntfs -r known.kith tree
refused "--version takes no arguments" "$KITH" --version extra
refused "-C takes a power of two from 4 to 1048576, not '7'" "$KITH" add -C 7 new.kith known
refused "--rate takes a number from 4 to 1048576, not '2000000'" "$KITH" add --rate 2000000 new.kith known
refused "-n takes a number from 8 to 32, not '7'" "$KITH" add -n 7 new.kith known
refused "--block takes a power of two from 512 to 1048576, not '1000'" "$KITH" import --block 1000 new.kith known/letter
refused "-n takes a number from 1 to 4096, not '4097'" "$KITH" sign -n 4097 known
refused "-C takes a number from 1 to 1073741824, not '0'" "$KITH" sign -C 0 known
refused "option --deep takes no value" "$KITH" scan --deep=yes tree
refused "option --help takes no value" "$KITH" scan --help=yes tree
refused "option '--s' is ambiguous: --scheme, --size, --seed, --split, --sha256" "$KITH" sign --s tree
refused "option '--max' is ambiguous: --max-e, --max-size" "$KITH" scan --max 3 tree
refused "unknown command 'scna', did you mean scan? (see: kith help)" "$KITH" scna
refused "unknown command 'SCAN', did you mean scan?" "$KITH" SCAN
refused "unknown command '--verison', did you mean --version?" "$KITH" --verison
refused "unknown format 'JSON' (did you mean json?)" "$KITH" ls --format JSON tree
refused "unknown image type 'E01' (did you mean ewf?)" "$KITH" ls -i E01 tree
refused "unknown image type 'dd' (did you mean raw?)" "$KITH" ls -i dd tree
refused "unknown option '--QUIET', did you mean --quiet?" "$KITH" ls --QUIET tree
refused "unknown command 'zzz' (see: kith help)" "$KITH" zzz
refused "unknown command 'rpeort', did you mean report?" "$KITH" help rpeort
finish
