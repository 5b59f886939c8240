/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_DATA_H
#define KITH_LAB_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The documents of a run, in memory. */
struct lab_data;

struct lab_text_file {
    const char *name; /* path below the folder, raw bytes */
    const uint8_t *data;
    size_t len; /* at least 1 */
};

/*
 * Reads all regular files below the folder, except empty ones.  Symbolic links are not followed.  NULL if a
 * file or folder cannot be read, if there is no file with content, or if there are more than 512 MiB.
 */
struct lab_data *lab_data_read(const char *folder, struct error *err);

/*
 * Generates texts (lab_text.h) with the lengths of the corpus of Cherkasova et al., section 3: 100 documents
 * of 9 to 540 KB.  quick: 12 of them.  The same bytes for a seed on every machine.
 */
struct lab_data *lab_data_generate(uint64_t seed, bool quick, struct error *err);

/* NULL is allowed. */
void lab_data_free(struct lab_data *data);

/* The number of documents, at least 1, and a document.  They are sorted by length, then by name. */
size_t lab_data_count(const struct lab_data *data);
const struct lab_text_file *lab_data_get(const struct lab_data *data, size_t index);

/* Whether lab_data_generate made them. */
bool lab_data_is_generated(const struct lab_data *data);

/* Where they are from: "96 files of DIR", "100 generated texts, seed 1".  May hold raw bytes. */
const char *lab_data_source(const struct lab_data *data);

#endif
