/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "cluster/clusters.h"
#include "cluster/collection.h"
#include "cluster/linkage.h"
#include "cluster/unrelated.h"
#include "compare/compare.h"
#include "sample/hasher.h"

enum { FILES = 60, FAMILIES = 8, LONGEST = 20000, LENGTHS = 5 };

static struct error err;
static struct collection collection;
static uint8_t contents[FILES][LONGEST];
static size_t lens[FILES];

static void sign(struct record *record, const uint8_t *p, size_t len)
{
    const struct sampler_params params = sampler_defaults(SAMPLER_GF8);
    struct hasher *hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), &err);

    ck_assert_ptr_nonnull(hasher);
    ck_assert_int_eq(hasher_begin(hasher, len, &err), 0);
    ck_assert_int_eq(hasher_update(hasher, p, len, &err), 0);
    ck_assert_int_eq(hasher_final(hasher, record, &err), 0);
    hasher_free(hasher);
}

static void add(const uint8_t *p, size_t len, const char *name, uint64_t id)
{
    struct record record = {0};

    sign(&record, p, len);
    ck_assert_int_eq(
        collection_add(&collection, &record, name, (struct collection_origin){7, id, 0, false}, &err), 0);
    record_release(&record);
}

/* Texts in families: a member has some places of the first one overwritten, and may be shorter, so that it is
 * sampled at another C. */
static void make_families(void)
{
    static const size_t lengths[LENGTHS] = {1500, 3500, 7000, 13000, LONGEST};

    for (size_t i = 0; i < FILES; i++) {
        const size_t first = i % FAMILIES;

        lens[i] = lengths[i / FAMILIES % LENGTHS];
        fill_text(contents[i], LONGEST);
        if (i != first)
            memcpy(contents[i], contents[first], LONGEST);
        for (size_t edits = 4 + i / FAMILIES * 3; i != first && edits > 0; edits--)
            fill_text(contents[i] + random64() % (lens[i] - 100), 60);
        add(contents[i], lens[i], "x", i);
    }
}

/* As compare_relate sees the whole records, with all bits of their fingerprints. */
static bool related(struct comparer *comparer, const struct record *x, const struct record *y,
                    const struct likeness_limits *limits)
{
    struct comparison c;
    struct likeness likeness;

    ck_assert_int_eq(compare_relate(comparer, x, y, NULL, &c, &err), 0);
    likeness = (struct likeness){.has_resemblance = true,
                                 .has_containment = true,
                                 .resemblance = c.estimate.resemblance,
                                 .a_in_b = c.estimate.a_in_b,
                                 .b_in_a = c.estimate.b_in_a,
                                 .has_edits = true,
                                 .edits = c.estimate.edits};
    return c.verdict <= COMPARE_FRAGMENT && likeness_meets(limits, &likeness, x->len, y->len);
}

static void link_all(const struct likeness_limits *limits, uint32_t *leaders)
{
    struct comparer *comparer = compare_new(&err);
    struct record records[FILES] = {0};

    for (size_t i = 0; i < FILES; i++)
        sign(&records[i], contents[i], lens[i]);
    for (uint32_t i = 0; i < FILES; i++)
        leaders[i] = i;
    for (uint32_t a = 0; a < FILES; a++)
        for (uint32_t b = 0; b < a; b++)
            if (related(comparer, &records[a], &records[b], limits))
                linkage_join(leaders, a, b);
    linkage_settle(leaders, FILES);
    for (size_t i = 0; i < FILES; i++)
        record_release(&records[i]);
    compare_free(comparer);
}

static void overlap_postings(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                             struct overlap *overlap)
{
    postings_overlap(arg, document, from, before, overlap);
}

START_TEST(clusters_of_files_are_the_components_of_the_graph_of_estimates)
{
    const struct likeness_limits limits[] = {
        {.resemblance = .5},
        {.containment = .9},
        {.has_edits = true, .most_edits = 900, .most_edit_share = HUGE_VAL},
        {.resemblance = .1, .has_edits = true, .most_edits = HUGE_VAL, .most_edit_share = .05},
    };
    struct postings_source source;
    struct postings postings;

    make_families();
    ck_assert_uint_eq(collection.content_count, FILES);
    source = collection_source(&collection);
    ck_assert_int_eq(postings_build(&postings, &source, 1000, &err), 0);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct collection_judge judge = {&collection, &postings, limits[i]};
        const struct pairs_plan plan = {.documents = FILES,
                                        .candidates = overlap_postings,
                                        .arg = &postings,
                                        .judge = collection_judge(&judge),
                                        .threads = 2};
        struct pairs *pairs = pairs_new(&plan, &err);
        uint32_t expected[FILES], leaders[FILES], clusters = 0;

        link_all(&limits[i], expected);
        ck_assert_int_eq(linkage_run(pairs, FILES, leaders, &err), 0);
        ck_assert_mem_eq(leaders, expected, sizeof leaders);
        for (uint32_t d = 0; d < FILES; d++)
            clusters += leaders[d] == d;
        ck_assert(clusters > 1 && clusters < FILES);
        pairs_free(pairs);
    }
    postings_release(&postings);
    collection_release(&collection);
}
END_TEST

START_TEST(limits_are_met_by_the_estimate_or_if_certain_by_its_interval)
{
    struct likeness l = {
        .has_resemblance = true, .has_containment = true, .resemblance = .8, .a_in_b = 1, .b_in_a = .8};
    struct likeness_limits limits = {.resemblance = .8};

    likeness_set_intervals(&l, 8, 8, 10);
    ck_assert_uint_eq(l.compared, 10);
    ck_assert_double_eq_tol(l.resemblance_low, .4902, 1e-4); /* Wilson's interval for 8 of 10 */
    ck_assert_double_eq_tol(l.resemblance_high, .9433, 1e-4);
    ck_assert_double_eq_tol(l.a_in_b_low, .6756, 1e-4); /* for 8 of 8 */
    ck_assert_double_eq_tol(l.a_in_b_high, 1, 1e-9);
    ck_assert(likeness_meets(&limits, &l, 1, 1));
    limits.certain = true;
    ck_assert(!likeness_meets(&limits, &l, 1, 1));
    limits.resemblance = .49;
    ck_assert(likeness_meets(&limits, &l, 1, 1));
    limits.containment = .68;
    ck_assert(!likeness_meets(&limits, &l, 1, 1));
    limits.containment = .67;
    ck_assert(likeness_meets(&limits, &l, 1, 1));
    l = (struct likeness){0};
    likeness_set_intervals(&l, 0, 0, 3);
    ck_assert(!l.has_share_intervals);
}
END_TEST

/* ---- sketches ---- */

static void make_sketches(const struct sketch_params *params, struct sketch *sketches)
{
    struct sketcher *sketcher = sketch_new(params, &err);

    ck_assert_ptr_nonnull(sketcher);
    for (size_t i = 0; i < FILES; i++) {
        struct sketch copy = {0};

        ck_assert_int_eq(sketch_bytes(sketcher, contents[i], lens[i], true, &sketches[i], &err), 0);
        ck_assert_int_eq(sketch_bytes(sketcher, contents[i], lens[i], true, &copy, &err), 0);
        ck_assert_int_eq(
            collection_add_sketch(&collection, &copy, "x", (struct collection_origin){0, i, 0, false}, &err),
            0);
        sketch_release(&copy);
    }
    sketch_free(sketcher);
}

/* Whether the signatures are closer than chance would bring them; true of other sketches. */
static bool is_evidence(const struct sketch *a, const struct sketch *b)
{
    const enum sketch_scheme scheme = a->params.scheme;
    struct buffer x = {0}, y = {0};
    double distance = 0, most = 0;

    record_signature(&a->record, &x);
    record_signature(&b->record, &y);
    if (scheme == SKETCH_COATES2011 || scheme == SKETCH_COATES2015)
        ck_assert_int_eq(unrelated_most((const uint8_t *)x.data, x.len, (const uint8_t *)y.data, y.len,
                                        FILES * (FILES - 1) / 2, &distance, &most, &err),
                         0);
    buffer_release(&x);
    buffer_release(&y);
    return distance <= most;
}

static void link_sketches(const struct sketch *sketches, const struct likeness_limits *limits,
                          uint32_t *leaders)
{
    struct sketcher *sketcher = sketch_new(&sketches[0].params, &err);

    for (uint32_t i = 0; i < FILES; i++)
        leaders[i] = i;
    for (uint32_t a = 0; a < FILES; a++)
        for (uint32_t b = 0; b < a; b++) {
            struct sketch_likeness l;

            ck_assert_int_eq(sketch_compare(sketcher, &sketches[a], &sketches[b], &l, &err), 0);
            if (!l.too_small && (limits->resemblance <= 0 || l.resemblance >= limits->resemblance) &&
                (limits->containment <= 0 || l.a_in_b >= limits->containment ||
                 l.b_in_a >= limits->containment) &&
                (!limits->has_edits ||
                 l.edits <= limits->most_edit_share * (double)(lens[a] > lens[b] ? lens[a] : lens[b])) &&
                is_evidence(&sketches[a], &sketches[b]))
                linkage_join(leaders, a, b);
        }
    linkage_settle(leaders, FILES);
    sketch_free(sketcher);
}

static void assert_sketches(const struct sketch_params *params, const struct likeness_limits *limits,
                            enum clusters_candidates candidates)
{
    const enum sketch_scheme scheme = params->scheme;
    const struct clusters_options options = {
        .method = CLUSTERS_SINGLE, .candidates = candidates, .limits = *limits, .common = 1000, .threads = 2};
    struct sketch sketches[FILES] = {0};
    struct clusters clusters;
    uint32_t expected[FILES];

    make_sketches(params, sketches);
    ck_assert_int_eq(collection_check_limits(scheme, limits, &err), 0);
    link_sketches(sketches, limits, expected);
    ck_assert_int_eq(clusters_find(&clusters, &collection, &options, &err), 0);
    for (size_t i = 0; i < FILES; i++)
        ck_assert_msg(clusters.leaders[i] == expected[i], "%s: file %zu", sketch_scheme_name(scheme), i);
    ck_assert_msg(clusters.count > 0, "%s: %zu clusters", sketch_scheme_name(scheme), clusters.count);
    clusters_release(&clusters);
    for (size_t i = 0; i < FILES; i++)
        sketch_release(&sketches[i]);
    collection_release(&collection);
}

static void assert_scheme(enum sketch_scheme scheme, const struct likeness_limits *limits)
{
    struct sketch_params params = sketch_defaults(scheme);

    if (scheme == SKETCH_COATES2015)
        params.rate = 101; /* 200 would take almost no window of lower-case text */
    if (scheme == SKETCH_COATES2011)
        params.rate = 19; /* short signatures of bits are no evidence */
    assert_sketches(&params, limits, CLUSTERS_INDEX);
}

START_TEST(clusters_of_sketches_are_the_components_of_the_graph_of_estimates)
{
    const enum sketch_scheme schemes[] = {SKETCH_SHINGLES, SKETCH_MIN,     SKETCH_MOD, SKETCH_MINMOD,
                                          SKETCH_NESTED,   SKETCH_MINWISE, SKETCH_BSW, SKETCH_CHUNKS};
    const struct likeness_limits resemblance = {.resemblance = .4}, containment = {.containment = .8},
                                 edits = {.has_edits = true, .most_edits = HUGE_VAL, .most_edit_share = .5},
                                 fewer = {.has_edits = true, .most_edits = HUGE_VAL, .most_edit_share = .18};

    make_families();
    collection_release(&collection);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        assert_scheme(schemes[i], &resemblance);
        if (sketch_has_containment(schemes[i]))
            assert_scheme(schemes[i], &containment);
    }
    assert_scheme(SKETCH_COATES2015, &edits);
    assert_scheme(SKETCH_COATES2011, &fewer);
}
END_TEST

START_TEST(hamming_fingerprints_yield_all_pairs_in_every_way)
{
    const struct likeness_limits limits = {.resemblance = .7};
    struct sketch_params params = sketch_defaults(SKETCH_HAMMING);

    params.size = 72;
    make_families();
    collection_release(&collection);
    for (int c = CLUSTERS_HAMMING; c < CLUSTERS_CANDIDATES; c++)
        assert_sketches(&params, &limits, (enum clusters_candidates)c);
}
END_TEST

/* Which pairs are related, sorted by both. */
static int add_line(void *arg, const struct pair *pair, struct error *error)
{
    struct buffer *lines = arg;

    (void)error;
    buffer_printf(lines, "%u %u %.3f\n", pair->a, pair->b, pair->likeness.resemblance);
    return 0;
}

/* alg.G would have to make too many queries; for so few documents, a scan is faster than alg.H. */
enum { WAYS = 4 };

static const enum clusters_candidates ways[WAYS] = {CLUSTERS_INDEX, CLUSTERS_HAMMING, CLUSTERS_ALG_H,
                                                    CLUSTERS_SCAN};

START_TEST(hamming_fingerprints_of_records_yield_the_pairs_that_the_index_yields)
{
    struct clusters_options options = {.limits = {.resemblance = .6}, .common = 1000, .threads = 2};
    struct buffer lines[WAYS] = {{0}};
    struct clusters clusters[WAYS];
    struct clusters_pairs all = {0};

    for (size_t i = 0; i < FILES; i++) {                     /* pairs of one long text each, with few edits */
        lens[i] = i % 4 < 2 ? LONGEST : i % 2 ? 6300 : 6000; /* sampled at C = 128, 64 */
        fill_text(contents[i], LONGEST);
        if (i % 2)
            memcpy(contents[i], contents[i - 1], LONGEST);
        if (i % 2)
            fill_text(contents[i] + random64() % (lens[i] - 100), 60);
        add(contents[i], lens[i], "x", i);
    }
    for (int c = 0; c < WAYS; c++) {
        options.candidates = ways[c];
        ck_assert_int_eq(clusters_find_pairs(&collection, &options, &all, add_line, &lines[c], &err), 0);
        ck_assert_int_eq(clusters_find(&clusters[c], &collection, &options, &err), 0);
    }
    ck_assert_uint_eq(clusters[0].count, FILES / 2);
    for (int c = 1; c < WAYS; c++) {
        ck_assert_int_eq(clusters[c].candidates, ways[c] == CLUSTERS_HAMMING ? CLUSTERS_SCAN : ways[c]);
        ck_assert_uint_eq(lines[0].len, lines[c].len);
        ck_assert_mem_eq(lines[0].data, lines[c].data, lines[0].len);
        ck_assert_mem_eq(clusters[0].leaders, clusters[c].leaders, FILES * sizeof(uint32_t));
    }
    for (int c = 0; c < WAYS; c++) {
        buffer_release(&lines[c]);
        clusters_release(&clusters[c]);
    }
    collection_release(&collection);
}
END_TEST

START_TEST(limits_that_a_scheme_cannot_measure_are_refused)
{
    const struct likeness_limits resemblance = {.resemblance = .4}, containment = {.containment = .8},
                                 edits = {.has_edits = true, .most_edits = 7};

    ck_assert_int_eq(collection_check_limits(SKETCH_MIN, &resemblance, &err), 0);
    ck_assert_int_eq(collection_check_limits(SKETCH_MIN, &containment, &err), -1);
    ck_assert_str_eq(err.text, "scheme min does not estimate containment");
    ck_assert_int_eq(collection_check_limits(SKETCH_MOD, &containment, &err), 0);
    ck_assert_int_eq(collection_check_limits(SKETCH_MOD, &edits, &err), -1);
    ck_assert_int_eq(collection_check_limits(SKETCH_GF8, &edits, &err), 0);
    ck_assert_int_eq(collection_check_limits(SKETCH_COATES2011, &edits, &err), 0);
    ck_assert_int_eq(collection_check_limits(SKETCH_COATES2011, &resemblance, &err), -1);
}
END_TEST

START_TEST(equal_contents_are_kept_once)
{
    char name[20];

    fill_text(contents[0], LONGEST);
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "%u", i);
        add(contents[0] + i % 1700, 300, name, i);
    }
    ck_assert_uint_eq(collection.document_count, 5000);
    ck_assert_uint_eq(collection.content_count, 1700);
    for (unsigned i = 0; i < 5000; i++) {
        const struct collection_document *document = &collection.documents[i];

        snprintf(name, sizeof name, "%u", i);
        ck_assert_uint_eq(document->content, i % 1700);
        ck_assert_uint_eq(document->origin.id, i);
        ck_assert_str_eq(collection_name(&collection, document), name);
        ck_assert_uint_eq(collection.contents[document->content].document, i % 1700);
    }
    ck_assert_uint_eq(collection.contents[0].copies, 3);
    ck_assert_uint_eq(collection.contents[1699].copies, 2);
    collection_release(&collection);
}
END_TEST

START_TEST(records_that_cannot_be_compared_are_refused)
{
    struct record record = {.params = {SAMPLER_GF8, 16, 128, 0}};

    ck_assert_int_eq(collection_add(&collection, &record, "x", (struct collection_origin){0}, &err), -1);
    record.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    ck_assert_int_eq(collection_add(&collection, &record, "x", (struct collection_origin){0}, &err), 0);
    record.params.n = 12;
    ck_assert_int_eq(collection_add(&collection, &record, "x", (struct collection_origin){0}, &err), -1);
    ck_assert_str_eq(err.text, "cannot compare files sampled with windows of 16 bytes and of 12");
    record.params = (struct sampler_params){SAMPLER_COATES2015, 16, 128, 0};
    ck_assert_int_eq(collection_add(&collection, &record, "x", (struct collection_origin){0}, &err), -1);
    ck_assert_uint_eq(collection.document_count, 1);
    collection_release(&collection);
}
END_TEST

RUN_TESTS("collection", limits_are_met_by_the_estimate_or_if_certain_by_its_interval,
          clusters_of_files_are_the_components_of_the_graph_of_estimates,
          clusters_of_sketches_are_the_components_of_the_graph_of_estimates,
          hamming_fingerprints_yield_all_pairs_in_every_way,
          hamming_fingerprints_of_records_yield_the_pairs_that_the_index_yields,
          limits_that_a_scheme_cannot_measure_are_refused, equal_contents_are_kept_once,
          records_that_cannot_be_compared_are_refused)
