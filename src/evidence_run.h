/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_RUN_H
#define KITH_EVIDENCE_RUN_H

#include "evidence_flags.h"
#include "terminal.h"

/*
 * Reads one piece of evidence after another, and shows progress, problems and notes; the outcome is an exit
 * status.  kith ls, add and scan share it.
 */
struct evidence_run {
    struct evidence_options options;
    struct progress progress;
    bool quiet; /* shows no notes */
    bool over;  /* set by a command that needs no more evidence; not an interruption */

    /* of the evidence that is being read: */
    const char *path;
    unsigned long long problems;
};

/*
 * Calls one for each path, numbered from 0, which reads it and returns an exit status.  Stops when run->over
 * or the options' stop is set.  Returns the worst exit status, or EXIT_INTERRUPTED if evidence remains.
 */
int evidence_run_all(struct evidence_run *run, size_t count, char **paths,
                     int (*one)(void *arg, size_t number, const char *path), void *arg);

/* Reads one piece of evidence, as evidence_read does.  If the sink lacks problem or note, its arg must begin
 * with the run, which then shows them. */
enum evidence_result evidence_run_read(struct evidence_run *run, const char *path,
                                       const struct evidence_sink *sink, struct error *err);
/* Shows the error if reading failed, and how many problems were suppressed.  Returns the exit status. */
int evidence_run_end(const struct evidence_run *run, enum evidence_result result, const struct error *err);

/* Show that something could not be read, up to a number of times, and something worth knowing. */
void evidence_run_problem(void *run, const char *text);
void evidence_run_note(void *run, const char *text);

/* For sinks: reports each digest of the image that differs from the one stored in it.  Returns whether any
 * does. */
bool evidence_run_contradicts(const struct digest_values *whole, const struct digest_values *stored,
                              void (*report)(void *arg, const char *text), void *arg);

#endif
