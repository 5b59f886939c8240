/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "container/html.h"
#include "container/ole.h"
#include "container/ole_text_inner.h"

enum { AHEAD = 32 << 10, PART = 4096, PROGRESS = 4096, MOST_DOCUMENTS = 256 };

/* ---- streams ---- */

static int open_stream(struct ole_text *text, const struct ole_entry *entry, struct error *err)
{
    ole_stream_release(&text->main.stream);
    text->main.file = &text->file;
    text->main.start = text->main.len = 0;
    return ole_stream_open(&text->main.stream, &text->file, entry, err);
}

/* ---- mails ---- */

/* Subject and body, in UTF-16 and in some charset of 8 bits. */
static const char *const properties[] = {"__substg1.0_0037001F", "__substg1.0_0037001E",
                                         "__substg1.0_1000001F", "__substg1.0_1000001E"};

enum { PROPERTIES = sizeof properties / sizeof *properties };

static int property_of(const struct ole_entry *entry)
{
    for (int i = 0; i < PROPERTIES; i++)
        if (ole_entry_is(entry, properties[i]))
            return i;
    return -1;
}

/* Text of 8 bits is taken as a line of preformatted HTML, whose charset is decided by its looks. */
static int begin_property(struct ole_text *text, const struct ole_entry *entry, int property,
                          struct error *err)
{
    struct ole_text_mail *mail = &text->mail;

    if (open_stream(text, entry, err))
        return -1;
    mail->in_property = true;
    mail->is_wide = property % 2 == 0;
    mail->at = 0;
    mail->utf16 = (struct ole_text_utf16){0};
    mail->html = (struct html_text){.out = &text->out, .preformatted = 1};
    running_text_break(&text->out);
    return 0;
}

static void end_property(struct ole_text *text)
{
    if (text->mail.at + 1 < text->main.stream.size)
        text->damage = "is cut off";
    else if (text->main.stream.problem)
        text->damage = text->main.stream.problem;
    text->mail.in_property = false;
    running_text_break(&text->out);
}

static void take_wide(struct ole_text *text, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i + 2 <= len; i += 2) {
        const uint32_t c = ole_text_unit(&text->mail.utf16, (uint32_t)bytes_load_le(bytes + i, 2));

        if (c == '\n')
            running_text_break(&text->out);
        else if (c)
            running_text_char(&text->out, c);
    }
}

static void take_part(struct ole_text *text)
{
    struct ole_text_mail *mail = &text->mail;
    const uint64_t left = text->main.stream.size - mail->at;
    const size_t len = left < PART ? (size_t)left : PART;
    const uint8_t *bytes = len ? ole_text_at(&text->main, mail->at, len) : NULL;
    const struct markup_token token = {.kind = MARKUP_TEXT, .text = (const char *)bytes, .len = len};

    if (!bytes) {
        end_property(text);
        return;
    }
    if (mail->is_wide)
        take_wide(text, bytes, len);
    else
        html_text_token(&mail->html, &token);
    mail->at += len;
}

/* The properties of the mail itself one after another, and then those of mails attached to it. */
static int step_mail(struct ole_text *text, struct error *err)
{
    struct ole_text_mail *mail = &text->mail;
    struct ole_entry entry;
    int property = -1;

    if (mail->in_property) {
        take_part(text);
        return 0;
    }
    for (; mail->index < text->file.entry_count; mail->index++) {
        const bool is_own = text->file.parents[mail->index] == 0;

        if (!ole_file_entry(&text->file, mail->index, &entry) || (property = property_of(&entry)) < 0)
            continue;
        if (is_own ? property == (int)mail->step : mail->step == PROPERTIES)
            break;
    }
    if (mail->index < text->file.entry_count) {
        mail->index++;
        return begin_property(text, &entry, property, err);
    }
    mail->index = 0;
    text->is_ended = mail->step++ == PROPERTIES;
    return 0;
}

static int begin_mail(struct ole_text *text, const char **problem, struct error *err)
{
    (void)text;
    (void)problem;
    (void)err;
    return 0;
}

static const struct ole_text_kind mail_kind = {"__properties_version1.0", true, begin_mail, step_mail};

/* ---- the container ---- */

static const struct ole_text_kind *const kinds[] = {
    &ole_text_word_kind,
    &ole_text_sheets_kind,
    &ole_text_sheets_old_kind,
    &ole_text_slides_kind,
    &mail_kind,
    NULL,
};

static void end_document(struct ole_text *text)
{
    ole_stream_release(&text->word.table.stream);
    shared_strings_release(&text->sheets.strings);
    running_text_release(&text->out);
    text->word = (struct ole_text_word){0};
    text->sheets = (struct ole_text_sheets){0};
    text->slides = (struct ole_text_slides){0};
    text->mail = (struct ole_text_mail){0};
    text->damage = NULL;
    text->is_ended = false;
}

static const struct ole_text_kind *kind_of(const struct ole_entry *entry, bool is_root)
{
    for (size_t i = 0; kinds[i]; i++)
        if (ole_entry_is(entry, kinds[i]->stream) && (is_root || !kinds[i]->is_root_only))
            return kinds[i];
    return NULL;
}

/* The next stream that is the main one of a document. */
static bool find_document(struct ole_text *text, struct ole_entry *entry)
{
    while (text->next_index < text->file.entry_count) {
        const uint32_t index = text->next_index++;

        text->folder = text->file.parents[index];
        if (text->folder == OLE_NO_PARENT || (text->folder != 0) != text->is_embedded_pass ||
            !ole_file_entry(&text->file, index, entry))
            continue;
        text->kind = kind_of(entry, text->folder == 0);
        if (text->kind)
            return true;
    }
    return false;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct ole_text *text = (struct ole_text *)container;
    struct ole_entry entry;

    end_document(text);
    while (!find_document(text, &entry)) {
        if (text->is_embedded_pass)
            return 0;
        text->is_embedded_pass = true;
        text->next_index = 0;
    }
    if (text->document_count++ == MOST_DOCUMENTS)
        return error_set(err, "has more than %d documents", (int)MOST_DOCUMENTS);
    *member = (struct container_member){.name = "text", .name_len = 4, .size = CONTAINER_UNKNOWN};
    if (open_stream(text, &entry, err) || text->kind->begin(text, &member->problem, err))
        return -1;
    return 1;
}

static int produce(struct ole_text *text, struct error *err)
{
    for (int i = 0; i < PROGRESS && !text->is_ended && text->out.out.len < AHEAD; i++)
        if (text->kind->step(text, err))
            return -1;
    text->file.watch->progress(text->file.watch->arg);
    if (text->is_ended)
        running_text_end(&text->out);
    return 0;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct ole_text *text = (struct ole_text *)container;
    size_t count = 0;

    while (len > 0 && (count = running_text_take(&text->out, into, len)) == 0 && !text->is_ended)
        if (produce(text, err))
            return -1;
    if (text->out.out.failed || text->sheets.strings.bytes.failed)
        return error_set(err, "out of memory");
    if (count == 0 && len > 0 && text->damage)
        return error_set(err, "%s", text->damage);
    return (ssize_t)count;
}

static uint64_t place_of_member(struct container *container)
{
    (void)container;
    return CONTAINER_UNKNOWN;
}

static uint64_t end_of_file(struct container *container)
{
    return ole_file_end(&((struct ole_text *)container)->file);
}

static void close_text(struct container *container)
{
    struct ole_text *text = (struct ole_text *)container;

    if (!text)
        return;
    end_document(text);
    ole_stream_release(&text->main.stream);
    ole_file_close(&text->file);
    free(text);
}

static struct container *open_text(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct ole_text *text = memory_new(sizeof *text, err);

    if (!text)
        return NULL;
    text->container = (struct container){.next = next_member,
                                         .read = read_member,
                                         .place = place_of_member,
                                         .end = end_of_file,
                                         .close = close_text};
    if (ole_file_open(&text->file, sight->content, watch, err)) {
        close_text(&text->container);
        return NULL;
    }
    return &text->container;
}

const struct container_format ole_text_format = {.name = "text",
                                                 .is_second = true,
                                                 .first = "\xd0",
                                                 .magic = ole_file_magic,
                                                 .matches = ole_file_matches,
                                                 .open = open_text};
