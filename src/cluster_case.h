/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_CASE_H
#define KITH_CLUSTER_CASE_H

#include "cluster_report.h"

/*
 * Clusters the objects of a case.  It has no content: objects are related through the references that were
 * found in them, which gives lower bounds of their resemblance (bounds.h), or identical by their SHA-1.
 *
 * Only the method and the resemblance of the options are used.  The format and `quiet` of the report are
 * given; it is filled in and written.  Returns -1 on error.
 */
int cluster_case_write(const char *path, const struct clusters_options *options,
                       struct cluster_report *report, struct error *err);

#endif
