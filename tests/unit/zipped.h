/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_ZIPPED_H
#define KITH_TEST_ZIPPED_H

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "disk/deflate.h"

/* Writes zip archives whose members are stored without compression.  A zeroed struct is an empty archive. */
struct zipped {
    struct buffer file, directory;
    size_t count;
};

static inline void zipped_number(struct buffer *out, uint64_t number, int bytes)
{
    while (bytes-- > 0) {
        buffer_add_char(out, (char)number);
        number >>= 8;
    }
}

/* What the local header and the directory have in common, from the version on. */
static inline void zipped_fields(struct buffer *out, const char *name, const void *data, size_t len)
{
    zipped_number(out, 10, 2);
    zipped_number(out, 0, 4);          /* flags, method */
    zipped_number(out, 0x58210000, 4); /* 2024-01-01 */
    zipped_number(out, deflate_crc(0, data, len), 4);
    zipped_number(out, len, 4);
    zipped_number(out, len, 4);
    zipped_number(out, strlen(name), 2);
    zipped_number(out, 0, 2);
}

static inline void zipped_add(struct zipped *zip, const char *name, const void *data, size_t len)
{
    const size_t offset = zip->file.len;

    buffer_add(&zip->file, "PK\3\4", 4);
    zipped_fields(&zip->file, name, data, len);
    buffer_add_text(&zip->file, name);
    buffer_add(&zip->file, data, len);
    buffer_add(&zip->directory, "PK\1\2", 4);
    zipped_number(&zip->directory, 10, 2);
    zipped_fields(&zip->directory, name, data, len);
    zipped_number(&zip->directory, 0, 10); /* comment, disk, attributes */
    zipped_number(&zip->directory, offset, 4);
    buffer_add_text(&zip->directory, name);
    zip->count++;
}

static inline void zipped_add_text(struct zipped *zip, const char *name, const char *text)
{
    zipped_add(zip, name, text, strlen(text));
}

/* Completes the archive, which is then zip->file; release it. */
static inline void zipped_end(struct zipped *zip)
{
    const size_t offset = zip->file.len;

    buffer_add(&zip->file, zip->directory.data, zip->directory.len);
    buffer_add(&zip->file, "PK\5\6\0\0\0\0", 8);
    zipped_number(&zip->file, zip->count, 2);
    zipped_number(&zip->file, zip->count, 2);
    zipped_number(&zip->file, zip->directory.len, 4);
    zipped_number(&zip->file, offset, 4);
    zipped_number(&zip->file, 0, 2);
}

static inline void zipped_release(struct zipped *zip)
{
    buffer_release(&zip->file);
    buffer_release(&zip->directory);
    *zip = (struct zipped){0};
}

#endif
