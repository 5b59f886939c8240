/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_CASE_H
#define KITH_SCAN_CASE_H

#include "evidence_list.h"
#include "scan.h"

/* The case of a scan: made or resumed, and in the end what a person is told of it. */
struct scan_case {
    struct scan *scan;
    const struct evidence_list *evidence;
    const char *path; /* NULL: a temporary one */
    bool all_objects; /* that has objects without a finding, too */
    bool is_new;      /* there was none before */
};

/*
 * Opens the scan's case.  A new one is made only if all evidence is there, so a mistyped name makes none.  0;
 * otherwise an exit status, after an error was shown.
 */
int scan_case_open(struct scan_case *scan_case);
/*
 * Closes it after a scan with that exit status, which is returned; -1 if it may not be safe on the disk.  A
 * new case that is of nothing (scan_case_is_empty) is removed.  ok: that no error came before, else err stays
 * as it is.
 */
int scan_case_close(struct scan_case *scan_case, bool is_empty, bool ok, struct error *err);

/* Whether no evidence of a new case could be opened. */
bool scan_case_is_empty(const struct scan_case *scan_case);
/* Whether there is a finding in sets that are not of kind known: 1, 0, or -1. */
int scan_case_has_finding(const struct scan_case *scan_case, struct error *err);
/* Shows what was found, evidence by evidence, and the seal of a case that is kept: whoever writes it down can
 * show later that the case is still the same. */
int scan_case_show(const struct scan_case *scan_case, struct error *err);

#endif
