/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_STATE_H
#define KITH_SCAN_STATE_H

#include "case/casefile.h"
#include "evidence/evidence.h"

/*
 * How completely a piece of evidence could be read, judged by its objects: its state in the case, and the
 * exit status.
 *
 * This is known only at the end, when a resumed scan has not seen the first objects.  So the first object of
 * each sort leaves a text in the case, from which the state is restored.
 */
struct scan_state {
    bool partial, changed;
};

/* Whether an object lacks bytes that it should have.  A deleted file that is partly overwritten does not
 * count: that is normal. */
bool scan_state_lacks(const struct object *object);
/* Counts an object.  Returns the text to keep in the case, or NULL. */
const char *scan_state_count(struct scan_state *state, const struct object *object);
/* Counts an object whose result is lost; returns as scan_state_count. */
const char *scan_state_lose(struct scan_state *state);
/* A callback for casefile_problems, with a struct scan_state: restores the state. */
void scan_state_recall(void *state, const char *text);

/* The state of evidence that was read with this result. */
enum case_state scan_state_of(const struct scan_state *state, enum evidence_result result);
/* The state in words, for the log. */
const char *scan_state_words(enum case_state state);
/* Its exit status. */
int scan_state_exit(enum case_state state);

#endif
