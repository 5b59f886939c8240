/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "container/pdf_objects_inner.h"

enum { WORK_STEP = 1 << 20 }; /* between calls of the watch */

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

int pdf_objects_unpack(struct pdf_objects *objects, const struct pdf_objects_entry *holder,
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
    pdf_objects_unpack(objects, &objects->entries[holder - 1], &slot->data, NULL);
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
    if (!pdf_lex_is_name(name, "Crypt") && !pdf_lex_is_kind(name, PDF_LEX_WORD)) /* null */
        plan->problem = "it has an unknown filter";
}

/* How the file says that a stream is encrypted, unless the stream says otherwise. */
static enum pdf_crypt_method usual_method(const struct pdf_objects *objects, struct pdf_value dictionary)
{
    const struct pdf_value type = pdf_lex_get(dictionary, "Type");

    if (pdf_lex_is_name(type, "XRef") ||
        (pdf_lex_is_name(type, "Metadata") && !objects->crypt.hides_metadata))
        return PDF_CRYPT_NONE;
    return pdf_lex_is_name(type, "EmbeddedFile") ? objects->crypt.files : objects->crypt.streams;
}

/* Whether the first filter says that the stream is not encrypted, whatever the others are. */
static bool is_exempt(struct pdf_objects *objects, struct pdf_lex names, struct pdf_lex lists)
{
    struct buffer buffer = {0};
    struct pdf_value name, parameters;
    bool exempt = false;

    if (pdf_lex_value(&names, &name) && pdf_lex_is_name(name, "Crypt")) {
        parameters = (struct pdf_value){NULL, 0};
        pdf_lex_value(&lists, &parameters);
        parameters = pdf_objects_resolve(objects, parameters, &buffer, NULL);
        name = pdf_lex_get(parameters, "Name");
        exempt = !name.text || pdf_lex_is_name(name, "Identity");
    }
    buffer_release(&buffer);
    return exempt;
}

/* What has to be decrypted is so before all filters. */
static void add_decryption(struct pdf_objects *objects, struct pdf_value dictionary, uint32_t number,
                           uint32_t generation, struct pdf_objects_plan *plan)
{
    const enum pdf_crypt_method method = usual_method(objects, dictionary);
    struct pdf_filter_step step = {.kind = PDF_FILTER_DECRYPT};

    if (method == PDF_CRYPT_NONE)
        return;
    if (pdf_crypt_key(&objects->crypt, method, number, generation, &step.key))
        plan->steps[plan->count++] = step;
    else
        plan->problem = "it is encrypted";
}

void pdf_objects_plan(struct pdf_objects *objects, struct pdf_value dictionary, uint32_t number,
                      uint32_t generation, struct pdf_objects_plan *plan)
{
    struct buffer for_filters = {0}, for_lists = {0}, for_items = {0};
    const char *key = pdf_lex_get(dictionary, "Filter").text ? "Filter" : "F";
    const struct pdf_value filters = pdf_objects_get(objects, dictionary, key, &for_filters);
    const char *key_of_parameters = pdf_lex_get(dictionary, "DecodeParms").text ? "DecodeParms" : "DP";
    struct pdf_lex names = pdf_lex_items(filters);
    struct pdf_lex lists = pdf_lex_items(pdf_objects_get(objects, dictionary, key_of_parameters, &for_lists));
    struct pdf_value name, parameters;

    *plan = (struct pdf_objects_plan){.suffix = ""};
    if (!is_exempt(objects, names, lists))
        add_decryption(objects, dictionary, number, generation, plan);
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
        pdf_objects_plan(objects, pdf_objects_load(objects, entry, &buffer), entry->number, entry->generation,
                         &plan);
    buffer_release(&buffer);
    if (plan.problem || plan.suffix[0] != 0) {
        error_set(err, "%s", plan.problem ? plan.problem : "it is a picture");
        return NULL;
    }
    return pdf_filter_new(objects->content, entry->at + entry->len + entry->gap, entry->data_len, plan.steps,
                          plan.count, err);
}
