/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buffer.h"
#include "check_main.h"
#include "sketch/sketch.h"
#include "sketching.h"

enum { LEN = 3000 };

static struct buffer line_of(const struct sketch *sketch)
{
    struct buffer line = {0};

    sketch_format(sketch, &line);
    ck_assert(!line.failed && line.len > 0 && line.data[line.len - 1] == '\n');
    ck_assert_ptr_null(memchr(line.data, '\n', line.len - 1));
    return line;
}

static struct sketch random_sketch(enum sketch_scheme scheme)
{
    struct sketch_params params = sketch_defaults(scheme);
    struct sketcher *sketcher;
    struct sketch sketch = {0};
    struct error err = {""};
    uint8_t text[LEN], name[40];
    const size_t len = random64() % 4 ? random64() % LEN : random64() % 20,
                 name_len = random64() % sizeof name;

    if (sketch_uses(scheme) & SKETCH_USE_TOKENS) {
        params.tokens = (struct tokens_rules){(enum tokens_unit)(random64() % TOKENS_UNITS), random64() & 1,
                                              random64() & 1, random64() & 1, random64() & 1};
        params.labelled = random64() & 1;
        params.window = 1 + (uint32_t)(random64() % 9);
        params.bits = 16 + (uint32_t)(random64() % 49);
        params.seed = random64() >> random64() % 64;
    }
    if (sketch_uses(scheme) & SKETCH_USE_SIZE)
        params.size = 1 + (uint32_t)(random64() % 100);
    fill_text(text, len);
    fill_random(name, name_len);
    sketcher = sketcher_of(&params);
    ck_assert_msg(sketch_bytes(sketcher, text, len, true, &sketch, &err) == 0, "%s", err.text);
    sketch_set_name(&sketch, name, name_len);
    sketch_free(sketcher);
    return sketch;
}

static void assert_same_params(const struct sketch_params *a, const struct sketch_params *b)
{
    ck_assert_int_eq((int)a->scheme, (int)b->scheme);
    ck_assert_int_eq((int)a->tokens.unit, (int)b->tokens.unit);
    for (int i = 0; i < TOKENS_RULES; i++) {
        struct tokens_rules of_a = a->tokens, of_b = b->tokens;

        ck_assert(*tokens_rule_of(&of_a, (enum tokens_rule)i) == *tokens_rule_of(&of_b, (enum tokens_rule)i));
    }
    ck_assert(a->labelled == b->labelled && a->window == b->window && a->size == b->size);
    ck_assert(a->bits == b->bits && a->residue == b->residue && a->seed == b->seed);
    ck_assert(a->rate == b->rate || a->scheme == SKETCH_GF8);
}

START_TEST(what_was_written_is_read_again)
{
    struct sketch read = {0};

    for (int round = 0; round < 144; round++) {
        struct sketch sketch = random_sketch((enum sketch_scheme)(round % SKETCH_SCHEMES));
        struct buffer line = line_of(&sketch), again;
        struct error err = {""};

        ck_assert_msg(sketch_parse(&read, line.data, line.len - 1, &err) == 0, "%s: %.*s", err.text,
                      (int)line.len, line.data);
        assert_same_params(&sketch.params, &read.params);
        ck_assert(sketch.len == read.len && sketch.shingles == read.shingles &&
                  sketch.modulus == read.modulus);
        ck_assert_uint_eq(sketch.count, read.count);
        if (sketch.count > 0)
            ck_assert_mem_eq(sketch.values, read.values, sketch.count * sizeof *sketch.values);
        ck_assert_uint_eq(sketch.record.count, read.record.count * (sketch.record.count > 0));
        ck_assert_mem_eq(sketch.digests.bytes[DIGEST_SHA1], read.digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
        again = line_of(&read);
        ck_assert(again.len == line.len && memcmp(again.data, line.data, line.len) == 0);
        buffer_release(&again);
        buffer_release(&line);
        sketch_release(&sketch);
    }
    sketch_release(&read);
}
END_TEST

START_TEST(sketches_that_were_read_compare_as_before)
{
    static const char a[] = "the rose is red, the violet's blue, the honey's sweet, and so are you",
                      b[] = "the rose is red, the violet's blue, sugar is sweet, and so are you";

    for (int scheme = 0; scheme < SKETCH_SCHEMES; scheme++) {
        struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        struct sketcher *sketcher;
        struct sketch one = {0}, other = {0}, read = {0};
        struct sketch_likeness direct, from_text;
        struct buffer line;
        struct error err;

        params.window = 8;
        if (sketch_uses(params.scheme) & SKETCH_USE_RATE)
            params.rate = 4;
        sketcher = sketcher_of(&params);
        ck_assert_int_eq(sketch_bytes(sketcher, a, sizeof a - 1, true, &one, &err), 0);
        ck_assert_int_eq(sketch_bytes(sketcher, b, sizeof b - 1, true, &other, &err), 0);
        line = line_of(&other);
        ck_assert_int_eq(sketch_parse(&read, line.data, line.len - 1, &err), 0);
        ck_assert_int_eq(sketch_compare(sketcher, &one, &other, &direct, &err), 0);
        ck_assert_int_eq(sketch_compare(sketcher, &one, &read, &from_text, &err), 0);
        ck_assert(!direct.too_small && direct.common == from_text.common &&
                  direct.compared == from_text.compared);
        ck_assert(direct.resemblance == from_text.resemblance && direct.edits == from_text.edits);
        buffer_release(&line);
        sketch_release(&one);
        sketch_release(&other);
        sketch_release(&read);
        sketch_free(sketcher);
    }
}
END_TEST

/* A change of any character is an error, or yields another sketch that is written just so. */
START_TEST(every_line_has_one_meaning_or_none)
{
    static const char letters[] = "ABC019:,-_ab/\\x\n\0zg";
    struct sketch read = {0};
    unsigned refused = 0, taken = 0;

    for (int round = 0; round < 900; round++) {
        struct sketch sketch = random_sketch((enum sketch_scheme)(round / 16 % SKETCH_COATES2011));
        struct buffer line = line_of(&sketch), again;
        const size_t at = random64() % (random64() % 2 && line.len > 150 ? 150 : line.len - 1);
        struct error err = {""};

        line.data[at] = letters[random64() % (sizeof letters - 1)];
        if (sketch_parse(&read, line.data, line.len - 1, &err)) {
            ck_assert_str_ne(err.text, "");
            refused++;
        } else {
            again = line_of(&read);
            ck_assert_msg(again.len == line.len && memcmp(again.data, line.data, line.len) == 0, "%.*s%.*s",
                          (int)line.len, line.data, (int)again.len, again.data);
            buffer_release(&again);
            taken++;
        }
        buffer_release(&line);
        sketch_release(&sketch);
    }
    ck_assert(refused > 200 && taken > 40);
    sketch_release(&read);
}
END_TEST

#define SHA1 "da39a3ee5e6b4b0d3255bfef95601890afd80709"

static void assert_error(const char *line, const char *why)
{
    struct sketch sketch = {0};
    struct error err = {""};

    ck_assert_int_eq(sketch_parse(&sketch, line, strlen(line), &err), -1);
    ck_assert_msg(strstr(err.text, why) != NULL, "'%s' does not say '%s'", err.text, why);
    sketch_release(&sketch);
}

START_TEST(malformed_lines_are_refused_with_the_field)
{
    struct sketch sketch = {0};
    static const char good[] = "sketch1:mod:words:case,space:B:4:100:0:16:1:99:" SHA1 ":20:100:ABkDIA:x";

    ck_assert_int_eq(sketch_parse(&sketch, good, sizeof good - 1, NULL), 0);
    ck_assert(sketch.count == 2 && sketch.values[0] == 100 && sketch.values[1] == 12800);
    sketch_release(&sketch);
    assert_error("", "field 2 (scheme) is missing");
    assert_error("sketch2:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":0:100::x", "field 1 (magic)");
    assert_error("sketch1:gf8:bytes:none:B:12:128:0:0:0:99:" SHA1 ":0:0::x", "field 2 (scheme)");
    assert_error("sketch1:mod:word:none:B:4:100:0:16:1:99:" SHA1 ":0:100::x", "field 3 (tokens)");
    assert_error("sketch1:mod:words:space,case:B:4:100:0:16:1:99:" SHA1 ":0:100::x", "field 4 (canonical)");
    assert_error("sketch1:mod:words::B:4:100:0:16:1:99:" SHA1 ":0:100::x", "field 4 (canonical)");
    assert_error("sketch1:mod:words:none:C:4:100:0:16:1:99:" SHA1 ":0:100::x", "field 5 (option)");
    assert_error("sketch1:mod:words:none:B:0:100:0:16:1:99:" SHA1 ":0:100::x", "window from 1");
    assert_error("sketch1:mod:words:none:B:4:0100:0:16:1:99:" SHA1 ":0:100::x", "field 7 (rate)");
    assert_error("sketch1:mod:words:none:B:4:100:1:16:1:99:" SHA1 ":0:100::x", "does not use a size");
    assert_error("sketch1:mod:words:none:B:4:100:0:8:1:99:" SHA1 ":0:100::x", "bits from 16");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:x:0:100::x", "field 12 (digest)");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":97:100::x", "field 13 (shingles)");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":9:50::x", "field 14 (modulus)");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":0:100:ABk:x", "field 15 (values)");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":1:100:ABkDIA:x", "field 15 (values)");
    assert_error("sketch1:min:words:none:B:4:0:9:16:1:99:" SHA1 ":1:0:ABkDIA:x", "field 15 (values)");
    assert_error("sketch1:min:words:none:B:4:0:1:16:1:99:" SHA1 ":9:0:ABkDIA:x", "field 15 (values)");
    assert_error("sketch1:nested:words:none:B:4:0:9:16:1:999:" SHA1 ":1:1:ABkDIA:x", "field 15 (values)");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":9:100:ABkABk:x", "is not in order");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":9:100:ABl:x", "not selected");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":9:100:__k:x", "bad number");
    assert_error("sketch1:mod:words:none:B:4:100:0:16:1:99:" SHA1 ":9:100:ABk:\\", "invalid escape");
    assert_error("sketch1:hamming:words:none:B:4:0:3:16:1:99:" SHA1 ":9:0:AAAAAAAAAAI:x", "not selected");
    assert_error("sketch1:minwise:words:none:B:4:0:3:16:1:99:" SHA1 ":9:0:AAAAAA:x", "field 15 (values)");
    assert_error("sketch1:nested:words:none:B:4:0:100:16:1:999:" SHA1 ":100:2::x", "field 14 (modulus)");
    assert_error("sketch1:nested:words:none:B:4:0:100:16:1:999:" SHA1 ":101:3::x", "field 14 (modulus)");
    assert_error("sketch1:nested:words:none:B:4:0:100:16:1:999:" SHA1 ":101:0::x", "field 14 (modulus)");
    assert_error("sketch1:nested:words:none:B:4:0:1:16:1:999:" SHA1 ":101:2:AACAAE:x", "field 15 (values)");
    assert_error("kith1:gf8:12:128:0:99:" SHA1 ":0:A:B:AAAAAAAAA:x", "field 11");
}
END_TEST

START_TEST(json_is_one_object_in_one_line)
{
    for (int round = 0; round < 60; round++) {
        struct sketch sketch = random_sketch((enum sketch_scheme)(round % SKETCH_SCHEMES));
        struct buffer json = {0};

        sketch_format_json(&sketch, &json);
        ck_assert(!json.failed && json.data[0] == '{' && memcmp(json.data + json.len - 2, "}\n", 2) == 0);
        ck_assert_ptr_null(memchr(json.data, '\n', json.len - 1));
        buffer_release(&json);
        sketch_release(&sketch);
    }
}
END_TEST

RUN_TESTS("sketch_text", what_was_written_is_read_again, sketches_that_were_read_compare_as_before,
          every_line_has_one_meaning_or_none, malformed_lines_are_refused_with_the_field,
          json_is_one_object_in_one_line)
