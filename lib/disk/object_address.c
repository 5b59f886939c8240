/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disk/object_inner.h"

static const char separator[] = "//"; /* between levels; a single slash comes before the first */

/* ---- writing ---- */

static bool is_opener_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_plain(unsigned char c)
{
    return c > ' ' && c < 0x7f && !strchr("%;/\\\"", c);
}

/* A slash stays literal only between two characters neither of which is a literal slash, so that a name
 * cannot begin, end or continue with a separator of levels. */
static void add_name(struct buffer *out, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)name[i];
        const bool divides = c == '/' && i + 1 < len && out->len > 0 && out->data[out->len - 1] != '/';

        if (is_plain(c) || divides)
            buffer_add_char(out, (char)c);
        else
            buffer_printf(out, "%%%02X", c);
    }
}

void object_address(struct buffer *out, const struct object *object)
{
    if (object->kind == OBJECT_MEMBER) {
        const bool is_first = !memchr(object->parent.data, '/', object->parent.len);

        buffer_add(out, object->parent.data, object->parent.len);
        buffer_add_text(out, separator + is_first);
        buffer_add(out, object->member.data, object->member.len);
    } else if (object->flags & OBJECT_HOST)
        buffer_add_char(out, '-');
    else if (object->flags & OBJECT_RANGE)
        buffer_printf(out, "@%" PRIu64 "+%" PRIu64, object->start, object->size);
    else
        buffer_printf(out, "%" PRIu64 "-%" PRIu32 "-%" PRIu32, object->inode, object->type, object->id);
}

/* Returns the number of levels below the object on the disk. */
static size_t levels_of(const struct object *object)
{
    const char *at = object->parent.data, *end;
    size_t levels = 1;

    if (object->kind != OBJECT_MEMBER)
        return 0;
    end = at + object->parent.len;
    if (!memchr(at, '/', object->parent.len))
        return levels;
    for (levels = 2; (at = memmem(at, (size_t)(end - at), separator, 2)); at += 2)
        levels++;
    return levels;
}

/* NUL would end the path: the symbol for it (U+2400) takes its place. */
static void set_inner(struct object *object, const struct object *parent, const struct object_member *member)
{
    static const char symbol[] = "\xe2\x90\x80";

    buffer_reset(&object->inner);
    buffer_add(&object->inner, parent->inner.data, parent->inner.len);
    if (parent->inner.len && member->name_len)
        buffer_add_char(&object->inner, '/');
    for (size_t i = 0; i < member->name_len && object->inner.len < OBJECT_MOST_INNER; i++)
        if (member->name[i])
            buffer_add_char(&object->inner, member->name[i]);
        else
            buffer_add_text(&object->inner, symbol);
    if (object->inner.len > OBJECT_MOST_INNER)
        object->inner.len = OBJECT_MOST_INNER;
}

int object_set_parent(struct object *object, const struct object *parent, const struct object_member *member)
{
    const size_t opener_len = strlen(member->opener);
    size_t before_name;
    bool is_named;

    assert(opener_len > 0 && opener_len <= OBJECT_MOST_OPENER);
    if (levels_of(parent) >= OBJECT_MOST_LEVELS)
        return -1;
    buffer_reset(&object->parent);
    object_address(&object->parent, parent);
    buffer_reset(&object->member);
    buffer_add_text(&object->member, member->opener);
    if (member->offset)
        buffer_printf(&object->member, "@%" PRIu64, member->offset);
    buffer_add_char(&object->member, '/');
    before_name = object->member.len;
    if (member->name_len <= OBJECT_MOST_MEMBER)
        add_name(&object->member, member->name, member->name_len);
    is_named = member->name_len > 0 && member->name_len <= OBJECT_MOST_MEMBER &&
               object->member.len <= OBJECT_MOST_MEMBER;
    if (!is_named && !object->member.failed)
        object->member.len = before_name;
    if (!is_named || member->is_repeated)
        buffer_printf(&object->member, ";%" PRIu64, member->number);
    set_inner(object, parent, member);
    object->kind = OBJECT_MEMBER;
    object->flags |= parent->flags & OBJECT_ALLOCATED;
    object->inode = parent->inode;
    object->type = parent->type;
    object->id = parent->id;
    object->start = parent->start;
    return object->parent.failed || object->member.failed || object->inner.failed ? -1 : 0;
}

/* ---- reading ---- */

struct address_text {
    const char *at, *end;
};

static bool skip_char(struct address_text *text, char c)
{
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

/* As written by printf: without leading zeros. */
static bool skip_number(struct address_text *text)
{
    enum { MOST_DIGITS = 20 };
    const char *const start = text->at;

    while (text->at < text->end && *text->at >= '0' && *text->at <= '9')
        text->at++;
    return text->at > start && text->at - start <= MOST_DIGITS && (*start != '0' || text->at == start + 1);
}

/* Zero is not written. */
static bool skip_offset(struct address_text *text)
{
    return text->at < text->end && *text->at != '0' && skip_number(text);
}

static bool skip_base(struct address_text *text)
{
    if (skip_char(text, '-'))
        return true;
    if (skip_char(text, '@'))
        return skip_number(text) && skip_char(text, '+') && skip_number(text);
    return skip_number(text) && skip_char(text, '-') && skip_number(text) && skip_char(text, '-') &&
           skip_number(text);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One character as written by add_name, except a literal slash.  Only characters that need it may be
 * escaped. */
static bool skip_escaped(struct address_text *text)
{
    int high, low, c;

    if (text->at < text->end && is_plain((unsigned char)*text->at)) {
        text->at++;
        return true;
    }
    if (text->end - text->at < 3 || !skip_char(text, '%'))
        return false;
    high = digit_of(*text->at++);
    low = digit_of(*text->at++);
    c = high * 16 + low;
    return high >= 0 && low >= 0 && !is_plain((unsigned char)c);
}

static bool skip_name(struct address_text *text)
{
    while (text->at < text->end && *text->at != ';' &&
           !(text->end - text->at > 1 && memcmp(text->at, separator, 2) == 0)) {
        skip_char(text, '/');
        if (!skip_escaped(text))
            return false;
    }
    return true;
}

static bool skip_level(struct address_text *text)
{
    const char *const start = text->at, *name;

    while (text->at < text->end && is_opener_char(*text->at))
        text->at++;
    if (text->at == start || text->at - start > OBJECT_MOST_OPENER)
        return false;
    if ((skip_char(text, '@') && !skip_offset(text)) || !skip_char(text, '/'))
        return false;
    name = text->at;
    if ((text->at < text->end && *text->at == '/') || !skip_name(text) ||
        text->at - start > OBJECT_MOST_MEMBER)
        return false;
    return skip_char(text, ';') ? skip_number(text) : text->at > name;
}

bool object_is_member(const char *parent, size_t parent_len, const char *member, size_t member_len)
{
    struct address_text text = {parent, parent + parent_len};
    size_t levels = 1;

    if (!skip_base(&text))
        return false;
    while (text.at < text.end) {
        if (!skip_char(&text, '/') || (levels > 1 && !skip_char(&text, '/')) || !skip_level(&text) ||
            ++levels > OBJECT_MOST_LEVELS)
            return false;
    }
    text = (struct address_text){member, member + member_len};
    return skip_level(&text) && text.at == text.end;
}

/* ---- taking apart ---- */

bool object_is_base(const char *address, size_t len)
{
    struct address_text text = {address, address + len};

    return skip_base(&text) && text.at == text.end;
}

/* A single slash comes before the first level of an address, two before the others. */
bool object_is_below(const char *wanted, const char *address)
{
    const size_t len = strlen(address);

    if (strncmp(wanted, address, len) != 0 || wanted[len] != '/')
        return false;
    return !memchr(address, '/', len) || wanted[len + 1] == '/';
}

size_t object_base_len(const char *address)
{
    return strcspn(address, "/");
}

size_t object_parent_len(const char *address)
{
    const size_t base = object_base_len(address);
    size_t len = base;

    if (!address[base])
        return 0;
    for (const char *at = address + base; (at = strstr(at, separator)); at += 2)
        len = (size_t)(at - address);
    return len;
}

bool object_next_level(const char **at, struct object_level *level)
{
    struct address_text text = {*at + strspn(*at, "/"), *at + strlen(*at)};
    const char *number;

    *level = (struct object_level){.opener = text.at};
    if (!skip_level(&text))
        return false;
    level->opener_len = strcspn(level->opener, "@/");
    if (level->opener[level->opener_len] == '@')
        level->offset = strtoull(level->opener + level->opener_len + 1, NULL, 10);
    level->name = strchr(level->opener, '/') + 1;
    number = memchr(level->name, ';', (size_t)(text.at - level->name));
    level->name_len = (size_t)((number ? number : text.at) - level->name);
    level->number = number ? strtoull(number + 1, NULL, 10) : 0;
    *at = text.at;
    return true;
}

void object_level_name(struct buffer *out, const struct object_level *level)
{
    for (size_t i = 0; i < level->name_len; i++)
        if (level->name[i] == '%' && level->name_len - i > 2) {
            buffer_add_char(out, (char)(digit_of(level->name[i + 1]) * 16 + digit_of(level->name[i + 2])));
            i += 2;
        } else
            buffer_add_char(out, level->name[i]);
}
