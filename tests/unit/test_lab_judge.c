/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "lab/lab_judge.h"

static struct error err;

/* ---- rows ---- */

#define HEADER                                                                                               \
    "evidence,volume,address,kind,path,path_hex,size,sha1,verdict,set,set_kind,ref_id,ref_name,ref_sha1,"    \
    "obj_start,obj_end,ref_start,ref_end,matched,resemblance,containment,edits,edits_low,edits_high,"        \
    "e_value,proof,status\r\n"
#define FOUND                                                                                                \
    "o,-,12-128-1,file,\"a, \"\"b\"\"\",,900,aa,embedded,s,neutral,1,ref,bb,10,20,0,10,8,0.125,1.000,3,0,9," \
    "2e-300,blocks 1/2,ok\r\n"
#define NOTHING "o,-,13-128-1,slack,c,,0,cc,too-small,,,,,,,,,,,,,,,,,,ok\r\n"

struct seen {
    unsigned rows;
    int result;
};

static int see(void *arg, const struct lab_judge_row *row, struct error *error)
{
    struct seen *seen = arg;

    (void)error;
    if (seen->rows++ == 0) {
        ck_assert_str_eq(row->path, "a, \"b\"");
        ck_assert_str_eq(row->address, "12-128-1");
        ck_assert_str_eq(row->kind, "file");
        ck_assert_str_eq(row->sha1, "aa");
        ck_assert_str_eq(row->verdict, "embedded");
        ck_assert_str_eq(row->ref_name, "ref");
        ck_assert_str_eq(row->ref_sha1, "bb");
        ck_assert_str_eq(row->proof, "blocks 1/2");
        ck_assert_str_eq(row->status, "ok");
        ck_assert(row->has_span);
        ck_assert_uint_eq(row->size, 900);
        ck_assert_uint_eq(row->obj_start, 10);
        ck_assert_uint_eq(row->obj_end, 20);
        ck_assert_uint_eq(row->ref_start, 0);
        ck_assert_uint_eq(row->ref_end, 10);
        ck_assert_uint_eq(row->matched, 8);
        ck_assert_double_eq(row->resemblance, 0.125);
        ck_assert_double_eq(row->e_value, 2e-300);
    } else {
        ck_assert(!row->has_span);
        ck_assert_str_eq(row->verdict, "too-small");
        ck_assert_str_eq(row->kind, "slack");
    }
    return seen->result;
}

static int read_rows(const char *text, size_t len, struct seen *seen)
{
    return lab_judge_rows(text, len, see, seen, &err);
}

START_TEST(rows_are_read_by_the_names_of_the_columns)
{
    static const char text[] = HEADER FOUND NOTHING;
    struct seen seen = {0, 0};

    ck_assert_int_eq(read_rows(text, strlen(text), &seen), 0);
    ck_assert_uint_eq(seen.rows, 2);
    seen = (struct seen){0, -1};
    ck_assert_int_eq(read_rows(text, strlen(text), &seen), -1);
    ck_assert_uint_eq(seen.rows, 1);
}
END_TEST

/* Wherever the text ends, except after a line, that is an error, and it is never read beyond its end. */
START_TEST(incomplete_text_is_an_error)
{
    static const char text[] = HEADER FOUND NOTHING;

    for (size_t len = 0; len <= strlen(text); len++) {
        struct seen seen = {0, 0};
        char *copy = malloc(len + 1);
        const bool is_whole = len == strlen(HEADER) || len == strlen(HEADER FOUND) || len == strlen(text);

        ck_assert_ptr_nonnull(copy);
        memcpy(copy, text, len);
        ck_assert_int_eq(read_rows(copy, len, &seen), is_whole ? 0 : -1);
        free(copy);
    }
}
END_TEST

START_TEST(malformed_rows_are_errors)
{
    static const char *const texts[] = {
        "a,b\r\nc,d\r\n", HEADER "o,-,1,file\r\n",
        HEADER "o,-,13,slack,c,,x,cc,too-small,,,,,,,,,,,,,,,,,,ok\r\n",
        HEADER "o,-,13,slack,c,,1,cc,variant,s,neutral,1,r,bb,1,2,3,,5,1,1,,,,0,estimate,ok\r\n",
        HEADER "o,-,13,slack,c,,1,cc,variant,s,neutral,1,r,bb,1,2,3,4,5,1,1,,,,low,estimate,ok\r\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct seen seen = {1, 0};

        err.text[0] = '\0';
        ck_assert_int_eq(read_rows(texts[i], strlen(texts[i]), &seen), -1);
        ck_assert_msg(strncmp(err.text, "malformed CSV", 13) == 0, "%zu: %s", i, err.text);
    }
}
END_TEST

/* ---- promises: a wrong answer is noticed ---- */

enum { BLOCK = 512, LEN = 5 * BLOCK + 100, HOST = 9000, AT = 1234 };

struct pair {
    uint8_t reference[LEN], host[HOST];
};

static struct pair made_pair(void)
{
    struct pair pair;

    fill_random(pair.reference, LEN);
    fill_random(pair.host, HOST);
    memcpy(pair.host + AT, pair.reference, LEN);
    return pair;
}

static enum lab_judge_promise judged(const struct pair *pair, const char *verdict, const char *proof,
                                     uint64_t start, uint64_t end)
{
    const struct lab_judge_row row = {.verdict = verdict,
                                      .proof = proof,
                                      .has_span = true,
                                      .obj_start = start,
                                      .obj_end = end,
                                      .ref_end = LEN};
    const struct lab_judge_bytes object = {pair->host, HOST}, reference = {pair->reference, LEN};

    return lab_judge_promise(&row, &object, &reference, BLOCK);
}

START_TEST(an_identical_file_must_be_identical)
{
    const struct lab_judge_row row = {
        .verdict = "identical", .proof = "sha1", .has_span = true, .obj_end = LEN};
    struct pair pair = made_pair();
    const struct lab_judge_bytes object = {pair.host + AT, LEN}, reference = {pair.reference, LEN},
                                 shorter = {pair.host + AT, LEN - 1};

    ck_assert_int_eq(lab_judge_promise(&row, &object, &reference, BLOCK), LAB_JUDGE_KEPT);
    ck_assert_int_eq(lab_judge_promise(&row, &shorter, &reference, BLOCK), LAB_JUDGE_FALSE_IDENTICAL);
    pair.host[AT + LEN - 1] ^= 1;
    ck_assert_int_eq(lab_judge_promise(&row, &object, &reference, BLOCK), LAB_JUDGE_FALSE_IDENTICAL);
}
END_TEST

START_TEST(proof_sha1_must_be_the_whole_reference)
{
    struct pair pair = made_pair();

    ck_assert_int_eq(judged(&pair, "embedded", "sha1", AT, AT + LEN), LAB_JUDGE_KEPT);
    ck_assert_int_eq(judged(&pair, "embedded", "sha1", AT + 1, AT + LEN + 1), LAB_JUDGE_FALSE_SHA1);
    ck_assert_int_eq(judged(&pair, "embedded", "sha1", AT, AT + LEN - 1), LAB_JUDGE_FALSE_SHA1);
    ck_assert_int_eq(judged(&pair, "embedded", "sha1", AT + LEN, AT), LAB_JUDGE_FALSE_SHA1);
    ck_assert_int_eq(judged(&pair, "embedded", "sha1", HOST - 1, HOST + LEN), LAB_JUDGE_FALSE_SHA1);
    pair.host[AT + LEN / 2] ^= 0x80;
    ck_assert_int_eq(judged(&pair, "embedded", "sha1", AT, AT + LEN), LAB_JUDGE_FALSE_SHA1);
    ck_assert_int_eq(judged(&pair, "embedded", "estimate", AT, AT + LEN), LAB_JUDGE_NONE);
}
END_TEST

START_TEST(proved_blocks_must_be_there)
{
    struct pair pair = made_pair();

    ck_assert_int_eq(judged(&pair, "embedded", "blocks 6/6", AT, AT + LEN), LAB_JUDGE_KEPT);
    pair.host[AT + BLOCK] ^= 1;
    ck_assert_int_eq(judged(&pair, "embedded", "blocks 5/6", AT, AT + LEN), LAB_JUDGE_KEPT);
    ck_assert_int_eq(judged(&pair, "embedded", "blocks 6/6", AT, AT + LEN), LAB_JUDGE_FALSE_BLOCKS);
    pair.host[AT + LEN - 1] ^= 1; /* in the last block, which is short */
    ck_assert_int_eq(judged(&pair, "embedded", "blocks 4/6", AT, AT + LEN), LAB_JUDGE_KEPT);
    ck_assert_int_eq(judged(&pair, "embedded", "blocks 5/6", AT, AT + LEN), LAB_JUDGE_FALSE_BLOCKS);
    /* the span may begin elsewhere: blocks after an insertion are displaced */
    ck_assert_int_eq(judged(&pair, "embedded", "blocks 4/6", AT - 77, AT + LEN), LAB_JUDGE_KEPT);
    ck_assert_int_eq(judged(&pair, "embedded", "blocks 5/6", AT - 77, AT + LEN), LAB_JUDGE_FALSE_BLOCKS);
}
END_TEST

START_TEST(malformed_proofs_are_no_proofs)
{
    static const char *const proofs[] = {"blocks ",     "blocks 6",    "blocks 7/6",  "blocks 1/5",
                                         "blocks 6/6 ", "blocks -1/6", "blocks 1/-6", "blocks x/6"};
    struct pair pair = made_pair();

    for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++)
        ck_assert_msg(judged(&pair, "embedded", proofs[i], AT, AT + LEN) == LAB_JUDGE_FALSE_BLOCKS, "'%s'",
                      proofs[i]);
}
END_TEST

/* ---- common strings ---- */

static int shared(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    const struct lab_judge_bytes x = {a, a_len}, y = {b, b_len};

    return lab_judge_share(&x, &y, 64, &err);
}

START_TEST(a_common_string_is_found_at_any_place)
{
    for (size_t at = 0; at <= 700 - 64; at += 3)
        for (size_t to = 0; to <= 500 - 64; to += 61) {
            uint8_t *a = random_block(700), *b = random_block(500);

            ck_assert_int_eq(shared(a, 700, b, 500), 0);
            memcpy(b + to, a + at, 64);
            ck_assert_int_eq(shared(a, 700, b, 500), 1);
            ck_assert_int_eq(shared(b, 500, a, 700), 1);
            b[to + 8 + random64() % 48] ^= 1;
            ck_assert_int_eq(shared(a, 700, b, 500), 0);
            free(a);
            free(b);
        }
}
END_TEST

START_TEST(short_contents_share_nothing)
{
    uint8_t *a = random_block(100);

    ck_assert_int_eq(shared(a, 63, a, 100), 0);
    ck_assert_int_eq(shared(a, 100, a, 63), 0);
    ck_assert_int_eq(shared(a, 64, a, 64), 1);
    ck_assert_int_eq(shared(a, 0, a, 0), 0);
    free(a);
}
END_TEST

/* Padding is in contents that have nothing to do with each other; what lies beside it is not. */
START_TEST(padding_is_no_common_string)
{
    for (unsigned values = 1; values <= 12; values++)
        for (size_t at = 0; at < 64; at += 9) {
            uint8_t *a = random_block(700), *b = random_block(700);

            for (size_t i = 0; i < 300; i++)
                a[100 + at + i] = b[300 + i] = (uint8_t)(7 * (random64() % values));
            a[99 + at] = (uint8_t)~b[299];
            a[400 + at] = (uint8_t)~b[600];
            ck_assert_int_eq(shared(a, 700, b, 700), values >= 10);
            ck_assert_int_eq(shared(b, 700, a, 700), values >= 10);
            /* nine more before, after or in the middle are enough */
            for (size_t i = 0; i < 9; i++)
                a[(at < 20   ? 91
                   : at < 40 ? 400
                             : 250) +
                  at + i] = b[(at < 20   ? 291
                               : at < 40 ? 600
                                         : 450) +
                              i] = (uint8_t)(100 + i);
            ck_assert_int_eq(shared(a, 700, b, 700), 1);
            ck_assert_int_eq(shared(b, 700, a, 700), 1);
            free(a);
            free(b);
        }
}
END_TEST

/* Many pieces of one content begin alike: those are tried one after another. */
START_TEST(repetitive_contents_do_not_take_forever)
{
    enum { ZEROS = 1 << 20 };
    uint8_t *a = calloc(1, ZEROS), *b = calloc(1, ZEROS);

    ck_assert(a && b);
    for (size_t i = 0; i < ZEROS; i += 63)
        b[i] = 1;
    ck_assert_int_eq(shared(a, ZEROS, b, ZEROS), 0);
    free(a);
    free(b);
}
END_TEST

RUN_TESTS("lab_judge", rows_are_read_by_the_names_of_the_columns, incomplete_text_is_an_error,
          malformed_rows_are_errors, an_identical_file_must_be_identical,
          proof_sha1_must_be_the_whole_reference, proved_blocks_must_be_there, malformed_proofs_are_no_proofs,
          a_common_string_is_found_at_any_place, short_contents_share_nothing, padding_is_no_common_string,
          repetitive_contents_do_not_take_forever)
