/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "container/ole_text_inner.h"

/* Records (MS-PPT 2.3.1): version and instance, type, length.  A record with this version has others in it.
 */
enum { HEAD = 8, IS_FOLDER = 0xf, TEXT_UTF16 = 4000, TEXT_BYTES = 4008, PART = 4096 };

static int begin(struct ole_text *text, const char **problem, struct error *err)
{
    (void)text;
    (void)problem;
    (void)err;
    return 0;
}

static void take_char(struct running_text *out, uint32_t c)
{
    if (c == '\r' || c == '\v' || c == '\n')
        running_text_break(out);
    else if (c >= ' ')
        running_text_char(out, c);
    else if (c == '\t')
        running_text_space(out);
}

/* Part of the text of a record. */
static void take_text(struct ole_text *text)
{
    struct ole_text_slides *slides = &text->slides;
    const uint64_t left = slides->text_end - slides->text;
    const size_t len = left < PART ? (size_t)left : PART;
    const uint8_t *bytes = ole_text_at(&text->main, slides->text, len);

    for (size_t i = 0; bytes && i + slides->unit <= len; i += slides->unit) {
        const uint32_t c =
            ole_text_unit(&slides->utf16, (uint32_t)bytes_load_le(bytes + i, (int)slides->unit));

        if (c)
            take_char(&text->out, c);
    }
    if (!bytes)
        text->damage = "is cut off";
    slides->text = bytes ? slides->text + len : slides->text_end;
    if (slides->text == slides->text_end)
        running_text_break(&text->out);
}

static void take_record(struct ole_text *text, const uint8_t *head)
{
    struct ole_text_slides *slides = &text->slides;
    const uint64_t start = slides->at + HEAD, end = start + bytes_load32(head + 4);
    const uint64_t size = text->main.stream.size;
    const uint32_t type = (uint32_t)bytes_load_le(head + 2, 2);

    if ((head[0] & IS_FOLDER) == IS_FOLDER) {
        slides->at = start;
        return;
    }
    slides->at = end;
    if (type != TEXT_UTF16 && type != TEXT_BYTES)
        return;
    slides->text = start;
    slides->text_end = end < size ? end : size;
    slides->unit = type == TEXT_UTF16 ? 2 : 1;
    slides->utf16 = (struct ole_text_utf16){0};
}

static int step(struct ole_text *text, struct error *err)
{
    const struct ole_text_slides *slides = &text->slides;
    const uint8_t *head;

    (void)err;
    if (slides->text < slides->text_end) {
        take_text(text);
        return 0;
    }
    head = ole_text_at(&text->main, slides->at, HEAD);
    if (head) {
        take_record(text, head);
        return 0;
    }
    text->damage = slides->at < text->main.stream.size ? "is cut off" : text->main.stream.problem;
    text->is_ended = true;
    return 0;
}

const struct ole_text_kind ole_text_slides_kind = {"PowerPoint Document", false, begin, step};
