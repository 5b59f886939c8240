/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_STATE_H
#define KITH_SCAN_STATE_H

#include "case/casefile.h"
#include "evidence/evidence.h"

/*
 * How much of a piece of evidence could be read, from its objects: the state in the case, and the exit
 * status.
 *
 * It is known at the end only, and a scan that is resumed has not seen the beginning.  So a text is kept in
 * the case with the first object of its kind, and recalled from there.
 */
struct scan_state {
    bool partial, changed;
};

/* Whether an object is not all there that should be: what is left of a deleted file is seldom all of it. */
bool scan_state_lacks(const struct object *object);
/* Counts an object.  The text that the case is to keep, or NULL. */
const char *scan_state_count(struct scan_state *state, const struct object *object);
/* For casefile_problems: state is a struct scan_state. */
void scan_state_recall(void *state, const char *text);

/* The state of evidence that was read with this result. */
enum case_state scan_state_of(const struct scan_state *state, enum evidence_result result);
/* As the log says it. */
const char *scan_state_words(enum case_state state);
/* EXIT_* */
int scan_state_exit(enum case_state state);

#endif
