/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../unit/containers.h"
#include "container/media.h"

/*
 * The first byte of the input selects a format, and whether the rest is in free space.
 *
 * However the members are read, their bytes are the same; and a member is no container whose only member it
 * is itself, since that would be opened again and again.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_MEMBERS = 200, MOST_BYTES = 4 << 20 };

static const struct {
    char letter;
    const struct container_format *format;
} formats[] = {
    {'j', &media_format_jpeg}, {'m', &media_format_mp3}, {'f', &media_format_flac},
    {'o', &media_format_ogg},  {'w', &media_format_wav}, {'p', &media_format_png},
};

static void require_same(const struct containers_list *one, const struct containers_list *other)
{
    containers_require(one->count == other->count && strcmp(one->failure, other->failure) == 0,
                       "other members, if read otherwise");
    for (size_t i = 0; i < one->count; i++) {
        const struct buffer *a = &one->members[i].data, *b = &other->members[i].data;

        containers_require(a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0),
                           "other bytes, if read otherwise");
    }
}

static void require_no_container(const struct container_format *format, const struct containers_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct buffer *data = &list->members[i].data;
        struct containers_list inner =
            containers_open(format, data->data ? data->data : "", data->len, false,
                            &(struct containers_limits){.members = 2, .bytes = MOST_BYTES});

        containers_require(!inner.matches || inner.count != 1 || inner.members[0].data.len != data->len,
                           "a member that contains itself");
        containers_release(&inner);
    }
}

static void try(const struct container_format *format, const uint8_t *data, size_t size, bool is_carved)
{
    const struct containers_limits limits = {.members = MOST_MEMBERS, .bytes = MOST_BYTES},
                                   bytewise = {.members = MOST_MEMBERS, .bytes = MOST_BYTES, .piece = 13};
    struct containers_list list = containers_open(format, data, size, is_carved, &limits);
    struct containers_list again = containers_open(format, data, size, is_carved, &bytewise);

    require_same(&list, &again);
    if (!is_carved)
        require_no_container(format, &list);
    containers_release(&list);
    containers_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; size > 0 && i < sizeof formats / sizeof *formats; i++)
        if ((data[0] | 0x20) == formats[i].letter)
            try(formats[i].format, data + 1, size - 1, !(data[0] & 0x20));
    return 0;
}
