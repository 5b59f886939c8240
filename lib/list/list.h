/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIST_H
#define KITH_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "sample/sampler_key.h"

/*
 * Reads lists of known files in the common formats, entry by entry, in constant memory.
 *
 * Lists come from third parties: names may contain any byte, and rows may be malformed.  A malformed row is
 * reported with its number, and the next call continues after it.
 */
struct list;

struct list_entry {
    struct digest_values digests; /* at least one */
    bool has_size;
    uint64_t size;
    const char *name; /* raw bytes; "" with name_len 0 if there is none */
    size_t name_len;
    const char *mark; /* the list's mark: NSRL's SpecialCode, Project VIC's Category; "" if none */
    /* The fields below occur only in kith's own lists. */
    const char *names; /* further names, each terminated by a zero byte */
    size_t names_len;
    const uint64_t *names_from; /* the number of a list_source for each of names; NULL if unknown */
    const char *record;         /* a line of kith-record(5) without its newline; NULL if none */
    size_t record_len;
    const uint8_t *blocks; /* the SHA-1 of each block, DIGEST_SHA1_LEN each */
    size_t block_count;
    uint64_t source; /* number of the list_source, or 0 */
};

enum { LIST_MARK_LEN = 40 }; /* maximum length of a mark, which is printable ASCII */

/* In kith's own lists: a source that entries came from, as recorded in their set. */
struct list_source {
    uint64_t number;
    const char *path, *kind, *format, *tool, *note; /* "" if unknown */
    size_t path_len;
    int64_t time; /* seconds since 1970; 0 if unknown */
    bool has_sha256;
    uint8_t sha256[DIGEST_SHA256_LEN];
};

/* In kith's own lists: the set that the list was exported from. */
struct list_set {
    const char *name, *kind, *category;
    uint32_t n, c, block, common;
    uint8_t key[SAMPLER_KEY_ID_LEN]; /* as in struct refset_params */
};

enum list_result {
    LIST_END,
    LIST_ENTRY,
    LIST_SOURCE, /* see list_source */
    LIST_SET,    /* see list_set; only as the first row */
    LIST_BAD,    /* a malformed row: err names the list, the row's number and the reason */
    LIST_FAILED, /* the rest of the list cannot be read */
};

/* The names of the formats ("nsrl3", ...); ends with NULL. */
extern const char *const list_formats[];

/* Opens a list.  path: "-" means standard input, from which SQLite databases cannot be read.  format: NULL to
 * detect it.  NULL on error. */
struct list *list_open(const char *path, const char *format, struct error *err);
void list_close(struct list *list);
const char *list_format(const struct list *list);

/* Returns what the first row is.  Must be called before list_next, which returns that row as well. */
enum list_result list_peek(struct list *list);

/* Reads the next row.  What the functions below return is valid until the next call. */
enum list_result list_next(struct list *list, struct error *err);
const struct list_entry *list_entry(const struct list *list);
const struct list_source *list_source(const struct list *list);
const struct list_set *list_set(const struct list *list);

/* For progress: bytes read, and the total (0 if unknown). */
uint64_t list_bytes(const struct list *list);
uint64_t list_size(const struct list *list);

/* Whether list_sha256 reads the file once more, because the digest is not computed while the list is read. It
 * may then run at the same time as list_next. */
bool list_hashes_apart(const struct list *list);
/* The SHA-256 of the whole list, after LIST_END; -1 on error. */
int list_sha256(struct list *list, uint8_t out[DIGEST_SHA256_LEN], struct error *err);

#endif
