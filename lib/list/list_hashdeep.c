/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "list/list_inner.h"

/*
 * hashdeep: `%%%% HASHDEEP-1.0`, then `%%%% size,md5,sha256,filename`, comments that begin with ##, and one
 * line per file.  The name is last and may contain commas.  A concatenation of lists has headers in between.
 */

enum { MAX_COLUMNS = 32 };

/* The content of a column: a kind of digest, or one of these. */
enum {
    COLUMN_SIZE = DIGEST_KINDS,
    COLUMN_NAME,
    COLUMN_OTHER,
};

static const char *const titles[COLUMN_OTHER] = {
    [DIGEST_SHA1] = "sha1", [DIGEST_MD5] = "md5",       [DIGEST_SHA256] = "sha256",
    [COLUMN_SIZE] = "size", [COLUMN_NAME] = "filename",
};

struct hashdeep {
    size_t count; /* 0: the columns are not known yet */
    uint8_t columns[MAX_COLUMNS];
};

static const char mark[] = "%%%% ", version[] = "HASHDEEP-";
enum {
    MARK_LEN = sizeof mark - 1,
    VERSION_LEN = sizeof version - 1,
};

bool list_hashdeep_detect(struct list *list, const struct list_head *head)
{
    (void)list;
    return head->len >= MARK_LEN + VERSION_LEN && memcmp(head->text, mark, MARK_LEN) == 0 &&
           memcmp(head->text + MARK_LEN, version, VERSION_LEN) == 0;
}

int list_hashdeep_open(struct list *list, struct error *err)
{
    return list_new_state(list, sizeof(struct hashdeep), err) ? 0 : -1;
}

void list_hashdeep_close(struct list *list)
{
    free(list->state);
}

static int column_of(const char *title, size_t len)
{
    int column = DIGEST_SHA1;

    while (column < COLUMN_OTHER && !list_is_word(title, len, titles[column]))
        column++;
    return column;
}

/* Takes the text up to the next comma, and moves past it; NULL if there is no comma. */
static const char *take_part(const char **p, const char *stop, size_t *len)
{
    const char *part = *p, *comma = part < stop ? memchr(part, ',', (size_t)(stop - part)) : NULL;

    *len = (size_t)((comma ? comma : stop) - part);
    *p = comma ? comma + 1 : stop;
    return comma ? part : NULL;
}

/* Reads the columns' titles; ignores the line with the version. */
static bool read_header(struct hashdeep *hashdeep, const char *p, size_t len)
{
    const char *stop = p + len;
    bool more = true;

    if (len >= VERSION_LEN && memcmp(p, version, VERSION_LEN) == 0)
        return true;
    hashdeep->count = 0;
    while (more && hashdeep->count < MAX_COLUMNS) {
        const char *title = p;
        size_t title_len;

        more = take_part(&p, stop, &title_len) != NULL;
        hashdeep->columns[hashdeep->count++] = (uint8_t)column_of(title, title_len);
    }
    return !more;
}

/* Returns NULL, or what is wrong. */
static const char *take_column(struct list_entry *entry, int column, const char *p, size_t len)
{
    switch (column) {
    case DIGEST_SHA1:
    case DIGEST_MD5:
    case DIGEST_SHA256:
        return len == 0 || list_add_digest(entry, (enum digest_kind)column, p, len) ? NULL
                                                                                    : "malformed digest";
    case COLUMN_SIZE:
        entry->has_size = true;
        return list_number(p, len, &entry->size) ? NULL : "the size is not a number of bytes";
    case COLUMN_NAME:
        entry->name = p;
        entry->name_len = len;
        return NULL;
    case COLUMN_OTHER:
    default:
        return NULL;
    }
}

static enum list_result take_row(struct list *list, const char *p, size_t len, struct error *err)
{
    const struct hashdeep *hashdeep = list->state;
    const uint64_t row = lines_number(list->lines);
    const char *stop = p + len, *wrong = NULL;

    if (!hashdeep->count)
        return list_bad(list, row, err, "entry before the line that names the columns");
    list_clear(list);
    for (size_t i = 0; i < hashdeep->count && !wrong; i++) {
        const char *part = p;
        size_t part_len = (size_t)(stop - p);

        if (i + 1 < hashdeep->count && !take_part(&p, stop, &part_len))
            return list_bad(list, row, err, "wrong number of columns: %zu instead of %zu", i + 1,
                            hashdeep->count);
        wrong = take_column(&list->entry, hashdeep->columns[i], part, part_len);
    }
    if (!wrong && !list->entry.digests.kinds)
        wrong = "there is no digest";
    return wrong ? list_bad(list, row, err, "%s", wrong) : LIST_ENTRY;
}

enum list_result list_hashdeep_next(struct list *list, struct error *err)
{
    struct hashdeep *hashdeep = list->state;
    enum list_result result;
    const char *line;
    size_t len;

    while ((result = list_line(list, &line, &len, err)) == LIST_ENTRY) {
        if (!len || *line == '#')
            continue;
        if (len < MARK_LEN || memcmp(line, mark, MARK_LEN) != 0)
            return take_row(list, line, len, err);
        if (!read_header(hashdeep, line + MARK_LEN, len - MARK_LEN))
            return list_bad(list, lines_number(list->lines), err, "more than %d columns", MAX_COLUMNS);
    }
    return result;
}
