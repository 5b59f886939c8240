/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "list/list_inner.h"

/*
 * One digest per line: md5sum, sha1sum, sha256sum (`hex  name`, `hex *name`), with --tag and on BSD (`SHA1
 * (name) = hex`), OpenSSL (`SHA1(name)= hex`), md5deep and its siblings (with -z the size comes first), or a
 * bare digest.  coreutils puts a backslash at the beginning of a line whose name contains escapes.
 */

struct sums {
    struct buffer name;
};

/* The parts of a line; the name is still escaped. */
struct sum_line {
    const char *hex;
    size_t digits;
    int kind; /* -1: determined by the number of digits */
    bool has_size;
    uint64_t size;
    bool escaped;
    const char *name;
    size_t name_len;
};

static const struct {
    const char *tag;
    enum digest_kind kind;
} tags[] = {
    {"SHA1", DIGEST_SHA1}, {"SHA-1", DIGEST_SHA1},     {"SHA256", DIGEST_SHA256},
    {"MD5", DIGEST_MD5},   {"SHA-256", DIGEST_SHA256}, {"SHA2-256", DIGEST_SHA256},
};

/* `TAG (name) = hex` */
static const char *read_tagged(struct sum_line *sum, const char *p, size_t len)
{
    const char *open = len ? memchr(p, '(', len) : NULL;
    size_t tag_len = open ? (size_t)(open - p) : 0, digits = 0;
    const char *stop = p + len;

    if (tag_len && p[tag_len - 1] == ' ')
        tag_len--;
    for (size_t i = 0; tag_len && i < sizeof tags / sizeof *tags; i++)
        if (list_is_word(p, tag_len, tags[i].tag))
            sum->kind = (int)tags[i].kind;
    if (sum->kind < 0)
        return "has no recognized digest";
    while (digits < len && list_hex_digits(stop - digits - 1, 1))
        digits++;
    sum->hex = stop - digits;
    sum->digits = digits;
    stop = sum->hex;
    if (stop - open >= 3 && stop[-1] == ' ')
        stop--;
    if (stop - open < 3 || stop[-1] != '=')
        return "does not end with '= digest'";
    stop -= stop[-2] == ' ' ? 2 : 1;
    if (stop - open < 2 || stop[-1] != ')')
        return "does not end with '= digest'";
    sum->name = open + 1;
    sum->name_len = (size_t)(stop - 1 - sum->name);
    return NULL;
}

/* Takes the right-aligned size that md5deep -z writes; returns the offset after it, or 0. */
static size_t read_size(struct sum_line *sum, const char *p, size_t len)
{
    size_t at = 0, digits = 0;

    while (at < len && p[at] == ' ')
        at++;
    while (at + digits < len && p[at + digits] >= '0' && p[at + digits] <= '9')
        digits++;
    if (!digits || at + digits + 1 >= len || p[at + digits] != ' ' || list_digest_kind(digits) >= 0 ||
        !list_number(p + at, digits, &sum->size))
        return 0;
    for (at += digits; at < len && p[at] == ' '; at++)
        ;
    sum->has_size = true;
    return at;
}

/* Returns NULL, or what is wrong with the line.  Does not decode the digits yet. */
static const char *read_sum(struct sum_line *sum, const char *p, size_t len)
{
    size_t at;

    *sum = (struct sum_line){.kind = -1, .name = ""};
    if (len && *p == '\\') {
        sum->escaped = true;
        p++;
        len--;
    }
    at = read_size(sum, p, len);
    sum->hex = p + at;
    sum->digits = list_hex_digits(sum->hex, len - at);
    at += sum->digits;
    if (list_digest_kind(sum->digits) < 0)
        return sum->has_size || sum->digits >= 32 ? "has no digest of 32, 40 or 64 hexadecimal digits"
                                                  : read_tagged(sum, p, len);
    if (at == len)
        return NULL;
    if (!strchr(" \t,", p[at]) || !p[at])
        return "has no digest of 32, 40 or 64 hexadecimal digits";
    if (p[at] == ' ' && at + 1 < len && (p[at + 1] == ' ' || p[at + 1] == '*'))
        at++;
    sum->name = p + at + 1;
    sum->name_len = len - at - 1;
    return NULL;
}

/* The escapes of coreutils, \n, \r and \\, and \xHH, which kith adds. */
static bool unescape(struct buffer *out, const char *p, size_t len)
{
    static const char from[] = "nr\\", to[] = "\n\r\\";

    buffer_reset(out);
    for (size_t i = 0; i < len; i++) {
        const char *found;
        uint8_t byte;

        if (p[i] != '\\') {
            buffer_add_char(out, p[i]);
            continue;
        }
        if (len - i >= 4 && p[i + 1] == 'x' && list_hex(p + i + 2, 2, &byte) && byte) {
            buffer_add_char(out, (char)byte);
            i += 3;
            continue;
        }
        found = ++i < len && p[i] ? strchr(from, p[i]) : NULL;
        if (!found)
            return false;
        buffer_add_char(out, to[found - from]);
    }
    return true;
}

static bool is_nothing(const char *p, size_t len)
{
    size_t i = 0;

    while (i < len && (p[i] == ' ' || p[i] == '\t'))
        i++;
    return i == len || p[0] == '#';
}

bool list_sums_detect(struct list *list, const struct list_head *from)
{
    struct list_head head = *from;
    size_t good = 0, bad = 0, len;
    const char *line;
    struct sum_line sum;

    (void)list;
    if (head.len == 0)
        return true;
    while (good + bad < 20 && list_head_line(&head, &line, &len)) {
        if (is_nothing(line, len))
            continue;
        if (read_sum(&sum, line, len))
            bad++;
        else
            good++;
    }
    return good > bad || (good + bad == 0 && from->is_whole);
}

int list_sums_open(struct list *list, struct error *err)
{
    return list_new_state(list, sizeof(struct sums), err) ? 0 : -1;
}

void list_sums_close(struct list *list)
{
    struct sums *sums = list->state;

    buffer_release(&sums->name);
    free(sums);
}

static enum list_result take_sum(struct list *list, const char *line, size_t len, struct error *err)
{
    struct list_entry *entry = &list->entry;
    struct sums *sums = list->state;
    const uint64_t row = lines_number(list->lines);
    struct sum_line sum;
    const char *why = read_sum(&sum, line, len);
    const int kind = sum.kind >= 0 ? sum.kind : list_digest_kind(sum.digits);

    if (why)
        return list_bad(list, row, err, "the line %s", why);
    list_clear(list);
    if (!list_add_digest(entry, (enum digest_kind)kind, sum.hex, sum.digits))
        return list_bad(list, row, err, "the digest has %zu digits instead of %zu", sum.digits,
                        2 * digest_len((enum digest_kind)kind));
    if (!entry->digests.kinds)
        return list_bad(list, row, err, "there is no digest");
    entry->has_size = sum.has_size;
    entry->size = sum.size;
    entry->name = sum.name;
    entry->name_len = sum.name_len;
    if (!sum.escaped || !sum.name_len)
        return LIST_ENTRY;
    if (!unescape(&sums->name, sum.name, sum.name_len))
        return list_bad(list, row, err, "the name is marked as escaped, but contains an invalid escape");
    if (sums->name.failed)
        return list_failed(list, err, "out of memory");
    entry->name = sums->name.data;
    entry->name_len = sums->name.len;
    return LIST_ENTRY;
}

enum list_result list_sums_next(struct list *list, struct error *err)
{
    enum list_result result;
    const char *line;
    size_t len;

    do
        result = list_line(list, &line, &len, err);
    while (result == LIST_ENTRY && is_nothing(line, len));
    return result == LIST_ENTRY ? take_sum(list, line, len, err) : result;
}
