/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_OBJECTS_H
#define KITH_PDF_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "container/pdf_filter.h"
#include "container/pdf_scan.h"

/*
 * The objects of a PDF by their numbers, those in object streams included. Of several versions of an object,
 * the last one in the file counts.
 *
 * Memory: 32 bytes for each of at most PDF_OBJECTS_MOST objects, what comes after them being ignored, and
 * PDF_OBJECTS_CACHED object streams of at most PDF_OBJECTS_MOST_STREAM bytes each, longer ones being
 * truncated. Looking things up costs work, of which there is so much for each byte of the file; without it,
 * nothing is found.
 */

enum {
    PDF_OBJECTS_MOST = 1 << 19,
    PDF_OBJECTS_CACHED = 4,
    PDF_OBJECTS_MOST_STREAM = 2 << 20,
};

enum { /* what an object is by its /Type */
       PDF_OBJECTS_STREAM = 1,
       PDF_OBJECTS_PAGE = 2,
       PDF_OBJECTS_CATALOGUE = 4,
       PDF_OBJECTS_HOLDER = 8, /* an object stream */
       PDF_OBJECTS_NAMES = 16, /* names an embedded file */
};

struct pdf_objects_entry {
    uint64_t at;       /* of its value: in the content, or in the object stream */
    uint64_t data_len; /* of a stream */
    uint32_t number, len;
    uint32_t holder;     /* the index of the object stream that it lies in, plus one; 0: none */
    uint16_t generation; /* by which it is encrypted */
    uint8_t flags;
    uint8_t gap; /* between the dictionary of a stream and its data */
};

struct pdf_objects_cache {
    uint32_t holder; /* as in the entry; 0: unused */
    uint32_t used;
    struct buffer data;
};

struct pdf_objects {
    struct content *content;
    const struct container_watch *watch;
    struct pdf_objects_entry *entries; /* in the order of the file */
    size_t count, room;
    uint32_t *order; /* indices by number, then position */
    uint32_t root;   /* the number of the catalogue that the last trailer names, if has_root */
    bool has_root, has_names;
    bool is_encrypted;  /* and cannot be decrypted */
    bool is_incomplete; /* something is missing, or there were too many objects */
    bool is_plain;      /* an object stream is being opened, which needs no other one */
    struct pdf_crypt crypt;
    struct buffer encryption, id; /* of the trailer: /Encrypt and /ID */
    uint32_t clock;
    uint64_t work_left, work_done;
    struct pdf_objects_cache cache[PDF_OBJECTS_CACHED];
};

/* How a stream is to be decoded. */
struct pdf_objects_plan {
    struct pdf_filter_step steps[PDF_FILTER_MOST];
    size_t count;
    const char *suffix;  /* the kind of file that remains: ".jpg", or "" */
    const char *problem; /* why it cannot be decoded, or NULL */
};

/* Reads all objects by the scan, which must be at the start. -1 if memory runs out. release frees everything,
 * also of a zeroed struct. */
int pdf_objects_init(struct pdf_objects *objects, struct pdf_scan *scan, struct error *err);
void pdf_objects_release(struct pdf_objects *objects);

/* Takes off work; false if there is none left. */
bool pdf_objects_work(struct pdf_objects *objects, uint64_t bytes);

/* The last version of an object, or NULL. */
const struct pdf_objects_entry *pdf_objects_find(const struct pdf_objects *objects, uint32_t number);
/* Reads the value of an object, the dictionary of a stream, into `into`; without text if that is not
 * possible. */
struct pdf_value pdf_objects_load(struct pdf_objects *objects, const struct pdf_objects_entry *entry,
                                  struct buffer *into);
/* The value itself, or what it refers to, read into `into`; *entry, if that is not NULL, is then the object.
 */
struct pdf_value pdf_objects_resolve(struct pdf_objects *objects, struct pdf_value value, struct buffer *into,
                                     const struct pdf_objects_entry **entry);
/* pdf_lex_get, resolved. */
struct pdf_value pdf_objects_get(struct pdf_objects *objects, struct pdf_value dictionary, const char *key,
                                 struct buffer *into);

/* Finds out how to decode a stream by its dictionary; number and generation are those of the object. */
void pdf_objects_plan(struct pdf_objects *objects, struct pdf_value dictionary, uint32_t number,
                      uint32_t generation, struct pdf_objects_plan *plan);
/* Opens the data of a stream; NULL if it has none that can be decoded. */
struct pdf_filter *pdf_objects_open(struct pdf_objects *objects, const struct pdf_objects_entry *entry,
                                    struct error *err);

#endif
