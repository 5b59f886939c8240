/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_SEARCH_H
#define KITH_REFSET_SEARCH_H

#include "set/known.h"
#include "set/set.h"

/*
 * Looks things up in a set that is an SQLite file.
 *
 * The filters of the wanted indexes are kept in memory; everything else is read when it is requested.
 */
struct refset_search;

enum {
    REFSET_SEARCH_FEATURES = 1,
    REFSET_SEARCH_DIGESTS = 2,
};

/* The set is borrowed.  what: which indexes to load, REFSET_SEARCH_... combined.  Returns NULL on error. */
struct refset_search *refset_search_new(struct refset *set, unsigned what, struct error *err);
void refset_search_free(struct refset_search *search);
/* Returns a second search for a forked process.  It reads the set through its own struct refset, uses the
 * filters of the first search, which must outlive it, and caches up to `bytes` of the indexes.  It is an
 * error if the set has changed since. */
struct refset_search *refset_search_share(const struct refset_search *search, struct refset *set,
                                          size_t bytes, struct error *err);
const struct refset_info *refset_search_info(const struct refset_search *search);
const char *refset_search_path(const struct refset_search *search);
/* Returns the size of its filters in bytes. */
uint64_t refset_search_memory(const struct refset_search *search);
/* Call this after the set was changed through the same struct refset. */
int refset_search_refresh(struct refset_search *search, struct error *err);

/*
 * Finds which of these keys (known_key of fingerprints) may be in the set; writes their indexes to passed,
 * which has room for count, and returns how many there are.  Accesses only memory.
 */
size_t refset_search_probe(const struct refset_search *search, const uint64_t *keys, size_t count,
                           uint32_t *passed);

/* Adds the samples with these keys to the hits. */
int refset_search_features(struct refset_search *search, const uint64_t *keys, size_t count,
                           struct set_hits *hits, struct error *err);

/* Finds a file with this content, other than `except`; *file is 0 if there is none.  Digests of kinds that
 * both have must all be equal. */
int refset_search_digests(struct refset_search *search, const struct digest_values *digests, uint64_t except,
                          uint64_t *file, struct error *err);
/* Looks up many digests of one kind, DIGEST_MAX_LEN bytes apart; files has room for count. */
int refset_search_digest_list(struct refset_search *search, enum digest_kind kind,
                              const uint8_t (*digests)[DIGEST_MAX_LEN], size_t count, uint64_t *files,
                              struct error *err);

/* Returns 1, 0 if there is no such file, -1 on error. */
int refset_search_file(struct refset_search *search, uint64_t id, struct set_file *file, struct error *err);

/* List the members of a container in the set, or the containers that a file is a member of: those with ids
 * above `after`, ascending, at most `room`. */
int refset_search_members(struct refset_search *search, uint64_t parent, uint64_t after, uint64_t *files,
                          size_t room, size_t *count, struct error *err);
int refset_search_parents(struct refset_search *search, uint64_t file, uint64_t after, uint64_t *parents,
                          size_t room, size_t *count, struct error *err);

/*
 * Lists the first samples of the records of samples from..to: the record that holds `from`, all that begin
 * after it, and the next one; at most `room`, for which to - from + 2 is enough.
 */
int refset_search_firsts(struct refset_search *search, uint64_t from, uint64_t to, uint64_t *firsts,
                         size_t room, size_t *count, struct error *err);

/*
 * Reads the record that holds a sample.  Returns 1, 0 if there is none, -1 on error.  A zeroed record is
 * empty and can be filled repeatedly.
 */
int refset_search_record(struct refset_search *search, uint64_t sample, struct set_record *record,
                         struct error *err);

#endif
