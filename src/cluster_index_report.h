/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_INDEX_REPORT_H
#define KITH_CLUSTER_INDEX_REPORT_H

#include "cluster/fingerprints.h"

/* Writes which files of an index are near the files given. */
struct cluster_index_report {
    int format; /* FORMAT_* */
    uint32_t bits;
    struct groups_params groups;
    enum groups_algorithm algorithm;
    uint64_t pairs;
    bool is_open; /* text: of the same file, another one was written before */
};

/* One row: `near` is near the document, identical or at a distance in bits. */
void cluster_index_report_pair(struct cluster_index_report *report,
                               const struct fingerprints_document *document,
                               const struct fingerprints_document *near, bool is_identical,
                               uint32_t distance);
/* Before the first row. */
void cluster_index_report_begin(struct cluster_index_report *report);

struct cluster_index_counts {
    uint64_t files, added, known, small, empty, links, left_out; /* small: they have no fingerprint */
    uint64_t cut;                                                /* files near more than are reported */
    uint64_t index_files, index_contents;
};

/* After the last one; with CSV to standard error. */
void cluster_index_report_end(const struct cluster_index_report *report,
                              const struct cluster_index_counts *counts, bool quiet);

#endif
