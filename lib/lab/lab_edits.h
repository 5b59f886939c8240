/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_EDITS_H
#define KITH_LAB_EDITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "lab/lab_random.h"

/*
 * The edits of the papers' experiments.  Each appends the edited document to `out`; the places are chosen at
 * random.  A word is a run of bytes other than ASCII white space, with the white space that follows it; a
 * line ends after its newline.
 */

/* Coates 2011, section 4.2.1: replaces this share (0 .. 1) of the bytes, rounded, each by another printable
 * ASCII character. */
void lab_edits_substitute(struct lab_random *random, const uint8_t *data, size_t len, double share,
                          struct buffer *out);

/* Coates 2011, section 4.2.2: inserts this number of blocks of generated text, each of `size` bytes. */
void lab_edits_add_blocks(struct lab_random *random, const uint8_t *data, size_t len, unsigned blocks,
                          size_t size, struct buffer *out);

/* RC_a^i of Cherkasova et al.: inserts the text `times` times before words, at most once before each if there
 * are enough.  Appended if there is no word. */
void lab_edits_insert(struct lab_random *random, const uint8_t *data, size_t len, const char *text,
                      unsigned times, struct buffer *out);

/* RC_words^i of Cherkasova et al., and Coates 2015: remove words, lines, or one block of this number of
 * lines; everything if there are fewer. */
void lab_edits_remove_words(struct lab_random *random, const uint8_t *data, size_t len, unsigned words,
                            struct buffer *out);
void lab_edits_remove_lines(struct lab_random *random, const uint8_t *data, size_t len, unsigned lines,
                            struct buffer *out);
void lab_edits_remove_block(struct lab_random *random, const uint8_t *data, size_t len, unsigned lines,
                            struct buffer *out);

#endif
