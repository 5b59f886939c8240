/* SPDX-License-Identifier: Apache-2.0 */
#include "container/mail_header.h"

#include <string.h>
#include <strings.h>

enum { NAME_MOST = 76 };

static bool is_name_char(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

enum mail_line mail_line(const uint8_t *line, size_t len, size_t *colon)
{
    size_t name = 0;

    if (len == 0 || line[0] == '\n' || (line[0] == '\r' && (len == 1 || line[1] == '\n')))
        return MAIL_EMPTY;
    if (line[0] == ' ' || line[0] == '\t')
        return MAIL_FOLDED;
    while (name < len && name <= NAME_MOST && is_name_char(line[name]))
        name++;
    *colon = name;
    while (name < len && (line[name] == ' ' || line[name] == '\t'))
        name++;
    return *colon && *colon <= NAME_MOST && name < len && line[name] == ':' ? MAIL_FIELD : MAIL_OTHER;
}

static bool contains(const uint8_t *value, size_t len, const char *text)
{
    return memmem(value, len, text, strlen(text)) != NULL;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* "19" or "20" and two more digits, on their own. */
static bool is_year(const uint8_t *at, size_t len)
{
    return len >= 4 && (memcmp(at, "19", 2) == 0 || memcmp(at, "20", 2) == 0) && is_digit(at[2]) &&
           is_digit(at[3]) && (len == 4 || !is_digit(at[4]));
}

/* A month's name, a time and a year, in any order: enough for the dates of RFC 5322 and those of ctime(3). */
static bool is_date(const uint8_t *value, size_t len)
{
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    bool has_month = false, has_time = false, has_year = false;

    for (size_t i = 1; i < len; i++) {
        if (value[i - 1] == ' ') {
            has_year |= is_year(value + i, len - i);
            for (size_t m = 0; m < 12 && i + 3 < len; m++)
                has_month |= memcmp(value + i, months[m], 3) == 0 && value[i + 3] == ' ';
        }
        has_time |= value[i] == ':' && is_digit(value[i - 1]) && i + 2 < len && is_digit(value[i + 1]) &&
                    is_digit(value[i + 2]);
    }
    return has_month && has_time && has_year;
}

/* The fields by which a mail is recognised, and what those that only mail has must contain. */
static const struct {
    const char *name, *sure;
} known[] = {
    {"from", "@"},        {"to", NULL},         {"date", ""},           {"subject", NULL},
    {"message-id", "@"},  {"received", ";"},    {"cc", NULL},           {"sender", "@"},
    {"reply-to", NULL},   {"in-reply-to", "<"}, {"mime-version", "1."}, {"references", "<"},
    {"newsgroups", NULL}, {"return-path", "<"}, {"delivered-to", NULL},
};

/* Takes note of a field: a bit of *seen, and whether it is a sure one. */
static void recognise(const uint8_t *line, size_t len, size_t colon, unsigned *seen, bool *is_sure)
{
    const uint8_t *value = memchr(line, ':', len);

    for (size_t i = 0; value && i < sizeof known / sizeof *known; i++) {
        const size_t value_len = len - (size_t)(value - line);

        if (strlen(known[i].name) != colon || strncasecmp(known[i].name, (const char *)line, colon) != 0)
            continue;
        *seen |= 1u << i;
        if (known[i].sure)
            *is_sure |=
                known[i].sure[0] ? contains(value, value_len, known[i].sure) : is_date(value, value_len);
    }
}

bool mail_begins(const uint8_t *head, size_t len)
{
    unsigned seen = 0;
    bool is_sure = false;

    for (size_t at = 0, colon = 0; at < len;) {
        const uint8_t *end = memchr(head + at, '\n', len - at);
        const enum mail_line kind = mail_line(head + at, len - at, &colon);

        if (kind == MAIL_EMPTY || (kind == MAIL_OTHER && !end))
            break;
        if (kind == MAIL_OTHER || (kind == MAIL_FOLDED && at == 0))
            return false;
        if (kind == MAIL_FIELD)
            recognise(head + at, end ? (size_t)(end - head) - at : len - at, colon, &seen, &is_sure);
        at = end ? (size_t)(end - head) + 1 : len;
    }
    return is_sure && (seen & (seen - 1)) != 0;
}

bool mail_begins_postmark(const uint8_t *line, size_t len)
{
    const uint8_t *end;
    size_t next, colon;

    if (len < 5 || memcmp(line, "From ", 5) != 0)
        return false;
    end = memchr(line, '\n', len);
    if (!end || !is_date(line + 5, (size_t)(end - line) - 5))
        return false;
    next = (size_t)(end - line) + 1;
    return mail_line(line + next, len - next, &colon) == MAIL_FIELD ||
           (len - next > 6 && memcmp(line + next, ">From ", 6) == 0);
}

void mail_header_reset(struct mail_header *header)
{
    header->present = NULL;
    buffer_reset(&header->type);
    buffer_reset(&header->encoding);
    buffer_reset(&header->disposition);
}

void mail_header_release(struct mail_header *header)
{
    buffer_release(&header->type);
    buffer_release(&header->encoding);
    buffer_release(&header->disposition);
}

static bool is_named(const uint8_t *line, size_t len, const char *name)
{
    return strlen(name) == len && strncasecmp((const char *)line, name, len) == 0;
}

/* Of a field that occurs twice, the first one counts. */
static struct buffer *choose(struct mail_header *header, const uint8_t *line, size_t len)
{
    struct buffer *field = is_named(line, len, "content-type")                ? &header->type
                           : is_named(line, len, "content-transfer-encoding") ? &header->encoding
                           : is_named(line, len, "content-disposition")       ? &header->disposition
                                                                              : NULL;

    return field && field->len == 0 ? field : NULL;
}

void mail_header_line(struct mail_header *header, const uint8_t *line, size_t len)
{
    size_t colon = 0, from = 0;

    if (mail_line(line, len, &colon) == MAIL_FIELD) {
        header->present = choose(header, line, colon);
        from = (size_t)((const uint8_t *)memchr(line, ':', len) - line) + 1;
    }
    if (!header->present)
        return;
    while (len > from && (line[len - 1] == '\r' || line[len - 1] == '\n'))
        len--;
    if (len - from > MAIL_FIELD_MOST - header->present->len)
        len = from + MAIL_FIELD_MOST - header->present->len;
    buffer_add(header->present, line + from, len - from);
}

const char *mail_value(const struct buffer *field, size_t *len)
{
    const char *end = field->len ? memchr(field->data, ';', field->len) : NULL;
    size_t from = 0, to = end ? (size_t)(end - field->data) : field->len;

    while (from < to && strchr(" \t\r", field->data[from]))
        from++;
    while (to > from && strchr(" \t\r", field->data[to - 1]))
        to--;
    *len = to - from;
    return to > from ? field->data + from : NULL;
}

bool mail_value_is(const struct buffer *field, const char *value)
{
    const size_t len = strlen(value);
    size_t is_len;
    const char *is = mail_value(field, &is_len);

    return is && is_len >= len && strncasecmp(is, value, len) == 0 &&
           (is_len == len || value[len - 1] == '/');
}
