/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_CHERKASOVA_NEAR_H
#define KITH_LAB_CHERKASOVA_NEAR_H

#include "base/buffer.h"
#include "lab/lab_cherkasova.h"
#include "lab/lab_random.h"

/*
 * Near-duplicates with a known number of edits (section 3): RC_a^i has, for each document, a copy into which
 * "a " was inserted i times; RC_words^i has a copy from which i words were removed.
 */
enum lab_near_kind {
    LAB_NEAR_INSERT, /* RC_a^i: at random places */
    LAB_NEAR_EVENLY, /* "a ", at equal distances */
    LAB_NEAR_WORDS,  /* RC_words^i */
};

enum { LAB_NEAR_STEPS = 50 };

struct lab_near_plan {
    const struct lab_cherkasova_corpus *corpus;
    enum lab_near_kind kind;
    const struct sketch_params *schemes;
    size_t scheme_count;
    unsigned steps[LAB_NEAR_STEPS]; /* the numbers of edits i, ascending */
    size_t step_count;
    uint64_t seed;
};

/* The resemblance of each document with its near-duplicate. */
struct lab_near {
    size_t schemes, steps, documents;
    double *resemblance; /* by step, then scheme, then document; NAN: not measured, or too small */
};

/* Fills in the plan's steps: i = 1..50, or some of them if quick. */
void lab_near_choose_steps(struct lab_near_plan *plan, bool quick);

/* Appends a copy with i edits. */
void lab_near_edit(enum lab_near_kind kind, struct lab_random *random, const uint8_t *data, size_t len,
                   unsigned i, struct buffer *out);

/* Edits each document once for each i and sketches the copy under each scheme, so all schemes see the same
 * collections.  The two slow schemes, shingles and minwise, are measured for i = 1..5 and multiples of 5.  -1
 * without memory or if a scheme's parameters are invalid; release is needed either way. */
int lab_near_measure(const struct lab_near_plan *plan, struct lab_near *out, struct error *err);
void lab_near_release(struct lab_near *near);

/* One of them. */
double lab_near_at(const struct lab_near *near, size_t step, size_t scheme, size_t document);
/* aver_sim of the paper, over the documents from..to-1; NAN if nothing was measured. */
double lab_near_average(const struct lab_near *near, size_t step, size_t scheme, size_t from, size_t to);

/* The root of the mean square of the difference from what another scheme, the exact one, gives. */
double lab_near_error(const struct lab_near *near, size_t step, size_t scheme, size_t exact, size_t from,
                      size_t to);

/* The index of the step with i edits. */
size_t lab_near_step(const struct lab_near_plan *plan, unsigned i);

/* Appends a table of the averages over all documents, a row for each step and a column for each scheme after
 * the first column, for i, and draws it, with the names of the columns. */
void lab_near_add_averages(const struct lab_near_plan *plan, const struct lab_near *near, const char *name,
                           const char *caption, const struct lab_column *columns, size_t first, size_t count,
                           struct lab_document *out);

/*
 * What i insertions of two bytes leave of the resemblance of a document of len bytes, if no window occurs
 * twice: a window survives an insertion outside it, so a share (1 - (w - 1) / (len + 1))^i of the len - w + 1
 * windows is in both documents.
 */
double lab_near_expected(size_t len, uint32_t window, unsigned i);

#endif
