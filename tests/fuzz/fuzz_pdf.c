/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/pdf.h"
#include "container/pdf_text.h"

/*
 * The input is a PDF.  Whatever it holds, the members are the same however they are read, and lie in the
 * content where they are said to; and if it may go on after its end, it has no more of them.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_MEMBERS = 200, MOST_BYTES = 1 << 20 };

static void require_equal(const struct buffer *one, const struct buffer *other)
{
    containers_require(one->len == other->len &&
                           (one->len == 0 || memcmp(one->data, other->data, one->len) == 0),
                       "another member");
}

static void check_text(const uint8_t *data, size_t size)
{
    const struct containers_limits limits = {.bytes = MOST_BYTES};
    struct containers_list list = containers_open(&pdf_text_format, data, size, false, &limits);
    const struct buffer *text = list.count ? &list.members[0].data : NULL;

    containers_require(list.count <= 1, "more than one text");
    for (size_t i = 0; text && i < text->len; i++)
        containers_require((uint8_t)text->data[i] >= ' ' || text->data[i] == '\n', "a control character");
    for (size_t i = 1; text && i < text->len; i++)
        containers_require((text->data[i] != ' ' && text->data[i] != '\n') ||
                               (text->data[i - 1] != ' ' && text->data[i - 1] != '\n'),
                           "blanks in sequence");
    containers_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct containers_limits large = {.members = MOST_MEMBERS, .bytes = MOST_BYTES};
    const struct containers_limits small = {.members = MOST_MEMBERS, .bytes = MOST_BYTES, .piece = 7};
    struct containers_list whole = containers_open(&pdf_format, data, size, false, &large);
    struct containers_list pieces = containers_open(&pdf_format, data, size, false, &small);
    struct containers_list carved = containers_open(&pdf_format, data, size, true, &large);

    containers_require(whole.opened && whole.count == pieces.count && carved.count <= whole.count,
                       "another count");
    for (size_t i = 0; i < whole.count; i++) {
        const struct containers_member *member = &whole.members[i];

        require_equal(&member->name, &pieces.members[i].name);
        if (member->data.len == pieces.members[i].data.len)
            require_equal(&member->data, &pieces.members[i].data);
        if (member->place != CONTAINER_UNKNOWN)
            containers_require(member->place <= size && member->data.len <= size - member->place &&
                                   (member->data.len == 0 ||
                                    memcmp(member->data.data, data + member->place, member->data.len) == 0),
                               "not at its place");
    }
    containers_require(whole.end <= size && carved.end <= size, "an end beyond the content");
    containers_release(&whole);
    containers_release(&pieces);
    containers_release(&carved);
    check_text(data, size);
    return 0;
}
