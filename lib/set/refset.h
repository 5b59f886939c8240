/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_H
#define KITH_REFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/uuid.h"
#include "sample/sampler_key.h"

/*
 * A reference set: an SQLite file of known files, with a name and a kind.
 *
 * Its tables (kith-set(5) describes them in full):
 *     info     one row: what the set is, how its files are sampled, how much it contains
 *     key      one row if they are sampled with a secret key: its ID
 *     source   where files came from
 *     file     one row for each distinct content: digests, size, name, source
 *     name     additional names of a file
 *     member   which files are packed in which others
 *     record   for files that were read: positions and characters of the samples, digests of the blocks
 *     segment, block, filter   the indexes from fingerprints and digests to samples and files
 * (refset_index.h)
 *
 * The samples of a set are numbered consecutively; a record has the numbers from `first` on.
 */
enum refset_kind { REFSET_NOTABLE, REFSET_KNOWN, REFSET_NEUTRAL, REFSET_KINDS };

/* Returns "notable", "known" or "neutral". */
const char *refset_kind_name(enum refset_kind kind);
/* Returns the kind with that name, or -1. */
int refset_kind_find(const char *name);

enum {
    REFSET_NAME_LEN = 200, /* most bytes of a set's name or category */
    REFSET_DEFAULT_COMMON = 256,
    REFSET_MAX_COMMON = 256,
};

/* The parameters with which a set is created, and which it keeps. */
struct refset_params {
    char name[REFSET_NAME_LEN + 1];
    enum refset_kind kind;
    char category[REFSET_NAME_LEN + 1];
    uint32_t n, c;                   /* as in struct sampler_params; the scheme is gf8 */
    uint32_t block;                  /* size of a block in bytes */
    uint32_t common;                 /* a feature in more files than this is found in some */
    uint8_t key[SAMPLER_KEY_ID_LEN]; /* ID of the key that files are sampled with; zeros: none */
};

struct refset_counts {
    uint64_t files;   /* distinct contents */
    uint64_t records; /* files that were read; the others are hash-only entries */
    uint64_t sampled; /* records with samples; the other files are too small, or of low entropy */
    uint64_t without_sha1;
    uint64_t names;   /* additional names, beyond the first one of each file */
    uint64_t bytes;   /* total size of the files of known size */
    uint64_t samples; /* in all records */
    uint64_t next_sample;
};

struct refset_info {
    uint8_t uuid[UUID_LEN];
    uint64_t generation; /* increases with each change */
    struct refset_params params;
    struct refset_counts counts;
    int64_t created; /* seconds since 1970 */
    char tool[64];   /* that created the set */
};

/* A source: where files came from. */
struct refset_source {
    uint64_t id;
    const char *path; /* as given by the user */
    size_t path_len;
    const char *kind;   /* "folder", "file", "image", "list", "set" */
    const char *format; /* "E01", "nsrl3" .. or "" */
    bool has_sha256;
    uint8_t sha256[DIGEST_SHA256_LEN];
    int64_t time; /* seconds since 1970 */
    const char *tool, *note;
};

/* Returns the default parameters; the set's name is taken from the path. */
struct refset_params refset_defaults(const char *path);
/* Returns -1 if a parameter is out of bounds. */
int refset_check(const struct refset_params *params, struct error *err);

struct refset;

enum refset_mode {
    REFSET_READ,
    REFSET_FIXED, /* see DATABASE_FIXED */
    REFSET_WRITE,
};

/* Creates a set and opens it for writing.  The file must not exist.  Returns NULL on error. */
struct refset *refset_create(const char *path, const struct refset_params *params, const char *tool,
                             int64_t now, struct error *err);
/* Gives a new set the identity of another one, which it will replace: its UUID, and when and by which tool it
 * was created.  Call this before adding anything. */
void refset_succeed(struct refset *set, const struct refset_info *other);
struct refset *refset_open(const char *path, enum refset_mode mode, struct error *err);
/* Whether no process can write to a set that is open for reading, until it is closed. */
bool refset_at_rest(struct refset *set);
/* Returns -1 if another process is writing to the set. */
int refset_is_busy(const char *path, struct error *err);
/* Removes an unfinished set, with the files that SQLite keeps beside it while it is written. */
void refset_remove(const char *path);
/* Closes the set.  Returns -1 if committed data may not have reached the disk. */
int refset_close(struct refset *set, struct error *err);

/* Both belong to the set. */
const struct refset_info *refset_info(const struct refset *set);
const char *refset_path(const struct refset *set);

/* Returns the kinds of digest that all files have; if there is none, the kind that most files have.  Returns
 * 0 on error. */
unsigned refset_common_digests(struct refset *set, struct error *err);

/* Finds the largest C at which a file of each of some classes is sampled; 0: none is.  Class i has the files
 * of at most ends[i] bytes that no class before it has; the ends ascend. */
int refset_sparsest(struct refset *set, const uint64_t *ends, size_t count, uint32_t *c, struct error *err);

/* Counts the members of containers: each file once for each container of the set that it is packed in. */
int refset_count_members(struct refset *set, uint64_t *count, struct error *err);

/* Passes the sources to the callback, in order of their ids; each is valid during its call. */
int refset_sources(struct refset *set, void (*each)(void *arg, const struct refset_source *source), void *arg,
                   struct error *err);

#endif
