/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/rtf.h"

/*
 * The input is an RTF file.  Whatever it holds, there is one text, of at most three times its length, and it
 * is the same read in small pieces.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct containers_list whole = containers_open(&rtf_format, data, size, false, NULL);
    struct containers_list small =
        containers_open(&rtf_format, data, size, false, &(struct containers_limits){.piece = 7});
    const struct buffer *text = &whole.members[0].data;

    containers_require(whole.count == 1 && small.count == 1, "not one text");
    containers_require(text->len == small.members[0].data.len && text->len <= 3 * size + 1, "another length");
    if (text->len)
        containers_require(memcmp(text->data, small.members[0].data.data, text->len) == 0, "another text");
    containers_release(&whole);
    containers_release(&small);
    return 0;
}
