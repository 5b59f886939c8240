/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VALUES_H
#define KITH_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * The named values that an option takes: one table for the check, the help, the error messages and the
 * completion.
 */
struct values {
    const char *one, *many; /* "kind", "kinds" */
    bool is_list;           /* several values may be given, separated by commas */
    /* The value with this index, or NULL after the last one.  NULL itself if the values have no names. */
    const char *(*name)(const void *table, size_t index);
    const void *table;
};

extern const struct values values_object_kinds, values_image_types, values_file_systems, values_schemes,
    values_set_kinds, values_list_formats, values_verdicts, values_verdict_list, values_proofs, values_orders,
    values_columns, values_groupings, values_shells, values_tokens, values_rules, values_methods,
    values_candidates, values_openings;

/* Values without names, which only completion distinguishes. */
extern const struct values values_case, values_set, values_set_path, values_file;

/* The index of the value whose name is the first len bytes of text, or -1. */
int values_find(const struct values *values, const char *text, size_t len);

/* The value that the text is probably a slip of, or NULL. */
const char *values_nearest(const struct values *values, const char *text, size_t len);

/* Adds the names, with a separator between them. */
void values_add(const struct values *values, const char *separator, struct buffer *out);

/* Why the text is none of them, as a string: "unknown kind 'foo'; the kinds are notable, known, neutral". */
void values_explain(const struct values *values, const char *text, size_t len, struct buffer *out);

/*
 * Whether the word is probably a slip of the name, in upper or lower case: a letter wrong, missing, added or
 * exchanged with its neighbour, or two of these in a longer word.  Returns the number of slips, or -1 if
 * there are too many.
 */
int values_slips(const char *word, size_t len, const char *name);

#endif
