/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include <stdio.h>

#include "check_main.h"

enum { MAX_CELLS = 8, MAX_LEN = 60 };

/* ---- a reader by the grammar of RFC 4180, section 2 ---- */

/* Reads one cell and appends its text; returns what follows it, or NULL if it is malformed. */
static const char *read_cell(const char *p, const char *end, struct buffer *out)
{
    const bool quoted = p < end && *p == '"';

    for (p += quoted; p < end; p++) {
        if (quoted && *p == '"') {
            if (p + 1 == end || p[1] != '"')
                return p + 1;
            p++;
        } else if (!quoted && (*p == ',' || *p == '\r')) {
            return p;
        } else if (!quoted && (*p == '"' || *p == '\n')) {
            return NULL;
        }
        buffer_add_char(out, *p);
    }
    return quoted ? NULL : p;
}

static void assert_lines(const struct buffer *csv, const struct buffer *cells, const size_t *counts,
                         size_t lines)
{
    const char *p = csv->data, *end = csv->data + csv->len;

    ck_assert(!csv->failed);
    for (size_t line = 0; line < lines; line++)
        for (size_t i = 0; i < counts[line]; i++, cells++) {
            struct buffer cell = {0};

            p = read_cell(p, end, &cell);
            ck_assert_msg(p != NULL, "no cell: %.*s", (int)csv->len, csv->data);
            ck_assert_msg(cell.len == cells->len &&
                              (cell.len == 0 || memcmp(cell.data, cells->data, cell.len) == 0),
                          "cell %zu of line %zu: %.*s, not %.*s", i, line, (int)cell.len, cell.data,
                          (int)cells->len, cells->data);
            if (i + 1 < counts[line])
                ck_assert(p < end && *p++ == ',');
            else
                ck_assert(end - p >= 2 && *p++ == '\r' && *p++ == '\n');
            buffer_release(&cell);
        }
    ck_assert_ptr_eq(p, end);
}

/* ---- cells ---- */

static size_t make_bytes(char *into)
{
    static const char *const signs[] = {",",    "\"",   "\n",     "\r",       "\r\n", "\"\"",  "=",
                                        "+",    "-",    "@",      "'",        " ",    "\\",    "\t",
                                        "\xff", "\xc3", "\u00e4", "\u202e",   "x",    "",      "0",
                                        "\x7f", "a b",  ";",      "\xe2\x82", ";=",   "\uff1d"};
    size_t len = 0;

    for (uint64_t i = random64() % 8; i > 0; i--) {
        const char *sign = signs[random64() % (sizeof signs / sizeof *signs)];

        memcpy(into + len, sign, strlen(sign));
        len += strlen(sign);
    }
    return len;
}

/* What a spreadsheet would execute, even if it trims blanks or takes a quote for the start of a quoted
 * cell. */
static bool begins_formula(const char *data, size_t len)
{
    while (len > 0 && (*data == ' ' || *data == '"')) {
        data++;
        len--;
    }
    return (len > 0 && (*data == '=' || *data == '+' || *data == '-' || *data == '@')) ||
           (len > 2 && (memcmp(data, "\uff1d", 3) == 0 || memcmp(data, "\uff0b", 3) == 0 ||
                        memcmp(data, "\uff0d", 3) == 0 || memcmp(data, "\uff20", 3) == 0));
}

/* Whether that is so, or would be without the leading apostrophes: then one more is added. */
static bool has_one_more(const char *data, size_t len)
{
    while (len > 0 && (*data == ' ' || *data == '"' || *data == '\'')) {
        data++;
        len--;
    }
    return begins_formula(data, len);
}

/* The cell without what csv_foreign adds to the escaped text. */
static void take_off(struct buffer *out, const char *cell, size_t len)
{
    bool begins = true;

    for (size_t i = 0; i < len; i++) {
        if (!begins || !has_one_more(cell + i, len - i))
            buffer_add_char(out, cell[i]);
        begins = cell[i] == ';';
    }
}

static void add_wanted(struct buffer *out, const char *bytes, size_t len)
{
    struct buffer text = {0};

    escape_text(&text, bytes, len);
    for (size_t i = 0; i < text.len; i++) {
        if ((i == 0 || text.data[i - 1] == ';') && has_one_more(text.data + i, text.len - i))
            buffer_add_char(out, '\'');
        buffer_add_char(out, text.data[i]);
    }
    buffer_release(&text);
}

/* Adds one cell of either kind, and records how it should read. */
static void add_cell(struct buffer *csv, struct buffer *wanted)
{
    char bytes[MAX_LEN + 1];
    const size_t len = make_bytes(bytes);
    bool changed;

    buffer_reset(wanted);
    if (random64() % 2) {
        bytes[len] = '\0';
        csv_cell(csv, bytes);
        escape_text(wanted, bytes, len);
        return;
    }
    bytes[len] = '='; /* is not part of it */
    changed = csv_foreign(csv, bytes, len);
    add_wanted(wanted, bytes, len);
    ck_assert_int_eq(changed, wanted->len != len || memcmp(wanted->data, bytes, len) != 0);
    ck_assert(!begins_formula(wanted->data, wanted->len));
}

START_TEST(cells_round_trip_by_the_rules_of_rfc_4180)
{
    struct buffer wanted[4 * MAX_CELLS] = {0};

    for (int round = 0; round < 1000; round++) {
        size_t counts[4], all = 0;
        struct buffer csv = {0};

        for (int line = 0; line < 4; line++) {
            counts[line] = 1 + random64() % MAX_CELLS;
            for (size_t i = 0; i < counts[line]; i++)
                add_cell(&csv, &wanted[all++]);
            csv_end_line(&csv);
        }
        assert_lines(&csv, wanted, counts, 4);
        buffer_release(&csv);
    }
    for (int i = 0; i < 4 * MAX_CELLS; i++)
        buffer_release(&wanted[i]);
}
END_TEST

START_TEST(empty_cells_are_counted_wherever_they_stand)
{
    for (unsigned empty = 0; empty < 32; empty++) {
        struct buffer csv = {0}, wanted[5] = {0};
        const size_t count = 5;

        for (unsigned i = 0; i < 5; i++) {
            const char *text = empty >> i & 1 ? "" : "x";

            if (i % 2)
                csv_cell(&csv, text);
            else
                ck_assert(!csv_foreign(&csv, text, strlen(text)));
            buffer_add_text(&wanted[i], text);
        }
        csv_end_line(&csv);
        assert_lines(&csv, wanted, &count, 1);
        for (unsigned i = 0; i < 5; i++)
            buffer_release(&wanted[i]);
        buffer_release(&csv);
    }
}
END_TEST

static void assert_foreign(const char *data, size_t len, const char *cell, bool changed)
{
    struct buffer csv = {0};

    ck_assert_int_eq(csv_foreign(&csv, data, len), changed);
    ck_assert_msg(csv.len == strlen(cell) && memcmp(csv.data, cell, csv.len) == 0, "%.*s, not %s",
                  (int)csv.len, csv.data, cell);
    buffer_release(&csv);
}

START_TEST(foreign_cells_are_written_as_documented)
{
    assert_foreign("a.txt", 5, "a.txt", false);
    assert_foreign("a,b", 3, "\"a,b\"", false);
    assert_foreign("a\"b", 3, "\"a\"\"b\"", false);
    assert_foreign("=1+1", 4, "'=1+1", true);
    assert_foreign("-1,2", 4, "\"'-1,2\"", true);
    assert_foreign("+", 1, "'+", true);
    assert_foreign("@a\"", 3, "\"'@a\"\"\"", true);
    assert_foreign("a=1", 3, "a=1", false);
    assert_foreign("'=1", 3, "''=1", true);
    assert_foreign("'a", 2, "'a", false);
    assert_foreign("a;b", 3, "\"a;b\"", false);
    assert_foreign("a;=1+1", 6, "\"a;'=1+1\"", true);
    assert_foreign("=1;-2;x", 7, "\"'=1;'-2;x\"", true);
    assert_foreign("a;  @x", 6, "\"a;'  @x\"", true);
    assert_foreign("a;\"=1", 5, "\"a;'\"\"=1\"", true);
    assert_foreign(" =1", 3, "' =1", true);
    assert_foreign("\uff1d1", 4, "'\uff1d1", true);
    assert_foreign("a;\uff0d1", 6, "\"a;'\uff0d1\"", true);
    assert_foreign("a\nb", 3, "a\\x0ab", true);
    assert_foreign("\t=1", 3, "\\x09=1", true);
    assert_foreign("\xff", 1, "\\xff", true);
    assert_foreign("a\\b", 3, "a\\\\b", true);
    assert_foreign("\u00e4", 2, "\u00e4", false);
}
END_TEST

START_TEST(a_foreign_cell_is_reversible)
{
    for (int round = 0; round < 20000; round++) {
        char bytes[MAX_LEN + 1];
        const size_t len = make_bytes(bytes);
        struct buffer wanted = {0}, text = {0}, back = {0};

        add_wanted(&wanted, bytes, len);
        take_off(&text, wanted.data ? wanted.data : "", wanted.len);
        ck_assert(escape_undo(&back, text.data ? text.data : "", text.len));
        ck_assert(back.len == len && (len == 0 || memcmp(back.data, bytes, len) == 0));
        buffer_release(&wanted);
        buffer_release(&text);
        buffer_release(&back);
    }
}
END_TEST

START_TEST(cells_that_are_not_foreign_are_still_escaped)
{
    struct buffer csv = {0};

    csv_cell(&csv, "2@4096\x1b[2J");
    csv_cell(&csv, "-");
    ck_assert_msg(csv.len == 15 && memcmp(csv.data, "2@4096\\x1b[2J,-", 15) == 0, "%.*s", (int)csv.len,
                  csv.data);
    buffer_release(&csv);
}
END_TEST

START_TEST(a_zero_byte_is_not_a_formula)
{
    assert_foreign("\0=1", 3, "\\x00=1", true);
}
END_TEST

START_TEST(no_bytes_produce_a_formula_or_another_line)
{
    for (int round = 0; round < 5000; round++) {
        uint8_t bytes[6];
        struct buffer csv = {0};
        const size_t len = 1 + random64() % sizeof bytes;

        fill_random(bytes, len);
        csv_foreign(&csv, (const char *)bytes, len);
        ck_assert(!begins_formula(csv.data + (csv.data[0] == '"'), csv.len - (csv.data[0] == '"')));
        for (size_t i = 0; i < csv.len; i++)
            if ((uint8_t)csv.data[i] < ' ' || csv.data[i] == 0x7f)
                ck_abort_msg("a control character");
        buffer_release(&csv);
    }
}
END_TEST

START_TEST(numbers_digests_texts_and_paths_are_cells)
{
    static const char bytes[] = "\x00\xff", odd[] = "a\n\xfe", plain[] = "a/b.txt";
    struct buffer csv = {0}, text = {0};

    csv_number(&csv, 0);
    csv_number(&csv, UINT64_MAX);
    csv_hex(&csv, bytes, 2);
    csv_hex(&csv, NULL, 0);
    buffer_add_text(&text, "1,5");
    csv_text(&csv, &text);
    ck_assert_uint_eq(text.len, 0);
    csv_text(&csv, &text);
    csv_path(&csv, odd, strlen(odd));
    csv_path(&csv, plain, strlen(plain));
    csv_path(&csv, "", 0);
    buffer_add_char(&csv, '\0');
    ck_assert_str_eq(csv.data, "0,18446744073709551615,00ff,,\"1,5\",,a\\x0a\\xfe,610afe,a/b.txt,,,");
    text.failed = true;
    csv_text(&csv, &text);
    ck_assert(csv.failed);
    buffer_release(&csv);
    buffer_release(&text);
}
END_TEST

static const struct csv_column sheet[] = {{"name", false}, {"count", true}};

static void assert_excel(const char *record, const char *expected)
{
    struct buffer out = {0};

    buffer_add_text(&out, "before,it\r\n");
    buffer_add_text(&out, record);
    csv_excel(&out, strlen("before,it\r\n"), sheet, 2);
    buffer_add_char(&out, '\0');
    ck_assert(!out.failed);
    ck_assert_str_eq(out.data, expected);
    buffer_release(&out);
}

START_TEST(for_excel_texts_are_formulas_and_numbers_stay)
{
    assert_excel("1-2-3,45\r\n", "before,it\r\n\"=\"\"1-2-3\"\"\",45\r\n");
    assert_excel("1e5,0.750,0012\r\n", "before,it\r\n\"=\"\"1e5\"\"\",0.750,\"=\"\"0012\"\"\"\r\n");
    assert_excel("x,1.2e-34\r\ny,0\r\n", "before,it\r\n\"=\"\"x\"\"\",1.2e-34\r\n\"=\"\"y\"\"\",0\r\n");
    assert_excel("\"a,\"\"b\"\"\",\r\n", "before,it\r\n\"=\"\"a,\"\"\"\"b\"\"\"\"\"\"\",\r\n");
    assert_excel("\"\",\"\",\r\n", "before,it\r\n,,\r\n");
    assert_excel("", "before,it\r\n");
}
END_TEST

START_TEST(for_excel_numbers_that_would_lose_digits_are_texts)
{
    assert_excel("x,999999999999999\r\n", "before,it\r\n\"=\"\"x\"\"\",999999999999999\r\n");
    assert_excel("x,1000000000000000\r\n", "before,it\r\n\"=\"\"x\"\"\",\"=\"\"1000000000000000\"\"\"\r\n");
    assert_excel("x,y\r\n", "before,it\r\n\"=\"\"x\"\"\",\"=\"\"y\"\"\"\r\n");
}
END_TEST

START_TEST(for_excel_long_texts_are_no_formulas)
{
    char text[300], record[310], expected[330];

    memset(text, '7', sizeof text);
    snprintf(record, sizeof record, "%.255s,1\r\n", text);
    snprintf(expected, sizeof expected, "before,it\r\n\"=\"\"%.255s\"\"\",1\r\n", text);
    assert_excel(record, expected);
    snprintf(record, sizeof record, "%.256s,1\r\n", text);
    snprintf(expected, sizeof expected, "before,it\r\n\"'%.256s\",1\r\n", text);
    assert_excel(record, expected);
    text[0] = 'a';
    snprintf(record, sizeof record, "%.256s,1\r\n", text);
    snprintf(expected, sizeof expected, "before,it\r\n\"%.256s\",1\r\n", text);
    assert_excel(record, expected);
}
END_TEST

START_TEST(a_header_names_the_columns)
{
    struct buffer out = {0};

    csv_header(&out, sheet, 2);
    csv_cell(&out, "more");
    csv_end_line(&out);
    buffer_add_char(&out, '\0');
    ck_assert_str_eq(out.data, "name,count,more\r\n");
    buffer_release(&out);
}
END_TEST

RUN_TESTS("csv", for_excel_texts_are_formulas_and_numbers_stay,
          for_excel_numbers_that_would_lose_digits_are_texts, for_excel_long_texts_are_no_formulas,
          a_header_names_the_columns, cells_round_trip_by_the_rules_of_rfc_4180, numbers_digests_texts_and_paths_are_cells,
          empty_cells_are_counted_wherever_they_stand, foreign_cells_are_written_as_documented,
          a_zero_byte_is_not_a_formula, a_foreign_cell_is_reversible,
          cells_that_are_not_foreign_are_still_escaped, no_bytes_produce_a_formula_or_another_line)
