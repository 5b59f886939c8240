/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SETS_REPORT_H
#define KITH_SETS_REPORT_H

#include <stdbool.h>

#include "set/refset.h"

/* Print a description of the set, as text or as JSON. */
int sets_report_info(struct refset *set, struct error *err);
int sets_report_json(struct refset *set, struct error *err);

/* Prints a line for each file. */
int sets_report_list(struct refset *set, bool csv, bool with_header, struct error *err);

#endif
