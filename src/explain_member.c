/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "explain_inner.h"
#include "shell_quote.h"

/* What a member is packed in, and how other tools unpack it. */

/* Appends the path of the object on the disk: that of the member without the names on its levels.  False if
 * it cannot be known, since the address lacks a name or the path is cut. */
static bool add_base_path(struct buffer *out, const struct case_object *object)
{
    const char *at = object->address + object_base_len(object->address), *path = object->paths;
    const size_t len = object->path_count ? strlen(path) : 0;
    struct buffer inner = {0};
    struct object_level level;
    bool is_known = true;

    while (object_next_level(&at, &level)) {
        is_known = is_known && level.name_len > 0;
        buffer_add_char(&inner, '/');
        object_level_name(&inner, &level);
    }
    is_known = is_known && !inner.failed && inner.len > 0 && inner.len < len &&
               inner.len < OBJECT_MOST_INNER && memcmp(path + len - inner.len, inner.data, inner.len) == 0;
    if (is_known)
        buffer_add(out, path, len - inner.len);
    buffer_inherit(out, &inner);
    buffer_release(&inner);
    return is_known;
}

/* ---- in words ---- */

static void put_level(struct explain_text *text, const struct object_level *level)
{
    struct buffer *out = text->lines.out, name = {0}, label = {0};

    buffer_printf(&label, "%.*s member", (int)level->opener_len, level->opener);
    buffer_printf(out, "  %-13.*s ", (int)label.len, label.data ? label.data : "");
    buffer_release(&label);
    object_level_name(&name, level);
    escape_text(out, name.data ? name.data : "", name.len);
    if (level->number)
        buffer_printf(out, "%s(number %" PRIu64 " in its container)", name.len ? " " : "", level->number);
    if (level->offset)
        buffer_printf(out, " (the container begins at byte %" PRIu64 ")", level->offset);
    buffer_add_char(out, '\n');
    buffer_inherit(out, &name);
    buffer_release(&name);
}

void explain_member(struct explain_text *text, const struct case_object *object)
{
    const size_t base = object_base_len(object->address);
    const char *at = object->address + base;
    struct buffer path = {0};
    struct object_level level;

    buffer_add_text(text->lines.out, "  packed in     ");
    if (add_base_path(&path, object))
        escape_text(text->lines.out, path.data, path.len);
    if (strncmp(object->address, "-/", 2) != 0) {
        buffer_add_text(text->lines.out, path.len ? " (" : "");
        escape_text(text->lines.out, object->address, base);
        buffer_add_text(text->lines.out, path.len ? ")" : "");
    }
    buffer_add_char(text->lines.out, '\n');
    while (object_next_level(&at, &level))
        put_level(text, &level);
    buffer_inherit(text->lines.out, &path);
    buffer_release(&path);
}

/* ---- other tools ---- */

/* What unpacks a format; archives need the name of the member. */
static const struct unpacker {
    const char *opener, *command;
    bool is_archive;
} unpackers[] = {
    {"zip", "bsdtar -xqOf", true}, {"7z", "bsdtar -xqOf", true},  {"rar", "bsdtar -xqOf", true},
    {"cab", "bsdtar -xqOf", true}, {"tar", "bsdtar -xqOf", true}, {"cpio", "bsdtar -xqOf", true},
    {"ar", "bsdtar -xqOf", true},  {"rpm", "bsdtar -xqOf", true}, {"iso", "bsdtar -xqOf", true},
    {"lha", "bsdtar -xqOf", true}, {"xar", "bsdtar -xqOf", true}, {"gz", "gzip -dc <", false},
    {"z", "gzip -dc <", false},    {"bz2", "bzip2 -dc <", false}, {"xz", "xz -dc <", false},
    {"lzma", "xz -dc <", false},   {"zst", "zstd -dc <", false},  {"lz4", "lz4 -dc <", false},
};

static const struct unpacker *unpacker_of(const struct object_level *level)
{
    for (size_t i = 0; i < sizeof unpackers / sizeof *unpackers; i++)
        if (strlen(unpackers[i].opener) == level->opener_len &&
            memcmp(unpackers[i].opener, level->opener, level->opener_len) == 0)
            return &unpackers[i];
    return NULL;
}

/* Names that no tool takes for a pattern, an option or a path to change. */
static bool is_plain_name(const char *name, size_t len)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/ +,=:~()&'#$!-";

    if (len > 2 && memcmp(name, "./", 2) == 0) { /* as tar and rpm have them */
        name += 2;
        len -= 2;
    }
    if (len == 0 || strchr("-/@", name[0]) || memmem(name, len, "..", 2) || memmem(name, len, "./", 2))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!name[i] || !strchr(plain, name[i]))
            return false;
    return name[len - 1] != '/';
}

/* Whether other tools unpack all levels, of which each must be the first of its name in a container that is
 * the whole of its object. */
static bool is_unpackable(const char *levels)
{
    struct object_level level;

    while (object_next_level(&levels, &level)) {
        const struct unpacker *unpacker = unpacker_of(&level);
        struct buffer name = {0};
        bool is_plain;

        object_level_name(&name, &level);
        is_plain = !name.failed && is_plain_name(name.data ? name.data : "", name.len);
        buffer_release(&name);
        if (!unpacker || level.offset || (unpacker->is_archive && (level.number || !is_plain)))
            return false;
    }
    return !*levels;
}

static void add_file(struct buffer *out, const struct case_row *row, unsigned level)
{
    buffer_printf(out, "packed-%" PRIu64 ".%" PRIu64 "-%u", row->id.evidence, row->id.object, level);
}

static void add_unpack(struct buffer *out, const struct case_row *row, const struct object_level *level,
                       unsigned number)
{
    const struct unpacker *unpacker = unpacker_of(level);
    struct buffer name = {0};

    buffer_printf(out, "%s ", unpacker->command);
    add_file(out, row, number);
    if (unpacker->is_archive) {
        buffer_add_char(out, ' ');
        object_level_name(&name, level);
        shell_quote(out, name.data ? name.data : "", name.len);
    }
    buffer_inherit(out, &name);
    buffer_release(&name);
}

static void put_levels(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    const char *at = row->object.address + object_base_len(row->object.address);
    struct object_level level;

    for (unsigned number = 1; object_next_level(&at, &level); number++) {
        add_unpack(command, row, &level, number);
        if (*at) {
            buffer_add_text(command, " > ");
            add_file(command, row, number + 1);
        } else {
            buffer_add_text(command, " | sha1sum");
        }
        explain_command(text, command);
    }
}

void explain_unpack(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    const struct case_object *object = &row->object;
    const size_t base_len = object_base_len(object->address);
    struct buffer path = {0}, base = {0};

    buffer_add(&base, object->address, base_len);
    buffer_add_char(&base, '\0');
    if (object->partial || object->chunk || !(object->digests.kinds & DIGEST_BIT(DIGEST_SHA1)) ||
        !is_unpackable(object->address + base_len) || !add_base_path(&path, object) ||
        (buffer_add_char(&path, '\0'), base.failed || path.failed) ||
        !explain_add_base(command, row, base.data, path.data))
        buffer_reset(command);
    else {
        explain_paragraph(text, "The same by other tools, level by level:");
        buffer_add_text(command, " > ");
        add_file(command, row, 1);
        explain_command(text, command);
        put_levels(text, row, command);
        explain_result(text, &object->digests, DIGEST_SHA1);
    }
    buffer_inherit(text->lines.out, &path);
    buffer_inherit(text->lines.out, &base);
    buffer_release(&path);
    buffer_release(&base);
}
