/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/prose.h"

/* The input is a text.  Its running text is the same however it is read, and no longer than twice the input.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct containers_limits small = {.piece = 7};
    struct containers_list whole = containers_open(&prose_format, data, size, false, NULL);
    struct containers_list pieces = containers_open(&prose_format, data, size, false, &small);
    const struct buffer *one = whole.count ? &whole.members[0].data : NULL,
                        *other = pieces.count ? &pieces.members[0].data : NULL;

    containers_require(one && other && whole.count == 1, "another number of members");
    containers_require(one->len == other->len && one->len <= 2 * size + 1 &&
                           (one->len == 0 || memcmp(one->data, other->data, one->len) == 0),
                       "another text");
    containers_release(&whole);
    containers_release(&pieces);
    return 0;
}
