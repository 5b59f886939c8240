/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "check_main.h"
#include "compare/distance.h"
#include "lab/lab_data.h"
#include "lab/lab_edits.h"
#include "lab/lab_text.h"

enum { LEN = 20000 };

static bool same(const struct buffer *buffer, const char *data, size_t len)
{
    return buffer->len == len && memcmp(buffer->data, data, len) == 0;
}

/* ---- random numbers ---- */

/* The first outputs of Vigna's xoshiro256starstar.c for the state 1, 2, 3, 4, and of splitmix64.c for 0. */
START_TEST(numbers_are_those_of_the_published_generators)
{
    struct lab_random random = {{1, 2, 3, 4}}, seeded;

    ck_assert_uint_eq(lab_random_next(&random), 11520);
    ck_assert_uint_eq(lab_random_next(&random), 0);
    ck_assert_uint_eq(lab_random_next(&random), 1509978240);
    ck_assert_uint_eq(lab_random_next(&random), 1215971899390074240u);
    lab_random_seed(&seeded, 0);
    ck_assert_uint_eq(seeded.state[0], 0xe220a8397b1dcdafu);
    ck_assert_uint_eq(seeded.state[1], 0x6e789e6aa1b965f4u);
}
END_TEST

/* Chi squared over 7 cells has 6 degrees of freedom: above 22.5 in 0.1 % of cases. */
START_TEST(numbers_below_a_limit_are_equally_likely)
{
    struct lab_random random;
    double cells[7] = {0}, chi = 0;

    lab_random_seed(&random, 7);
    for (int i = 0; i < 70000; i++)
        cells[lab_random_below(&random, 7)]++;
    for (int i = 0; i < 7; i++)
        chi += (cells[i] - 10000) * (cells[i] - 10000) / 10000;
    ck_assert(chi < 22.5);
    ck_assert_uint_eq(lab_random_below(&random, 1), 0);
    for (int i = 0; i < 1000; i++) {
        const double unit = lab_random_unit(&random);

        ck_assert(unit >= 0 && unit < 1);
    }
}
END_TEST

/* ---- texts ---- */

static struct buffer text_of(uint64_t seed, size_t len)
{
    struct lab_random random;
    struct buffer out = {0};

    lab_random_seed(&random, seed);
    lab_text_generate(&random, len, &out);
    ck_assert(!out.failed);
    ck_assert_uint_eq(out.len, len);
    return out;
}

START_TEST(a_text_depends_on_its_seed_only)
{
    struct buffer a = text_of(1, LEN), b = text_of(1, LEN), c = text_of(2, LEN), start = text_of(1, LEN / 2);

    ck_assert(same(&a, b.data, b.len));
    ck_assert_int_eq(memcmp(a.data, start.data, start.len), 0);
    ck_assert_int_ne(memcmp(a.data, c.data, LEN), 0);
    buffer_release(&a);
    buffer_release(&b);
    buffer_release(&c);
    buffer_release(&start);
}
END_TEST

/* English: about one letter in eight is an e, one byte in six a blank, lines of up to 76 characters. */
START_TEST(texts_resemble_english)
{
    struct buffer text = text_of(3, LEN);
    size_t e = 0, blanks = 0, the = 0, line = 0;

    for (size_t i = 0; i < LEN; i++) {
        const char c = text.data[i];

        ck_assert(c == '\n' || (c >= ' ' && c < 0x7f));
        e += c == 'e';
        blanks += c == ' ' || c == '\n';
        the += i + 5 < LEN && memcmp(text.data + i, " the ", 5) == 0;
        line = c == '\n' ? 0 : line + 1;
        ck_assert_uint_le(line, 77);
    }
    ck_assert(e > LEN / 16 && e < LEN / 6);
    ck_assert(blanks > LEN / 8 && blanks < LEN / 4);
    ck_assert_uint_gt(the, 50);
    buffer_release(&text);
}
END_TEST

/* ---- documents ---- */

START_TEST(generated_documents_have_the_lengths_of_the_paper)
{
    struct error err;
    struct lab_data *data = lab_data_generate(1, false, &err), *quick = lab_data_generate(1, true, &err);

    ck_assert(data && quick);
    ck_assert_uint_eq(lab_data_count(data), 100);
    ck_assert_uint_eq(lab_data_count(quick), 12);
    ck_assert_uint_eq(lab_data_get(data, 0)->len, 9000);
    ck_assert_uint_eq(lab_data_get(data, 99)->len, 540000);
    for (size_t i = 1; i < 100; i++)
        ck_assert_uint_ge(lab_data_get(data, i)->len, lab_data_get(data, i - 1)->len);
    ck_assert_str_eq(lab_data_source(data), "100 generated texts, seed 1");
    lab_data_free(data);
    lab_data_free(quick);
}
END_TEST

/* ---- edits ---- */

static uint64_t distance(const struct buffer *a, const struct buffer *b)
{
    uint64_t out = 0;
    struct error err;

    ck_assert_int_eq(
        distance_exact((const uint8_t *)a->data, a->len, (const uint8_t *)b->data, b->len, &out, &err), 0);
    return out;
}

static size_t differing(const struct buffer *a, const struct buffer *b)
{
    size_t count = 0;

    ck_assert_uint_eq(a->len, b->len);
    for (size_t i = 0; i < a->len; i++)
        count += a->data[i] != b->data[i];
    return count;
}

START_TEST(substitutions_change_the_requested_share_and_nothing_else)
{
    struct buffer text = text_of(4, LEN);
    struct lab_random random;

    lab_random_seed(&random, 4);
    for (int percent = 0; percent <= 100; percent += 25) {
        struct buffer out = {0};

        lab_edits_substitute(&random, (const uint8_t *)text.data, LEN, percent / 100.0, &out);
        ck_assert_uint_eq(differing(&text, &out), (size_t)percent * LEN / 100);
        buffer_release(&out);
    }
    buffer_release(&text);
}
END_TEST

START_TEST(inserted_texts_stand_before_words)
{
    struct buffer text = text_of(5, LEN), out = {0};
    struct lab_random random;
    size_t found = 0;

    lab_random_seed(&random, 5);
    lab_edits_insert(&random, (const uint8_t *)text.data, LEN, "@@ ", 37, &out);
    ck_assert_uint_eq(out.len, LEN + 37 * 3);
    ck_assert_uint_eq(distance(&text, &out), 37 * 3);
    for (size_t i = 0; i < out.len; i++)
        if (out.data[i] == '@') {
            ck_assert(i == 0 || out.data[i - 1] == ' ' || out.data[i - 1] == '\n');
            ck_assert(out.data[i + 3] != ' ');
            found++;
            i += 2;
        }
    ck_assert_uint_eq(found, 37);
    buffer_reset(&out);
    lab_edits_insert(&random, (const uint8_t *)"one two", 7, "x ", 5, &out);
    ck_assert_uint_eq(out.len, 7 + 10);
    buffer_reset(&out);
    lab_edits_insert(&random, NULL, 0, "x ", 2, &out);
    ck_assert(same(&out, "x x ", 4));
    buffer_release(&out);
    buffer_release(&text);
}
END_TEST

static size_t count_lines(const struct buffer *text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text->len; i++)
        lines += text->data[i] == '\n';
    return lines;
}

START_TEST(removals_leave_the_rest_in_order)
{
    struct buffer text = text_of(6, LEN), out[3] = {{0}};
    struct lab_random random;
    const uint8_t *p = (const uint8_t *)text.data;

    lab_random_seed(&random, 6);
    lab_edits_remove_words(&random, p, LEN, 20, &out[0]);
    lab_edits_remove_lines(&random, p, LEN, 9, &out[1]);
    lab_edits_remove_block(&random, p, LEN, 9, &out[2]);
    for (int i = 0; i < 3; i++) {
        ck_assert(out[i].len < LEN);
        ck_assert_uint_eq(distance(&text, &out[i]), LEN - out[i].len); /* only deletions */
    }
    for (int i = 1; i < 3; i++) {
        const size_t gone = count_lines(&text) - count_lines(&out[i]);

        ck_assert(gone == 9 || gone == 8); /* the last line has no newline */
    }
    for (int i = 0; i < 3; i++)
        buffer_release(&out[i]);
    lab_edits_remove_words(&random, p, LEN, LEN, &out[0]);
    lab_edits_remove_lines(&random, p, LEN, LEN, &out[1]);
    lab_edits_remove_block(&random, p, LEN, LEN, &out[2]);
    ck_assert_uint_eq(out[0].len + out[1].len + out[2].len, 0);
    buffer_release(&text);
}
END_TEST

START_TEST(added_blocks_have_the_requested_size)
{
    struct buffer text = text_of(7, LEN), out = {0};
    struct lab_random random;

    lab_random_seed(&random, 7);
    lab_edits_add_blocks(&random, (const uint8_t *)text.data, LEN, 5, 500, &out);
    ck_assert_uint_eq(out.len, LEN + 5 * 500);
    ck_assert_uint_eq(distance(&text, &out), 5 * 500);
    buffer_release(&out);
    buffer_release(&text);
}
END_TEST

RUN_TESTS("lab_data", numbers_are_those_of_the_published_generators, numbers_below_a_limit_are_equally_likely,
          a_text_depends_on_its_seed_only, texts_resemble_english,
          generated_documents_have_the_lengths_of_the_paper,
          substitutions_change_the_requested_share_and_nothing_else, inserted_texts_stand_before_words,
          removals_leave_the_rest_in_order, added_blocks_have_the_requested_size)
