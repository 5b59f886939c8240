/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ENCODED_INNER_H
#define KITH_ENCODED_INNER_H

#include <string.h>

#include "base/buffer.h"
#include "container/charset.h"
#include "container/container.h"
#include "container/transfer.h"
#include "container/window.h"

/*
 * A file is searched in strides of which a few bytes are looked at; only where these may be encoded text for
 * two strides on end, it is looked at closely, before and after.  A block is then read in order, so that each
 * byte of the file is read once.
 */
enum {
    ENCODED_STRIDE = 64,
    ENCODED_PROBE = 16,
    ENCODED_PAIR = ENCODED_STRIDE + ENCODED_PROBE,
    ENCODED_BACK =
        4096, /* bytes before a probe that are still in view: a block begins there at the earliest */
    ENCODED_AHEAD = 8192, /* bytes from a probe on that are in view, unless the file ends before */
};

struct encoded;

struct encoded_kind {
    /* The first place in [from, to) where two probes look like encoded text, or `to`.  NULL: the whole file
     * is. */
    size_t (*find)(const uint8_t *data, size_t from, size_t to);
    /* Looks closely at what was found at `at`, at most ENCODED_BACK bytes from the beginning.  Returns
     * whether there is a block, and sets *start; or else sets it to where the search continues, after `at`.
     */
    bool (*examine)(struct encoded *encoded, const uint8_t *data, size_t at, size_t len, size_t *start);
    /* Appends to `decoded` what the next bytes of the block are, of which there are ENCODED_AHEAD unless the
     * file ends before.  Returns how many were used, and sets is_over if no more follow. */
    size_t (*take)(struct encoded *encoded, const uint8_t *data, size_t len);
    void (*end)(struct encoded *encoded); /* appends what is left */
};

struct encoded {
    struct container container;
    const struct encoded_kind *kind;
    const struct container_watch *watch;
    struct window window;
    uint64_t at;    /* the first byte that is not taken or searched yet */
    uint64_t floor; /* where the last block ended */
    bool in_block, is_over;
    char name[24];
    struct buffer decoded;
    size_t taken; /* bytes of it */
    struct transfer transfer;
    struct charset charset;
    size_t line;   /* Base64: characters of a line, 0 if there is only one */
    size_t first;  /* of the first one, which may be shorter; 0 if it was taken */
    size_t indent; /* spaces before the other ones */
    unsigned left; /* characters that are not yet four */
};

typedef uint8_t encoded_vector __attribute__((vector_size(ENCODED_PROBE)));

/* The 16 bytes from here on, for arithmetic on all of them at a time. */
static inline encoded_vector encoded_load(const uint8_t *at)
{
    encoded_vector vector;

    memcpy(&vector, at, sizeof vector);
    return vector;
}

/* Whether a comparison holds for all bytes. */
static inline bool encoded_all(encoded_vector mask)
{
    uint64_t half[2];

    memcpy(half, &mask, sizeof half);
    return (half[0] & half[1]) == UINT64_MAX;
}

/* As encoded_kind.find, given what a probe is, and a quick look, to be inlined, that rejects most of what is
 * none.  Of two probes on end one is at an odd stride, so that most of the others need not be looked at. */
static inline size_t encoded_search(const uint8_t *data, size_t from, size_t to,
                                    bool (*may_be)(const uint8_t *at), bool (*probe)(const uint8_t *at))
{
    for (size_t at = from + ENCODED_STRIDE; at + ENCODED_PROBE <= to; at += 2 * (size_t)ENCODED_STRIDE) {
        if (!may_be(data + at) || !probe(data + at))
            continue;
        if (probe(data + at - ENCODED_STRIDE))
            return at - ENCODED_STRIDE;
        if (at + ENCODED_PAIR <= to && probe(data + at + ENCODED_STRIDE))
            return at;
    }
    return to;
}

/* As container_format.notices. */
bool encoded_notices(const struct encoded_kind *kind, const uint8_t *data, size_t len);

/* A container that yields what this kind finds.  NULL on error. */
struct container *encoded_open(const struct encoded_kind *kind, const struct container_sight *sight,
                               const struct container_watch *watch, struct error *err);

#endif
