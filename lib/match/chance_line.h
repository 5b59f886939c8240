/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHANCE_LINE_H
#define KITH_CHANCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * E of matches that line up to the byte: how many lines as good as this one chance alone is expected to give.
 *
 * Chance puts a sample of the object at a given place of the references with probability q, which is counted:
 * the number of places where the references have this sample, out of all their bytes.  Any match may be the
 * first of a line.  Each further one must be one of a few samples that the references have at all, in one of
 * a few places: where the reference has it if nothing was inserted or removed, with u such samples of the
 * object left out, or on a diagonal that is up to d bytes away.  That are (u + 1) * (2 d + 1) choices:
 *
 *     ln E = ln(single matches) + sum over the other matches of (ln q + ln(choices) + w ln(1 + ln(choices)))
 *
 * The last term pays for weighing more of one against less of the other: w is 1/2 for the second match of a
 * line, and 2 for all others.  Its sum with the one before it is limited by all choices that there are.
 * q is not taken to be less than what the matches of this reference
 * outside of the line show: the number of them, out of all choices.  A sample that overlaps the one
 * before it is evidence only by its new bytes, and one that recurs counts once: content that repeats itself
 * matches at each multiple of its period.
 */
struct chance_match {
    uint64_t object, reference; /* offset of the sample in each */
    uint64_t sample;            /* its fingerprint */
    uint32_t number;            /* counts the samples of the object that the references have, in order */
    double information;         /* -ln q, not negative */
};

struct chance_search {
    double matches;   /* of single samples of the object with all references */
    double bytes;     /* of all references */
    double choices;   /* all samples times all places of this reference */
    double elsewhere; /* matches of this reference besides those given */
    uint32_t n;       /* bytes in a sample */
};

/* Work space for one match. */
struct chance_step {
    double score;    /* of the best line that ends with it */
    uint32_t before; /* the match before it in that line, */
    bool is_second;  /* which begins with that */
};

/*
 * Returns the lowest ln E of lines among these matches, which are nearly in the order of the object: a line
 * continues at one of the next few.  steps: room for count.  INFINITY if there are none.
 */
double chance_line_ln_e(const struct chance_search *search, const struct chance_match *matches, size_t count,
                        struct chance_step *steps);

/* Returns ln E of content that is equal byte for byte, with information of this many nats, at one of `places`
 * offsets in the object. */
double chance_line_of_bytes(const struct chance_search *search, double places, double information);

#endif
