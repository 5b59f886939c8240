/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FETCH_INNER_H
#define KITH_FETCH_INNER_H

/* Shared by the two sides: fetch.c in the parent, fetch_inspector.c in the workers; fetch_plan.c is
 * what both know. */

#include "disk/inspector.h"
#include "fetch.h"

/* What is wanted, in the order of paths and addresses; made before the workers are forked. */
struct fetch_plan {
    const struct fetch_want *wants;
    size_t count;
    size_t *sorted; /* indices of the wants */
    bool on_image;  /* whether wants that are ranges of the image are being read, or the others */
};

/* Compares a want with an object of this address and path (NULL: not of the host); as memcmp. */
int fetch_compare(const struct fetch_want *want, const char *address, const char *path, size_t path_len);

/* The wants for an object begin at plan->sorted[*first]; returns their number.  Those whose on_image is not
 * that of the plan are not being read. */
size_t fetch_find(const struct fetch_plan *plan, const char *address, const char *path, size_t path_len,
                  size_t *first);

/* Whether something that is being read is packed in the object with this address.  host: the path of the file
 * of the host that it is, or is packed in; NULL: of an image. */
bool fetch_leads(const struct fetch_plan *plan, const char *address, const char *host, size_t host_len);

/* The part of range i that lies in an object of this size; of length 0 if there is none.  All of the object
 * is a range, too. */
struct range fetch_range(const struct fetch_want *want, size_t i, uint64_t size);
size_t fetch_ranges(const struct fetch_want *want);

/* Each message consists of this head and, for FETCH_DATA, of bytes. */
enum fetch_kind {
    FETCH_BEGIN, /* offset: the size of the object */
    FETCH_DATA,
    FETCH_BAD, /* len bytes from offset on cannot be read */
    FETCH_END,
};
struct fetch_head {
    uint64_t kind, want, offset, len;
};

enum { FETCH_PIECE = INSPECTOR_STREAM_MAX - sizeof(struct fetch_head) };

/* The inspector that streams what the plan, which must outlive it, asks for. */
struct inspector fetch_inspector(struct fetch_plan *plan);

#endif
