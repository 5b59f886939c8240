/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_guess.h"

static bool is_object(const struct json_guess *guess, unsigned depth)
{
    return guess->objects >> (depth - 1) & 1;
}

static void open_level(struct json_guess *guess, bool object)
{
    guess->over = guess->depth == JSON_DEPTH;
    if (guess->over)
        return;
    guess->objects = (guess->objects & ~((uint64_t)1 << guess->depth)) | (uint64_t)object << guess->depth;
    guess->depth++;
}

/* Closing a level also closes those inside it whose own } or ] is missing.  Levels below base are not
 * tracked. */
static void close_level(struct json_guess *guess, bool object, unsigned base)
{
    const bool within = guess->depth >= base && !is_object(guess, base);
    const unsigned least = object && within ? base : 0;
    unsigned depth = guess->depth;

    while (depth > least && is_object(guess, depth) != object)
        depth--;
    guess->depth = depth > least ? depth - 1 : least;
}

/* Whether a { followed by a key begins an object of the array at base or of an array around it. */
static bool begins(struct json_guess *guess, unsigned base)
{
    unsigned depth = guess->depth;

    if (guess->last == ':')
        return false;
    while (depth > base && is_object(guess, depth))
        depth--;
    if (depth < base && (depth == 0 || is_object(guess, depth)))
        depth = base; /* the array had not ended after all: that ] was extra */
    guess->depth = depth;
    if (depth == base)
        guess->objects &= ~((uint64_t)1 << (base - 1));
    return depth <= base;
}

bool json_guess_step(struct json_guess *guess, char c, unsigned base)
{
    if (guess->over || (c != '"' && (guess->in_string || json_is_space(c))))
        return false;
    if (guess->opens) {
        guess->opens = false;
        if (c == '"' && begins(guess, base))
            return true;
        open_level(guess, true);
        guess->last = '{';
    }
    if (c == '{') {
        guess->opens = true;
        return false;
    }
    if (c == '"')
        guess->in_string = !guess->in_string;
    else if (c == '[' && (guess->last == ':' || guess->last == ',' || guess->last == '['))
        open_level(guess, false);
    else if (c == '}' || c == ']')
        close_level(guess, c == '}', base);
    guess->last = c;
    return false;
}
