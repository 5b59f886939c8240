/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_state.h"

#include <string.h>

#include "command.h"

static const char partial_text[] = "some objects could not be read in full",
                  changed_text[] = "some objects changed while being read";

bool scan_state_lacks(const struct object *object)
{
    const bool is_certain = object->kind != OBJECT_MEMBER; /* containers in free space are seldom complete */

    return (object->state == OBJECT_UNREADABLE && is_certain) ||
           ((object->state == OBJECT_UNREADABLE || object->state == OBJECT_PARTIAL) &&
            (object->flags & OBJECT_ALLOCATED));
}

const char *scan_state_lose(struct scan_state *state)
{
    const bool is_first = !state->partial;

    state->partial = true;
    return is_first ? partial_text : NULL;
}

const char *scan_state_count(struct scan_state *state, const struct object *object)
{
    if (object->state == OBJECT_CHANGED && !state->changed) {
        state->changed = true;
        return changed_text;
    }
    return scan_state_lacks(object) ? scan_state_lose(state) : NULL;
}

void scan_state_recall(void *arg, const char *text)
{
    struct scan_state *state = arg;

    state->partial = state->partial || strcmp(text, partial_text) == 0;
    state->changed = state->changed || strcmp(text, changed_text) == 0;
}

enum case_state scan_state_of(const struct scan_state *state, enum evidence_result result)
{
    switch (result) {
    case EVIDENCE_STOPPED:
        return CASE_BEGUN;
    case EVIDENCE_FAILED:
        return CASE_FAILED;
    case EVIDENCE_CHANGED:
        return CASE_CHANGED;
    default:
        return state->changed                               ? CASE_CHANGED
               : result == EVIDENCE_DONE && !state->partial ? CASE_DONE
                                                            : CASE_PARTIAL;
    }
}

const char *scan_state_words(enum case_state state)
{
    static const char *const words[CASE_STATES] = {"interrupted", "done", "done; parts were not examined",
                                                   "done, but it changed while being read",
                                                   "could not be read"};

    return words[state];
}

int scan_state_exit(enum case_state state)
{
    return state == CASE_DONE      ? EXIT_DONE
           : state == CASE_CHANGED ? EXIT_CHANGED
           : state == CASE_BEGUN   ? EXIT_INTERRUPTED
                                   : EXIT_PARTIAL;
}
