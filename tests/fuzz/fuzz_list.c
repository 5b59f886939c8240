/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list/list.h"
#include "list/list_inner.h"

/*
 * The first byte of the input selects a format, or auto-detection; the rest is the list.
 *
 * It is read to its end; each entry has a digest and what it points to can be read; the numbers of broken
 * rows do not descend; and reading it again gives the same.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static uint64_t add(uint64_t sum, const void *data, size_t len)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < len; i++)
        sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
    return (sum ^ len) * UINT64_C(0x100000001b3);
}

static uint64_t add_entry(uint64_t sum, const struct list_entry *entry)
{
    require(entry->digests.kinds != 0 && entry->digests.kinds < 1u << DIGEST_KINDS);
    require(entry->name && entry->names &&
            (entry->names_len == 0 || entry->names[entry->names_len - 1] == '\0'));
    require(entry->size <= INT64_MAX && (entry->has_size || entry->size == 0));
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (entry->digests.kinds & DIGEST_BIT(kind))
            sum = add(sum, entry->digests.bytes[kind], digest_len((enum digest_kind)kind));
    sum = add(sum, &entry->size, sizeof entry->size);
    sum = add(sum, entry->name, entry->name_len);
    sum = add(sum, entry->names, entry->names_len);
    sum = add(sum, entry->record, entry->record ? entry->record_len : 0);
    sum = add(sum, entry->blocks, entry->block_count * DIGEST_SHA1_LEN);
    return add(sum, &entry->source, sizeof entry->source);
}

static uint64_t add_source(uint64_t sum, const struct list_source *source)
{
    sum = add(sum, source->path, source->path_len);
    sum = add(sum, source->kind, strlen(source->kind));
    sum = add(sum, source->format, strlen(source->format));
    sum = add(sum, source->tool, strlen(source->tool));
    return add(sum, source->note, strlen(source->note));
}

static uint64_t add_set(uint64_t sum, const struct list_set *set)
{
    sum = add(sum, set->name, strlen(set->name));
    sum = add(sum, set->kind, strlen(set->kind));
    return add(sum, set->category, strlen(set->category));
}

/* "memory: row N: why" */
static uint64_t row_of(const struct error *err)
{
    unsigned long long row = 0;

    require(sscanf(err->text, "memory: row %llu: ", &row) == 1 && row > 0);
    return row;
}

/* A number that stands for all that was found. */
static uint64_t read_all(struct list *list, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325), last = 0, found = 0;
    enum list_result result = LIST_ENTRY;
    struct error err;

    while (result != LIST_END && result != LIST_FAILED) {
        err.text[0] = '\0';
        result = list_next(list, &err);
        sum = add(sum, &result, sizeof result);
        if (result == LIST_ENTRY)
            sum = add_entry(sum, list_entry(list));
        else if (result == LIST_SOURCE)
            sum = add_source(sum, list_source(list));
        else if (result == LIST_SET)
            sum = add_set(sum, list_set(list));
        else if (result == LIST_BAD || result == LIST_FAILED)
            sum = add(sum, err.text, strlen(err.text));
        if (result == LIST_BAD) {
            require(row_of(&err) >= last);
            last = row_of(&err);
        }
        require(result != LIST_FAILED || err.text[0] != '\0');
        require(found++ <= size + 2);
    }
    require(list_bytes(list) <= size);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *format = NULL;
    uint64_t sums[2];
    size_t formats = 0;

    if (size == 0)
        return 0;
    while (list_formats[formats])
        formats++;
    if (data[0] % (formats + 1))
        format = list_formats[data[0] % (formats + 1) - 1];
    for (int i = 0; i < 2; i++) {
        struct error err = {""};
        struct list *list = list_open_memory(data + 1, size - 1, format, &err);

        if (!list) {
            require(err.text[0] != '\0');
            return 0;
        }
        sums[i] = read_all(list, size - 1);
        list_close(list);
    }
    require(sums[0] == sums[1]);
    return 0;
}
