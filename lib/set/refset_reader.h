/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_READER_H
#define KITH_REFSET_READER_H

#include "set/known.h"
#include "set/refset.h"

/*
 * All files of a set with all that is known of them: first those with records, in the order they came, then
 * those known by digest alone.  The fingerprints are put together from the index, so many samples at a time
 * as fit into some 64 MB.
 */
struct refset_reader;

/* The set is borrowed.  Records are read only with_records.  NULL on error. */
struct refset_reader *refset_reader_new(struct refset *set, bool with_records, struct error *err);
void refset_reader_free(struct refset_reader *reader);

/*
 * For a damaged set: what cannot be read is told and left out, a file whose record cannot be read is known by
 * its digests alone.  To be called before reading; the files then come by their numbers.
 */
void refset_reader_forgive(struct refset_reader *reader, void (*lost)(void *arg, const char *text),
                           void *arg);

/* 1, 0 at the end, -1 on error.  What is found is valid until the next call. */
int refset_reader_next(struct refset_reader *reader, struct error *err);
/* The origins of its names are numbers of sources. */
struct known *refset_reader_known(struct refset_reader *reader);
/* Whether it has a record, also if records are not read. */
bool refset_reader_has_record(const struct refset_reader *reader);
/* Forgiving: samples of records that could be read but for these. */
uint64_t refset_reader_lost_samples(const struct refset_reader *reader);
uint64_t refset_reader_id(const struct refset_reader *reader);
uint64_t refset_reader_source(const struct refset_reader *reader);

#endif
