/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_CHERKASOVA_COLLECTION_H
#define KITH_LAB_CHERKASOVA_COLLECTION_H

#include "base/buffer.h"
#include "lab/lab.h"

/*
 * Collections in the manner of section 5: technical support documents that share a loose template, most of
 * them short, with near-duplicates whose number, date, product or some words differ.
 */
enum lab_collection_kind {
    LAB_COLLECTION_1,    /* 5,040 documents of 600 to 1,500 bytes, one in twenty longer */
    LAB_COLLECTION_2,    /* 2,500 of 2 to 4 KB, one in twenty longer than 10 KB */
    LAB_COLLECTION_DATA, /* the documents of the run, of 600 bytes to 64 KB, at most 5,040 of them */
    LAB_COLLECTIONS,
};

/* An original and its near-duplicate. */
struct lab_collection_pair {
    uint32_t a, b; /* a < b */
};

struct lab_collection {
    struct lab_text_file *documents; /* their bytes are in `text`, or the run's */
    size_t count;
    struct lab_collection_pair *planted;
    size_t planted_count;
    struct buffer text;
};

/* Generates the collection, or selects the documents; a quick run has a tenth of them.  -1 without memory;
 * release is needed either way. */
int lab_collection_init(struct lab_collection *collection, enum lab_collection_kind kind,
                        const struct lab_run *run, struct error *err);
void lab_collection_release(struct lab_collection *collection);

#endif
