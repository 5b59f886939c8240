/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_H
#define KITH_REFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/uuid.h"

/*
 * A reference set: an SQLite file of known files, with a name and a kind.
 *
 * What is in the file (kith-set(5) has it in full):
 *   info     one row: what the set is, how its files are sampled, how much is in it
 *   source   where files came from
 *   file     one row for each different content: digests, size, name, source
 *   name     further names of it
 *   record   for files that were read: positions and characters of the samples, digests of the blocks
 *   segment, block, filter   the indexes (refset_index.h): from fingerprints and digests to samples and files
 *
 * All samples of a set are numbered through; a record has the numbers from `first` on.
 */
enum refset_kind { REFSET_NOTABLE, REFSET_KNOWN, REFSET_NEUTRAL, REFSET_KINDS };

/* "notable" .. */
const char *refset_kind_name(enum refset_kind kind);
/* The kind of that name, or -1. */
int refset_kind_find(const char *name);

enum {
    REFSET_NAME_LEN = 200, /* bytes of a set's name or category, at most */
    REFSET_DEFAULT_COMMON = 256,
    REFSET_MAX_COMMON = 256,
};

/* What a set is made with, and keeps. */
struct refset_params {
    char name[REFSET_NAME_LEN + 1];
    enum refset_kind kind;
    char category[REFSET_NAME_LEN + 1];
    uint32_t n, c;   /* as in struct sampler_params; the scheme is gf8 */
    uint32_t block;  /* bytes of a block */
    uint32_t common; /* a feature that more files have is not looked up */
};

struct refset_counts {
    uint64_t files;   /* different contents */
    uint64_t records; /* that were read; the others are known by digest alone */
    uint64_t sampled; /* of these, that have samples: the others are too small, or say nothing */
    uint64_t without_sha1;
    uint64_t names;   /* besides the first one of each file */
    uint64_t bytes;   /* in the files of known size */
    uint64_t samples; /* in the records */
    uint64_t next_sample;
};

struct refset_info {
    uint8_t uuid[UUID_LEN];
    uint64_t generation; /* grows with each change */
    struct refset_params params;
    struct refset_counts counts;
    int64_t created; /* seconds since 1970 */
    char tool[64];   /* that made it */
};

/* Where files came from. */
struct refset_source {
    uint64_t id;
    const char *path; /* as the user named it */
    size_t path_len;
    const char *kind;   /* "folder", "file", "image", "list", "set" */
    const char *format; /* "E01", "nsrl3" .. or "" */
    bool has_sha256;
    uint8_t sha256[DIGEST_SHA256_LEN];
    int64_t time; /* seconds since 1970 */
    const char *tool, *note;
};

/* The parameters that are used unless the user says otherwise, with the name of the set from its path. */
struct refset_params refset_defaults(const char *path);
/* -1 if they are out of their bounds. */
int refset_check(const struct refset_params *params, struct error *err);

struct refset;

enum refset_mode {
    REFSET_READ,
    REFSET_FIXED, /* see DATABASE_FIXED */
    REFSET_WRITE,
};

/* NULL on error.  create: the file must not be there. */
struct refset *refset_create(const char *path, const struct refset_params *params, const char *tool,
                             int64_t now, struct error *err);
/* A new set takes the identity of another, whose place it is to take: its UUID, when and by what it was made;
 * before anything is added. */
void refset_succeed(struct refset *set, const struct refset_info *other);
struct refset *refset_open(const char *path, enum refset_mode mode, struct error *err);
/* Whether nobody can write to a set that is open for reading, until it is closed. */
bool refset_at_rest(struct refset *set);
/* -1 if somebody writes to it. */
int refset_is_busy(const char *path, struct error *err);
/* Removes a set that was not finished, with what lies beside it while it is written. */
void refset_remove(const char *path);
/* -1 if what was committed may not be safe on the disk. */
int refset_close(struct refset *set, struct error *err);

/* They lie in the set. */
const struct refset_info *refset_info(const struct refset *set);
const char *refset_path(const struct refset *set);

/* The kinds of digest that all files have; if there is none, the one that most have.  0 on error. */
unsigned refset_common_digests(struct refset *set, struct error *err);

/* The sources in order, told one by one; they are valid during the call. */
int refset_sources(struct refset *set, void (*tell)(void *arg, const struct refset_source *source), void *arg,
                   struct error *err);

#endif
