/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/digest.h"
#include "check_main.h"
#include "match/proof.h"
#include "sample/sampler.h"

enum { BLOCK = 4096, C = 128, SLACK = 2 * C, LEN = 50000, BLOCKS = (LEN + BLOCK - 1) / BLOCK, ROOM = 200000 };

static struct error err;

static uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

/* ---- an object ---- */

struct object_bytes {
    struct content content;
    uint8_t bytes[ROOM];
    uint64_t size;
    uint64_t bad_start, bad_end; /* cannot be read */
    uint64_t reads;
};

static struct object_bytes object;

static ssize_t read_object(struct content *content, uint64_t offset, void *into, size_t len)
{
    struct object_bytes *o = (struct object_bytes *)content;

    o->reads++;
    ck_assert(offset <= o->size && len <= o->size - offset);
    memset(into, 0xee, len);
    if (offset < o->bad_end && o->bad_start < offset + len)
        return -1;
    memcpy(into, o->bytes + offset, len);
    return (ssize_t)len;
}

static void make_object(uint64_t size)
{
    object.content = (struct content){.size = size, .read = read_object};
    object.size = size;
    object.bad_start = object.bad_end = 0;
    fill_random(object.bytes, size);
}

/* ---- a reference ---- */

static uint8_t content[LEN];
static uint8_t sha1s[(LEN / 512 + 1) * DIGEST_SHA1_LEN];
static uint8_t whole_sha1[DIGEST_SHA1_LEN];

static void sha1_of(const uint8_t *data, size_t len, uint8_t *sha1)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), &err);
    struct digest_values values = {0};

    ck_assert_ptr_nonnull(digest);
    ck_assert_int_eq(digest_begin(digest, &err), 0);
    ck_assert_int_eq(digest_update(digest, data, len, &err), 0);
    ck_assert_int_eq(digest_final(digest, &values, &err), 0);
    memcpy(sha1, values.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    digest_free(digest);
}

static struct effort effort;

static struct proof_reference hash_reference(uint64_t len, uint64_t block)
{
    struct proof_reference reference = {
        .len = len, .block_size = block, .blocks = sha1s, .c = C, .effort = &effort};

    for (uint64_t at = 0; at < len; at += block)
        sha1_of(content + at, len - at < block ? len - at : block,
                sha1s + reference.block_count++ * DIGEST_SHA1_LEN);
    return reference;
}

static struct proof_reference make_reference(void)
{
    fill_random(content, LEN);
    return hash_reference(LEN, BLOCK);
}

static struct proof_reference make_small_reference(uint64_t len)
{
    fill_random(content, len);
    sha1_of(content, len, whole_sha1);
    return (struct proof_reference){.len = len, .sha1 = whole_sha1, .c = C, .effort = &effort};
}

static void put(uint64_t at, uint64_t from, uint64_t to)
{
    ck_assert_uint_le(at + to - from, object.size);
    memcpy(object.bytes + at, content + from, to - from);
}

/* ---- findings ---- */

static void estimate(struct finding *finding, const struct finding_range *ranges, size_t count)
{
    *finding = (struct finding){.ref_size = LEN, .containment = 0.7};
    ck_assert_int_eq(finding_resize(finding, count, &err), 0);
    memcpy(finding->ranges, ranges, count * sizeof *ranges);
    finding_measure(finding);
}

static void prove_with(struct content *what, const struct proof_reference *reference, struct finding *finding)
{
    static struct prover *prover; /* one for all */

    if (!prover)
        prover = proof_new(&err);
    ck_assert_ptr_nonnull(prover);
    ck_assert_int_eq(proof_run(prover, reference, what, object.size, finding, &err), 0);
}

static void prove(const struct proof_reference *reference, struct finding *finding)
{
    prove_with(&object.content, reference, finding);
}

/* The result for these ranges; valid until the next call. */
static const struct finding *prove_ranges(const struct proof_reference *reference,
                                          const struct finding_range *ranges, size_t count)
{
    static struct finding finding;

    free(finding.ranges);
    estimate(&finding, ranges, count);
    prove(reference, &finding);
    return &finding;
}

static void assert_proof(const struct finding *finding, enum proof proof, uint64_t proved, uint64_t blocks)
{
    ck_assert_int_eq(finding->proof, proof);
    ck_assert_uint_eq(finding->proved, proved);
    ck_assert_uint_eq(finding->blocks, blocks);
}

static void assert_ranges(const struct finding *finding, const struct finding_range *ranges, size_t count)
{
    uint64_t matched = 0;

    ck_assert_uint_eq(finding->range_count, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(finding->ranges[i].obj_start, ranges[i].obj_start);
        ck_assert_uint_eq(finding->ranges[i].obj_end, ranges[i].obj_end);
        ck_assert_uint_eq(finding->ranges[i].ref_start, ranges[i].ref_start);
        ck_assert_uint_eq(finding->ranges[i].ref_end, ranges[i].ref_end);
        matched += ranges[i].obj_end - ranges[i].obj_start;
    }
    ck_assert_uint_eq(finding->matched, matched);
    ck_assert_uint_eq(finding->span.obj_start, ranges[0].obj_start);
    ck_assert_uint_eq(finding->span.obj_end, ranges[count - 1].obj_end);
}

/* If it is by blocks, then by all of them. */
static void assert_finding(const struct finding *finding, enum proof proof, uint64_t proved,
                           const struct finding_range *ranges, size_t count)
{
    assert_proof(finding, proof, proved, proof == PROOF_BLOCKS ? BLOCKS : 0);
    assert_ranges(finding, ranges, count);
}

/* Reference bytes from .. to, whose first one lies at `at` in the object. */
static struct finding_range range_of(uint64_t at, uint64_t from, uint64_t to)
{
    return (struct finding_range){at, at + to - from, from, to};
}

/* That, with both ends moved along the diagonal by up to 2 C, as far as both contents reach. */
static struct finding_range blur(struct finding_range range)
{
    const uint64_t most_before = range.ref_start < range.obj_start ? range.ref_start : range.obj_start;
    const uint64_t left = object.size - range.obj_end, ref_left = LEN - range.ref_end;
    const uint64_t most_after = left < ref_left ? left : ref_left;
    const uint64_t before = random_below(SLACK + 1), after = random_below(SLACK + 1);

    if (random_below(2)) {
        range.ref_start += before;
        range.obj_start += before;
    } else {
        range.ref_start -= before < most_before ? before : most_before;
        range.obj_start -= before < most_before ? before : most_before;
    }
    if (random_below(2)) {
        range.ref_end -= after;
        range.obj_end -= after;
    } else {
        range.ref_end += after < most_after ? after : most_after;
        range.obj_end += after < most_after ? after : most_after;
    }
    return range;
}

/* ---- all of it ---- */

START_TEST(a_complete_reference_is_proved_with_exact_ranges)
{
    for (int round = 0; round < 100; round++) {
        const struct proof_reference reference = make_reference();
        const uint64_t size = LEN + random_below(ROOM - LEN),
                       at = random_below(4) ? random_below(size - LEN + 1) : 0;
        const struct finding_range exact = range_of(at, 0, LEN);
        struct finding_range rough;
        const struct finding *finding;

        make_object(size);
        put(at, 0, LEN);
        rough = blur(exact);
        finding = prove_ranges(&reference, &rough, 1);
        assert_finding(finding, PROOF_BLOCKS, BLOCKS, &exact, 1);
        ck_assert(finding->containment == 1);
    }
}
END_TEST

START_TEST(what_is_hashed_is_counted_as_work)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range range = range_of(0, 0, LEN);

    make_object(LEN);
    put(0, 0, LEN);
    effort.done = 0;
    prove_ranges(&reference, &range, 1);
    ck_assert_uint_ge(effort.done, LEN / 64);
    ck_assert_uint_le(effort.done, LEN / 16);
}
END_TEST

START_TEST(ranges_of_one_piece_are_joined)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range exact = range_of(777, 0, LEN),
                               rough[] = {range_of(777 + 50, 50, 9000), range_of(777 + 9200, 9200, 30000),
                                          range_of(777 + 30900, 30900, LEN - 17)};

    make_object(100001);
    put(777, 0, LEN);
    assert_finding(prove_ranges(&reference, rough, 3), PROOF_BLOCKS, BLOCKS, &exact, 1);
}
END_TEST

START_TEST(an_insertion_leaves_all_blocks_but_one_proved)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range rough = {1000 + 100, 1000 + LEN + 55 - 100, 100, LEN - 100},
                               exact = {1000, 1000 + LEN + 55, 0, LEN};
    const struct finding *finding;

    make_object(100001);
    put(1000, 0, 5 * BLOCK + 10);
    put(1000 + 5 * BLOCK + 10 + 55, 5 * BLOCK + 10, LEN);
    finding = prove_ranges(&reference, &rough, 1); /* one range over both diagonals */
    assert_finding(finding, PROOF_BLOCKS, BLOCKS - 1, &exact, 1);
    ck_assert(finding->containment == 0.7);
}
END_TEST

/* ---- parts of it ---- */

START_TEST(a_fragment_on_block_boundaries_is_exact_to_the_byte)
{
    for (int round = 0; round < 200; round++) {
        const struct proof_reference reference = make_reference();
        const uint64_t first = random_below(BLOCKS - 1), last = first + 1 + random_below(BLOCKS - 1 - first);
        const uint64_t from = first * BLOCK, to = last * BLOCK,
                       at = BLOCK + random_below(ROOM - LEN - 2 * BLOCK);
        const struct finding_range exact = range_of(at, from, to);
        struct finding_range rough;
        const struct finding *finding;

        make_object(random_below(4) ? ROOM : at + to - from);
        put(at, from, to);
        rough = blur(exact);
        finding = prove_ranges(&reference, &rough, 1);
        assert_finding(finding, PROOF_BLOCKS, last - first, &exact, 1);
        ck_assert(finding->containment == 0.7);
    }
}
END_TEST

/* Blocks are proved between them, too, so both reach over all of it. */
START_TEST(ranges_that_grow_into_each_other_are_joined)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range exact = range_of(30000, BLOCK, 8 * BLOCK),
                               rough[] = {range_of(30000 + 100, BLOCK + 100, 2 * BLOCK),
                                          range_of(30000 + 5 * BLOCK, 6 * BLOCK, 8 * BLOCK - 40)};

    make_object(100001);
    put(30000, BLOCK, 8 * BLOCK);
    assert_finding(prove_ranges(&reference, rough, 2), PROOF_BLOCKS, 7, &exact, 1);
}
END_TEST

START_TEST(ends_within_a_block_stay_as_estimated)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range rough = range_of(5000, 2000, 6 * BLOCK + 3000);

    make_object(ROOM);
    put(5000, 2000, 6 * BLOCK + 3000);
    assert_finding(prove_ranges(&reference, &rough, 1), PROOF_BLOCKS, 5, &rough, 1);
}
END_TEST

START_TEST(a_damaged_block_is_not_proved_and_splits_ranges_exactly)
{
    for (size_t bad = 1; bad + 1 < BLOCKS; bad++) {
        const struct proof_reference reference = make_reference();
        const uint64_t at = 4321;
        const struct finding_range exact[] = {range_of(at, 0, bad * BLOCK),
                                              range_of(at + (bad + 1) * BLOCK, (bad + 1) * BLOCK, LEN)};
        struct finding_range rough[2];

        make_object(ROOM);
        put(at, 0, bad * BLOCK);
        put(at + (bad + 1) * BLOCK, (bad + 1) * BLOCK, LEN);
        rough[0] = blur(exact[0]);
        rough[1] = blur(exact[1]);
        assert_finding(prove_ranges(&reference, rough, 2), PROOF_BLOCKS, BLOCKS - 1, exact, 2);
    }
}
END_TEST

START_TEST(one_wrong_byte_costs_one_block)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range exact = range_of(99, 0, LEN), rough = range_of(99 + 30, 30, LEN - 30);

    for (int round = 0; round < 50; round++) {
        struct finding finding;

        make_object(ROOM / 2);
        put(99, 0, LEN);
        object.bytes[99 + random_below(LEN)] ^= 1;
        estimate(&finding, &rough, 1);
        prove(&reference, &finding);
        assert_proof(&finding, PROOF_BLOCKS, BLOCKS - 1, BLOCKS);
        ck_assert_uint_ge(finding.span.obj_start, exact.obj_start);
        ck_assert_uint_le(finding.span.obj_end, exact.obj_end);
        free(finding.ranges);
    }
}
END_TEST

START_TEST(moved_pieces_are_proved_in_their_new_place)
{
    const struct proof_reference reference = make_reference();
    const uint64_t half = 6 * BLOCK, at = BLOCK + 1;
    const struct finding_range exact[] = {range_of(at, half, LEN), range_of(at + LEN - half, 0, half)};
    struct finding_range rough[2];

    for (int round = 0; round < 50; round++) {

        make_object(ROOM / 2);
        put(at, half, LEN);
        put(at + LEN - half, 0, half);
        rough[0] = blur(exact[0]);
        rough[1] = blur(exact[1]);
        assert_finding(prove_ranges(&reference, rough, 2), PROOF_BLOCKS, BLOCKS, exact, 2);
    }
}
END_TEST

START_TEST(blocks_are_also_searched_where_hints_point)
{
    struct proof_reference reference = make_reference();
    const struct finding_range hints[] = {range_of(90000 + 5000, 5000, 5200),
                                          range_of(20, 2 * BLOCK, 3 * BLOCK)};
    const struct finding_range rough = range_of(7000, 6 * BLOCK, LEN);

    make_object(ROOM);
    put(7000, 6 * BLOCK, LEN);
    put(90000, 0, 2 * BLOCK);
    for (size_t count = 0; count < 3; count++) {
        reference.hints = hints; /* the second one is wrong */
        reference.hint_count = count;
        /* the block of the hint, and the one before it */
        assert_finding(prove_ranges(&reference, &rough, 1), PROOF_BLOCKS, BLOCKS - 6 + (count > 0 ? 2 : 0),
                       &rough, 1);
    }
}
END_TEST

START_TEST(a_block_cut_by_the_end_of_the_object_is_not_proved)
{
    const struct proof_reference reference = make_reference();
    const uint64_t at = 3003, to = 7 * BLOCK + 1234;
    const struct finding_range rough = range_of(at + 77, 77, to - 60), exact = {at, at + to - 60, 0, to - 60};
    struct finding finding;

    make_object(at + to);
    put(at, 0, to);
    assert_finding(prove_ranges(&reference, &rough, 1), PROOF_BLOCKS, 7, &exact, 1);
    object.size = at + 7 * BLOCK + 200; /* nor is the end, near as it is to the boundary, known better */
    assert_finding(prove_ranges(&reference, &(struct finding_range){at, object.size, 0, object.size - at}, 1),
                   PROOF_BLOCKS, 7, &(struct finding_range){at, object.size, 0, object.size - at}, 1);
    object.size = at + BLOCK - 1; /* not one block is whole */
    estimate(&finding, &(struct finding_range){at, at + 4000, 0, 4000}, 1);
    prove(&reference, &finding);
    assert_proof(&finding, PROOF_ESTIMATE, 0, 0);
    free(finding.ranges);
}
END_TEST

START_TEST(a_block_before_the_start_of_the_object_is_not_proved)
{
    const struct proof_reference reference = make_reference();
    const struct finding_range rough = {0, LEN - 5000, 5000, LEN};

    make_object(ROOM / 2);
    put(0, 5000, LEN);
    assert_finding(prove_ranges(&reference, &rough, 1), PROOF_BLOCKS, BLOCKS - 2, &rough, 1);
}
END_TEST

/* ---- without blocks ---- */

START_TEST(a_reference_without_blocks_is_proved_as_a_whole)
{
    for (int round = 0; round < 100; round++) {
        const uint64_t len = 1 + random_below(BLOCK), at = random_below(10000);
        const struct proof_reference reference = make_small_reference(len);
        const struct finding_range exact = range_of(at, 0, len),
                                   rough[] = {range_of(5, 0, 1),
                                              range_of(at + len / 3, len / 3, len - len / 4)};
        const struct finding *finding;

        make_object(at + len + random_below(1000) + 6);
        put(at, 0, len);
        finding = prove_ranges(&reference, rough, 2); /* one of them is wrong */
        assert_finding(finding, PROOF_SHA1, 0, &exact, 1);
        ck_assert(finding->containment == 1);
        object.bytes[at + random_below(len)] ^= 0x80;
        assert_finding(prove_ranges(&reference, rough + 1, 1), PROOF_ESTIMATE, 0, rough + 1, 1);
    }
}
END_TEST

START_TEST(a_reference_without_digests_stays_an_estimate)
{
    struct proof_reference reference = make_small_reference(1000);
    const struct finding_range rough = range_of(0, 0, 1000);

    reference.sha1 = NULL;
    make_object(2000);
    put(0, 0, 1000);
    assert_finding(prove_ranges(&reference, &rough, 1), PROOF_ESTIMATE, 0, &rough, 1);
}
END_TEST

/* ---- content that cannot be reread ---- */

START_TEST(content_that_cannot_be_reread_stays_an_estimate)
{
    const struct proof_reference reference = make_reference(),
                                 small = {.len = LEN, .sha1 = whole_sha1, .c = C, .effort = &effort};
    const struct finding_range rough = range_of(1000 + 40, 40, LEN - 40), exact = range_of(1000, 0, LEN);
    struct finding finding;

    sha1_of(content, LEN, whole_sha1);
    for (int turn = 0; turn < 4; turn++) {
        make_object(ROOM / 2);
        put(1000, 0, LEN);
        object.bad_end = ROOM;
        estimate(&finding, &rough, 1);
        prove_with(turn % 2 ? NULL : &object.content, turn / 2 ? &small : &reference, &finding);
        assert_proof(&finding, PROOF_ESTIMATE, 0, 0);
        assert_ranges(&finding, &rough, 1);
        free(finding.ranges);
    }
    object.bad_start = 1000 + 2 * BLOCK + 5;
    object.bad_end = object.bad_start + 1;
    assert_finding(prove_ranges(&reference, &rough, 1), PROOF_BLOCKS, BLOCKS - 1, &exact, 1);
}
END_TEST

START_TEST(a_finding_without_ranges_is_not_proved)
{
    const struct proof_reference reference = make_reference();
    struct finding finding;

    make_object(ROOM / 2);
    put(0, 0, LEN);
    estimate(&finding, &(struct finding_range){0}, 0);
    finding.proof = PROOF_SHA1;
    finding.proved = finding.blocks = 3;
    prove(&reference, &finding);
    assert_proof(&finding, PROOF_ESTIMATE, 0, 0);
    free(finding.ranges);
}
END_TEST

/* ---- arbitrary estimates ---- */

enum { SMALL_BLOCK = 512, PATTERNS = 3 };

/* Blocks of a few kinds, so that many occur in many places. */
static void fill_patterns(uint8_t *bytes, uint64_t len)
{
    static uint8_t patterns[PATTERNS][SMALL_BLOCK];

    fill_random(patterns[1], SMALL_BLOCK);
    for (uint64_t at = 0; at < len; at += SMALL_BLOCK)
        memcpy(bytes + at, patterns[random_below(PATTERNS)], len - at < SMALL_BLOCK ? len - at : SMALL_BLOCK);
}

/* Ranges as an estimate gives them: anywhere, but within both contents. */
static size_t any_ranges(struct finding_range *ranges, size_t most, uint64_t len)
{
    const size_t count = 1 + random_below(most);
    uint64_t at = 0;

    for (size_t i = 0; i < count; i++) {
        struct finding_range *range = &ranges[i];

        range->obj_start = at + random_below(object.size - at + 1);
        range->obj_end = range->obj_start + random_below(object.size - range->obj_start + 1);
        range->ref_start = random_below(len);
        range->ref_end = range->ref_start + random_below(len - range->ref_start + 1);
        if (random_below(4)) { /* mostly by whole blocks, so that they meet */
            range->obj_start -= (range->obj_start - range->ref_start) % SMALL_BLOCK;
            range->obj_end -= (range->obj_end - range->ref_end) % SMALL_BLOCK;
        }
        if (range->obj_start < at || range->obj_start > object.size || range->obj_end > object.size ||
            range->obj_start > range->obj_end)
            *range = (struct finding_range){at, at, 0, 0};
        at = range->obj_start;
    }
    return count;
}

static void assert_sound(const struct finding *finding, uint64_t len)
{
    for (size_t i = 0; i < finding->range_count; i++) {
        const struct finding_range *range = &finding->ranges[i];

        ck_assert(range->obj_start <= range->obj_end && range->obj_end <= object.size);
        ck_assert(range->ref_start <= range->ref_end && range->ref_end <= len);
        ck_assert(i == 0 || range->obj_start >= range[-1].obj_start);
    }
    ck_assert_uint_le(finding->proved, finding->blocks);
}

/* What is reported as complete is complete. */
static void assert_true(const struct finding *finding, uint64_t len)
{
    const struct finding_range *range = &finding->ranges[0];

    if (finding->proof == PROOF_BLOCKS && finding->proved == finding->blocks && finding->range_count == 1 &&
        range->ref_end - range->ref_start == len && range->obj_end - range->obj_start == len)
        ck_assert_mem_eq(object.bytes + range->obj_start, content, len);
}

START_TEST(proofs_from_any_estimate_of_repetitive_content_are_sound)
{
    enum { MOST = 5 };
    size_t proved = 0;

    for (int round = 0; round < 4000; round++) {
        const uint64_t len = 1 + random_below(12 * SMALL_BLOCK);
        struct finding_range ranges[MOST];
        struct proof_reference reference;
        struct finding finding;

        fill_patterns(content, len);
        reference = hash_reference(len, SMALL_BLOCK);
        reference.c = 4u << random_below(random_below(10) ? 7 : 19);
        make_object(1 + random_below(24 * SMALL_BLOCK));
        fill_patterns(object.bytes, object.size);
        estimate(&finding, ranges, any_ranges(ranges, MOST, len));
        prove(&reference, &finding);
        assert_sound(&finding, len);
        assert_true(&finding, len);
        proved += finding.proved;
        free(finding.ranges);
    }
    ck_assert_uint_gt(proved, 4000);
}
END_TEST

/* ---- with samples ---- */

static struct sampler_result sample_bytes(struct sampler **sampler, const uint8_t *data, size_t len,
                                          uint32_t c)
{
    const struct sampler_params params = {.scheme = SAMPLER_GF8, .n = 12, .c = c};

    *sampler = sampler_new(&params, &err);
    ck_assert_ptr_nonnull(*sampler);
    sampler_begin(*sampler, len);
    ck_assert_int_eq(sampler_update(*sampler, data, len, &err), 0);
    return sampler_final(*sampler);
}

static void take_places(struct places *places, const struct sampler_result *result)
{
    uint64_t *list = malloc((result->count + 1) * sizeof *list);

    ck_assert_ptr_nonnull(list);
    for (size_t i = 0; i < result->count; i++)
        list[i] = result->samples[i].pos << PLACES_CHARACTER_BITS | result->samples[i].fp % 64;
    ck_assert_int_eq(places_set(places, list, result->count, &err), 0);
    free(list);
}

static void assert_same_finding(const struct finding *a, const struct finding *b)
{
    ck_assert_int_eq(a->proof, b->proof);
    ck_assert_uint_eq(a->proved, b->proved);
    ck_assert_uint_eq(a->range_count, b->range_count);
    ck_assert_mem_eq(a->ranges, b->ranges, a->range_count * sizeof *a->ranges);
}

/* Only the start of the object has been sampled so far. */
static size_t samples_before(const struct sampler_result *result, uint64_t end)
{
    size_t count = 0;

    while (count < result->count && result->samples[count].pos < end)
        count++;
    return count;
}

START_TEST(samples_save_hashing_and_change_nothing)
{
    static const uint32_t cs[] = {4, 32, 128, 512};
    uint64_t proved = 0, hashed[2] = {0, 0};

    for (int round = 0; round < 200; round++) {
        struct proof_reference reference = make_reference();
        const struct finding_range all = {1000, 1000 + LEN, 0, LEN};
        struct sampler *samplers[2];
        struct sampler_result results[2];
        struct places places = {0};
        struct proof_samples samples = {.reference = &places, .n = 12};
        struct finding with, without;

        if (round % 2)
            fill_text(content, LEN);
        reference = hash_reference(LEN, BLOCK);
        make_object(LEN + 2000);
        put(1000, 0, LEN);
        for (int edits = round % 20; edits > 0; edits--)
            object.bytes[random_below(object.size)] ^= 1;
        samples.reference_c = cs[random_below(4)];
        samples.object_c = cs[random_below(4)];
        results[0] = sample_bytes(&samplers[0], content, LEN, samples.reference_c);
        results[1] = sample_bytes(&samplers[1], object.bytes, object.size, samples.object_c);
        take_places(&places, &results[0]);
        samples.object = results[1].samples;
        samples.object_count = samples_before(&results[1], round % 3 ? object.size : object.size / 2);
        estimate(&with, &all, 1);
        estimate(&without, &all, 1);
        object.reads = 0;
        prove(&reference, &without);
        hashed[0] += object.reads;
        reference.samples = &samples;
        object.reads = 0;
        prove(&reference, &with);
        hashed[1] += object.reads;
        assert_same_finding(&with, &without);
        proved += with.proved;
        free(with.ranges);
        free(without.ranges);
        places_release(&places);
        sampler_free(samplers[0]);
        sampler_free(samplers[1]);
    }
    ck_assert_uint_gt(proved, 0);
    ck_assert_uint_lt(hashed[1], hashed[0]);
}
END_TEST

RUN_TESTS("proof", a_complete_reference_is_proved_with_exact_ranges, what_is_hashed_is_counted_as_work,
          ranges_of_one_piece_are_joined, an_insertion_leaves_all_blocks_but_one_proved,
          a_fragment_on_block_boundaries_is_exact_to_the_byte, ranges_that_grow_into_each_other_are_joined,
          ends_within_a_block_stay_as_estimated, a_damaged_block_is_not_proved_and_splits_ranges_exactly,
          one_wrong_byte_costs_one_block, moved_pieces_are_proved_in_their_new_place,
          blocks_are_also_searched_where_hints_point, a_block_cut_by_the_end_of_the_object_is_not_proved,
          a_block_before_the_start_of_the_object_is_not_proved,
          a_reference_without_blocks_is_proved_as_a_whole, a_reference_without_digests_stays_an_estimate,
          content_that_cannot_be_reread_stays_an_estimate, a_finding_without_ranges_is_not_proved,
          proofs_from_any_estimate_of_repetitive_content_are_sound, samples_save_hashing_and_change_nothing)
