/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_unopened.h"

#include <string.h>

#include "report/report_values.h"

enum {
    MOST_REASONS = 40, /* shown on their own */
    MOST_NAMES = 3,    /* for each */
};

struct reason {
    struct buffer text;
    struct buffer first; /* as it is for the first member */
    uint64_t count;
    struct buffer names[MOST_NAMES];
};

struct reasons {
    struct reason list[MOST_REASONS];
    size_t count;
    uint64_t others; /* members with further reasons */
};

static bool ends_with(const struct buffer *text, const char *end)
{
    const size_t len = strlen(end);

    return text->len >= len && memcmp(text->data + text->len - len, end, len) == 0;
}

/* Numbers of bytes differ from member to member, so that each would have a reason of its own. */
static void add_reason(struct buffer *out, const char *reason)
{
    while (*reason) {
        const size_t digits = strspn(reason, "0123456789");

        if (digits && (ends_with(out, " byte ") || ends_with(out, " states ") ||
                       strncmp(reason + digits, " bytes", 6) == 0)) {
            buffer_add_text(out, "...");
            reason += digits;
        } else {
            buffer_add(out, reason, digits ? digits : 1);
            reason += digits ? digits : 1;
        }
    }
}

static struct reason *find(struct reasons *reasons, const struct buffer *text)
{
    for (size_t i = 0; i < reasons->count; i++) {
        struct reason *reason = &reasons->list[i];

        if (reason->text.len == text->len && memcmp(reason->text.data, text->data, text->len) == 0)
            return reason;
    }
    if (reasons->count == MOST_REASONS)
        return NULL;
    buffer_add(&reasons->list[reasons->count].text, text->data, text->len);
    return &reasons->list[reasons->count++];
}

static void take_member(void *arg, const char *path, const char *why)
{
    struct reasons *reasons = arg;
    struct reason *reason;
    struct buffer text = {0};

    add_reason(&text, why);
    reason = text.len ? find(reasons, &text) : NULL;
    if (reason && reason->count == 0)
        buffer_add_text(&reason->first, why);
    if (reason && reason->count < MOST_NAMES)
        buffer_add_text(&reason->names[reason->count], path);
    if (reason) {
        reason->count++;
        buffer_inherit(&reason->text, &text);
    } else {
        reasons->others++;
    }
    buffer_release(&text);
}

static void add_sentence(struct buffer *out, struct reason *reason)
{
    struct buffer *text = reason->count == 1 ? &reason->first : &reason->text;
    const uint64_t shown = reason->count < MOST_NAMES ? reason->count : MOST_NAMES;

    report_values_count(out, reason->count, "member");
    buffer_add_text(out, reason->count == 1 ? " of a container: " : " of containers: ");
    buffer_add_char(text, '\0');
    report_values_foreign(out, text->failed ? "" : text->data);
    buffer_inherit(out, text);
    for (uint64_t i = 0; i < shown; i++) {
        buffer_add_text(out, i ? ", " : " (");
        buffer_add_char(&reason->names[i], '\0');
        report_values_foreign(out, reason->names[i].failed ? "" : reason->names[i].data);
        buffer_inherit(out, &reason->names[i]);
    }
    buffer_add_text(out, shown == 0 ? "" : shown < reason->count ? ", ...)" : ")");
}

static void release(struct reasons *reasons)
{
    for (size_t i = 0; i < reasons->count; i++) {
        buffer_release(&reasons->list[i].text);
        buffer_release(&reasons->list[i].first);
        for (size_t k = 0; k < MOST_NAMES; k++)
            buffer_release(&reasons->list[i].names[k]);
    }
}

int report_unopened(struct casefile *casefile, uint64_t evidence, void (*take)(void *arg, const char *text),
                    void *arg, struct error *err)
{
    struct reasons reasons = {.count = 0};
    struct buffer text = {0};
    int result = casefile_unopened(casefile, evidence, take_member, &reasons, err);

    for (size_t i = 0; i < reasons.count && result == 0; i++) {
        buffer_reset(&text);
        add_sentence(&text, &reasons.list[i]);
        buffer_add_char(&text, '\0');
        result = text.failed ? error_set(err, "out of memory") : 0;
        if (result == 0)
            take(arg, text.data);
    }
    buffer_reset(&text);
    if (result == 0 && reasons.others) {
        report_values_count(&text, reasons.others, "member");
        buffer_add_text(&text, " of containers, for other reasons");
        buffer_add_char(&text, '\0');
        result = text.failed ? error_set(err, "out of memory") : 0;
        if (result == 0)
            take(arg, text.data);
    }
    buffer_release(&text);
    release(&reasons);
    return result;
}
