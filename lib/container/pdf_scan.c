/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    WINDOW = 64 << 10,
    BEFORE = 32,            /* bytes before "obj" for its number */
    AHEAD = 16,             /* bytes of the longest keyword, and one more */
    BLOCK = 512,            /* unreadable bytes that are skipped at a time */
    MOST_GAP = 1 << 20,     /* bytes without an object, after which a carved file is taken to have ended */
    MOST_CARVED = 64 << 20, /* bytes of a stream in one, if its length is not known */
    MOST_WASTED = 16 << 20,
};

/* ---- the window ---- */

/* What cannot be read is zeros. */
static void fill(struct pdf_scan *scan, size_t len)
{
    scan->window_len = 0;
    while (scan->window_len < len) {
        uint8_t *into = scan->window + scan->window_len;
        const size_t left = len - scan->window_len, lost = left < BLOCK ? left : BLOCK;
        const ssize_t got =
            scan->content->read(scan->content, scan->window_at + scan->window_len, into, left);

        if (got <= 0)
            memset(into, 0, lost);
        scan->window_len += got > 0 ? (size_t)got : lost;
    }
    if (scan->watch && scan->watch->progress)
        scan->watch->progress(scan->watch->arg);
}

/* Makes `want` bytes from `at` on available, fewer only at the end of the content.  NULL if memory runs out.
 */
static const uint8_t *view(struct pdf_scan *scan, uint64_t at, size_t want, size_t *len)
{
    const uint64_t size = scan->content->size, left = at < size ? size - at : 0;

    if (at < scan->window_at || at > scan->window_at + scan->window_len ||
        scan->window_at + scan->window_len - at < (want < left ? want : left)) {
        const size_t room = want > WINDOW ? want : WINDOW;

        if (array_reserve(&scan->window, &scan->window_room, room) < 0)
            return NULL;
        scan->window_at = at;
        fill(scan, room < left ? room : (size_t)left);
    }
    *len = (size_t)(scan->window_at + scan->window_len - at);
    return scan->window + (at - scan->window_at);
}

int pdf_scan_init(struct pdf_scan *scan, const struct container_sight *sight,
                  const struct container_watch *watch, struct error *err)
{
    *scan = (struct pdf_scan){.content = sight->content, .watch = watch, .is_carved = sight->is_carved};
    pdf_scan_rewind(scan);
    if (array_reserve(&scan->window, &scan->window_room, WINDOW) < 0)
        return error_set(err, "out of memory");
    return 0;
}

void pdf_scan_release(struct pdf_scan *scan)
{
    free(scan->window);
    *scan = (struct pdf_scan){0};
}

void pdf_scan_rewind(struct pdf_scan *scan)
{
    scan->at = scan->last = scan->wasted = 0;
    scan->end = scan->content->size;
    scan->is_cut = true; /* until its end is found */
}

/* ---- keywords ---- */

enum keyword { NOTHING, OBJECT, TRAILER, END_OF_FILE, HEADER };

static bool has(const uint8_t *p, size_t len, const char *text)
{
    const size_t text_len = strlen(text);

    return len >= text_len && memcmp(p, text, text_len) == 0;
}

static enum keyword keyword_at(const uint8_t *p, size_t len)
{
    switch (*p) {
    case 'o':
        return has(p, len, "obj") ? OBJECT : NOTHING;
    case 't':
        return has(p, len, "trailer") ? TRAILER : NOTHING;
    case '%':
        return has(p, len, "%%EOF") ? END_OF_FILE : has(p, len, "%PDF-") ? HEADER : NOTHING;
    default:
        return NOTHING;
    }
}

/* Moves on to the next keyword.  -1 if memory runs out. */
static int find_keyword(struct pdf_scan *scan, enum keyword *keyword)
{
    uint64_t end = scan->end;

    *keyword = NOTHING;
    if (scan->is_carved && end - scan->last > MOST_GAP)
        end = scan->last + MOST_GAP;
    while (scan->at < end) {
        size_t len, i = 0;
        const uint8_t *p = view(scan, scan->at, AHEAD, &len);

        if (!p)
            return -1;
        const size_t stop = scan->at + len < scan->content->size ? len - AHEAD + 1 : len;

        while (i < stop && (*keyword = keyword_at(p + i, len - i)) == NOTHING)
            i++;
        scan->at += i;
        if (*keyword != NOTHING)
            break;
    }
    if (scan->at >= end)
        *keyword = NOTHING;
    return 0;
}

/* The digits that end at `at`, and the white space after them that ends at *p; moves *p to their start. */
static bool number_before(const uint8_t **p, const uint8_t *from, uint32_t *number)
{
    const uint8_t *at = *p, *last;
    uint64_t value = 0;

    while (at > from && pdf_lex_is_space(at[-1]))
        at--;
    if (at == *p)
        return false;
    for (last = at; at > from && at[-1] >= '0' && at[-1] <= '9'; at--)
        ;
    for (const uint8_t *digit = at; digit < last; digit++)
        value = value * 10 + (uint64_t)(*digit - '0');
    *p = at;
    *number = (uint32_t)value;
    return last > at && last - at <= 10 && value <= UINT32_MAX;
}

/* Whether "N G " comes before scan->at, and no letter after "obj". */
static int read_number(struct pdf_scan *scan, struct pdf_scan_found *found)
{
    const size_t before = scan->at < BEFORE ? (size_t)scan->at : BEFORE;
    size_t len;
    const uint8_t *from = view(scan, scan->at - before, BEFORE + AHEAD, &len), *p;

    if (!from)
        return -1;
    p = from + before;
    if (len > before + 3 && ((p[3] | 0x20) >= 'a' && (p[3] | 0x20) <= 'z'))
        return 0;
    return number_before(&p, from, &found->generation) && number_before(&p, from, &found->number);
}

/* ---- an object ---- */

enum ending { UNFINISHED, STREAM, PLAIN };

/* Reads tokens up to the end of the value. */
static enum ending find_ending(const uint8_t *p, size_t len, size_t *value_len, size_t *read)
{
    struct pdf_lex lex = {p, p + len};
    struct pdf_lex_token token;

    while (pdf_lex_next(&lex, &token) != PDF_LEX_END) {
        *value_len = *read = (size_t)(token.start - p);
        if (token.kind != PDF_LEX_WORD)
            continue;
        if (pdf_lex_is(&token, PDF_LEX_WORD, "stream"))
            return STREAM;
        /* "endobjxref" happens, and without an end, the next object begins. */
        if (has(token.text, token.len, "endobj") || has(token.text, token.len, "obj") ||
            has(token.text, token.len, "startxref") || has(token.text, token.len, "xref"))
            return PLAIN;
    }
    *read = len;
    return UNFINISHED;
}

/* Views the value that begins at found->at.  Returns its ending, or -1 if memory runs out. */
static int read_head(struct pdf_scan *scan, struct pdf_scan_found *found)
{
    for (size_t want = 4 << 10;; want *= 4) {
        size_t len, value_len = 0, read = 0;
        const uint8_t *p = view(scan, found->at, want, &len);
        enum ending ending;

        if (!p)
            return -1;
        ending = find_ending(p, len, &value_len, &read);
        if (ending != UNFINISHED || len < want || want >= PDF_SCAN_MOST_HEAD) {
            found->head = (struct pdf_value){p, value_len};
            if (ending == UNFINISHED)
                scan->wasted += read;
            /* The search goes on in an object that does not end, while that is affordable. */
            scan->at = found->at + (ending != UNFINISHED || scan->wasted > MOST_WASTED ? read : 0);
            return (int)ending;
        }
        if (len > want)
            want = len;
    }
}

/* Whether a stream may end here: white space, and then the keyword. */
static bool ends_at(struct pdf_scan *scan, uint64_t at)
{
    uint8_t bytes[24];
    const uint64_t left = at < scan->content->size ? scan->content->size - at : 0;
    const size_t len = left < sizeof bytes ? (size_t)left : sizeof bytes;
    size_t i = 0;

    if (content_read(scan->content, at, bytes, len) < 0)
        return false;
    while (i < len && pdf_lex_is_space(bytes[i]))
        i++;
    return has(bytes + i, len - i, "endstream") || has(bytes + i, len - i, "endobj");
}

/* Finds "endstream" or "endobj" from found->data on; the keyword's place, or where the content ends. */
static int find_end(struct pdf_scan *scan, const struct pdf_scan_found *found, uint64_t *end)
{
    uint64_t at = found->data, most = scan->end;

    if (scan->is_carved && most - at > MOST_CARVED)
        most = at + MOST_CARVED;
    while (at < most) {
        size_t len;
        const uint8_t *p = view(scan, at, AHEAD, &len), *hit = p;

        if (!p)
            return -1;
        while ((hit = memmem(hit, len - (size_t)(hit - p), "end", 3))) {
            const size_t left = len - (size_t)(hit - p);

            if (has(hit + 3, left - 3, "stream") || has(hit + 3, left - 3, "obj")) {
                *end = at + (size_t)(hit - p);
                return 0;
            }
            hit++;
        }
        at += at + len < scan->content->size ? len - AHEAD + 1 : len;
    }
    *end = most;
    return 0;
}

/* After the keyword at `end`, there may be the object to which the length refers, as many programs write it.
 * Returns the length, or -1. */
static int64_t length_after(struct pdf_scan *scan, uint64_t end, uint32_t number)
{
    uint8_t bytes[128];
    const uint64_t left = scan->content->size - end;
    const size_t len = left < sizeof bytes ? (size_t)left : sizeof bytes;
    struct pdf_lex lex = {bytes, bytes + len};
    struct pdf_lex_token token;

    if (content_read(scan->content, end, bytes, len) < 0)
        return -1;
    do {
        if (pdf_lex_next(&lex, &token) == PDF_LEX_END)
            return -1;
    } while (token.kind == PDF_LEX_WORD);
    if (token.kind != PDF_LEX_NUMBER || token.number != number ||
        pdf_lex_next(&lex, &token) != PDF_LEX_NUMBER)
        return -1;
    pdf_lex_next(&lex, &token);
    if (!pdf_lex_is(&token, PDF_LEX_WORD, "obj") || pdf_lex_next(&lex, &token) != PDF_LEX_NUMBER ||
        token.number < 0 || token.number > (double)INT64_MAX / 2)
        return -1;
    return (int64_t)token.number;
}

/* The line's end before the keyword belongs to neither. */
static uint64_t without_line_end(struct pdf_scan *scan, uint64_t from, uint64_t end)
{
    uint8_t last[2];

    if (end - from < 2 || content_read(scan->content, end - 2, last, 2) < 0)
        return end;
    if (last[1] == '\n')
        return end - (last[0] == '\r' ? 2 : 1);
    return end - (last[1] == '\r');
}

static bool fits(struct pdf_scan *scan, const struct pdf_scan_found *found, int64_t len)
{
    return len >= 0 && (uint64_t)len <= scan->end - found->data && ends_at(scan, found->data + (uint64_t)len);
}

/* Finds the extent of the data.  The view of the head is lost. */
static int measure_data(struct pdf_scan *scan, struct pdf_scan_found *found)
{
    const struct pdf_value length = pdf_lex_get(found->head, "Length");
    uint32_t number;
    uint64_t end;
    const bool is_elsewhere = pdf_lex_reference(length, &number);
    int64_t len = is_elsewhere ? -1 : pdf_lex_whole(length, INT64_MAX / 2);

    if (!fits(scan, found, len)) {
        if (find_end(scan, found, &end) < 0)
            return -1;
        len = is_elsewhere && end < scan->end ? length_after(scan, end, number) : -1;
        if (!fits(scan, found, len))
            len = (int64_t)((end < scan->end ? without_line_end(scan, found->data, end) : end) - found->data);
    }
    found->data_len = (uint64_t)len;
    scan->at = found->data + found->data_len;
    return 0;
}

/* The data begins after the keyword and the end of its line. */
static int read_stream(struct pdf_scan *scan, struct pdf_scan_found *found)
{
    const size_t head_len = found->head.len;
    size_t len;
    const uint8_t *p = view(scan, found->at + head_len, AHEAD, &len);

    if (!p)
        return -1;
    found->is_stream = true;
    found->data = found->at + head_len + 6;
    found->data += len > 7 && p[6] == '\r' && p[7] == '\n' ? 2 : len > 6 && (p[6] == '\n' || p[6] == '\r');
    p = view(scan, found->at, head_len, &len);
    if (!p)
        return -1;
    found->head.text = p;
    if (measure_data(scan, found) < 0 || !(p = view(scan, found->at, head_len, &len)))
        return -1;
    found->head.text = p;
    return 0;
}

/* Returns 1 if scan->at is at an object, which is then passed; 0 if not. */
static int read_object(struct pdf_scan *scan, struct pdf_scan_found *found, enum keyword keyword)
{
    int result;

    *found = (struct pdf_scan_found){.is_trailer = keyword == TRAILER};
    result = keyword == TRAILER ? 1 : read_number(scan, found);
    scan->at += keyword == TRAILER ? 7 : 3;
    if (result <= 0)
        return result;
    found->at = scan->at;
    result = read_head(scan, found);
    if (result < 0 || (result == STREAM && read_stream(scan, found) < 0))
        return -1;
    scan->last = scan->at;
    scan->is_cut = true;
    return 1;
}

/* ---- the end ---- */

/* Whether an object follows the mark of the end, because the file was updated or is linearised. */
static int goes_on(struct pdf_scan *scan)
{
    size_t len;
    const uint8_t *p = view(scan, scan->at, 1 << 10, &len);
    struct pdf_lex lex = {p, p ? p + len : NULL};
    struct pdf_lex_token token;

    if (!p)
        return -1;
    if (pdf_lex_next(&lex, &token) != PDF_LEX_NUMBER)
        return pdf_lex_is(&token, PDF_LEX_WORD, "xref");
    if (pdf_lex_next(&lex, &token) != PDF_LEX_NUMBER)
        return 0;
    pdf_lex_next(&lex, &token);
    return pdf_lex_is(&token, PDF_LEX_WORD, "obj");
}

/* Passes the mark, with the end of its line. */
static int read_mark(struct pdf_scan *scan)
{
    size_t len, passed = 5;
    const uint8_t *p = view(scan, scan->at, AHEAD, &len);
    int result = 1;

    if (!p)
        return -1;
    if (passed < len && p[passed] == '\r')
        passed++;
    if (passed < len && p[passed] == '\n')
        passed++;
    scan->at += passed;
    scan->last = scan->at;
    scan->is_cut = false;
    if (scan->is_carved && (result = goes_on(scan)) == 0)
        scan->end = scan->at;
    return result < 0 ? -1 : 0;
}

/* Another file begins, unless this is the first, or one that is embedded without being compressed. */
static void read_header(struct pdf_scan *scan)
{
    if (scan->is_carved && scan->at > 0 && scan->at % BLOCK == 0)
        scan->end = scan->at;
    scan->at += 5;
}

int pdf_scan_next(struct pdf_scan *scan, struct pdf_scan_found *found, struct error *err)
{
    int result = 0;

    while (result == 0) {
        enum keyword keyword;

        if ((result = find_keyword(scan, &keyword)) < 0)
            break;
        if (keyword == NOTHING)
            return 0;
        if (keyword == END_OF_FILE)
            result = read_mark(scan);
        else if (keyword == HEADER)
            read_header(scan);
        else
            result = read_object(scan, found, keyword);
    }
    return result < 0 ? error_set(err, "out of memory") : result;
}
