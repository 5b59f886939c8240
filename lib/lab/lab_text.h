/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_TEXT_H
#define KITH_LAB_TEXT_H

#include <stddef.h>

#include "base/buffer.h"
#include "lab/lab_random.h"

/*
 * Appends `len` bytes of text that resembles English to a scanner: common words and a vocabulary of 8,191 by
 * Zipf's law, subjects of its own, phrases that recur in all texts, sentences, lines of up to 76 characters
 * and paragraphs.  Only integer arithmetic: the same bytes on every machine.
 */
void lab_text_generate(struct lab_random *random, size_t len, struct buffer *out);

#endif
