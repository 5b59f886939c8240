/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch_inspector.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    MEMORY = 512 << 20,    /* address space for a sketch */
    MOST_RESULT = 4 << 20, /* bytes of a result, and as many again as the object has: evidence_rules_limit */
};

#define TOO_LARGE "its sketch is too large, "

struct sketching {
    struct sketcher *sketcher;
    struct sketch sketch;
    bool failed;
    struct error err;
};

static void *sketching_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    struct sketching *sketching = memory_new(sizeof *sketching, err);

    (void)watch;
    if (!sketching)
        return NULL;
    sketching->sketcher = sketch_new(arg, err);
    if (sketching->sketcher)
        return sketching;
    free(sketching);
    return NULL;
}

static bool sketching_begin(void *arg, const struct object *object, struct content *content)
{
    struct sketching *sketching = arg;

    (void)content;
    sketching->failed = sketch_begin(sketching->sketcher, object->size, &sketching->err) != 0;
    return true;
}

static void sketching_data(void *arg, const void *data, size_t len)
{
    struct sketching *sketching = arg;

    if (!sketching->failed)
        sketching->failed = sketch_update(sketching->sketcher, data, len, &sketching->err) != 0;
}

static void sketching_zeros(void *arg, uint64_t len)
{
    inspector_zeros(sketching_data, arg, len);
}

static void sketching_end(void *arg, struct object *object)
{
    struct sketching *sketching = arg;
    const struct sketch *sketch = &sketching->sketch;
    const size_t before = object->result.len;

    if (sketching->failed || sketch_final(sketching->sketcher, &sketching->sketch, &sketching->err)) {
        object_blame(object, OBJECT_UNREADABLE, "no sketch was made: %.200s", sketching->err.text);
        return;
    }
    sketch_format(&sketching->sketch, &object->result);
    if (object->result.len - before > MOST_RESULT + object->size) {
        object->result.len = before;
        object_blame(object, OBJECT_UNREADABLE,
                     TOO_LARGE "%zu values: choose a larger window,"
                               " other tokens, or another scheme",
                     sketch->count ? sketch->count : sketch->record.count);
    }
}

struct inspector sketch_inspector(const struct sketch_params *params)
{
    return (struct inspector){.open = sketching_open,
                              .begin = sketching_begin,
                              .data = sketching_data,
                              .zeros = sketching_zeros,
                              .end = sketching_end,
                              .arg = (void *)params,
                              .memory = MEMORY};
}

bool sketch_inspector_is_too_large(const struct object *object)
{
    const size_t len = strlen(TOO_LARGE);

    return object->problem.len >= len && memcmp(object->problem.data, TOO_LARGE, len) == 0;
}

static bool is_same_rules(const struct tokens_rules *a, const struct tokens_rules *b)
{
    return a->unit == b->unit && a->fold_case == b->fold_case && a->fold_space == b->fold_space &&
           a->drop_punctuation == b->drop_punctuation && a->drop_markup == b->drop_markup;
}

static bool is_of(const struct sketch *sketch, const struct sketch_params *params)
{
    const struct sketch_params *p = &sketch->params;

    return p->scheme == params->scheme && is_same_rules(&p->tokens, &params->tokens) &&
           p->labelled == params->labelled && p->window == params->window && p->rate == params->rate &&
           p->size == params->size && p->bits == params->bits && p->residue == params->residue &&
           p->seed == params->seed;
}

int sketch_inspector_result(const struct object *object, const struct sketch_params *params,
                            struct sketch *sketch, struct error *err)
{
    const struct buffer *result = &object->result;

    if (result->len == 0 || result->data[result->len - 1] != '\n' ||
        sketch_parse(sketch, result->data, result->len - 1, err) || !is_of(sketch, params) ||
        sketch->len != object->size)
        return error_set(err, "invalid result from worker");
    return 0;
}
