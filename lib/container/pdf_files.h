/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_FILES_H
#define KITH_PDF_FILES_H

#include "container/pdf_objects.h"

/* The names of files that are embedded in a PDF, by the numbers of their streams. Zeroed, there are none. */
struct pdf_files {
    struct pdf_files_entry {
        uint32_t number;
        uint32_t at, len; /* in names */
    } * list;
    size_t count, room;
    struct buffer names;
};

enum {
    PDF_FILES_MOST = 1 << 16,   /* files; the rest are known by number */
    PDF_FILES_MOST_NAME = 4096, /* bytes of a name, which is truncated */
};

/* Reads the file specifications of all objects. -1 if memory runs out. */
int pdf_files_init(struct pdf_files *files, struct pdf_objects *objects, struct error *err);
void pdf_files_release(struct pdf_files *files);
/* The name of the stream with this number; NULL if there is none. UTF-8 if it is stored as UTF-16 or UTF-8,
 * or else as it is stored. */
const char *pdf_files_find(const struct pdf_files *files, uint32_t number, size_t *len);

#endif
