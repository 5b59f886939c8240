/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "check_main.h"

/* ---- helpers ---- */

/* Returns a text in pieces, each of which is gone when the next one is requested. */
struct pieces {
    const char *p;
    size_t left, most;
    char *piece;
    bool fails;
};

static int give_piece(void *arg, const char **data, size_t *len, struct error *err)
{
    struct pieces *pieces = arg;
    size_t part = 1 + random64() % pieces->most;

    free(pieces->piece);
    pieces->piece = NULL;
    if (pieces->left == 0)
        return pieces->fails ? error_set(err, "the source failed") : 0;
    part = part < pieces->left ? part : pieces->left;
    pieces->piece = malloc(part);
    memcpy(pieces->piece, pieces->p, part);
    pieces->p += part;
    pieces->left -= part;
    *data = pieces->piece;
    *len = part;
    return 1;
}

static enum json_token add_token(struct buffer *out, struct json *json, struct error *err)
{
    static const char *const marks[] = {
        [JSON_END] = "$",       [JSON_OBJECT] = "{", [JSON_OBJECT_END] = "}", [JSON_ARRAY] = "[",
        [JSON_ARRAY_END] = "]", [JSON_KEY] = "k",    [JSON_STRING] = "s",     [JSON_NUMBER] = "n",
        [JSON_TRUE] = "T",      [JSON_FALSE] = "F",  [JSON_NULL] = "N",       [JSON_BAD] = "!",
        [JSON_FAILED] = "?",
    };
    const enum json_token token = json_next(json, err);
    size_t len;
    const char *text = json_text(json, &len);

    buffer_add_text(out, marks[token]);
    if (token == JSON_KEY || token == JSON_STRING || token == JSON_NUMBER) {
        buffer_add_text(out, json_is_long(json) ? "(long" : "(");
        buffer_add(out, text, len);
        buffer_add_text(out, ")");
    }
    return token;
}

static void add_tokens(struct buffer *out, struct json *json, struct error *err)
{
    enum json_token token;

    do
        token = add_token(out, json, err);
    while (token != JSON_END && token != JSON_BAD && token != JSON_FAILED);
}

static struct json *new_json(void)
{
    struct error err;
    struct json *json = json_new(1000, &err);

    ck_assert_ptr_nonnull(json);
    return json;
}

/* The text gives the same tokens as a whole and split anywhere. */
static void assert_tokens(const char *text, size_t len, const char *wanted, size_t wanted_len)
{
    struct json *json = new_json();

    for (size_t most = 0; most < 6; most++) {
        struct pieces pieces = {text, len, most, NULL, false};
        struct buffer out = {0};
        struct error err = {""};

        json_begin(json, most ? "" : text, most ? 0 : len, most ? give_piece : NULL, &pieces);
        add_tokens(&out, json, &err);
        ck_assert_msg(out.len == wanted_len && memcmp(out.data, wanted, out.len) == 0, "%s: '%.*s' %s", text,
                      (int)out.len, out.data, err.text);
        if (out.data[out.len - 1] == '!')
            ck_assert_ptr_nonnull(strstr(err.text, "malformed JSON at byte "));
        buffer_release(&out);
        free(pieces.piece);
    }
    json_free(json);
}

#define ASSERT_TOKENS(text, wanted) assert_tokens(text, sizeof text - 1, wanted, sizeof wanted - 1)

/* ---- values ---- */

START_TEST(values_of_every_kind_are_found)
{
    ASSERT_TOKENS("true", "T$");
    ASSERT_TOKENS(" false\n", "F$");
    ASSERT_TOKENS("\tnull\r", "N$");
    ASSERT_TOKENS("\"a\"", "s(a)$");
    ASSERT_TOKENS("\"\"", "s()$");
    ASSERT_TOKENS("{}", "{}$");
    ASSERT_TOKENS("[]", "[]$");
    ASSERT_TOKENS(" { \"a\" : 1 , \"b\" : [ 2 , { } , [ ] ] } ", "{k(a)n(1)k(b)[n(2){}[]]}$");
}
END_TEST

START_TEST(numbers_follow_the_grammar)
{
    ASSERT_TOKENS("0", "n(0)$");
    ASSERT_TOKENS("-0.5e+10", "n(-0.5e+10)$");
    ASSERT_TOKENS("[10E5,1.25]", "[n(10E5)n(1.25)]$");
    ASSERT_TOKENS("01", "n(0)!");
    ASSERT_TOKENS("-", "!");
    ASSERT_TOKENS("+1", "!");
    ASSERT_TOKENS("1.", "!");
    ASSERT_TOKENS(".5", "!");
    ASSERT_TOKENS("1e", "!");
    ASSERT_TOKENS("0x10", "n(0)!");
    ASSERT_TOKENS("NaN", "!");
}
END_TEST

START_TEST(numbers_without_sign_and_fraction_are_read_if_they_fit)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } samples[] = {
        {"0", true, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"184467440737095516150", false, 0},
        {"-1", false, 0},
        {"1.0", false, 0},
        {"1e2", false, 0},
        {"\"1\"", false, 0},
    };
    struct json *json = new_json();
    struct error err;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint64_t value = 0;

        json_begin(json, samples[i].text, strlen(samples[i].text), NULL, NULL);
        json_next(json, &err);
        ck_assert_int_eq(json_number(json, &value), samples[i].good);
        ck_assert_uint_eq(value, samples[i].value);
    }
    json_free(json);
}
END_TEST

/* ---- strings ---- */

START_TEST(escapes_are_decoded)
{
    ASSERT_TOKENS("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s(\"\\/\b\f\n\r\t)$");
    ASSERT_TOKENS("\"\\u0041\\u00e9\\u20AC\\u0000\"", "s(A\u00e9\u20ac\0)$");
    ASSERT_TOKENS("{\"\\u0061b\":1}", "{k(ab)n(1)}$");
    ASSERT_TOKENS("\"\\x\"", "!");
    ASSERT_TOKENS("\"\\u12g4\"", "!");
    ASSERT_TOKENS("\"\\u123\"", "!");
    ASSERT_TOKENS("\"\\", "!");
}
END_TEST

START_TEST(surrogates_are_joined_and_halves_are_kept)
{
    ASSERT_TOKENS("\"\\ud83d\\ude00\"", "s(\U0001f600)$");
    ASSERT_TOKENS("\"\\ud83d\"", "s(\xed\xa0\xbd)$");
    ASSERT_TOKENS("\"\\ude00x\"", "s(\xed\xb8\x80x)$");
    ASSERT_TOKENS("\"\\ud83d\\n\"", "s(\xed\xa0\xbd\n)$");
    ASSERT_TOKENS("\"\\ud83d\\ud83d\\ude00\"", "s(\xed\xa0\xbd\U0001f600)$");
    ASSERT_TOKENS("\"\\ud83dx\\ude00\"", "s(\xed\xa0\xbdx\xed\xb8\x80)$");
}
END_TEST

START_TEST(invalid_utf8_and_control_characters_are_kept)
{
    ASSERT_TOKENS("\"\xff\x80\xc3\"", "s(\xff\x80\xc3)$");
    ASSERT_TOKENS("\"a\nb\"", "s(a\nb)$");
    ASSERT_TOKENS("\"a\0b\"", "s(a\0b)$");
    ASSERT_TOKENS("\"abcdefgh\x1fijklmnop\"", "s(abcdefgh\x1fijklmnop)$");
    ASSERT_TOKENS("[\x01]", "[!");
    ASSERT_TOKENS("\"abcdefghijklmnop\\u0041qrstuvwxyz0123456789\"",
                  "s(abcdefghijklmnopAqrstuvwxyz0123456789)$");
    ASSERT_TOKENS("\"abc", "!");
}
END_TEST

START_TEST(an_overlong_string_is_skipped)
{
    static char text[5000], at_limit[1003];
    struct json *json = new_json();
    struct error err;
    size_t len;

    memset(text, 'x', sizeof text);
    memcpy(text, "[\"", 2);
    memcpy(text + sizeof text - 4, "\",1]", 4);
    memset(at_limit, 'x', sizeof at_limit);
    at_limit[0] = at_limit[1001] = '"';
    for (size_t most = 0; most < 2000; most += 500) {
        struct pieces pieces = {text, sizeof text, most, NULL, false};

        json_begin(json, most ? "" : text, most ? 0 : sizeof text, most ? give_piece : NULL, &pieces);
        ck_assert_int_eq(json_next(json, &err), JSON_ARRAY);
        ck_assert_int_eq(json_next(json, &err), JSON_STRING);
        ck_assert(json_is_long(json));
        json_text(json, &len);
        ck_assert_uint_eq(len, 0);
        ck_assert_int_eq(json_next(json, &err), JSON_NUMBER);
        ck_assert(!json_is_long(json));
        ck_assert_int_eq(json_next(json, &err), JSON_ARRAY_END);
        ck_assert_int_eq(json_next(json, &err), JSON_END);
        free(pieces.piece);
    }
    json_begin(json, at_limit, 1002, NULL, NULL);
    ck_assert_int_eq(json_next(json, &err), JSON_STRING);
    json_text(json, &len);
    ck_assert_uint_eq(len, 1000);
    json_free(json);
}
END_TEST

/* ---- grammar ---- */

START_TEST(invalid_json_is_refused)
{
    ASSERT_TOKENS("", "!");
    ASSERT_TOKENS("  ", "!");
    ASSERT_TOKENS("{", "{!");
    ASSERT_TOKENS("[", "[!");
    ASSERT_TOKENS("]", "!");
    ASSERT_TOKENS("[}", "[!");
    ASSERT_TOKENS("{]", "{!");
    ASSERT_TOKENS("[1,]", "[n(1)!");
    ASSERT_TOKENS("[1 2]", "[n(1)!");
    ASSERT_TOKENS("[,1]", "[!");
    ASSERT_TOKENS("{\"a\":1,}", "{k(a)n(1)!");
    ASSERT_TOKENS("{\"a\"}", "{k(a)!");
    ASSERT_TOKENS("{\"a\":}", "{k(a)!");
    ASSERT_TOKENS("{a:1}", "{!");
    ASSERT_TOKENS("{\"a\":1 \"b\":2}", "{k(a)n(1)!");
    ASSERT_TOKENS("tru", "!");
    ASSERT_TOKENS("truth", "!");
    ASSERT_TOKENS("1 1", "n(1)!");
    ASSERT_TOKENS("{}x", "{}!");
    ASSERT_TOKENS("'a'", "!");
    ASSERT_TOKENS("// a\n1", "!");
}
END_TEST

START_TEST(nothing_comes_after_an_error)
{
    struct json *json = new_json();
    struct error err;

    json_begin(json, "[x,1]", 5, NULL, NULL);
    ck_assert_int_eq(json_next(json, &err), JSON_ARRAY);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(json_next(json, &err), JSON_BAD);
    json_begin(json, "1", 1, NULL, NULL);
    ck_assert_int_eq(json_next(json, &err), JSON_NUMBER);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(json_next(json, &err), JSON_END);
    json_free(json);
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    char text[2 * JSON_DEPTH + 2];
    struct json *json = new_json();
    struct error err;

    memset(text, '[', JSON_DEPTH);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    json_begin(json, text, sizeof text - 2, NULL, NULL);
    for (int i = 0; i < JSON_DEPTH; i++)
        ck_assert_int_eq(json_next(json, &err), JSON_ARRAY);
    ck_assert_uint_eq(json_depth(json), JSON_DEPTH);
    for (int i = 0; i < JSON_DEPTH; i++)
        ck_assert_int_eq(json_next(json, &err), JSON_ARRAY_END);
    ck_assert_int_eq(json_next(json, &err), JSON_END);
    memset(text, '[', sizeof text);
    json_begin(json, text, sizeof text, NULL, NULL);
    for (int i = 0; i < JSON_DEPTH; i++)
        ck_assert_int_eq(json_next(json, &err), JSON_ARRAY);
    ck_assert_int_eq(json_next(json, &err), JSON_BAD);
    json_free(json);
}
END_TEST

START_TEST(a_value_can_be_skipped)
{
    static const char text[] = "{\"a\":{\"b\":[1,{}]},\"c\":2,\"d\":[[3]]}";
    struct json *json = new_json();
    struct error err;

    json_begin(json, text, sizeof text - 1, NULL, NULL);
    ck_assert_int_eq(json_next(json, &err), JSON_OBJECT);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(json_next(json, &err), JSON_KEY);
        ck_assert_int_eq(json_skip(json, JSON_KEY, &err), i == 0   ? JSON_OBJECT_END
                                                          : i == 1 ? JSON_NUMBER
                                                                   : JSON_ARRAY_END);
        ck_assert_uint_eq(json_depth(json), 1);
    }
    ck_assert_int_eq(json_next(json, &err), JSON_OBJECT_END);
    json_begin(json, text, sizeof text - 1, NULL, NULL);
    ck_assert_int_eq(json_skip(json, json_next(json, &err), &err), JSON_OBJECT_END);
    ck_assert_int_eq(json_next(json, &err), JSON_END);
    ck_assert_uint_eq(json_offset(json), sizeof text - 1);
    json_free(json);
}
END_TEST

START_TEST(a_failing_source_is_reported_wherever_it_fails)
{
    static const char text[] = "{\"key\":[\"a\\u0041\",12.5e3,true]}";
    struct json *json = new_json();

    for (size_t len = 0; len <= sizeof text - 1; len++) {
        struct pieces pieces = {text, len, 3, NULL, true};
        struct buffer out = {0};
        struct error err = {""};

        json_begin(json, "", 0, give_piece, &pieces);
        add_tokens(&out, json, &err);
        ck_assert_int_eq(out.data[out.len - 1], '?');
        ck_assert_str_eq(err.text, "the source failed");
        buffer_release(&out);
        free(pieces.piece);
    }
    json_free(json);
}
END_TEST

/* ---- going on after an error ---- */

/* What comes after an error: the tokens up to the next one, wherever the source is cut. */
static void assert_resynced(const char *text, unsigned depth, const char *wanted)
{
    const size_t len = strlen(text);
    struct json *json = new_json();

    for (size_t most = 0; most < 6; most++) {
        struct pieces pieces = {text, len, most, NULL, false};
        struct buffer out = {0};
        struct error err = {""};
        enum json_token token = JSON_OBJECT;

        json_begin(json, most ? "" : text, most ? 0 : len, most ? give_piece : NULL, &pieces);
        while (token == JSON_OBJECT) {
            add_tokens(&out, json, &err);
            if (out.data[out.len - 1] != '!')
                break;
            token = json_resync(json, depth, &err);
            buffer_add_char(&out, token == JSON_OBJECT ? '{' : token == JSON_END ? '.' : '-');
        }
        buffer_add_char(&out, '\0');
        ck_assert_str_eq(out.data, wanted);
        ck_assert_uint_le(json_offset(json), len);
        buffer_release(&out);
        free(pieces.piece);
    }
    json_free(json);
}

START_TEST(after_an_error_the_next_object_of_an_array_is_found)
{
    static const char *const cases[][2] = {
        {"[{\"a\":x},{\"b\":1}]", "[{k(a)!{k(b)n(1)}]$"},
        {"[{\"a\":1}{\"b\":2},,{\"c\":3}]", "[{k(a)n(1)}!{k(b)n(2)}!{k(c)n(3)}]$"},
        {"[{\"a\":1,{\"b\":2}]", "[{k(a)n(1)!{k(b)n(2)}]$"},
        /* An extra or missing quote does not mislead it. */
        {"[{\"a\":\"x},{\"b\":1},{\"c\":2}]", "[{k(a)s(x},{)!{k(b)n(1)}{k(c)n(2)}]$"},
        {"[{\"a\":\"x\n},\n{\"b\":1},{\"c\":2}]", "[{k(a)s(x\n},\n{)!{k(b)n(1)}{k(c)n(2)}]$"},
        {"[{\"a\":\"x,\"d\":\"y\"},{\"b\":1}]", "[{k(a)s(x,)!{k(b)n(1)}]$"},
        {"[{\"a\":\"C:\\dir\\\",\"d\":\"{y}\"},{\"b\":1}]", "[{k(a)!{k(b)n(1)}]$"},
        {"[{\"a\":\"\\x{\\\"}\"},{\"b\":1}]", "[{k(a)!{k(b)n(1)}]$"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_resynced(cases[i][0], 1, cases[i][1]);
    assert_resynced("{\"v\":[{\"a\":[{\"c\":01}],\"d\":{\"e\":1}}, {\"b\":1}],\"x\":2}", 2,
                    "{k(v)[{k(a)[{k(c)n(0)!{k(b)n(1)}]k(x)n(2)}$");
}
END_TEST

START_TEST(if_no_object_follows_the_text_ends_or_is_truncated)
{
    assert_resynced("{\"v\":[{\"a\":x}],\"b\":{\"c\":1}}", 2, "{k(v)[{k(a)!.");
    assert_resynced("{\"v\":[{\"a\":x}],\"b\":{\"c\":1}", 2, "{k(v)[{k(a)!-");
    assert_resynced("{\"v\":[{\"a\":\"", 2, "{k(v)[{k(a)!-");
}
END_TEST

START_TEST(lines_are_counted)
{
    static const char text[] = "[1,\n\n\"a\nb\",\n2]\n";
    static const uint64_t lines[] = {1, 1, 4, 5, 5, 6};
    struct json *json = new_json();
    struct error err;

    for (size_t most = 0; most < 6; most++) {
        struct pieces pieces = {text, sizeof text - 1, most, NULL, false};

        json_begin(json, most ? "" : text, most ? 0 : sizeof text - 1, most ? give_piece : NULL, &pieces);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            json_next(json, &err);
            ck_assert_uint_eq(json_line(json), lines[i]);
        }
        free(pieces.piece);
    }
    json_free(json);
}
END_TEST

RUN_TESTS("json", values_of_every_kind_are_found, numbers_follow_the_grammar,
          numbers_without_sign_and_fraction_are_read_if_they_fit, escapes_are_decoded,
          surrogates_are_joined_and_halves_are_kept, invalid_utf8_and_control_characters_are_kept,
          an_overlong_string_is_skipped, invalid_json_is_refused, nothing_comes_after_an_error,
          nesting_has_a_limit, a_value_can_be_skipped, a_failing_source_is_reported_wherever_it_fails,
          after_an_error_the_next_object_of_an_array_is_found,
          if_no_object_follows_the_text_ends_or_is_truncated, lines_are_counted)
