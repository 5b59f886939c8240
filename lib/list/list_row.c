/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "list/list_inner.h"

__attribute__((format(printf, 4, 0))) static void
set_row_error(const struct list *list, uint64_t row, struct error *err, const char *fmt, va_list args)
{
    char why[512];

    vsnprintf(why, sizeof why, fmt, args);
    if (row)
        error_set(err, "%s: row %" PRIu64 ": %s", list->path, row, why);
    else
        error_set(err, "%s: %s", list->path, why);
}

void *list_new_state(struct list *list, size_t size, struct error *err)
{
    list->state = memory_new(size, err);
    return list->state;
}

enum list_result list_bad(const struct list *list, uint64_t row, struct error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    set_row_error(list, row, err, fmt, args);
    va_end(args);
    return LIST_BAD;
}

enum list_result list_failed(const struct list *list, struct error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    set_row_error(list, 0, err, fmt, args);
    va_end(args);
    return LIST_FAILED;
}

enum list_result list_line(struct list *list, const char **line, size_t *len, struct error *err)
{
    switch (lines_next(list->lines, line, len, err)) {
    case LINES_LINE:
        return LIST_ENTRY;
    case LINES_LONG:
        return list_bad(list, lines_number(list->lines), err, "the line is longer than %zu bytes",
                        list->parser->longest_line);
    case LINES_END:
        return LIST_END;
    case LINES_FAILED:
    default:
        return LIST_FAILED;
    }
}

void list_clear(struct list *list)
{
    struct list_entry *entry = &list->entry;

    entry->digests.kinds = 0;
    entry->has_size = false;
    entry->size = 0;
    entry->name = entry->names = entry->mark = "";
    entry->name_len = entry->names_len = 0;
    entry->names_from = NULL;
    entry->record = NULL;
    entry->record_len = 0;
    entry->blocks = NULL;
    entry->block_count = 0;
    entry->source = 0;
}

/* The value of each hexadecimal digit, with IS_DIGIT set; 0 for other characters. */
enum { IS_DIGIT = 0x10 };
static const uint8_t digit_values[256] = {
    ['0'] = 0x10, ['1'] = 0x11, ['2'] = 0x12, ['3'] = 0x13, ['4'] = 0x14, ['5'] = 0x15,
    ['6'] = 0x16, ['7'] = 0x17, ['8'] = 0x18, ['9'] = 0x19, ['a'] = 0x1a, ['b'] = 0x1b,
    ['c'] = 0x1c, ['d'] = 0x1d, ['e'] = 0x1e, ['f'] = 0x1f, ['A'] = 0x1a, ['B'] = 0x1b,
    ['C'] = 0x1c, ['D'] = 0x1d, ['E'] = 0x1e, ['F'] = 0x1f,
};

bool list_hex(const char *text, size_t len, uint8_t *out)
{
    unsigned good = len & 1 ? 0 : IS_DIGIT;

    for (size_t i = 0; i + 1 < len; i += 2) {
        const unsigned high = digit_values[(uint8_t)text[i]], low = digit_values[(uint8_t)text[i + 1]];

        good &= high & low;
        *out++ = (uint8_t)(high << 4 | (low & 15));
    }
    return good != 0;
}

size_t list_hex_digits(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && digit_values[(uint8_t)text[i]])
        i++;
    return i;
}

int list_digest_kind(size_t digits)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digits == 2 * digest_len((enum digest_kind)kind))
            return kind;
    return -1;
}

static void add_kind(struct list_entry *entry, enum digest_kind kind)
{
    static const uint8_t zeros[DIGEST_MAX_LEN];

    if (memcmp(entry->digests.bytes[kind], zeros, digest_len(kind)) != 0)
        entry->digests.kinds |= DIGEST_BIT(kind);
    else
        entry->digests.kinds &= ~DIGEST_BIT(kind);
}

bool list_add_digest(struct list_entry *entry, enum digest_kind kind, const char *text, size_t len)
{
    if (len != 2 * digest_len(kind) || !list_hex(text, len, entry->digests.bytes[kind]))
        return false;
    add_kind(entry, kind);
    return true;
}

void list_add_digest_bytes(struct list_entry *entry, enum digest_kind kind, const void *digest)
{
    memcpy(entry->digests.bytes[kind], digest, digest_len(kind));
    add_kind(entry, kind);
}

void list_mark(struct list *list, const char *prefix, const char *text, size_t len)
{
    size_t at = strlen(prefix);

    while (len && *text == ' ') {
        text++;
        len--;
    }
    while (len && text[len - 1] == ' ')
        len--;
    if (!len)
        return;
    memcpy(list->mark, prefix, at);
    for (size_t i = 0; i < len && at < LIST_MARK_LEN; i++)
        list->mark[at++] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
    list->mark[at] = '\0';
    list->entry.mark = list->mark;
}

bool list_number(const char *text, size_t len, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < len; i++) {
        const unsigned digit = (unsigned char)text[i] - (unsigned)'0';

        if (digit > 9 || value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return len > 0;
}

bool list_is_word(const char *text, size_t len, const char *word)
{
    for (size_t i = 0; i < len; i++, word++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        const char wanted = *word >= 'A' && *word <= 'Z' ? (char)(*word + 32) : *word;

        if (!*word || c != wanted)
            return false;
    }
    return *word == '\0';
}

bool list_head_line(struct list_head *head, const char **line, size_t *len)
{
    const char *end = head->len ? memchr(head->text, '\n', head->len) : NULL;

    if (head->len && !end)
        end = memchr(head->text, '\r', head->len);
    if (!end && (!head->is_whole || !head->len))
        return false;
    *line = head->text;
    *len = end ? (size_t)(end - head->text) : head->len;
    head->text += *len + (end != NULL);
    head->len -= *len + (end != NULL);
    if (end && *end == '\n' && *len && end[-1] == '\r')
        --*len;
    return true;
}
