/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_MEDIA_H
#define KITH_TEST_MEDIA_H

#include <check.h>

#include "containers.h"

/* The members of a file in tests/data/containers/media, with their digests. */
static inline struct containers_list media_open(const struct container_format *format, const char *name)
{
    const char *source = getenv("SRCDIR");
    struct containers_list list;
    char path[4096];
    uint8_t *data;
    size_t len;

    snprintf(path, sizeof path, "%s/tests/data/containers/media/%s", source ? source : ".", name);
    data = containers_load(path, &len);
    list = containers_open(format, data, len, false, NULL);
    containers_digests(&list);
    free(data);
    return list;
}

/* The first member of this name can be read, and is these bytes. */
static inline void media_check_bytes(struct containers_list *list, const char *name, const void *data,
                                     size_t len)
{
    const struct containers_member *member = containers_find(list, name);

    ck_assert_msg(member != NULL, "no member %s", name);
    ck_assert_str_eq(member->problem, "");
    ck_assert_str_eq(member->failure, "");
    ck_assert_uint_eq(member->data.len, len);
    if (len > 0)
        ck_assert_mem_eq(member->data.data, data, len);
}

#define MEDIA_CHECK_TEXT(list, name, text) media_check_bytes(list, name, text, sizeof(text) - 1)

#endif
