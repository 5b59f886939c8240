/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_FOLD_H
#define KITH_REPORT_FOLD_H

#include "case/casefile.h"

/*
 * Content that unrelated objects have in common: licences, the heads of manual pages, tables.
 *
 * It is learned from all findings of a case.  Findings of the same content have the same features
 * (features.h), whatever their references.  Content is common if REPORT_FOLD_OBJECTS or more different
 * objects have it that are not related to their references otherwise, or if a set has it that often that is
 * not notable, since those have many versions of one file; a finding is, if that is true of more than half of
 * its features.  Such findings form families, by the feature that most objects have, of which reports for
 * people list one.  Findings in sets of different kinds are not compared, and identical files and containers
 * are never common; nor are findings with a score above 0.5 that match over REPORT_FOLD_TIMES as many bytes
 * as those objects do on average.
 */
enum { REPORT_FOLD_OBJECTS = 10, REPORT_FOLD_TIMES = 2 };

/* What is known about the content of a finding. */
struct report_shared {
    uint64_t objects;  /* different objects of the case in which it was found; 1 for most */
    uint64_t findings; /* for which a row stands that is listed: 1, or all of a family; 0: it is not listed */
    bool is_common;
    struct case_finding_id listed; /* the finding that is listed instead; itself if it is */
};

struct report_fold;

/* Reads all findings of the case, and those that the filter lets through.  Returns NULL on error. */
struct report_fold *report_fold_new(struct casefile *casefile, const struct case_filter *filter,
                                    struct error *err);
void report_fold_free(struct report_fold *fold);

/* Finding number i, from 0, in the order of the filter; NULL if there are not that many. */
const struct report_shared *report_fold_at(const struct report_fold *fold, uint64_t i);

/* Appends "common content: in 40 objects; this row stands for 52 findings"; nothing for a row that stands for
 * itself, or has no finding (NULL). */
void report_fold_row_words(const struct report_shared *shared, struct buffer *out);
/* Appends "12 rows of common content stand for 6,341 findings, which --all lists"; nothing if each row is one
 * finding. */
void report_fold_words(const struct report_fold *fold, struct buffer *out);

#endif
