/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "container/pdf_objects_inner.h"

enum {
    WORK_LEAST = 16 << 20,
    WORK_PER_BYTE = 64,
};

static int add_entry(struct pdf_objects *objects, const struct pdf_objects_entry *entry, struct error *err)
{
    if (objects->count == PDF_OBJECTS_MOST) {
        objects->is_incomplete = true;
        return 0;
    }
    if (array_reserve(&objects->entries, &objects->room, objects->count + 1) < 0)
        return error_set(err, "out of memory");
    objects->entries[objects->count++] = *entry;
    return 0;
}

static uint8_t flags_of(struct pdf_value value)
{
    const struct pdf_value type = pdf_lex_get(value, "Type");
    unsigned flags = 0;

    if (pdf_lex_is_name(type, "Page"))
        flags = PDF_OBJECTS_PAGE;
    else if (pdf_lex_is_name(type, "Catalog"))
        flags = PDF_OBJECTS_CATALOGUE;
    else if (pdf_lex_is_name(type, "ObjStm"))
        flags = PDF_OBJECTS_HOLDER;
    if (value.len > 0 && memmem(value.text, value.len, "/EF", 3))
        flags |= PDF_OBJECTS_NAMES;
    return (uint8_t)flags;
}

/* What a trailer, or the dictionary of a cross-reference stream, says of the whole file. */
static void take_trailer(struct pdf_objects *objects, struct pdf_value trailer)
{
    const struct pdf_value encryption = pdf_lex_get(trailer, "Encrypt"), id = pdf_lex_get(trailer, "ID");
    uint32_t root;

    if (encryption.text && !pdf_lex_is_kind(encryption, PDF_LEX_WORD)) { /* null */
        buffer_reset(&objects->encryption);
        buffer_add(&objects->encryption, encryption.text, encryption.len);
        buffer_reset(&objects->id);
        if (id.text)
            buffer_add(&objects->id, id.text, id.len);
    }
    if (pdf_lex_reference(pdf_lex_get(trailer, "Root"), &root)) {
        objects->root = root;
        objects->has_root = true;
    }
}

static int take_found(struct pdf_objects *objects, const struct pdf_scan_found *found, struct error *err)
{
    struct pdf_objects_entry entry = {.at = found->at,
                                      .len = (uint32_t)found->head.len,
                                      .number = found->number,
                                      .generation = (uint16_t)found->generation,
                                      .data_len = found->data_len};

    if (found->is_trailer || (found->is_stream && pdf_lex_is_name(pdf_lex_get(found->head, "Type"), "XRef")))
        take_trailer(objects, found->head);
    if (found->is_trailer)
        return 0;
    entry.flags = flags_of(found->head);
    if (found->is_stream) {
        entry.flags |= PDF_OBJECTS_STREAM;
        entry.gap = (uint8_t)(found->data - found->at - found->head.len);
    } else {
        entry.flags &= (uint8_t)~PDF_OBJECTS_HOLDER;
    }
    objects->has_names |= entry.flags & PDF_OBJECTS_NAMES;
    return add_entry(objects, &entry, err);
}

/* The objects in a stream: pairs of numbers and places, which begin at /First. */
static int read_holder(struct pdf_objects *objects, uint32_t holder, struct buffer *head, struct buffer *data,
                       struct error *err)
{
    const struct pdf_value dictionary = pdf_objects_load(objects, &objects->entries[holder], head);
    const int64_t first = pdf_lex_whole(pdf_lex_get(dictionary, "First"), PDF_OBJECTS_MOST_STREAM);
    struct pdf_lex lex;
    struct pdf_lex_token number, place;

    if (pdf_objects_unpack(objects, &objects->entries[holder], data, err) < 0)
        return -1;
    if (first < 0 || (size_t)first > data->len || !data->data)
        return 0;
    lex = (struct pdf_lex){(const uint8_t *)data->data, (const uint8_t *)data->data + first};
    while (pdf_lex_next(&lex, &number) == PDF_LEX_NUMBER && pdf_lex_next(&lex, &place) == PDF_LEX_NUMBER) {
        const size_t left = data->len - (size_t)first;
        struct pdf_objects_entry entry = {.holder = holder + 1};
        struct pdf_lex body;
        struct pdf_value value;

        if (number.number < 0 || number.number > UINT32_MAX || place.number < 0 ||
            place.number >= (double)left)
            continue;
        entry.number = (uint32_t)number.number;
        entry.at = (uint64_t)first + (uint64_t)place.number;
        body =
            (struct pdf_lex){(const uint8_t *)data->data + entry.at, (const uint8_t *)data->data + data->len};
        /* Places that overlap would cost more than there is to read. */
        if (!pdf_lex_value(&body, &value) || !pdf_objects_work(objects, value.len))
            break;
        entry.at = (uint64_t)(value.text - (const uint8_t *)data->data);
        entry.len = (uint32_t)value.len;
        entry.flags = flags_of(value);
        entry.flags &= (uint8_t)~PDF_OBJECTS_HOLDER;
        objects->has_names |= entry.flags & PDF_OBJECTS_NAMES;
        if (add_entry(objects, &entry, err) < 0)
            return -1;
    }
    return 0;
}

static int read_holders(struct pdf_objects *objects, struct error *err)
{
    struct buffer head = {0}, data = {0};
    const size_t count = objects->count;
    int result = 0;

    for (size_t i = 0; i < count && result == 0; i++)
        if (objects->entries[i].flags & PDF_OBJECTS_HOLDER)
            result = read_holder(objects, (uint32_t)i, &head, &data, err);
    buffer_release(&head);
    buffer_release(&data);
    return result;
}

/* Where an object lies in the file, so that the last of several versions is known. */
static uint64_t place_of(const struct pdf_objects *objects, const struct pdf_objects_entry *entry)
{
    return entry->holder ? objects->entries[entry->holder - 1].at : entry->at;
}

static int compare_entries(const void *a, const void *b, void *arg)
{
    const struct pdf_objects *objects = arg;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct pdf_objects_entry *one = &objects->entries[i], *other = &objects->entries[j];
    const uint64_t place = place_of(objects, one), other_place = place_of(objects, other);

    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    if (place != other_place)
        return place < other_place ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* The indices by number, and anew when the objects in object streams have been added. */
static int sort(struct pdf_objects *objects, struct error *err)
{
    if (array_resize(&objects->order, objects->count) < 0)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < objects->count; i++)
        objects->order[i] = (uint32_t)i;
    qsort_r(objects->order, objects->count, sizeof *objects->order, compare_entries, objects);
    return 0;
}

/* Finds the key, if the file is encrypted. */
static int unlock(struct pdf_objects *objects, struct error *err)
{
    struct buffer for_encryption = {0}, for_id = {0};
    struct pdf_value encryption = {(const uint8_t *)objects->encryption.data, objects->encryption.len},
                     id = {(const uint8_t *)objects->id.data, objects->id.len};
    struct pdf_lex items;
    const bool failed = objects->encryption.failed || objects->id.failed;

    if (!failed && encryption.len > 0) {
        encryption = pdf_objects_resolve(objects, encryption, &for_encryption, NULL);
        items = pdf_lex_items(pdf_objects_resolve(objects, id, &for_id, NULL));
        pdf_lex_value(&items, &id);
        objects->is_encrypted = !pdf_crypt_init(&objects->crypt, encryption, id);
    }
    buffer_release(&for_encryption);
    buffer_release(&for_id);
    return failed ? error_set(err, "out of memory") : 0;
}

int pdf_objects_init(struct pdf_objects *objects, struct pdf_scan *scan, struct error *err)
{
    struct pdf_scan_found found;
    int result;

    *objects = (struct pdf_objects){.content = scan->content, .watch = scan->watch};
    objects->work_left = WORK_LEAST;
    objects->work_left +=
        WORK_PER_BYTE * (scan->content->size < UINT32_MAX ? scan->content->size : UINT32_MAX);
    while ((result = pdf_scan_next(scan, &found, err)) > 0)
        if (take_found(objects, &found, err) < 0)
            return -1;
    if (result < 0 || sort(objects, err) < 0 || unlock(objects, err) < 0)
        return -1;
    if (objects->is_encrypted)
        return 0;
    return read_holders(objects, err) < 0 ? -1 : sort(objects, err);
}

void pdf_objects_release(struct pdf_objects *objects)
{
    free(objects->entries);
    free(objects->order);
    buffer_release(&objects->encryption);
    buffer_release(&objects->id);
    for (size_t i = 0; i < PDF_OBJECTS_CACHED; i++)
        buffer_release(&objects->cache[i].data);
    *objects = (struct pdf_objects){0};
}
