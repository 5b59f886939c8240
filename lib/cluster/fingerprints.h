/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FINGERPRINTS_H
#define KITH_FINGERPRINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "cluster/groups.h"
#include "sketch/sketch.h"

/*
 * A file of Hamming fingerprints, with the index of alg.H (groups.h), to which documents are added, from
 * which they are removed, and in which near-duplicates of others are found, at any time (Yuan et al. 2012,
 * section 4.2).
 *
 * Documents with the same SHA-1 and size have one content, numbered from 0 in the order of adding; a content
 * without documents is removed.  The file is an SQLite database (database.h) with these tables:
 *
 *     about      one row: model, a sketch of an empty document (kith-sketch(5)), which has the parameters
 *                of all; groups, the number m
 *     contents   number, size, sha1; bits: 64-bit little-endian words, as in hamming.h
 *     documents  content, path, kind (an enum object_kind)
 *     merged     the index: key, y of equation 12, as a number, or as bytes if groups are wider than 32
 *                bits; last and documents, ascending numbers of contents, 32-bit little-endian
 *
 * All fingerprints are kept in memory while it is open: bits / 8 + 8 bytes for each.
 *
 * Functions that can fail return -1 or NULL and a message, which names the file.
 */
struct fingerprints;

struct fingerprints_document {
    uint32_t content;
    uint64_t size; /* bytes */
    uint8_t sha1[DIGEST_SHA1_LEN];
    uint32_t kind;
    const char *path; /* borrowed for the call, or until the next one */
};

/* Creates the file, which must not exist, for sketches of scheme hamming with these parameters. */
struct fingerprints *fingerprints_create(const char *path, const struct sketch_params *params, uint32_t m,
                                         struct error *err);
struct fingerprints *fingerprints_open(const char *path, bool to_write, struct error *err);
/* Discards what was not committed.  NULL is fine. */
void fingerprints_close(struct fingerprints *fingerprints);

/* The parameters of all its sketches. */
const struct sketch_params *fingerprints_params(const struct fingerprints *fingerprints);
/* m, and the threshold in use. */
struct groups_params fingerprints_groups(const struct fingerprints *fingerprints);
/* Places for contents: all numbers of contents are below that. */
uint32_t fingerprints_places(const struct fingerprints *fingerprints);
/* Counts documents and contents. */
int fingerprints_count(struct fingerprints *fingerprints, uint64_t *documents, uint64_t *contents,
                       struct error *err);

/* All changes are made in a transaction that begins with the first of them.  After an error, close it. */
int fingerprints_commit(struct fingerprints *fingerprints, struct error *err);

enum fingerprints_added { FINGERPRINTS_KNOWN, FINGERPRINTS_KNOWN_CONTENT, FINGERPRINTS_NEW };

/* Adds a document, unless it has one with this content, path and kind.  The sketch must have the parameters,
 * a SHA-1, and bits.  Sets document->content. */
int fingerprints_add(struct fingerprints *fingerprints, const struct sketch *sketch,
                     struct fingerprints_document *document, enum fingerprints_added *added,
                     struct error *err);
/* Removes the documents with this path, and those with a path that begins with it and a slash.  *count: their
 * number. */
int fingerprints_drop(struct fingerprints *fingerprints, const char *path, uint64_t *count,
                      struct error *err);
/* Divides the bits into m groups anew. */
int fingerprints_regroup(struct fingerprints *fingerprints, uint32_t m, struct error *err);

/* Chooses the least resemblance of what queries find, from 0 to 1. */
int fingerprints_aim(struct fingerprints *fingerprints, double resemblance, struct error *err);
/* Alg.H or a scan, whichever should be faster. */
enum groups_algorithm fingerprints_fastest(const struct fingerprints *fingerprints);
/* Passes on the contents near these bits: groups_query, by alg.H, which may have too few groups, or a scan.
 */
int fingerprints_query(struct fingerprints *fingerprints, enum groups_algorithm algorithm,
                       const uint64_t *bits, groups_found *found, void *arg, struct error *err);

/* The content with this SHA-1 and size: 1 and its number, 0 if there is none. */
int fingerprints_find(struct fingerprints *fingerprints, const uint8_t *sha1, uint64_t size,
                      uint32_t *content, struct error *err);
/* The first document of a content. */
int fingerprints_first(struct fingerprints *fingerprints, uint32_t content,
                       struct fingerprints_document *document, struct error *err);
/* The bits of a content; NULL if there is none.  Valid until the next change. */
const uint64_t *fingerprints_bits(const struct fingerprints *fingerprints, uint32_t content);
/* Calls `each` for all documents in the order of adding; it returns -1 with a message to stop. */
int fingerprints_each(struct fingerprints *fingerprints,
                      int (*each)(void *arg, const struct fingerprints_document *document, struct error *err),
                      void *arg, struct error *err);

#endif
