/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIST_AHEAD_H
#define KITH_LIST_AHEAD_H

#include "list/list.h"

/* A list that a thread reads ahead, while what it gave before is being worked on. */
struct list_ahead;

/* The list is borrowed, and not to be touched before this is freed; what was read of it already is not given
 * again. */
struct list_ahead *list_ahead_new(struct list *list, struct error *err);
void list_ahead_free(struct list_ahead *ahead);

/* As the functions of list.h. */
enum list_result list_ahead_next(struct list_ahead *ahead, struct error *err);
const struct list_entry *list_ahead_entry(const struct list_ahead *ahead);
const struct list_source *list_ahead_source(const struct list_ahead *ahead);

/* The SHA-256 of the whole list, after LIST_END; -1 if it cannot be had. */
int list_ahead_sha256(struct list_ahead *ahead, uint8_t out[DIGEST_SHA256_LEN], struct error *err);

/* For progress. */
uint64_t list_ahead_bytes(const struct list_ahead *ahead);

#endif
