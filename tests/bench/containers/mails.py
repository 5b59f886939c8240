# SPDX-License-Identifier: Apache-2.0
"""Mails: documents attached, texts quoted, and mailboxes of both."""
import email.message
import email.policy
import mimetypes
import os
import textwrap

import texts

POLICY = email.policy.SMTP.clone(linesep="\n")
PEOPLE = ("Anna Berg", "J. Ortiz", "Li Wei", "Sam O'Neil", "Marta Kowalska")


def message(number, subject, blocks, encoding="quoted-printable"):
    mail = email.message.EmailMessage(policy=POLICY)
    name = PEOPLE[number % len(PEOPLE)]
    mail["From"] = "%s <%s@example.org>" % (name, name.split()[-1].lower().replace("'", ""))
    mail["To"] = "office@example.com"
    mail["Subject"] = subject
    mail["Date"] = "Tue, %02d May 2024 10:%02d:00 +0200" % (1 + number % 28, number % 60)
    mail["Message-ID"] = "<%d.%d@example.org>" % (20240507 + number, 7919 * number)
    text = texts.as_text(blocks, 76)
    # What word processors do to quotation marks makes it a matter of quoted-printable.
    mail.set_content(text.replace("'", "\u2019").replace(" - ", " \u2013 "), cte=encoding)
    return mail


def attach(mail, path):
    main, _, sub = (mimetypes.guess_type(path)[0] or "application/octet-stream").partition("/")
    with open(path, "rb") as file:
        content = file.read()
    mail.add_attachment(content, maintype=main, subtype=sub, filename=os.path.basename(path), cte="base64")
    return mail


def save(path, mails, is_mbox=False):
    with open(path, "wb") as file:
        for mail in mails:
            if is_mbox:
                file.write(b"From someone@example.org Tue May  7 10:00:00 2024\n")
            content = mail.as_bytes()
            file.write(content.replace(b"\nFrom ", b"\n>From ") + b"\n" if is_mbox else content)
    return path


def attached(documents):
    """A document, and a mail that has it."""
    corpus, strangers = documents.corpus, texts.Strangers(documents.corpus.packages)
    folder = corpus.scratch("attached")
    made = [documents.old(kind) for kind in ("docx", "pdf", "txt", "odt")]
    evidence = []
    references = [made[number % len(made)][number] for number in range(len(made[0]))]
    for number, path in enumerate(references):
        mail = message(number, "The document", strangers.take(600))
        evidence.append(path and save("%s/%03d.eml" % (folder, number), [attach(mail, path)]))
    documents.add("document, attached to a mail", references, evidence)
    boxes = []
    for number, path in enumerate(references):
        mails = [message(20 * number + i, "Nothing much", strangers.take(1500)) for i in range(12)]
        if path:
            attach(mails[7], path)
        boxes.append(path and save("%s/%03d.mbox" % (folder, number), mails, True))
    documents.add("document, in a mailbox", references, boxes)


def edited_and_attached(documents):
    """A document, and a mail with its next version."""
    strangers, folder = texts.Strangers(documents.corpus.packages), documents.corpus.scratch("attached-new")
    evidence = [path and save("%s/%03d.eml" % (folder, number),
                              [attach(message(number, "The new version", strangers.take(600)), path)])
                for number, path in enumerate(documents.new("docx"))]
    documents.add("docx, next version attached to a mail", documents.old("docx"), evidence)


def quotation(blocks):
    """Paragraphs as replies have them, wrapped and marked."""
    lines = []
    for block in blocks:
        lines += ["> " + line for line in textwrap.wrap(block, 70, break_long_words=False)] + [">"]
    return "\n".join(lines)


def quoted(documents):
    """A mail or a document, and a reply that quotes some of its paragraphs between remarks."""
    corpus, strangers = documents.corpus, texts.Strangers(documents.corpus.packages)
    folder = corpus.scratch("quoted")
    originals, replies = [], []
    sources = documents.sources[:corpus.pairs + 6]
    for number, (title, blocks, _) in enumerate(sources):
        originals.append(save("%s/a%03d.eml" % (folder, number), [message(number, title, blocks)]))
        part = texts.pasted(blocks, [], corpus.random("quoted", number), 2000)
        mail = message(number + 1, "Re: " + title, [])
        text = "\n\n".join([texts.as_text(strangers.take(400), 72), quotation(part), texts.as_text(strangers.take(400), 72)])
        mail.set_content(text.replace("'", "\u2019"), cte="quoted-printable")
        replies.append(save("%s/b%03d.eml" % (folder, number), [mail]))
    documents.add("mail, quoted in a reply", originals, replies)
    documents.add("docx, quoted in a mail", documents.old("docx"), replies)


MAKERS = (attached, edited_and_attached, quoted)
