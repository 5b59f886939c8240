/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHANCE_LINE_H
#define KITH_CHANCE_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * E of matches that line up to the byte: how many lines as good as this one chance alone is expected to give.
 *
 * Chance puts a sample of the object at a given place of the references with probability q, which is counted:
 * the number of places where the references have this sample, out of all their bytes.  Any match may be the
 * first of a line.  How improbable is it that the next one is at least as good?  It leaves out u of the
 * samples that the references have at all, and lies d bytes off the diagonal.  Roughly
 *
 *     r = a * (1 + 3/4 ln a),   a = (u + 1) * (2 d + 1)
 *
 * choices are no farther off (in ln a, no more is counted than ln of the number of samples).  A rarer sample
 * may lie farther off and be worth as much; a more frequent one never is.  So with s, the share of
 * the object's samples for which q is at most q r of this match, p = q r s is the expected number of matches
 * as good as the next one.  A line of k such links may have any p_i with a product at most that of this line;
 * with p_0 for the least p that a link can have, there are sum over j < k of x^j / j! as many of them, where
 * x is the sum of ln (p_i / p_0):
 *
 *     ln E = ln(0.6 matches) + sum of ln p_i + ln (sum over j < k of x^j / j!)
 *
 * The 0.6 is measured, by bench_chance; it makes up for lines that have others in them, and for the ends of
 * object and reference.
 *
 * References are not alike: q is multiplied by the number of matches of this one outside of the line, out of
 * those that are expected by its length; but not by less than a quarter, since matches may have a reason.
 * Text goes on as it begins, even in unrelated texts, so no sample is worth more than a bit for each byte
 * after the sample before it.  One that recurs counts once: content that repeats itself matches at each
 * multiple of its period.
 */
struct chance_match {
    uint64_t object, reference; /* offset of the sample in each */
    uint64_t sample;            /* its fingerprint */
    uint32_t number;            /* counts the samples of the object that the references have, in order */
    double information;         /* -ln q, not negative */
};

/* ln of the share of the object's samples that the references have at most 2^i times each, of those that
 * they have at all; -INFINITY if there are none. */
enum { CHANCE_LINE_SHARES = 33 };

struct chance_shares {
    double ln[CHANCE_LINE_SHARES];
};

struct chance_search {
    const struct chance_shares *shares;
    double matches;   /* of single samples of the object with all references */
    double samples;   /* of the object, that the references have */
    double bytes;     /* of all references, */
    double length;    /* and of this one */
    double elsewhere; /* matches of this reference besides those given */
};

/* Work space for one match: the best line that ends with it. */
struct chance_step {
    double score;    /* is higher the lower E is */
    double ln_p;     /* the sum of ln p of its links, */
    double spare;    /* and of ln (p / p_0) */
    double links;    /* their number */
    uint32_t before; /* the match before it */
};

/* Computes the shares of samples of which `count` are held hits[i] times each; those with 0 are left out. */
void chance_line_shares(struct chance_shares *shares, const uint32_t *hits, size_t count);

/*
 * Returns the lowest ln E of lines among these matches, which are nearly in the order of the object: a line
 * continues at one of the next few.  steps: room for count.  ln of all matches if no two line up.
 */
double chance_line_ln_e(const struct chance_search *search, const struct chance_match *matches, size_t count,
                        struct chance_step *steps);

/* Returns ln E of content that is equal byte for byte, with information of this many nats, at one of `places`
 * offsets in the object. */
double chance_line_of_bytes(const struct chance_search *search, double places, double information);

#endif
