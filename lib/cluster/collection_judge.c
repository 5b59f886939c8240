/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/collection_inner.h"
#include "compare/compare.h"
#include "compare/verdict.h"

static struct postings_list list_fingerprints(const void *arg, uint32_t document)
{
    const struct collection *collection = arg;
    const struct collection_content *content = &collection->contents[document];

    if (content->sketch)
        return collection_sketch_list(content);
    return (struct postings_list){content->count ? &content->samples[0].fp : NULL, content->count,
                                  sizeof *content->samples};
}

struct postings_source collection_source(const struct collection *collection)
{
    return (struct postings_source){
        .documents = collection->content_count, .list = list_fingerprints, .arg = collection};
}

bool collection_is_indistinct(const struct collection *collection, uint32_t number)
{
    const struct collection_content *content = &collection->contents[number];

    if (content->sketch)
        return content->sketch->shingles == 0 || (content->sketch->params.scheme != SKETCH_HAMMING &&
                                                  collection_sketch_list(content).count == 0);
    return verdict_without_match(content->count, collection_first(collection, number)->size, content->c) !=
           COMPARE_NONE;
}

/* ---- judging ---- */

struct state {
    const struct collection_judge *judge;
    struct comparer *comparer;
};

static void *judge_open(const void *arg, struct error *err)
{
    struct state *state = memory_new(sizeof *state, err);

    if (!state)
        return NULL;
    state->judge = arg;
    state->comparer = compare_new(err);
    if (state->comparer)
        return state;
    free(state);
    return NULL;
}

static void judge_close(void *arg)
{
    struct state *state = arg;

    compare_free(state->comparer);
    free(state);
}

static bool judge_may(const void *arg, uint32_t a, uint32_t b, uint32_t shared)
{
    const struct state *state = arg;
    const struct collection_judge *judge = state->judge;
    const struct postings *p = judge->postings;
    const uint32_t a_c = judge->collection->contents[a].c, b_c = judge->collection->contents[b].c;
    uint32_t rarer = a, denser = b;

    if (!p)
        return true;
    if (b_c > a_c) {
        rarer = b;
        denser = a;
    }
    return likeness_may_meet(&judge->limits, shared,
                             p->widespread[a] < p->widespread[b] ? p->widespread[a] : p->widespread[b],
                             p->distinct[rarer], p->distinct[denser], a_c == b_c);
}

static int judge_compare(void *arg, uint32_t a, uint32_t b, struct likeness *out, struct error *err)
{
    struct state *state = arg;
    const struct collection *collection = state->judge->collection;
    const struct record x = collection_record(collection, a), y = collection_record(collection, b);
    const struct estimate *e;
    struct comparison comparison;

    if (compare_relate(state->comparer, &x, &y, NULL, &comparison, err))
        return -1;
    e = &comparison.estimate;
    *out = (struct likeness){.has_resemblance = true,
                             .has_containment = true,
                             .has_edits = true,
                             .has_interval = true,
                             .resemblance = e->resemblance,
                             .a_in_b = e->a_in_b,
                             .b_in_a = e->b_in_a,
                             .edits = e->edits,
                             .edits_low = e->edits_low,
                             .edits_high = e->edits_high,
                             .a_matched = e->a_matched,
                             .b_matched = e->b_matched};
    likeness_set_intervals(out, e->shared, e->of_a, e->of_b);
    return comparison.verdict <= COMPARE_FRAGMENT && likeness_meets(&state->judge->limits, out, x.len, y.len);
}

struct likeness_judge collection_judge(const struct collection_judge *judge)
{
    if (judge->collection->content_count && judge->collection->contents[0].sketch)
        return collection_sketch_judge(judge);
    return (struct likeness_judge){judge_open, judge_close, judge_may, judge_compare, judge};
}
