/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_blocks.h"

#include <stdlib.h>

/* Characters that agree, of each block; and the figures of the best one. */
struct search {
    const struct compare_side *split;
    const struct sketch *document;
    bool is_b; /* the document is B */
    uint64_t *agreeing;
    size_t best;
    bool is_identical; /* the best one */
    struct compare_papers papers;
};

/* Whether block i is better than the best of those before.  No signature is better than equal digests. */
static bool is_better(struct search *search, size_t i)
{
    const bool is_identical = compare_side_is_same(&search->split->blocks[i], search->document);

    if (i > 0 &&
        (search->is_identical || (!is_identical && search->agreeing[i] <= search->agreeing[search->best])))
        return false;
    search->is_identical = is_identical;
    return true;
}

static int measure(struct comparer *comparer, struct search *search, int (*stop)(void *arg), void *arg,
                   struct error *err)
{
    for (size_t i = 0; i < search->split->block_count; i++) {
        const struct record *block = &search->split->blocks[i].record, *document = &search->document->record;
        struct compare_papers papers;
        const int stopped = compare_signatures(comparer, search->is_b ? block : document,
                                               search->is_b ? document : block, stop, arg, &papers, err);

        if (stopped)
            return stopped;
        search->agreeing[i] = (papers.a_len > papers.b_len ? papers.a_len : papers.b_len) - papers.distance;
        if (is_better(search, i)) {
            search->best = i;
            search->papers = papers;
        }
    }
    return 0;
}

static void describe(const struct search *search, struct compare_blocks *out)
{
    const struct sketch *best = &search->split->blocks[search->best];

    *out = (struct compare_blocks){.len = best->len,
                                   .is_found = search->is_identical || search->agreeing[search->best] > 0,
                                   .is_identical = search->is_identical,
                                   .papers = search->papers,
                                   .agreeing = search->agreeing[search->best]};
    for (size_t i = 0; i < search->best; i++)
        out->start += search->split->blocks[i].len;
    for (size_t i = 0; i < search->split->block_count; i++) {
        if (i + 1 >= search->best && i <= search->best + 1)
            continue;
        out->has_elsewhere = true;
        out->elsewhere = search->agreeing[i] > out->elsewhere ? search->agreeing[i] : out->elsewhere;
    }
}

int compare_blocks_find(struct comparer *comparer, const struct compare_side *a, const struct compare_side *b,
                        int (*stop)(void *arg), void *arg, struct compare_blocks *out, struct error *err)
{
    const bool is_b = a->block_count > 0;
    struct search search = {.split = is_b ? a : b, .document = is_b ? &b->sketch : &a->sketch, .is_b = is_b};
    int result;

    search.agreeing = calloc(search.split->block_count, sizeof *search.agreeing);
    if (!search.agreeing)
        return error_set(err, "out of memory for %zu blocks", search.split->block_count);
    result = measure(comparer, &search, stop, arg, err);
    if (result == 0)
        describe(&search, out);
    free(search.agreeing);
    return result;
}
