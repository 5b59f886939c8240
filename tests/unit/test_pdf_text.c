/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/pdf.h"
#include "container/pdf_lex.h"
#include "container/pdf_text.h"
#include "containers.h"

static struct buffer file;

static void add(const char *text)
{
    buffer_add_text(&file, text);
}

static void add_stream(unsigned number, const char *entries, const char *data)
{
    buffer_printf(&file, "%u 0 obj << /Length %zu %s >> stream\n%s\nendstream endobj\n", number, strlen(data),
                  entries, data);
}

/* A catalogue, the root of the pages, and fonts: 10, in which all characters are half as wide as high; 11,
 * with an encoding of its own; and 12, with codes of two bytes. */
static void begin(const char *kids)
{
    buffer_reset(&file);
    add("%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n");
    buffer_printf(
        &file,
        "2 0 obj << /Type /Pages /Kids [ %s ] /Resources << /Font << /F 10 0 R /G 11 0 R /H 12 0 R >> "
        "/XObject << /X 20 0 R /Y 21 0 R >> >> >> endobj\n",
        kids);
    add("10 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding /FirstChar 0 "
        "/Widths [");
    for (unsigned i = 0; i < 256; i++)
        add(" 500");
    add(" ] >> endobj\n");
    add("11 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding << /BaseEncoding "
        "/MacRomanEncoding "
        "/Differences [ 65 /f_f_i /Eacute 97 /uni03B103B2 /u1F600 /Lslash.alt /nothing /#62eta ] >> >> "
        "endobj\n");
    add("12 0 obj << /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 13 0 R /DescendantFonts [ "
        "<< /DW 500 "
        "/W [ 4 [ 1000 ] 10 20 250 ] >> ] >> endobj\n");
    add_stream(13, "",
               "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
               "2 beginbfchar <0001> <0048> <0003> <d83dde00> endbfchar\n"
               "3 beginbfrange <0010> <0014> <0061> <0020> <0021> [ <00660069> <0078> ] <0030> <0031> "
               "<00410030> endbfrange");
}

static void add_page(unsigned number, const char *contents)
{
    buffer_printf(&file, "%u 0 obj << /Type /Page /Parent 2 0 R /Contents %u 0 R >> endobj\n", number,
                  number + 100);
    add_stream(number + 100, "", contents);
}

/* Asserts that the text is this one. */
static void expect(const char *text)
{
    struct containers_list list;

    add("trailer << /Root 1 0 R >> %%EOF\n");
    ck_assert(!file.failed);
    list = containers_open(&pdf_text_format, file.data, file.len, false, NULL);
    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, text[0] != 0);
    if (list.count) {
        buffer_add_char(&list.members[0].data, 0);
        ck_assert_str_eq(list.members[0].data.data, text);
        ck_assert_str_eq(list.members[0].failure, "");
    }
    containers_release(&list);
}

static void expect_of_page(const char *contents, const char *text)
{
    begin("3 0 R");
    add_page(3, contents);
    expect(text);
}

/* As many digits as a double has are read exactly: as strtod(3) does. */
START_TEST(reads_numbers)
{
    static const char *const strange[] = {"-.", ".", "+5", "1.", "-.25", "0012.50", "1234567890123456"};

    for (int i = 0; i < 20000; i++) {
        char text[64];
        struct pdf_lex lex = {(const uint8_t *)text, NULL};
        struct pdf_lex_token token;

        if ((size_t)i < sizeof strange / sizeof *strange)
            snprintf(text, sizeof text, "%s", strange[i]);
        else
            snprintf(text, sizeof text, "%s%.*f", i % 3 ? "" : "-", (int)(random64() % 8),
                     (double)(random64() % 10000000) / (double)(1 + random64() % 1000));
        lex.end = lex.at + strlen(text);
        memcpy(text + strlen(text), i % 2 ? " 7" : "]", i % 2 ? 3 : 2);
        ck_assert_int_eq(pdf_lex_next(&lex, &token), PDF_LEX_NUMBER);
        ck_assert_ptr_eq(lex.at, lex.end);
        ck_assert_msg(token.number == strtod(text, NULL), "%s: %.17g", text, token.number);
    }
}
END_TEST

START_TEST(shows_strings)
{
    expect_of_page("BT /F 10 Tf 50 700 Td (plain) Tj ET", "plain\n");
    expect_of_page("BT /F 10 Tf 50 700 Td (a\\(b\\)\\143\\\nd) Tj <65 6 6> Tj ET", "a(b)cdef\n");
    expect_of_page("BT /F 10 Tf 50 700 Td <4> Tj ET", "@\n");
    expect_of_page("BT /F 10 Tf 12 TL 50 700 Td (one) Tj T* (two) Tj (three) ' 0 0 (four) \" ET",
                   "one two three four\n");
    expect_of_page("BT /F 10 Tf 1 0 0 1 50 700 Tm [ (T) 50 (ex) -90 (t) -200 (is) ] TJ ET", "Text is\n");
    expect_of_page("BT /F 10 Tf 50 700 TD (one) Tj 0 -12 TD (two) Tj T* (three) Tj ET", "one two three\n");
    expect_of_page("(no font) Tj BT /Z 10 Tf (nor here) Tj ET", "");
    expect_of_page("", "");
}
END_TEST

START_TEST(knows_encodings)
{
    expect_of_page("BT /F 10 Tf (\\200 \\344\\225\\223x\\224 \\222) Tj ET",
                   "\xe2\x82\xac \xc3\xa4\xe2\x80\xa2\xe2\x80\x9cx\xe2\x80\x9d "
                   "\xe2\x80\x99\n");
    expect_of_page("BT /G 10 Tf (AB) Tj (abcde) Tj (\\212\\245) Tj ET",
                   "ffi\xc3\x89\xce\xb1\xce\xb2\xf0\x9f\x98\x80\xc5\x81 \xce\xb2\xc3\xa4\xe2\x80\xa2\n");
    expect_of_page("BT /H 10 Tf <000100030010001100140020002100300031> Tj ET", "H\xf0\x9f\x98\x80"
                                                                               "abefixA0A1\n");
    expect_of_page("BT /H 10 Tf <000200010099> Tj ET", "H\n");
}
END_TEST

START_TEST(knows_composite_fonts)
{
    begin("3 0 R");
    add_page(3, "BT /A 10 Tf <41814241> Tj /B 10 Tf <00e4> Tj /C 10 Tf (xy) Tj 55 0 Td (z) Tj ET");
    add("3 0 obj << /Type /Page /Contents 103 0 R /Resources << /Font << /A 30 0 R /B 31 0 R /C 32 0 R >> >> "
        ">> "
        "endobj\n");
    add("30 0 obj << /Subtype /Type0 /ToUnicode 33 0 R /DescendantFonts [ << >> ] >> endobj\n");
    add("31 0 obj << /Subtype /Type0 /Encoding /UniJIS-UCS2-H /DescendantFonts [ << >> ] >> endobj\n");
    add("32 0 obj << /Subtype /Type1 /Encoding /WinAnsiEncoding /Widths [ 9 ] /FontDescriptor << "
        "/MissingWidth 700 >> "
        ">> endobj\n");
    add_stream(33, "",
               "2 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange\n"
               "2 beginbfrange <41> <42> <0061> <8140> <8150> <03b1> endbfrange");
    expect("a\xce\xb3"
           "a\xc3\xa4xyz\n");
}
END_TEST

/* A character of font F is 5 units wide at size 10, a gap of 1.5 is a space. */
START_TEST(decides_spaces_by_gaps)
{
    expect_of_page("BT /F 10 Tf 0 0 Td (ab) Tj 11 0 Td (c) Tj ET", "abc\n");
    expect_of_page("BT /F 10 Tf 0 0 Td (ab) Tj 12 0 Td (c) Tj ET", "ab c\n");
    expect_of_page("BT /F 10 Tf 0 0 Td (a b) Tj 15 0 Td (c) Tj ET", "a bc\n");
    expect_of_page("BT /F 10 Tf 2 Tc (spaced) Tj ET", "s p a c e d\n");
    expect_of_page("BT /F 10 Tf 1 Tc (spaced) Tj ET", "spaced\n");
    expect_of_page("BT /F 10 Tf 50 Tz (ab) Tj 5 0 Td (c) Tj ET", "abc\n");
    expect_of_page("BT /H 10 Tf <00100004> Tj 15 0 Td <0011> Tj ET", "a b\n");
    expect_of_page("BT /H 10 Tf <0010> Tj 2.5 0 Td <0011> Tj 2.5 0 Td <0012> Tj ET", "abc\n");
    /* Superscripts, whatever unit the page has, and however it is turned. */
    expect_of_page("BT /F 10 Tf (ab) Tj 3 Ts (2) Tj ET", "ab2\n");
    expect_of_page("0.1 0 0 0.1 0 0 cm BT /F 100 Tf (ab) Tj 120 0 Td (c) Tj ET", "ab c\n");
    expect_of_page("0 1 -1 0 0 0 cm BT /F 10 Tf (ab) Tj 10 0 Td (c) Tj 0 -12 Td (d) Tj ET", "abc d\n");
    expect_of_page("-1 0 0 -1 0 0 cm BT /F 10 Tf (ab) Tj 12 0 Td (c) Tj ET", "ab c\n");
    expect_of_page("0 -1 1 0 0 0 cm BT /F 10 Tf (ab) Tj 12 0 Td (c) Tj ET", "ab c\n");
    expect_of_page("q 2 0 0 2 0 0 cm BT /F 10 Tf (ab) Tj 12 0 Td (c) Tj ET Q BT 34 0 Td /F 20 Tf (d) Tj ET",
                   "ab cd\n");
}
END_TEST

START_TEST(divides_paragraphs)
{
    /* By leading, indentation, size of the font, an early end, a bullet. */
    expect_of_page("BT /F 10 Tf 12 TL 50 700 Td (One) Tj T* (two.) Tj 0 -20 Td (Three) Tj ET",
                   "One two.\nThree\n");
    expect_of_page("BT /F 10 Tf 12 TL 50 700 Td (One) Tj T* (two.) Tj T* (three.) Tj 10 -12 Td (Four) Tj -10 "
                   "-12 Td (five) Tj ET",
                   "One two. three.\nFour five\n");
    expect_of_page("BT /F 20 Tf 50 700 Td (Heading) Tj 0 -24 Td /F 10 Tf (Text) Tj ET", "Heading\nText\n");
    expect_of_page(
        "BT /F 10 Tf 50 700 Td 12 TL (A line that is long) Tj T* (ends early.) Tj T* (Another one) Tj ET",
        "A line that is long ends early.\nAnother one\n");
    expect_of_page("BT /F 10 Tf 50 700 Td 12 TL (List) Tj T* (\\225 one) Tj T* (\\225 two) Tj ET",
                   "List\n\xe2\x80\xa2 one\n\xe2\x80\xa2 two\n");
    /* In another column, a sentence may go on. */
    expect_of_page("BT /F 10 Tf 50 100 Td (The first) Tj 200 600 Td (goes on.) Tj -200 0 Td (End) Tj ET",
                   "The first goes on.\nEnd\n");
}
END_TEST

START_TEST(joins_divided_words)
{
    expect_of_page("BT /F 10 Tf 50 700 Td 12 TL (exam-) Tj T* (ple) Tj ET", "example\n");
    expect_of_page("BT /F 10 Tf 50 700 Td 12 TL (exam-) Tj T* (Ple) Tj ET", "exam- Ple\n");
    expect_of_page("BT /F 10 Tf 50 700 Td 12 TL (exam-ple -) Tj T* (a -) Tj ET", "exam-ple - a -\n");
    expect_of_page("BT /F 10 Tf 50 700 Td 12 TL (exam\\255) Tj T* (ple-) Tj ET", "example-\n");
    expect_of_page("BT /F 10 Tf 50 700 Td 12 TL (1-) Tj T* (a) Tj ET", "1- a\n");
}
END_TEST

START_TEST(goes_through_forms)
{
    begin("3 0 R");
    add_page(3, "BT /F 10 Tf 0 100 Td (before) Tj ET /X Do /X Do BT 0 60 Td (after) Tj ET /Z Do");
    /* Forms that use themselves and each other, restore too much, and have resources of their own or not. */
    add_stream(20, "/Subtype /Form /Matrix [ 1 0 0 1 0 88 ]", "Q Q BT /F 10 Tf (form) Tj ET /X Do /Y Do");
    add_stream(21, "/Subtype /Form /Resources << /Font << /A 10 0 R >> /XObject << /B 20 0 R >> >>",
               "q q BT /A 10 Tf 0 -12 Td (inner) Tj ET /B Do");
    expect("before form inner form inner\nafter\n");
}
END_TEST

START_TEST(skips_inline_images)
{
    expect_of_page("BT /F 10 Tf (a) Tj ET BI /W 2 /H 2 /F /AHx ID (Tj) ET \n(not EI text) Tj EInot EI BT 5 0 "
                   "Td (b) Tj ET",
                   "ab\n");
}
END_TEST

START_TEST(reads_pages_in_their_order)
{
    begin("5 0 R 6 0 R 3 0 R 5 0 R 99 0 R");
    add_page(3, "BT /F 10 Tf 0 700 Td (Third.) Tj ET");
    add("4 0 obj << /Type /Page /Contents [ 114 0 R 115 0 R 116 0 R ] /Resources << /Font << /Q 10 0 R >> >> "
        ">> endobj\n");
    add_stream(114, "", "BT /Q 10 Tf 0 700 Td (an");
    add_stream(115, "", "other.");
    add_stream(116, "", ") Tj ET");
    add_page(5, "BT /F 10 Tf 0 700 Td (The first goes) Tj ET");
    add("6 0 obj << /Type /Pages /Kids [ 6 0 R 4 0 R 2 0 R ] >> endobj\n");
    add("7 0 obj << /Type /Page /Contents 107 0 R /Resources << /Font << /F 10 0 R >> >> >> endobj\n");
    add_stream(107, "", "BT /F 10 Tf 0 700 Td (Lost.) Tj ET");
    add("trailer << /Root 1 0 R >> %%EOF\n");
    struct containers_list list = containers_open(&pdf_text_format, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    buffer_add_char(&list.members[0].data, 0);
    /* A page is missing, so those to which nothing leads are read, too. */
    ck_assert_str_eq(list.members[0].data.data, "The first goes an other.\nThird.\nLost.\n");
    ck_assert_str_eq(list.members[0].failure, "is damaged");
    containers_release(&list);
}
END_TEST

START_TEST(reads_pages_without_a_tree)
{
    struct containers_list list;

    begin("");
    file.len = 9; /* only fonts are left */
    add("10 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> endobj\n");
    add("3 0 obj << /Type /Page /Contents 103 0 R /Resources << /Font << /F 10 0 R >> >> >> endobj\n");
    add_stream(103, "", "BT /F 10 Tf 0 700 Td (old version) Tj ET");
    add_stream(103, "", "BT /F 10 Tf 0 700 Td (New version) Tj ET");
    add("4 0 obj << /Type /Page /Contents 104 0 R /Resources << /Font << /F 10 0 R >> >> >> endobj\n");
    add_stream(104, "", "BT /F 10 Tf 0 700 Td (Another page) Tj ET");
    list = containers_open(&pdf_text_format, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    buffer_add_char(&list.members[0].data, 0);
    ck_assert_str_eq(list.members[0].data.data, "New version\nAnother page\n");
    ck_assert_str_eq(list.members[0].failure, "is cut off");
    containers_release(&list);
}
END_TEST

START_TEST(reports_encryption)
{
    struct containers_list list;

    begin("3 0 R");
    add("trailer << /Encrypt 9 0 R >> %%EOF");
    list = containers_open(&pdf_text_format, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.members[0].problem, "it is encrypted");
    containers_release(&list);
}
END_TEST

/* Forms that each use another one 50 times, which would take for ever. */
static void explode(bool shows_text)
{
    struct containers_list list;

    begin("3 0 R");
    add_page(3, "/X Do");
    for (unsigned i = 0; i < 11; i++) {
        char entries[100], data[400] = "BT /F 10 Tf (text) Tj ET";

        snprintf(entries, sizeof entries, "/Subtype /Form /Resources << %s /XObject << /N %u 0 R >> >>",
                 shows_text ? "/Font << /F 10 0 R >>" : "", 21 + i);
        for (unsigned j = 0; j < 50; j++)
            strcat(data, " /N Do");
        add_stream(20 + i, entries, data);
    }
    add("%%EOF\n");
    list = containers_open(&pdf_text_format, file.data, file.len, false, NULL);
    if (shows_text)
        ck_assert_str_eq(list.members[0].failure, "takes too much work to read");
    else
        ck_assert_str_eq(list.failure, "takes too much work to read");
    ck_assert_uint_eq(list.count, shows_text);
    containers_release(&list);
}

START_TEST(survives_bombs)
{
    explode(false);
    explode(true);
}
END_TEST

/* Pages that programs made (tests/data/containers/pdf.sh), whose text is known, and digests of whose streams
 * are those of qpdf. */
START_TEST(reads_files_of_programs)
{
    static const char office[] = "The office accepted the efficient offer of the first fifth of November.";
    static const char letters[] = "Stra\xc3\x9f"
                                  "e, \xc5\x93uvre, \xc5\x81\xc3\xb3\x64\xc5\xba, na\xc3\xafve, "
                                  "\xce\xa9\xce\xbc\xce\xad\xce\xb3\xce\xb1 and "
                                  "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 are words, too, in a "
                                  "paragraph of more than one line.\n";
    static const char words[] =
        "A second paragraph is long enough to be hyphenated: internationalization, characteristically, "
        "incomprehensibility, straightforwardness, and misunderstandings fill the lines of this paragraph "
        "until some of "
        "these words are divided at the end of a line.\n";
    static const struct {
        const char *name, *with;
    } files[] = {{"cairo", ""},
                 {"chromium", letters},
                 {"encrypted-40", words},
                 {"encrypted-128", words},
                 {"encrypted-256", words},
                 {"encrypted-aes", words},
                 {"encrypted-draft", words},
                 {"ghostscript", words},
                 {"libreoffice", letters},
                 {"qpdf", words}};
    const char *source = getenv("SRCDIR");

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[500];
        size_t len;
        uint8_t *data;
        struct containers_list list;

        snprintf(path, sizeof path, "%s/tests/data/containers/pdf/%s.pdf", source ? source : ".",
                 files[i].name);
        data = containers_load(path, &len);
        list = containers_open(&pdf_text_format, data, len, false, NULL);
        ck_assert_uint_eq(list.count, 1);
        buffer_add_char(&list.members[0].data, 0);
        ck_assert_msg(strstr(list.members[0].data.data, office) &&
                          strstr(list.members[0].data.data, files[i].with),
                      "%s: %s", files[i].name, list.members[0].data.data);
        containers_release(&list);
        free(data);
    }
}
END_TEST

RUN_TESTS("pdf_text", reads_numbers, shows_strings, knows_encodings, knows_composite_fonts,
          decides_spaces_by_gaps, divides_paragraphs, joins_divided_words, goes_through_forms,
          skips_inline_images, reads_pages_in_their_order, reads_pages_without_a_tree, reports_encryption,
          survives_bombs, reads_files_of_programs)
