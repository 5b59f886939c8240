/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/json_write.h"
#include "check_main.h"

static void assert_text(const struct buffer *got, const char *wanted)
{
    ck_assert(!got->failed);
    ck_assert_msg(got->len == strlen(wanted) && memcmp(got->data, wanted, got->len) == 0, "%.*s, not %s",
                  (int)got->len, got->data, wanted);
}

START_TEST(values_are_separated_by_commas_and_nothing_else)
{
    struct buffer text = {0}, made = {0};
    struct json_write out = {.to = &text};

    json_write_open(&out, NULL, '{');
    json_write_text(&out, "a", "x\"\n");
    json_write_open(&out, "b", '[');
    json_write_number(&out, NULL, 0);
    json_write_open(&out, NULL, '[');
    json_write_close(&out, ']');
    json_write_open(&out, NULL, '{');
    json_write_bool(&out, "c", true);
    json_write_close(&out, '}');
    json_write_close(&out, ']');
    json_write_hex(&out, "d", "\x0f\xa0", 2);
    json_write_raw(&out, "e", "1.5e-3");
    buffer_add_text(&made, "y");
    json_write_made(&out, "f", &made);
    json_write_made(&out, "g", &made);
    json_write_close(&out, '}');
    json_write_line(&out);
    json_write_bool(&out, NULL, false);
    assert_text(&text, "{\"a\":\"x\\\"\\\\x0a\",\"b\":[0,[],{\"c\":true}],\"d\":\"0fa0\",\"e\":1.5e-3,"
                       "\"f\":\"y\",\"g\":\"\"}\nfalse");
    buffer_release(&text);
    buffer_release(&made);
}
END_TEST

/* The text of a member of the object, of which the parser has just read the key. */
static void take(struct json *json, struct buffer *to)
{
    size_t len;
    const char *text;

    ck_assert_int_eq(json_next(json, NULL), JSON_STRING);
    text = json_text(json, &len);
    buffer_reset(to);
    buffer_add(to, text, len);
}

/* Writes a name, reads it back with the parser, and compares both forms with the bytes. */
static void check_name(struct json *json, const uint8_t *name, size_t len)
{
    struct buffer text = {0}, escaped = {0}, hex = {0}, undone = {0}, digits = {0};
    struct json_write out = {.to = &text};
    const bool differs = escape_needed(name, len);
    size_t key_len;
    struct error err;

    json_write_open(&out, NULL, '{');
    json_write_name(&out, "n", (const char *)name, len);
    json_write_close(&out, '}');
    json_begin(json, text.data, text.len, NULL, NULL);
    ck_assert_int_eq(json_next(json, &err), JSON_OBJECT);
    ck_assert_int_eq(json_next(json, &err), JSON_KEY);
    take(json, &escaped);
    ck_assert(escape_undo(&undone, escaped.len ? escaped.data : "", escaped.len));
    ck_assert(undone.len == len && (len == 0 || memcmp(undone.data, name, len) == 0));
    if (differs) {
        ck_assert_int_eq(json_next(json, &err), JSON_KEY);
        ck_assert_mem_eq(json_text(json, &key_len), "n_hex", 5);
        ck_assert_uint_eq(key_len, 5);
        take(json, &hex);
        escape_hex(&digits, name, len);
        ck_assert(hex.len == digits.len && memcmp(hex.data, digits.data, hex.len) == 0);
    }
    ck_assert_int_eq(json_next(json, &err), JSON_OBJECT_END);
    ck_assert_int_eq(json_next(json, &err), JSON_END);
    buffer_release(&text);
    buffer_release(&escaped);
    buffer_release(&hex);
    buffer_release(&undone);
    buffer_release(&digits);
}

START_TEST(any_bytes_can_be_recovered_from_a_name)
{
    struct json *json = json_new(1 << 20, NULL);
    uint8_t name[200], *longest = random_block(65536);

    ck_assert_ptr_nonnull(json);
    check_name(json, name, 0);
    for (unsigned byte = 0; byte < 256; byte++) {
        name[0] = (uint8_t)byte;
        check_name(json, name, 1);
    }
    for (int i = 0; i < 2000; i++) {
        const size_t len = random64() % sizeof name;

        fill_random(name, len);
        for (size_t k = 0; k < len; k++)
            if (random64() % 3)
                name[k] = (uint8_t) "\\\"/\x1b\xe2\x80\xae<>&'x"[name[k] % 13];
        check_name(json, name, len);
    }
    check_name(json, longest, 65536);
    free(longest);
    json_free(json);
}
END_TEST

START_TEST(the_buffer_may_be_emptied_between_any_two_values)
{
    struct buffer whole = {0}, part = {0}, joined = {0};
    struct json_write one = {.to = &whole}, other = {.to = &part};

    for (int i = 0; i < 3; i++) {
        struct json_write *out = i == 0 ? &one : &other;

        json_write_open(out, NULL, '[');
        for (uint64_t n = 0; n < 5; n++) {
            json_write_number(out, NULL, n);
            if (i == 2) {
                buffer_add(&joined, part.data, part.len);
                buffer_reset(&part);
            }
        }
        json_write_close(out, ']');
        json_write_line(out);
        if (i == 1)
            buffer_reset(&part);
    }
    buffer_add(&joined, part.data, part.len);
    assert_text(&whole, "[0,1,2,3,4]\n");
    assert_text(&joined, "[0,1,2,3,4]\n");
    buffer_release(&whole);
    buffer_release(&part);
    buffer_release(&joined);
}
END_TEST

RUN_TESTS("json_write", values_are_separated_by_commas_and_nothing_else,
          any_bytes_can_be_recovered_from_a_name, the_buffer_may_be_emptied_between_any_two_values)
