/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "matching.h"

/*
 * Objects that consist of pieces of files which the set has dozens of near-copies of: every window is in many
 * references.  Work is counted, not timed.
 */

enum { FAMILIES = 4, COPIES = 40, FILE_LEN = 30000, PIECE = 2048 };

static struct bytes originals[FAMILIES];
static struct refset_cache *cache;

static void begin_families(void)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 20);
    for (size_t i = 0; i < FAMILIES; i++) {
        originals[i] = text(FILE_LEN);
        for (size_t k = 0; k < COPIES; k++) {
            struct bytes changed = copy_of(originals[i], 0, FILE_LEN);

            substitute(changed, 6);
            add_file(0, changed);
            free(changed.data);
        }
    }
    begin_scan(false);
    cache = refset_cache_new(fixture.searches[0], 1 << 20, &fixture.err);
    ck_assert_ptr_nonnull(cache);
}

static void end_families(void)
{
    refset_cache_free(cache);
    for (size_t i = 0; i < FAMILIES; i++)
        free(originals[i].data);
    end_test();
}

/* So many pieces of the files, in random order. */
static struct bytes crowd(size_t pieces)
{
    struct bytes bytes = random_bytes(pieces * PIECE);

    for (size_t i = 0; i < pieces; i++)
        memcpy(bytes.data + i * PIECE,
               originals[random_below(FAMILIES)].data + random_below(FILE_LEN - PIECE), PIECE);
    return bytes;
}

struct outcome {
    uint64_t work;
    size_t samples, findings;
    size_t early, late; /* findings in the first and the last quarter */
    unsigned lacks;
};

/* Matches an object with at most this much work; 0: as much as usual. */
static struct outcome match(struct bytes bytes, uint64_t most_work)
{
    struct matcher_options options = fixture.plan.matching;
    struct record record = {0};
    struct findings findings = {0};
    struct outcome outcome;
    struct matcher *matcher;
    enum verdict verdict;

    options.most_work = most_work;
    matcher = matcher_new(&(struct set *){refset_cache_set(cache)}, 1, &options, &fixture.err);
    ck_assert_ptr_nonnull(matcher);
    sign(&record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    matcher_begin(matcher, bytes.len, record.params.c, NULL);
    ck_assert_int_eq(matcher_take(matcher, record.samples, record.count, &fixture.err), 0);
    ck_assert_int_eq(
        matcher_end(matcher, &record.digests, record.coincidence, &findings, &verdict, &fixture.err), 0);
    outcome = (struct outcome){.work = matcher_work(matcher),
                               .samples = record.count,
                               .findings = findings.count,
                               .lacks = findings.lacks};
    for (size_t i = 0; i < findings.count; i++) {
        outcome.early += findings.list[i].span.obj_start < bytes.len / 4;
        outcome.late += findings.list[i].span.obj_end > bytes.len - bytes.len / 4;
    }
    finding_list_release(&findings);
    record_release(&record);
    matcher_free(matcher);
    return outcome;
}

static struct outcome match_crowd(size_t pieces, uint64_t most_work)
{
    const struct bytes bytes = crowd(pieces);
    const struct outcome outcome = match(bytes, most_work);

    free(bytes.data);
    return outcome;
}

/* Each sample may be one of COPIES references, and then be compared; the limit of matcher.c is higher. */
START_TEST(work_is_bounded_by_a_multiple_of_the_samples)
{
    enum { WORK_A_SAMPLE = 12 * COPIES };

    begin_families();
    for (size_t pieces = 64; pieces <= 1024; pieces *= 4) {
        const struct outcome outcome = match_crowd(pieces, 0);

        ck_assert_uint_gt(outcome.samples, pieces * 10);
        ck_assert_uint_le(outcome.work, WORK_A_SAMPLE * outcome.samples);
        ck_assert_uint_ge(outcome.findings, pieces / 8);
        ck_assert_uint_eq(outcome.lacks, 0);
    }
    end_families();
}
END_TEST

/* More work than that is a look at the seeds of each sample. */
START_TEST(a_limit_on_work_is_kept)
{
    begin_families();
    for (uint64_t most = 1 << 12; most <= 1 << 20; most *= 4) {
        const struct outcome outcome = match_crowd(600, most);

        ck_assert_uint_le(outcome.work, most + COPIES * outcome.samples / 4);
        ck_assert_uint_ge(outcome.work, most);
        ck_assert_uint_eq(outcome.lacks & FINDINGS_CUT, FINDINGS_CUT);
    }
    end_families();
}
END_TEST

START_TEST(all_parts_of_an_object_have_a_share_of_the_work)
{
    struct outcome outcome;

    begin_families();
    outcome = match_crowd(2000, 1 << 21);
    ck_assert_uint_eq(outcome.lacks & FINDINGS_CUT, FINDINGS_CUT);
    ck_assert_uint_gt(outcome.early, 0);
    ck_assert_uint_gt(outcome.late, 0);
    end_families();
}
END_TEST

RUN_TESTS("matcher_work", work_is_bounded_by_a_multiple_of_the_samples, a_limit_on_work_is_kept,
          all_parts_of_an_object_have_a_share_of_the_work)
