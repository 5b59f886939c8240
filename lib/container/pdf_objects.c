/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

enum {
    WORK_LEAST = 16 << 20,
    WORK_PER_BYTE = 64,
    WORK_STEP = 1 << 20, /* between calls of the watch */
};

bool pdf_objects_work(struct pdf_objects *objects, uint64_t bytes)
{
    const struct container_watch *watch = objects->watch;

    if (bytes > objects->work_left) {
        objects->work_left = 0;
        return false;
    }
    objects->work_left -= bytes;
    objects->work_done += bytes;
    if (objects->work_done >= WORK_STEP && watch && watch->progress) {
        objects->work_done = 0;
        watch->progress(watch->arg);
    }
    return true;
}

/* ---- values ---- */

const struct pdf_objects_entry *pdf_objects_find(const struct pdf_objects *objects, uint32_t number)
{
    const struct pdf_objects_entry *entries = objects->entries;
    size_t at;

    if (!objects->order)
        return NULL;
    at = SEARCH_FIRST(i, 0, objects->count, entries[objects->order[i]].number > number);
    return at > 0 && entries[objects->order[at - 1]].number == number ? &entries[objects->order[at - 1]]
                                                                      : NULL;
}

/* Decodes an object stream into `into`, up to the limit. */
static int unpack_holder(struct pdf_objects *objects, const struct pdf_objects_entry *holder,
                         struct buffer *into, struct error *err)
{
    struct pdf_filter *filter;
    ssize_t got = 0;

    buffer_reset(into);
    objects->is_plain = true;
    filter = pdf_objects_open(objects, holder, err);
    objects->is_plain = false;
    while (filter && into->len < PDF_OBJECTS_MOST_STREAM) {
        char *room = buffer_extend(into, PDF_FILTER_MOST_ROW / 64);

        if (!room)
            break;
        got = pdf_filter_read(filter, room, PDF_FILTER_MOST_ROW / 64, err);
        into->len -= PDF_FILTER_MOST_ROW / 64 - (size_t)(got > 0 ? got : 0);
        if (got <= 0)
            break;
    }
    if (!filter || got != 0)
        objects->is_incomplete = true;
    pdf_filter_free(filter);
    pdf_objects_work(objects, into->len);
    return into->failed ? error_set(err, "out of memory") : 0;
}

/* The decoded object stream, which is valid until the next call. */
static const struct buffer *get_holder(struct pdf_objects *objects, uint32_t holder)
{
    struct pdf_objects_cache *slot = objects->cache;

    for (size_t i = 0; i < PDF_OBJECTS_CACHED; i++) {
        if (objects->cache[i].holder == holder) {
            objects->cache[i].used = ++objects->clock;
            return &objects->cache[i].data;
        }
        if (objects->cache[i].used < slot->used)
            slot = &objects->cache[i];
    }
    *slot = (struct pdf_objects_cache){.holder = holder, .used = ++objects->clock, .data = slot->data};
    unpack_holder(objects, &objects->entries[holder - 1], &slot->data, NULL);
    return &slot->data;
}

struct pdf_value pdf_objects_load(struct pdf_objects *objects, const struct pdf_objects_entry *entry,
                                  struct buffer *into)
{
    char *room;

    buffer_reset(into);
    if (entry->len == 0 || !pdf_objects_work(objects, entry->len + UINT64_C(16)) ||
        (entry->holder && objects->is_plain))
        return (struct pdf_value){NULL, 0};
    if (entry->holder) {
        const struct buffer *holder = get_holder(objects, entry->holder);

        if (entry->at < holder->len)
            buffer_add(into, holder->data + entry->at,
                       entry->len < holder->len - entry->at ? entry->len : holder->len - (size_t)entry->at);
    } else if ((room = buffer_extend(into, entry->len)) != NULL &&
               content_read(objects->content, entry->at, room, entry->len) < 0) {
        buffer_reset(into);
    }
    return (struct pdf_value){into->len > 0 ? (const uint8_t *)into->data : NULL, into->len};
}

struct pdf_value pdf_objects_resolve(struct pdf_objects *objects, struct pdf_value value, struct buffer *into,
                                     const struct pdf_objects_entry **entry)
{
    const struct pdf_objects_entry *found = NULL;
    uint32_t number;

    /* A reference to a reference is malformed, and may lead back to itself. */
    if (pdf_lex_reference(value, &number)) {
        found = pdf_objects_find(objects, number);
        value = found ? pdf_objects_load(objects, found, into) : (struct pdf_value){NULL, 0};
    }
    if (entry)
        *entry = found;
    return value;
}

struct pdf_value pdf_objects_get(struct pdf_objects *objects, struct pdf_value dictionary, const char *key,
                                 struct buffer *into)
{
    if (!pdf_objects_work(objects, dictionary.len))
        return (struct pdf_value){NULL, 0};
    return pdf_objects_resolve(objects, pdf_lex_get(dictionary, key), into, NULL);
}

/* ---- streams ---- */

static const struct {
    const char *name, *short_name;
    enum pdf_filter_kind kind;
} decoders[] = {
    {"FlateDecode", "Fl", PDF_FILTER_FLATE},      {"LZWDecode", "LZW", PDF_FILTER_LZW},
    {"ASCII85Decode", "A85", PDF_FILTER_ASCII85}, {"ASCIIHexDecode", "AHx", PDF_FILTER_HEX},
    {"RunLengthDecode", "RL", PDF_FILTER_RUNS},
};

/* What these leave is a file, or nearly one, that others open. */
static const struct {
    const char *name, *short_name, *suffix;
} pictures[] = {
    {"DCTDecode", "DCT", ".jpg"},
    {"JPXDecode", "JPX", ".jp2"},
    {"JBIG2Decode", "JBIG2", ".jb2"},
    {"CCITTFaxDecode", "CCF", ".fax"},
};

static uint32_t parameter(struct pdf_objects *objects, struct pdf_value parameters, const char *key,
                          uint32_t usual)
{
    struct buffer buffer = {0};
    const struct pdf_value value = pdf_objects_get(objects, parameters, key, &buffer);
    const int64_t number = pdf_lex_whole(value, UINT32_MAX);

    buffer_release(&buffer);
    return value.text && number >= 0 ? (uint32_t)number : usual;
}

static void add_step(struct pdf_objects *objects, struct pdf_objects_plan *plan, enum pdf_filter_kind kind,
                     struct pdf_value parameters)
{
    struct pdf_filter_step step = {.kind = kind};
    uint32_t predictor = 1;

    if (kind == PDF_FILTER_LZW || kind == PDF_FILTER_FLATE) {
        step.is_early = parameter(objects, parameters, "EarlyChange", 1) != 0;
        predictor = parameter(objects, parameters, "Predictor", 1);
    }
    if (plan->count + 2 > PDF_FILTER_MOST) {
        plan->problem = "it has too many filters";
        return;
    }
    plan->steps[plan->count++] = step;
    if (predictor < 2)
        return;
    step = (struct pdf_filter_step){.kind = PDF_FILTER_PREDICTOR,
                                    .is_png = predictor >= 10,
                                    .bits = parameter(objects, parameters, "BitsPerComponent", 8),
                                    .colours = parameter(objects, parameters, "Colors", 1),
                                    .columns = parameter(objects, parameters, "Columns", 1)};
    plan->steps[plan->count++] = step;
    if (pdf_filter_row(&step) == 0)
        plan->problem = "the parameters of its predictor are malformed";
}

static void add_filter(struct pdf_objects *objects, struct pdf_objects_plan *plan, struct pdf_value name,
                       struct pdf_value parameters)
{
    if (plan->suffix[0] != 0) {
        plan->problem = "it has filters after that of a picture";
        return;
    }
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
        if (pdf_lex_is_name(name, decoders[i].name) || pdf_lex_is_name(name, decoders[i].short_name)) {
            add_step(objects, plan, decoders[i].kind, parameters);
            return;
        }
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (pdf_lex_is_name(name, pictures[i].name) || pdf_lex_is_name(name, pictures[i].short_name)) {
            plan->suffix = pictures[i].suffix;
            return;
        }
    if (pdf_lex_is_name(name, "Crypt"))
        plan->problem = "it is encrypted";
    else if (!pdf_lex_is_kind(name, PDF_LEX_WORD)) /* null */
        plan->problem = "it has an unknown filter";
}

void pdf_objects_plan(struct pdf_objects *objects, struct pdf_value dictionary, struct pdf_objects_plan *plan)
{
    struct buffer for_filters = {0}, for_lists = {0}, for_items = {0};
    const char *key = pdf_lex_get(dictionary, "Filter").text ? "Filter" : "F";
    const struct pdf_value filters = pdf_objects_get(objects, dictionary, key, &for_filters);
    const char *key_of_parameters = pdf_lex_get(dictionary, "DecodeParms").text ? "DecodeParms" : "DP";
    struct pdf_lex names = pdf_lex_items(filters);
    struct pdf_lex lists = pdf_lex_items(pdf_objects_get(objects, dictionary, key_of_parameters, &for_lists));
    struct pdf_value name, parameters;

    *plan = (struct pdf_objects_plan){.suffix = ""};
    while (!plan->problem && pdf_lex_value(&names, &name)) {
        if (!pdf_lex_value(&lists, &parameters))
            parameters = (struct pdf_value){NULL, 0};
        parameters = pdf_objects_resolve(objects, parameters, &for_items, NULL);
        add_filter(objects, plan, name, parameters);
    }
    buffer_release(&for_filters);
    buffer_release(&for_lists);
    buffer_release(&for_items);
}

struct pdf_filter *pdf_objects_open(struct pdf_objects *objects, const struct pdf_objects_entry *entry,
                                    struct error *err)
{
    struct buffer buffer = {0};
    struct pdf_objects_plan plan = {.problem = "it is not a stream"};

    if (entry->flags & PDF_OBJECTS_STREAM)
        pdf_objects_plan(objects, pdf_objects_load(objects, entry, &buffer), &plan);
    buffer_release(&buffer);
    if (plan.problem || plan.suffix[0] != 0) {
        error_set(err, "%s", plan.problem ? plan.problem : "it is a picture");
        return NULL;
    }
    return pdf_filter_new(objects->content, entry->at + entry->len + entry->gap, entry->data_len, plan.steps,
                          plan.count, err);
}

/* ---- the index ---- */

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

static uint16_t flags_of(struct pdf_value value)
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
    return (uint16_t)flags;
}

/* What a trailer, or the dictionary of a cross-reference stream, says of the whole file. */
static void take_trailer(struct pdf_objects *objects, struct pdf_value trailer)
{
    uint32_t root;

    objects->is_encrypted |= pdf_lex_get(trailer, "Encrypt").text != NULL;
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
                                      .data_len = found->data_len};

    if (found->is_trailer || (found->is_stream && pdf_lex_is_name(pdf_lex_get(found->head, "Type"), "XRef")))
        take_trailer(objects, found->head);
    if (found->is_trailer)
        return 0;
    entry.flags = flags_of(found->head);
    if (found->is_stream) {
        entry.flags |= PDF_OBJECTS_STREAM;
        entry.gap = (uint16_t)(found->data - found->at - found->head.len);
    } else {
        entry.flags &= (uint16_t)~PDF_OBJECTS_HOLDER;
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

    if (unpack_holder(objects, &objects->entries[holder], data, err) < 0)
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
        entry.flags &= (uint16_t)~PDF_OBJECTS_HOLDER;
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
    if (result < 0 || sort(objects, err) < 0)
        return -1;
    if (objects->is_encrypted)
        return 0;
    return read_holders(objects, err) < 0 ? -1 : sort(objects, err);
}

void pdf_objects_release(struct pdf_objects *objects)
{
    free(objects->entries);
    free(objects->order);
    for (size_t i = 0; i < PDF_OBJECTS_CACHED; i++)
        buffer_release(&objects->cache[i].data);
    *objects = (struct pdf_objects){0};
}
