#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sketches: kith sign and kith compare with the schemes of Broder, Cherkasova et al. and Yuan et al.
. "$(dirname "$0")/lib.sh"

schemes='shingles min mod minmod nested minwise hamming bsw chunks'

# value EXPRESSION COMMAND...: a value of the JSON that the command prints
value()
{
    local expression=$1
    shift
    "$@" --json >json || fail "'$*' failed"
    json json "$expression"
}

# ---- Broder's examples, section 2 ----

printf 'a rose is a rose is a rose' >a
printf 'a rose is a flower which is a rose' >b
while read -r window percent labelled; do
    # shellcheck disable=SC2086 # one option or none
    same "roses, w = $window $labelled" "$percent" \
        "$(value '"%.2f" % (int(d["resemblance"] * 1e4) / 100)' "$KITH" compare -s shingles --tokens words -n "$window" $labelled a b)"
done <<'END'
1 70.00 --labelled
2 50.00 --labelled
3 30.00 --labelled
1 60.00
2 50.00
3 42.85
END
same "roses, none longer than 8 bytes" 0.5 "$(value 'd["resemblance"]' "$KITH" compare -s shingles --tokens words8 -n 2 a b)"
status 0 "$KITH" compare -s shingles --tokens words8 -n 2 a b
says out '  sketch       shingles: shingles of 2 words of at most 8 bytes, 64 bits, seed 1'
status 0 "$KITH" compare -s shingles --tokens words8 -n 1 a b
says out '  sketch       shingles: shingles of 1 word of at most 8 bytes, 64 bits, seed 1'
printf 'a c a b a' >p
printf 'a b a c a' >q
same "a permutation" 1.0 "$(value 'd["resemblance"]' "$KITH" compare -s shingles --tokens words -n 2 --labelled p q)"
status 0 "$KITH" compare -s shingles --tokens words -n 2 --labelled a b
says out 'undecided: a sketch gives an estimate but no verdict'
says out '  resemblance  0.500 (exact: 5 of 10 values are common)'
says out '  sketch       shingles: labelled shingles of 2 words, 64 bits, seed 1'

# ---- estimates, against sets of all windows ----

text 1 60000 >one
{ head -c 30000 one; text 2 20000; tail -c 25000 one; } >other
read -r r c <<<"$(python3 -c '
import sys
a, b = ({d[i:i + 20] for i in range(len(d) - 19)} for d in (open(f, "rb").read() for f in sys.argv[1:]))
print(len(a & b) / len(a | b), len(a & b) / len(a))' one other)"
same "exact resemblance" "$(printf %.6f "$r")" "$(value '"%.6f" % d["resemblance"]' "$KITH" compare -s shingles one other)"
same "exact containment" "$(printf %.6f "$c")" "$(value '"%.6f" % d["containment_reverse"]' "$KITH" compare -s shingles one other)"
for scheme in min mod minmod nested minwise hamming; do
    same "interval of $scheme" True "$(value "d['resemblance_low'] - 0.05 < $r < d['resemblance_high'] + 0.05" "$KITH" compare -s "$scheme" one other)"
done
for scheme in $schemes; do
    status 0 "$KITH" compare -s "$scheme" --json one other
    case $scheme in
    min | minmod | minwise | hamming) grep -q containment out && fail "$scheme has containment" ;;
    *) says out '"containment_reverse":' ;;
    esac
    status 0 "$KITH" compare -s "$scheme" --json one one
    says out '"verdict":"identical","resemblance":1.000000,"containment":1.000000,"containment_reverse":1.000000,"proof":"sha1"}'
    status 0 "$KITH" compare -s "$scheme" one one
    says out '  resemblance  1.000, as all containment (proof: sha1)'
    grep -q interval out && fail "an interval beside a proof"
done

# ---- records of sketches ----

for scheme in $schemes; do
    "$KITH" sign -s "$scheme" one >one.sketch || fail "sign -s $scheme"
    "$KITH" sign -s "$scheme" - <other | sed 's/:-$/:other/' >other.sketch
    same "$scheme: magic and name" "sketch1:$scheme one" "$(cut -d: -f1,2 one.sketch) $(cut -d: -f16- one.sketch)"
    same "$scheme: length and SHA-1" "60000 $(sha1sum <one | cut -c1-40)" "$(cut -d: -f11,12 one.sketch | tr : ' ')"
    "$KITH" compare -s "$scheme" --json one other >files
    for pair in 'one.sketch other.sketch' 'one other.sketch'; do
        # shellcheck disable=SC2086 # two files
        "$KITH" compare --json $pair | sed -E 's/"(ref_)?record":"[^"]*",//g' | cmp - files || fail "$scheme: $pair"
    done
done
"$KITH" sign -s mod --md5 --sha256 one >one.sketch
same "all digests" "$(sha1sum <one | cut -c1-40)/$(md5sum <one | cut -c1-32)/$(sha256sum <one | cut -c1-64)" "$(cut -d: -f12 one.sketch)"
# equal SHA-1s prove nothing beside different SHA-256s: SHA-1 collisions have been constructed
for scheme in mod gf8 coates2015; do
    "$KITH" sign -s $scheme --sha256 one >one.sketch
    sed -E "s|(:$(sha1sum <one | cut -c1-40)/)[0-9a-f]{64}:|\\1$(sha256sum <other | cut -c1-64):|" one.sketch >forged.sketch
    status 0 "$KITH" compare one.sketch one
    says out 'identical: '
    same "no message about equal files" "" "$(cat err)"
    for file in one.sketch one; do
        status 0 "$KITH" compare forged.sketch $file
        grep -q identical: out && fail "$scheme, $file: identical: $(cat out)"
        same "the message" "kith: forged.sketch and $file: SHA-1 is equal, but sha256 differs: a collision was constructed, or a record altered" "$(cat err)"
    done
done
same "gf8 has records" kith1:gf8 "$("$KITH" sign -s gf8 one | cut -d: -f1,2)"

# the values are those with the scheme's property
"$KITH" sign -s mod -C 37 --bits 40 --seed 5 --json one >json
same "multiples" True "$(json json 'all(int(v, 16) % 37 == 0 and int(v, 16) < 2**40 for v in d["values"])')"
"$KITH" sign -s shingles --json one >all
"$KITH" sign -s min --size 50 --json one >json
same "the smallest" True "$(python3 -c 'import json
print(sorted(json.load(open("all"))["values"])[:50] == json.load(open("json"))["values"])')"
same "keys" "path,size,sha1,scheme,tokens,canonical,labelled,window,sketch_size,bits,seed,shingles,values" "$(json json '",".join(d)')"
same "number of shingles" 59981 "$(json json 'd["shingles"]')"

# another program, made from kith-sketch(5) alone, makes the same sketches
{ tr -cd 'A-Za-z \n' <one | head -c 800; tr -cd 'A-Za-z \n' <one | head -c 500; } >repeating
seed=1
while read -r scheme options; do
    # shellcheck disable=SC2086 # several options
    line=$("$KITH" sign -s "$scheme" --seed $seed --bits $((65 - seed)) $options repeating)
    same "$scheme $options by the description" "$(python3 "$SRCDIR/tests/data/sketch.py" "$line" repeating)" "$(cut -d: -f13-15 <<<"$line")"
    seed=$((seed + 1))
done <<'END'
shingles
min --size 70 --labelled
mod -C 9 --tokens words -n 2
minmod -C 9 --size 70 --labelled
nested --size 70
minwise --size 20 --labelled --tokens words -n 2
hamming --size 70
bsw -C 9 --labelled
chunks -C 9 --tokens words -n 2
min --tokens words8 -n 3 --labelled
chunks -C 9 --tokens words8 -n 2
chunks -C 9
END

# the same for any number of threads
mkdir tree
for i in 1 2 3 4 5 6 7 8; do text "$i" $((i * 3000)) >"tree/$i"; done
: >tree/empty
printf x >tree/tiny
"$KITH" sign -s minwise --size 20 tree >sketches
for j in 1 2 5; do
    "$KITH" sign -s minwise --size 20 -j "$j" tree | cmp - sketches || fail "-j $j gives different sketches"
done
same "files" 10 "$(wc -l <sketches)"

# ---- the canonical form ----

printf '<p>A Rose, is\n a  ROSE!</p>' >marked
printf 'a rose is a rose' >plain
for unit in bytes letters words; do
    same "$unit: only the form differs" 1.0 \
        "$(value 'd["resemblance"]' "$KITH" compare -s shingles -n 3 --tokens $unit --canonical case,space,punctuation,markup marked plain)"
    same "$unit: the form differs" True "$(value 'd["resemblance"] < 1' "$KITH" compare -s shingles -n 3 --tokens $unit marked plain)"
done
{ echo 'if (a <b) { x(); }'; seq 1000; } >code
{ echo 'if (a <b) { x(); }'; seq 5000 6000; } >code2
same "no tag" True "$(value 'd["resemblance"] < 0.01' "$KITH" compare -s shingles -n 1 --tokens words --canonical markup code code2)"
# text that is not UTF-8
printf 'die Rose bl\303\274ht sch\303\266n' >utf8
printf 'die Rose bl\374ht sch\366n' >latin1
printf '\357\273\277die Rose bl\303\274ht sch\303\266n' >marked-utf8
printf '<p>Rose</p><!-- rose -->, <!-- rose' >tagged
printf 'd\0i\0e\0 \0R\0o\0s\0e\0' >utf16
words=(-s shingles --tokens words -n 1)
same "a byte order mark" 1.0 "$(value 'd["resemblance"]' "$KITH" compare "${words[@]}" utf8 marked-utf8)"
status 0 "$KITH" compare "${words[@]}" utf8 latin1
same "the message about words8" "kith: latin1: 2 of its 20 bytes are not UTF-8 text, so its words may be wrong" "$("$KITH" sign -s min --tokens words8 latin1 2>&1 >words8)"
same "the message about Latin-1" "kith: latin1: 2 of its 20 bytes are not UTF-8 text, so its words may be wrong" "$(cat err)"
status 0 "$KITH" sign -s min --tokens letters utf8 latin1 utf16
says err 'latin1: 2 of its 20 bytes are not UTF-8 text, so its letters may be wrong'
says err 'utf16: 8 of its 16 bytes are not UTF-8 text, so its letters may be wrong'
grep -q utf8: err && fail "utf8 is said to be none"
same "sketches with messages" 3 "$(wc -l <out)"
same "text that is no UTF-8" "2 None" "$("$KITH" sign -s min --tokens words --json latin1 2>err >json; json json '"%d %s" % (d["not_utf8"], d.get("removed"))')"
same "mark-up" "None 20" "$("$KITH" sign -s min --canonical markup --json tagged >json; json json '"%s %d" % (d.get("not_utf8"), d["removed"])')"
status 0 "$KITH" sign -s min latin1
same "bytes of any kind" "" "$(cat err)"
printf 'one\ntwo\nthree\n' >lines
printf 'three\r\none\r\n\r\ntwo\r\n' >moved
same "lines" 1.0 "$(value 'd["resemblance"]' "$KITH" compare -s shingles --tokens lines --canonical space lines moved)"
head -c 3000 /dev/urandom >noise
for unit in bytes letters words lines; do
    same "any bytes have $unit" True "$(value 'd["resemblance"] == 1' "$KITH" compare -s shingles -n 1 --tokens $unit noise noise)"
done

# ---- documents without shingles ----

for scheme in $schemes; do
    status 0 "$KITH" compare -s "$scheme" --json tree/empty one
    says out '"verdict":"too-small"}'
    "$KITH" sign -s "$scheme" tree/tiny >tiny.sketch
    status 0 "$KITH" compare one tiny.sketch
    says out 'too-small: A or B has fewer tokens than a window'
done

# ---- figures that say nothing ----

head -c 3000 /dev/urandom >noise2
head -c 60 noise >brief
head -c 60 noise2 >brief2
for scheme in shingles min mod bsw; do
    status 0 "$KITH" compare -s $scheme --bits 16 noise noise2
    says out '  no figures   fingerprints of 16 bits are too short for 2981 and 2981 shingles'
    status 0 "$KITH" compare -s $scheme --bits 16 --json noise noise2
    says out '"verdict":"undecided","too_short":true}'
done
status 0 "$KITH" sign -s min --bits 16 noise brief
same "the message about few bits" "kith: noise: fingerprints of 16 bits are too short for its 2981 shingles (--bits)" "$(cat err)"
same "sketches all the same" 2 "$(wc -l <out)"
mkdir short
head -c 200000 /dev/urandom >short/a
head -c 200000 /dev/urandom >short/b
status 2 "$KITH" cluster -s shingles --bits 16 short
says err 'fingerprints of 16 bits are too short for these documents'
status 0 "$KITH" compare -s mod -C 100000 brief brief2
says out '  no figures   nothing was selected of 41 and 41 shingles; use a smaller C (--rate)'
status 0 "$KITH" compare -s mod -C 100000 --json brief brief2
says out '"verdict":"undecided","common":0,"compared":0}'

# the basis of a containment
status 0 "$KITH" compare -s shingles --tokens words -n 2 --labelled a b
says out '  containment  0.625 of B in A (5 of 8)'
status 0 "$KITH" compare -s mod -C 300 one other
grep -qE '^  containment  0\.[0-9]{3} of B in A \(0\.[0-9]{3} to 0\.[0-9]{3}; [0-9]+ of [0-9]+\)$' out || fail "containment: $(cat out)"
grep -qE '^               0\.[0-9]{3} of A in B \(0\.[0-9]{3} to 0\.[0-9]{3}; [0-9]+ of [0-9]+\)$' out || fail "containment: $(cat out)"
status 0 "$KITH" compare -s mod -C 300 --json one other
says out '"containment_reverse_high":'

# no luck makes an estimate exact, and chunks are none
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$KITH" compare -s hamming --size 20 --seed $i noise noise2
done >out
grep -q 'resemblance  -0' out || fail "no estimate is negative"
grep exact out && fail "hamming is exact"
for scheme in bsw chunks; do
    status 0 "$KITH" compare -s $scheme one other
    grep -qE '^  resemblance  0\.[0-9]{3} of the chunks \([0-9]+ of [0-9]+ are common\)$' out || fail "$scheme: $(cat out)"
    status 0 "$KITH" compare -s $scheme --json one other
    grep -q 'resemblance_low\|exact' out && fail "$scheme has an interval"
done
status 0 "$KITH" compare -s shingles --json one other
says out '"exact":true'

# ---- errors ----

# wrong TEXT COMMAND...
wrong()
{
    local text=$1
    shift
    status 2 "$@"
    says err "$text"
    same "output of '$*'" "" "$(cat out)"
}
wrong "scheme mod does not use --size" "$KITH" sign -s mod --size 5 one
wrong "scheme gf8 does not use --tokens" "$KITH" sign --tokens words one
wrong "scheme coates2015 does not use --seed" "$KITH" compare -s coates2015 --seed 0 one other
wrong "scheme min does not use --rate" "$KITH" sign -s min -C 8 one
wrong "scheme min does not use --residue" "$KITH" sign -s min -k 0 one
wrong "unknown unit 'word' (did you mean words?); the units are bytes, letters, words, words8, lines" "$KITH" sign -s min --tokens word one
wrong "unknown rule 'cases' (did you mean case?)" "$KITH" sign -s min --canonical space,cases one
wrong "--bits takes a number from 16 to 64, not '65'" "$KITH" sign -s min --bits 65 one
wrong "scheme mod takes a rate of at most 1024 with 16 bits, not 2000" "$KITH" sign -s mod --bits 16 -C 2000 one
wrong "--size takes a number from 1 to 1048576, not '0'" "$KITH" sign -s min --size 0 one
for seed in 18446744073709551616 18446744073709551625 99999999999999999999999; do
    wrong "--seed takes a number from 0 to 18446744073709551615, not '$seed'" "$KITH" sign -s min --seed $seed one
done
same "the last seed" 18446744073709551615 "$("$KITH" sign -s min --seed 18446744073709551615 one | cut -d: -f10)"
wrong "-n takes a number from 1 to 4096, not '0'" "$KITH" sign -s min -n 0 one
wrong "scheme min has no signatures, which --papers needs" "$KITH" compare -s min --papers one other
"$KITH" sign -s min one >one.sketch
"$KITH" sign -s min --seed 2 other >other.sketch
"$KITH" sign -s min --tokens words other >words.sketch
"$KITH" sign -s min --tokens words --canonical space,punctuation other | cmp - words.sketch || fail "words with white space"
wrong "the sketches differ in their seed, so they cannot be compared" "$KITH" compare one.sketch other.sketch
"$KITH" sign other >other.record
wrong "the sketches differ in their scheme" "$KITH" compare one.sketch other.record
wrong "the sketches differ in their scheme" "$KITH" compare other.record one.sketch
wrong "one.sketch: is a record, so the sampling options cannot be used" "$KITH" compare -s min --size 5 one.sketch other
wrong "one.sketch: is a record, but --exact needs two files" "$KITH" compare --exact one.sketch other
sed 's/:min:/:mim:/' one.sketch >bad
wrong "bad: line 1: field 2 (scheme) is unknown: 'mim' (--raw treats it as content)" "$KITH" compare bad one
status 0 "$KITH" compare --raw bad one
finish
