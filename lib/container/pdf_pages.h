/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_PAGES_H
#define KITH_PDF_PAGES_H

#include "container/pdf_objects.h"

/*
 * The pages of a PDF in their order, by the tree of pages (ISO 32000-1, 7.7.3). Where the tree is missing or
 * damaged, the pages that it did not lead to follow in the order of the file.
 *
 * Each object is visited once, whatever the tree looks like.
 */

enum {
    PDF_PAGES_MOST = 1 << 18
}; /* nodes that wait to be visited; the rest is found by the order of the file */

struct pdf_pages_node {
    uint32_t number;
    uint32_t owner; /* the node above whose /Resources it inherits; 0: none */
};

struct pdf_pages {
    struct pdf_objects *objects;
    struct pdf_pages_node *waiting; /* the next one last */
    size_t waiting_count, waiting_room;
    uint8_t *visited; /* a bit for each entry */
    size_t next;      /* of the entries, in the order of the file */
    bool any, is_incomplete;
};

/* Begins at the root. -1 if memory runs out; release is needed all the same. */
int pdf_pages_init(struct pdf_pages *pages, struct pdf_objects *objects, struct error *err);
void pdf_pages_release(struct pdf_pages *pages);
/* The next page, whose dictionary is read into `into`; its resources are those of the object `owner`, which
 * is the page itself or inherited from, or 0. Returns 1, 0 after the last one, -1 if memory runs out. */
int pdf_pages_next(struct pdf_pages *pages, struct buffer *into, struct pdf_value *page, uint32_t *owner,
                   struct error *err);

#endif
