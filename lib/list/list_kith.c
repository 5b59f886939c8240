/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "base/json.h"
#include "list/list_inner.h"
#include "sample/record.h"

/*
 * kith's own lists: JSON objects and records of kith-record(5), one per line, in any mixture.
 *
 * An object with "kith-set" describes the set, one with "source" a source; any other is an entry.  Unknown
 * keys are ignored.
 */

enum {
    VERSION = 1,
    VERSION_KEYED = 2,  /* of sets with a key, which earlier versions of kith would ignore */
    NAME_LONGEST = 200, /* REFSET_NAME_LEN, for a set's name and category */
};

static const char *const set_kinds[] = {"notable", "known", "neutral", NULL};
static const char *const source_kinds[] = {"folder", "file", "image", "list", "set", NULL};

enum key {
    KEY_SET,
    KEY_SOURCE,
    KEY_N,
    KEY_C,
    KEY_BLOCK,
    KEY_COMMON,
    KEY_SIZE,
    KEY_FROM,
    KEY_SHA1,
    KEY_MD5,
    KEY_SHA256,
    KEY_BLOCKS,
    KEY_NAME,
    KEY_NAMES,
    KEY_NAMES_FROM,
    KEY_PATH,
    KEY_NOTE,
    KEY_CATEGORY,
    KEY_KIND,
    KEY_FORMAT,
    KEY_TOOL,
    KEY_TIME,
    KEY_RECORD,
    KEY_KEY,
    KEYS,
};

enum value_type {
    VALUE_NUMBER,
    VALUE_HEX,
    VALUE_TEXT,    /* unescaped */
    VALUE_BYTES,   /* escaped text */
    VALUE_STRINGS, /* an array of escaped strings */
    VALUE_NUMBERS, /* an array of numbers */
};

static const struct {
    const char *name;
    enum value_type type;
} keys[KEYS] = {
    [KEY_SET] = {"kith-set", VALUE_NUMBER},
    [KEY_SOURCE] = {"source", VALUE_NUMBER},
    [KEY_N] = {"n", VALUE_NUMBER},
    [KEY_C] = {"c", VALUE_NUMBER},
    [KEY_BLOCK] = {"block", VALUE_NUMBER},
    [KEY_COMMON] = {"common", VALUE_NUMBER},
    [KEY_SIZE] = {"size", VALUE_NUMBER},
    [KEY_FROM] = {"from", VALUE_NUMBER},
    [KEY_SHA1] = {"sha1", VALUE_HEX},
    [KEY_MD5] = {"md5", VALUE_HEX},
    [KEY_SHA256] = {"sha256", VALUE_HEX},
    [KEY_BLOCKS] = {"blocks", VALUE_HEX},
    [KEY_NAME] = {"name", VALUE_BYTES},
    [KEY_NAMES] = {"names", VALUE_STRINGS},
    [KEY_NAMES_FROM] = {"names_from", VALUE_NUMBERS},
    [KEY_PATH] = {"path", VALUE_BYTES},
    [KEY_NOTE] = {"note", VALUE_BYTES},
    [KEY_CATEGORY] = {"category", VALUE_BYTES},
    [KEY_KIND] = {"kind", VALUE_TEXT},
    [KEY_FORMAT] = {"format", VALUE_TEXT},
    [KEY_TOOL] = {"tool", VALUE_TEXT},
    [KEY_TIME] = {"time", VALUE_TEXT},
    [KEY_RECORD] = {"record", VALUE_TEXT},
    [KEY_KEY] = {"key", VALUE_HEX},
};

struct kith {
    struct json *json;
    struct error why; /* what is wrong with a row; here because it is too large to initialize per row */
    struct record record;
    bool begun;       /* a row has been read */
    unsigned present; /* a bit for each key of the row */
    uint64_t numbers[KEYS];
    struct buffer values[KEYS]; /* raw; each followed by a zero byte */
};

_Static_assert(KEYS <= 32, "present has a bit for each key");

static bool has(const struct kith *kith, enum key key)
{
    return kith->present >> key & 1;
}

static int find_key(const char *text, size_t len)
{
    for (int i = 0; i < KEYS; i++)
        if (keys[i].name[0] == *text && strlen(keys[i].name) == len && memcmp(keys[i].name, text, len) == 0)
            return i;
    return -1;
}

/* ---- detection ---- */

static const char *skip_space(const struct list_head *head, size_t *len)
{
    const char *p = head->text, *stop = p + head->len;

    while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    *len = (size_t)(stop - p);
    return p;
}

/* Sets keep samples and digests, no sketches.  The magic is that of sketch/sketch.h. */
bool list_kith_is_sketch(const void *line, size_t len)
{
    static const char magic[] = "sketch1:";

    return len >= sizeof magic - 1 && memcmp(line, magic, sizeof magic - 1) == 0;
}

bool list_kith_records_detect(struct list *list, const struct list_head *head)
{
    (void)list;
    return head->len >= RECORD_MAGIC_LEN && memcmp(head->text, RECORD_MAGIC, RECORD_MAGIC_LEN) == 0;
}

/* Whether the first key of the object is one of kith's. */
bool list_kith_json_detect(struct list *list, const struct list_head *head)
{
    struct json *json;
    size_t len;
    const char *p = skip_space(head, &len);
    bool found = false, is_object;

    (void)list;
    if (!len || *p != '{')
        return false;
    json = json_new(32, NULL);
    if (!json)
        return false;
    json_begin(json, p, len, NULL, NULL);
    is_object = json_next(json, NULL) == JSON_OBJECT;
    if (is_object && json_next(json, NULL) == JSON_KEY) {
        p = json_text(json, &len);
        found = len && find_key(p, len) >= 0;
    }
    json_free(json);
    return found;
}

/* ---- opening ---- */

int list_kith_open(struct list *list, struct error *err)
{
    struct kith *kith = list_new_state(list, sizeof *kith, err);

    if (!kith)
        return -1;
    kith->json = json_new(list->parser->longest_line, err);
    return kith->json ? 0 : -1;
}

void list_kith_close(struct list *list)
{
    struct kith *kith = list->state;

    for (int i = 0; i < KEYS; i++)
        buffer_release(&kith->values[i]);
    record_release(&kith->record);
    json_free(kith->json);
    free(kith);
}

/* ---- values ---- */

/* Each returns NULL, or what is wrong with the value. */

static const char *take_hex(struct buffer *out, const char *text, size_t len)
{
    char *to = buffer_extend(out, len / 2 + 1);

    if (!to)
        return "out of memory";
    out->len--;
    return list_hex(text, len, (uint8_t *)to) ? NULL : "is not hexadecimal";
}

/* Adds a zero byte, so that a value without one inside is a C string. */
static const char *take_text(struct buffer *out, const char *text, size_t len)
{
    buffer_add(out, text, len);
    buffer_add_char(out, '\0');
    if (out->failed)
        return "out of memory";
    out->len--;
    return NULL;
}

/* Whether text contains no escapes, as is almost always the case. */
static bool is_plain(const char *text, size_t len)
{
    bool plain = true;

    for (size_t i = 0; i < len; i++)
        plain &= text[i] >= ' ' && text[i] < 0x7f && text[i] != '\\';
    return plain;
}

static const char *take_bytes(struct buffer *out, const char *text, size_t len)
{
    if (is_plain(text, len))
        return take_text(out, text, len);
    if (!escape_undo(out, text, len))
        return "has an invalid escape";
    return take_text(out, "", 0);
}

static const char *take_strings(struct kith *kith, struct buffer *out, struct error *err)
{
    enum json_token token;

    while ((token = json_next(kith->json, err)) == JSON_STRING) {
        const size_t begin = out->len;
        size_t len;
        const char *text = json_text(kith->json, &len), *why = take_bytes(out, text, len);

        if (why)
            return why;
        if (memchr(out->data + begin, '\0', out->len - begin))
            return "contains a zero byte";
        out->len++;
    }
    return token == JSON_ARRAY_END ? NULL : token == JSON_BAD ? "is malformed" : "is not a list of strings";
}

static const char *take_numbers(struct kith *kith, struct buffer *out, struct error *err)
{
    enum json_token token;

    while ((token = json_next(kith->json, err)) == JSON_NUMBER) {
        uint64_t number;

        if (!json_number(kith->json, &number))
            return "is not a list of numbers";
        buffer_add(out, &number, sizeof number);
        if (out->failed)
            return "out of memory";
    }
    return token == JSON_ARRAY_END ? NULL : token == JSON_BAD ? "is malformed" : "is not a list of numbers";
}

static const char *take_value(struct kith *kith, enum key key, enum json_token token, struct error *err)
{
    struct buffer *out = &kith->values[key];
    size_t len;
    const char *text = json_text(kith->json, &len);

    buffer_reset(out);
    if (keys[key].type == VALUE_NUMBER)
        return json_number(kith->json, &kith->numbers[key]) && kith->numbers[key] <= INT64_MAX
                   ? NULL
                   : "is not a number below 2^63";
    if (keys[key].type == VALUE_STRINGS)
        return token == JSON_ARRAY ? take_strings(kith, out, err) : "is not a list of strings";
    if (keys[key].type == VALUE_NUMBERS)
        return token == JSON_ARRAY ? take_numbers(kith, out, err) : "is not a list of numbers";
    if (token != JSON_STRING)
        return "is not a string";
    if (keys[key].type == VALUE_HEX)
        return take_hex(out, text, len);
    return keys[key].type == VALUE_BYTES ? take_bytes(out, text, len) : take_text(out, text, len);
}

/* Parses the object of a line, and stores the values of known keys. */
static enum list_result read_object(struct list *list, const char *line, size_t len, struct error *err)
{
    struct kith *kith = list->state;
    const uint64_t row = lines_number(list->lines);
    struct error *why = &kith->why;
    enum json_token token;

    kith->present = 0;
    json_begin(kith->json, line, len, NULL, NULL);
    if (json_next(kith->json, why) != JSON_OBJECT)
        return list_bad(list, row, err,
                        list_kith_is_sketch(line, len) ? "a sketch, not a record"
                                                       : "neither a JSON object nor a record");
    while ((token = json_next(kith->json, why)) == JSON_KEY) {
        size_t key_len;
        const char *text = json_text(kith->json, &key_len), *wrong;
        const int key = key_len ? find_key(text, key_len) : -1;

        if (key < 0) {
            json_skip(kith->json, JSON_KEY, why);
            continue;
        }
        token = json_next(kith->json, why);
        if (token == JSON_BAD)
            break;
        wrong = has(kith, (enum key)key) ? "occurs twice" : take_value(kith, (enum key)key, token, why);
        if (wrong)
            return list_bad(list, row, err, "\"%s\" %s", keys[key].name, wrong);
        kith->present |= 1u << key;
    }
    if (token == JSON_OBJECT_END && json_next(kith->json, why) == JSON_END)
        return LIST_ENTRY;
    return list_bad(list, row, err, "%s", why->text);
}

/* ---- the set and its sources ---- */

static const char *string_of(const struct kith *kith, enum key key)
{
    return has(kith, key) ? kith->values[key].data : "";
}

/* Whether these fields are C strings, that is, without zero bytes inside. */
static bool are_strings(const struct kith *kith, const enum key *which, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has(kith, which[i]) && strlen(kith->values[which[i]].data) != kith->values[which[i]].len)
            return false;
    return true;
}

/* Also true for "". */
static bool is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(text, *words) != 0)
        words++;
    return *words || !*text;
}

static bool is_ascii(const char *text)
{
    while (*text >= ' ' && *text < 0x7f)
        text++;
    return !*text;
}

/* Returns NULL, or why no such set can exist. */
static const char *check_set(const struct list_set *set)
{
    if (strlen(set->name) > NAME_LONGEST)
        return "the set's name is longer than 200 bytes";
    if (strlen(set->category) > NAME_LONGEST)
        return "the set's category is longer than 200 bytes";
    return is_one_of(set->kind, set_kinds) ? NULL : "the set's kind is not notable, known or neutral";
}

static const char *check_source(const struct list_source *source)
{
    if (!is_one_of(source->kind, source_kinds))
        return "\"kind\" is not folder, file, image, list or set";
    return is_ascii(source->format) && is_ascii(source->tool)
               ? NULL
               : "\"format\" or \"tool\" is not printable ASCII";
}

static enum list_result take_set(struct list *list, bool first, struct error *err)
{
    static const enum key strings[] = {KEY_NAME, KEY_KIND, KEY_CATEGORY};
    static const enum key numbers[] = {KEY_N, KEY_C, KEY_BLOCK, KEY_COMMON};
    struct kith *kith = list->state;
    uint32_t *const to[] = {&list->set.n, &list->set.c, &list->set.block, &list->set.common};
    const uint64_t row = lines_number(list->lines);
    const unsigned version = has(kith, KEY_KEY) ? VERSION_KEYED : VERSION;
    const char *wrong;

    if (kith->numbers[KEY_SET] != version)
        return list_failed(list, err, "was written by a newer version of kith (\"kith-set\" is %llu, not %u)",
                           (unsigned long long)kith->numbers[KEY_SET], version);
    if (!first)
        return list_bad(list, row, err, "\"kith-set\" is not in the first row");
    if (!are_strings(kith, strings, sizeof strings / sizeof *strings))
        return list_bad(list, row, err, "a string contains a zero byte");
    list->set = (struct list_set){.name = string_of(kith, KEY_NAME),
                                  .kind = string_of(kith, KEY_KIND),
                                  .category = string_of(kith, KEY_CATEGORY)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!has(kith, numbers[i]))
            continue;
        if (kith->numbers[numbers[i]] > UINT32_MAX)
            return list_bad(list, row, err, "\"%s\" is too large", keys[numbers[i]].name);
        *to[i] = (uint32_t)kith->numbers[numbers[i]];
    }
    if (has(kith, KEY_KEY)) {
        if (kith->values[KEY_KEY].len != sizeof list->set.key)
            return list_bad(list, row, err, "\"key\" does not have %zu bytes", sizeof list->set.key);
        memcpy(list->set.key, kith->values[KEY_KEY].data, sizeof list->set.key);
    }
    wrong = check_set(&list->set);
    return wrong ? list_failed(list, err, "%s", wrong) : LIST_SET;
}

/* 2026-01-31T12:00:00Z */
static bool read_time(const char *text, int64_t *out)
{
    struct tm tm = {0}, again;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    time_t time;

    if (!end || *end)
        return false;
    again = tm;
    time = timegm(&again);
    *out = (int64_t)time;
    return again.tm_mday == tm.tm_mday && again.tm_mon == tm.tm_mon;
}

static enum list_result take_source(struct list *list, struct error *err)
{
    static const enum key strings[] = {KEY_KIND, KEY_FORMAT, KEY_TOOL, KEY_NOTE, KEY_TIME};
    struct kith *kith = list->state;
    struct list_source *source = &list->source;
    const uint64_t row = lines_number(list->lines);
    const char *wrong;

    if (kith->numbers[KEY_SOURCE] == 0)
        return list_bad(list, row, err, "\"source\" is 0");
    if (!are_strings(kith, strings, sizeof strings / sizeof *strings))
        return list_bad(list, row, err, "a string contains a zero byte");
    *source = (struct list_source){.number = kith->numbers[KEY_SOURCE],
                                   .path = string_of(kith, KEY_PATH),
                                   .path_len = has(kith, KEY_PATH) ? kith->values[KEY_PATH].len : 0,
                                   .kind = string_of(kith, KEY_KIND),
                                   .format = string_of(kith, KEY_FORMAT),
                                   .tool = string_of(kith, KEY_TOOL),
                                   .note = string_of(kith, KEY_NOTE)};
    wrong = check_source(source);
    if (wrong)
        return list_bad(list, row, err, "%s", wrong);
    if (*string_of(kith, KEY_TIME) && !read_time(string_of(kith, KEY_TIME), &source->time))
        return list_bad(list, row, err, "\"time\" is not of the form 2026-01-31T12:00:00Z");
    if (!has(kith, KEY_SHA256))
        return LIST_SOURCE;
    if (kith->values[KEY_SHA256].len != DIGEST_SHA256_LEN)
        return list_bad(list, row, err, "\"sha256\" is not %d bytes long", DIGEST_SHA256_LEN);
    source->has_sha256 = true;
    memcpy(source->sha256, kith->values[KEY_SHA256].data, DIGEST_SHA256_LEN);
    return LIST_SOURCE;
}

/* ---- entries ---- */

/* Completes the entry from the record.  Returns NULL, or where the two disagree. */
static const char *agree(struct list_entry *entry, const struct record *record)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(record->digests.kinds & DIGEST_BIT(kind)))
            continue;
        if (entry->digests.kinds & DIGEST_BIT(kind) &&
            memcmp(entry->digests.bytes[kind], record->digests.bytes[kind],
                   digest_len((enum digest_kind)kind)) != 0)
            return "the record's digest differs from the row's";
        list_add_digest_bytes(entry, (enum digest_kind)kind, record->digests.bytes[kind]);
    }
    if (!entry->digests.kinds)
        return "there is no digest";
    if (entry->has_size && entry->size != record->len)
        return "the record's length differs from the row's";
    entry->has_size = true;
    entry->size = record->len;
    return NULL;
}

static enum list_result take_record(struct list *list, const char *line, size_t len, struct error *err)
{
    struct kith *kith = list->state;
    const uint64_t row = lines_number(list->lines);
    const char *wrong;

    if (record_parse(&kith->record, line, len, &kith->why))
        return list_bad(list, row, err, "the record's %s", kith->why.text);
    wrong = agree(&list->entry, &kith->record);
    if (wrong)
        return list_bad(list, row, err, "%s", wrong);
    list->entry.record = line;
    list->entry.record_len = len;
    if (!list->entry.name_len && kith->record.name.len) {
        list->entry.name = kith->record.name.data;
        list->entry.name_len = kith->record.name.len;
    }
    return LIST_ENTRY;
}

static const char *take_digests(struct kith *kith, struct list_entry *entry)
{
    static const enum key of_kind[DIGEST_KINDS] = {KEY_SHA1, KEY_MD5, KEY_SHA256};

    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        const struct buffer *value = &kith->values[of_kind[kind]];

        if (!has(kith, of_kind[kind]))
            continue;
        if (value->len != digest_len((enum digest_kind)kind))
            return "a digest has the wrong length";
        list_add_digest_bytes(entry, (enum digest_kind)kind, value->data);
    }
    return NULL;
}

static size_t count_strings(const char *strings, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; i < len; i++)
        count += strings[i] == '\0';
    return count;
}

static enum list_result take_entry(struct list *list, struct error *err)
{
    struct kith *kith = list->state;
    struct list_entry *entry = &list->entry;
    const uint64_t row = lines_number(list->lines);
    const char *wrong = take_digests(kith, entry);

    if (wrong)
        return list_bad(list, row, err, "%s", wrong);
    if (has(kith, KEY_BLOCKS) && kith->values[KEY_BLOCKS].len % DIGEST_SHA1_LEN)
        return list_bad(list, row, err, "\"blocks\" is not a list of SHA-1 digests");
    entry->has_size = has(kith, KEY_SIZE);
    entry->size = entry->has_size ? kith->numbers[KEY_SIZE] : 0;
    entry->source = has(kith, KEY_FROM) ? kith->numbers[KEY_FROM] : 0;
    if (has(kith, KEY_NAME)) {
        entry->name = kith->values[KEY_NAME].data;
        entry->name_len = kith->values[KEY_NAME].len;
    }
    if (has(kith, KEY_NAMES) && kith->values[KEY_NAMES].len) {
        entry->names = kith->values[KEY_NAMES].data;
        entry->names_len = kith->values[KEY_NAMES].len;
    }
    if (has(kith, KEY_NAMES_FROM)) {
        if (kith->values[KEY_NAMES_FROM].len !=
            count_strings(entry->names, entry->names_len) * sizeof(uint64_t))
            return list_bad(list, row, err, "\"names_from\" does not have a number for each of \"names\"");
        entry->names_from = (const uint64_t *)(const void *)kith->values[KEY_NAMES_FROM].data;
    }
    if (has(kith, KEY_BLOCKS) && kith->values[KEY_BLOCKS].len) {
        entry->blocks = (const uint8_t *)kith->values[KEY_BLOCKS].data;
        entry->block_count = kith->values[KEY_BLOCKS].len / DIGEST_SHA1_LEN;
    }
    if (has(kith, KEY_RECORD))
        return take_record(list, kith->values[KEY_RECORD].data, kith->values[KEY_RECORD].len, err);
    return entry->digests.kinds ? LIST_ENTRY : list_bad(list, row, err, "there is no digest");
}

enum list_result list_kith_next(struct list *list, struct error *err)
{
    struct kith *kith = list->state;
    const bool first = !kith->begun;
    enum list_result result;
    const char *line;
    size_t len;

    do
        result = list_line(list, &line, &len, err);
    while (result == LIST_ENTRY && !len);
    if (result != LIST_ENTRY)
        return result;
    kith->begun = true;
    list_clear(list);
    if (len >= RECORD_MAGIC_LEN && memcmp(line, RECORD_MAGIC, RECORD_MAGIC_LEN) == 0)
        return take_record(list, line, len, err);
    result = read_object(list, line, len, err);
    if (result != LIST_ENTRY)
        return result;
    if (has(kith, KEY_SET))
        return take_set(list, first, err);
    return has(kith, KEY_SOURCE) ? take_source(list, err) : take_entry(list, err);
}
