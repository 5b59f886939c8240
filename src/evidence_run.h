/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_RUN_H
#define KITH_EVIDENCE_RUN_H

#include "evidence_flags.h"
#include "terminal.h"

/*
 * One piece of evidence after another, and what a person sees of it: progress, problems, notes, and in the
 * end the exit status.  What kith ls, add and scan share.
 */
struct evidence_run {
    struct evidence_options options;
    struct progress progress;
    bool quiet; /* shows no notes */
    bool over;  /* set by whoever needs no more evidence; that is no interruption */

    /* of the evidence that is being read: */
    const char *path;
    unsigned long long problems;
};

/*
 * Reads all evidence, each with one, which returns an exit status and the number of the path, from 0 on.
 * Ends early when run->over is set or the options' stop.  The worst exit status, EXIT_INTERRUPTED if
 * evidence is left that was to be read.
 */
int evidence_run_all(struct evidence_run *run, size_t count, char **paths,
                     int (*one)(void *arg, size_t number, const char *path), void *arg);

/* Reads one piece of evidence: as evidence_read.  A sink without problem or note must have an arg that begins
 * with the run, which then shows them. */
enum evidence_result evidence_run_read(struct evidence_run *run, const char *path,
                                       const struct evidence_sink *sink, struct error *err);
/* Shows why it failed, if it did (err), and how many problems were not shown.  The exit status. */
int evidence_run_end(const struct evidence_run *run, enum evidence_result result, const struct error *err);

/* Shows something that could not be read, of which the first are shown, or something worth knowing. */
void evidence_run_problem(void *run, const char *text);
void evidence_run_note(void *run, const char *text);

/* For sinks: tells each digest of the image that is not the one stored in it.  Whether there is any. */
bool evidence_run_contradicts(const struct digest_values *whole, const struct digest_values *stored,
                              void (*tell)(void *arg, const char *text), void *arg);

#endif
