/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_CHERKASOVA_PAIRS_H
#define KITH_LAB_CHERKASOVA_PAIRS_H

#include "lab/lab_cherkasova.h"

/* The similarity of all pairs of documents, each pair compared (no index), so that nothing is missed. */

struct lab_pair {
    uint32_t a, b; /* documents, a < b */
    double resemblance;
};

/* A zeroed struct is empty. */
struct lab_pairs {
    struct lab_pair *list; /* sorted by resemblance */
    size_t count, room;
    size_t compared; /* pairs of which both are large enough for the scheme */
    struct sketch *sketches;
    size_t documents;
};

/* Sketches the documents and lists the pairs with a resemblance of at least `floor`, above 0.  Keeps the
 * sketches, too.  -1 without memory or if the parameters are invalid; release is needed either way. */
int lab_pairs_measure(struct lab_pairs *pairs, const struct sketch_params *params,
                      const struct lab_text_file *documents, size_t count, double floor, struct error *err);
void lab_pairs_release(struct lab_pairs *pairs);

/* The number of pairs with more than this resemblance, which must not be less than the floor. */
size_t lab_pairs_count_above(const struct lab_pairs *pairs, double resemblance);
/* The same as a share of all pairs that were compared; NAN if there are none. */
double lab_pairs_above(const struct lab_pairs *pairs, double resemblance);

/* The average number of values in a sketch. */
double lab_pairs_values(const struct lab_pairs *pairs);

#endif
