/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_CURSOR_H
#define KITH_REFSET_CURSOR_H

#include "set/keyblock.h"
#include "set/refset_segments.h"

/* Reads all entries of a segment in order.  The set is borrowed.  Returns NULL on error. */
struct refset_cursor;
struct refset_cursor *refset_cursor_new(struct refset *set, const struct refset_segment *segment,
                                        struct error *err);
void refset_cursor_free(struct refset_cursor *cursor);
/* Moves to the first block that begins with this key or a later one. */
void refset_cursor_seek(struct refset_cursor *cursor, uint64_t key);
/* Returns the last key that was read or sought. */
uint64_t refset_cursor_key(const struct refset_cursor *cursor);
/* Reads the entries of the next block, valid until the next call.  Returns 1, 0 at the end, -1 on error, as
 * when the set is damaged. */
int refset_cursor_next(struct refset_cursor *cursor, const struct keyblock_entry **entries, size_t *count,
                       struct error *err);

#endif
