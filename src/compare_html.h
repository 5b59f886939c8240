/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_HTML_H
#define KITH_COMPARE_HTML_H

#include "compare_report.h"

/* Writes the outcome of comparing two records to standard output as an HTML page, with the picture that
 * `kith report` draws of a finding.  Returns -1 if libcrypto fails. */
int compare_html(const struct report *report, struct error *err);

#endif
