/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_PASSAGES_H
#define KITH_CLUSTER_PASSAGES_H

#include "cluster_report.h"

/*
 * Finds which contents are contained in which others, to at least options->limits.containment, and writes
 * each with the passages that match: those most contained first, then those with most matching bytes.
 *
 * Returns 0, 1 if it was stopped, -1 on error.  The clusters of the report are not used.
 */
int cluster_passages_write(const struct cluster_report *report, const struct clusters_options *options,
                           struct error *err);

#endif
