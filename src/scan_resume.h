/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_RESUME_H
#define KITH_SCAN_RESUME_H

#include "base/ranges.h"
#include "case/casefile.h"
#include "evidence/evidence.h"

/*
 * Resuming a scan: which objects of a piece of evidence the case holds already.
 *
 * An object has one row in the case, or one for each chunk.  A resumed scan receives all objects again and
 * skips those in the case, provided that they are the same.  What is packed in an object comes again only
 * with the objects that are read again; rows of other members are passed over.  Of the last one the case may
 * lack some chunks.
 */
struct scan_resume {
    struct casefile *casefile;
    uint64_t evidence;   /* its number in the case */
    uint64_t there;      /* rows in the case at the start */
    uint64_t passed;     /* those skipped so far */
    uint64_t first_item; /* the content of earlier items need not be read again */
    uint64_t unpacked;   /* what the members of these cost (allowance.h) */
    struct ranges bad;   /* unreadable ranges of those items */
};

/* Begins with a piece of evidence.  The struct is zeroed, or was used for other evidence. */
int scan_resume_begin(struct scan_resume *resume, struct casefile *casefile, uint64_t evidence,
                      struct error *err);
void scan_resume_release(struct scan_resume *resume);

enum scan_resumed {
    SCAN_RESUME_FAILED = -1, /* the case cannot be read */
    SCAN_RESUME_OTHER,       /* the case holds another object in its place */
    SCAN_RESUME_THERE,       /* the case holds all of it */
    SCAN_RESUME_NEW,         /* the case holds only its first *rows rows, usually none */
};

/* Skips the next object if the case holds it, compared by address, size and paths. */
enum scan_resumed scan_resume_pass(struct scan_resume *resume, const struct case_object *object,
                                   uint64_t *rows, struct error *err);

/*
 * Returns -1, and fills err, unless the evidence is still what it was when the case was created: its files
 * have the same stamp (see evidence_stamp) or, whatever their times are, the image has the SHA-1 recorded in
 * the case.
 */
int scan_resume_check_same(const struct case_evidence *known, const char *path, const char *stamp,
                           const struct evidence_options *options, struct error *err);

#endif
