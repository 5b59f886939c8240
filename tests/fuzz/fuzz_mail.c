/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../unit/containers.h"
#include "container/mail.h"

/*
 * The input: a byte that says whether it is a mail or an mbox file, whether it was found in free space, and
 * in which pieces members are read; then its bytes.
 *
 * In whichever pieces members are read, or if they are not read at all, they are the same.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BOX = 1, CARVED = 2, PIECES = 4, MEMBERS = 200, BYTES = 4 << 20 };

static bool same_bytes(const struct buffer *a, const struct buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static struct containers_list list_members(const uint8_t *data, size_t size, uint8_t choice, size_t piece,
                                           size_t bytes)
{
    const struct containers_limits limits = {.members = MEMBERS, .bytes = bytes, .piece = piece};

    return containers_open(choice & BOX ? &mail_box_format : &mail_format, data, size, choice & CARVED,
                           &limits);
}

static void compare(const struct containers_list *a, const struct containers_list *b, bool with_data)
{
    containers_require(a->count == b->count && strcmp(a->failure, b->failure) == 0 && a->end == b->end,
                       "another list");
    for (size_t i = 0; i < a->count; i++) {
        const struct containers_member *one = &a->members[i], *other = &b->members[i];

        containers_require(same_bytes(&one->name, &other->name) && one->place == other->place &&
                               strcmp(one->problem, other->problem) == 0,
                           "another member");
        containers_require(
            !with_data || (same_bytes(&one->data, &other->data) && strcmp(one->failure, other->failure) == 0),
            "other bytes");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct containers_list all, again, unread;

    if (size < 1)
        return 0;
    all = list_members(data + 1, size - 1, data[0], CONTAINER_PIECE, BYTES);
    again = list_members(data + 1, size - 1, data[0], 1 + data[0] / PIECES, BYTES);
    unread = list_members(data + 1, size - 1, data[0], 1, 1);
    compare(&all, &again, true);
    compare(&all, &unread, false);
    containers_release(&all);
    containers_release(&again);
    containers_release(&unread);
    return 0;
}
