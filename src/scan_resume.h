/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_RESUME_H
#define KITH_SCAN_RESUME_H

#include "base/ranges.h"
#include "case/casefile.h"
#include "evidence/evidence.h"

/*
 * What a case has of a piece of evidence already, so that a scan can be resumed after it.
 *
 * An object has a row in the case, or one for each chunk.  A resumed scan is handed all objects again and
 * passes over those that the case has, as long as they are the same ones.  Of the last of them the case may
 * lack some chunks.
 */
struct scan_resume {
    struct casefile *casefile;
    uint64_t evidence;   /* its number */
    uint64_t there;      /* rows that the case had at the beginning */
    uint64_t passed;     /* those of them that were passed over */
    uint64_t first_item; /* the content of items before it need not be read again */
    struct ranges bad;   /* what could not be read of these items */
};

/* Where the scan of an evidence begins.  The structure is zeros, or was used for another evidence. */
int scan_resume_begin(struct scan_resume *resume, struct casefile *casefile, uint64_t evidence,
                      struct error *err);
void scan_resume_release(struct scan_resume *resume);

enum scan_resumed {
    SCAN_RESUME_FAILED = -1, /* the case cannot be read */
    SCAN_RESUME_OTHER,       /* the case has another object in its place */
    SCAN_RESUME_THERE,       /* the case has all of it */
    SCAN_RESUME_NEW,         /* the case has only its first *rows rows, mostly none */
};

/* Passes over the next object if the case has it: its address, size and paths are compared. */
enum scan_resumed scan_resume_pass(struct scan_resume *resume, const struct case_object *object,
                                   uint64_t *rows, struct error *err);

/*
 * Whether evidence is still what the case began with: its files look the same from outside (stamp, see
 * evidence_stamp), or, whatever their times are, it has the SHA-1 that the case has of the image.
 */
bool scan_resume_is_same(const struct case_evidence *known, const char *path, const char *stamp,
                         const struct evidence_options *options);

#endif
