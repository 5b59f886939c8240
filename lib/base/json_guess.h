/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_JSON_GUESS_H
#define KITH_JSON_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/* Where objects begin in JSON that is broken, guessed character by character: see json_resync. */

/*
 * One of two guesses of what is open, according to whether the place of the error is within a string: as it
 * seems, or else, for a quote too many or too few makes strings of what lies between them, and the other way
 * round.  The one that is wrong sees no brackets but those in names.
 */
struct json_guess {
    bool over;
    bool in_string;
    bool opens; /* the last character is a {, if the next one is a quote */
    char last;  /* of the other characters outside strings; '"' for a string */
    unsigned depth;
    uint64_t objects; /* as in json */
};

/* The next character that no backslash is before.  Whether it is the first one of an object of the array at
 * depth `base`, or of one that this array is in; that object's { was the last other character. */
bool json_guess_step(struct json_guess *guess, char c, unsigned base);

/* White space between tokens. */
static inline bool json_is_space(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

#endif
