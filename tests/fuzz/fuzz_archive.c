/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/archive.h"

/*
 * The input: a letter for the format, one that is in lower case if the archive was carved, then the archive.
 * A member is the same read in small pieces.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct container_format *const formats[] = {
    &archive_format_zip,  &archive_format_7z,   &archive_format_rar, &archive_format_cab, &archive_format_tar,
    &archive_format_cpio, &archive_format_ar,   &archive_format_rpm, &archive_format_iso, &archive_format_xar,
    &archive_format_gz,   &archive_format_bz2,  &archive_format_xz,  &archive_format_zst, &archive_format_lz4,
    &archive_format_lzma, &archive_format_lzip, &archive_format_z,   &archive_format_lha};

static void compare(const struct containers_list *all, const struct containers_list *some)
{
    for (size_t i = 0; i < some->count; i++) {
        const struct buffer *one = &some->members[i].data;

        containers_require(i < all->count, "another number of members");
        if (one->len > 0 && one->len <= all->members[i].data.len)
            containers_require(memcmp(one->data, all->members[i].data.data, one->len) == 0,
                               "another content");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct containers_limits limits = {.members = 200, .bytes = 4 << 20};
    const struct containers_limits small = {.members = 20, .bytes = 1 << 13, .piece = 13};
    const struct container_format *format;
    struct containers_list all, some;

    if (size < 2)
        return 0;
    format = formats[(data[0] & 31) % (sizeof formats / sizeof *formats)];
    containers_require(format->prepare == NULL || format->prepare(NULL) == 0, "no locale");
    all = containers_open(format, data + 2, size - 2, data[1] >= 'a', &limits);
    some = containers_open(format, data + 2, size - 2, data[1] >= 'a', &small);
    compare(&all, &some);
    containers_release(&all);
    containers_release(&some);
    return 0;
}
