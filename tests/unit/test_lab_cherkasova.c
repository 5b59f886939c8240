/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check_main.h"
#include "compare/distance.h"
#include "lab/lab_cherkasova_collection.h"
#include "lab/lab_cherkasova_near.h"
#include "lab/lab_cherkasova_pairs.h"
#include "lab/lab_cherkasova_similar.h"
#include "lab/lab_inner.h"
#include "lab/lab_text.h"

enum { WINDOW = 20, DOCUMENTS = 6 };

/* ---- documents, and the definition of resemblance ---- */

struct texts {
    struct buffer bytes[DOCUMENTS];
    struct lab_text_file files[DOCUMENTS];
    struct lab_cherkasova_corpus corpus;
};

static void set_text(struct texts *texts, size_t i)
{
    texts->files[i] = (struct lab_text_file){"", (const uint8_t *)texts->bytes[i].data, texts->bytes[i].len};
    texts->corpus = (struct lab_cherkasova_corpus){texts->files, DOCUMENTS};
}

/* English-like, or of random bytes, in which no window occurs twice. */
static void make_texts(struct texts *texts, bool is_random)
{
    struct lab_random random;

    memset(texts, 0, sizeof *texts);
    lab_random_seed(&random, 5);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        if (is_random)
            fill_random((uint8_t *)buffer_extend(&texts->bytes[i], 5000), 5000);
        else
            lab_text_generate(&random, 1000 + 300 * i, &texts->bytes[i]);
        set_text(texts, i);
    }
}

static void release_texts(struct texts *texts)
{
    for (size_t i = 0; i < DOCUMENTS; i++)
        buffer_release(&texts->bytes[i]);
}

/* Whether a window is among the first `count` windows of the text. */
static bool has_window(const uint8_t *text, size_t count, const uint8_t *window)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(text + i, window, WINDOW) == 0)
            return true;
    return false;
}

/* |S(A) n S(B)| / |S(A) u S(B)|, window by window. */
static double naive_resemblance(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    const size_t a_windows = a_len - WINDOW + 1, b_windows = b_len - WINDOW + 1;
    size_t in_a = 0, in_both = 0, in_b = 0;

    for (size_t i = 0; i < a_windows; i++)
        if (!has_window(a, i, a + i)) {
            in_a++;
            in_both += has_window(b, b_windows, a + i);
        }
    for (size_t i = 0; i < b_windows; i++)
        in_b += !has_window(b, i, b + i);
    return (double)in_both / (double)(in_a + in_b - in_both);
}

START_TEST(n_is_the_rate_or_the_size)
{
    static const enum sketch_scheme sampled[] = {SKETCH_MOD, SKETCH_BSW, SKETCH_CHUNKS};
    static const enum sketch_scheme fixed[] = {SKETCH_MIN, SKETCH_MINWISE};

    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++) {
        const struct sketch_params params = lab_cherkasova_params(sampled[i], 40, 123);

        ck_assert(params.scheme == sampled[i] && params.tokens.unit == TOKENS_BYTES);
        ck_assert(params.window == 40 && params.rate == 123 && params.size == 0);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const struct sketch_params params = lab_cherkasova_params(fixed[i], 40, 123);

        ck_assert(params.window == 40 && params.rate == 0 && params.size == 123);
    }
}
END_TEST

/* ---- near-duplicates ---- */

static struct lab_near measure(struct lab_near_plan *plan)
{
    struct lab_near near;
    struct error err = {""};

    ck_assert_msg(lab_near_measure(plan, &near, &err) == 0, "%s", err.text);
    return near;
}

/* The copy with "a " at places k len / (i + 1). */
static size_t insert_evenly(const struct lab_text_file *file, size_t i, uint8_t *out)
{
    size_t len = 0, next = 1;

    for (size_t at = 0; at <= file->len; at++) {
        for (; next <= i && at == file->len * next / (i + 1); next++) {
            out[len++] = 'a';
            out[len++] = ' ';
        }
        if (at < file->len)
            out[len++] = file->data[at];
    }
    return len;
}

START_TEST(average_similarity_is_that_of_the_definition)
{
    const struct sketch_params exact = lab_cherkasova_params(SKETCH_SHINGLES, WINDOW, 0);
    struct texts texts;
    struct lab_near_plan plan = {&texts.corpus, LAB_NEAR_EVENLY, &exact, 1, {1, 10}, 2, 1};
    struct lab_near near;
    uint8_t copy[4000];

    make_texts(&texts, false);
    near = measure(&plan);
    for (size_t step = 0; step < 2; step++) {
        double sum = 0;

        for (size_t k = 0; k < DOCUMENTS; k++) {
            const size_t len = insert_evenly(&texts.files[k], plan.steps[step], copy);
            const double resemblance = naive_resemblance(texts.files[k].data, texts.files[k].len, copy, len);

            ck_assert_double_eq_tol(lab_near_at(&near, step, 0, k), resemblance, 1e-12);
            sum += resemblance;
        }
        ck_assert_double_eq_tol(lab_near_average(&near, step, 0, 0, DOCUMENTS), sum / DOCUMENTS, 1e-12);
    }
    lab_near_release(&near);
    release_texts(&texts);
}
END_TEST

/* w - 1 windows are lost with each insertion of two bytes, and w + 1 are new. */
START_TEST(an_insertion_changes_the_windows_across_it)
{
    const struct sketch_params exact = lab_cherkasova_params(SKETCH_SHINGLES, WINDOW, 0);
    const double windows = 5000 - WINDOW + 1;
    struct texts texts;
    struct lab_near_plan plan = {&texts.corpus, LAB_NEAR_EVENLY, &exact, 1, {5, 50}, 2, 1};
    struct lab_near near;

    make_texts(&texts, true);
    near = measure(&plan);
    for (size_t step = 0; step < 2; step++) {
        const double i = plan.steps[step];

        ck_assert_double_eq_tol(lab_near_average(&near, step, 0, 0, DOCUMENTS),
                                (windows - i * (WINDOW - 1)) / (windows + i * (WINDOW + 1)), 1e-12);
    }
    lab_near_release(&near);
    release_texts(&texts);
}
END_TEST

/* The formula's expectation of the kept windows, against the mean of 300 simulated editions: a text of 5,000
 * bytes with one insertion anywhere.  4 standard errors. */
START_TEST(the_expected_similarity_is_that_of_random_places)
{
    enum { LEN = 5000, INSERTIONS = 20, RUNS = 300 };
    double sum = 0, squares = 0, error;

    for (int run = 0; run < RUNS; run++) {
        bool lost[LEN - WINDOW + 1] = {false};
        double kept = 0, r;

        for (int i = 0; i < INSERTIONS; i++) {
            const size_t at = random64() % (LEN + 1);

            for (size_t w = 0; w < LEN - WINDOW + 1; w++)
                lost[w] |= at > w && at < w + WINDOW;
        }
        for (size_t w = 0; w < LEN - WINDOW + 1; w++)
            kept += !lost[w];
        r = kept / (2 * (LEN - WINDOW + 1) + 2 * INSERTIONS - kept);
        sum += r;
        squares += r * r;
    }
    error = sqrt((squares / RUNS - sum / RUNS * sum / RUNS) / RUNS);
    ck_assert_double_eq_tol(lab_near_expected(LEN, WINDOW, INSERTIONS), sum / RUNS, 4 * error);
    ck_assert(isnan(lab_near_expected(WINDOW - 1, WINDOW, 1)));
}
END_TEST

START_TEST(all_schemes_see_the_same_copies)
{
    const struct sketch_params schemes[] = {lab_cherkasova_params(SKETCH_MOD, WINDOW, 10),
                                            lab_cherkasova_params(SKETCH_SHINGLES, WINDOW, 0),
                                            lab_cherkasova_params(SKETCH_MOD, WINDOW, 10)};
    struct texts texts;
    struct lab_near_plan plan = {&texts.corpus, LAB_NEAR_INSERT, schemes, 3, {6, 7, 10}, 3, 1};
    struct lab_near near;

    make_texts(&texts, false);
    near = measure(&plan);
    for (size_t step = 0; step < 3; step++)
        for (size_t k = 0; k < DOCUMENTS; k++)
            ck_assert(lab_near_at(&near, step, 0, k) == lab_near_at(&near, step, 2, k));
    ck_assert(lab_near_error(&near, 0, 0, 2, 0, DOCUMENTS) == 0);
    ck_assert(lab_near_error(&near, 2, 0, 1, 0, DOCUMENTS) > 0);
    /* the exact one is slow: multiples of 5 only */
    ck_assert(isnan(lab_near_average(&near, 0, 1, 0, DOCUMENTS)));
    ck_assert(lab_near_average(&near, 2, 1, 0, DOCUMENTS) < 1);
    lab_near_release(&near);
    release_texts(&texts);
}
END_TEST

/* ---- all pairs ---- */

static int is_above(const struct texts *texts, size_t a, size_t b, double resemblance)
{
    return naive_resemblance(texts->files[a].data, texts->files[a].len, texts->files[b].data,
                             texts->files[b].len) > resemblance;
}

START_TEST(the_distribution_counts_pairs)
{
    static const double resemblances[] = {0, 0.02, 0.1, 0.3, 0.6, 1};
    const struct sketch_params exact = lab_cherkasova_params(SKETCH_SHINGLES, WINDOW, 0);
    const size_t compared = (DOCUMENTS - 1) * (DOCUMENTS - 2) / 2;
    struct texts texts;
    struct lab_pairs pairs = {0};
    struct error err;

    make_texts(&texts, false);
    for (size_t i = 2; i < DOCUMENTS; i++) { /* parts of the first one, of different lengths */
        buffer_add(&texts.bytes[i], texts.bytes[0].data, 150 * i);
        set_text(&texts, i);
    }
    texts.files[1].len = WINDOW - 1; /* too small */
    ck_assert(lab_pairs_measure(&pairs, &exact, texts.files, DOCUMENTS, 0, &err) == 0);
    ck_assert_uint_eq(pairs.compared, compared);
    for (size_t i = 0; i < sizeof resemblances / sizeof *resemblances; i++) {
        size_t count = 0;

        for (size_t a = 0; a < DOCUMENTS; a++)
            for (size_t b = a + 1; b < DOCUMENTS; b++)
                count += a != 1 && b != 1 && is_above(&texts, a, b, resemblances[i]);
        ck_assert_uint_eq(lab_pairs_count_above(&pairs, resemblances[i]), count);
        ck_assert(lab_pairs_above(&pairs, resemblances[i]) == (double)count / (double)compared);
    }
    for (size_t i = 1; i < pairs.count; i++)
        ck_assert(pairs.list[i - 1].resemblance <= pairs.list[i].resemblance);
    lab_pairs_release(&pairs);
    release_texts(&texts);
}
END_TEST

/* ---- collections ---- */

static struct lab_collection collection_of(enum lab_collection_kind kind, uint64_t seed)
{
    const struct lab_run run = {.seed = seed, .quick = true};
    struct lab_collection collection;
    struct error err;

    ck_assert(lab_collection_init(&collection, kind, &run, &err) == 0);
    return collection;
}

static double distance_share(const struct lab_collection *collection, size_t a, size_t b)
{
    const struct lab_text_file *x = &collection->documents[a], *y = &collection->documents[b];
    uint64_t distance;
    struct error err;

    ck_assert(distance_exact(x->data, x->len, y->data, y->len, &distance, &err) == 0);
    return (double)distance / (double)(x->len > y->len ? x->len : y->len);
}

/* Section 5: 5,040 of 600 to 1,500 bytes, 2,500 of 2 to 4 KB, with few longer ones; a tenth if quick. */
START_TEST(collections_are_as_the_paper_describes_them)
{
    static const size_t counts[] = {504, 250}, shortest[] = {600, 2000}, longest[] = {1500, 4000};

    for (int kind = LAB_COLLECTION_1; kind <= LAB_COLLECTION_2; kind++) {
        struct lab_collection collection = collection_of((enum lab_collection_kind)kind, 1);
        size_t usual = 0;

        ck_assert_uint_eq(collection.count, counts[kind]);
        for (size_t i = 0; i < collection.count; i++)
            usual += collection.documents[i].len >= shortest[kind] - 20 &&
                     collection.documents[i].len <= longest[kind] + 20;
        ck_assert(usual >= collection.count * 9 / 10 && usual < collection.count);
        lab_collection_release(&collection);
    }
}
END_TEST

START_TEST(planted_pairs_are_similar_and_their_neighbours_are_not)
{
    struct lab_collection collection = collection_of(LAB_COLLECTION_1, 1);

    ck_assert_uint_eq(collection.planted_count, 12);
    for (size_t i = 0; i < collection.planted_count; i++) {
        const struct lab_collection_pair pair = collection.planted[i];

        ck_assert_uint_eq(pair.b, pair.a + 1);
        ck_assert(distance_share(&collection, pair.a, pair.b) > 0);
        ck_assert(distance_share(&collection, pair.a, pair.b) < 0.2);
        ck_assert(distance_share(&collection, pair.b, pair.b + 1) > 0.3);
    }
    lab_collection_release(&collection);
}
END_TEST

START_TEST(a_seed_gives_the_same_collection)
{
    struct lab_collection one = collection_of(LAB_COLLECTION_2, 4), same = collection_of(LAB_COLLECTION_2, 4),
                          other = collection_of(LAB_COLLECTION_2, 5);

    ck_assert(one.text.len == same.text.len && memcmp(one.text.data, same.text.data, one.text.len) == 0);
    ck_assert(one.text.len != other.text.len || memcmp(one.text.data, other.text.data, one.text.len) != 0);
    lab_collection_release(&one);
    lab_collection_release(&same);
    lab_collection_release(&other);
}
END_TEST

START_TEST(verdicts_are_those_of_each_pair_by_itself)
{
    struct lab_collection collection = collection_of(LAB_COLLECTION_1, 1);
    struct lab_similar similar;
    struct error err;
    size_t planted = 0, any = 0, all = 0;

    ck_assert(lab_similar_find(&similar, &collection, &err) == 0);
    for (size_t i = 0; i < similar.count; i++) {
        const struct lab_verdict *verdict = &similar.verdicts[i];
        const struct lab_text_file *a = &collection.documents[verdict->a],
                                   *b = &collection.documents[verdict->b];

        ck_assert(i == 0 || verdict[-1].a < verdict->a ||
                  (verdict[-1].a == verdict->a && verdict[-1].b < verdict->b));
        if (verdict->reported)
            ck_assert(verdict->is_similar == (distance_share(&collection, verdict->a, verdict->b) <= 0.2));
        ck_assert_double_eq_tol(verdict->exact, naive_resemblance(a->data, a->len, b->data, b->len), 1e-12);
        planted += verdict->is_planted;
        any += verdict->reported != 0;
        all += verdict->reported == 15;
    }
    ck_assert_uint_eq(planted, collection.planted_count);
    ck_assert_uint_eq(lab_similar_count(&similar, 0, 15).reported, any);
    ck_assert_uint_eq(lab_similar_count(&similar, 15, 15).reported, all);
    for (size_t i = 0; i < LAB_SIMILAR_SCHEMES; i++)
        ck_assert_uint_eq(lab_similar_count(&similar, 1u << i, 1u << i).reported,
                          lab_pairs_count_above(&similar.pairs[i], 0.7));
    ck_assert(all > 0 && any > all);
    lab_similar_release(&similar);
    lab_collection_release(&collection);
}
END_TEST

/* Values that two sketches have in common, one by one. */
static size_t common_values(const struct sketch *a, const struct sketch *b)
{
    size_t common = 0;

    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            common += a->values[i] == b->values[k];
    return common;
}

/* The first row of its table: Mod_100, without a limit. */
START_TEST(candidates_are_the_pairs_with_a_common_value)
{
    enum { CANDIDATES = 3, COUNTED = 5, SIMILAR = 6, FOUND = 7 };
    const struct lab_run run = {.seed = 1, .quick = true};
    struct lab_collection collection = collection_of(LAB_COLLECTION_1, 1);
    struct lab_document *document = lab_document_new("", "", "");
    struct lab_pairs pairs = {0};
    const struct lab_cell *cells;
    struct error err;
    size_t candidates = 0, counted = 0;

    ck_assert_ptr_nonnull(document);
    ck_assert(lab_cherkasova_common.run(&run, document, &err) == 0 && !lab_failed(document));
    cells = document->items[0].table->cells;
    ck_assert(lab_similar_list(&pairs, &collection, 0, 0, &err) == 0);
    for (size_t a = 0; a < pairs.documents; a++)
        for (size_t b = a + 1; b < pairs.documents; b++) {
            const size_t common = common_values(&pairs.sketches[a], &pairs.sketches[b]);

            candidates += common > 0;
            counted += common;
        }
    ck_assert(candidates > 0 && counted > candidates);
    ck_assert(cells[CANDIDATES].number == (double)candidates);
    ck_assert(cells[COUNTED].number == (double)counted);
    ck_assert(cells[SIMILAR].number == (double)lab_pairs_count_above(&pairs, 0.7));
    ck_assert(cells[FOUND].number == cells[SIMILAR].number);
    lab_document_free(document);
    lab_pairs_release(&pairs);
    lab_collection_release(&collection);
}
END_TEST

RUN_TESTS("lab_cherkasova", n_is_the_rate_or_the_size, average_similarity_is_that_of_the_definition,
          an_insertion_changes_the_windows_across_it, the_expected_similarity_is_that_of_random_places,
          all_schemes_see_the_same_copies, the_distribution_counts_pairs,
          collections_are_as_the_paper_describes_them, planted_pairs_are_similar_and_their_neighbours_are_not,
          a_seed_gives_the_same_collection, verdicts_are_those_of_each_pair_by_itself,
          candidates_are_the_pairs_with_a_common_value)
