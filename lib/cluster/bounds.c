/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/bounds.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"
#include "cluster/linkage.h"

static int compare_by_reference(const void *x, const void *y)
{
    const struct bounds_finding *a = x, *b = y;

    if (a->reference != b->reference)
        return a->reference < b->reference ? -1 : 1;
    if (a->resemblance < b->resemblance || a->resemblance > b->resemblance)
        return a->resemblance > b->resemblance ? -1 : 1;
    return a->content < b->content ? -1 : a->content > b->content;
}

static int compare_by_content(const void *x, const void *y)
{
    const struct bounds_finding *a = x, *b = y;

    if (a->content != b->content)
        return a->content < b->content ? -1 : 1;
    if (a->reference != b->reference)
        return a->reference < b->reference ? -1 : 1;
    return a->resemblance > b->resemblance ? -1 : a->resemblance < b->resemblance;
}

static void sort(struct bounds_finding *findings, size_t count, int (*compare)(const void *x, const void *y))
{
    if (count > 1)
        qsort(findings, count, sizeof *findings, compare);
}

/* ---- single linkage ---- */

/* Whoever is related to another finder of a reference is related to the one that resembles it most. */
int bounds_link(struct bounds_finding *findings, size_t count, double resemblance, uint32_t *leaders,
                size_t contents, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < contents; i++)
        leaders[i] = (uint32_t)i;
    sort(findings, count, compare_by_reference);
    for (size_t i = 0, best = 0; i < count; i++) {
        if (findings[i].reference != findings[best].reference)
            best = i;
        if (i != best && findings[best].resemblance + findings[i].resemblance - 1 >= resemblance)
            linkage_join(leaders, findings[best].content, findings[i].content);
    }
    linkage_settle(leaders, (uint32_t)contents);
    return 0;
}

/* ---- greedily ---- */

/* A leader in the list of a reference. */
struct node {
    uint32_t finding; /* of the leader */
    uint32_t next;    /* index of a node, from 1; 0: none */
};

struct joiner {
    const struct bounds_finding *findings;
    size_t count;
    double resemblance;
    uint32_t *leaders;
    uint32_t *heads; /* by reference */
    struct node *nodes;
    size_t node_count;
};

/* The findings of one content, from `from` to `to`. */
static void join_one(struct joiner *joiner, size_t from, size_t to)
{
    const struct bounds_finding *f = joiner->findings;
    const uint32_t content = f[from].content;
    double best = -1;

    for (size_t i = from; i < to; i++)
        for (uint32_t at = joiner->heads[f[i].reference]; at; at = joiner->nodes[at - 1].next) {
            const struct bounds_finding *leader = &f[joiner->nodes[at - 1].finding];
            const double bound = f[i].resemblance + leader->resemblance - 1;

            if (bound >= joiner->resemblance &&
                (bound > best || (bound >= best && leader->content < joiner->leaders[content]))) {
                best = bound;
                joiner->leaders[content] = leader->content;
            }
        }
    for (size_t i = from; i < to && best < 0; i++) {
        uint32_t *head = &joiner->heads[f[i].reference];

        joiner->nodes[joiner->node_count++] = (struct node){(uint32_t)i, *head};
        *head = (uint32_t)joiner->node_count;
    }
}

static void join_all(struct joiner *joiner)
{
    for (size_t from = 0, to; from < joiner->count; from = to) {
        for (to = from; to < joiner->count; to++)
            if (joiner->findings[to].content != joiner->findings[from].content)
                break;
        join_one(joiner, from, to);
    }
}

int bounds_join(struct bounds_finding *findings, size_t count, double resemblance, uint32_t *leaders,
                size_t contents, struct error *err)
{
    struct joiner joiner = {
        .findings = findings, .count = count, .resemblance = resemblance, .leaders = leaders};
    uint32_t references = 0;

    if (count >= UINT32_MAX)
        return error_set(err, "too many findings: %zu", count);
    for (size_t i = 0; i < contents; i++)
        leaders[i] = (uint32_t)i;
    for (size_t i = 0; i < count; i++)
        references = findings[i].reference >= references ? findings[i].reference + 1 : references;
    sort(findings, count, compare_by_content);
    joiner.heads = memory_new((references + (size_t)1) * sizeof *joiner.heads, err);
    joiner.nodes = joiner.heads ? memory_new((count + 1) * sizeof *joiner.nodes, err) : NULL;
    if (joiner.nodes)
        join_all(&joiner);
    free(joiner.heads);
    free(joiner.nodes);
    return joiner.nodes ? 0 : -1;
}

/* ---- measuring ---- */

static void measure(const struct bounds_finding *findings, size_t count, uint32_t a, uint32_t b,
                    struct likeness *out)
{
    size_t i = SEARCH_FIRST(m, 0, count, findings[m].content >= a);
    size_t k = SEARCH_FIRST(m, 0, count, findings[m].content >= b);

    *out = (struct likeness){0};
    while (i < count && k < count && findings[i].content == a && findings[k].content == b) {
        const uint32_t x = findings[i].reference, y = findings[k].reference;
        const double bound = findings[i].resemblance + findings[k].resemblance - 1;

        if (x == y && bound >= out->resemblance) {
            out->has_resemblance = true;
            out->resemblance = bound;
        }
        i += x <= y;
        k += y <= x;
    }
}

void bounds_measure(struct bounds_finding *findings, size_t count, const uint32_t *leaders,
                    struct likeness *likenesses, size_t contents)
{
    sort(findings, count, compare_by_content);
    for (size_t c = 0; c < contents; c++)
        if (leaders[c] != c)
            measure(findings, count, (uint32_t)c, leaders[c], &likenesses[c]);
}
