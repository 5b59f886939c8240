#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Containers of reference sets are recognised by their members, one row for each; whatever interrupts the scan.
. "$(dirname "$0")/lib.sh"
kills=${KILLS:-4}
RANDOM=416

# rows FILE: path, verdict, reference and proof of each finding, without the suffix of its evidence
rows()
{
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(row["path"], row["verdict"], row["ref_name"], row["proof"], sep="|")' "$1"
}

python3 - <<'PY' || fail "the containers cannot be created"
import email.message, io, os, random, tarfile, textwrap, zipfile
r = random.Random(12)
words = ["".join(r.choice("abcdefghijklmnop") for _ in range(r.randrange(2, 9))) for _ in range(3000)]

def text(count):
    return " ".join(r.choice(words) for _ in range(count)).encode()

def pack(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)

def tar(path, members):
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))

os.makedirs("refs"), os.makedirs("tree")
files = {"dir/f%d.txt" % i: text(2000) for i in range(6)}
files["empty"] = b""
pack("refs/a.zip", files)
os.link("refs/a.zip", "tree/same.zip")
pack("tree/again.zip", dict(reversed(list(files.items()))), compresslevel=1)
changed = dict(files)
changed["dir/f0.txt"] = files["dir/f0.txt"][:4000] + b"CHANGED" + files["dir/f0.txt"][4100:]
changed["dir/f1.txt"] = text(2000)
tar("tree/most.tar", changed)
tar("tree/few.tar", dict(list(files.items())[:2]))
tar("tree/more.tar", {**files, **{"more%d" % i: text(500) for i in range(9)}})
pack("tree/nested.zip", {"in/again.zip": open("tree/again.zip", "rb").read(), "other.txt": text(900)})
open("tree/z-plain.txt", "wb").write(files["dir/f5.txt"])

def document(body, look):
    part = b"<w:document a='" + names + b"'><w:body><w:p><w:r><w:t>" + body + b"</w:t></w:r></w:p></w:body></w:document>"
    return {"[Content_Types].xml": b"<Types/>" + text(300), "word/document.xml": part,
            "word/styles.xml": look, "word/theme/theme1.xml": look, "docProps/app.xml": text(50)}

look, body, names = text(900), text(1500), text(800)
pack("refs/offer.docx", document(body, look))
pack("tree/offer.docx", document(body, text(900)), compresslevel=2)
pack("tree/unrelated.docx", document(text(1500), look))

def letter(*themes):
    packed = io.BytesIO()
    parts = {"word/styles.xml": look, **{"word/theme/theme%d.xml" % i: theme for i, theme in enumerate(themes)}}
    pack(packed, {**parts, "word/document.xml": document(text(1500), look)["word/document.xml"]})
    return packed.getvalue()

def mail(path, lines, attached):
    mail = email.message.EmailMessage()
    mail["From"], mail["To"], mail["Date"] = "a@example.org", "b@example.org", "Fri, 20 Nov 2026 10:00:00 +0000"
    mail["Subject"] = text(5).decode()
    mail.set_content("\n".join(lines) + "\n")
    mail.add_attachment(attached, maintype="application", subtype="octet-stream", filename="letter.docx")
    open(path, "wb").write(bytes(mail))

# The styles are the same Base64 in all mails; what is packed there has most in common with another document.
lines, theme = [text(10).decode() for _ in range(40)], text(300)
open("refs/letter.docx", "wb").write(letter(theme))
mail("refs/mail.eml", lines, letter())
mail("tree/reply.eml", [text(10).decode()] + ["> " + line for line in lines], letter(theme))
mail("tree/unrelated.eml", [text(10).decode() for _ in range(40)], letter(theme))

os.mkdir("large")
for at, name in enumerate("abc"):
    pack("large/%s.zip" % name, {"%04d" % i: (files["dir/f%d.txt" % (i % 6)] if i % 50 == 0 else text(12)) for i in range(1400)})

# Pages and wrapped texts have one member, their text; where they differ, their bytes say more.
lines = [text(12) for _ in range(300)]
for folder, some in ("refs", lines), ("tree", lines[:90] + lines[100:]):
    open(folder + "/page.html", "wb").write(b"<html><body>" + b"".join(b"<p>%s</p>\n" % line for line in some) + b"</body></html>")
    open(folder + "/wrapped.txt", "w").write(textwrap.fill(b" ".join(some[::-1]).decode(), 72) + "\n")
# The bytes of a page have nothing in common with a wrapped text; the text of the page has ranges, which nothing may hide.
open("tree/letter.html", "wb").write(b"<p>" + b" ".join(line.replace(b" ", b"<i> </i>") for line in (lines[:100] + lines[120:])[::-1]) + b"</p>")
PY

# ---- one row for a container ----

status 0 "$KITH" add -q --kind notable refs.kith refs
status 0 "$KITH" scan -q --csv -r refs.kith tree
rows out >got
sort >wanted <<'END'
again.zip|variant|a.zip|members 6/6
few.tar/dir/f0.txt|identical|dir/f0.txt of a.zip|sha1
few.tar/dir/f1.txt|identical|dir/f1.txt of a.zip|sha1
letter.html/text|variant|text of wrapped.txt|blocks 5/6
more.tar|embedded|a.zip|members 6/6
most.tar|variant|a.zip|members 4/6
nested.zip/in/again.zip|variant|a.zip|members 6/6
offer.docx|variant|offer.docx|members 2/2
page.html|variant|page.html|blocks 5/6
reply.eml|variant|mail.eml|members 0/3
same.zip|identical|a.zip|sha1
wrapped.txt|variant|wrapped.txt|blocks 3/6
z-plain.txt|identical|dir/f5.txt of a.zip|sha1
END
sort got | cmp -s - wanted || fail "the findings differ: $(sort got | diff wanted - | head -20)"
status 0 "$KITH" scan -q --text -r refs.kith tree
says out "same documents, container differs: 6 of 6 members identical"
says out "4 of 6 members identical, 1 varied"
says out "all documents of the reference, among others: 6 of 6 members identical"

# --all has the rows of the members as well
status 0 "$KITH" scan -q --csv --all -r refs.kith tree
mv out all.csv
rows all.csv >got
for row in "again.zip/dir/f3.txt|identical|dir/f3.txt of a.zip|sha1" "same.zip/dir/f3.txt|identical|dir/f3.txt of a.zip|sha1" \
    "nested.zip/in/again.zip/dir/f3.txt|identical|dir/f3.txt of a.zip|sha1" "more.tar|variant|dir/f3.txt of a.zip|estimate" \
    "offer.docx/word/document.xml|identical|word/document.xml of offer.docx|sha1" "unrelated.docx" "unrelated.eml"; do
    case $row in
    more.tar*) grep -qE '^more.tar\|(embedded|fragment)\|dir/f3.txt of a.zip\|' got || fail "--all lacks what is stored in more.tar" ;;
    *.eml) grep -qE '^unrelated.eml\|(variant|fragment)\|mail.eml\|estimate' got || fail "--all lacks the Base64 of styles" ;;
    unrelated*) grep -qE '^unrelated.docx\|(variant|fragment)\|offer.docx\|estimate' got || fail "--all lacks the bytes of styles" ;;
    *) grep -qxF "$row" got || fail "--all lacks $row" ;;
    esac
done

# ---- cases and reports ----

status 0 "$KITH" scan -q -j1 -r refs.kith --case one.case tree
status 0 "$KITH" scan -q -j8 -r refs.kith --case eight.case tree
for case in one eight; do
    status 0 "$KITH" report --csv --all $case.case
    cmp -s out all.csv || fail "the report of $case.case differs from the scan"
    status 0 "$KITH" report --check $case.case
    same "a check of $case.case" sound "$(cat out)"
done
status 0 "$KITH" report --csv --proof members one.case
same "findings by members" 6 "$(rows out | wc -l)"
status 0 "$KITH" report --format jsonl --proof members one.case
python3 - out <<'PY' || fail "the lines of JSON are wrong"
import json, sys
found = {row["object"]["path"]: row for row in map(json.loads, open(sys.argv[1])) if row["type"] == "finding"}
assert found["most.tar"]["proof"] == {"grade": "members", "proved": 4, "blocks": 6, "found": 5}, found["most.tar"]["proof"]
assert (found["most.tar"]["resemblance"], found["most.tar"]["containment"]) == (0.714, 0.833)
assert (found["more.tar"]["resemblance"], found["more.tar"]["containment"]) == (0.4, 1)
assert [t["address"] for t in found["again.zip"]["twins"]] == ["-/zip/dir/f%d.txt" % i for i in range(5, -1, -1)]
assert all(row["ranges"] == [] and row["matched"] == 0 and "edits" not in row for row in found.values())
PY
for format in html dfxml case timesketch text excel; do
    status 0 "$KITH" report --format $format one.case
done
id=$("$KITH" report --format jsonl --proof members one.case | python3 -c 'import json, sys
print([row["id"] for row in map(json.loads, sys.stdin) if row.get("object", {}).get("path") == "most.tar"][0])')
status 0 "$KITH" explain one.case "$id"
says out "variant: 4 of 6 members identical, 1 varied."
says out "related       most.tar/dir/f0.txt"
status 0 "$KITH" report --text --proof members one.case
says out "related: member again.zip/dir/f5.txt, member again.zip/dir/f4.txt, "

# of very many members reports list the first ones
status 0 "$KITH" add -q many.kith large/a.zip
mkdir many
python3 -c 'import zipfile
archive = zipfile.ZipFile("large/a.zip")
with zipfile.ZipFile("many/b.zip", "w") as other:
    for name in archive.namelist()[::-1]:
        other.writestr(name, archive.read(name))'
status 0 "$KITH" scan -q -r many.kith --case many.case many
status 0 "$KITH" report --csv many.case
grep -qE '^b.zip\|variant\|a.zip\|members ' <(rows out) || fail "a container of many members is not recognised"
lines=$(wc -l <out)
status 0 "$KITH" explain many.case "$("$KITH" report --text many.case | sed -n 's/.* finding \([0-9.]*\)$/\1/p')"
grep -qE 'And 1,?3[0-9]+ more' out || fail "kith explain lists all members: $(wc -l <out) lines"
status 0 "$KITH" report --format html many.case
[ "$(wc -c <out)" -lt 400000 ] || fail "the page lists all members: $(wc -c <out) bytes"
same "rows of a container of many members" 2 "$lines"

# with a filter that leaves the container out, its members are listed
status 0 "$KITH" report --csv --min-matched 1 one.case
rows out >got
grep -qxF "again.zip/dir/f3.txt|identical|dir/f3.txt of a.zip|sha1" got || fail "members of a row that is left out are hidden"

# ---- chunks, sets of other kinds ----

status 0 "$KITH" scan -q --csv --blocks 4096 -r refs.kith tree
grep -q '/zip/dir/f0.txt+4096,member,' out || fail "--blocks does not cut members"
long=$(printf 'n%.0s' $(seq 1 240))
mkdir deep
python3 -c 'import sys, zipfile
zipfile.ZipFile("deep/a.zip", "w").writestr(sys.argv[1], open("tree/most.tar", "rb").read())' "$long"
status 0 "$KITH" scan -q --blocks 4096 -r refs.kith --case long.case deep
status 0 "$KITH" report --csv long.case
grep -q "/zip/$long+" out || fail "the address of a chunk is cut"
status 0 "$KITH" add -q --kind known known.kith tree/again.zip
status 0 "$KITH" scan -q --csv --show-known -r refs.kith -r known.kith tree
rows out >got
grep -q '^again.zip/' got && fail "a known container is opened"
grep -qxF 'again.zip|identical|again.zip|sha1' got || fail "a known container is not found"

# ---- deleted files and free space ----

if command -v mke2fs >/dev/null && command -v debugfs >/dev/null; then
    mke2fs -q -F -t ext4 -b 1024 -O ^has_journal -d tree disk.img 4M >/dev/null 2>&1 || fail "mke2fs failed"
    for name in again.zip offer.docx; do
        debugfs -w -R "rm /$name" disk.img >/dev/null 2>&1
    done
    status 0 "$KITH" scan -q --csv -j1 -r refs.kith disk.img
    mv out disk.csv
    rows disk.csv | grep -v '|fragment|' | sort >got # pieces of the deleted archive may lie in several free ranges
    cmp -s got wanted || fail "the findings in an image differ: $(diff wanted got)"
    same "deleted files" 2 "$(grep -c ',deleted,' disk.csv)"
    status 0 "$KITH" scan -q --csv -j8 -r refs.kith disk.img
    cmp -s out disk.csv || fail "-j8 changes the findings in an image"
    status 0 "$KITH" scan -q --csv --all -r refs.kith disk.img
    grep -qE '@[0-9]+\+[0-9]+/zip.*,member,.*,identical,' out || fail "free space was not opened"
    mkdir gone
    cp tree/again.zip gone
    mke2fs -q -F -t ext4 -b 1024 -O ^has_journal -d gone gone.img 4M >/dev/null 2>&1 || fail "mke2fs failed"
    debugfs -w -R "rm /again.zip" gone.img >/dev/null 2>&1
    status 0 "$KITH" scan -q --csv -r refs.kith gone.img
    rows out | grep -v '|fragment|' >got # the free blocks go on after it
    same "a deleted container in free space" "again.zip|variant|a.zip|members 6/6" "$(cat got)"
    { head -c 65536 /dev/zero; cat tree/again.zip; head -c 65536 /dev/zero; } >free.raw
    status 0 "$KITH" scan -q --csv --ok-unexamined -r refs.kith free.raw
    rows out >got
    same "a container in free space" "|embedded|a.zip|members 6/6" "$(cat got)"
    same "its place" "65536 66048" "$(tail -n 1 out | cut -d, -f 15,16 | tr , ' ')"
fi

# ---- a small member does not hide what is found in the bytes around it ----

python3 - <<'PY'
import base64, os, random
source = random.Random(9)
words = [''.join(source.choices('abcdefghijklmnopqrstuvwxyz', k=source.randrange(2, 10))) for _ in range(3000)]
text = '\n'.join(' '.join(source.choices(words, k=3)) for _ in range(2500))
first = source.randbytes(1500)
def block():
    code = base64.b64encode(first + source.randbytes(3000)).decode()
    return '\n'.join(code[i:i + 76] for i in range(0, len(code), 76))
for folder in 'around', 'around-known':
    os.mkdir(folder)
open('around-known/old', 'w').write(text + '\n' + block() + '\n')
open('around/new', 'w').write(text.replace(' a', ' A') + '\n' + block() + '\n')
PY
status 0 "$KITH" add -q around.kith around-known
status 0 "$KITH" scan -q --csv -r around.kith around
grep -q '^[^,]*,-,[^,]*,file,new,.*,variant,around,.*,old,' out || fail "the variant is hidden: $(cat out)"
grep -q ',member,new/.*,fragment,around,' out || fail "the member is not listed: $(cat out)"

# ---- kill -9 in a large container ----

status 0 "$KITH" scan -q --csv --all -r refs.kith large
mv out large.csv
begun=$(date +%s%3N)
status 0 "$KITH" scan -q -r refs.kith --case large.case large
lasts=$(($(date +%s%3N) - begun))
for _ in $(seq 1 "$kills"); do
    after=$((lasts / 4 + RANDOM % lasts))
    (timeout -s KILL "$((after / 1000)).$(printf %03d $((after % 1000)))" "$KITH" scan -q -r refs.kith --case victim.case large) >/dev/null 2>&1
done
status 0 "$KITH" scan -q -r refs.kith --case victim.case large
status 0 "$KITH" report --csv --all victim.case
cmp -s out large.csv || fail "a scan that was killed differs: $(diff out large.csv | head -5)"
status 0 "$KITH" report --csv large.case
mv out large.csv
status 0 "$KITH" report --csv victim.case
cmp -s out large.csv || fail "after a kill, members are no parts of their container: $(diff out large.csv | head -5)"
status 0 "$KITH" report --check victim.case
same "a check of a case that was killed" sound "$(cat out)"

[ "$failures" -eq 0 ]
