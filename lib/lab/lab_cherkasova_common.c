/* SPDX-License-Identifier: Apache-2.0 */
/* The last remark of section 2: fingerprints of more than 1,000 documents slow the clustering down. */
#include "cluster/overlap.h"
#include "cluster/postings.h"
#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_similar.h"

enum { COMMON = 1000 };

static const double similar = 0.7;

static const struct lab_column columns[] = {
    {"scheme", "", LAB_WORDS, false},        {"limit", "documents", 0, false},
    {"fingerprints left out", "", 0, false}, {"candidate pairs", "", 0, false},
    {"of all pairs", "%", 1, false},         {"shared fingerprints counted", "", 0, false},
    {"pairs above 70 %", "", 0, false},      {"of these, candidates", "", 0, false},
};

static struct postings_list list(const void *arg, uint32_t document)
{
    const struct lab_pairs *pairs = arg;
    const struct sketch *sketch = &pairs->sketches[document];

    return (struct postings_list){sketch->values, sketch->count, sizeof(uint64_t)};
}

/* What an index leads to. */
struct cost {
    double candidates, counted; /* pairs, and how often a pair came up */
    size_t found;               /* similar pairs among the candidates */
};

static struct cost measure(const struct postings *postings, const struct lab_pairs *pairs,
                           struct overlap *overlap)
{
    struct cost cost = {0, 0, 0};

    for (uint32_t document = 0; document < postings->documents; document++) {
        postings_overlap(postings, document, 0, document, overlap);
        cost.candidates += (double)overlap->count;
        for (size_t i = 0; i < overlap->count; i++)
            cost.counted += overlap->counts[overlap->list[i]];
        overlap_reset(overlap);
    }
    for (size_t i = pairs->count - lab_pairs_count_above(pairs, similar); i < pairs->count; i++) {
        postings_overlap(postings, pairs->list[i].b, pairs->list[i].a, pairs->list[i].a + 1, overlap);
        cost.found += overlap->count;
        overlap_reset(overlap);
    }
    return cost;
}

static int add(const char *name, const struct lab_pairs *pairs, uint32_t limit, struct lab_table *table,
               struct error *err)
{
    const struct postings_source source = {.documents = pairs->documents, .list = list, .arg = pairs};
    const double all = (double)pairs->documents * (double)(pairs->documents - 1) / 2;
    struct postings postings = {0};
    struct overlap overlap = {0};
    struct cost cost;
    int rc = overlap_make(&overlap, pairs->documents, err);

    if (rc == 0)
        rc = postings_build(&postings, &source, limit, err);
    if (rc == 0) {
        cost = measure(&postings, pairs, &overlap);
        lab_row(table);
        lab_text(table, 0, "%s", name);
        if (limit < pairs->documents)
            lab_number(table, 1, limit);
        lab_number(table, 2, (double)postings.common);
        lab_number(table, 3, cost.candidates);
        lab_cherkasova_percent(table, 4, cost.candidates / all);
        lab_number(table, 5, cost.counted);
        lab_number(table, 6, (double)lab_pairs_count_above(pairs, similar));
        lab_number(table, 7, (double)cost.found);
    }
    postings_release(&postings);
    overlap_release(&overlap);
    return rc;
}

static int add_scheme(const char *name, const struct lab_collection *collection, size_t scheme,
                      uint32_t limit, struct lab_table *table, struct error *err)
{
    struct lab_pairs pairs = {0};
    int rc = lab_similar_list(&pairs, collection, scheme, similar, err);

    if (rc == 0)
        rc = add(name, &pairs, UINT32_MAX, table, err);
    if (rc == 0)
        rc = add(name, &pairs, limit, table, err);
    lab_pairs_release(&pairs);
    return rc;
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const char *const names[LAB_SIMILAR_SCHEMES] = {"Mod_100", "Min_100", "Sketch_100", "BSW_100"};
    struct lab_collection collection;
    struct lab_table *table;
    int rc = lab_collection_init(&collection, LAB_COLLECTION_1, run, err);

    table = lab_table(out, "cherkasova2009-common",
                      "Candidate pairs with and without common fingerprints, window 20", columns,
                      sizeof columns / sizeof *columns);
    for (size_t i = 0; i < LAB_SIMILAR_SCHEMES && rc == 0; i++)
        rc = add_scheme(names[i], &collection, i, run->quick ? (uint32_t)collection.count / 5 : COMMON, table,
                        err);
    lab_remark(
        out,
        "%zu generated documents with a common template. Without a limit, every fingerprint of the "
        "template makes a candidate of every pair that has it. The paper names the limit of 1,000 documents "
        "as an example and gives no figures.",
        collection.count);
    lab_collection_release(&collection);
    return rc;
}

const struct lab_experiment lab_cherkasova_common = {
    .name = "cherkasova2009-common",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, section 2",
    .summary = "what fingerprints shared by more than 1,000 documents cost",
    .uses = LAB_USE_SEED | LAB_USE_QUICK,
    .run = run,
};
