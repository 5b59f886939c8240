#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the files in pdf/, and pdf/streams: name, object and SHA-1 of each stream, as qpdf decodes it.
# Needs groff, Ghostscript, Chromium, LibreOffice, rsvg-convert and qpdf.
set -eu
cd "$(dirname "$0")/pdf"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

office='The office accepted the efficient offer of the first fifth of November.'

cat >"$work/page.ms" <<EOF
.PP
$office
.PP
A second paragraph is long enough to be hyphenated: internationalization, characteristically, incomprehensibility,
straightforwardness, and misunderstandings fill the lines of this paragraph until some of these words are divided at the
end of a line.
EOF
groff -ms -Tps "$work/page.ms" >"$work/page.ps"
gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile=ghostscript.pdf "$work/page.ps"
groff -ms -Tpdf "$work/page.ms" >"$work/groff.pdf"
qpdf --linearize --object-streams=generate "$work/groff.pdf" qpdf.pdf

cat >"$work/page.html" <<EOF
<html><meta charset="utf-8"><body style="width:12cm; font-family: serif"><p>$office</p>
<p>Straße, œuvre, Łódź, naïve, Ωμέγα and Привет are words, too, in a paragraph of more than one line.</p></body></html>
EOF
chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf="$PWD/chromium.pdf" "$work/page.html"
(cd "$work" && soffice --headless --convert-to odt page.html && soffice --headless --convert-to pdf page.odt)
cp "$work/page.pdf" libreoffice.pdf

cat >"$work/page.svg" <<EOF
<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><g font-family="DejaVu Sans" font-size="12">
<text x="20" y="30">The office accepted the efficient offer</text>
<text x="20" y="46">of the first fifth of November.</text></g></svg>
EOF
rsvg-convert -f pdf -o cairo.pdf "$work/page.svg"

# Encrypted with an empty password: by RC4 with 40 and 128 bits, by AES with 128 and 256, and that of a draft.
printf 'A note that is attached.\n' >"$work/note.txt"
qpdf --add-attachment "$work/note.txt" --filename=nöte.txt -- qpdf.pdf "$work/with-note.pdf"
qpdf --allow-weak-crypto --encrypt '' owner 40 -- "$work/with-note.pdf" encrypted-40.pdf
qpdf --allow-weak-crypto --encrypt '' owner 128 --use-aes=n -- "$work/with-note.pdf" encrypted-128.pdf
qpdf --allow-weak-crypto --object-streams=preserve --encrypt '' owner 128 --use-aes=y --cleartext-metadata -- \
    ghostscript.pdf encrypted-aes.pdf
qpdf --object-streams=disable --encrypt '' owner 256 -- "$work/with-note.pdf" encrypted-256.pdf
qpdf --linearize --encrypt '' owner 256 --force-R5 -- "$work/with-note.pdf" encrypted-draft.pdf
qpdf --object-streams=disable --encrypt secret owner 256 -- "$work/with-note.pdf" locked.pdf

for file in [!l]*.pdf libreoffice.pdf; do
    qpdf --json=2 --json-key=qpdf "$file" |
        python3 -c 'import json, sys; [print(*key[4:].split()[:2]) for key, value in json.load(sys.stdin)["qpdf"][1].items() if "stream" in value]' |
        sort -n | while read -r number generation; do
        echo "$file $number-$generation $(qpdf --show-object="$number,$generation" --filtered-stream-data "$file" | sha1sum | cut -d' ' -f1)"
    done
done >streams
