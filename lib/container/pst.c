/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pst.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    CLIENT = 8,
    HEADER = 564
}; /* the offset of what kind of file it is, and the bytes of the smaller header */

struct pst {
    struct container container;
    bool is_over;
};

static int pst_next(struct container *container, struct container_member *member, struct error *err)
{
    struct pst *pst = (struct pst *)container;

    (void)err;
    if (pst->is_over)
        return 0;
    pst->is_over = true;
    *member = (struct container_member){
        .name = "", .size = CONTAINER_UNKNOWN, .problem = "Outlook data files are not opened"};
    return 1;
}

static ssize_t pst_read(struct container *container, void *into, size_t len, struct error *err)
{
    (void)container;
    (void)into;
    (void)len;
    return error_set(err, "is not opened");
}

static void pst_close(struct container *container)
{
    free(container);
}

static bool pst_matches(const struct container_sight *sight)
{
    return sight->size >= HEADER && memcmp(sight->head, "!BDN", 4) == 0 &&
           (memcmp(sight->head + CLIENT, "SM", 2) == 0 || memcmp(sight->head + CLIENT, "SO", 2) == 0 ||
            memcmp(sight->head + CLIENT, "AB", 2) == 0);
}

static struct container *pst_open(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct pst *pst = memory_new(sizeof *pst, err);

    (void)sight;
    (void)watch;
    if (!pst)
        return NULL;
    pst->container = (struct container){.next = pst_next, .read = pst_read, .close = pst_close};
    return &pst->container;
}

static const struct container_magic magic[] = {{0, 4, "!BDN"}, {0}};

const struct container_format pst_format = {
    .name = "pst", .magic = magic, .matches = pst_matches, .open = pst_open};
