/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIST_H
#define KITH_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

/*
 * Lists of known files in the formats of the field, one after another entry, in constant memory.
 *
 * Lists come from others: names may hold any byte, rows may be broken.  A broken row is told with its number,
 * and the next call goes on behind it.
 */
struct list;

struct list_entry {
    struct digest_values digests; /* at least one */
    bool has_size;
    uint64_t size;
    const char *name; /* raw bytes; "" with name_len 0: none */
    size_t name_len;
    const char
        *mark; /* what else the list says of it: NSRL's SpecialCode, Project VIC's Category; "": nothing */
    /* Only kith's own lists have what follows. */
    const char *names; /* further names, each ended by a zero byte */
    size_t names_len;
    const uint64_t *names_from; /* numbers of list_sources, one for each of names; NULL: unknown */
    const char *record;         /* a line of kith-record(5) without its newline; NULL: none */
    size_t record_len;
    const uint8_t *blocks; /* the SHA-1 of each block, DIGEST_SHA1_LEN each */
    size_t block_count;
    uint64_t source; /* number of the list_source, 0: none */
};

enum { LIST_MARK_LEN = 40 }; /* the longest mark: printable ASCII */

/* Where entries of a list of kith's own came from, as its set tells. */
struct list_source {
    uint64_t number;
    const char *path, *kind, *format, *tool, *note; /* "" where unknown */
    size_t path_len;
    int64_t time; /* seconds since 1970; 0: unknown */
    bool has_sha256;
    uint8_t sha256[DIGEST_SHA256_LEN];
};

/* The set that a list of kith's own was exported from. */
struct list_set {
    const char *name, *kind, *category;
    uint32_t n, c, block, common;
};

enum list_result {
    LIST_END,
    LIST_ENTRY,
    LIST_SOURCE, /* list_source tells */
    LIST_SET,    /* list_set tells; comes first if at all */
    LIST_BAD,    /* a row is broken: err names the list and the row's number and says why */
    LIST_FAILED, /* the list cannot be read on */
};

/* The formats by name: "nsrl3" ..; ends with NULL. */
extern const char *const list_formats[];

/* path "-": standard input, where formats that are files of SQLite cannot be read.  format NULL: found out.
 */
struct list *list_open(const char *path, const char *format, struct error *err);
void list_close(struct list *list);
const char *list_format(const struct list *list);

/* What the first row is; to be called before list_next, which gives that row as well. */
enum list_result list_peek(struct list *list);

/* What is found is valid until the next call. */
enum list_result list_next(struct list *list, struct error *err);
const struct list_entry *list_entry(const struct list *list);
const struct list_source *list_source(const struct list *list);
const struct list_set *list_set(const struct list *list);

/* For progress: how much was read, and of how much (0: unknown). */
uint64_t list_bytes(const struct list *list);
uint64_t list_size(const struct list *list);

/* Whether the SHA-256 is not made while the list is read, but takes a reading of its own, which may be done
 * meanwhile. */
bool list_hashes_apart(const struct list *list);
/* The SHA-256 of the whole list, after LIST_END; -1 if it cannot be had. */
int list_sha256(struct list *list, uint8_t out[DIGEST_SHA256_LEN], struct error *err);

#endif
