/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_ZIP_DATA_H
#define KITH_ARCHIVE_ZIP_DATA_H

#include "container/archive_zip.h"

/* The data of the members of a zip archive. */

struct archive_zip_data {
    struct archive_window *window; /* borrowed */
    const struct archive_zip_header *header;
    uint64_t start, end; /* of the packed data in the content, as far as that exists */
    uint64_t at;
    uint64_t size; /* unpacked so far */
    uint32_t crc;
    enum { ARCHIVE_ZIP_NEW, ARCHIVE_ZIP_BEGUN, ARCHIVE_ZIP_ENDED, ARCHIVE_ZIP_FAILED } state;
    struct error fault;
    struct unpack *unpack;  /* of the last member that needed one */
    unsigned unpack_method; /* of zip */
    uint8_t prefix[40];     /* what unpacking begins with */
    size_t prefix_len, prefix_done;
    struct archive_reader reader; /* for methods that libarchive has */
};

/* The name of a method, and whether its data can be unpacked. */
const char *archive_zip_data_method(unsigned method);
bool archive_zip_data_is_supported(unsigned method);

/* Begins a member, whose header is borrowed until the next one; nothing is read yet. */
void archive_zip_data_begin(struct archive_zip_data *data, const struct archive_zip_header *header,
                            uint64_t start, uint64_t end);
/* As `read` of a container; the last call reports sizes and a CRC-32 that do not agree. */
ssize_t archive_zip_data_read(struct archive_zip_data *data, void *into, size_t len, struct error *err);
void archive_zip_data_release(struct archive_zip_data *data);

#endif
