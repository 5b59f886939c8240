/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_CASE_H
#define KITH_SCAN_CASE_H

#include "context_flags.h"
#include "evidence_list.h"
#include "scan.h"

/* The case of a scan: creating or resuming it, and the summary at the end. */
struct scan_case {
    struct scan *scan;
    const struct evidence_list *evidence;
    const char *path; /* NULL: a temporary case */
    const struct context_flags *context;
    bool all_objects; /* also keep objects without a finding in a temporary case */
    size_t added,
        again;    /* how much evidence was added to a case that is there, and is read again for new sets */
    bool changed; /* evidence is not what the case was made of, so the scan was not begun */
    bool is_new;  /* the scan created it */
};

/* What was scanned into the case, in all sessions. */
enum scan_yield {
    SCAN_UNOPENED, /* none of the evidence could be opened */
    SCAN_NOTHING,  /* no object was selected */
    SCAN_OBJECTS,  /* some objects, or the scan can be resumed */
};

/*
 * Creates the scan's case or opens it to resume.  It is created only if all evidence exists, so that a
 * mistyped name leaves no file.  Returns 0, or the exit status after showing an error.
 */
int scan_case_open(struct scan_case *scan_case);
/*
 * Closes the case, and removes a new one without objects.  Returns 0, or -1 if the case may not be safe on
 * the disk; fills err only if ok, that is, unless it holds an earlier error.
 */
int scan_case_close(struct scan_case *scan_case, enum scan_yield yield, bool ok, struct error *err);

enum scan_yield scan_case_yield(const struct scan_case *scan_case);
/* Whether there is a finding in a set that is not of kind known: 1 or 0; -1 on error, with err filled. */
int scan_case_has_finding(const struct scan_case *scan_case, struct error *err);
/* Shows a summary of each piece of evidence, and the seal of a case that is kept: whoever notes the seal can
 * prove later that the case was not changed.  Returns -1 and fills err if the case cannot be read. */
int scan_case_show(const struct scan_case *scan_case, enum scan_yield yield, struct error *err);

#endif
