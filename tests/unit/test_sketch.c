/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "sketch/permutation.h"
#include "sketch/shingles.h"
#include "sketch/sketch.h"
#include "sketching.h"

/* ---- Broder's examples ---- */

static double resemblance_of_words(const char *a, const char *b, uint32_t window, bool labelled)
{
    struct sketch_params params = sketch_defaults(SKETCH_SHINGLES);

    params.tokens.unit = TOKENS_WORDS;
    params.window = window;
    params.labelled = labelled;
    return likeness_of(&params, a, strlen(a), b, strlen(b)).resemblance;
}

START_TEST(roses_resemble_each_other_as_the_paper_says)
{
    static const char a[] = "a rose is a rose is a rose", b[] = "a rose is a flower which is a rose";

    ck_assert_double_eq_tol(resemblance_of_words(a, b, 1, true), 0.70, 1e-9);
    ck_assert_double_eq_tol(resemblance_of_words(a, b, 2, true), 0.50, 1e-9);
    ck_assert_double_eq_tol(resemblance_of_words(a, b, 3, true), 0.30, 1e-9);
    ck_assert_double_eq_tol(resemblance_of_words(a, b, 1, false), 0.60, 1e-9);
    ck_assert_double_eq_tol(resemblance_of_words(a, b, 2, false), 0.50, 1e-9);
    ck_assert_double_eq_tol(resemblance_of_words(a, b, 3, false), 0.4285, 1e-4);
}
END_TEST

START_TEST(some_permutations_resemble_each_other_completely)
{
    ck_assert_double_eq(resemblance_of_words("a c a b a", "a b a c a", 2, true), 1);
    ck_assert_double_lt(resemblance_of_words("a c a b a", "a b a c a", 3, true), 1);
    ck_assert_double_eq(resemblance_of_words("x y z", "z x y", 1, true), 1);
}
END_TEST

/* ---- twins ---- */

enum { MOST = 6000 };

struct list {
    uint64_t ids[MOST], tokens[MOST];
    size_t count, token_count;
};

static int collect(void *arg, const struct shingles_batch *batch, struct error *err)
{
    struct list *list = arg;

    (void)err;
    ck_assert_uint_le(list->token_count + batch->token_count, MOST);
    for (size_t i = 0; i < batch->count; i++)
        list->ids[list->count++] = batch->ids[i];
    for (size_t i = 0; i < batch->token_count; i++)
        list->tokens[list->token_count++] = batch->tokens[i];
    return 0;
}

static void collect_all(const struct sketch_params *params, const uint8_t *data, size_t len,
                        struct list *list)
{
    const struct shingles_params wanted = {params->tokens, params->labelled, params->window, params->bits,
                                           params->seed};
    struct error err;
    struct shingles *shingles = shingles_new(&wanted, true, collect, list, &err);

    list->count = list->token_count = 0;
    shingles_begin(shingles);
    ck_assert_int_eq(shingles_update(shingles, data, len, &err), 0);
    ck_assert_int_eq(shingles_final(shingles, &err), 0);
    shingles_free(shingles);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *values, size_t count)
{
    size_t kept = 0;

    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i] != values[i - 1])
            values[kept++] = values[i];
    return kept;
}

/* Keeps the multiples of the modulus. */
static size_t filter(uint64_t *values, size_t count, uint32_t modulus)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (values[i] % modulus == 0)
            values[kept++] = values[i];
    return kept;
}

static size_t twin_of_minima(const struct sketch_params *params, const struct list *list, uint64_t *out)
{
    const bool is_bits = params->scheme == SKETCH_HAMMING;
    const size_t words = is_bits ? (params->size + 63) / 64 : params->size;

    memset(out, 0, words * sizeof *out);
    for (uint32_t i = 0; i < params->size && list->count > 0; i++) {
        struct permutation permutation;
        uint64_t least = UINT64_MAX, image;

        permutation_init(&permutation, params->bits, params->seed, SHINGLES_STREAMS, i);
        for (size_t k = 0; k < list->count; k++) {
            image = permutation_apply(&permutation, list->ids[k]);
            least = image < least ? image : least;
        }
        if (!is_bits)
            out[i] = least;
        else if (__builtin_parityll(least & permutation_random(params->seed, SHINGLES_STREAMS + 1, i)))
            out[i / 64] |= UINT64_C(1) << i % 64;
    }
    return list->count > 0 ? words : 0;
}

/* The smallest window that ends in each chunk. */
static size_t twin_of_bsw(const struct sketch_params *params, const struct list *list, uint64_t *out)
{
    uint64_t least = UINT64_MAX;
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        least = list->ids[i] < least ? list->ids[i] : least;
        if (list->ids[i] % params->rate == 0 || i == list->count - 1) {
            out[count++] = least;
            least = UINT64_MAX;
        }
    }
    return sort_unique(out, count);
}

static size_t multiples(const uint64_t *values, size_t count, uint32_t modulus)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += values[i] % modulus == 0;
    return found;
}

/* The values are distinct. */
static uint32_t twin_modulus(const struct sketch_params *params, const uint64_t *values, size_t count)
{
    uint32_t modulus = 1;

    while (params->scheme == SKETCH_NESTED && multiples(values, count, modulus) > params->size)
        modulus *= 2;
    return params->rate ? params->rate : modulus;
}

static size_t twin(const struct sketch_params *params, const struct list *list, uint64_t *out)
{
    size_t count;

    if (params->scheme == SKETCH_MINWISE || params->scheme == SKETCH_HAMMING)
        return twin_of_minima(params, list, out);
    if (params->scheme == SKETCH_BSW)
        return twin_of_bsw(params, list, out);
    memcpy(out, list->ids, list->count * sizeof *out);
    count = sort_unique(out, list->count);
    count = filter(out, count, twin_modulus(params, out, count));
    return (params->scheme == SKETCH_MIN || params->scheme == SKETCH_MINMOD) && count > params->size
               ? params->size
               : count;
}

static struct sketch_params random_params(enum sketch_scheme scheme)
{
    struct sketch_params params = sketch_defaults(scheme);

    params.tokens.unit = random64() % 4 ? TOKENS_BYTES : TOKENS_WORDS;
    params.labelled = random64() % 3 == 0;
    params.window = 1 + (uint32_t)(random64() % 12);
    params.bits = random64() % 2 ? 64 : 16 + (uint32_t)(random64() % 48);
    params.seed = random64();
    if (sketch_uses(scheme) & SKETCH_USE_RATE)
        params.rate = 1 + (uint32_t)(random64() % 60);
    if (sketch_uses(scheme) & SKETCH_USE_SIZE)
        params.size = random64() % 8 ? 1 + (uint32_t)(random64() % 150) : 1;
    return params;
}

START_TEST(sketches_are_those_of_naive_twins)
{
    static struct list list;
    static uint64_t wanted[MOST];
    static uint8_t data[MOST];

    for (int round = 0; round < 240; round++) {
        const struct sketch_params params = random_params((enum sketch_scheme)(round % SKETCH_CHUNKS));
        const size_t len = round % 5 ? random64() % MOST : random64() % 20;
        struct sketcher *sketcher = sketcher_of(&params);
        struct sketch sketch;
        size_t count;

        if (round % 4)
            fill_text(data, len);
        else
            memset(data, 'a' + round % 2, len);
        sketch = sketch_of(sketcher, data, len);
        collect_all(&params, data, len, &list);
        count = twin(&params, &list, wanted);
        ck_assert_uint_eq(sketch.shingles, list.count);
        ck_assert_uint_eq(sketch.len, len);
        ck_assert_msg(sketch.count == count, "%s: %zu values, not %zu", sketch_scheme_name(params.scheme),
                      sketch.count, count);
        if (count > 0)
            ck_assert_mem_eq(sketch.values, wanted, count * sizeof *wanted);
        sketch_release(&sketch);
        sketch_free(sketcher);
    }
}
END_TEST

/* Chunks are compared by their bytes: the sets of boundaries are those of the windows. */
START_TEST(chunks_are_equal_if_their_bytes_are)
{
    static struct list list;
    static uint8_t data[MOST];
    struct sketch_params params = sketch_defaults(SKETCH_CHUNKS);

    params.window = 5;
    params.rate = 30;
    for (int round = 0; round < 20; round++) {
        const size_t len = 1000 + random64() % 2000, half = round % 2 ? len : 0;
        struct sketcher *sketcher = sketcher_of(&params);
        struct sketch sketch;
        size_t starts[MOST], lens[MOST], count = 0, distinct = 0, start = 0;

        fill_text(data, len);
        memcpy(data + len, data, half); /* every chunk of the second half but the first occurs twice */
        collect_all(&params, data, len + half, &list);
        for (size_t i = 0; i < list.count; i++)
            if (list.ids[i] % params.rate == 0 || i == list.count - 1) {
                starts[count] = start;
                lens[count++] = i + params.window - start;
                start = i + params.window;
            }
        for (size_t i = 0; i < count; i++) {
            size_t k = 0;

            while (lens[k] != lens[i] || memcmp(data + starts[k], data + starts[i], lens[i]) != 0)
                k++;
            distinct += k == i;
        }
        sketch = sketch_of(sketcher, data, len + half);
        ck_assert_uint_eq(sketch.count, distinct);
        sketch_release(&sketch);
        sketch_free(sketcher);
    }
}
END_TEST

START_TEST(sketches_do_not_depend_on_how_input_is_cut)
{
    static uint8_t data[MOST];

    fill_text(data, MOST);
    for (int scheme = 0; scheme < SKETCH_SCHEMES; scheme++) {
        const struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        struct sketcher *sketcher = sketcher_of(&params);
        struct sketch whole = sketch_of(sketcher, data, MOST), cut = {0};
        struct error err;

        ck_assert_int_eq(sketch_begin(sketcher, FEED_UNKNOWN, &err), 0);
        for (size_t at = 0, part; at < MOST; at += part) {
            part = 1 + random64() % 99;
            part = part < MOST - at ? part : MOST - at;
            ck_assert_int_eq(sketch_update(sketcher, data + at, part, &err), 0);
        }
        ck_assert_int_eq(sketch_final(sketcher, &cut, &err), 0);
        ck_assert(cut.digests.kinds == DIGEST_BIT(DIGEST_SHA1) && whole.digests.kinds == 0);
        ck_assert_uint_eq(whole.count, cut.count);
        ck_assert_uint_eq(whole.record.count, cut.record.count);
        ck_assert_uint_gt(whole.count + whole.record.count, 0);
        if (whole.count > 0)
            ck_assert_mem_eq(whole.values, cut.values, whole.count * sizeof *whole.values);
        sketch_release(&whole);
        sketch_release(&cut);
        sketch_free(sketcher);
    }
}
END_TEST

/* One update of more than sketch_update passes on at a time. */
START_TEST(long_documents_are_sketched_whole)
{
    enum { LEN = 60000 };
    uint8_t *data = random_block(LEN);

    for (int scheme = 0; scheme < SKETCH_SCHEMES; scheme++) {
        const struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        struct sketcher *sketcher = sketcher_of(&params);
        struct sketch whole = sketch_of(sketcher, data, LEN), cut = {0};
        struct sketch_likeness likeness;
        struct error err;

        ck_assert_int_eq(sketch_begin(sketcher, LEN, &err), 0);
        for (size_t at = 0; at < LEN; at += 10000)
            ck_assert_int_eq(sketch_update(sketcher, data + at, 10000, &err), 0);
        ck_assert_int_eq(sketch_final(sketcher, &cut, &err), 0);
        ck_assert_int_eq(sketch_compare(sketcher, &whole, &cut, &likeness, &err), 0);
        ck_assert(whole.len == LEN && whole.shingles == cut.shingles && whole.count == cut.count);
        ck_assert(likeness.common == likeness.compared && likeness.edits == 0);
        sketch_release(&whole);
        sketch_release(&cut);
        sketch_free(sketcher);
    }
    free(data);
}
END_TEST

/* Bit by bit and entry by entry, for sizes about a word's. */
START_TEST(agreeing_entries_are_counted)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 130, 400};
    static uint8_t a[1000], b[1000];

    fill_text(a, sizeof a);
    memcpy(b, a, sizeof b);
    fill_text(b, sizeof b / 3);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        struct sketch_params params = sketch_defaults(i % 2 ? SKETCH_MINWISE : SKETCH_HAMMING);
        struct sketcher *sketcher;
        struct sketch one, other;
        struct sketch_likeness likeness;
        uint64_t equal = 0;

        params.size = sizes[i / 2];
        sketcher = sketcher_of(&params);
        one = sketch_of(sketcher, a, sizeof a);
        other = sketch_of(sketcher, b, sizeof b);
        for (uint32_t k = 0; k < params.size; k++)
            equal += i % 2 ? one.values[k] == other.values[k]
                           : !((one.values[k / 64] ^ other.values[k / 64]) >> k % 64 & 1);
        ck_assert_int_eq(sketch_compare(sketcher, &one, &other, &likeness, NULL), 0);
        ck_assert(likeness.common == equal && likeness.compared == params.size);
        ck_assert_double_eq_tol(likeness.resemblance,
                                i % 2 ? (double)equal / params.size : 2.0 * (double)equal / params.size - 1,
                                1e-12);
        ck_assert(likeness.resemblance_low <= likeness.resemblance && !likeness.is_exact);
        ck_assert(likeness.resemblance <= likeness.resemblance_high &&
                  likeness.resemblance_low < likeness.resemblance_high);
        sketch_release(&one);
        sketch_release(&other);
        sketch_free(sketcher);
    }
}
END_TEST

START_TEST(nested_sketches_reduce_to_direct_ones)
{
    static uint8_t data[MOST];
    struct sketch_params nested = sketch_defaults(SKETCH_NESTED), mod = sketch_defaults(SKETCH_MOD);

    fill_text(data, MOST);
    for (size_t len = 40; len < MOST; len = len * 3 / 2) {
        struct sketcher *of_nested = sketcher_of(&nested), *of_mod;
        struct sketch_likeness likeness, direct;
        struct sketch whole = sketch_of(of_nested, data, MOST), part = sketch_of(of_nested, data, len);
        struct error err;

        ck_assert_int_eq(sketch_compare(of_nested, &part, &whole, &likeness, &err), 0);
        mod.rate = whole.modulus;
        of_mod = sketcher_of(&mod);
        direct = compare(of_mod, data, len, data, MOST);
        ck_assert_uint_eq(likeness.common, direct.common);
        ck_assert_uint_eq(likeness.compared, direct.compared);
        ck_assert(likeness.has_containment == direct.has_containment);
        ck_assert_double_eq(likeness.a_in_b, direct.a_in_b);
        ck_assert_uint_le(part.count, nested.size);
        ck_assert(part.modulus == 1 || part.count > nested.size / 4);
        sketch_release(&whole);
        sketch_release(&part);
        sketch_free(of_nested);
        sketch_free(of_mod);
    }
}
END_TEST

/* Whatever the length, about the size of the distinct shingles remains. */
START_TEST(nested_sketches_of_repeated_content_have_values)
{
    enum { PERIOD = 1000, LEN = 300 * PERIOD };
    uint8_t *data = random_block(LEN);
    const struct sketch_params params = sketch_defaults(SKETCH_NESTED);
    struct sketcher *sketcher = sketcher_of(&params);
    struct sketch once, often;

    for (size_t i = PERIOD; i < LEN; i++)
        data[i] = data[i - PERIOD];
    once = sketch_of(sketcher, data, PERIOD + params.window - 1);
    often = sketch_of(sketcher, data, LEN);
    ck_assert(once.shingles == PERIOD && often.modulus == once.modulus && often.count == once.count);
    ck_assert(often.count <= params.size && often.count > params.size / 4);
    ck_assert_mem_eq(once.values, often.values, often.count * sizeof *often.values);
    sketch_release(&once);
    sketch_release(&often);
    sketch_free(sketcher);
    free(data);
}
END_TEST

/* ---- parameters ---- */

START_TEST(empty_and_tiny_documents_are_too_small)
{
    for (int scheme = 0; scheme < SKETCH_SCHEMES; scheme++) {
        const struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        const struct sketch_likeness empty = likeness_of(&params, "", 0, "", 0),
                                     tiny = likeness_of(&params, "x", 1, "x", 1);

        ck_assert(empty.too_small && tiny.too_small);
        ck_assert(!empty.has_resemblance && !empty.has_containment && !empty.has_edits);
        ck_assert(!tiny.has_resemblance && !tiny.has_containment && !tiny.has_edits);
    }
}
END_TEST

static void assert_refused(struct sketch_params params, const char *why)
{
    struct error err = {""};

    ck_assert_int_eq(sketch_check(&params, &err), -1);
    ck_assert_msg(strstr(err.text, why) != NULL, "'%s' does not say '%s'", err.text, why);
    ck_assert_ptr_null(sketch_new(&params, &err));
}

START_TEST(parameters_out_of_range_are_refused)
{
    struct sketch_params params;

#define REFUSED(scheme, change, why)                                                                         \
    params = sketch_defaults(scheme);                                                                        \
    params.change;                                                                                           \
    assert_refused(params, why)

    REFUSED(SKETCH_MIN, size = 0, "size from 1");
    REFUSED(SKETCH_MIN, size = SKETCH_MAX_SIZE + 1, "size from 1");
    REFUSED(SKETCH_MIN, rate = 2, "does not use a rate");
    REFUSED(SKETCH_MOD, rate = 0, "rate from 1");
    REFUSED(SKETCH_MOD, size = 5, "does not use a size");
    REFUSED(SKETCH_MOD, window = 0, "window from 1");
    REFUSED(SKETCH_MOD, window = SHINGLES_MAX_WINDOW + 1, "window from 1");
    REFUSED(SKETCH_MOD, bits = 15, "bits from 16 to 64");
    REFUSED(SKETCH_MOD, bits = 65, "bits from 16 to 64");
    REFUSED(SKETCH_MOD, bits = 16; params.rate = 1025, "rate of at most 1024 with 16 bits");
    REFUSED(SKETCH_CHUNKS, bits = 30; params.rate = SKETCH_MAX_RATE, "rate of at most 16777216 with 30 bits");
    REFUSED(SKETCH_MOD, residue = 1, "does not use a residue");
    REFUSED(SKETCH_GF8, tokens.unit = TOKENS_WORDS, "does not use tokens");
    REFUSED(SKETCH_GF8, seed = 1, "does not use a seed");
    REFUSED(SKETCH_GF8, labelled = true, "does not use labels");
    REFUSED(SKETCH_COATES2015, residue = 200, "k is 200");
    REFUSED(SKETCH_MIN, scheme = SKETCH_SCHEMES, "unknown");
    REFUSED(SKETCH_MIN, tokens.unit = TOKENS_UNITS, "unknown");
#undef REFUSED
    for (int scheme = 0; scheme < SKETCH_SCHEMES; scheme++) {
        struct error err = {""};

        params = sketch_defaults((enum sketch_scheme)scheme);
        ck_assert_int_eq((int)params.scheme, scheme);
        ck_assert_uint_eq(params.seed, sketch_uses(params.scheme) & SKETCH_USE_TOKENS ? 1 : 0);
        ck_assert_msg(sketch_check(&params, &err) == 0, "%s", err.text);
        ck_assert_int_eq(sketch_scheme_find(sketch_scheme_name(params.scheme)), scheme);
    }
    ck_assert_int_eq(sketch_scheme_find("Min"), -1);
}
END_TEST

/* Sketches of the same text, unless a parameter differs. */
static void assert_compared(struct sketch_params a, struct sketch_params b, const char *differing)
{
    static const char text[] = "a rose is a rose is a rose";
    struct sketcher *one = sketcher_of(&a), *other = sketcher_of(&b);
    struct sketch x = sketch_of(one, text, sizeof text - 1), y = sketch_of(other, text, sizeof text - 1);
    struct sketch_likeness likeness;
    struct error err = {""};
    const int wanted = differing ? -1 : 0;

    ck_assert_int_eq(sketch_compare(one, &x, &y, &likeness, &err), wanted);
    ck_assert_int_eq(sketch_compare(other, &x, &y, &likeness, &err), wanted);
    ck_assert_int_eq(sketch_compare(one, &y, &y, &likeness, &err), wanted);
    ck_assert_int_eq(sketch_compare(one, &x, &x, &likeness, &err), 0);
    if (differing)
        ck_assert_msg(strstr(err.text, differing) != NULL, "'%s' does not say '%s'", err.text, differing);
    sketch_release(&x);
    sketch_release(&y);
    sketch_free(one);
    sketch_free(other);
}

START_TEST(sketches_with_different_parameters_are_not_compared)
{
    struct sketch_params params;

#define DIFFERING(of, change, what)                                                                          \
    params = sketch_defaults(of);                                                                            \
    params.window = 10;                                                                                      \
    params.change;                                                                                           \
    {                                                                                                        \
        struct sketch_params same = sketch_defaults(of);                                                     \
                                                                                                             \
        same.window = 10;                                                                                    \
        assert_compared(same, params, what);                                                                 \
    }

    DIFFERING(SKETCH_MIN, seed = 1, NULL);
    DIFFERING(SKETCH_MIN, seed = 2, "seed");
    DIFFERING(SKETCH_MIN, bits = 63, "number of bits");
    DIFFERING(SKETCH_MIN, size = 99, "size");
    DIFFERING(SKETCH_MIN, window = 11, "window");
    DIFFERING(SKETCH_MIN, labelled = true, "labelling of shingles");
    DIFFERING(SKETCH_MIN, tokens.unit = TOKENS_LETTERS, "unit of tokens");
    DIFFERING(SKETCH_MIN, tokens.fold_case = true, "canonical form");
    DIFFERING(SKETCH_MIN, tokens.fold_space = true, "canonical form");
    DIFFERING(SKETCH_MIN, tokens.drop_punctuation = true, "canonical form");
    DIFFERING(SKETCH_MIN, tokens.drop_markup = true, "canonical form");
    DIFFERING(SKETCH_MOD, rate = 99, "rate");
    DIFFERING(SKETCH_MIN, scheme = SKETCH_MINWISE, "scheme");
    DIFFERING(SKETCH_COATES2015, residue = 1, "residue");
    DIFFERING(SKETCH_COATES2015, rate = 99, "rate");
#undef DIFFERING
}
END_TEST

RUN_TESTS("sketch", roses_resemble_each_other_as_the_paper_says,
          some_permutations_resemble_each_other_completely, sketches_are_those_of_naive_twins,
          chunks_are_equal_if_their_bytes_are, sketches_do_not_depend_on_how_input_is_cut,
          long_documents_are_sketched_whole, agreeing_entries_are_counted,
          nested_sketches_reduce_to_direct_ones, nested_sketches_of_repeated_content_have_values,
          empty_and_tiny_documents_are_too_small, parameters_out_of_range_are_refused,
          sketches_with_different_parameters_are_not_compared)
