/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_SIDE_H
#define KITH_COMPARE_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "disk/content.h"
#include "sketch/sketch.h"

/* One of the two things to compare: a file, standard input, or a record. */
struct compare_side {
    const char *path;
    int fd;           /* -1: none */
    uint64_t len;     /* of a file */
    bool is_record;   /* the file holds a record, or those of a file's blocks */
    uint8_t *content; /* all of it, if it was read: standard input, or for --exact */
    struct sketch sketch;
    struct sketch
        *blocks;        /* kith sign --split: of each block; `sketch` then has parameters, length and name */
    size_t block_count; /* 0: it is whole */
    struct content bytes; /* see compare_side_bytes */
};

/* Opens a file, or reads standard input ("-").  Release it even after an error.  -1 and a message if it is
 * unreadable, or no file. */
int compare_side_open(struct compare_side *side, const char *path, struct error *err);
void compare_side_release(struct compare_side *side);

/* Whether it begins as the line of a record or sketch does. */
bool compare_side_is_record(const struct compare_side *side);

/* Reads all content into memory.  -1 if it cannot be read, memory runs out, or the file has changed. */
int compare_side_load(struct compare_side *side, struct error *err);

/* Loads and parses the file's only line, which is a record, or the lines of a file's blocks. */
int compare_side_parse(struct compare_side *side, struct error *err);

/* The bytes of the file, to be read again; NULL: it holds a record.  Valid as long as the side. */
struct content *compare_side_bytes(struct compare_side *side);

/* Whether they have the same length and SHA-1, and no other digest that both have differs. */
bool compare_side_is_same(const struct sketch *a, const struct sketch *b);

/* Samples or sketches the content, with SHA-1 and SHA-256; shows a message if its words are doubtful. */
enum feed_result compare_side_sign(struct compare_side *side, const struct sketch_params *params,
                                   struct error *err);

#endif
