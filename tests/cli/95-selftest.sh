#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith lab selftest: its report in all forms, recomputed where Python can; reproducibility; the user's files; errors.
. "$(dirname "$0")/lib.sh"
export SOURCE_DATE_EPOCH=1704164645 TMPDIR=$scratch/tmp
mkdir "$TMPDIR"

# empty: nothing is left of the temporary files
empty()
{
    same "temporary files after $1" '' "$(ls -A "$TMPDIR")"
}

status 0 "$KITH" lab --quick --output one selftest
empty 'a run'
says out 'report: one/report.html'
says out ' 0 broken; 0 unfounded findings'
grep -q '^estimates .* outside the interval .*; nominal: 5 %$' out || fail "the nominal level is not stated"
cp out summary

# ---- CSV and JSON agree, and with what is certain ----
python3 - one summary <<'END' || fail "the report is wrong (above)"
import csv, json, math, re, sys, xml.dom.minidom

folder, summary = sys.argv[1:]
cases = list(csv.DictReader(open(folder + "/cases.csv", newline="")))
report = json.load(open(folder + "/report.json"))
assert [c["id"] for c in cases] == [c["id"] for c in report["cases"]]
assert len({c["id"] for c in cases}) == len(cases)


def tail(k, n, p):
    """P(at most k of n)"""
    return sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k + 1))


groups = {}
for c, j in zip(cases, report["cases"]):
    n, k = int(c["trials"]), int(c["hits"])
    assert (n, k, c["result"], c["note"]) == (j["trials"], j["hits"], j["result"], j["note"]), c
    # a group's trials are distinct objects: not those scanned again with another limit of E, or another set
    scanned_again = c["id"].startswith(("U02", "U03", "U04")) or c["group"] == "images" and c["set"] == "dense"
    if not scanned_again:
        sums = groups.setdefault(c["group"], [0, 0])
        sums[0], sums[1] = sums[0] + n, sums[1] + k
    assert (c["in_summary"], j["in_summary"]) == (("no", False) if scanned_again else ("yes", True)), c
    assert int(c["files"]) == j["files"] and (n > 0) <= int(c["files"]), c
    assert int(c["files"]) <= n or c["group"] == "estimates", c
    assert (n == 0) == (c["result"] == "not run") and (n > 0 or c["note"]), c
    if n == 0:
        continue
    errors = k if c["group"] == "unrelated" else n - k
    rate, low, high = (float(c[name]) for name in ("error_rate", "low", "high"))
    assert abs(rate - errors / n) < 1e-6 and j["interval"] == [low, high], c
    assert errors == n or abs(tail(errors, n, high) - .025) < 1e-4, c
    assert errors == 0 or abs(1 - tail(errors - 1, n, low) - .025) < 1e-4, c
    if c["group"] == "estimates":
        assert float(c["nominal"]) == j["nominal"] == .05 and 0 <= j["mean_width"] == float(c["mean_width"]), c
        assert errors or j["mean_width"] > 0 or j["mean_error"] == 0, c
    else:
        assert c["nominal"] == c["mean_width"] == "" and "nominal" not in j, c
    if c["group"] in ("identical", "nothing"):
        assert k == n == int(c["right_verdict"]), c
    if c["group"] == "identical":
        assert int(c["promises"]) >= n, c
    assert c["broken"] == "0" and c["unfounded"] == "0", c
    if c["id"].startswith(("V01", "H01", "F07")):
        assert k == n, c                           # far from the limits
for s in report["summary"]:
    assert [s["trials"], s["hits"]] == groups[s["group"]], s
# quick: 4 classes of 4 small, 2 medium and 1 large file
files = {s["group"]: s["files"] for s in report["summary"]}
trials = {s["group"]: s["trials"] for s in report["summary"]}
assert files["versions"] == 28 and files["fragments"] == 12 and 9 <= files["estimates"] <= 21, files
assert trials["unrelated"] == 2 * 24 + 4 * 10 and files["unrelated"] == 24 + 4 * 10, (trials, files)
assert trials["nothing"] == files["nothing"] == 20, files
assert report["tool"]["version"] and len(report["tool"]["SHA-256 of the program file"]) == 64
for system in ("ext4", "fat16", "exfat", "ntfs", "mbr"):
    rows = [c for c in cases if c["group"] == "images" and c["class"] == system]
    assert sorted((c["size"], c["set"]) for c in rows) == sorted((place, kind) for kind in ("default", "dense")
                                                                 for place in ("active", "deleted", "slack", "unallocated"))
    assert all(c["hits"] == c["trials"] == c["right_verdict"] for c in rows if c["trials"] != "0"), rows
assert report["started"] == report["ended"] == "2024-01-02T03:04:05Z", report["started"]

page = open(folder + "/report.html").read()
assert not re.search(r'(src|href)=', page)
assert "nominal" in page and "Lines of chance matches" in page
# chance: with random content, which does not repeat itself, about what E states
assert [c["class"] for c in report["chance"]] == ["text", "source", "program", "packed"]
for c in report["chance"]:
    observed = [d["observed"] for d in c["clusters"]]
    limits = [d["e"] for d in c["clusters"]]
    assert all(abs(math.log10(e) - 1 + i) < 1e-9 for i, e in enumerate(limits)) and len(limits) == 10, limits
    assert c["objects"] == 100
    assert observed == sorted(observed, reverse=True) and sum(observed) > 0, c
    if c["class"] == "packed":
        # 128 samples, each of which is in one reference, and 1 in 32 of 5,500 other windows, in none
        assert abs(c["matches"] / 100 - 128) < 20, c
        assert all(.1 < observed[i] / (100 * limits[i]) < 4 for i in range(1, 5)), c
observed = sum(d["observed"] for c in report["chance"] for d in c["clusters"] if d["e"] == .001)
stated = re.search(r"At the default limit of 0.001, (\S+) were observed and 0.4 are expected.", page)
assert stated and math.isclose(float(stated[1]), observed, rel_tol=.01, abs_tol=1e-9), observed
assert "Lines of chance matches by their E, and the number that E states" in page
for title in ("1 Results summary", "2 Test case selection", "3 Results by assertion", "4 Testing environment", "5 Test results"):
    assert title in page, title
for c in cases:
    assert ">%s<" % c["id"] in page, c["id"]
body = page[page.index("<body>"):page.index("</html>")]
xml.dom.minidom.parseString(body)
END
same "SHA-256 of the program" "$(sha256sum "$(command -v "$KITH")" | cut -c1-64)" \
    "$(json one/report.json 'd["tool"]["SHA-256 of the program file"]')"

# ---- without a tool its cases are not run; everything else is the same for the same seed ----
mkdir tools
cat >tools/mkfs.exfat <<'END'
#!/bin/sh
echo "mkfs.exfat: no exFAT < 1 today" >&2
exit 7
END
chmod +x tools/mkfs.exfat
status 0 env PATH="$scratch/tools:$PATH" "$KITH" lab --quick --output two selftest
same "cases without exFAT" 8 "$(grep -c "images,.*not run,.*'mkfs.exfat -c' exited with status 7: mkfs.exfat: no exFAT < 1 today" two/cases.csv)"
grep -v exfat one/cases.csv >with
grep -v exfat two/cases.csv | cmp -s - with || fail "two runs with the same seed differ"
says two/report.html 'no exFAT &lt; 1 today'

# ---- the user's files: hostile names, what cannot be chosen, nothing written ----
mkdir -p "mine/$(printf 'a\n<b>&,"\033[1m')"
for i in 1 2 3; do
    text $i 20000 >"mine/text $i"
    head -c $((9000 * i)) /dev/urandom >"mine/$(printf '\xff\xfe=%d' $i)"
done
text 7 40000 >"mine/$(printf 'a\n<b>&,"\033[1m')/=1+1;,\"<script>.c"
cp "mine/text 1" "mine/the same again"
: >mine/empty
ln -s /etc mine/link
mkfifo mine/fifo
mv mine "$(printf 'mi\033[1m<i>ne')"
find mi* -type f -printf '%p %T@ %C@ %A@ %s\n' | sort >before
status 0 "$KITH" lab --quick --data mi* --seed 2 --output four selftest
cmp -s one/cases.csv four/cases.csv && fail "the data have no effect"
find mi* -type f -printf '%p %T@ %C@ %A@ %s\n' | sort >after
cmp -s before after || fail "the user's files were touched"
empty 'a run with --data'
says four/report.json '7 files'
says four/report.json 'below mi\\x1b[1m<i>ne'
# each file is named in the report, so that the test can be repeated with the same ones
python3 - four mi* <<'END' || fail "the list of files is wrong (above)"
import hashlib, html, json, os, re, sys
report = json.load(open(sys.argv[1] + "/report.json"))
page = open(sys.argv[1] + "/report.html").read()
top = os.fsencode(sys.argv[2])
there = {}
for folder, _, names in os.walk(top):
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.path.getsize(path) >= 4096:
            there[path] = open(path, "rb").read()
seen = set()
for f in report["files"]:
    path = re.sub(rb"\\(x..|\\)", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), f["path"].encode())
    content = there[path]
    assert f["bytes"] == len(content) and f["sha1"] == hashlib.sha1(content).hexdigest(), f
    assert f["sha1"] in page and html.escape(f["path"]) in page.replace("&#39;", "&#x27;").replace("&#34;", "&quot;"), f
    seen.add(content)
assert seen == set(there.values()) and len(report["files"]) == len(seen), len(seen)
END
grep -q '<i>ne' four/report.html && fail "a name is not escaped in HTML"
grep -lq $'\033' four/* out && fail "a control sequence was written"
same "classes" 'text small,source medium,packed small' "$(python3 - four/cases.csv <<'END'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["group"] == "identical" and r["trials"] != "0"]
print(",".join("%s %s" % (r["class"], r["size"]) for r in rows))
END
)"
says four/cases.csv 'no files of this class and size in the folder'

# ---- a small folder, without images: all bytes are the same for the same seed, and others for another one ----
for tool in mke2fs mkfs.fat mkntfs; do
    cp tools/mkfs.exfat "tools/$tool"
done
PATH=$scratch/tools:$PATH
mkdir few
text 5 6000 >few/file
for seed in 1 1; do
    rm -rf "few-$seed.before"
    [ ! -e "few-$seed" ] || mv "few-$seed" "few-$seed.before"
    status 0 "$KITH" lab --quick --data few --seed $seed --output "few-$seed" selftest
done
diff -r few-1.before few-1 >/dev/null || fail "two reports with the same seed differ"
mkdir longer # of a short text all is found, whatever is cut out of it
text 5 150000 >longer/file
for seed in 1 2; do
    status 0 "$KITH" lab --quick --data longer --seed $seed --output "longer-$seed" selftest
done
cmp -s longer-1/cases.csv longer-2/cases.csv && fail "the seed has no effect"

# ---- files of which no samples are taken: only copies of them can be found, and nothing else of them is missed ----
mkdir uniform
for bytes in 5000 50000 100000; do
    head -c $bytes /dev/zero >"uniform/$bytes"
done
status 0 "$KITH" lab --quick --data uniform --output alone selftest
says out '3 files too uniform to be sampled: only their copies were tested'
same "cases of uniform files" 'identical,3,3' \
    "$(python3 -c 'import csv
print(*(",".join((r["group"], r["trials"], r["hits"])) for r in csv.DictReader(open("alone/cases.csv", newline=""))
        if r["trials"] != "0" and r["group"] != "nothing"))')"
same "notes" 1 "$(grep -c 'V01-program-small.*without 1 files of this class that are too uniform to be sampled' alone/cases.csv)"
same "list" "['uniform reference']" "$(json alone/report.json 'sorted({f["use"] for f in d["files"]})')"
text 5 6000 >uniform/file
status 0 "$KITH" lab --quick --data uniform --output both selftest
same "trials of versions" "$(json few-1/report.json '[s["trials"] for s in d["summary"] if s["group"] == "versions"]')" \
    "$(json both/report.json '[s["trials"] for s in d["summary"] if s["group"] == "versions"]')"

same "copies: one trial for each file" '[(1, 1)]' \
    "$(json few-1/report.json '[(s["trials"], s["files"]) for s in d["summary"] if s["group"] == "identical"]')"

# ---- the test can fail: a byte of an identical file changes before the scan, or between scan and judging ----
if command -v cc >/dev/null && ! grep -qa -e __asan_init -e __tsan_init -e __ubsan_handle "$KITH"; then
    cc -shared -fPIC -O1 -o sabotage.so "$SRCDIR/tests/data/sabotage.c" -ldl || fail "cc failed"
    for when in before after; do
        rm -rf spoilt
        status 1 env LD_PRELOAD="$scratch/sabotage.so" SABOTAGE=$when \
            SABOTAGE_FILE="$TMPDIR/kith-selftest-*/objects/000000" "$KITH" lab --quick --data few --output spoilt selftest
        says out 'FAIL: I01-text-small: object 000000'
        says out ' 1 broken'
        same "failed cases" 1 "$(grep -c ',FAIL,' spoilt/cases.csv)"
        says spoilt/report.html 'NOT as expected'
    done
    says out 'reported as identical, but the contents differ'
fi

# ---- errors ----
status 2 "$KITH" lab --quick --output one selftest
says err 'one: File exists'
status 2 "$KITH" lab --quick --data missing --output five selftest
says err 'missing: No such file'
mkdir bare
status 2 "$KITH" lab --quick --data bare --output five selftest
says err 'bare: no file of 4 KiB to 8 MiB that can be read'
status 2 "$KITH" lab --quick --output missing/five selftest
says err 'missing/five: No such file'
status 2 env TMPDIR=/nowhere "$KITH" lab --quick --output five selftest
says err '/nowhere: cannot create a folder for temporary files'
status 2 "$KITH" lab --csv selftest
says err 'selftest takes no --format'
status 2 "$KITH" lab --output x coates2011
says err '--output is for selftest'
[ ! -e five ] || fail "a report without content was left"
empty 'errors'

# ---- what a crash left is removed, but neither what a run uses nor anything else ----
"$KITH" lab --output crashed selftest >out 2>err &
process=$!
for _ in {1..300}; do
    compgen -G "$TMPDIR/kith-selftest-*/default.kith" >/dev/null && break
    sleep .02
done
mkdir "$TMPDIR/kith-selftest-mine"
cp -r few-1 "$TMPDIR/kith-selftest-case17" # a report with a name that a temporary folder could have
touch -d '1 hour ago' "$TMPDIR"/kith-selftest-*
status 0 "$KITH" lab --quick --data few --output beside selftest
same "a run in progress, a report, and another name" 3 "$(find "$TMPDIR" -maxdepth 1 -name 'kith-selftest-*' | wc -l)"
[ -e "$TMPDIR/kith-selftest-mine" ] || fail "a folder of another name was removed"
diff -r few-1 "$TMPDIR/kith-selftest-case17" || fail "a report was removed"
kill -KILL $process
wait $process 2>/dev/null
rm -r "$TMPDIR/kith-selftest-mine" "$TMPDIR/kith-selftest-case17"
touch -d '1 hour ago' "$TMPDIR"/kith-selftest-*
status 0 "$KITH" lab --quick --data few --output afterwards selftest
empty 'a crash'

# ---- an interrupt leaves nothing ----
"$KITH" lab --output six selftest >out 2>err &
process=$!
for _ in {1..300}; do
    compgen -G "$TMPDIR/kith-selftest-*/default.kith" >/dev/null && break
    sleep .02
done
kill -TERM $process
wait $process
same "status after an interrupt" 130 $?
[ ! -e six ] || fail "an interrupted run left a report"
empty 'an interrupt'

finish
