/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_MEDIA_H
#define KITH_TEST_MEDIA_H

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

#endif
