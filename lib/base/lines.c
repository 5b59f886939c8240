/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"

enum {
    RAW_LEN = 256 << 10,
    DECODED_LEN = RAW_LEN / 2 * 3, /* two bytes of UTF-16 become at most three of UTF-8 */
};

enum encoding {
    AS_IT_IS,
    UTF16_LE,
    UTF16_BE,
};

struct lines {
    char *path;
    int fd; /* -1: reading from memory */
    const uint8_t *memory;
    size_t memory_len; /* not yet read */
    bool is_file;
    bool at_end; /* of the file */
    uint64_t size;
    uint64_t position;
    struct digest *digest;
    bool hashed; /* sha256 is final */
    uint8_t sha256[DIGEST_SHA256_LEN];

    enum encoding encoding;
    char end; /* the line ending: LF or CR */
    uint8_t *raw;
    size_t raw_len;
    size_t left; /* bytes at the end of raw that belong to an incomplete character */
    char *decoded;
    const char *p, *stop; /* what is still to be returned, in raw or decoded */

    size_t longest;
    uint64_t number;
    const char *ending;
    struct buffer carried; /* a line that crosses a read boundary */

    struct buffer returned; /* lines pushed back; p and stop point into it while is_again */
    bool is_again, long_again;
    const char *later, *later_stop;
};

/* ---- reading ---- */

/* Reads once.  Returns 1, 0 at the end, -1 on error. */
static int read_some(struct lines *lines, struct error *err)
{
    uint8_t *to = lines->raw + lines->raw_len;
    const size_t room = RAW_LEN - lines->raw_len;
    ssize_t got;

    if (lines->fd < 0) {
        got = (ssize_t)(lines->memory_len < room ? lines->memory_len : room);
        if (got)
            memcpy(to, lines->memory, (size_t)got);
        lines->memory += got;
        lines->memory_len -= (size_t)got;
    } else {
        do
            got = read(lines->fd, to, room);
        while (got < 0 && errno == EINTR);
    }
    if (got < 0)
        return error_errno(err, "%s: cannot read", lines->path);
    lines->at_end = got == 0;
    lines->raw_len += (size_t)got;
    lines->position += (uint64_t)got;
    if (got && digest_update(lines->digest, to, (size_t)got, err))
        return -1;
    return got > 0;
}

/* ---- UTF-16 ---- */

static uint32_t unit_at(const struct lines *lines, size_t at)
{
    const uint8_t *p = lines->raw + at;

    return lines->encoding == UTF16_LE ? (uint32_t)(p[0] | p[1] << 8) : (uint32_t)(p[0] << 8 | p[1]);
}

/* Decodes raw from an offset, leaving a possibly incomplete character unless the file ends here. */
static void decode(struct lines *lines, size_t at)
{
    char *to = lines->decoded;

    for (; lines->raw_len - at >= 2; at += 2) {
        uint32_t c = unit_at(lines, at);

        if (c >= 0xd800 && c < 0xdc00) {
            const bool complete = lines->raw_len - at >= 4;
            const uint32_t low = complete ? unit_at(lines, at + 2) : 0;

            if (!complete && !lines->at_end)
                break;
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                at += 2;
            }
        }
        to = utf8_put(to, c);
    }
    lines->left = lines->raw_len - at;
    if (lines->at_end && lines->left) {
        *to++ = (char)lines->raw[at]; /* a stray byte at the end of the file */
        lines->left = 0;
    }
    lines->p = lines->decoded;
    lines->stop = to;
}

/* Returns to the text that follows the pushed-back lines; false if none is buffered. */
static bool leave_returned(struct lines *lines)
{
    if (!lines->is_again)
        return false;
    lines->is_again = false;
    lines->p = lines->later;
    lines->stop = lines->later_stop;
    return lines->p < lines->stop;
}

/* Refills when everything was returned.  Returns 1, 0 at the end, -1 on error. */
static int fill(struct lines *lines, struct error *err)
{
    if (leave_returned(lines))
        return 1;
    do {
        if (lines->at_end)
            return 0;
        if (lines->left)
            memmove(lines->raw, lines->raw + lines->raw_len - lines->left, lines->left);
        lines->raw_len = lines->left;
        lines->left = 0;
        if (read_some(lines, err) < 0)
            return -1;
        if (lines->encoding == AS_IT_IS) {
            lines->p = (const char *)lines->raw;
            lines->stop = lines->p + lines->raw_len;
        } else {
            decode(lines, 0);
        }
    } while (lines->p == lines->stop);
    return 1;
}

/* ---- the beginning ---- */

/* UTF-16 text in common alphabets has a zero in almost every pair, always on the same side. */
static bool is_plainly_utf16(const uint8_t *p, size_t len, size_t zeros_at)
{
    const size_t pairs = len / 2;
    size_t zeros = 0;

    for (size_t i = 0; i < pairs; i++) {
        zeros += p[2 * i + zeros_at] == 0;
        if (p[2 * i + 1 - zeros_at] == 0)
            return false;
    }
    return pairs >= 8 && zeros >= pairs - pairs / 8;
}

/* Returns the length of the byte order mark. */
static size_t find_encoding(struct lines *lines)
{
    const uint8_t *p = lines->raw;
    const size_t len = lines->raw_len, shown = len < LINES_HEAD ? len : LINES_HEAD;

    lines->encoding = AS_IT_IS;
    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        return 3;
    if (len >= 2 && p[0] == 0xff && p[1] == 0xfe)
        lines->encoding = UTF16_LE;
    else if (len >= 2 && p[0] == 0xfe && p[1] == 0xff)
        lines->encoding = UTF16_BE;
    if (lines->encoding != AS_IT_IS)
        return 2;
    if (is_plainly_utf16(p, shown, 1))
        lines->encoding = UTF16_LE;
    else if (is_plainly_utf16(p, shown, 0))
        lines->encoding = UTF16_BE;
    return 0;
}

static int begin(struct lines *lines, struct error *err)
{
    size_t mark;
    int more = 1;

    while (more > 0 && lines->raw_len < LINES_HEAD)
        more = read_some(lines, err);
    if (more < 0)
        return -1;
    mark = find_encoding(lines);
    if (lines->encoding == AS_IT_IS) {
        lines->p = (const char *)lines->raw + mark;
        lines->stop = (const char *)lines->raw + lines->raw_len;
    } else {
        lines->decoded = malloc(DECODED_LEN);
        if (!lines->decoded)
            return error_set(err, "out of memory");
        decode(lines, mark);
    }
    if (lines->p < lines->stop && !memchr(lines->p, '\n', (size_t)(lines->stop - lines->p)) &&
        memchr(lines->p, '\r', (size_t)(lines->stop - lines->p)))
        lines->end = '\r';
    return 0;
}

/* ---- opening ---- */

static struct lines *new_lines(const char *path, struct error *err)
{
    struct lines *lines = memory_new(sizeof *lines, err);

    if (!lines)
        return NULL;
    lines->fd = -1;
    lines->end = '\n';
    lines->ending = "";
    lines->longest = LINES_LONGEST;
    lines->path = strdup(path);
    lines->raw = memory_new(RAW_LEN, err);
    if (!lines->path || !lines->raw)
        error_set(err, "out of memory");
    else if ((lines->digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err)) &&
             digest_begin(lines->digest, err) == 0)
        return lines;
    lines_close(lines);
    return NULL;
}

static int open_file(struct lines *lines, const char *path, struct error *err)
{
    struct stat st;

    lines->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (lines->fd < 0 || fstat(lines->fd, &st))
        return error_errno(err, "%s", lines->path);
    if (S_ISDIR(st.st_mode))
        return error_set(err, "%s: is a folder, expected a file", lines->path);
    lines->is_file = S_ISREG(st.st_mode) && lines->fd != STDIN_FILENO;
    lines->size = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    return begin(lines, err);
}

struct lines *lines_open(const char *path, struct error *err)
{
    struct lines *lines = new_lines(strcmp(path, "-") == 0 ? "standard input" : path, err);

    if (lines && open_file(lines, path, err) == 0)
        return lines;
    lines_close(lines);
    return NULL;
}

struct lines *lines_open_memory(const void *data, size_t len, struct error *err)
{
    struct lines *lines = new_lines("memory", err);

    if (!lines)
        return NULL;
    lines->memory = data;
    lines->memory_len = len;
    lines->size = len;
    if (begin(lines, err) == 0)
        return lines;
    lines_close(lines);
    return NULL;
}

void lines_close(struct lines *lines)
{
    if (!lines)
        return;
    if (lines->fd > STDIN_FILENO)
        close(lines->fd);
    digest_free(lines->digest);
    buffer_release(&lines->carried);
    buffer_release(&lines->returned);
    free(lines->decoded);
    free(lines->raw);
    free(lines->path);
    free(lines);
}

const uint8_t *lines_raw_head(const struct lines *lines, size_t *len)
{
    *len = lines->raw_len < LINES_HEAD ? lines->raw_len : LINES_HEAD;
    return lines->raw;
}

const char *lines_head(const struct lines *lines, size_t *len)
{
    const size_t there = (size_t)(lines->stop - lines->p);

    *len = there < LINES_HEAD ? there : LINES_HEAD;
    return lines->p;
}

void lines_binary(struct lines *lines)
{
    lines->encoding = AS_IT_IS;
    lines->left = 0;
    lines->p = (const char *)lines->raw;
    lines->stop = lines->p + lines->raw_len;
}

void lines_limit(struct lines *lines, size_t longest)
{
    lines->longest = longest;
}

/* ---- lines ---- */

static enum lines_result give(struct lines *lines, const char *line, size_t len, bool ended, const char **out,
                              size_t *out_len)
{
    lines->ending = !ended ? "" : lines->end == '\r' ? "\r" : "\n";
    if (ended && lines->end == '\n' && len && line[len - 1] == '\r') {
        lines->ending = "\r\n";
        len--;
    }
    *out = line;
    *out_len = len;
    return len > lines->longest ? LINES_LONG : LINES_LINE;
}

/* Takes the buffered part of a line; overlong lines are not kept.  True if the end of the line was found. */
static bool carry(struct lines *lines, bool *is_long)
{
    const size_t there = (size_t)(lines->stop - lines->p);
    const char *end = there ? memchr(lines->p, lines->end, there) : NULL;
    const size_t len = end ? (size_t)(end - lines->p) : there;

    if (lines->carried.len + len >
        lines->longest + 1) /* a CR before the LF does not count towards the limit */
        *is_long = true;
    if (*is_long)
        buffer_reset(&lines->carried);
    else if (len)
        buffer_add(&lines->carried, lines->p, len);
    lines->p = end ? end + 1 : lines->stop;
    return end != NULL;
}

static enum lines_result pass_long(struct lines *lines, const char **line, size_t *len)
{
    lines->number++;
    *line = "";
    *len = 0;
    return LINES_LONG;
}

static enum lines_result next_across(struct lines *lines, const char **line, size_t *len, struct error *err)
{
    bool is_long = false, ended = false, any = lines->p < lines->stop;
    int more = 1;

    if (lines->long_again && !any) {
        lines->long_again = false;
        return pass_long(lines, line, len);
    }
    buffer_reset(&lines->carried);
    while (!ended && more > 0) {
        ended = carry(lines, &is_long);
        more = ended ? 1 : fill(lines, err);
        any = any || more > 0;
    }
    if (more < 0)
        return LINES_FAILED;
    if (!any)
        return LINES_END;
    if (lines->carried.failed) {
        error_set(err, "%s: out of memory", lines->path);
        return LINES_FAILED;
    }
    if (is_long)
        return pass_long(lines, line, len);
    lines->number++;
    return give(lines, lines->carried.data ? lines->carried.data : "", lines->carried.len, ended, line, len);
}

enum lines_result lines_next(struct lines *lines, const char **line, size_t *len, struct error *err)
{
    const char *begin = lines->p;
    const char *end = begin < lines->stop ? memchr(begin, lines->end, (size_t)(lines->stop - begin)) : NULL;

    if (!end)
        return next_across(lines, line, len, err);
    lines->number++;
    lines->p = end + 1;
    return give(lines, begin, (size_t)(end - begin), true, line, len);
}

int lines_return(struct lines *lines, const char *text, size_t len, uint64_t count, bool too_long,
                 struct error *err)
{
    lines->number -= count + too_long;
    lines->long_again = lines->long_again || too_long;
    if (lines->is_again) {
        lines->p -= len;
        return 0;
    }
    buffer_reset(&lines->returned);
    buffer_add(&lines->returned, text, len);
    if (lines->returned.failed)
        return error_set(err, "%s: out of memory", lines->path);
    lines->later = lines->p;
    lines->later_stop = lines->stop;
    lines->p = lines->returned.data ? lines->returned.data : "";
    lines->stop = lines->p + lines->returned.len;
    lines->is_again = true;
    return 0;
}

const char *lines_ending(const struct lines *lines)
{
    return lines->ending;
}

uint64_t lines_number(const struct lines *lines)
{
    return lines->number;
}

/* ---- bytes ---- */

int lines_bytes(struct lines *lines, const char **data, size_t *len, struct error *err)
{
    if (lines->p == lines->stop) {
        int more = fill(lines, err);

        if (more <= 0)
            return more;
    }
    *data = lines->p;
    *len = (size_t)(lines->stop - lines->p);
    lines->p = lines->stop;
    return 1;
}

int lines_copy(struct lines *lines, void *out, size_t len, size_t *got, struct error *err)
{
    for (*got = 0; *got < len;) {
        const size_t there = (size_t)(lines->stop - lines->p), wanted = len - *got;
        const size_t part = there < wanted ? there : wanted;
        int more = 1;

        if (part)
            memcpy((uint8_t *)out + *got, lines->p, part);
        else
            more = fill(lines, err);
        if (more <= 0)
            return more;
        *got += part;
        lines->p += part;
    }
    return 0;
}

uint64_t lines_position(const struct lines *lines)
{
    return lines->position;
}

uint64_t lines_size(const struct lines *lines)
{
    return lines->size;
}

bool lines_is_file(const struct lines *lines)
{
    return lines->is_file;
}

static int hash_the_rest(struct lines *lines, struct error *err)
{
    struct digest_values values;
    int more = 1;

    while (more > 0) {
        lines->p = lines->stop;
        more = fill(lines, err);
    }
    if (more < 0 || digest_final(lines->digest, &values, err))
        return -1;
    memcpy(lines->sha256, values.bytes[DIGEST_SHA256], DIGEST_SHA256_LEN);
    lines->hashed = true;
    return 0;
}

int lines_sha256(struct lines *lines, uint8_t out[DIGEST_SHA256_LEN], struct error *err)
{
    if (!lines->hashed && hash_the_rest(lines, err))
        return -1;
    memcpy(out, lines->sha256, DIGEST_SHA256_LEN);
    return 0;
}
