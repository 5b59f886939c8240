/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_CURSOR_H
#define KITH_REFSET_CURSOR_H

#include "set/keyblock.h"
#include "set/refset_segments.h"

/* All entries of a segment in order. */
struct refset_cursor;
struct refset_cursor *refset_cursor_new(struct refset *set, const struct refset_segment *segment,
                                        struct error *err);
void refset_cursor_free(struct refset_cursor *cursor);
/* Goes on with the first block that begins with this key or a later one. */
void refset_cursor_seek(struct refset_cursor *cursor, uint64_t key);
/* The last key that was read, or sought. */
uint64_t refset_cursor_key(const struct refset_cursor *cursor);
/* The next block's entries; 0 at the end, -1 if the set is damaged. */
int refset_cursor_next(struct refset_cursor *cursor, const struct keyblock_entry **entries, size_t *count,
                       struct error *err);

#endif
