/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "match/limit.h"
#include "match/matcher.h"
#include "matching.h"

static struct error err;

/* A search as in a set of 100 MB. */
static struct limit_search search_at(uint32_t reference_c, uint32_t object_c, bool is_even)
{
    return (struct limit_search){.n = SAMPLER_DEFAULT_N,
                                 .reference_c = reference_c,
                                 .object_c = object_c,
                                 .bytes = 1e8,
                                 .most_ln_e = log(1e-3),
                                 .is_even = is_even};
}

static struct limit *limit_at(struct limit_search search)
{
    struct limit *limit = limit_new(&search, &err);

    ck_assert_ptr_nonnull(limit);
    return limit;
}

START_TEST(the_share_grows_with_the_length_and_the_length_with_the_share)
{
    struct limit *limit = limit_at(search_at(64, 128, false));

    ck_assert(limit_share(limit, 0) == 0 && limit_share(limit, 127) == 0);
    ck_assert_double_gt(limit_share(limit, 20000), 0.995);
    for (uint64_t len = 0; len < 5000; len += 7)
        ck_assert_double_le(limit_share(limit, len), limit_share(limit, len + 7));
    for (int percent = 1; percent <= 99; percent++) {
        const uint64_t len = limit_len(limit, percent / 100.0);

        ck_assert_double_ge(limit_share(limit, len), percent / 100.0);
        ck_assert_double_lt(limit_share(limit, len - 1), percent / 100.0);
    }
    ck_assert_uint_le(limit_len(limit, 0.99), limit_len(limit, 1));
    limit_free(limit);
}
END_TEST

/* P(at least `least` of k samples are looked up), each with this probability. */
static double enough_of(unsigned k, unsigned least, double share)
{
    double sum = 0, term = pow(1 - share, k);

    for (unsigned i = 0; i < least && i <= k; i++) {
        sum += term;
        term *= (double)(k - i) / (i + 1) * share / (1 - share);
    }
    return share == 1 ? k >= least : 1 - sum;
}

/*
 * The share for content like random bytes, from probability theory: the number of samples is that of a
 * Poisson process, and the first and last of k samples in a length of 1 are at least x apart with probability
 * 1 - k x^(k-1) + (k-1) x^k.  Wide gaps are left out of account, so C must not be small.
 */
static double expected_share(double len, double reference_c, double object_c)
{
    const double places = len - SAMPLER_DEFAULT_N + 1, mean = places / reference_c;
    const double x = (128 - SAMPLER_DEFAULT_N) / places;
    double sum = 0, term = exp(-mean);

    for (unsigned k = 1; k < 200; k++) {
        term *= mean / k;
        if (k >= 3)
            sum += term * (1 - k * pow(x, k - 1) + (k - 1) * pow(x, k)) *
                   enough_of(k, 3, fmin(1, reference_c / object_c));
    }
    return sum;
}

START_TEST(it_is_what_probability_theory_gives)
{
    static const uint32_t cases[][2] = {{128, 128}, {64, 128}, {32, 128}, {128, 32}, {256, 128}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t reference_c = cases[i][0], object_c = cases[i][1];
        struct limit *limit = limit_at(search_at(reference_c, object_c, true));

        for (uint64_t len = 200; len < 1000; len += 50) {
            const double expected = expected_share((double)len, reference_c, object_c);

            ck_assert_double_eq_tol(limit_share(limit, len), expected, 0.03);
        }
        limit_free(limit);
    }
}
END_TEST

/* Information of 7 nats for each byte-aligned sample: E of 1e-30 takes 11 of them. */
START_TEST(a_stricter_e_and_a_smaller_set_demand_longer_fragments)
{
    struct limit_search search = search_at(128, 128, true);
    struct limit *usual = limit_at(search), *strict, *small;

    search.most_ln_e = log(1e-40);
    strict = limit_at(search);
    search.bytes = 1e4;
    small = limit_at(search);
    ck_assert_uint_gt(limit_len(strict, 0.5), limit_len(usual, 0.5));
    ck_assert_uint_gt(limit_len(small, 0.5), limit_len(strict, 0.5));
    /* (40 ln 10 + ln k) / ln 10^4 samples besides the first */
    ck_assert_double_eq_tol((double)limit_len(small, 0.5), 12 * 128, 128);
    limit_free(usual);
    limit_free(strict);
    limit_free(small);
}
END_TEST

/* ---- the matcher ---- */

enum { REFERENCES = 20, TRIES = 600, OBJECT = 5000 };

/* Puts a fragment of random bytes into others, sampled at object_c, and returns whether it is found. */
static bool is_found(struct matcher *matcher, struct sampler *sampler, uint32_t object_c,
                     struct bytes reference, size_t len)
{
    struct bytes object = random_bytes(OBJECT);
    struct object_bytes content = {.content = {.size = OBJECT, .read = read_current}, .bytes = object};
    struct record record = {0};
    struct findings findings = {0};
    const size_t at = random_below(OBJECT - len), from = 100 + random_below(reference.len - 100 - len);
    struct sampler_result result;
    enum verdict verdict;
    bool found;

    memcpy(object.data + at, reference.data + from, len);
    sign(&record, object, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    sampler_begin(sampler, OBJECT);
    ck_assert_int_eq(sampler_update(sampler, object.data, OBJECT, &err), 0);
    result = sampler_final(sampler);
    matcher_begin(matcher, OBJECT, object_c, &content.content);
    ck_assert_int_eq(matcher_take(matcher, result.samples, result.count, &err), 0);
    ck_assert_int_eq(matcher_end(matcher, &record.digests, result.coincidence, &findings, &verdict, &err), 0);
    found = findings.count > 0;
    finding_list_release(&findings);
    record_release(&record);
    free(object.data);
    return found;
}

/* The standard error of a share is .02 at most, and each of them is the same in every run. */
static void compare_with_matcher(size_t file_len, uint32_t object_c, const size_t *lens)
{
    const struct matcher_options options = {.most_ln_e = log(1e-3)};
    const struct sampler_params params = {.n = SAMPLER_DEFAULT_N, .c = object_c};
    struct sampler *sampler = sampler_new(&params, &err);
    struct bytes references[REFERENCES];
    struct set *sets[1];
    struct limit_search search;
    struct limit *limit;
    struct matcher *matcher;

    begin_test();
    new_set(REFSET_NOTABLE);
    for (size_t i = 0; i < REFERENCES; i++) {
        references[i] = random_bytes(file_len);
        add_file(0, references[i]);
    }
    begin_scan(false);
    sets[0] = &fixture.twins[0].base;
    matcher = matcher_new(sets, 1, &options, &err);
    search = limit_search_of(refset_info(fixture.sets[0]), file_len, object_c, options.most_ln_e);
    search.is_even = true;
    limit = limit_at(search);
    for (size_t i = 0; lens[i]; i++) {
        const double expected = limit_share(limit, lens[i]);
        size_t found = 0;

        for (size_t k = 0; k < TRIES; k++)
            found += is_found(matcher, sampler, object_c, references[k % REFERENCES], lens[i]);
        ck_assert_msg(fabs((double)found / TRIES - expected) < 0.07,
                      "%zu of %d fragments of %zu bytes were found, predicted: %.3f", found, TRIES, lens[i],
                      expected);
    }
    limit_free(limit);
    matcher_free(matcher);
    sampler_free(sampler);
    for (size_t i = 0; i < REFERENCES; i++)
        free(references[i].data);
    end_test();
}

START_TEST(the_model_agrees_with_the_matcher)
{
    compare_with_matcher(150000, 128, (const size_t[]){150, 300, 450, 700, 1000, 0});
    compare_with_matcher(150000, 32, (const size_t[]){450, 700, 0});
    compare_with_matcher(20000, 128, (const size_t[]){300, 500, 800, 0});
    compare_with_matcher(20000, 32, (const size_t[]){128, 180, 250, 350, 0});
    compare_with_matcher(1000, 8, (const size_t[]){130, 160, 220, 0});
}
END_TEST

RUN_TESTS("limit", the_share_grows_with_the_length_and_the_length_with_the_share,
          it_is_what_probability_theory_gives, a_stricter_e_and_a_smaller_set_demand_longer_fragments,
          the_model_agrees_with_the_matcher)
