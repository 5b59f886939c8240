/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/warc.h"

/* The input is a WARC file.  Its members are the same however they are read, and lie where they are said to.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct containers_limits large = {.members = 200, .bytes = 1 << 20};
    const struct containers_limits small = {.members = 200, .bytes = 1 << 20, .piece = 7};
    struct containers_list whole = containers_open(&warc_format, data, size, false, &large);
    struct containers_list pieces = containers_open(&warc_format, data, size, true, &small);

    for (size_t i = 0; i < whole.count; i++) {
        const struct containers_member *member = &whole.members[i];
        const struct buffer *bytes = &member->data;

        containers_require(bytes->len <= size, "more bytes than there are");
        if (member->place != CONTAINER_UNKNOWN)
            containers_require(
                member->place <= size && bytes->len <= size - member->place &&
                    (bytes->len == 0 || memcmp(bytes->data, data + member->place, bytes->len) == 0),
                "not at its place");
        if (i < pieces.count && pieces.members[i].data.len == bytes->len)
            containers_require(bytes->len == 0 ||
                                   memcmp(bytes->data, pieces.members[i].data.data, bytes->len) == 0,
                               "another member");
    }
    containers_require(pieces.count <= whole.count && whole.end <= size, "more members, or an end beyond");
    containers_release(&whole);
    containers_release(&pieces);
    return 0;
}
