/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/prose.h"

/* The input is a text.  Its running text is the same however it is read, and no longer than three
 * times the input: a character of Windows-1252 may be one of three bytes in UTF-8. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_both_ways(const uint8_t *data, size_t size)
{
    const struct containers_limits small = {.piece = 7};
    struct containers_list whole = containers_open(&prose_format, data, size, false, NULL);
    struct containers_list pieces = containers_open(&prose_format, data, size, false, &small);
    const struct buffer *one = whole.count ? &whole.members[0].data : NULL,
                        *other = pieces.count ? &pieces.members[0].data : NULL;

    containers_require(one && other && whole.count == 1, "another number of members");
    containers_require(one->len == other->len && one->len <= 3 * size + 1 &&
                           (one->len == 0 || memcmp(one->data, other->data, one->len) == 0),
                       "another text");
    containers_release(&whole);
    containers_release(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_asked = size == 0 || (data[0] && strchr(prose_format.first, data[0]));

    if (is_asked)
        open_both_ways(data, size);
    return 0;
}
