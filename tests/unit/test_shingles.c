/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/array.h"
#include "check_main.h"
#include "sketch/permutation.h"
#include "sketch/rabin.h"
#include "sketch/shingles.h"
#include "sketch/tally.h"

struct list {
    uint64_t *ids, *tokens;
    size_t count, room, token_count, token_room;
};

static int collect(void *arg, const struct shingles_batch *batch, struct error *err)
{
    struct list *list = arg;

    (void)err;
    ck_assert_uint_le(batch->count, batch->token_count);
    ck_assert(list->count == 0 || batch->count == batch->token_count);
    ck_assert_int_eq(array_reserve(&list->ids, &list->room, list->count + batch->count), 0);
    ck_assert_int_eq(array_reserve(&list->tokens, &list->token_room, list->token_count + batch->token_count),
                     0);
    if (batch->count > 0)
        memcpy(list->ids + list->count, batch->ids, batch->count * sizeof *batch->ids);
    memcpy(list->tokens + list->token_count, batch->tokens, batch->token_count * sizeof *batch->tokens);
    list->count += batch->count;
    list->token_count += batch->token_count;
    return 0;
}

static struct list shingles_of(const struct shingles_params *params, const uint8_t *data, size_t len,
                               size_t most)
{
    struct list list = {0};
    struct error err;
    struct shingles *shingles = shingles_new(params, true, collect, &list, &err);

    ck_assert_ptr_nonnull(shingles);
    shingles_begin(shingles);
    for (size_t part; len > 0; data += part, len -= part) {
        part = most ? 1 + random64() % most : len;
        part = part < len ? part : len;
        ck_assert_int_eq(shingles_update(shingles, data, part, &err), 0);
    }
    ck_assert_int_eq(shingles_final(shingles, &err), 0);
    shingles_free(shingles);
    return list;
}

static void release(struct list *list)
{
    free(list->ids);
    free(list->tokens);
}

static struct rabin rabin_of(const struct shingles_params *params, uint64_t stream)
{
    struct rabin rabin;

    rabin_init(&rabin, params->bits, rabin_draw(params->bits, params->seed, stream));
    return rabin;
}

static uint64_t permuted(const struct shingles_params *params, uint64_t stream, uint64_t x)
{
    struct permutation permutation;

    permutation_init(&permutation, params->bits, params->seed, stream, 0);
    return permutation_apply(&permutation, x);
}

/* Streams 0..3 of the seed: polynomial, that of labels, permutation of tokens, permutation of shingles. */
START_TEST(shingles_of_bytes_are_permuted_fingerprints_of_windows)
{
    enum { LEN = 20000 };
    const struct shingles_params params = {.window = 20, .bits = 64, .seed = 3};
    const struct rabin rabin = rabin_of(&params, 0);
    uint8_t *data = random_block(LEN);
    struct list list = shingles_of(&params, data, LEN, 0);

    ck_assert_uint_eq(list.count, LEN - 19);
    ck_assert_uint_eq(list.token_count, LEN);
    for (size_t i = 0; i < list.count; i += 7)
        ck_assert_uint_eq(list.ids[i], permuted(&params, 3, rabin_append(&rabin, rabin.empty, data + i, 20)));
    for (size_t i = 0; i < LEN; i++)
        ck_assert_uint_eq(list.tokens[i], data[i]);
    release(&list);
    free(data);
}
END_TEST

START_TEST(shingles_of_words_are_fingerprints_of_fingerprints)
{
    static const char text[] = "a rose, is a rose";
    static const char *const words[] = {"a", "rose", "is", "a", "rose"};
    const struct shingles_params params = {
        .tokens = {.unit = TOKENS_WORDS}, .window = 3, .bits = 40, .seed = 8};
    const struct rabin rabin = rabin_of(&params, 0);
    struct list list = shingles_of(&params, (const uint8_t *)text, sizeof text - 1, 0);
    uint8_t wide[5][8] = {{0}};

    ck_assert_uint_eq(list.count, 3);
    ck_assert_uint_eq(list.token_count, 5);
    for (size_t i = 0; i < 5; i++) {
        const uint64_t token = permuted(
            &params, 2, rabin_append(&rabin, rabin.empty, (const uint8_t *)words[i], strlen(words[i])));

        ck_assert_uint_eq(list.tokens[i], token);
        for (unsigned k = 0; k < 8; k++)
            wide[i][k] = (uint8_t)(token >> (8 * k));
    }
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(list.ids[i], permuted(&params, 3, rabin_append(&rabin, rabin.empty, wide[i], 24)));
    release(&list);
}
END_TEST

START_TEST(shingles_of_cut_words_are_fingerprints_of_their_bytes)
{
    static const char text[] = "on resemblance";
    const struct shingles_params params = {
        .tokens = {.unit = TOKENS_WORDS8}, .window = 3, .bits = 64, .seed = 8};
    const struct rabin rabin = rabin_of(&params, 0);
    struct list list = shingles_of(&params, (const uint8_t *)text, sizeof text - 1, 0);

    ck_assert(list.count == 1 && list.token_count == 3);
    ck_assert_uint_eq(list.tokens[0], 'o' | 'n' << 8);
    ck_assert_uint_eq(list.ids[0],
                      permuted(&params, 3,
                               rabin_append(&rabin, rabin.empty,
                                            (const uint8_t *)"on\0\0\0\0\0\0resemblance\0\0\0\0\0", 24)));
    release(&list);
}
END_TEST

/* A line has one fingerprint, whatever its length: what is inserted into it changes no other. */
START_TEST(a_long_line_is_one_token)
{
    enum { LEN = 10000 };
    static uint8_t text[LEN + 4];
    const struct shingles_params params = {
        .tokens = {.unit = TOKENS_LINES}, .window = 1, .bits = 64, .seed = 3};
    const struct rabin rabin = rabin_of(&params, 0);
    struct list list;

    fill_text(text, LEN);
    for (size_t i = 0; i < LEN; i++)
        text[i] = text[i] == '\n' ? ' ' : text[i];
    memcpy(text + LEN, "\nend", 4);
    list = shingles_of(&params, text, sizeof text, 0);
    ck_assert_uint_eq(list.token_count, 2);
    ck_assert_uint_eq(list.tokens[0], permuted(&params, 2, rabin_append(&rabin, rabin.empty, text, LEN)));
    ck_assert_uint_eq(list.tokens[1],
                      permuted(&params, 2, rabin_append(&rabin, rabin.empty, text + LEN + 1, 3)));
    release(&list);
}
END_TEST

/* A change that is linear in one token is not undone by the same one in its neighbour. */
START_TEST(differences_in_neighbouring_tokens_do_not_cancel)
{
    static const char one[] = "foX Xabcdefgh", other[] = "foY Yabcdefgh";
    const struct shingles_params params = {
        .tokens = {.unit = TOKENS_WORDS}, .window = 2, .bits = 64, .seed = 1};
    struct list a = shingles_of(&params, (const uint8_t *)one, sizeof one - 1, 0);
    struct list b = shingles_of(&params, (const uint8_t *)other, sizeof other - 1, 0);

    ck_assert(a.count == 1 && b.count == 1);
    ck_assert_uint_ne(a.ids[0], b.ids[0]);
    release(&a);
    release(&b);
}
END_TEST

START_TEST(labelled_shingles_are_all_different_and_count_occurrences)
{
    const struct shingles_params params = {.labelled = true, .window = 2, .bits = 64, .seed = 1};
    struct list a = shingles_of(&params, (const uint8_t *)"ababab", 6, 0); /* ab, ba, ab, ba, ab */
    struct list b = shingles_of(&params, (const uint8_t *)"bab", 3, 0);    /* ba, ab */

    ck_assert(a.count == 5 && b.count == 2);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            ck_assert_uint_ne(a.ids[i], a.ids[k]);
    ck_assert_uint_eq(b.ids[0], a.ids[1]);
    ck_assert_uint_eq(b.ids[1], a.ids[0]);
    release(&a);
    release(&b);
}
END_TEST

START_TEST(shingles_do_not_depend_on_how_input_is_cut)
{
    enum { LEN = 30000 };
    uint8_t *data = malloc(LEN);

    ck_assert_ptr_nonnull(data);
    fill_text(data, LEN);
    for (int round = 0; round < 60; round++) {
        const struct shingles_params params = {
            .tokens = {.unit = (enum tokens_unit)(round % TOKENS_UNITS), .fold_case = round & 8},
            .labelled = round & 16,
            .window = 1 + (uint32_t)(random64() % (round % 3 ? 20 : SHINGLES_MAX_WINDOW)),
            .bits = 16 + (uint32_t)(random64() % 49),
            .seed = random64()};
        const size_t len = random64() % (LEN + 1);
        struct list whole = shingles_of(&params, data, len, 0);
        struct list cut = shingles_of(&params, data, len, round % 5 ? 9000 : 50);

        ck_assert_uint_eq(whole.token_count, cut.token_count);
        ck_assert_uint_eq(whole.count, cut.count);
        ck_assert_uint_eq(whole.count,
                          whole.token_count < params.window ? 0 : whole.token_count - params.window + 1);
        if (whole.count > 0)
            ck_assert_mem_eq(whole.ids, cut.ids, whole.count * sizeof *whole.ids);
        release(&whole);
        release(&cut);
    }
    free(data);
}
END_TEST

START_TEST(tally_counts_as_a_list_would)
{
    enum { KEYS = 3000 };
    static uint64_t times[KEYS];
    struct tally tally = {0};
    struct error err;

    for (int round = 0; round < 2; round++) {
        memset(times, 0, sizeof times);
        for (int i = 0; i < 20000; i++) {
            const uint64_t key = random64() % KEYS;

            ck_assert(tally_has(&tally, key << 40) == (times[key] > 0));
            ck_assert_uint_eq(tally_add(&tally, key << 40, &err), ++times[key]);
        }
        tally_reset(&tally);
    }
    tally_release(&tally);
}
END_TEST

enum { KEYS = 200000 };

/* If they met in one place, each would be compared with all before it: 20,000,000,000 times. */
static void count_multiples(struct tally *tally, uint64_t of)
{
    struct error err;

    for (uint64_t i = 0; i < KEYS; i++)
        ck_assert_uint_eq(tally_add(tally, of * i, &err), 1);
    ck_assert_uint_eq(tally_add(tally, of, &err), 2);
    ck_assert_uint_eq(tally->count, KEYS);
}

START_TEST(chosen_keys_do_not_meet_in_one_place)
{
    const uint64_t inverse = 0xf1de83e19937733du;
    struct tally one = {0}, other = {0};

    ck_assert_uint_eq(inverse * 0x9e3779b97f4a7c15u, 1);
    count_multiples(&one, inverse);
    count_multiples(&other, (uint64_t)1 << 46);
    ck_assert(one.hash.key != other.hash.key && one.hash.first != other.hash.first);
    tally_release(&one);
    tally_release(&other);
}
END_TEST

RUN_TESTS("shingles", shingles_of_bytes_are_permuted_fingerprints_of_windows,
          shingles_of_words_are_fingerprints_of_fingerprints,
          shingles_of_cut_words_are_fingerprints_of_their_bytes, a_long_line_is_one_token,
          differences_in_neighbouring_tokens_do_not_cancel,
          labelled_shingles_are_all_different_and_count_occurrences,
          shingles_do_not_depend_on_how_input_is_cut, tally_counts_as_a_list_would,
          chosen_keys_do_not_meet_in_one_place)
