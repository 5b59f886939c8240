/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/document.h"
#include "text_member.h"
#include "zipped.h"

/* Ends the archive, checks the text of the document, and releases the archive. */
static void check_text(struct zipped *zip, const char *expected)
{
    struct containers_list list;

    zipped_end(zip);
    list = containers_open(&document_format, zip->file.data, zip->file.len, false, NULL);
    ck_assert(list.matches);
    text_member_check(&list, expected);
    zipped_release(zip);
}

static void check_part(const char *name, const char *xml, const char *expected)
{
    struct zipped zip = {0};

    zipped_add_text(&zip, "[Content_Types].xml", "<Types/>");
    zipped_add_text(&zip, name, xml);
    check_text(&zip, expected);
}

static const struct {
    const char *xml, *text;
} texts[] = {
    {"<w:document><w:body/></w:document>", ""},
    {"<w:p><w:r><w:t>One</w:t></w:r></w:p><w:p><w:t>two</w:t></w:p>", "One\ntwo\n"},
    {"<w:p><w:r><w:t>One "
     "</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>t</w:t></w:r><w:r><w:t>wo</w:t></w:r></w:p>",
     "One two\n"},
    {"<w:p><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:p>", "a b\nc\nd\n"},
    {"<w:p><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:p>", "a-bc\n"},
    {"<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:t>a &amp; b &#8364;</w:t></w:p>",
     "a & b \xe2\x82\xac\n"},
    {"<w:p><w:fldSimple><w:t>x</w:t></w:fldSimple><w:instrText>PAGE</w:instrText></w:p>stray", "x\n"},
    {"<w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc><w:tc><w:p><w:t>b</w:t></w:p></w:tc></w:tr></w:tbl>",
     "a\nb\n"},
    {"<x:p><x:t>other prefix</x:t></x:p><p><t>none</t></p>", "other prefix\nnone\n"},
    /* What was deleted, or moved away, follows at the end. */
    {"<w:p><w:t>a "
     "</w:t><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:t>new</w:t></w:ins></w:p>"
     "<w:p><w:t>b</w:t><w:moveFrom><w:t>moved</w:t></w:moveFrom></w:p>",
     "a new\nb\nold\nmoved\n"},
    {"<w:p><w:del><w:delText>a</w:delText></w:del><w:del><w:delText>b</w:delText></w:del><w:t>c</w:t>"
     "<w:del><w:delText>d</w:delText></w:del></w:p><w:p><w:del><w:delText>e</w:delText></w:del></w:p>",
     "c\nab\nd\ne\n"},
    {"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:t>a</w:t></w:p>", "a\n"},
    /* A text box, which older programs get in another form. */
    {"<w:p><w:t>be</w:t><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:t>box</w:t></"
     "w:p><w:p><w:t>more</w:t></w:p></"
     "w:txbxContent>"
     "</mc:Choice><mc:Fallback><w:txbxContent><w:p><w:t>box</w:t></w:p></w:txbxContent></mc:Fallback>"
     "</mc:AlternateContent><w:t>fore</w:t></w:p>",
     "before\nbox\nmore\n"},
    {"<w:p><w:t>cut o", "cut o\n"},
    {"</w:p></w:t></w:del><w:p><w:t>unbalanced</w:t>", "unbalanced\n"},
    {"<!DOCTYPE a [<!ENTITY b 'bomb'><!ENTITY c '&b;&b;'>]><w:p><w:t>&c;</w:t></w:p>", "&c;\n"},
};

START_TEST(text_of_elements)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_part("word/document.xml", texts[i].xml, texts[i].text);
}
END_TEST

START_TEST(parts_of_a_text_in_their_order)
{
    struct zipped zip = {0};

    zipped_add_text(&zip, "word/footer1.xml", "<w:p><w:t>footer</w:t></w:p>");
    zipped_add_text(&zip, "word/header10.xml", "<w:p><w:t>header 10</w:t></w:p>");
    zipped_add_text(&zip, "word/header2.xml", "<w:p><w:t>header 2</w:t></w:p>");
    zipped_add_text(&zip, "word/comments.xml", "<w:comment><w:p><w:t>comment</w:t></w:p></w:comment>");
    zipped_add_text(&zip, "word/footnotes.xml",
                    "<w:p><w:t>footnote</w:t><w:del><w:delText>old</w:delText></w:del></w:p>");
    zipped_add_text(&zip, "word/styles.xml", "<w:p><w:t>style</w:t></w:p>");
    zipped_add_text(&zip, "word/documents.xml", "<w:p><w:t>another</w:t></w:p>");
    zipped_add_text(&zip, "word/document.xml", "<w:p><w:t>body</w:t></w:p>");
    zipped_add_text(&zip, "[Content_Types].xml", "<Types/>");
    check_text(&zip, "body\nfootnote\ncomment\nheader 2\nheader 10\nfooter\nold\n");
}
END_TEST

/* Far more than would be read in order; the rest follows as it is stored. */
START_TEST(slides_in_their_order)
{
    struct buffer expected = {0};
    struct zipped zip = {0};
    char name[100], xml[200];

    zipped_add_text(&zip, "ppt/presentation.xml", "<p/>");
    zipped_add_text(&zip, "ppt/notesSlides/notesSlide1.xml", "<a:p><a:t>note</a:t></a:p>");
    for (int i = 40; i > 0; i--) {
        snprintf(name, sizeof name, "ppt/slides/slide%d.xml", i);
        snprintf(xml, sizeof xml, "<a:p><a:r><a:t>Slide</a:t></a:r><a:br/><a:fld><a:t>%d</a:t></a:fld></a:p>",
                 i);
        zipped_add_text(&zip, name, xml);
    }
    for (int i = 1; i <= 40; i++)
        buffer_printf(&expected, "Slide\n%d\n", i);
    buffer_add_text(&expected, "note\n");
    buffer_add_char(&expected, '\0');
    check_text(&zip, expected.data);
    buffer_release(&expected);
}
END_TEST

START_TEST(many_slides_in_reverse)
{
    enum { SLIDES = 1000 };
    struct zipped zip = {0};
    struct containers_list list;
    char name[100], xml[200];

    zipped_add_text(&zip, "ppt/presentation.xml", "<p/>");
    for (int i = SLIDES; i > 0; i--) {
        snprintf(name, sizeof name, "ppt/slides/slide%d.xml", i);
        snprintf(xml, sizeof xml, "<a:p><a:t>%04d</a:t></a:p>", i);
        zipped_add_text(&zip, name, xml);
    }
    zipped_end(&zip);
    list = containers_open(&document_format, zip.file.data, zip.file.len, false, NULL);
    ck_assert_uint_eq(list.members[0].data.len, 5 * SLIDES);
    ck_assert_mem_eq(list.members[0].data.data, "0001\n0002\n0003\n", 15);
    containers_release(&list);
    zipped_release(&zip);
}
END_TEST

START_TEST(rows_of_a_workbook)
{
    struct zipped zip = {0};

    zipped_add_text(&zip, "xl/workbook.xml", "<workbook/>");
    zipped_add_text(&zip, "xl/worksheets/sheet2.xml", "<row><c t='s'><v>0</v></c></row>");
    zipped_add_text(&zip, "xl/worksheets/sheet1.xml",
                    "<sheetData><row r='1'><c r='A1' t='s'><v>1</v></c><c r='B1' s='2'><v>3.5</v></c>"
                    "<c t='inlineStr'><is><t>in line</t></is></c></row>"
                    "<row r='2'><c/><c t='e'><v>#REF!</v></c><c t='str'><f>A1&amp;B1</f><v>a &amp; b</v></c>"
                    "<c t='s'><v>99</v></c><c t='s'><v>4</v></c></row><row/></sheetData>");
    zipped_add_text(&zip, "xl/comments1.xml", "<comment><r><t>remark</t></r></comment>");
    zipped_add_text(
        &zip, "xl/sharedStrings.xml",
        "<sst><si><t>zero</t></si><si><r><t>o</t></r><r><t>ne</t></r><rPh><t>x</t></rPh></si><si/>"
        "<si><t>unused</t></si><si><t xml:space='preserve'> four</t></si></sst>");
    check_text(&zip, "one 3.5 in line\na & b four\nzero\nremark\nunused\n");
}
END_TEST

/* In spreadsheets, rows are lines; in texts, the paragraphs of cells. */
START_TEST(open_documents)
{
    static const char note[] =
        "<office:text><text:tracked-changes><text:changed-region><text:deletion><office:change-info>"
        "<dc:creator>X</dc:creator></office:change-info><text:p>deleted</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:h>Title</text:h><text:p>One<text:s/>tw<text:span>o</text:span><text:note><text:note-citation>1"
        "</text:note-citation><text:note-body><text:p>note</text:p></text:note-body></text:note> three"
        "<text:line-break/>four<text:tab/>five<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box>"
        "<svg:desc>picture</svg:desc></draw:frame>, six</text:p></office:text>";
    static const char table[] = "<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
                                "<table:table-cell><text:p>b</text:p><text:p>c</text:p></table:table-cell>"
                                "</table:table-row><table:table-row><text:p>d</text:p></table:table-row>";
    static const char margin[] = "<style:header><text:p>header</text:p></style:header>";
    struct zipped zip = {0};
    char xml[1000];

    zipped_add_text(&zip, "mimetype", "application/vnd.oasis.opendocument.text");
    zipped_add_text(&zip, "styles.xml", margin);
    zipped_add_text(&zip, "content.xml", note);
    check_text(&zip, "Title\nOne two three\nfour five, six\nheader\ndeleted\nnote\nbox\n");
    snprintf(xml, sizeof xml, "<office:text>%s</office:text>", table);
    check_part("content.xml", xml, "a\nb\nc\nd\n");
    snprintf(xml, sizeof xml, "<office:spreadsheet>%s</office:spreadsheet>", table);
    zipped_add_text(&zip, "content.xml", xml);
    zipped_add_text(&zip, "styles.xml", margin);
    check_text(&zip, "a b c\nd\n");
    check_part("content.xml",
               "<office:presentation><draw:frame><draw:text-box><text:p>slide</text:p></draw:text-box>"
               "</draw:frame><text:p>after it</text:p></office:presentation>",
               "slide\nafter it\n");
}
END_TEST

START_TEST(books_in_the_order_of_their_spine)
{
    struct zipped zip = {0};

    zipped_add_text(&zip, "mimetype", "application/epub+zip");
    zipped_add_text(&zip, "META-INF/container.xml", "<container/>");
    zipped_add_text(&zip, "OEBPS/a.xhtml", "<html><head><style>p{}</style></head><p>Chapter 2</html>");
    zipped_add_text(&zip, "OEBPS/nav.xhtml", "<html><p>contents</html>");
    zipped_add_text(&zip, "OEBPS/text/b c.xhtml", "<html><p>Chapter&nbsp;1</html>");
    zipped_add_text(&zip, "OEBPS/content.opf",
                    "<package><manifest><item id='n' href='nav.xhtml'/><item href='a.xhtml' id='two'/>"
                    "<opf:item id='one' href='text/b%20c.xhtml#x'/></manifest>"
                    "<spine><itemref idref='one'/><itemref idref='two'/><itemref idref='one'/>"
                    "<itemref idref='nothing'/></spine></package>");
    check_text(&zip, "Chapter 1\nChapter 2\n");
}
END_TEST

START_TEST(damaged_archives_as_far_as_they_go)
{
    static const char body[] = "<w:p><w:t>One</w:t></w:p><w:p><w:t>two</w:t></w:p>";
    struct zipped zip = {0};
    struct containers_list list;
    size_t len;

    zipped_add_text(&zip, "[Content_Types].xml", "<Types/>");
    zipped_add_text(&zip, "word/document.xml", body);
    len = zip.file.len - 10;
    zipped_end(&zip);
    list = containers_open(&document_format, zip.file.data, len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_ne(list.members[0].failure, "");
    ck_assert_uint_ge(list.members[0].data.len, 3);
    ck_assert_mem_eq(list.members[0].data.data, "One", 3);
    containers_release(&list);
    for (len = 0; len < zip.file.len; len++) {
        list = containers_open(&document_format, zip.file.data, len, false, NULL);
        containers_release(&list);
    }
    zipped_release(&zip);
}
END_TEST

START_TEST(encrypted_contents_are_reported)
{
    struct zipped zip = {0};
    struct containers_list list;

    zipped_add_text(&zip, "mimetype", "application/vnd.oasis.opendocument.text");
    zipped_add_text(&zip, "content.xml", "\x80random");
    zipped_end(&zip);
    list = containers_open(&document_format, zip.file.data, zip.file.len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.members[0].failure, "is encrypted, or not XML");
    containers_release(&list);
    zipped_release(&zip);
}
END_TEST

START_TEST(other_archives_have_no_text)
{
    struct zipped zip = {0};
    struct containers_list list;

    zipped_add_text(&zip, "readme.txt", "text");
    zipped_end(&zip);
    list = containers_open(&document_format, zip.file.data, zip.file.len, false, NULL);
    ck_assert(!list.matches);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_str_eq(list.failure, "");
    containers_release(&list);
    zipped_release(&zip);
}
END_TEST

RUN_TESTS("document", text_of_elements, parts_of_a_text_in_their_order, slides_in_their_order,
          many_slides_in_reverse, rows_of_a_workbook, open_documents, books_in_the_order_of_their_spine,
          damaged_archives_as_far_as_they_go, encrypted_contents_are_reported, other_archives_have_no_text)
