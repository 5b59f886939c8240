/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_SUMMARY_H
#define KITH_REPORT_SUMMARY_H

#include "case/casefile.h"

/* Sums up what a case holds about a piece of evidence. */

/*
 * Appends "3 findings in 2 of 1,204 objects (15.0 MB of content): 1 identical, 2 variants", or "no findings
 * in 1,204 objects (15.0 MB of content)", followed by the number of objects that are known, allow no verdict,
 * or were not examined.  For evidence that is read again for further sets: "read again for the set a: 3
 * findings in 2 objects: ..".  Appends nothing if none of the evidence was read.  Returns -1 and fills err if
 * the case cannot be read.
 */
int report_summary(struct casefile *casefile, uint64_t evidence, struct buffer *out, struct error *err);

/* Calls take for each volume whose files were not examined: "volume 2@1048576 (50.0 MB): ENCRYPTED, content
 * not examined", and for members of containers that were not unpacked (report_unopened.h).  Returns -1 and
 * fills err if the case cannot be read or memory runs out. */
int report_summary_unexamined(struct casefile *casefile, uint64_t evidence,
                              void (*take)(void *arg, const char *text), void *arg, struct error *err);

/* Appends the sets that the evidence is read for: "the set a", "the sets a, b". */
void report_summary_sets(const struct casefile *casefile, const struct case_evidence *evidence,
                         struct buffer *out);

/* Passes on what the case belongs to: "examiner", and who it is, for each that is set, line by line; the
 * label is "" for further lines. */
void report_summary_context(const struct casefile *casefile,
                            void (*take)(void *arg, const char *label, const char *line, size_t len),
                            void *arg);

/* How the hashes of an image compare with those that its container has from the acquisition. */
enum report_acquisition {
    REPORT_ACQUISITION_NONE,     /* none is stored */
    REPORT_ACQUISITION_UNHASHED, /* the image was not hashed, or by no kind that is stored */
    REPORT_ACQUISITION_MATCHES,  /* all stored ones that were computed are equal */
    REPORT_ACQUISITION_DIFFERS,
};
/* The evidence is an image. */
enum report_acquisition report_summary_acquisition(const struct case_evidence *evidence);
/* The result for programs: "none", "not-hashed", "matches" or "differs". */
const char *report_summary_acquisition_name(enum report_acquisition acquisition);
/* The result in words, for people: "matches the acquisition hash stored in the image". */
const char *report_summary_acquisition_words(enum report_acquisition acquisition);

/* Appends the hashes of an image and how they compare: "sha1 4f.., md5 d1..: matches the acquisition hash
 * stored in the image".  Appends nothing for evidence that is no image, or was not hashed. */
void report_summary_image(const struct case_evidence *evidence, struct buffer *out);

#endif
