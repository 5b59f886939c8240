/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COLLECTION_H
#define KITH_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "cluster/likeness.h"
#include "cluster/postings.h"
#include "sample/record.h"
#include "sketch/sketch.h"

/*
 * Documents to be clustered.  Those with the same SHA-1 and size have the same content, which is kept once:
 * contents are numbered from 0 in the order in which they come, and everything that compares or clusters
 * works on contents.
 *
 * All of them have records of scheme gf8, or all have sketches with the same parameters.
 *
 * A zeroed collection is empty.  A document takes about 100 bytes and its name; a content, 16 bytes for each
 * sample or 8 for each value of a sketch (minwise: 16).
 */
struct collection_origin {
    uint32_t source; /* of the caller: where it was found */
    uint64_t id;     /* and its number there */
    uint32_t kind;   /* an enum object_kind */
    bool is_source;  /* the source is this document itself, not where it lies */
};

struct collection_document {
    uint64_t size; /* bytes */
    uint8_t sha1[DIGEST_SHA1_LEN];
    uint32_t content;
    size_t name; /* offset of its name, which ends with a zero byte */
    struct collection_origin origin;
};

struct collection_content {
    uint32_t document; /* the first that has it */
    uint32_t copies;   /* documents that have it */
    uint32_t c, coincidence;
    struct sample *samples; /* by position; only the bits of fingerprints that sets keep */
    size_t count;

    struct sketch *sketch; /* instead of samples; or NULL */
    uint64_t *keys;        /* what the index takes, if that is not the values of the sketch */
    size_t key_count;
};

struct collection {
    uint32_t n; /* bytes of a window, the same for all; 0 as long as it is empty */
    struct collection_document *documents;
    struct collection_content *contents;
    size_t document_count, document_room, content_count, content_room;
    struct buffer names;
    uint32_t *slots; /* contents by SHA-1: a hash table, of indexes from 1 */
    size_t slot_count;
};

/* Frees what it holds; it is empty then. */
void collection_release(struct collection *collection);

/* Adds a document.  The record must be of scheme gf8 and have a SHA-1 and the same n as all others; its
 * samples are copied.  Returns -1 on error. */
int collection_add(struct collection *collection, const struct record *record, const char *name,
                   struct collection_origin origin, struct error *err);

/* The same for a sketch with a SHA-1, of any scheme but gf8.  Its values are taken over if the content is
 * new; release it in any case.  */
int collection_add_sketch(struct collection *collection, struct sketch *sketch, const char *name,
                          struct collection_origin origin, struct error *err);

/* What two sketches of a scheme can be limited by: -1 and a message if the limits are others. */
int collection_check_limits(enum sketch_scheme scheme, const struct likeness_limits *limits,
                            struct error *err);

/* Whether a content has too few samples to be compared. */
bool collection_is_indistinct(const struct collection *collection, uint32_t content);

/* The name of a document. */
const char *collection_name(const struct collection *collection, const struct collection_document *document);
/* The content with this SHA-1 and size, or UINT32_MAX. */
uint32_t collection_find(const struct collection *collection, const uint8_t *sha1, uint64_t size);
/* The document that is the first to have a content. */
const struct collection_document *collection_first(const struct collection *collection, uint32_t content);

/* The contents as a source of an index; valid as long as the collection is unchanged.  The fingerprints are
 * those of the samples, or the values of the sketches; of the schemes of Coates, successive characters of the
 * signature, 16 (2011) or four.  hamming has none. */
struct postings_source collection_source(const struct collection *collection);

/* Compares contents by compare_relate, or by sketch_compare: a judge.  Of records, those in which it sees no
 * evidence of common content (a few equal samples) are unrelated, whatever the limits; so are signatures that
 * chance might bring as close (unrelated.h).  The struct must
 * outlive its states. */
struct collection_judge {
    const struct collection *collection;
    const struct postings *postings; /* of these contents; NULL: none */
    struct likeness_limits limits;
};

/* The judge as pairs.h takes it. */
struct likeness_judge collection_judge(const struct collection_judge *judge);

/* A record of a content for compare_relate, which borrows the samples and must not be released. */
struct record collection_record(const struct collection *collection, uint32_t content);

#endif
