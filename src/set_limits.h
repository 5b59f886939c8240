/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SET_LIMITS_H
#define KITH_SET_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "set/refset.h"

/*
 * The detection limits of sets: of how many bytes a copied fragment must be so that 95 % of its size are
 * found (match/limit.h), by the size of the file that it comes from.  Lengths are rounded up to two digits.
 */
enum {
    SET_LIMITS_PERCENT = 95,
    SET_LIMITS_MOST = 32, /* classes of file sizes */
    SET_LIMITS_WORDS = 32,
};

/* Files of more bytes than those of the class before it, and at most this many, which are sampled alike. */
struct set_limits_class {
    uint64_t file_len;
    uint64_t len; /* of a fragment, in bytes; UINT64_MAX: none is long enough */
    uint32_t c;   /* at which they are sampled, or the sparsest of them */
};

struct set_limits {
    struct set_limits_class classes[SET_LIMITS_MOST];
    size_t count; /* 0: no file of the set is sampled */
};

/* What a scan is to find. */
struct set_limits_wanted {
    uint64_t len;      /* fragments of this many bytes */
    uint32_t object_c; /* at which the scan samples large objects */
    double most_ln_e;
    bool is_deep;
};

/* Computes the limits, up to the class of the set's largest file, in objects of any size that are sampled at
 * object_c if they are large. */
int set_limits_of(struct refset *set, uint32_t object_c, double most_ln_e, struct set_limits *limits,
                  struct error *err);

/* Writes "below 24 KiB" or "up to 1 MiB", for the files of a class. */
void set_limits_files(const struct set_limits_class *class, char words[SET_LIMITS_WORDS]);

/* Adds the limits as a sentence about the set with this name; its beginning, which is the same for all
 * limits, is added by set_limits_begin. */
void set_limits_begin(const char *name, struct buffer *out);
void set_limits_describe(const struct set_limits *limits, const char *name, struct buffer *out);

/* Whether the fragments wanted are found in the set: 1, or 0 after a message that says what is missing and
 * what would help, or -1 on error. */
int set_limits_check(struct refset *set, const struct set_limits_wanted *wanted, struct error *err);

/*
 * For kith add --require: finds the largest C, at most the default, of a new set of which scans with default
 * options find fragments of that many bytes, of files of up to 1 MiB.  n: bytes in a window, 0 for the usual
 * number.  Returns -1 after a message if there is none.
 */
int set_limits_choose(uint64_t len, uint32_t n, const char *path, uint32_t *c);
/* Whether scans with default options find fragments of that many bytes in the set, as set_limits_check says:
 * returns the exit status. */
int set_limits_exit(struct refset *set, uint64_t len);

#endif
