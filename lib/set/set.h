/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SET_H
#define KITH_SET_H

#include "base/buffer.h"
#include "sample/places.h"
#include "sample/repeats.h"
#include "set/refset.h"

/*
 * A reference set as matching sees it, wherever and however it is stored: a struct of operations, which
 * refset_cache.h implements for the SQLite files of kith-set(5).
 *
 * The samples of a set are numbered consecutively; those of one file form its record.  Operations
 * that can fail return -1 and set the error.  A set is used by one thread or process only.
 */
struct set {
    const struct set_operations *does;
};

/* A file in a set. */
struct set_file {
    uint64_t id; /* from 1 */
    struct digest_values digests;
    bool has_size;
    uint64_t size; /* in bytes */
    bool has_record;
    uint64_t first; /* number of its first sample */
    uint64_t source;
    struct buffer name; /* raw bytes */
};

/* A sample of a set that has a requested key. */
struct set_hit {
    uint32_t query; /* index of the key */
    uint32_t files; /* number of files with the key; if more than the set's `common`, there are hits for the
                       ones that keep.h keeps only.  0: too many, and one hit without a sample */
    uint64_t sample;
};

/* A zeroed struct is empty. */
struct set_hits {
    struct set_hit *list; /* sorted by query, then sample */
    size_t count, room;
};

/* The samples of a record, and the file it belongs to. */
struct set_place {
    uint64_t first, count;
    uint64_t file;
    uint64_t len; /* of the file, in bytes */
    uint32_t c;   /* C at which it was sampled */
};

/*
 * What a set stores of a file that was read: the place and character of each sample.  Fingerprints are known
 * only for samples that were found by them, and for repeats of these.  A zeroed record is empty.
 */
struct set_record {
    struct set_place place;
    struct places places; /* places of the samples */
    uint32_t coincidence; /* as in struct sampler_result */
    struct buffer blocks; /* SHA-1 digests of its blocks */
    struct repeat *repeats;
    size_t repeat_count;
};

struct set_operations {
    /* Describes the set; constant, and belongs to the set. */
    const struct refset_info *(*info)(const struct set *set);
    /* The set's name in messages. */
    const char *(*name)(const struct set *set);

    /* Finds which of these keys (known_key of fingerprints) may be in the set: all that are, and few others,
     * which matching treats as noise.  Writes their indexes to passed, which has room for count, and returns
     * how many there are.  Must be fast: it is called for every sample of the evidence. */
    size_t (*probe)(const struct set *set, const uint64_t *keys, size_t count, uint32_t *passed);
    /* Adds the samples with these keys to the hits. */
    int (*hits)(struct set *set, const uint64_t *keys, size_t count, struct set_hits *hits,
                struct error *err);

    /* Finds the record whose range contains this sample: *first is its first sample, *end the first one of
     * the next record.  Returns 1, or 0 if there is none. */
    int (*bounds)(struct set *set, uint64_t sample, uint64_t *first, uint64_t *end, struct error *err);
    /* Reads the record with this first sample.  Returns 1, or 0 if there is none.  Valid until the next
     * call. */
    int (*record)(struct set *set, uint64_t first, const struct set_record **record, struct error *err);

    /* Finds a file with this content; *file is 0 if there is none.  Digests of kinds that both have must all
     * be equal. */
    int (*find)(struct set *set, const struct digest_values *digests, uint64_t *file, struct error *err);
    /* Reads a file by number.  Returns 1, or 0 if there is none.  The caller releases it. */
    int (*file)(struct set *set, uint64_t id, struct set_file *file, struct error *err);
};

/* Adds a hit.  Returns -1 if out of memory. */
int set_hits_add(struct set_hits *hits, struct set_hit hit, struct error *err);
/* Free what the struct holds.  A zeroed struct holds nothing. */
void set_hits_release(struct set_hits *hits);
void set_file_release(struct set_file *file);
void set_record_release(struct set_record *record);

#endif
