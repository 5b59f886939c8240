/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "compound.h"
#include "container/ole.h"
#include "text_member.h"

static struct containers_list open_file(const struct buffer *file, size_t piece)
{
    return containers_open(&ole_text_format, file->data, file->len, false,
                           &(struct containers_limits){.piece = piece});
}

/* One text, the same in small pieces; releases the file. */
static void check_text(struct buffer *file, const char *expected)
{
    for (size_t piece = 1; piece < 10000; piece = piece * 9 + 1) {
        struct containers_list list = open_file(file, piece);

        text_member_check(&list, expected);
    }
    buffer_release(file);
}

static void check_problem(struct buffer *file, const char *expected)
{
    struct containers_list list = open_file(file, 100);

    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.members[0].problem, expected);
    containers_release(&list);
    buffer_release(file);
}

static void number(struct buffer *out, uint64_t value, int bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        buffer_add_char(out, (char)value);
}

/* ASCII as UTF-16. */
static void wide(struct buffer *out, const char *text)
{
    for (; *text; text++)
        number(out, (uint8_t)*text, 2);
}

/* ---- Word ---- */

/* What letter.html says. */
START_TEST(a_letter)
{
    struct buffer file = {0};
    const char *folder = getenv("SRCDIR");
    char path[4096];
    uint8_t *data;
    size_t len;

    snprintf(path, sizeof path, "%s/tests/data/containers/letter.doc", folder ? folder : ".");
    data = containers_load(path, &len);
    buffer_add(&file, data, len);
    free(data);
    check_text(
        &file,
        "An offer for Zo\xc3\xab\n"
        "Dear Zo\xc3\xab, this is the first paragraph of a letter \xe2\x80\x93 with "
        "\xe2\x80\x9cquotes\xe2\x80\x9d "
        "and a link to a page.\n"
        "Second paragraph,\n"
        "with a line break & an ampersand. \xce\x95\xce\xbb\xce\xbb\xce\xb7\xce\xbd\xce\xb9\xce\xba\xce\xac, "
        "\xd0\xba\xd0\xb8\xd1\x80\xd0\xb8\xd0\xbb\xd0\xbb\xd0\xb8\xd1\x86\xd0\xb0.\n"
        "cell 1\ncell 2\ncell 3\ncell 4\none item\nanother item\n");
}
END_TEST

enum { FIB_LEN = 1024, FLAGS_AT = 10 };

/* A header for a list of pieces at the start of 0Table, of this length. */
static void begin_word(struct buffer *word, size_t clx_len)
{
    memset(buffer_extend(word, FIB_LEN), 0, FIB_LEN);
    memcpy(word->data, "\xec\xa5\xc1\0", 4);
    compound_number(word, 0x1a6, clx_len, 4);
}

struct piece {
    uint32_t len, offset;
};

/* After some change of formatting. */
static void put_pieces(struct buffer *clx, const struct piece *pieces, size_t count)
{
    uint32_t at = 0;

    buffer_add(clx, "\1\3\0abc\2", 7);
    number(clx, 4 + 12 * count, 4);
    for (size_t i = 0; i < count; i++) {
        number(clx, at, 4);
        at += pieces[i].len;
    }
    number(clx, at, 4);
    for (size_t i = 0; i < count; i++) {
        number(clx, 0, 2);
        number(clx, pieces[i].offset, 4);
        number(clx, 0, 2);
    }
}

static void put_word(struct buffer *file, const struct buffer *word, const struct buffer *clx)
{
    compound_begin(file);
    compound_add(file, "WordDocument", word->data, word->len);
    if (clx)
        compound_add(file, "0Table", clx->data, clx->len);
}

static uint32_t narrow(size_t at)
{
    return (uint32_t)(2 * at) | 0x40000000;
}

START_TEST(pieces_in_the_order_of_the_text)
{
    static const char second[] =
        "na\xefve \x93\x13 HYPERLINK \"x\" \x13 y \x14z\x15 \x14link\x15\x94,\rcell\x07\x07";
    struct buffer word = {0}, clx = {0}, file = {0};
    struct piece pieces[3] = {{.len = 5}, {.len = sizeof second - 1}, {.len = 7}};

    begin_word(&word, 7 + 4 + 4 * 4 + 3 * 8);
    pieces[1].offset = narrow(word.len);
    buffer_add(&word, second, sizeof second - 1);
    pieces[2].offset = (uint32_t)word.len;
    wide(&word, "e\x1eo\x0bt\x1fw");
    pieces[0].offset = (uint32_t)word.len;
    number(&word, 0x3a9, 2);
    number(&word, 0xd83d, 2);
    number(&word, 0xde42, 2);
    wide(&word, "\x01\x09");
    put_pieces(&clx, pieces, 3);
    put_word(&file, &word, &clx);
    check_text(&file, "\xce\xa9\xf0\x9f\x99\x82 na\xc3\xafve \xe2\x80\x9clink\xe2\x80\x9d,\ncell\ne-o\ntw\n");
    buffer_release(&word);
    buffer_release(&clx);
}
END_TEST

START_TEST(pieces_that_lie)
{
    struct buffer word = {0}, clx = {0}, file = {0};
    struct piece many[200];
    struct containers_list list;

    begin_word(&word, 7 + 4 + 4 * 4 + 3 * 8);
    buffer_add_text(&word, "text");
    put_pieces(&clx, (struct piece[]){{4, narrow(FIB_LEN)}, {100, narrow(FIB_LEN)}, {9, 0x3ffffff0}}, 3);
    put_word(&file, &word, &clx);
    list = open_file(&file, 1000);
    ck_assert_str_eq(list.members[0].failure, "is cut off");
    ck_assert_uint_eq(list.members[0].data.len, 9);
    ck_assert_mem_eq(list.members[0].data.data, "texttext\n", 9);
    containers_release(&list);
    buffer_release(&file);

    for (size_t i = 0; i < 200; i++)
        many[i] = (struct piece){1000, narrow(0)};
    buffer_reset(&clx);
    put_pieces(&clx, many, 200);
    compound_number(&word, 0x1a6, clx.len, 4);
    put_word(&file, &word, &clx);
    list = open_file(&file, 1000);
    ck_assert_str_eq(list.members[0].failure, "has pieces of text that overlap");
    containers_release(&list);
    buffer_release(&file);
    buffer_release(&word);
    buffer_release(&clx);
}
END_TEST

START_TEST(documents_without_text)
{
    struct buffer word = {0}, file = {0};

    begin_word(&word, 100);
    put_word(&file, &word, NULL);
    check_problem(&file, "it has no list of its pieces of text");
    compound_number(&word, FLAGS_AT, 0x100, 2);
    put_word(&file, &word, NULL);
    check_problem(&file, "it is encrypted");
    word.len = 20;
    put_word(&file, &word, NULL);
    check_problem(&file, "it is cut off in its header");
    buffer_release(&word);
}
END_TEST

START_TEST(documents_before_word_97)
{
    struct buffer word = {0}, file = {0};

    begin_word(&word, 0);
    compound_number(&word, 2, 104, 2);
    compound_number(&word, 0x18, FIB_LEN, 4);
    compound_number(&word, 0x1c, FIB_LEN + 5, 4);
    buffer_add_text(&word, "two\rxand more");
    put_word(&file, &word, NULL);
    check_text(&file, "two\nx\n");
    compound_number(&word, 0x160, word.len, 4);
    compound_number(&word, 0x164, 7 + 4 + 3 * 4 + 2 * 8, 4);
    put_pieces(&word, (struct piece[]){{4, FIB_LEN + 9}, {3, FIB_LEN}}, 2);
    put_word(&file, &word, NULL);
    check_text(&file, "moretwo\n");
    buffer_release(&word);
}
END_TEST

/* ---- Excel ---- */

static void record(struct buffer *out, uint32_t type, const void *data, size_t len)
{
    number(out, type, 2);
    number(out, len, 2);
    buffer_add(out, data, len);
}

static void cell(struct buffer *out, uint32_t type, uint32_t row, const void *data, size_t len)
{
    struct buffer all = {0};

    number(&all, row, 2);
    number(&all, 0, 4);
    buffer_add(&all, data, len);
    record(out, type, all.data, all.len);
    buffer_release(&all);
}

/* The third string goes on in another record, in another width. */
static void put_strings(struct buffer *out)
{
    static const char first[] = "\x05\0\0\0\x05\0\0\0"
                                "\x03\0\0one"
                                "\x03\0\x0c\x01\0\x04\0\0\0two\1\2\3\4xxxx"
                                "\x07\0\0thr";
    static const char more[] = "\1e\0e\0 \0\xe9\0"
                               "\x06\0\0unused"
                               "\x01\0\1\x3a\x26";

    record(out, 0xfc, first, sizeof first - 1);
    record(out, 0x3c, more, sizeof more - 1);
}

START_TEST(rows_of_a_workbook)
{
    struct buffer book = {0}, file = {0};

    record(&book, 0x809, "\0\6\5\0", 4);
    put_strings(&book);
    record(&book, 0xa, "", 0);
    record(&book, 0x809, "\0\6\x10\0", 4);
    cell(&book, 0xfd, 0, "\2\0\0\0", 4);
    cell(&book, 0x203, 0, "\0\0\0\0\0\0\x0c\x40", 8);         /* 3.5 */
    cell(&book, 0xfd, 0, "\x63\0\0\0", 4);                    /* there is no such string */
    cell(&book, 0x27e, 1, "\x0e\0\0\0", 4);                   /* 3 */
    cell(&book, 0x27e, 1, "\x01\0\0\x40", 4);                 /* 2, divided by 100 */
    cell(&book, 0xbd, 2, "\x06\0\0\0\0\0\x07\0\0\0\2\0", 12); /* 1 and 0.01 */
    cell(&book, 0x6, 3, "\0\0\0\0\0\0\xff\xff", 8);           /* a text, which follows */
    record(&book, 0x207, "\2\0\0ab", 5);
    cell(&book, 0xfd, 3, "\0\0\0\0", 4);
    cell(&book, 0x204, 3, "\1\0\1\x42\0", 5);
    cell(&book, 0xfd, 4, "\1\0\0\0", 4);
    cell(&book, 0xfd, 4, "\4\0\0\0", 4);
    record(&book, 0x1b6, "\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 18);
    record(&book, 0x3c, "\0a\nbo", 5);
    record(&book, 0x3c, "\0\0\0\0\0", 5);
    compound_begin(&file);
    compound_add(&file, "Workbook", book.data, book.len);
    check_text(&file, "three \xc3\xa9 3.5\n3 0.02\n1 0.01\nab one B\ntwo \xe2\x98\xba\na\nbo\nunused\n");
    buffer_release(&book);
}
END_TEST

START_TEST(workbooks_of_excel_95)
{
    struct buffer book = {0}, file = {0};

    record(&book, 0x809, "\0\5\x10\0", 4);
    cell(&book, 0x204, 0, "\4\0caf\xe9", 6);
    cell(&book, 0x204, 0, "\2\0ab", 4);
    compound_begin(&file);
    compound_add(&file, "Book", book.data, book.len);
    check_text(&file, "caf\xc3\xa9 ab\n");
    buffer_release(&book);
}
END_TEST

START_TEST(encrypted_workbooks_are_reported)
{
    struct buffer book = {0}, file = {0};

    record(&book, 0x809, "\0\6\5\0", 4);
    record(&book, 0x2f, "\0\0\0\0\0\0", 6);
    compound_begin(&file);
    compound_add(&file, "Workbook", book.data, book.len);
    check_problem(&file, "it is encrypted");
    buffer_release(&book);
}
END_TEST

/* ---- PowerPoint and Outlook ---- */

static void slide_record(struct buffer *out, uint32_t version, uint32_t type, const char *data, size_t len)
{
    number(out, version, 2);
    number(out, type, 2);
    number(out, len, 4);
    buffer_add(out, data, len);
}

START_TEST(text_of_slides)
{
    struct buffer show = {0}, folder = {0}, file = {0};

    slide_record(&folder, 0, 4008, "Title\rtwo \xe9", 11);
    slide_record(&folder, 0, 4026, "n\0a\0m\0e\0", 8);
    slide_record(&folder, 0, 4000, "\x3d\xd8\x42\xde\x0b\0b\0", 8);
    slide_record(&show, 0xf, 1000, folder.data, folder.len);
    slide_record(&show, 0, 4008, "end", 3);
    compound_begin(&file);
    compound_add(&file, "PowerPoint Document", show.data, show.len);
    check_text(&file, "Title\ntwo \xc3\xa9\n\xf0\x9f\x99\x82\nb\nend\n");
    buffer_release(&show);
    buffer_release(&folder);
}
END_TEST

START_TEST(subject_and_body_of_a_mail)
{
    struct buffer body = {0}, file = {0};

    wide(&body, "Dear all,\r\n\r\nthis is it.");
    compound_begin(&file);
    compound_add(&file, "__substg1.0_1000001F", body.data, body.len);
    compound_add(&file, "__substg1.0_0037001E", "Gr\xc3\xbc\xc3\x9f", 7);
    compound_add(&file, "__properties_version1.0", "x", 1);
    check_text(&file, "Gr\xc3\xbc\xc3\x9f\nDear all,\nthis is it.\n");
    buffer_release(&body);
}
END_TEST

START_TEST(other_files_have_no_text)
{
    struct buffer file = {0};
    struct containers_list list;

    compound_begin(&file);
    compound_add(&file, "Contents", "x", 1);
    list = open_file(&file, 100);
    ck_assert(list.matches);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_str_eq(list.failure, "");
    containers_release(&list);
    buffer_release(&file);
}
END_TEST

RUN_TESTS("ole_text", a_letter, pieces_in_the_order_of_the_text, pieces_that_lie, documents_without_text,
          documents_before_word_97, rows_of_a_workbook, workbooks_of_excel_95,
          encrypted_workbooks_are_reported, text_of_slides, subject_and_body_of_a_mail,
          other_files_have_no_text)
