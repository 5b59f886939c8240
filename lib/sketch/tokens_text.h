/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TOKENS_TEXT_H
#define KITH_TOKENS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of untrusted UTF-8: decoding, classes, and case.  The classes are those that tokens.h states. */

/* A character and its bytes. */
struct tokens_text {
    uint32_t code; /* TOKENS_TEXT_INVALID + the byte: not UTF-8 */
    uint8_t len;
    uint8_t bytes[4];
};

enum { TOKENS_TEXT_INVALID = 0x110000 };

enum tokens_text_state {
    TOKENS_TEXT_WHOLE,
    TOKENS_TEXT_PART, /* a beginning */
    TOKENS_TEXT_BAD,  /* no character begins like that */
};

/* What the first len bytes (1..4) are; if they are a whole character, sets *code.  Overlong forms and
 * surrogates are bad. */
enum tokens_text_state tokens_text_decode(const uint8_t *bytes, size_t len, uint32_t *code);

/* A character by its code, which is a valid one. */
struct tokens_text tokens_text_of(uint32_t code);

bool tokens_text_is_space(uint32_t code);       /* white space, line feeds included */
bool tokens_text_is_punctuation(uint32_t code); /* or a symbol of ASCII or Latin-1 */
bool tokens_text_is_control(uint32_t code);     /* C0, DEL, C1 */

/* The lower-case form; the character itself if it has none. */
uint32_t tokens_text_lower(uint32_t code);

#endif
