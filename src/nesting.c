/* SPDX-License-Identifier: Apache-2.0 */
#include "nesting.h"

#include <string.h>

static bool is_equal(const struct buffer *a, const struct buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

int nesting_level(const struct nesting *nesting, const struct object *object)
{
    if (object->kind != OBJECT_MEMBER)
        return 0;
    for (size_t depth = nesting->depth; depth > 0; depth--)
        if (depth <= OBJECT_MOST_LEVELS && is_equal(&nesting->levels[depth - 1].address, &object->parent))
            return (int)depth;
    return 0;
}

/* The part of the inner path that the parent's does not have. */
static void set_name(struct nesting_level *level, const struct nesting_level *parent,
                     const struct object *object)
{
    const size_t skipped = parent->inner.len ? parent->inner.len + 1 : 0;
    const char *number = memrchr(object->member.data, ';', object->member.len);

    buffer_reset(&level->name);
    if (object->inner.len > skipped)
        buffer_add(&level->name, object->inner.data + skipped, object->inner.len - skipped);
    else if (number)
        buffer_printf(&level->name, "member %.*s",
                      (int)(object->member.data + object->member.len - number - 1), number + 1);
}

static void grade(struct nesting_level *level, struct nesting_level *parent, const struct object *object)
{
    static const char pdf[] = "pdf";
    const char *opener = object->member.data;
    size_t len = 0;

    while (len < object->member.len && opener[len] != '/' && opener[len] != '@')
        len++;
    level->grade = boilerplate_of(&parent->content, opener, len, level->name.len ? level->name.data : "",
                                  level->name.len);
    if (parent->grade == BOILERPLATE_ALL) /* a thumbnail's picture is no more than the thumbnail */
        level->grade = BOILERPLATE_ALL;
    level->content.is_stream = len == strlen(pdf) && memcmp(opener, pdf, len) == 0;
}

static void set_buffer(struct buffer *to, const struct buffer *from)
{
    buffer_reset(to);
    if (from->len)
        buffer_add(to, from->data, from->len);
}

int nesting_take(struct nesting *nesting, const struct object *object)
{
    const int at = nesting_level(nesting, object);
    struct nesting_level *level = &nesting->levels[at];

    nesting->depth = (size_t)at + 1;
    buffer_reset(&level->address);
    object_address(&level->address, object);
    set_buffer(&level->inner, &object->inner);
    level->content = (struct boilerplate){0};
    level->grade = BOILERPLATE_NONE;
    buffer_reset(&level->name);
    if (at > 0) {
        set_name(level, level - 1, object);
        grade(level, level - 1, object);
    }
    return level->address.failed || level->inner.failed || level->name.failed ? -1 : at;
}

void nesting_release(struct nesting *nesting)
{
    for (size_t i = 0; i <= OBJECT_MOST_LEVELS; i++) {
        buffer_release(&nesting->levels[i].address);
        buffer_release(&nesting->levels[i].inner);
        buffer_release(&nesting->levels[i].name);
    }
}

void nesting_name(const struct nesting *nesting, int level, struct buffer *out)
{
    for (; level > 0; level--) {
        const struct buffer *name = &nesting->levels[level].name;

        if (name->len)
            buffer_add(out, name->data, name->len);
        buffer_add_text(out, " of ");
    }
}

size_t nesting_outer_len(const struct object *object, const char *path)
{
    const size_t len = strlen(path), inner = object->inner.len + 1;

    return object->kind == OBJECT_MEMBER && object->inner.len && len > inner ? len - inner : len;
}
