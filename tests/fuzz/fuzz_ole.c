/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/ole.h"

/*
 * The input is a compound file.  Whatever it holds, there are no more members than entries that the input has
 * room for, twice for embedded files; and a member is the same read in small pieces.  So are its texts.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct container_format *format, const uint8_t *data, size_t size)
{
    const struct containers_limits limits = {.members = 200, .bytes = 1 << 20};
    const struct containers_limits small = {.members = 20, .bytes = 1 << 14, .piece = 13};
    struct containers_list all = containers_open(format, data, size, false, &limits);
    struct containers_list some = containers_open(format, data, size, false, &small);

    containers_require(all.count <= 2 * size / 128, "more members than entries");
    for (size_t i = 0; i < some.count; i++) {
        const size_t len = some.members[i].data.len;

        containers_require(i < all.count && len <= all.members[i].data.len + small.piece, "another length");
        if (len && len <= all.members[i].data.len)
            containers_require(memcmp(some.members[i].data.data, all.members[i].data.data, len) == 0,
                               "another content");
    }
    containers_release(&all);
    containers_release(&some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(&ole_format, data, size);
    check(&ole_text_format, data, size);
    return 0;
}
