/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_cherkasova_similar.h"

#include <stdlib.h>

#include "base/array.h"
#include "compare/distance.h"

enum { SIMILAR_PART = 5 /* correct: edits of at most a fifth of the longer document */ };

static const double least = 0.4, above = 0.7; /* figure 9 begins at 40 %, table 2 has pairs above 70 % */

const enum sketch_scheme lab_similar_schemes[LAB_SIMILAR_SCHEMES] = {SKETCH_MOD, SKETCH_MIN, SKETCH_MINWISE,
                                                                     SKETCH_BSW};

struct judge {
    struct lab_similar *similar;
    const struct lab_collection *collection;
    struct sketcher *sketcher; /* of all windows */
    struct sketch first;       /* of document `at` */
    size_t at;
};

/* ---- finding ---- */

int lab_similar_list(struct lab_pairs *pairs, const struct lab_collection *collection, size_t scheme,
                     double floor, struct error *err)
{
    const struct sketch_params params =
        lab_cherkasova_params(lab_similar_schemes[scheme], LAB_SIMILAR_WINDOW, LAB_SIMILAR_N);

    return lab_pairs_measure(pairs, &params, collection->documents, collection->count, floor, err);
}

static int find_pairs(struct lab_similar *similar, const struct lab_collection *collection, struct error *err)
{
    for (size_t i = 0; i < LAB_SIMILAR_SCHEMES; i++)
        if (lab_similar_list(&similar->pairs[i], collection, i, least, err))
            return -1;
    return 0;
}

static int by_documents(const void *left, const void *right)
{
    const struct lab_verdict *x = left, *y = right;

    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* One verdict for each pair. */
static void merge(struct lab_similar *similar)
{
    size_t kept = 0;

    if (similar->count == 0)
        return;
    qsort(similar->verdicts, similar->count, sizeof *similar->verdicts, by_documents);
    for (size_t i = 1; i < similar->count; i++) {
        struct lab_verdict *last = &similar->verdicts[kept];
        const struct lab_verdict *next = &similar->verdicts[i];

        if (by_documents(last, next) == 0) {
            last->reported |= next->reported;
            last->is_planted |= next->is_planted;
        } else {
            similar->verdicts[++kept] = *next;
        }
    }
    similar->count = kept + 1;
}

static size_t total(const struct lab_similar *similar)
{
    size_t count = 0;

    for (size_t i = 0; i < LAB_SIMILAR_SCHEMES; i++)
        count += similar->pairs[i].count;
    return count;
}

static int gather(struct lab_similar *similar, const struct lab_collection *collection, struct error *err)
{
    if (array_reserve(&similar->verdicts, &similar->room, total(similar) + collection->planted_count))
        return error_set(err, "out of memory");
    for (unsigned i = 0; i < LAB_SIMILAR_SCHEMES; i++)
        for (size_t k = 0; k < similar->pairs[i].count; k++) {
            const struct lab_pair *pair = &similar->pairs[i].list[k];

            similar->verdicts[similar->count++] = (struct lab_verdict){
                .a = pair->a, .b = pair->b, .reported = pair->resemblance > above ? 1u << i : 0};
        }
    for (size_t i = 0; i < collection->planted_count; i++)
        similar->verdicts[similar->count++] = (struct lab_verdict){
            .a = collection->planted[i].a, .b = collection->planted[i].b, .is_planted = true};
    merge(similar);
    return 0;
}

/* ---- judging ---- */

/* As the paper did with diff: by the edit distance. */
static int measure_edits(struct judge *judge, struct lab_verdict *verdict, struct error *err)
{
    const struct lab_text_file *a = &judge->collection->documents[verdict->a];
    const struct lab_text_file *b = &judge->collection->documents[verdict->b];
    const uint64_t limit = (a->len > b->len ? a->len : b->len) / SIMILAR_PART;
    uint64_t distance;

    if (!verdict->reported)
        return 0;
    if (distance_bounded(a->data, a->len, b->data, b->len, limit, NULL, NULL, &distance, err))
        return -1;
    verdict->is_similar = distance <= limit;
    return 0;
}

/* Verdicts are sorted, so a document's own sketch serves all of its pairs. */
static int sketch_first(struct judge *judge, size_t document, struct error *err)
{
    const struct lab_text_file *file = &judge->collection->documents[document];

    if (judge->at == document)
        return 0;
    sketch_release(&judge->first);
    judge->first = (struct sketch){0};
    judge->at = document;
    return sketch_bytes(judge->sketcher, file->data, file->len, false, &judge->first, err);
}

static int measure_exact(struct judge *judge, struct lab_verdict *verdict, struct error *err)
{
    const struct lab_text_file *b = &judge->collection->documents[verdict->b];
    struct sketch second = {0};
    struct sketch_likeness likeness;
    int rc = sketch_first(judge, verdict->a, err);

    if (rc == 0)
        rc = sketch_bytes(judge->sketcher, b->data, b->len, false, &second, err);
    if (rc == 0)
        rc = sketch_compare(judge->sketcher, &judge->first, &second, &likeness, err);
    if (rc == 0 && likeness.has_resemblance)
        verdict->exact = likeness.resemblance;
    sketch_release(&second);
    return rc;
}

static int judge_all(struct judge *judge, struct error *err)
{
    const struct sketch_params params = lab_cherkasova_params(SKETCH_SHINGLES, LAB_SIMILAR_WINDOW, 0);
    struct lab_similar *similar = judge->similar;
    int rc = (judge->sketcher = sketch_new(&params, err)) ? 0 : -1;

    for (size_t i = 0; i < similar->count && rc == 0; i++) {
        rc = measure_edits(judge, &similar->verdicts[i], err);
        if (rc == 0)
            rc = measure_exact(judge, &similar->verdicts[i], err);
    }
    sketch_release(&judge->first);
    sketch_free(judge->sketcher);
    return rc;
}

int lab_similar_find(struct lab_similar *similar, const struct lab_collection *collection, struct error *err)
{
    struct judge judge = {.similar = similar, .collection = collection, .at = SIZE_MAX};

    *similar = (struct lab_similar){0};
    if (find_pairs(similar, collection, err))
        return -1;
    similar->too_many = total(similar) > LAB_SIMILAR_MOST;
    if (similar->too_many)
        return 0;
    if (gather(similar, collection, err))
        return -1;
    return judge_all(&judge, err);
}

void lab_similar_release(struct lab_similar *similar)
{
    for (size_t i = 0; i < LAB_SIMILAR_SCHEMES; i++)
        lab_pairs_release(&similar->pairs[i]);
    free(similar->verdicts);
    *similar = (struct lab_similar){0};
}

struct lab_tally lab_similar_count(const struct lab_similar *similar, unsigned all, unsigned any)
{
    struct lab_tally tally = {0, 0, 0};

    for (size_t i = 0; i < similar->count; i++) {
        const struct lab_verdict *verdict = &similar->verdicts[i];

        if ((verdict->reported & all) != all || !(verdict->reported & any))
            continue;
        tally.reported++;
        tally.correct += verdict->is_similar;
        tally.planted += verdict->is_planted;
    }
    return tally;
}

size_t lab_similar_exact_above(const struct lab_similar *similar, double threshold)
{
    size_t count = 0;

    for (size_t i = 0; i < similar->count; i++)
        count += similar->verdicts[i].exact > threshold;
    return count;
}
