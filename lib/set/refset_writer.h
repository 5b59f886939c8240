/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_WRITER_H
#define KITH_REFSET_WRITER_H

#include "set/known.h"
#include "set/refset.h"

/*
 * Adding files to a set, whatever they come from.  Work is committed from time to time; what is not committed
 * when the process ends was never there.  Memory is bounded by the filters of the digests and about 100 MB.
 */
struct refset_writer;

/*
 * The set is borrowed, and open for writing.  all_names: every name of a content is kept; otherwise the first
 * one alone, as for lists in which the same content has thousands.
 */
struct refset_writer *refset_writer_new(struct refset *set, bool all_names, struct error *err);
/* Drops what was not committed. */
void refset_writer_free(struct refset_writer *writer);

/*
 * What is added from now on comes from there.  The source is written when the first thing of it is; its id is
 * not used. Returns a handle for coming back to it, or -1.
 */
int refset_writer_source(struct refset_writer *writer, const struct refset_source *source, struct error *err);
/* The same for a source as another set tells it: it is written at once, unless the very same is there. */
int refset_writer_copy_source(struct refset_writer *writer, const struct refset_source *source,
                              struct error *err);
void refset_writer_back(struct refset_writer *writer, int handle);
/* The digest of the current source, if it is known only now; nothing if nothing of it was new. */
int refset_writer_source_sha256(struct refset_writer *writer, const uint8_t *sha256, struct error *err);

enum refset_added {
    REFSET_ADDED,    /* a new file */
    REFSET_EXTENDED, /* the content was known; a name, a digest, its size or its record is new */
    REFSET_THERE,    /* nothing is new */
    REFSET_REFUSED,  /* it is not such that this set can hold it; err says why */
    REFSET_FAILED,
};

/* Reduces the record to what the set keeps.  After REFSET_FAILED the writer can only be freed. */
/* The origins of its names, if there are any, are handles of sources. */
enum refset_added refset_writer_add(struct refset_writer *writer, struct known *known, struct error *err);

/* If nothing was new, nothing is written. */
int refset_writer_commit(struct refset_writer *writer, struct error *err);
/* Commits, and merges all segments of each index into one; common: the set's new parameter of that name, 0 to
 * keep it. */
int refset_writer_compact(struct refset_writer *writer, uint32_t common, struct error *err);

#endif
