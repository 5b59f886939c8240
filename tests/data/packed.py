# SPDX-License-Identifier: Apache-2.0
"""A valid sample, or several, of every container format that kith opens: from the files that other programs made
(tests/data/containers), or put together here."""
import base64
import email.message
import io
import lzma
import os
import re
import struct
import wave
import zipfile

WORDS = ('the office accepted an efficient offer of the first fifth of November and sent a letter about it to whoever had asked '
         'for one during those long summer weeks').split()

BARE = ('stripped.jpg', 'bare.mp3')     # of a format, but there is nothing in them beside the picture or sound


def prose(seed, count):
    """English-like text, always the same for a seed."""
    out, state = [], seed
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7fffffff
        out.append(WORDS[state >> 16 & 31 if state >> 16 & 31 < len(WORDS) else 0] + str(state >> 8 & 7) * (state & 1))
    return ' '.join(out)


def zipped(parts, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as file:
        for name, data in parts:
            file.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


# ---- documents ----

def paragraphs(form, seed, count=12):
    return ''.join(form % prose(seed + i, 30) for i in range(count))


def word():
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return [('[Content_Types].xml', '<Types/>'),
            ('word/document.xml', f'<w:document {w}><w:body>' + paragraphs('<w:p><w:r><w:t>%s</w:t></w:r></w:p>', 1) +
             '</w:body></w:document>'),
            ('word/footnotes.xml', f'<w:footnotes {w}>' + paragraphs('<w:p><w:r><w:t>%s</w:t></w:r></w:p>', 2, 2) + '</w:footnotes>')]


def excel():
    return [('[Content_Types].xml', '<Types/>'), ('xl/workbook.xml', '<workbook><sheets><sheet name="One"/></sheets></workbook>'),
            ('xl/sharedStrings.xml', '<sst>' + paragraphs('<si><t>%s</t></si>', 3) + '</sst>'),
            ('xl/worksheets/sheet1.xml', '<worksheet><sheetData>' + ''.join(
                f'<row><c t="s"><v>{i}</v></c><c><v>{i * 7}</v></c><c t="inlineStr"><is><t>in line</t></is></c></row>'
                for i in range(12)) + '</sheetData></worksheet>')]


def powerpoint():
    return [('[Content_Types].xml', '<Types/>')] + [
        (f'ppt/slides/slide{i}.xml', '<p:sld xmlns:a="a" xmlns:p="p">' + paragraphs('<a:p><a:r><a:t>%s</a:t></a:r></a:p>', i, 3) +
         '</p:sld>') for i in (2, 10, 1)]


def open_document(kind, form):
    return [('mimetype', 'application/vnd.oasis.opendocument.' + kind),
            ('content.xml', '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body>' +
             paragraphs(form, 5) + '</office:body></office:document-content>'),
            ('styles.xml', '<office:document-styles xmlns:office="o" xmlns:text="t"><text:p>a header</text:p></office:document-styles>')]


def book():
    return [('mimetype', 'application/epub+zip'),
            ('META-INF/container.xml', '<container><rootfiles><rootfile full-path="b/content.opf"/></rootfiles></container>'),
            ('b/content.opf', '<package><manifest><item id="one" href="one.xhtml"/><item id="two" href="c/two.xhtml"/></manifest>'
             '<spine><itemref idref="two"/><itemref idref="one"/></spine></package>'),
            ('b/one.xhtml', '<html><body>' + paragraphs('<p>%s</p>', 6) + '</body></html>'),
            ('b/c/two.xhtml', '<html><body>' + paragraphs('<p>%s</p>', 7) + '</body></html>')]


def documents():
    cell = '<table:table-row><table:table-cell><text:p>%s</text:p></table:table-cell></table:table-row>'
    kinds = [('docx', word()), ('xlsx', excel()), ('pptx', powerpoint()), ('odt', open_document('text', '<text:p>%s</text:p>')),
             ('ods', open_document('spreadsheet', cell)), ('epub', book())]
    # Stored, so that changes of the mark-up are not noticed by a checksum alone.
    yield 'packed.docx', zipped(kinds[0][1])
    for kind, parts in kinds:
        yield 'stored.' + kind, zipped(parts, zipfile.ZIP_STORED)


def html():
    yield 'page.html', ('<!DOCTYPE html><html><head><meta charset="utf-8"><title>A page</title><style>p{color:red}</style></head><body>' +
                        paragraphs('<p title="x">%s &eacute;&#233;&#x20ac;<br>more <!-- no --></p>', 8) +
                        '<table><tr><td>1<td>2</table><script>var a="<p>";</script><pre>a  b\n\tc</pre></body></html>').encode()


def rtf():
    yield 'letter.rtf', ('{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\generator x;}' +
                         paragraphs("\\b %s\\b0 caf\\'e9 \\u8364?\\par\n", 9) +
                         '{\\pict\\pngblip 89504e47}{\\bin4 abcd}{\\footnote a note}\\trowd 1\\cell 2\\cell\\row}').encode()


# ---- mail ----

def message(number):
    mail = email.message.EmailMessage()
    mail['From'], mail['To'] = 'a@example.org', 'b@example.org'
    mail['Subject'] = f'Letter {number}: naïve'
    mail['Date'] = 'Fri, 02 Jan 2026 03:04:05 +0100'
    mail['Message-ID'] = f'<{number}@example.org>'
    mail.set_content(paragraphs('%s, déjà vu\n\n', number, 4), cte='quoted-printable')
    mail.add_alternative('<html><body>' + paragraphs('<p>%s</p>', number, 4) + '</body></html>', subtype='html')
    mail.add_attachment(zipped([('note.txt', prose(number, 200))]), maintype='application', subtype='zip', filename='ünote.zip')
    return mail


def as_bytes(mail):
    """The same each time: Python's own boundaries are random."""
    for i, part in enumerate(mail.walk()):
        if part.get_content_maintype() == 'multipart':
            part.set_boundary(f'==boundary-{i}==')
    return mail.as_bytes()


def with_message_inside():
    mail = message(1)
    mail.add_attachment(message(2))
    return as_bytes(mail)


def mailbox():
    start = b'From a@example.org Fri Jan  2 03:04:05 2026\n'
    return b''.join(start + as_bytes(message(i)) + b'\n' for i in (3, 4, 5))


# ---- text that is encoded ----

def base64_blocks():
    lines = base64.encodebytes(prose(11, 400).encode())
    yield 'blocks.txt', b'A file with blocks.\n\n-----BEGIN X-----\n' + lines + b'-----END X-----\n\nAnd "' + base64.b64encode(
        zipped([('note.txt', prose(12, 200))])) + b'" in one line.\n'


def utf16_files():
    for name, mark, kind in (('little', b'\xff\xfe', 'utf-16-le'), ('big', b'\xfe\xff', 'utf-16-be')):
        yield f'{name}.txt', mark + (prose(13, 300) + ' żółć €\r\n').encode(kind)


def utf16_runs():
    yield 'runs.bin', bytes(range(256)) * 8 + (prose(14, 300)).encode('utf-16-le') + bytes(range(255, -1, -1)) * 8


# ---- web pages, sound, mail folders, disks ----

def web_pages():
    page = next(html())[1]
    chunked = b''.join(b'%x\r\n%s\r\n' % (len(page[i:i + 700]), page[i:i + 700]) for i in range(0, len(page), 700)) + b'0\r\n\r\n'
    records = ((b'warcinfo', b'application/warc-fields', b'software: none\r\n'),
               (b'resource', b'text/plain', prose(15, 200).encode()),
               (b'response', b'application/http', b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n' + page),
               (b'response', b'application/http', b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + chunked))
    yield 'pages.warc', b''.join(
        b'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:6b697468-0000-4000-8000-%012d>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n'
        b'WARC-Target-URI: http://example.org/%d\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' %
        (kind, i, i, form, len(data), data) for i, (kind, form, data) in enumerate(records))



def sound():
    out = io.BytesIO()
    with wave.open(out, 'wb') as file:
        file.setparams((1, 2, 8000, 0, 'NONE', ''))
        file.writeframes(b''.join(struct.pack('<h', (i * 37 % 200 - 100) * 99) for i in range(1000)))
    notes = b'LIST' + struct.pack('<I', 20) + b'INFOINAM' + struct.pack('<I', 8) + b'A title\0'
    data = out.getvalue() + notes
    yield 'noted.wav', b'RIFF' + struct.pack('<I', len(data) - 8) + data[8:]


def outlook():
    yield 'mail.pst', b'!BDN' + bytes(4) + b'SM' + struct.pack('<HHBB', 23, 19, 1, 1) + bytes(range(256)) * 4


def disks():
    """Headers; more of them is not read."""
    entry = struct.pack('<BBBBBBBBII', 0, 1, 1, 0, 0x83, 1, 1, 0, 64, 1900)
    yield 'disk.raw', bytes(446) + entry + bytes(48) + b'\x55\xaa' + bytes((1 << 20) - 512)
    yield 'disk.qcow2', struct.pack('>4sIQIIQIIQQIIQ', b'QFI\xfb', 3, 0, 0, 16, 1 << 20, 0, 1, 196608, 65536, 1, 0, 0) + bytes(200 << 10)
    yield 'disk.vmdk', struct.pack('<4sIIQQQQIQQQB', b'KDMV', 1, 3, 2048, 128, 1, 20, 512, 21, 26, 128, 0) + bytes(128 << 10)
    yield 'disk.E01', b'EVF\x09\x0d\x0a\xff\0\1\1\0\0\0' + b'header2' + bytes(9) + struct.pack('<QQ', 100, 87) + bytes(64 << 10)


# ---- what other programs made ----

def files(folder, *patterns):
    """(name, bytes) of those whose name matches; what is compressed only to be small is unpacked."""
    for name in sorted(os.listdir(folder)):
        if any(re.fullmatch(pattern, name) for pattern in patterns):
            with open(os.path.join(folder, name), 'rb') as file:
                data = file.read()
            yield (name[:-3], lzma.decompress(data)) if name.endswith('.iso.xz') else (name, data)


def samples(tests):
    """{format, as it is named in container.c: [(name of a file, its bytes)]}"""
    containers, corpus = os.path.join(tests, 'data', 'containers'), os.path.join(tests, 'fuzz', 'corpus')
    archives, media = os.path.join(containers, 'archives'), os.path.join(containers, 'media')
    pdf = list(files(os.path.join(containers, 'pdf'), r'.*\.pdf')) + [('text.pdf', next(files(os.path.join(corpus, 'pdf'), 'text'))[1])]
    ole = list(files(os.path.join(corpus, 'ole'), '.*'))
    made = {
        'document_format': documents(), 'html_format': html(), 'rtf_format': rtf(), 'ole_format': ole, 'ole_text_format': ole,
        'pdf_format': pdf, 'pdf_text_format': pdf, 'media_format_wav': sound(),
        'mail_format': [('nested.eml', with_message_inside()), ('one.eml', as_bytes(message(1)))],
        'mail_box_format': [('box.mbox', mailbox())], 'encoded_base64_format': base64_blocks(), 'encoded_utf16_format': utf16_files(),
        'encoded_utf16_runs_format': utf16_runs(), 'unopened_format_pst': outlook(), 'unopened_format_image': disks(),
        'prose_format': files(os.path.join(corpus, 'prose'), 'wrapped'), 'warc_format': web_pages(),
        'squashfs_format': files(os.path.join(containers, 'squashfs'), '.*'),
    }
    for name, pattern in (('zip', r'.*\.zip'), ('7z', r'.*\.7z'), ('rar', r'.*\.rar'), ('lha', r'.*\.lzh'), ('cab', r'.*\.cab'), ('tar', r'.*\.tar'),
                          ('cpio', r'.*\.cpio'), ('ar', r'.*\.(a|deb)'), ('rpm', r'.*\.rpm'), ('iso', r'.*\.iso\.xz'),
                          ('xar', r'.*\.xar'), ('gz', r'.*\.gz'), ('bz2', r'.*\.bz2'), ('xz', r'.*\.xz'), ('zst', r'.*\.zst'),
                          ('lz4', r'.*\.lz4'), ('lzma', r'.*\.lzma'), ('lzip', r'.*\.lz'), ('z', r'.*\.Z')):
        made['archive_format_' + name] = [(file, data) for file, data in files(archives, pattern) if name != 'xz' or
                                          file.endswith('.xz')]
    for name, pattern in (('jpeg', r'.*\.jpg'), ('png', r'.*\.png'), ('mp3', r'.*\.mp3'), ('flac', r'.*\.flac'), ('ogg', r'.*\.opus')):
        made['media_format_' + name] = files(media, pattern)
    return {name: list(some) for name, some in made.items()}
