/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_SEARCH_H
#define KITH_REFSET_SEARCH_H

#include "set/known.h"
#include "set/set.h"

/*
 * Looking things up in a set that is an SQLite file.
 *
 * The filters of the wanted indexes are held in memory, everything else is read when it is asked for.
 */
struct refset_search;

enum {
    REFSET_SEARCH_FEATURES = 1,
    REFSET_SEARCH_DIGESTS = 2,
};

/* The set is borrowed. */
struct refset_search *refset_search_new(struct refset *set, unsigned what, struct error *err);
void refset_search_free(struct refset_search *search);
/* Another one for a process that was forked: it reads the set through its own struct refset, uses the filters
 * of the first, which must stay, and keeps so many bytes of what it reads of the indexes.  An error if the
 * set is not the same any more. */
struct refset_search *refset_search_share(const struct refset_search *search, struct refset *set,
                                          size_t bytes, struct error *err);
const struct refset_info *refset_search_info(const struct refset_search *search);
const char *refset_search_path(const struct refset_search *search);
/* Bytes of its filters. */
uint64_t refset_search_memory(const struct refset_search *search);
/* To be called when the set was changed through the same struct refset. */
int refset_search_refresh(struct refset_search *search, struct error *err);

/*
 * Which of these keys may be in the set (known_key of the fingerprints); their numbers are written to passed,
 * which has room for count.  Touches nothing but memory.
 */
size_t refset_search_probe(const struct refset_search *search, const uint64_t *keys, size_t count,
                           uint32_t *passed);

/* The samples that have these keys.  Adds to the hits. */
int refset_search_features(struct refset_search *search, const uint64_t *keys, size_t count,
                           struct set_hits *hits, struct error *err);

/* A file with this content other than `except`, or 0.  Digests of a kind that both have must all be equal. */
int refset_search_digests(struct refset_search *search, const struct digest_values *digests, uint64_t except,
                          uint64_t *file, struct error *err);
/* Many at once, of one kind, DIGEST_MAX_LEN bytes apart; files has room for count. */
int refset_search_digest_list(struct refset_search *search, enum digest_kind kind,
                              const uint8_t (*digests)[DIGEST_MAX_LEN], size_t count, uint64_t *files,
                              struct error *err);

/* 1, or 0 if there is no such file. */
int refset_search_file(struct refset_search *search, uint64_t id, struct set_file *file, struct error *err);

/*
 * The first samples of the records of samples from..to: the record that holds `from`, all that begin behind
 * it, and the next one.  At most room, which is enough for to - from + 2.
 */
int refset_search_firsts(struct refset_search *search, uint64_t from, uint64_t to, uint64_t *firsts,
                         size_t room, size_t *count, struct error *err);

/*
 * The record that holds a sample: 1, or 0 if there is none.  A record of zeros is an empty one, to be
 * filled again and again.
 */
int refset_search_record(struct refset_search *search, uint64_t sample, struct set_record *record,
                         struct error *err);

#endif
