#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith add: what is packed in files becomes references, named after their containers.
. "$(dirname "$0")/lib.sh"

texts <<'END'
1 9000 a.txt
2 9000 b.txt
3 9000 c.txt
END
python3 - <<'PY' || fail "the containers cannot be created"
import io, os, tarfile, zipfile
a, b, c = (open(name, "rb").read() for name in ("a.txt", "b.txt", "c.txt"))

def pack(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()

os.makedirs("in/sub")
open("in/plain.txt", "wb").write(a)
inner = pack(("dir/c.txt", c), ("empty", b""))
open("in/sub/outer.zip", "wb").write(pack(("a.txt", a), ("b.txt", b), ("inner.zip", inner)))
with tarfile.open("in/x.tar", "w") as tar:
    tar.add("b.txt", "./b.txt")
    tar.add("c.txt", "c of d.txt")
document = pack(("[Content_Types].xml", b"<Types/>" * 99), ("_rels/.rels", b"<Relationships/>" * 99),
                ("word/document.xml",
                 b"<w:document><w:body><w:p><w:r><w:t>" + c[:5000] + b"</w:t></w:r></w:p></w:body></w:document>"), ("word/styles.xml", a[:4000]),
                ("word/theme/theme1.xml", b[:4000]), ("docProps/app.xml", c[:900]))
open("in/offer.docx", "wb").write(document)
os.mkdir("odd")
with zipfile.ZipFile("odd/names.zip", "w") as archive:
    archive.writestr("../\xe4\n", b"1" * 70)
PY

# ---- names and counts ----

status 0 "$KITH" add set.kith in
says out "set.kith: 4 files and 6 members of containers added, 3 merged into existing entries, 0 already there, 0 left out"
says out "set.kith: 5 members of containers not added, since unrelated documents have the same"
status 0 "$KITH" sets list --csv set.kith
for name in "plain.txt" "offer.docx" "word/document.xml of offer.docx" "text of offer.docx" "sub/outer.zip" "inner.zip of sub/outer.zip" \
    "b.txt of sub/outer.zip" "dir/c.txt of inner.zip of sub/outer.zip" "empty of inner.zip of sub/outer.zip" x.tar; do
    cut -d, -f6 out | grep -qxF "$name" || fail "no reference is named '$name'"
done
grep -qE 'styles|theme|rels|Content_Types|app.xml' out && fail "boilerplate was added"
status 0 "$KITH" export --json set.kith
says out '"a.txt of sub/outer.zip"'
says out '"./b.txt of x.tar"'
says out '"c of d.txt of x.tar"'

# the same content has one entry, with the SHA-1 of the file
for name in a b c; do
    sum=$(sha1sum <$name.txt)
    same "entries of $name" 1 "$("$KITH" sets list --csv set.kith | grep -c "${sum%% *}")"
done

# ---- what is packed in what ----

status 0 "$KITH" sets info set.kith
says out "members            8 are packed in others"
status 0 "$KITH" sets info --json set.kith
same "members" 8 "$(json out 'd["members"]')"
status 0 "$KITH" sets verify set.kith
cp set.kith before.kith
status 0 "$KITH" add set.kith in
says out "set.kith: 0 added, 0 merged into existing entries, 13 already there, 0 left out"
same "a set that has all" "$("$KITH" sets info --json before.kith | json /dev/stdin 'd["generation"]')" \
    "$("$KITH" sets info --json set.kith | json /dev/stdin 'd["generation"]')"
status 0 "$KITH" add -q plain.kith in/plain.txt b.txt
status 0 "$KITH" sets merge -q -o merged.kith plain.kith set.kith
same "members of a merged set" 8 "$("$KITH" sets info --json merged.kith | json /dev/stdin 'd["members"]')"
status 0 "$KITH" sets verify merged.kith
status 0 "$KITH" sets subtract -q -o less.kith set.kith plain.kith
same "members of a reduced set" 5 "$("$KITH" sets info --json less.kith | json /dev/stdin 'd["members"]')"
status 0 "$KITH" sets verify less.kith

# ---- options, odd names ----

status 0 "$KITH" add --containers no closed.kith in
says out "closed.kith: 4 added, 0 merged"
status 0 "$KITH" add --depth 1 flat.kith in
cut -d, -f6 <("$KITH" sets list --csv flat.kith) | grep -q 'dir/c.txt' && fail "--depth 1 opens two levels"
status 0 "$KITH" add odd.kith odd
status 0 "$KITH" export --json odd.kith
says out 'names.zip'
status 0 "$KITH" sets verify odd.kith

[ "$failures" -eq 0 ]
