/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_PASSAGES_H
#define KITH_CLUSTER_PASSAGES_H

#include "cluster_report.h"

/*
 * Finds which contents are contained in which others, to at least options->limits.containment, and writes
 * each with the passages that match: those most contained first, then those with most matching bytes.
 *
 * most: contents that are compared with one, of those before it that have most samples in common with it;
 * and of a family of near-copies, only the closest is listed with another content.  0: all.
 *
 * Returns 0, 1 if it was stopped, -1 on error.  The clusters of the report are not used.
 */
int cluster_passages_write(const struct cluster_report *report, const struct clusters_options *options,
                           uint32_t most, struct error *err);

#endif
