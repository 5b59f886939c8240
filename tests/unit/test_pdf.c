/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/pdf.h"
#include "container/pdf_objects.h"
#include "containers.h"

static const char fox[] =
    "The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. ";

/* Python's zlib.compress of the text, in hexadecimal. */
static const char packed_fox[] =
    "78da0bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456"
    "552aa4e4a7eb298490a21800cf20204f>";

static struct buffer file;

static void begin(const char *header)
{
    buffer_reset(&file);
    buffer_add_text(&file, header);
}

static void add(const char *text)
{
    buffer_add_text(&file, text);
}

static void add_stream(unsigned number, const char *entries, const char *data, size_t len)
{
    buffer_printf(&file, "%u 0 obj\n<< /Length %zu %s >>\nstream\n", number, len, entries);
    buffer_add(&file, data, len);
    add("\nendstream\nendobj\n");
}

static void finish(void)
{
    add("trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n");
}

static struct containers_list open_file(bool is_carved)
{
    ck_assert(!file.failed);
    return containers_open(&pdf_format, file.data, file.len, is_carved, NULL);
}

/* A stream by its number, whatever its kind. */
static struct containers_member *find_stream(struct containers_list *list, const char *number)
{
    static const char *const kinds[] = {"", ".font", ".cmap", ".icc", ".xref"};
    struct containers_member *found = NULL;
    char name[40];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !found; i++) {
        snprintf(name, sizeof name, "%s%s", number, kinds[i]);
        found = containers_find(list, name);
    }
    return found;
}

/* Asserts that there is a member of this name and content. */
static void expect(struct containers_list *list, const char *name, const char *data, size_t len)
{
    struct containers_member *member = find_stream(list, name);

    ck_assert_msg(member != NULL, "no member %s", name);
    ck_assert_str_eq(member->problem, "");
    ck_assert_msg(member->data.len == len && memcmp(member->data.data, data, len) == 0, "%s: %.*s", name,
                  (int)member->data.len, member->data.data);
}

static const char rows_png[] =
    "78da6308c94855282ccd4cce56604c2ae265fdbff287bfd046260ee67f3f591938d9df0631bfb652fabc594b8a536c158bcbefff"
    "2719"
    "d4d87f2e0f6400eb482aca2fcf63544803eaf814cafc9b8d09ac63dbffdf5fd732c768017548a8321eb90b0009042542>";
static const char rows_tiff8[] =
    "78da0bc910dcc113fae31dd3dea4225ed6ff2b7ff80b6dcc2a65fecdb6e14fd8b73f0a251e1f77b03bf2492c4bc967debf53cd03"
    "a8b8"
    "3413a8f87b1050b1421a50f1a750a062857ca0e2dd4c40c5398940c5affd818a0137ad28c0>";
static const char rows_tiff16[] =
    "78da015a00a5ff546810b80c55f7ee01bd62720d05fea9f84f11b16a7502fb05b0fc56f5fc207447f1b807410e17a6646f02bfb9"
    "2648"
    "11b80c7569ee02bcf7520d04ff20664f12b0f25503fb06206f55f6fbbb0248f0b86c610e18a5eb4f03beb9342528ad>";
static const char rows_tiff4[] =
    "78da8b577a7faf2a4ff8ae695d4eb467c30fbf04cec67529f7c457d6fccbece7d7d6ab054aa7ad"
    "4ebe342f4fb3708f5f3c48711d5cb11e5cb11e48311faa62008b022a0b>";
static const char lzw_fox[] =
    "80150d065101c4ea69319ac4062391bcee6e10198de78101a8ea6d381cc406f3b194e4203a40c406c3"
    "09e8f220321bcce2e1040a09068442a190e8844a29168c46a391e9048a4926944aa59010>";
static const char fox85[] =
    "<+ohcEHPu*CER),Dg-(AAoDo:C3=B4F!,CEATAo8BOr<&@=!2AA8c*5+B3#c+E;O<@r!2rEc6/>+D,P:+DQ%9E-!.?G%G\\:FD,"
    "5.CghX8+CoD'/g(~>";

/* What Python encoded by the definitions of the filters and predictors. */
START_TEST(decodes_every_filter)
{
    static const struct {
        const char *entries, *data;
    } streams[] = {
        {"", fox},
        {"/Filter /ASCII85Decode", fox85},
        {"/Filter [/A85]", fox85},
        {"/Filter [/ASCIIHexDecode /FlateDecode]", packed_fox},
        {"/Filter [/AHx /Fl] /DecodeParms [null << /Predictor 1 >>]", packed_fox},
        {"/Filter [/ASCIIHexDecode /LZWDecode]", lzw_fox},
        {"/Filter [/AHx /Fl] /DecodeParms [null << /Predictor 15 /Colors 2 /Columns 5 >>]", rows_png},
        {"/Filter [/AHx /Fl] /DP [null << /Predictor 2 /Colors 2 /Columns 5 >>]", rows_tiff8},
        {"/Filter [/AHx /Fl] /DecodeParms [null << /Predictor 2 /BitsPerComponent 16 /Columns 5 >>]",
         rows_tiff16},
        {"/Filter [/AHx /Fl] /DecodeParms [null << /Predictor 2 /BitsPerComponent 4 /Columns 20 >>]",
         rows_tiff4},
        {"/Filter 99 0 R /DecodeParms 98 0 R", packed_fox},
        {"/Fi#6cter /ASCII#38#35Decode", fox85},
    };
    struct containers_list list;

    begin("%PDF-1.7\n97 0 obj 5 endobj 98 0 obj [null null] endobj\n");
    for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++)
        add_stream(10 + i, streams[i].entries, streams[i].data, strlen(streams[i].data));
    add("99 0 obj [/AHx /Fl] endobj\n");
    finish();
    list = open_file(false);
    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, sizeof streams / sizeof *streams);
    ck_assert_uint_eq(list.end, file.len);
    for (unsigned i = 0; i < list.count; i++) {
        char name[20];

        snprintf(name, sizeof name, "%u-0", 10 + i);
        expect(&list, name, fox, strlen(fox));
        ck_assert_str_eq(list.members[i].failure, "");
        if (i > 0)
            ck_assert_uint_eq(list.members[i].place, CONTAINER_UNKNOWN);
    }
    ck_assert_mem_eq(file.data + list.members[0].place, fox, strlen(fox));
    containers_release(&list);
}
END_TEST

START_TEST(decodes_runs_and_zeros)
{
    static const char runs[] = "\x02"
                               "abc\xffz\x81y\x00x\x80rest";
    char expected[4 + 2 + 128 + 1];
    struct containers_list list;

    memcpy(expected, "abczz", 5);
    memset(expected + 5, 'y', 128);
    expected[133] = 'x';
    begin("%PDF-1.7\n");
    add_stream(1, "/Filter /RunLengthDecode", runs, sizeof runs - 1);
    add_stream(2, "/Filter /ASCII85Decode", "z @:\nE^~>@@@@", 13);
    add_stream(3, "/Filter /ASCIIHexDecode", "61 62\n6>63", 10);
    finish();
    list = open_file(false);
    expect(&list, "1-0", expected, 134);
    expect(&list, "2-0", "\0\0\0\0abc", 7);
    expect(&list, "3-0", "ab`", 3);
    containers_release(&list);
}
END_TEST

/* The content does not depend on how much is asked for at a time. */
START_TEST(reads_in_any_pieces)
{
    static const size_t pieces[] = {1, 2, 3, 7, 100, CONTAINER_PIECE};

    begin("%PDF-1.7\n");
    add_stream(1, "/Filter [/AHx /Fl] /DecodeParms [null << /Predictor 15 /Colors 2 /Columns 5 >>]", rows_png,
               strlen(rows_png));
    add_stream(2, "/Filter /A85", fox85, strlen(fox85));
    add_stream(3, "/Filter [/AHx /LZW]", lzw_fox, strlen(lzw_fox));
    finish();
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const struct containers_limits limits = {.piece = pieces[i]};
        struct containers_list list = containers_open(&pdf_format, file.data, file.len, false, &limits);

        expect(&list, "1-0", fox, strlen(fox));
        expect(&list, "2-0", fox, strlen(fox));
        expect(&list, "3-0", fox, strlen(fox));
        containers_release(&list);
    }
}
END_TEST

/* Codes of single bytes only, whose width grows all the same; `early` as in the parameter. */
static void encode_lzw(struct buffer *out, const char *text, size_t len, unsigned early)
{
    uint32_t bits = 0;
    unsigned bit_count = 0, width = 9;

    for (size_t i = 0; i < len + 2; i++) {
        const unsigned code = i == 0 ? 256 : i <= len ? (uint8_t)text[i - 1] : 257;

        /* The decoder has an entry for each code but the first two. */
        if (i > 2 && 258 + i - 2 + early >= 1u << width && width < 12)
            width++;
        bits = bits << width | code;
        for (bit_count += width; bit_count >= 8; bit_count -= 8)
            buffer_add_char(out, (char)(bits >> (bit_count - 8)));
    }
    buffer_add_char(out, (char)(bits << (8 - bit_count)));
}

START_TEST(follows_the_width_of_lzw_codes)
{
    char text[2000];
    struct buffer early = {0}, late = {0};
    struct containers_list list;

    fill_text((uint8_t *)text, sizeof text);
    encode_lzw(&early, text, sizeof text, 1);
    encode_lzw(&late, text, sizeof text, 0);
    begin("%PDF-1.7\n");
    add_stream(1, "/Filter /LZWDecode", early.data, early.len);
    add_stream(2, "/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>", late.data, late.len);
    finish();
    list = open_file(false);
    expect(&list, "1-0", text, sizeof text);
    expect(&list, "2-0", text, sizeof text);
    containers_release(&list);
    buffer_release(&early);
    buffer_release(&late);
}
END_TEST

/* "endstream" in the data ends it only if the length is wrong. */
START_TEST(finds_where_streams_end)
{
    static const char data[] = "one\nendstream\nendobj\n7 0 obj\n<<>>\nstream\ntwo";
    struct containers_list list;

    begin("%PDF-1.7\n");
    add_stream(1, "", data, sizeof data - 1);
    add("2 0 obj << /Length 999999 >> stream\r\nwrong\r\nendstream endobj\n");
    add("3 0 obj << /Length 2 >> stream\nshort\nendstream endobj\n");
    add("4 0 obj << >> stream\nnone\nendobj\n");
    buffer_printf(&file, "5 0 obj << /Length 6 0 R >> stream\n%s\nendstream endobj 6 0 obj %zu endobj\n", "a",
                  (size_t)1);
    buffer_printf(&file, "8 0 obj << /Length 9 0 R >>\nstream\na\n\nendstream\nendobj\n9 0 obj\n2\nendobj\n");
    add("10 0 obj << /Length 0 >> stream\nendstream endobj\n");
    add("11 0 obj << /Length 1e999 >> stream\nlarge\nendstream endobj\n");
    add("12 0 obj << /Length -1 >> stream\nminus\nendstream endobj\n");
    buffer_printf(&file, "15 0 obj << /Length 16 0 R >> stream\n%s\nendstream endobj 16 0 obj %zu endobj\n",
                  "a\nendstream\nb", (size_t)13);
    add("13 0 obj << /Length 14 0 R /Filter 14 0 R >> stream\nempty\nendstream endobj 14 0 obj endobj\n");
    finish();
    list = open_file(false);
    expect(&list, "1-0", data, sizeof data - 1);
    expect(&list, "2-0", "wrong", 5);
    expect(&list, "3-0", "short", 5);
    expect(&list, "4-0", "none", 4);
    expect(&list, "5-0", "a", 1);
    expect(&list, "8-0", "a\n", 2);
    expect(&list, "11-0", "large", 5);
    expect(&list, "12-0", "minus", 5);
    expect(&list, "15-0", "a\nendstream\nb", 13);
    expect(&list, "13-0", "empty", 5);
    ck_assert_uint_eq(list.count, 10);
    containers_release(&list);
}
END_TEST

START_TEST(yields_all_versions_and_pictures)
{
    struct containers_list list;

    begin("rubbish before it %PDF-1.4\n");
    add_stream(3, "", "first", 5);
    add_stream(4, "/Filter /DCTDecode", "\xff\xd8\xff", 3);
    add_stream(5, "/Filter [/AHx /JPX]", "6a70>", 5);
    add_stream(6, "/Filter /JBIG2Decode", "jb", 2);
    add_stream(7, "/Filter /CCITTFaxDecode", "fax", 3);
    finish();
    add_stream(3, "", "second", 6);
    add("3 5 obj <<>> stream\nthird\nendstream endobj\n");
    finish();
    list = open_file(false);
    ck_assert_uint_eq(list.count, 7);
    expect(&list, "3-0", "first", 5);
    ck_assert_mem_eq(list.members[5].name.data, "3-0", 3);
    ck_assert_mem_eq(list.members[5].data.data, "second", 6);
    expect(&list, "3-5", "third", 5);
    expect(&list, "4-0.jpg", "\xff\xd8\xff", 3);
    expect(&list, "5-0.jp2", "jp", 2);
    expect(&list, "6-0.jb2", "jb", 2);
    expect(&list, "7-0.fax", "fax", 3);
    containers_release(&list);
}
END_TEST

START_TEST(gives_embedded_files_their_names)
{
    static const char holder[] = "20 0 21 43 << /UF (in a stream) /EF << /F 14 0 R>> >> (an object)";
    char entries[60];
    struct containers_list list;

    begin("%PDF-1.7\n");
    add("1 0 obj << /Type /Filespec /F (plain\\051 \\(name) /EF << /F 10 0 R >> >> endobj\n");
    add("2 0 obj [ << /FS << /F (old) /UF <feff00e4d83ddcc4002f002e002e> /EF << /UF 11 0 R /F 11 0 R >> >> "
        ">> ] endobj\n");
    add("3 0 obj << /F 4 0 R /EF 5 0 R >> endobj 4 0 obj (..\\000/\xff) endobj 5 0 obj << /F 12 0 R >> "
        "endobj\n");
    add("6 0 obj << /F (page) /EF << /F 13 0 R >> >> endobj\n");
    add_stream(10, "/Type /EmbeddedFile", "a", 1);
    add_stream(11, "", "b", 1);
    add_stream(12, "/Type/EmbeddedFile", "c", 1);
    add_stream(13, "/Type /XObject", "d", 1);
    add_stream(14, "", "e", 1);
    snprintf(entries, sizeof entries, "/Type /ObjStm /N 2 /First %d", 11);
    add_stream(15, entries, holder, sizeof holder - 1);
    finish();
    list = open_file(false);
    ck_assert_uint_eq(list.count, 6);
    expect(&list, "plain) (name", "a", 1);
    expect(&list, "\xc3\xa4\xf0\x9f\x93\x84/..", "b", 1);
    ck_assert_uint_eq(list.members[2].name.len, 5);
    ck_assert_mem_eq(list.members[2].name.data, "..\0/\xff", 5);
    expect(&list, "13-0", "d", 1);
    expect(&list, "in a stream", "e", 1);
    expect(&list, "15-0", holder, sizeof holder - 1);
    containers_release(&list);
}
END_TEST

/* A source file that mentions the header of a PDF is no damaged PDF. */
START_TEST(takes_no_text_for_a_damaged_file)
{
    struct containers_list list;

    begin("static const char header[] = \"%PDF-\";\n");
    list = open_file(false);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_str_eq(list.failure, "");
    containers_release(&list);
    begin("%PDF-1.7\n");
    list = open_file(false);
    ck_assert_str_eq(list.failure, "has no objects");
    containers_release(&list);
}
END_TEST

START_TEST(names_what_belongs_to_the_looks)
{
    static const char map[] = "/CIDInit /ProcSet findresource begin";
    struct containers_list list;

    begin("%PDF-1.7\n");
    add_stream(1, "/Length1 3", "abc", 3);
    add_stream(2, "/Subtype /Type1C", "abc", 3);
    add_stream(3, "", map, sizeof map - 1);
    add_stream(4, "/N 3 /Alternate /DeviceRGB", "abc", 3);
    add_stream(5, "", "BT (/CIDInit) Tj ET", 19);
    add_stream(6, "/Type /Metadata", map, sizeof map - 1);
    finish();
    list = open_file(false);
    ck_assert_uint_eq(list.count, 6);
    ck_assert_ptr_nonnull(containers_find(&list, "1-0.font"));
    ck_assert_ptr_nonnull(containers_find(&list, "2-0.font"));
    ck_assert_ptr_nonnull(containers_find(&list, "3-0.cmap"));
    ck_assert_ptr_nonnull(containers_find(&list, "4-0.icc"));
    ck_assert_ptr_nonnull(containers_find(&list, "5-0"));
    ck_assert_ptr_nonnull(containers_find(&list, "6-0"));
    expect(&list, "3-0", map, sizeof map - 1);
    expect(&list, "5-0", "BT (/CIDInit) Tj ET", 19);
    containers_release(&list);
}
END_TEST

START_TEST(reports_what_it_cannot_read)
{
    struct containers_list list;

    begin("%PDF-1.7\n");
    add_stream(1, "/Filter /Mystery", "a", 1);
    add_stream(2, "/Filter [/DCTDecode /FlateDecode]", "a", 1);
    add_stream(3, "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 99999999 >>", "a", 1);
    add_stream(4, "/Filter [/AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx /AHx]",
               "a", 1);
    add_stream(5, "/Filter [/AHx /Fl]", packed_fox, 40);
    add_stream(6, "/Filter [/AHx /Fl]", "ffffff", 6);
    finish();
    list = open_file(false);
    ck_assert_uint_eq(list.count, 6);
    ck_assert_str_eq(list.members[0].problem, "it has an unknown filter");
    ck_assert_str_eq(list.members[1].problem, "it has filters after that of a picture");
    ck_assert_str_eq(list.members[2].problem, "the parameters of its predictor are malformed");
    ck_assert_str_eq(list.members[3].problem, "it has too many filters");
    ck_assert_str_eq(list.members[4].failure, "is cut off");
    ck_assert_uint_gt(list.members[4].data.len, 0);
    ck_assert_mem_eq(list.members[4].data.data, fox, list.members[4].data.len);
    ck_assert_str_eq(list.members[5].failure, "is damaged");
    containers_release(&list);

    begin("%PDF-1.7\n");
    add_stream(1, "", "secret", 6);
    add_stream(2, "/Type /XRef", "table", 5);
    add("trailer << /Encrypt 9 0 R >> %%EOF\n");
    list = open_file(false);
    ck_assert_str_eq(list.members[0].problem, "it is encrypted");
    expect(&list, "2-0", "table", 5);
    containers_release(&list);
}
END_TEST

/* Cut off anywhere, all streams that are whole by then are yielded, and that it is cut off is reported. */
START_TEST(reads_what_is_left_of_a_file)
{
    size_t ends[2];
    struct containers_list list;

    begin("%PDF-1.7\n");
    add_stream(1, "/Filter [/AHx /Fl]", packed_fox, strlen(packed_fox));
    ends[0] = file.len;
    add_stream(2, "", fox, strlen(fox));
    ends[1] = file.len;
    finish();
    for (size_t len = 0; len < file.len - 1; len++) {
        list = containers_open(&pdf_format, file.data, len, len % 2 != 0, NULL);
        for (size_t i = 0; i < 2; i++)
            if (len >= ends[i])
                expect(&list, i ? "2-0" : "1-0", fox, strlen(fox));
        ck_assert_str_eq(list.failure, len < 5 ? "" : len < 16 ? "has no objects" : "is cut off");
        containers_release(&list);
    }
    /* What comes before it is missing, too. */
    list = containers_open(&pdf_format, file.data + 30, file.len - 30, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    expect(&list, "2-0", fox, strlen(fox));
    containers_release(&list);
}
END_TEST

/* Damage to any byte affects at most the stream that it lies in and the next one. */
START_TEST(reads_around_damage)
{
    begin("%PDF-1.7\n");
    for (unsigned i = 0; i < 4; i++)
        add_stream(i, "/Filter [/AHx /Fl]", packed_fox, strlen(packed_fox));
    finish();
    for (size_t at = 9; at < file.len; at++) {
        const char was = file.data[at];
        size_t right = 0;
        struct containers_list list;

        file.data[at] = '(';
        list = open_file(false);
        for (size_t i = 0; i < list.count; i++)
            right += list.members[i].data.len == strlen(fox) &&
                     memcmp(list.members[i].data.data, fox, strlen(fox)) == 0;
        ck_assert_msg(right >= 2, "%zu right with damage at %zu", right, at);
        containers_release(&list);
        file.data[at] = was;
    }
}
END_TEST

/* In free space, a file ends with its last mark, and other files follow. */
START_TEST(finds_the_end_of_a_carved_file)
{
    struct containers_list list;
    size_t end;

    begin("%PDF-1.7\n");
    add_stream(1, "", "one", 3);
    finish();
    add_stream(2, "", "an update", 9);
    finish();
    end = file.len;
    while (file.len % 512 != 0)
        buffer_add_char(&file, 0);
    add("%PDF-1.7\n");
    add_stream(3, "", "another file", 12);
    finish();
    list = open_file(true);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.end, end);
    containers_release(&list);
    list = open_file(false);
    ck_assert_uint_eq(list.count, 3);
    containers_release(&list);

    /* Without the mark, it ends where another one begins. */
    memset(file.data + end - 6, 'x', 5);
    list = open_file(true);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.failure, "is cut off");
    ck_assert_uint_lt(list.end, end);
    containers_release(&list);
    /* And at the start of free space, nothing else is one. */
    list = containers_open(&pdf_format, file.data + 1, file.len - 1, true, NULL);
    ck_assert(!list.matches);
    containers_release(&list);
}
END_TEST

/* What would take long, or much memory, or a deep stack, if it were not prevented. */
START_TEST(survives_bombs)
{
    static const char *const parts[] = {"[",
                                        "<<",
                                        "1 0 obj [",
                                        "1 0 obj (",
                                        "(",
                                        "1 0 obj<<>>stream\n",
                                        "9 9 ",
                                        "trailer<<",
                                        "%PDF-",
                                        "%%EOF ",
                                        "1 0 obj 2 0 R endobj "};
    struct containers_list list;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        begin("%PDF-1.7\n1 0 obj\n");
        while (file.len < 1200000)
            add(parts[i]);
        add("\n2 0 obj << /Length 4 >> stream\nlast\nendstream endobj %%EOF\n");
        for (unsigned carved = 0; carved < 2; carved++) {
            list = open_file(carved != 0);
            containers_release(&list);
        }
    }
}
END_TEST

/* Objects beyond those that are remembered are still yielded. */
START_TEST(yields_streams_after_too_many_objects)
{
    struct containers_list list;

    begin("%PDF-1.7\n");
    for (unsigned i = 0; i < PDF_OBJECTS_MOST + 1000; i++)
        add("1 0 obj 2\n");
    add_stream(2, "", "last", 4);
    finish();
    list = open_file(false);
    ck_assert_uint_eq(list.count, 1);
    expect(&list, "2-0", "last", 4);
    containers_release(&list);
    buffer_release(&file);
}
END_TEST

/* Files that programs made, with the digests of all streams by qpdf: tests/data/containers/pdf.sh. */
START_TEST(decodes_what_qpdf_decodes)
{
    const char *source = getenv("SRCDIR");
    char path[500], open[100] = "", name[100], number[100], sha1[100];
    struct containers_list list = {0};
    size_t seen = 0, files = 0;
    FILE *streams;

    snprintf(path, sizeof path, "%s/tests/data/containers/pdf/streams", source ? source : ".");
    streams = fopen(path, "r");
    ck_assert_ptr_nonnull(streams);
    while (fscanf(streams, "%99s %99s %99s", name, number, sha1) == 3) {
        struct containers_member *member;

        if (strcmp(name, open) != 0) {
            uint8_t *data;
            size_t len;

            ck_assert_uint_eq(seen, list.count);
            containers_release(&list);
            snprintf(path, sizeof path, "%s/tests/data/containers/pdf/%s", source ? source : ".", name);
            data = containers_load(path, &len);
            list = containers_open(&pdf_format, data, len, true, NULL);
            containers_digests(&list);
            ck_assert_uint_eq(list.end, len);
            free(data);
            snprintf(open, sizeof open, "%s", name);
            seen = 0;
            files++;
        }
        member = find_stream(&list, number);
        if (!member) /* the names of files are encrypted as well */
            member = containers_find(&list, "n\xf6te.txt");
        ck_assert_msg(member && strcmp(member->sha1, sha1) == 0, "%s in %s", number, name);
        seen++;
    }
    fclose(streams);
    ck_assert_uint_eq(seen, list.count);
    ck_assert_uint_eq(files, 10);
    containers_release(&list);
}
END_TEST

RUN_TESTS("pdf", decodes_what_qpdf_decodes, follows_the_width_of_lzw_codes, decodes_every_filter,
          decodes_runs_and_zeros, reads_in_any_pieces, finds_where_streams_end,
          yields_all_versions_and_pictures, gives_embedded_files_their_names,
          takes_no_text_for_a_damaged_file, names_what_belongs_to_the_looks, reports_what_it_cannot_read,
          reads_what_is_left_of_a_file, reads_around_damage, finds_the_end_of_a_carved_file, survives_bombs,
          yields_streams_after_too_many_objects)
