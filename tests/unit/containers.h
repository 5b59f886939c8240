/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_CONTAINERS_H
#define KITH_TEST_CONTAINERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "container/container.h"
#include "disk/content_part.h"

/*
 * Shared by the tests and fuzz targets of formats: opens bytes in memory with a format, and lists the
 * members. Whatever a format must never do ends in abort().
 */

enum {
    CONTAINERS_MOST_MEMBERS = 200000,
    CONTAINERS_MOST_BYTES = 64 << 20, /* of all members together */
};

/* How much is read; zeros: as much as above. */
struct containers_limits {
    size_t members, bytes;
    size_t piece; /* bytes asked for at a time */
};

struct containers_member {
    struct buffer name, data;
    char problem[200]; /* empty: none */
    char failure[200]; /* why reading stopped; empty: it did not */
    char sha1[2 * DIGEST_SHA1_LEN + 1];
    uint64_t size; /* as stated */
    uint64_t place;
};

struct containers_list {
    struct containers_member *members;
    size_t count;
    bool matches, opened;
    char failure[200]; /* why opening, or `next`, stopped; empty: it did not */
    uint64_t end;      /* as stated, at the last */
};

static inline void containers_require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "containers.h: %s\n", what);
        abort();
    }
}

static inline void containers_progress(void *arg)
{
    (void)arg;
}

static inline void containers_note(char note[200], const char *text)
{
    snprintf(note, 200, "%s", text);
}

static inline void containers_digest(struct containers_member *member, struct digest *digest)
{
    struct digest_values values;

    containers_require(digest_begin(digest, NULL) == 0 &&
                           digest_update(digest, member->data.data, member->data.len, NULL) == 0 &&
                           digest_final(digest, &values, NULL) == 0,
                       "SHA-1 failed");
    for (size_t i = 0; i < DIGEST_SHA1_LEN; i++)
        snprintf(member->sha1 + 2 * i, 3, "%02x", values.bytes[DIGEST_SHA1][i]);
}

/* Reads the present member, up to `bytes`. */
static inline void containers_read(struct container *container, struct containers_member *member,
                                   size_t piece, size_t bytes)
{
    uint8_t *into = malloc(piece); /* of this size, so that a sanitizer sees writes beyond it */
    struct error err = {""};
    ssize_t len = 1;

    containers_require(into != NULL, "out of memory");
    while (len > 0 && member->data.len < bytes) {
        len = container->read(container, into, piece, &err);
        containers_require(len >= -1 && len <= (ssize_t)piece, "read returns what it must not");
        if (len > 0)
            buffer_add(&member->data, into, (size_t)len);
    }
    if (len < 0)
        containers_note(member->failure, err.text[0] ? err.text : "no reason");
    containers_require(!member->data.failed, "out of memory");
    free(into);
}

static inline void containers_add(struct containers_list *list, struct container *container,
                                  const struct container_member *found,
                                  const struct containers_limits *limits, size_t *bytes_left)
{
    struct containers_member *member;

    list->members = realloc(list->members, (list->count + 1) * sizeof *list->members);
    containers_require(list->members != NULL, "out of memory");
    member = &list->members[list->count++];
    *member = (struct containers_member){.size = found->size, .place = CONTAINER_UNKNOWN};
    containers_require(found->name_len <= 4096 && (found->name_len == 0 || found->name),
                       "a name that cannot be");
    buffer_add(&member->name, found->name, found->name_len);
    if (found->problem) {
        containers_note(member->problem, found->problem);
        return;
    }
    if (container->place)
        member->place = container->place(container);
    containers_read(container, member, limits->piece, *bytes_left);
    *bytes_left -= member->data.len < *bytes_left ? member->data.len : *bytes_left;
}

/* All members of the bytes, as this format yields them.  `is_carved` as in a container_sight. */
static inline struct containers_list containers_open(const struct container_format *format, const void *data,
                                                     size_t len, bool is_carved,
                                                     const struct containers_limits *limit)
{
    static const struct container_watch watch = {.progress = containers_progress};
    struct containers_limits limits = limit ? *limit : (struct containers_limits){0};
    struct containers_list list = {0};
    struct content_memory content;
    struct container_sight sight = {.content = &content.content,
                                    .head = data,
                                    .head_len = len < CONTAINER_HEAD ? len : CONTAINER_HEAD,
                                    .size = len,
                                    .is_carved = is_carved};
    struct container_member member = {0};
    struct container *container;
    struct error err = {""};
    size_t bytes_left;
    int more = 0;

    limits.members = limits.members ? limits.members : CONTAINERS_MOST_MEMBERS;
    limits.piece = limits.piece ? limits.piece : CONTAINER_PIECE;
    bytes_left = limits.bytes ? limits.bytes : CONTAINERS_MOST_BYTES;
    content_memory_init(&content, data, len);
    list.matches = format->matches(&sight);
    containers_require(!list.matches || !format->first ||
                           (*(const char *)data && strchr(format->first, *(const char *)data)),
                       "it begins with a byte that the format does not list");
    container = format->open(&sight, &watch, &err);
    list.opened = container != NULL;
    while (container && list.count < limits.members &&
           (more = container->next(container, &member, &err)) == 1) {
        containers_add(&list, container, &member, &limits, &bytes_left);
        member = (struct container_member){0};
    }
    containers_require(more >= -1 && more <= 1, "next returns what it must not");
    if (!container || more < 0)
        containers_note(list.failure, err.text[0] ? err.text : "no reason");
    list.end = container && container->end ? container->end(container) : CONTAINER_UNKNOWN;
    if (container)
        container->close(container);
    return list;
}

/* Fills in the SHA-1 of each member. */
static inline void containers_digests(struct containers_list *list)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), NULL);

    containers_require(digest != NULL, "no SHA-1");
    for (size_t i = 0; i < list->count; i++)
        containers_digest(&list->members[i], digest);
    digest_free(digest);
}

/* The first member of this name; NULL if there is none. */
static inline struct containers_member *containers_find(struct containers_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->members[i].name.len == strlen(name) &&
            memcmp(list->members[i].name.data ? list->members[i].name.data : "", name, strlen(name)) == 0)
            return &list->members[i];
    return NULL;
}

/* Reads a small file whole; aborts if it cannot.  To be freed. */
static inline uint8_t *containers_load(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    struct buffer all = {0};
    uint8_t piece[4096];
    size_t count;

    if (!file)
        fprintf(stderr, "containers.h: cannot open %s\n", path);
    containers_require(file != NULL, "no file");
    while ((count = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_add(&all, piece, count);
    fclose(file);
    *len = all.len;
    return (uint8_t *)all.data;
}

static inline void containers_release(struct containers_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        buffer_release(&list->members[i].name);
        buffer_release(&list->members[i].data);
    }
    free(list->members);
    *list = (struct containers_list){0};
}

#endif
