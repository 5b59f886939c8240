/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "check_main.h"

enum { MAX_LEN = 64 };

/* ---- Unicode, independent of the library ---- */

struct range {
    uint32_t first, last;
};

static size_t encode(uint32_t c, uint8_t out[4])
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 + c / 64);
        out[1] = (uint8_t)(0x80 + c % 64);
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 + c / 4096);
        out[1] = (uint8_t)(0x80 + c / 64 % 64);
        out[2] = (uint8_t)(0x80 + c % 64);
        return 3;
    }
    out[0] = (uint8_t)(0xf0 + c / 262144);
    out[1] = (uint8_t)(0x80 + c / 4096 % 64);
    out[2] = (uint8_t)(0x80 + c / 64 % 64);
    out[3] = (uint8_t)(0x80 + c % 64);
    return 4;
}

/* A row of the table of well-formed sequences (Unicode, table 3-7); the bytes after the second are 80..BF. */
static const struct well_formed {
    uint8_t first_low, first_high, second_low, second_high, len;
} well_formed[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* The length of the character at p by that table, or 0. */
static size_t char_len(const uint8_t *p, size_t len)
{
    for (size_t row = 0; row < sizeof well_formed / sizeof *well_formed; row++) {
        const struct well_formed *w = &well_formed[row];
        bool good = p[0] >= w->first_low && p[0] <= w->first_high && len >= w->len;

        if (good && w->len > 1)
            good = p[1] >= w->second_low && p[1] <= w->second_high;
        for (size_t i = 2; good && i < w->len; i++)
            good = p[i] >= 0x80 && p[i] <= 0xbf;
        if (good)
            return w->len;
    }
    return 0;
}

/* Whether it is UTF-8 without anything that a terminal obeys (C0, DEL, C1). */
static bool is_harmless(const struct buffer *text)
{
    const uint8_t *p = (const uint8_t *)text->data;

    for (size_t i = 0, chars; i < text->len; i += chars) {
        chars = char_len(p + i, text->len - i);
        if (chars == 0 || p[i] < 0x20 || p[i] == 0x7f || (p[i] == 0xc2 && p[i + 1] < 0xa0))
            return false;
    }
    return true;
}

/* ---- helpers ---- */

static bool same(const struct buffer *buffer, const void *data, size_t len)
{
    return buffer->len == len && (len == 0 || memcmp(buffer->data, data, len) == 0);
}

static void assert_escapes(const void *data, size_t len, const char *wanted)
{
    struct buffer text = {0};

    escape_text(&text, data, len);
    ck_assert_msg(same(&text, wanted, strlen(wanted)), "'%.*s' instead of '%s'", (int)text.len, text.data,
                  wanted);
    buffer_release(&text);
}

static void assert_stays(const char *text)
{
    assert_escapes(text, strlen(text), text);
}

/* Checks that each byte is written as \xHH. */
static void assert_all_escaped(const uint8_t *p, size_t len)
{
    char wanted[4 * MAX_LEN + 1] = "";

    for (size_t i = 0; i < len; i++)
        snprintf(wanted + 4 * i, 5, "\\x%02x", p[i]);
    assert_escapes(p, len, wanted);
}

/* ---- text ---- */

START_TEST(plain_text_is_unchanged)
{
    for (char c = ' '; c < 127; c++)
        if (c != '\\')
            assert_stays((char[]){c, '\0'});
    assert_stays("");
    assert_stays("C:/Users/x y/$MFT:stream \"quoted\" 'too'");
    assert_stays(
        "Gr\u00fc\u00dfe, \u0395\u03bb\u03bb\u03ac\u03b4\u03b1, \u0420\u043e\u0441\u0441\u0438\u044f");
    assert_stays("\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 \u05e2\u05d1\u05e8\u05d9\u05ea \u0627\u0644\u0639");
    assert_stays("e\u0301 \U0001f600 \U0001f1e8\U0001f1ed");
}
END_TEST

START_TEST(letters_and_signs_of_all_scripts_are_unchanged)
{
    static const struct range visible[] = {
        {0xa1, 0xac},     {0xae, 0x34e},      {0x350, 0x377},     {0x400, 0x52f},     {0x620, 0x6dc},
        {0x904, 0x939},   {0x10a0, 0x115e},   {0x1e00, 0x1eff},   {0x2010, 0x2027},   {0x20a0, 0x20c0},
        {0x3041, 0x3096}, {0x4e00, 0x9fff},   {0xac00, 0xd7a3},   {0xe000, 0xfdcf},   {0xff01, 0xff9f},
        {0xfffd, 0xfffd}, {0x10000, 0x100fa}, {0x1d400, 0x1d7ff}, {0x1f300, 0x1faf6}, {0x20000, 0x2a6df},
    };

    for (size_t i = 0; i < sizeof visible / sizeof *visible; i++)
        for (uint32_t c = visible[i].first; c <= visible[i].last; c++) {
            char text[5] = "";

            encode(c, (uint8_t *)text);
            assert_stays(text);
        }
}
END_TEST

/* General categories Cc, Zl and Zp, the Bidi_Control characters, and those that are Default_Ignorable
 * (Unicode 15); and the format controls of hieroglyphs, which join and place. */
START_TEST(control_direction_and_invisible_characters_are_escaped)
{
    static const struct range hidden[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
        {0x115f, 0x1160},   {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff0, 0xfffb},   {0xfffe, 0xffff}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0xe0000, 0xe0fff},
    };

    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        for (uint32_t c = hidden[i].first; c <= hidden[i].last; c++) {
            uint8_t bytes[4];

            assert_all_escaped(bytes, encode(c, bytes));
        }
}
END_TEST

START_TEST(what_controls_a_terminal_or_misleads_a_reader_is_escaped)
{
    assert_escapes("a\nb\r\t", 5, "a\\x0ab\\x0d\\x09");
    assert_escapes("\0", 1, "\\x00");
    assert_escapes("\x1b[31mred", 8, "\\x1b[31mred");
    assert_escapes("\xc2\x9b"
                   "2J",
                   4, "\\xc2\\x9b2J");
    assert_escapes("photo\u202egpj.exe", 15, "photo\\xe2\\x80\\xaegpj.exe");
    assert_escapes("\\", 1, "\\\\");
    assert_escapes("\\x41", 4, "\\\\x41");
}
END_TEST

START_TEST(invalid_utf8_is_escaped_byte_by_byte)
{
    static const char *const ill_formed[] = {
        "\x80",
        "\xbf",
        "\xfe",
        "\xff", /* not a first byte */
        "\xc0\x80",
        "\xc0\xaf",
        "\xc1\xbf",
        "\xe0\x80\x80",
        "\xe0\x9f\xbf", /* overlong */
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf8\x88\x80\x80\x80",
        "\xc3",
        "\xe2\x82",
        "\xe2",
        "\xf0\x9f\x98",
        "\xf0\x9f",
        "\xf0", /* truncated */
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xed\xa0\xbd\xed\xb8\x80", /* surrogates */
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xf7\xbf\xbf\xbf", /* above U+10FFFF */
    };

    for (size_t i = 0; i < sizeof ill_formed / sizeof *ill_formed; i++)
        assert_all_escaped((const uint8_t *)ill_formed[i], strlen(ill_formed[i]));
    assert_escapes("\xe2\x82"
                   "A\u00e9\xc3",
                   6, "\\xe2\\x82A\u00e9\\xc3");
    assert_escapes("\xc3\xc3\xa9\xa9", 4, "\\xc3\u00e9\\xa9");
    assert_escapes("\xf0\x9f\xf0\x9f\x98\x80", 6, "\\xf0\\x9f\U0001f600");
    assert_escapes("\xc3\"", 2, "\\xc3\"");
}
END_TEST

START_TEST(a_pair_of_bytes_is_unchanged_only_if_it_is_utf8)
{
    for (unsigned pair = 0; pair < 65536; pair++) {
        const uint8_t p[2] = {(uint8_t)(pair >> 8), (uint8_t)pair};
        const size_t first = char_len(p, 2);
        const bool is_utf8 = first == 2 || (first == 1 && char_len(p + 1, 1));
        struct buffer text = {0};

        escape_text(&text, p, 2);
        ck_assert(is_harmless(&text));
        ck_assert(is_utf8 || !same(&text, p, 2));
        ck_assert_int_eq(escape_needed(p, 2), !same(&text, p, 2));
        buffer_release(&text);
    }
}
END_TEST

/* ---- back ---- */

/* Random bytes, many of them UTF-8 or nearly so. */
static size_t fill_mixed(uint8_t *p)
{
    const size_t wanted = random64() % (MAX_LEN - 4);
    size_t len = 0;

    while (len < wanted)
        switch (random64() % 6) {
        case 0:
            p[len++] = (uint8_t)random64();
            break;
        case 1:
            len += encode((uint32_t)(random64() % 0x800), p + len);
            break;
        case 2: /* surrogates, too */
            len += encode((uint32_t)(random64() % 0x10000), p + len);
            break;
        case 3: /* above U+10FFFF, too */
            len += encode((uint32_t)(random64() % 0x50000), p + len);
            p[len - 1] ^= (uint8_t)(random64() % 8 == 0 ? 0x40 : 0);
            break;
        default:
            p[len++] = (uint8_t) "\\\\x09af\"\n/ "[random64() % 11];
            break;
        }
    return len;
}

START_TEST(every_byte_string_round_trips)
{
    for (int round = 0; round < 50000; round++) {
        uint8_t data[MAX_LEN];
        const size_t len = fill_mixed(data);
        struct buffer text = {0}, back = {0};

        escape_text(&text, data, len);
        ck_assert(is_harmless(&text));
        ck_assert_int_eq(escape_needed(data, len), !same(&text, data, len));
        ck_assert(escape_undo(&back, text.data ? text.data : "", text.len));
        ck_assert(same(&back, data, len));
        buffer_release(&text);
        buffer_release(&back);
    }
}
END_TEST

static void assert_refused(const char *text, size_t len)
{
    struct buffer back = {0};

    ck_assert_msg(!escape_undo(&back, text, len), "accepts '%.*s'", (int)len, text);
    buffer_release(&back);
}

START_TEST(text_that_is_never_written_is_refused)
{
    static const char *const never[] = {
        "\\",
        "a\\",
        "\\\\\\",
        "\\n",
        "\\0",
        "\\u0041",
        "\\X0a",
        "\\ ", /* not an escape */
        "\\x",
        "\\x0",
        "\\x0g",
        "\\x0A",
        "\\xFF",
        "\\x\\x00",
        "\\x 0", /* not two lower-case digits */
        "\n",
        "\t",
        "\x7f",
        "\xc2\x85",
        "\u202e",
        "\u200b",
        "\xff",
        "\xc3",
        "\xed\xa0\x80", /* bare */
        "\\x61",
        "\\x20",
        "\\x7e",
        "\\x5c",
        "\\xc3\\xa9",
        "\\xf0\\x9f\\x98\\x80", /* need no escape */
        "a\\x00\\xe2\\x82\\xac",
        "\\xe2\\x80\\xae\\x41",
        "\\xc3\\xc3\\xa9", /* nor do their ends */
        "\\xe2\u20ac\\xc3\\xa9",
    };

    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_refused(never[i], strlen(never[i]));
    assert_refused("\0", 1);
    assert_refused("a\0b", 3);
    assert_refused("\\x00", 3);
}
END_TEST

/* Decodes \\ and any \xHH and copies the rest; false at any other backslash. */
static bool undo_leniently(const char *text, size_t len, uint8_t *out, size_t *out_len)
{
    static const char digits[] = "0123456789abcdef";

    *out_len = 0;
    for (size_t i = 0; i < len;) {
        const char *high, *low;

        if (text[i] != '\\') {
            out[(*out_len)++] = (uint8_t)text[i++];
        } else if (len - i > 1 && text[i + 1] == '\\') {
            out[(*out_len)++] = '\\';
            i += 2;
        } else if (len - i > 3 && text[i + 1] == 'x' && text[i + 2] && text[i + 3] &&
                   (high = strchr(digits, text[i + 2])) && (low = strchr(digits, text[i + 3]))) {
            out[(*out_len)++] = (uint8_t)(16 * (high - digits) + (low - digits));
            i += 4;
        } else {
            return false;
        }
    }
    return true;
}

/* Checks that the text is accepted if and only if escape_text writes it. */
static void assert_strict(const char *text, size_t len)
{
    uint8_t data[2 * MAX_LEN] = {0};
    size_t data_len;
    struct buffer again = {0}, back = {0};
    bool written = undo_leniently(text, len, data, &data_len), accepted;

    escape_text(&again, data, data_len);
    written = written && same(&again, text, len);
    accepted = escape_undo(&back, text, len);
    ck_assert_msg(accepted == written, "%s '%.*s'", accepted ? "accepts" : "refuses", (int)len, text);
    ck_assert(!accepted || same(&back, data, data_len));
    buffer_release(&again);
    buffer_release(&back);
}

START_TEST(only_the_canonical_text_of_its_bytes_is_accepted)
{
    static const char letters[] = {'\\', 'x', '6', '1', 'c', 'A', '\n', '\xc3'};
    static const char *const pieces[] = {"\\x",   "c3",    "a9",    "e2",    "80",     "82",    "ac",
                                         "61",    "f0",    "\\\\",  "\\",    "\\xc3",  "\\xa9", "\\xe2",
                                         "\\x80", "\\xae", "\\x82", "\\xac", "\u00e9", "\xc3",  "\xa9",
                                         "z",     "\\x9f", "\\xf0", "\\x98", "\\x00",  "\\x5c"};
    char text[2 * MAX_LEN];

    for (unsigned number = 0; number < 8 * 8 * 8 * 8 * 8; number++) {
        for (int i = 0; i < 5; i++)
            text[i] = letters[number >> (3 * i) & 7];
        assert_strict(text, 5);
    }
    for (int round = 0; round < 50000; round++) {
        size_t len = 0;

        for (uint64_t left = random64() % 12; left > 0; left--) {
            const char *piece = pieces[random64() % (sizeof pieces / sizeof *pieces)];

            for (; *piece; piece++)
                text[len++] = *piece;
        }
        assert_strict(text, len);
    }
}
END_TEST

START_TEST(text_is_appended)
{
    struct buffer out = {0};

    buffer_add_text(&out, "path=");
    escape_text(&out, "a\n", 2);
    ck_assert(same(&out, "path=a\\x0a", 10));
    ck_assert(escape_undo(&out, "\\x0a", 4));
    ck_assert(same(&out, "path=a\\x0a\n", 11));
    escape_hex(&out, "\n", 1);
    escape_json(&out, "\n", 1);
    ck_assert(same(&out, "path=a\\x0a\n0a\"\\\\x0a\"", 20));
    buffer_release(&out);
}
END_TEST

/* ---- JSON and hexadecimal ---- */

/* One character or escape of a JSON string (RFC 8259, section 7), without \u; its length, or 0. */
static size_t decode_json_char(const char *p, size_t len, char *out)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *name;

    *out = *p;
    if (*p != '\\')
        return (unsigned char)*p < 0x20 || *p == '"' ? 0 : 1;
    name = len > 1 && p[1] ? strchr(names, p[1]) : NULL;
    if (!name)
        return 0;
    *out = meant[name - names];
    return 2;
}

static bool decode_json(const struct buffer *json, struct buffer *out)
{
    const size_t len = json->len;

    if (len < 2 || json->data[0] != '"' || json->data[len - 1] != '"')
        return false;
    for (size_t i = 1, chars; i < len - 1; i += chars) {
        char c;

        chars = decode_json_char(json->data + i, len - 1 - i, &c);
        if (chars == 0)
            return false;
        buffer_add_char(out, c);
    }
    return true;
}

START_TEST(a_json_string_holds_the_escaped_text)
{
    for (int round = 0; round < 50000; round++) {
        uint8_t data[MAX_LEN];
        const size_t len = fill_mixed(data);
        struct buffer text = {0}, json = {0}, decoded = {0};

        escape_text(&text, data, len);
        escape_json(&json, data, len);
        ck_assert(is_harmless(&json));
        ck_assert_msg(decode_json(&json, &decoded), "no JSON string: %.*s", (int)json.len, json.data);
        ck_assert(same(&decoded, text.data, text.len));
        buffer_release(&text);
        buffer_release(&json);
        buffer_release(&decoded);
    }
}
END_TEST

START_TEST(json_strings_are_written_as_expected)
{
    static const struct {
        const char *data;
        const char *json;
    } examples[] = {
        {"", "\"\""},           {"a", "\"a\""},
        {"\"", "\"\\\"\""},     {"\"\"", "\"\\\"\\\"\""},
        {"\\", "\"\\\\\\\\\""}, {"\n", "\"\\\\x0a\""},
        {"a\"b", "\"a\\\"b\""}, {"\u00e9\xff", "\"\u00e9\\\\xff\""},
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct buffer json = {0};

        escape_json(&json, examples[i].data, strlen(examples[i].data));
        ck_assert_msg(same(&json, examples[i].json, strlen(examples[i].json)), "%.*s instead of %s",
                      (int)json.len, json.data, examples[i].json);
        buffer_release(&json);
    }
}
END_TEST

START_TEST(hexadecimal_is_two_lower_case_digits_per_byte)
{
    uint8_t data[256];
    char wanted[2 * 256 + 1];
    struct buffer hex = {0};

    for (unsigned i = 0; i < 256; i++) {
        data[i] = (uint8_t)i;
        snprintf(wanted + 2 * i, 3, "%02x", i);
    }
    escape_hex(&hex, data, 256);
    ck_assert(same(&hex, wanted, 512));
    buffer_release(&hex);
}
END_TEST

/* ---- the forms of other programs ---- */

static void assert_forms(const char *data, size_t len, const char *marked, const char *exact,
                         const char *sparing)
{
    struct buffer out = {0};

    escape_marked(&out, data, len, false);
    ck_assert_msg(same(&out, marked, strlen(marked)), "%.*s, not %s", (int)out.len, out.data, marked);
    buffer_reset(&out);
    escape_marked(&out, data, len, true);
    ck_assert_msg(same(&out, exact, strlen(exact)), "%.*s, not %s", (int)out.len, out.data, exact);
    buffer_reset(&out);
    escape_sparing(&out, data, len);
    ck_assert_msg(same(&out, sparing, strlen(sparing)), "%.*s, not %s", (int)out.len, out.data, sparing);
    buffer_release(&out);
}

START_TEST(other_programs_get_raw_names_unless_a_terminal_would_obey_them)
{
    assert_forms("a b\xc3\xa4", 5, "a b\u00e4", "a b\u00e4", "a b\u00e4");
    assert_forms("a\nb\r", 4, "a\\nb\\r", "a\\nb\\r", "a\\x0ab\\x0d");
    assert_forms("C:\\dir", 6, "C:\\\\dir", "C:\\\\dir", "C:\\dir");
    assert_forms("\\x41\\xg1", 8, "\\\\x41\\\\xg1", "\\\\x41\\\\xg1", "\\x5cx41\\xg1");
    assert_forms("\x1b[1m", 4, "\\x1b[1m", "\x1b[1m", "\\x1b[1m");
    assert_forms("\x9b"
                 "1m",
                 3, "\\x9b1m",
                 "\x9b"
                 "1m",
                 "\\x9b1m");
    assert_forms("\xc2\x9b", 2, "\\xc2\\x9b", "\xc2\x9b", "\\xc2\\x9b");
    assert_forms("\u202e", 3, "\\xe2\\x80\\xae", "\u202e", "\\xe2\\x80\\xae");
    assert_forms("\xff\xe9", 2, "\xff\xe9", "\xff\xe9", "\xff\xe9");
    assert_forms("\xe0\x80\x9b", 3, "\xe0\\x80\\x9b", "\xe0\x80\x9b", "\xe0\\x80\\x9b");
    ck_assert(!escape_unsafe("a\\b\xff\u00e4", 6) && !escape_unsafe("", 0));
    ck_assert(escape_unsafe("a\n", 2) && escape_unsafe("a\x85", 2) && escape_unsafe("\u200b", 3));
}
END_TEST

static bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Every \xHH becomes its byte; of a marked text \\ \n \r as well. */
static void undo_form(struct buffer *out, const struct buffer *text, bool marked)
{
    static const char letters[] = "\\nr", meant[] = "\\\n\r";

    for (size_t i = 0; i < text->len; i++) {
        const char *p = text->data + i, *letter;
        unsigned byte;

        if (*p == '\\' && text->len - i >= 4 && p[1] == 'x' && is_digit(p[2]) && is_digit(p[3]) &&
            sscanf(p + 2, "%2x", &byte) == 1) {
            buffer_add_char(out, (char)byte);
            i += 3;
        } else if (*p == '\\' && marked && text->len - i >= 2 && p[1] && (letter = strchr(letters, p[1]))) {
            buffer_add_char(out, meant[letter - letters]);
            i++;
        } else {
            buffer_add_char(out, *p);
        }
    }
}

START_TEST(the_forms_of_other_programs_are_harmless_and_reversible)
{
    for (int round = 0; round < 50000; round++) {
        uint8_t data[MAX_LEN];
        const size_t len = fill_mixed(data);
        struct buffer forms[2] = {0};

        escape_marked(&forms[0], data, len, false);
        escape_sparing(&forms[1], data, len);
        for (int i = 0; i < 2; i++) {
            struct buffer back = {0};

            ck_assert(!escape_unsafe(forms[i].data, forms[i].len));
            undo_form(&back, &forms[i], i == 0);
            ck_assert(same(&back, data, len));
            buffer_release(&back);
            buffer_release(&forms[i]);
        }
    }
}
END_TEST

START_TEST(an_empty_string_stays_empty)
{
    struct buffer out = {0};

    escape_text(&out, NULL, 0);
    escape_hex(&out, NULL, 0);
    ck_assert_uint_eq(out.len, 0);
    ck_assert(!escape_needed(NULL, 0));
    ck_assert(escape_undo(&out, "", 0));
    ck_assert_uint_eq(out.len, 0);
    escape_json(&out, NULL, 0);
    ck_assert(same(&out, "\"\"", 2));
    buffer_release(&out);
}
END_TEST

RUN_TESTS("escape", plain_text_is_unchanged, letters_and_signs_of_all_scripts_are_unchanged,
          control_direction_and_invisible_characters_are_escaped,
          what_controls_a_terminal_or_misleads_a_reader_is_escaped, invalid_utf8_is_escaped_byte_by_byte,
          a_pair_of_bytes_is_unchanged_only_if_it_is_utf8, every_byte_string_round_trips,
          text_that_is_never_written_is_refused, only_the_canonical_text_of_its_bytes_is_accepted,
          text_is_appended, a_json_string_holds_the_escaped_text, json_strings_are_written_as_expected,
          hexadecimal_is_two_lower_case_digits_per_byte,
          other_programs_get_raw_names_unless_a_terminal_would_obey_them,
          the_forms_of_other_programs_are_harmless_and_reversible, an_empty_string_stays_empty)
