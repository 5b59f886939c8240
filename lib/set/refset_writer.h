/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_WRITER_H
#define KITH_REFSET_WRITER_H

#include "set/known.h"
#include "set/refset.h"

/*
 * Adds files to a set, wherever they come from.  Work is committed from time to time; if the process ends,
 * uncommitted work leaves no trace.  Memory is bounded by the filters of the digests and about 100 MB.
 */
struct refset_writer;

/*
 * The set is borrowed, and open for writing.  all_names: keep every name of a content; otherwise only the
 * first, as for lists in which one content has thousands.  Returns NULL on error.
 */
struct refset_writer *refset_writer_new(struct refset *set, bool all_names, struct error *err);
/* Discards what was not committed. */
void refset_writer_free(struct refset_writer *writer);

/*
 * Sets the source of what is added from now on.  Its row is written with the first addition from it; its id
 * is ignored.  Returns a handle for returning to it (refset_writer_back), or -1.
 */
int refset_writer_source(struct refset_writer *writer, const struct refset_source *source, struct error *err);
/* The same for a source read from another set; its row is written at once, unless an equal one exists. */
int refset_writer_copy_source(struct refset_writer *writer, const struct refset_source *source,
                              struct error *err);
void refset_writer_back(struct refset_writer *writer, int handle);
/* Sets the digest of the current source, if it becomes known only now; ignored if nothing from it was new. */
int refset_writer_source_sha256(struct refset_writer *writer, const uint8_t *sha256, struct error *err);

enum refset_added {
    REFSET_ADDED,    /* a new file */
    REFSET_EXTENDED, /* the content was there; a name, a digest, its size or its record is new */
    REFSET_THERE,    /* nothing is new */
    REFSET_REFUSED,  /* this set cannot hold it; err says why */
    REFSET_FAILED,
};

/* Adds a file, and thins its record to what the set keeps.  The origins of its names, if there are any, are
 * handles of sources.  After REFSET_FAILED the writer can only be freed. */
enum refset_added refset_writer_add(struct refset_writer *writer, struct known *known, struct error *err);

/* Notes that a file is packed in another one, its parent.  Does nothing unless the set has both, or if they
 * are the same.  After an error the writer can only be freed. */
int refset_writer_link(struct refset_writer *writer, const struct digest_values *parent,
                       const struct digest_values *member, struct error *err);

/* Commits; writes nothing if nothing was new. */
int refset_writer_commit(struct refset_writer *writer, struct error *err);
/* Commits, and merges all segments of each index into one.  common: the set's new parameter of that name, or
 * 0 to keep it. */
int refset_writer_compact(struct refset_writer *writer, uint32_t common, struct error *err);

#endif
