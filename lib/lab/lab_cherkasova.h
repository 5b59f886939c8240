/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_CHERKASOVA_H
#define KITH_LAB_CHERKASOVA_H

#include "lab/lab.h"
#include "sketch/sketch.h"

/*
 * The experiments of Cherkasova, Eshghi, Morrey, Tucek, Veitch: Applying Syntactic Similarity Algorithms for
 * Enterprise Information Management (HPL-2009-90), and what they share.
 */
extern const struct lab_experiment lab_cherkasova_windows;     /* figures 1 and 2 */
extern const struct lab_experiment lab_cherkasova_distinct;    /* figures 3 and 4 */
extern const struct lab_experiment lab_cherkasova_sampling;    /* figures 5 and 6 */
extern const struct lab_experiment lab_cherkasova_schemes;     /* figures 7 and 8 */
extern const struct lab_experiment lab_cherkasova_properties;  /* table 1 */
extern const struct lab_experiment lab_cherkasova_collections; /* figures 9 and 10, table 2 */
extern const struct lab_experiment lab_cherkasova_common;      /* section 2: fingerprints of many documents */
extern const struct lab_experiment lab_cherkasova_speed;       /* figure 11 */
extern const struct lab_experiment lab_cherkasova_chunks;      /* section 8: hashes of whole chunks */

/* At most 100 documents of a run, by length: the research corpus of section 3. */
struct lab_cherkasova_corpus {
    struct lab_text_file *documents; /* their names and bytes are the run's */
    size_t count;
};

/* Chooses documents of 1,000 bytes to 1 MB (if quick: 12 of up to 50 KB), evenly by length, and adds a remark
 * that states which.  -1 if there are none, or without memory; release is needed either way. */
int lab_cherkasova_corpus_init(struct lab_cherkasova_corpus *corpus, const struct lab_run *run,
                               struct lab_document *out, struct error *err);
void lab_cherkasova_corpus_release(struct lab_cherkasova_corpus *corpus);

/* A scheme as the paper defines it: windows of `window` bytes, and n: what Min_n and Sketch_n keep, else the
 * rate of Mod_n and BSW_n. */
struct sketch_params lab_cherkasova_params(enum sketch_scheme scheme, uint32_t window, uint32_t n);

/* A share as a cell in percent; NAN leaves it empty. */
void lab_cherkasova_percent(struct lab_table *table, size_t column, double share);

#endif
