/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "list/list_inner.h"

/*
 * Project VIC's JSON, versions 1 and 2: {"value":[media ..]}, where a medium has MD5, SHA1, MediaSize,
 * Category and MediaFiles:[{FileName, FilePath} ..]; or {"value":[case ..]} with the media in the case's
 * "Media".  After a medium that is malformed JSON, parsing resumes at the next one.
 */

enum level {
    LEVEL_OTHER,
    LEVEL_ROOT,
    LEVEL_MEDIA, /* an array of media or cases */
    LEVEL_MEDIUM,
    LEVEL_CASE, /* seemed to be a medium, but contains media */
    LEVEL_FILES,
    LEVEL_FILE,
};

enum key {
    KEY_OTHER,
    KEY_MEDIA,
    KEY_FILES,
    KEY_MD5,
    KEY_SHA1,
    KEY_SHA256,
    KEY_SIZE,
    KEY_NAME,
    KEY_PATH,
    KEY_CATEGORY,
};

#define KEY(name, key)                                                                                       \
    {                                                                                                        \
        (name), sizeof(name) - 1, (key)                                                                      \
    }
static const struct {
    const char *name;
    size_t len;
    enum key key;
} keys[] = {
    KEY("value", KEY_MEDIA),       KEY("Media", KEY_MEDIA),   KEY("MediaFiles", KEY_FILES),
    KEY("MD5", KEY_MD5),           KEY("SHA1", KEY_SHA1),     KEY("SHA256", KEY_SHA256),
    KEY("MediaSize", KEY_SIZE),    KEY("FileName", KEY_NAME), KEY("FilePath", KEY_PATH),
    KEY("Category", KEY_CATEGORY),
};

struct vic {
    struct json *json;
    struct error why;
    enum level levels[JSON_DEPTH + 1];
    enum key key;
    uint64_t row;
    unsigned media; /* depth of the latest array of media, or 0 */
    /* the current medium */
    uint64_t line; /* where it begins */
    const char *wrong;
    bool has_file;
    struct buffer name, path;
};

/* ---- opening ---- */

bool list_vic_detect(struct list *list, const struct list_head *head)
{
    const char *p = head->text, *stop = p + head->len;

    (void)list;
    while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    if (p == stop || *p != '{')
        return false;
    for (p++; p < stop && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'); p++)
        ;
    if (p == stop || *p != '"')
        return false;
    return memmem(p, (size_t)(stop - p), "odata.", 6) != NULL ||
           memmem(p, (size_t)(stop - p), "\"value\"", 7) != NULL;
}

static int source(void *arg, const char **data, size_t *len, struct error *err)
{
    return lines_bytes(arg, data, len, err);
}

int list_vic_open(struct list *list, struct error *err)
{
    struct vic *vic = list_new_state(list, sizeof *vic, err);

    if (!vic)
        return -1;
    vic->json = json_new(LINES_LONGEST, err);
    if (!vic->json)
        return -1;
    json_begin(vic->json, "", 0, source, list->lines);
    return 0;
}

void list_vic_close(struct list *list)
{
    struct vic *vic = list->state;

    if (!vic)
        return;
    json_free(vic->json);
    buffer_release(&vic->name);
    buffer_release(&vic->path);
    free(vic);
}

/* ---- values ---- */

static enum key find_key(const struct vic *vic)
{
    size_t len;
    const char *text = json_text(vic->json, &len);

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (len == keys[i].len && list_is_word(text, len, keys[i].name))
            return keys[i].key;
    return KEY_OTHER;
}

static const char *take_digest(struct list *list, struct vic *vic, enum digest_kind kind)
{
    size_t len;
    const char *text = json_text(vic->json, &len);

    if (len == 0 || list_add_digest(&list->entry, kind, text, len))
        return NULL;
    return "malformed digest";
}

/* The size is a quoted number in version 1 and a bare one in version 2. */
static const char *take_size(struct list *list, struct vic *vic)
{
    size_t len;
    const char *text = json_text(vic->json, &len);

    list->entry.has_size = len != 0;
    return len == 0 || list_number(text, len, &list->entry.size) ? NULL : "the size is not a number of bytes";
}

static const char *take_string(struct vic *vic, struct buffer *out)
{
    size_t len;
    const char *text = json_text(vic->json, &len);

    if (json_is_long(vic->json))
        return "a name is too long";
    buffer_reset(out);
    buffer_add(out, text, len);
    return NULL;
}

static const char *take_category(struct list *list, struct vic *vic)
{
    size_t len;
    const char *text = json_text(vic->json, &len);

    list_mark(list, "Category=", text, len);
    return NULL;
}

static const char *take_of_medium(struct list *list, struct vic *vic)
{
    switch (vic->key) {
    case KEY_MD5:
        return take_digest(list, vic, DIGEST_MD5);
    case KEY_SHA1:
        return take_digest(list, vic, DIGEST_SHA1);
    case KEY_SHA256:
        return take_digest(list, vic, DIGEST_SHA256);
    case KEY_SIZE:
        return take_size(list, vic);
    case KEY_CATEGORY:
        return take_category(list, vic);
    default:
        return NULL;
    }
}

/* The name of a medium is that of its first file. */
static const char *take_of_file(struct vic *vic)
{
    if (vic->has_file || (vic->key != KEY_NAME && vic->key != KEY_PATH))
        return NULL;
    return take_string(vic, vic->key == KEY_NAME ? &vic->name : &vic->path);
}

static void take_value(struct list *list, struct vic *vic)
{
    const enum level level = vic->levels[json_depth(vic->json)];
    const char *wrong = NULL;

    if (level == LEVEL_MEDIUM)
        wrong = take_of_medium(list, vic);
    else if (level == LEVEL_FILE)
        wrong = take_of_file(vic);
    if (!vic->wrong)
        vic->wrong = wrong;
}

/* ---- objects and arrays ---- */

static void begin_medium(struct list *list, struct vic *vic)
{
    list_clear(list);
    vic->line = json_line(vic->json);
    vic->wrong = NULL;
    vic->has_file = false;
    buffer_reset(&vic->name);
    buffer_reset(&vic->path);
}

static void begin_object(struct list *list, struct vic *vic)
{
    const unsigned depth = json_depth(vic->json);
    const enum level outer = vic->levels[depth - 1];
    enum level level = LEVEL_OTHER;

    if (depth == 1)
        level = LEVEL_ROOT;
    else if (outer == LEVEL_MEDIA)
        level = LEVEL_MEDIUM;
    else if (outer == LEVEL_FILES)
        level = LEVEL_FILE;
    if (level == LEVEL_MEDIUM)
        begin_medium(list, vic);
    vic->levels[depth] = level;
}

static void begin_array(struct vic *vic)
{
    const unsigned depth = json_depth(vic->json);
    enum level *outer = &vic->levels[depth - 1];
    enum level level = LEVEL_OTHER;

    if ((depth == 2 && *outer == LEVEL_ROOT && vic->key == KEY_MEDIA) || *outer == LEVEL_MEDIA)
        level = LEVEL_MEDIA;
    if (*outer == LEVEL_MEDIUM && vic->key == KEY_MEDIA) {
        *outer = LEVEL_CASE;
        level = LEVEL_MEDIA;
    }
    if (*outer == LEVEL_MEDIUM && vic->key == KEY_FILES)
        level = LEVEL_FILES;
    if (level == LEVEL_MEDIA)
        vic->media = depth;
    vic->levels[depth] = level;
}

static enum list_result end_medium(struct list *list, struct vic *vic, struct error *err)
{
    const struct buffer *name = vic->name.len ? &vic->name : &vic->path;

    vic->row++;
    if (vic->name.failed || vic->path.failed)
        return list_failed(list, err, "out of memory");
    if (!vic->wrong && !list->entry.digests.kinds)
        vic->wrong = "there is no digest";
    if (vic->wrong)
        return list_bad(list, vic->row, err, "%s (line %" PRIu64 ")", vic->wrong, vic->line);
    if (name->len) {
        list->entry.name = name->data;
        list->entry.name_len = name->len;
    }
    return LIST_ENTRY;
}

/* Returns LIST_END if the object was not a medium. */
static enum list_result end_object(struct list *list, struct vic *vic, struct error *err)
{
    const enum level level = vic->levels[json_depth(vic->json) + 1];

    vic->has_file = vic->has_file || level == LEVEL_FILE;
    return level == LEVEL_MEDIUM ? end_medium(list, vic, err) : LIST_END;
}

/* The depth of the innermost array of media, or 0.  If it seems to have ended, that may be due to the error.
 */
static unsigned depth_of_media(const struct vic *vic)
{
    unsigned depth = json_depth(vic->json);

    while (depth && vic->levels[depth] != LEVEL_MEDIA)
        depth--;
    return depth ? depth : vic->media;
}

/* Called for malformed JSON in a medium or between two. */
static enum list_result recover(struct list *list, struct vic *vic, struct error *err)
{
    const unsigned media = depth_of_media(vic), depth = json_depth(vic->json);
    const uint64_t line = json_line(vic->json), row = vic->row + 1;
    struct error why;

    if (media)
        vic->levels[media] = LEVEL_MEDIA;
    switch (media && media < JSON_DEPTH ? json_resync(vic->json, media, &why) : JSON_BAD) {
    case JSON_OBJECT:
        begin_object(list, vic);
        break;
    case JSON_END:
        break;
    case JSON_FAILED:
        error_set(err, "%s", why.text);
        return LIST_FAILED;
    default:
        return list_failed(list, err, "%s", vic->why.text);
    }
    vic->row += depth > media;
    return list_bad(list, row, err, "%s (line %" PRIu64 ")", vic->why.text, line);
}

enum list_result list_vic_next(struct list *list, struct error *err)
{
    struct vic *vic = list->state;
    enum list_result result = LIST_END;

    while (result == LIST_END) {
        switch (json_next(vic->json, &vic->why)) {
        case JSON_END:
            return LIST_END;
        case JSON_KEY:
            vic->key = find_key(vic);
            break;
        case JSON_OBJECT:
            begin_object(list, vic);
            break;
        case JSON_ARRAY:
            begin_array(vic);
            break;
        case JSON_STRING:
        case JSON_NUMBER:
            take_value(list, vic);
            break;
        case JSON_OBJECT_END:
            result = end_object(list, vic, err);
            break;
        case JSON_BAD:
            return recover(list, vic, err);
        case JSON_FAILED:
            error_set(err, "%s", vic->why.text);
            return LIST_FAILED;
        case JSON_ARRAY_END:
        case JSON_TRUE:
        case JSON_FALSE:
        case JSON_NULL:
        default:
            break;
        }
    }
    return result;
}
