/* SPDX-License-Identifier: Apache-2.0 */
#include "ls_values.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"

void ls_values_stamp(struct buffer *out, const struct object_stamp *stamp, enum report_zone zone)
{
    if (stamp->seconds || stamp->nanoseconds)
        report_values_zone_time(out, stamp->seconds, stamp->nanoseconds, zone);
}

bool ls_values_has_zone(const struct evidence_volume *volume, const struct object *object)
{
    if (object->kind == OBJECT_MEMBER)
        return true;
    return strncmp(volume->system, "fat", 3) != 0 && strcmp(volume->system, "exfat") != 0;
}

void ls_values_state(struct buffer *out, const struct object *object)
{
    static const char *const states[] = {"ok", "partial", "unreadable", "changed"};

    buffer_add_text(out, states[object->state]);
    if (object->problem.len) {
        buffer_add_text(out, ": ");
        buffer_add(out, object->problem.data, object->problem.len);
    }
}

void ls_values_flags(struct buffer *out, const struct object *object)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = {
        {OBJECT_RESIDENT, "resident"}, {OBJECT_COMPRESSED, "compressed"}, {OBJECT_ENCRYPTED, "encrypted"}};
    size_t before = out->len;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (object->flags & names[i].flag)
            buffer_printf(out, "%s%s", out->len > before ? " " : "", names[i].name);
}

void ls_values_runs(struct buffer *out, const struct object *object)
{
    for (size_t i = 0; i < object->run_count; i++)
        buffer_printf(out, "%s%" PRIu64 "@%" PRIu64 "+%" PRIu64, i ? " " : "", object->runs[i].offset,
                      object->runs[i].image, object->runs[i].len);
}

void ls_values_digest(struct buffer *out, const struct digest_values *values, enum digest_kind kind)
{
    if (values->kinds & DIGEST_BIT(kind))
        escape_hex(out, values->bytes[kind], digest_len(kind));
}

const char *ls_values_next(const char *path)
{
    return path + strlen(path) + 1;
}
