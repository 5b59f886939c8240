/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/encoded.h"

/*
 * The input: a byte that says what to look for, and in which pieces members are read; then what may be a
 * file.  A file of two halves repeats it, since blocks have to be long.
 *
 * In whichever pieces members are read, or if they are not read at all, they are the same.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS = 3, REPEATED = 4, PIECES = 8, MEMBERS = 200, BYTES = 4 << 20 };

static const struct container_format *const formats[] = {&encoded_base64_format, &encoded_utf16_format,
                                                         &encoded_utf16_runs_format, &encoded_base64_format};

static bool same_bytes(const struct buffer *a, const struct buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void compare(const struct containers_list *a, const struct containers_list *b, bool with_data)
{
    containers_require(a->count == b->count && a->matches == b->matches &&
                           strcmp(a->failure, b->failure) == 0,
                       "another list");
    for (size_t i = 0; i < a->count; i++)
        containers_require(same_bytes(&a->members[i].name, &b->members[i].name) &&
                               (!with_data || same_bytes(&a->members[i].data, &b->members[i].data)),
                           "another member");
}

static void run(const struct container_format *format, const void *data, size_t size, size_t piece)
{
    const struct containers_limits whole = {.members = MEMBERS, .bytes = BYTES},
                                   pieces = {.members = MEMBERS, .bytes = BYTES, .piece = piece},
                                   nothing = {.members = MEMBERS, .bytes = 1, .piece = 1};
    struct containers_list all = containers_open(format, data, size, false, &whole);
    struct containers_list again = containers_open(format, data, size, false, &pieces);
    struct containers_list unread = containers_open(format, data, size, false, &nothing);

    compare(&all, &again, true);
    compare(&all, &unread, false);
    containers_release(&all);
    containers_release(&again);
    containers_release(&unread);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer file = {0};

    if (size < 1)
        return 0;
    for (int i = 0; i < (data[0] & REPEATED ? 2 : 1); i++)
        buffer_add(&file, data + 1, size - 1);
    run(formats[data[0] & KINDS], file.data ? file.data : "", file.len, 1 + data[0] / PIECES);
    buffer_release(&file);
    return 0;
}
