/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/linkage.h"

#include <stdlib.h>

#include "base/array.h"

/* Documents that are examined against all earlier ones by several threads, and then among themselves. */
enum { ROUND = 1024 };

static uint32_t first_of(const uint32_t *leaders, uint32_t document)
{
    while (leaders[document] != document)
        document = leaders[document];
    return document;
}

static uint32_t shorten(uint32_t *leaders, uint32_t document)
{
    while (leaders[document] != document)
        document = leaders[document] = leaders[leaders[document]];
    return document;
}

void linkage_join(uint32_t *leaders, uint32_t a, uint32_t b)
{
    a = shorten(leaders, a);
    b = shorten(leaders, b);
    if (a < b)
        leaders[b] = a;
    else
        leaders[a] = b;
}

void linkage_settle(uint32_t *leaders, uint32_t documents)
{
    for (uint32_t d = 0; d < documents; d++)
        leaders[d] = leaders[leaders[d]]; /* which is settled, since it is not greater */
}

static uint32_t group(const void *arg, uint32_t document)
{
    return first_of(arg, document);
}

static int join_pair(void *arg, const struct pair *pair, struct error *err)
{
    (void)err;
    linkage_join(arg, pair->a, pair->b);
    return 0;
}

/* The pairs of a round that are passed on while others are still being examined must not change groups. */
struct link {
    uint32_t a, b;
};

struct links {
    struct link *list;
    size_t count, room;
};

static int keep_link(void *arg, const struct pair *pair, struct error *err)
{
    struct links *links = arg;

    if (array_reserve(&links->list, &links->room, links->count + 1))
        return error_set(err, "out of memory for pairs of documents");
    links->list[links->count++] = (struct link){pair->a, pair->b};
    return 0;
}

static int run_round(struct pairs *pairs, struct pairs_query *query, struct links *links, uint32_t *leaders,
                     struct error *err)
{
    int result;

    links->count = 0;
    query->start = 0;
    query->end = query->from;
    result = pairs_find(pairs, query, keep_link, links, err);
    if (result)
        return result;
    for (size_t i = 0; i < links->count; i++)
        linkage_join(leaders, links->list[i].a, links->list[i].b);
    query->start = query->from;
    query->end = query->to;
    return pairs_find_here(pairs, query, join_pair, leaders, err);
}

int linkage_run(struct pairs *pairs, uint32_t documents, uint32_t *leaders, struct error *err)
{
    struct pairs_query query = {.once = true, .group = group, .arg = leaders};
    struct links links = {0};
    int result = 0;

    for (uint32_t d = 0; d < documents; d++)
        leaders[d] = d;
    for (uint32_t d = 0; d < documents && !result; d = query.to) {
        query.from = d;
        query.to = documents - d > ROUND ? d + ROUND : documents;
        result = run_round(pairs, &query, &links, leaders, err);
    }
    linkage_settle(leaders, documents);
    free(links.list);
    return result;
}
