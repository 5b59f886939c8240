/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SET_H
#define KITH_SET_H

#include "base/buffer.h"
#include "sample/places.h"
#include "sample/repeats.h"
#include "set/refset.h"

/*
 * What matching asks of a reference set, wherever and however the set is kept: a struct of operations, which
 * refset_cache.h has for the SQLite files of kith-set(5).
 *
 * Samples of a set are numbered through; those of a file that was read are a record, and follow each other.
 * Operations that can fail return -1 and set the error.  A set is used by one thread or process.
 */
struct set {
    const struct set_operations *does;
};

/* A file that a set knows. */
struct set_file {
    uint64_t id; /* from 1 on */
    struct digest_values digests;
    bool has_size;
    uint64_t size; /* bytes */
    bool has_record;
    uint64_t first; /* number of its first sample */
    uint64_t source;
    struct buffer name; /* raw bytes */
};

/* A sample of a set that has a key which was asked for. */
struct set_hit {
    uint32_t query; /* the number of the key */
    uint32_t files; /* that have the key; of a common one: 0, and there is one hit without a sample */
    uint64_t sample;
};

/* Hits of zeros are none. */
struct set_hits {
    struct set_hit *list; /* by query, then sample */
    size_t count, room;
};

/* Which samples are in a record, and whose it is. */
struct set_place {
    uint64_t first, count;
    uint64_t file;
    uint64_t len; /* bytes of the file */
    uint32_t c;   /* at which it was sampled */
};

/*
 * What a set keeps of a file that was read.  Of a sample it knows the place and the character; the
 * fingerprints are what was found by, and what the repeats say.  A record of zeros is an empty one.
 */
struct set_record {
    struct set_place place;
    struct places places; /* of the samples */
    uint32_t coincidence; /* as in struct sampler_result */
    struct buffer blocks; /* the SHA-1s of its blocks */
    struct repeat *repeats;
    size_t repeat_count;
};

struct set_operations {
    /* What the set is; it stays as it is, and lies in the set. */
    const struct refset_info *(*info)(const struct set *set);
    /* For messages. */
    const char *(*name)(const struct set *set);

    /* Which of these keys (known_key of fingerprints) may be in the set: all that are, and few others, which
     * matching takes for noise.  Their numbers are written to passed, which has room for count.  Must be
     * quick: it is asked for every sample of the evidence. */
    size_t (*probe)(const struct set *set, const uint64_t *keys, size_t count, uint32_t *passed);
    /* The samples that have these keys.  Adds to the hits. */
    int (*hits)(struct set *set, const uint64_t *keys, size_t count, struct set_hits *hits,
                struct error *err);

    /* The first sample of the record that would hold this one, and that of the next record: 1; 0 if there is
     * none. */
    int (*bounds)(struct set *set, uint64_t sample, uint64_t *first, uint64_t *end, struct error *err);
    /* The record with this first sample: 1; 0 if there is none.  Valid until the next call. */
    int (*record)(struct set *set, uint64_t first, const struct set_record **record, struct error *err);

    /* A file with this content in *file, or 0 there.  Digests of a kind that both have must all be equal. */
    int (*find)(struct set *set, const struct digest_values *digests, uint64_t *file, struct error *err);
    /* A file by its number: 1, or 0 if there is none.  The caller releases it. */
    int (*file)(struct set *set, uint64_t id, struct set_file *file, struct error *err);
};

/* One more; -1 without memory. */
int set_hits_add(struct set_hits *hits, struct set_hit hit, struct error *err);
/* These free what they hold; what is of zeros holds nothing. */
void set_hits_release(struct set_hits *hits);
void set_file_release(struct set_file *file);
void set_record_release(struct set_record *record);

#endif
