/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FACTORS_H
#define KITH_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sample/sampler.h"

/*
 * The expected distances of unrelated documents of a type, which "must be determined empirically" (Coates
 * 2015, section 4, step 5): measured on the user's files and kept in a file, for the papers' estimate and
 * significance.
 *
 * The file is text.  After a first line with FACTORS_MAGIC come lines of eight fields: scheme, n, C and k,
 * type, number of pairs measured, and the two factors.  The type "all" is that of pairs of any types.
 */
#define FACTORS_MAGIC "kith-factors 2" /* 1: of signatures of 2011 with other bits */
#define FACTORS_ALL   "all"

enum {
    FACTORS_MOST = 64, /* entries of a file */
    FACTORS_TYPE_LEN = 16,
    FACTORS_HEAD = 4096, /* bytes of a document that decide about its type */
};

struct factors_entry {
    struct sampler_params params; /* the factors hold for these only */
    char type[FACTORS_TYPE_LEN];
    uint32_t pairs;    /* at least 1 */
    double contents;   /* distance of the contents / their length: the fudge factor of the estimate */
    double signatures; /* distance of the signatures / the longer length: for the significance */
};

struct factors {
    struct factors_entry entries[FACTORS_MOST];
    size_t count;
};

/* The type of a document by the beginning of its content, or by its name alone if data is NULL: "text",
 * "source", "html", "elf", ...; "other" if it is unknown. */
const char *factors_type(const char *name, const uint8_t *data, size_t len);

/* Whether there are entries for these parameters. */
bool factors_has(const struct factors *factors, const struct sampler_params *params);

/* The entry of these parameters and this type, else that of FACTORS_ALL, else NULL. */
const struct factors_entry *factors_find(const struct factors *factors, const struct sampler_params *params,
                                         const char *type);

/* Appends the content of a file. */
void factors_format(const struct factors *factors, struct buffer *out);
/* Reads a file; anything factors_format would not have written is an error. */
int factors_read(struct factors *factors, const char *path, struct error *err);

#endif
