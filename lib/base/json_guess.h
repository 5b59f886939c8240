/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_JSON_GUESS_H
#define KITH_JSON_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/* Guesses, character by character, where objects begin in malformed JSON: see json_resync. */

/*
 * One of two hypotheses about what is open at the error: that it lies within a string, as it seems, or the
 * opposite, since a missing or an extra quote turns strings inside out.  The wrong hypothesis sees only the
 * brackets that occur in names.
 */
struct json_guess {
    bool over;
    bool in_string;
    bool opens; /* the last character is a {, which begins an object if a quote follows */
    char last;  /* the previous character outside strings; '"' stands for a string */
    unsigned depth;
    uint64_t objects; /* as in json */
};

/* Takes the next unescaped character.  Returns whether it is the first one inside an object of the array at
 * depth `base` or of an array around it; the { of that object was the previous character. */
bool json_guess_step(struct json_guess *guess, char c, unsigned base);

/* White space between tokens. */
static inline bool json_is_space(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

#endif
