/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SHARED_STRINGS_H
#define KITH_SHARED_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "container/running_text.h"

/*
 * The strings of a workbook, which its cells refer to by number.  Strings for which there is no room are
 * written to `out` at once, as lines.  `bytes.failed` if memory runs out.
 */

enum { SHARED_STRINGS_MOST = 1 << 20, SHARED_STRINGS_MOST_BYTES = 16 << 20 };

/* A zeroed struct is ready. */
struct shared_strings {
    struct buffer bytes; /* UTF-8 */
    uint32_t *ends;      /* of each string */
    bool *used;
    size_t count, room;
};

/* Frees everything. */
void shared_strings_release(struct shared_strings *strings);
/* Appends to the string that is being read; ends it. */
void shared_strings_add(struct shared_strings *strings, struct running_text *out, const char *text,
                        size_t len);
void shared_strings_end(struct shared_strings *strings, struct running_text *out);
/* Writes a string, if there is one of this number. */
void shared_strings_write(struct shared_strings *strings, uint64_t number, struct running_text *out);
/* Writes those that have not been written, as lines. */
void shared_strings_write_rest(struct shared_strings *strings, struct running_text *out);

#endif
