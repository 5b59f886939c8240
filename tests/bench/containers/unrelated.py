#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents that have nothing in common but what the same program puts into each: unrelated.py FOLDER PACKAGES [COUNT].

FOLDER/evidence gets COUNT documents (default: 10000; 70 in 100 docx, 20 odt, 5 pdf, 5 mails with a docx), FOLDER/reference a tenth
as many of the same kinds.  Each is a piece of a dictionary of its own, 1 to 3 KB of text, in the parts that LibreOffice writes;
the pdf are written by LibreOffice altogether."""
import os
import re
import sys
import xml.sax.saxutils
import zipfile

sys.dont_write_bytecode = True
import corpus as corpora
import mails
import office
import texts

TEN = ("docx", "docx", "odt", "docx", "docx", "docx", "odt", "docx", "docx")
KINDS = (*TEN, "pdf", *TEN, "mail")
PARAGRAPHS = {"word/document.xml": re.compile(r"<w:p>.*</w:p>", re.S),
              "content.xml": re.compile(r"<text:h .*</text:p>|<text:p .*</text:p>", re.S)}
ONE = {"word/document.xml": re.compile(r"<w:p>.*?</w:p>", re.S), "content.xml": re.compile(r"<text:p .*?</text:p>", re.S)}
INNER = {"word/document.xml": re.compile(r"(<w:t[^>]*>).*?(</w:t>)", re.S),
         "content.xml": re.compile(r"(<text:p [^>]*>).*(</text:p>)", re.S)}
DATES = {"docProps/core.xml", "meta.xml"}


class Template:
    """A document of LibreOffice into which other texts are put."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as packed:
            self.members = [(entry, packed.read(entry)) for entry in packed.infolist() if "humbnail" not in entry.filename]
        name, content = next((entry.filename, content) for entry, content in self.members if entry.filename in PARAGRAPHS)
        self.body, text = name, content.decode()
        span = PARAGRAPHS[name].search(text)
        self.before, self.after = text[:span.start()], text[span.end():]
        model = INNER[name].search(ONE[name].findall(span.group())[1])
        whole = ONE[name].findall(span.group())[1]
        self.open = whole[:model.start()] + model.group(1)
        self.close = model.group(2) + whole[model.end():]

    def write(self, path, blocks, number):
        paragraphs = "".join(self.open + xml.sax.saxutils.escape(block) + self.close for block in blocks)
        stamp = b"2024-%02d-%02dT%02d:%02d:%02d" % (1 + number % 12, 1 + number % 28, number % 24, number % 60, number * 7 % 60)
        with zipfile.ZipFile(path, "w") as out:
            for entry, content in self.members:
                if entry.filename == self.body:
                    content = (self.before + paragraphs + self.after).encode()
                elif entry.filename in DATES:
                    content = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", stamp, content)
                date = (2024, 1 + number % 12, 1 + number % 28, 9, 0, 0)
                out.writestr(zipfile.ZipInfo(entry.filename, date), content, zipfile.ZIP_DEFLATED)
        return path


def main(folder, packages, count=10_000):
    count = int(count)
    strangers = texts.Strangers(packages)
    corpus = corpora.Corpus(folder, packages, 1, 0)
    profile = corpus.scratch("profile")
    model = texts.put(corpus.scratch("model") + "/model.html", office.as_html("Title", strangers.take(3000)))
    templates = {kind: Template(office.convert([model], kind, corpus.scratch("model"), profile)[model]) for kind in ("docx", "odt")}
    sides = {"evidence": count, "reference": count // 10}
    for side, many in sides.items():
        target, pages = os.path.join(folder, side), []
        os.makedirs(target, exist_ok=True)
        for number in range(many):
            blocks, kind = strangers.take(1100 + number * 37 % 1400), KINDS[number % len(KINDS)]
            name = "%s%05d" % (side[0], number)
            if kind == "pdf":
                pages.append(texts.put("%s/%s.html" % (corpus.scratch("pages"), name), office.as_html(blocks[0].split()[0], blocks)))
            elif kind == "mail":
                document = templates["docx"].write(corpus.scratch("attached") + "/letter.docx", blocks[3:], number)
                mails.save("%s/%s.eml" % (target, name), [mails.attach(mails.message(number, blocks[0][:40], blocks[:3]), document)])
            else:
                templates[kind].write("%s/%s.%s" % (target, name, kind), blocks, number)
        office.convert(pages, "pdf", target, profile)
    if strangers.place > len(strangers.entries):
        sys.exit("the dictionary is too short for documents of their own")


if __name__ == "__main__":
    main(*sys.argv[1:])
