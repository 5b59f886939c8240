/* SPDX-License-Identifier: Apache-2.0 */
#include "container/shared_strings.h"

#include <stdlib.h>

#include "base/array.h"

void shared_strings_release(struct shared_strings *strings)
{
    buffer_release(&strings->bytes);
    free(strings->ends);
    free(strings->used);
    *strings = (struct shared_strings){0};
}

static bool has_room(const struct shared_strings *strings, size_t len)
{
    return strings->count < SHARED_STRINGS_MOST && len <= SHARED_STRINGS_MOST_BYTES - strings->bytes.len;
}

void shared_strings_add(struct shared_strings *strings, struct running_text *out, const char *text,
                        size_t len)
{
    if (has_room(strings, len))
        buffer_add(&strings->bytes, text, len);
    else
        running_text_utf8(out, text, len);
}

void shared_strings_end(struct shared_strings *strings, struct running_text *out)
{
    running_text_break(out);
    if (!has_room(strings, 0))
        return;
    if (array_reserve_all(&strings->room, strings->count + 1, ARRAY_PART(&strings->ends),
                          ARRAY_PART(&strings->used))) {
        strings->bytes.failed = true;
        return;
    }
    strings->used[strings->count] = false;
    strings->ends[strings->count++] = (uint32_t)strings->bytes.len;
}

void shared_strings_write(struct shared_strings *strings, uint64_t number, struct running_text *out)
{
    size_t start;

    if (number >= strings->count)
        return;
    start = number ? strings->ends[number - 1] : 0;
    if (strings->ends[number] > start)
        running_text_utf8(out, strings->bytes.data + start, strings->ends[number] - start);
    strings->used[number] = true;
}

void shared_strings_write_rest(struct shared_strings *strings, struct running_text *out)
{
    for (size_t i = 0; i < strings->count; i++)
        if (!strings->used[i]) {
            running_text_break(out);
            shared_strings_write(strings, i, out);
        }
    running_text_break(out);
}
