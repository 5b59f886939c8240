# SPDX-License-Identifier: Apache-2.0
"""Documents: HTML by hand, everything else saved by LibreOffice without a screen."""
import html
import os
import re
import subprocess
import textwrap
import zipfile

BATCH = 40
SECONDS = 400
TYPES = {
    "docx": ("docx:MS Word 2007 XML", ".docx"),
    "odt": ("odt:writer8", ".odt"),
    "pdf": ("pdf:writer_pdf_Export", ".pdf"),
    "doc": ("doc:MS Word 97", ".doc"),
    "rtf": ("rtf:Rich Text Format", ".rtf"),
}


def as_html(title, blocks, width=78):
    """As a person writes it: lines of some length, a heading now and then, words in bold."""
    lines = ["<!DOCTYPE html>", '<html><head><meta charset="utf-8">', "<title>%s</title></head><body>" % html.escape(title),
             "<h1>%s</h1>" % html.escape(title)]
    for number, block in enumerate(blocks):
        if number % 9 == 4 and len(block) < 90:
            lines.append("<h2>%s</h2>" % html.escape(block))
            continue
        text = html.escape(block, quote=False)
        text = re.sub(r"\b(must|may|all|default|option)\b", r"<b>\1</b>", text, count=1)
        lines.append("<p>" + "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)) + "</p>")
    return "\n".join(lines + ["</body></html>", ""])


def convert(paths, kind, folder, profile):
    """Path -> the file of that kind made from it, in the folder; what cannot be converted is left out."""
    filter_name, ending = TYPES[kind]
    os.makedirs(folder, exist_ok=True)
    target = {path: os.path.join(folder, os.path.splitext(os.path.basename(path))[0] + ending) for path in paths}
    for made in target.values():
        if os.path.exists(made):
            os.unlink(made)
    for at in range(0, len(paths), BATCH):
        batch = paths[at:at + BATCH]
        web = ["--infilter=HTML (StarWriter)"] if batch[0].endswith(".html") else []
        command = ["soffice", "-env:UserInstallation=file://" + os.path.abspath(profile), "--headless", *web,
                   "--convert-to", filter_name, "--outdir", folder, *batch]
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            pass
    return {path: made for path, made in target.items() if os.path.exists(made)}


def repacked(path, target, change=None, method=zipfile.ZIP_DEFLATED, level=6, date=(2023, 5, 17, 10, 2, 4), order=None):
    """Writes the members of a zip anew, each passed through change(name, content)."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        entries = old.infolist()
        if order:
            order.shuffle(entries)
        for entry in entries:
            content = old.read(entry)
            new.writestr(zipfile.ZipInfo(entry.filename, date), change(entry.filename, content) if change else content, method, level)
    return target


PARAGRAPH = re.compile(rb"<w:p>.*?</w:p>|<w:p .*?</w:p>", re.S)
TEXT = re.compile(rb"(<w:t[^>]*>)(.*?)(</w:t>)", re.S)


def edit_docx(path, target, random_source, share):
    """Exchanges, deletes, doubles and changes paragraphs, as somebody would who types."""
    def change(name, content):
        if name != "word/document.xml":
            return content
        found = list(PARAGRAPH.finditer(content))
        pieces = [match.group() for match in found]
        for _ in range(max(1, round(share * len(pieces)))):
            change_one(pieces, random_source)
        return content[:found[0].start()] + b"".join(pieces) + content[found[-1].end():]
    return repacked(path, target, change)


def change_one(pieces, random_source):
    at, kind = random_source.randrange(len(pieces)), random_source.randrange(4)
    if kind == 0:
        other = random_source.randrange(len(pieces))
        pieces[at], pieces[other] = pieces[other], pieces[at]
    elif kind == 1 and len(pieces) > 8:
        del pieces[at]
    elif kind == 2:
        word = b"%d remarks were added here by the second reader." % random_source.randrange(1000)
        pieces.insert(at, TEXT.sub(lambda match: match.group(1) + word + match.group(3), pieces[at], count=1))
    else:
        pieces[at] = TEXT.sub(lambda match: match.group(1) + match.group(2).replace(b" the ", b" this ", 1) + match.group(3), pieces[at])
