/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_CHERKASOVA_SIMILAR_H
#define KITH_LAB_CHERKASOVA_SIMILAR_H

#include "lab/lab_cherkasova_collection.h"
#include "lab/lab_cherkasova_pairs.h"

/* The search for similar pairs in a collection under the four schemes (section 5), and which are correct. */

enum { LAB_SIMILAR_SCHEMES = 4, LAB_SIMILAR_MOST = 100000, LAB_SIMILAR_WINDOW = 20, LAB_SIMILAR_N = 100 };

extern const enum sketch_scheme lab_similar_schemes[LAB_SIMILAR_SCHEMES];

/* A pair that is planted, or at least 40 % similar under some scheme. */
struct lab_verdict {
    uint32_t a, b;     /* a < b */
    unsigned reported; /* bit i: more than 70 % similar under scheme i */
    bool is_planted;
    bool is_similar; /* reported, and the edit distance is at most a fifth of the longer document */
    double exact;    /* similarity of all windows */
};

/* A zeroed struct is empty. */
struct lab_similar {
    struct lab_pairs pairs[LAB_SIMILAR_SCHEMES]; /* of at least 40 % */
    struct lab_verdict *verdicts;                /* sorted by a and b */
    size_t count, room;
    bool too_many; /* more than LAB_SIMILAR_MOST pairs in the lists: not judged, no verdicts */
};

/* Lists the pairs of a collection under one of the schemes, as lab_pairs_measure does. */
int lab_similar_list(struct lab_pairs *pairs, const struct lab_collection *collection, size_t scheme,
                     double floor, struct error *err);

/* Compares all pairs under each scheme and judges those that are found.  -1 without memory; release is needed
 * either way. */
int lab_similar_find(struct lab_similar *similar, const struct lab_collection *collection, struct error *err);
void lab_similar_release(struct lab_similar *similar);

struct lab_tally {
    size_t reported, correct, planted;
};

/* Of the pairs that each scheme in `all` and at least one in `any` reports. */
struct lab_tally lab_similar_count(const struct lab_similar *similar, unsigned all, unsigned any);

/* The number of verdicts with an exact similarity of more than this. */
size_t lab_similar_exact_above(const struct lab_similar *similar, double threshold);

#endif
