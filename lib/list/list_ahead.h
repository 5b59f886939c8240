/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIST_AHEAD_H
#define KITH_LIST_AHEAD_H

#include "list/list.h"

/* Reads a list ahead in a thread, while the caller works on earlier rows. */
struct list_ahead;

/* The list is borrowed and must not be used until this is freed.  Starts with the next row of the list.  NULL
 * on error. */
struct list_ahead *list_ahead_new(struct list *list, struct error *err);
void list_ahead_free(struct list_ahead *ahead);

/* Like the functions of list.h. */
enum list_result list_ahead_next(struct list_ahead *ahead, struct error *err);
const struct list_entry *list_ahead_entry(const struct list_ahead *ahead);
const struct list_source *list_ahead_source(const struct list_ahead *ahead);

/* The SHA-256 of the whole list, after LIST_END; -1 on error. */
int list_ahead_sha256(struct list_ahead *ahead, uint8_t out[DIGEST_SHA256_LEN], struct error *err);

/* For progress: bytes read. */
uint64_t list_ahead_bytes(const struct list_ahead *ahead);

#endif
