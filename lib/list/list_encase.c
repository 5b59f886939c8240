/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "list/list_inner.h"

/*
 * EnCase's binary .hash, as The Sleuth Kit reads it: a header of 1,152 bytes (at 1,032 the set's name in
 * UTF-16), then entries of 18 bytes: an MD5 and two bytes of unknown meaning.
 */

enum {
    MAGIC_LEN = 8,
    HEADER_LEN = 1152,
    ENTRY_LEN = 18,
};

static const char magic[] = "HASH\r\n\xff";
_Static_assert(sizeof magic == MAGIC_LEN, "its last byte is zero");

struct encase {
    uint64_t row;
};

bool list_encase_detect(struct list *list, const struct list_head *head)
{
    size_t len;
    const uint8_t *raw = lines_raw_head(list->lines, &len);

    (void)head;
    return len >= MAGIC_LEN && memcmp(raw, magic, MAGIC_LEN) == 0;
}

int list_encase_open(struct list *list, struct error *err)
{
    uint8_t header[HEADER_LEN];
    size_t got;

    if (!list_new_state(list, sizeof(struct encase), err))
        return -1;
    if (lines_copy(list->lines, header, sizeof header, &got, err))
        return -1;
    if (got < MAGIC_LEN || memcmp(header, magic, MAGIC_LEN) != 0)
        return error_set(err, "%s: is not an EnCase hash set", list->path);
    if (got < HEADER_LEN)
        return error_set(err, "%s: is truncated within its header", list->path);
    return 0;
}

void list_encase_close(struct list *list)
{
    free(list->state);
}

enum list_result list_encase_next(struct list *list, struct error *err)
{
    struct encase *encase = list->state;
    uint8_t entry[ENTRY_LEN];
    size_t got;

    if (lines_copy(list->lines, entry, sizeof entry, &got, err))
        return LIST_FAILED;
    if (got == 0)
        return LIST_END;
    encase->row++;
    if (got < ENTRY_LEN)
        return list_bad(list, encase->row, err, "truncated entry");
    list_clear(list);
    list_add_digest_bytes(&list->entry, DIGEST_MD5, entry);
    return list->entry.digests.kinds ? LIST_ENTRY : list_bad(list, encase->row, err, "there is no digest");
}
