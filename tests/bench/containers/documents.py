# SPDX-License-Identifier: Apache-2.0
"""Documents: saved again, converted, in two versions, and with text pasted from others."""
import functools
import glob
import os
import zipfile

import office
import texts

KINDS = ("docx", "odt", "pdf", "html", "txt")
PASTED = ("docx", "pdf", "html", "txt")
SHARES = (("few edits", .02), ("many edits", .3))


class Documents:
    """The texts of the manuals in each format, made when first asked for."""

    def __init__(self, corpus):
        self.corpus = corpus
        self.sources = texts.versions(corpus.packages)
        self.profile = corpus.scratch("profile")

    def html(self, name, many):
        """Numbered HTML files of many paragraph lists."""
        folder = self.corpus.scratch(name + "-html")
        paths = []
        for number, (title, blocks) in enumerate(many):
            paths.append(texts.put("%s/%03d.html" % (folder, number), office.as_html(title, blocks)))
        return paths

    def make(self, name, many, kind):
        """Paths, in the order of the texts; None where LibreOffice failed."""
        if kind == "txt":
            folder = self.corpus.scratch(name + "-txt")
            return [texts.put("%s/%03d.txt" % (folder, number), texts.as_text([title] + blocks, (0, 72)[number % 2]))
                    for number, (title, blocks) in enumerate(many)]
        paths = self.html(name, many)
        if kind == "html":
            return paths
        return self.convert(paths, kind, name)

    def convert(self, paths, kind, name):
        made = office.convert([path for path in paths if path], kind, self.corpus.scratch("%s-%s" % (name, kind)), self.profile)
        return [made.get(path) for path in paths]

    @functools.lru_cache(maxsize=None)
    def old(self, kind):
        spare = self.corpus.pairs + 6
        return self.make("old", [(name, old) for name, old, _ in self.sources[:spare]], kind)

    @functools.lru_cache(maxsize=None)
    def new(self, kind):
        spare = self.corpus.pairs + 6
        return self.make("new", [(name, new) for name, _, new in self.sources[:spare]], kind)

    def add(self, name, references, evidence):
        self.corpus.begin(name)
        for pair in zip(references, evidence):
            if all(pair):
                self.corpus.add(name, *pair)


def edited_docx(documents):
    """Opened, edited and saved again: the paragraphs of the stored file change, and LibreOffice writes all of it anew."""
    references = documents.old("docx")
    for name, share in SHARES:
        folder = documents.corpus.scratch("edited-" + name.split()[0])
        paths = [path and office.edit_docx(path, "%s/%s" % (folder, os.path.basename(path)), documents.corpus.random(name, number), share)
                 for number, path in enumerate(references)]
        documents.add("docx, saved again, " + name, references, documents.convert(paths, "docx", "edited-saved-" + name.split()[0]))


def converted(documents):
    for a, b in (("odt", "docx"), ("docx", "pdf"), ("docx", "odt"), ("docx", "doc"), ("docx", "rtf")):
        references = documents.old(a)
        documents.add("%s, saved as %s" % (a, b), references, documents.convert(references, b, "from-" + a))


def new_version(documents):
    """The manual's next version, as its authors wrote it, in documents of LibreOffice."""
    for kind in ("docx", "odt"):
        documents.add("%s, two versions" % kind, documents.old(kind), documents.new(kind))


def other_level(documents):
    references = documents.old("docx")
    folder = documents.corpus.scratch("level")
    paths = [path and office.repacked(path, "%s/%s" % (folder, os.path.basename(path)), level=(1, 3)[number % 2],
                                      order=documents.corpus.random("level", number))
             for number, path in enumerate(references)]
    documents.add("docx, packed again", references, paths)
    paths = [path and office.repacked(path, "%s/%s.store.docx" % (folder, number), method=zipfile.ZIP_STORED)
             for number, path in enumerate(references)]
    documents.add("docx, packed without compression", references, paths)


def paste(documents):
    """Paragraphs of a document of one format in an unrelated one of another."""
    strangers = texts.Strangers(documents.corpus.packages)
    spare = documents.corpus.pairs + 6
    hosts = [strangers.take(9000) for _ in range(spare)]
    for b in PASTED:
        many = [(blocks[0][:60], texts.pasted(source[1], blocks, documents.corpus.random("paste", number)))
                for number, (source, blocks) in enumerate(zip(documents.sources, hosts))]
        evidence = documents.make("pasted", many, b)
        for a in PASTED:
            if a != b:
                documents.add("text of %s pasted into %s" % (a, b), documents.old(a), evidence)


def pdf_versions(documents):
    """Manuals that came as PDF in two versions."""
    corpus, name = documents.corpus, "pdf, two versions"
    corpus.begin(name)
    trees = [corpus.packages + "/tree/%s/" % side for side in ("old", "new")]
    pairs = []
    for old in sorted(glob.glob(trees[0] + "*/usr/share/**/*.pdf", recursive=True)):
        new = old.replace(*trees)
        if os.path.isfile(new) and not os.path.islink(old) and 20_000 < os.path.getsize(old) < 3_000_000:
            pairs.append((old, new))
    corpus.random("pdf").shuffle(pairs)
    for old, new in pairs:
        corpus.add(name, old, new)


MAKERS = (edited_docx, converted, new_version, other_level, paste, pdf_versions)
