/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_REPORT_H
#define KITH_CLUSTER_REPORT_H

#include "cluster/clusters.h"
#include "cluster_input.h"

/* Writes clusters to standard output. */
struct cluster_report {
    const struct collection *collection;
    const struct clusters *clusters; /* NULL: none, for reports on other things */
    char *const *paths;              /* by the source of a document */
    uint32_t most_shared;            /* of clusters_options: common */
    struct cluster_losses losses;
    bool at_least; /* resemblances are lower bounds */
    bool quiet;    /* no summary, except in JSON */
    int format;    /* FORMAT_* */
};

/* Writes all clusters and a summary: with CSV, the summary goes to standard error. */
void cluster_report_write(const struct cluster_report *report);

/* Parts of it, also for other reports on documents.  Append the name of a document as it is shown, with where
 * it was found; and as CSV cells and JSON members named evidence, path, path_hex, size and sha1. */
void cluster_report_name(const struct cluster_report *report, const struct collection_document *document,
                         struct buffer *out);
void cluster_report_csv(const struct cluster_report *report, const struct collection_document *document,
                        struct buffer *out);
void cluster_report_json(const struct cluster_report *report, const struct collection_document *document,
                         const char *prefix, struct buffer *out);
/* Appends a CSV cell with the kind of object: "file", "deleted". */
void cluster_report_kind(const struct collection_document *document, struct buffer *out);
/* Appends a CSV cell with a number. */
void cluster_report_decimal(struct buffer *out, double value, int digits);
/* Appends sentences about what was left out, and about fingerprints that were too common. */
void cluster_report_losses(const struct cluster_report *report, uint64_t common, struct buffer *out);
/* Appends the same as JSON members, each after a comma. */
void cluster_report_losses_json(const struct cluster_report *report, uint64_t common, struct buffer *out);
/* Writes a summary of several lines: with CSV to standard error. */
void cluster_report_put_summary(const struct cluster_report *report, const struct buffer *out);

#endif
