/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_READER_H
#define KITH_REFSET_READER_H

#include "set/known.h"
#include "set/refset.h"

/*
 * Reads all files of a set with everything known about them: first those with records, in the order they
 * came, then the hash-only entries.  Fingerprints are assembled from the index, for as many samples at a time
 * as fit into some 64 MB.
 */
struct refset_reader;

/* The set is borrowed.  Records are only read if with_records.  Returns NULL on error. */
struct refset_reader *refset_reader_new(struct refset *set, bool with_records, struct error *err);
void refset_reader_free(struct refset_reader *reader);

/*
 * For a damaged set: reports what cannot be read through `lost` and leaves it out; a file whose record cannot
 * be read becomes a hash-only entry.  Call this before reading; files then come in order of their ids.
 */
void refset_reader_forgive(struct refset_reader *reader, void (*lost)(void *arg, const char *text),
                           void *arg);

/* Reads the next file.  Returns 1, 0 at the end, -1 on error.  The results are valid until the next call. */
int refset_reader_next(struct refset_reader *reader, struct error *err);
/* Returns the file; the origins of its names are ids of sources. */
struct known *refset_reader_known(struct refset_reader *reader);
/* Whether it has a record, even if records are not read. */
bool refset_reader_has_record(const struct refset_reader *reader);
/* When forgiving: the number of samples lost from records that were otherwise read. */
uint64_t refset_reader_lost_samples(const struct refset_reader *reader);
uint64_t refset_reader_id(const struct refset_reader *reader);
uint64_t refset_reader_source(const struct refset_reader *reader);

/* Passes on which file is packed in which other one, by their digests, in the order of the containers' ids.
 * Returns -1 on error, or if each does; when forgiving, only the latter. */
int refset_reader_members(struct refset_reader *reader,
                          int (*each)(void *arg, const struct digest_values *parent,
                                      const struct digest_values *member, struct error *err),
                          void *arg, struct error *err);

#endif
