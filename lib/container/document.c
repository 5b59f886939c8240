/* SPDX-License-Identifier: Apache-2.0 */
#include "container/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "container/archive.h"
#include "container/document_inner.h"

enum {
    MOST_PARTS = 1 << 16,
    MOST_PASSES = 64,      /* through the archive, to read its parts in order */
    MOST_MARKUP = 1 << 30, /* bytes unpacked for one text */
    AHEAD = 32 << 10,      /* text produced before it is handed over */
    TAIL = 64 << 10,       /* of an archive: where the names of its members are looked for */
};

struct document {
    struct container container;
    struct container_sight sight;
    uint8_t head[CONTAINER_HEAD];
    const struct container_watch *watch;
    struct container *archive; /* NULL: to be opened anew */
    uint32_t at;               /* members that the archive has yielded */
    uint64_t member_count, steps;
    struct document_part *parts; /* in the order of reading */
    size_t part_count, part_room, next_part;
    bool is_listed, is_yielded, is_reading, is_ended, only_asides;
    uint64_t read; /* bytes of markup so far */
    struct error damage;
    struct shared_strings strings;
    struct document_book book;
    struct buffer folder; /* of the book's list of files */
    struct document_text text;
    struct running_text out;
    struct markup markup;
};

/* ---- the archive ---- */

static int open_archive(struct document *document, struct error *err)
{
    if (document->archive)
        document->archive->close(document->archive);
    document->at = 0;
    document->archive = archive_format_zip.open(&document->sight, document->watch, err);
    return document->archive ? 0 : -1;
}

/* The first reason is kept; whatever can still be read is read. */
static void note_damage(struct document *document, const struct error *err)
{
    if (!document->damage.text[0])
        document->damage = *err;
}

/* Whether there is a next member. */
static bool next_of_archive(struct document *document, struct container_member *member)
{
    struct error err = {""};
    const int result = document->archive->next(document->archive, member, &err);

    if (result < 0)
        note_damage(document, &err);
    document->at += result > 0;
    document->steps++;
    return result > 0;
}

static int compare_parts(const void *a, const void *b)
{
    const struct document_part *one = a, *two = b;

    if (one->rank != two->rank)
        return one->rank < two->rank ? -1 : 1;
    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    return (one->index > two->index) - (one->index < two->index);
}

static int compare_places(const void *a, const void *b)
{
    const struct document_part *one = a, *two = b;

    return (one->index > two->index) - (one->index < two->index);
}

static void sort_parts(struct document *document, int (*order)(const void *, const void *))
{
    const size_t first = document->next_part;

    if (document->part_count > first)
        qsort(document->parts + first, document->part_count - first, sizeof *document->parts, order);
}

static int add_part(struct document *document, const struct document_part *part, struct error *err)
{
    if (document->part_count == MOST_PARTS)
        return 0;
    if (array_reserve(&document->parts, &document->part_room, document->part_count + 1))
        return error_set(err, "out of memory");
    document->parts[document->part_count++] = *part;
    return 0;
}

/* Names with a slash at the beginning occur. */
static void trim(const struct container_member *member, const char **name, size_t *len)
{
    const bool slash = member->name_len > 0 && member->name[0] == '/';

    *name = slash ? member->name + 1 : member->name;
    *len = member->name_len - slash;
}

/* Goes through the archive once for the parts with text; or, if the order of chapters is known, for those. */
static int list_parts(struct document *document, bool chapters, struct error *err)
{
    struct container_member member;
    struct document_part part;

    if (open_archive(document, err))
        return -1;
    while (next_of_archive(document, &member)) {
        const char *name;
        size_t len;
        bool is_part;

        trim(&member, &name, &len);
        if (chapters) {
            document_make_chapter(&part, document_book_number(&document->book, name, len));
            is_part = part.number != UINT32_MAX;
        } else {
            is_part = document_part_of(name, len, &part);
        }
        part.index = document->at - 1;
        if (is_part && !member.problem && add_part(document, &part, err))
            return -1;
    }
    document->member_count = document->at;
    sort_parts(document, compare_parts);
    return 0;
}

/* ---- its parts ---- */

static void keep_folder(struct document *document, const struct container_member *member)
{
    size_t len = member->name_len;

    while (len > 0 && member->name[len - 1] != '/')
        len--;
    buffer_reset(&document->folder);
    buffer_add(&document->folder, member->name, len);
}

/*
 * Opens the next part.  It lies after the last one if the parts were stored in order; otherwise the archive
 * is read again, and if that gets too much, the rest of the parts is taken in the order in which they are
 * stored.
 */
static int open_part(struct document *document, struct error *err)
{
    struct container_member member = {0};
    const struct document_part *part = &document->parts[document->next_part];

    if (document->steps > MOST_PASSES * (document->member_count + 1)) {
        document->steps = 0;
        sort_parts(document, compare_places);
    }
    if ((!document->archive || part->index < document->at) && open_archive(document, err))
        return -1;
    while (document->at <= part->index)
        if (!next_of_archive(document, &member))
            return 0;
    if (document_language_of(part) == DOCUMENT_BOOK)
        keep_folder(document, &member);
    document_text_begin(&document->text, document_language_of(part), document->only_asides);
    markup_begin(&document->markup, document->text.language == DOCUMENT_CHAPTER);
    document->is_reading = true;
    return 0;
}

static int end_part(struct document *document, struct error *err)
{
    struct document_part *part = &document->parts[document->next_part++];

    part->has_asides = document->is_reading && document->text.saw_asides;
    if (document->is_reading && document->text.language == DOCUMENT_BOOK) {
        document_book_end(&document->book);
        if (list_parts(document, true, err))
            return -1;
    }
    document->is_reading = false;
    return 0;
}

/* Once more through the parts of which something was left out; then what belongs to the whole. */
static void end_pass(struct document *document)
{
    size_t count = 0;

    for (size_t i = 0; i < document->part_count && !document->only_asides; i++)
        if (document->parts[i].has_asides)
            document->parts[count++] = document->parts[i];
    document->part_count = count;
    document->next_part = 0;
    document->only_asides = true;
    if (count > 0)
        return;
    shared_strings_write_rest(&document->strings, &document->out);
    running_text_end(&document->out);
    document->is_ended = true;
}

/* What is not XML has been encrypted, as OpenDocument does it within the archive. */
static void check_beginning(struct document *document)
{
    static const char first[] = {'<', '\xef', '\xfe', '\xff', ' ', '\t', '\r', '\n'};
    const char *text = document->markup.window;

    if (document->markup.len > 0 && !memchr(first, *text, sizeof first) && !document->damage.text[0])
        error_set(&document->damage, "is encrypted, or not XML");
}

/* Fills the window with more of the part. */
static void fill(struct document *document)
{
    const bool is_first = document->markup.len == 0;
    struct error err = {""};
    ssize_t count = 1;
    size_t len;
    char *room;

    while (count > 0 && (room = markup_room(&document->markup, &len)) && len > 0) {
        count = document->archive->read(document->archive, room, len, &err);
        if (count < 0)
            note_damage(document, &err);
        markup_filled(&document->markup, count > 0 ? (size_t)count : 0);
        document->read += count > 0 ? (uint64_t)count : 0;
    }
    if (is_first)
        check_beginning(document);
    document->watch->progress(document->watch->arg);
}

static void take_tokens(struct document *document)
{
    struct markup_token token;

    while (document->out.out.len < AHEAD && markup_next(&document->markup, &token))
        if (document->text.language == DOCUMENT_BOOK)
            document_book_token(&document->book, document->folder.data, document->folder.len, &token);
        else
            document_text_token(&document->text, &token);
}

static int produce(struct document *document, struct error *err)
{
    if (document->next_part == document->part_count) {
        end_pass(document);
        return 0;
    }
    if (!document->is_reading)
        return open_part(document, err) || (!document->is_reading && end_part(document, err)) ? -1 : 0;
    take_tokens(document);
    if (document->out.out.len >= AHEAD)
        return 0;
    if (document->markup.is_last)
        return end_part(document, err);
    if (document->read > MOST_MARKUP)
        return error_set(err, "has more than %d bytes of markup", (int)MOST_MARKUP);
    fill(document);
    return 0;
}

/* ---- the container ---- */

/* A document has at least one part with text. */
static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct document *document = (struct document *)container;

    if (document->is_yielded)
        return 0;
    document->is_yielded = true;
    if (list_parts(document, false, err))
        return -1;
    if (document->part_count == 0)
        return document->damage.text[0] ? error_set(err, "%s", document->damage.text) : 0;
    *member = (struct container_member){.name = "text", .name_len = 4, .size = CONTAINER_UNKNOWN};
    return 1;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct document *document = (struct document *)container;
    size_t count = 0;

    while (len > 0 && (count = running_text_take(&document->out, into, len)) == 0 && !document->is_ended)
        if (produce(document, err))
            return -1;
    if (document->out.out.failed || document->strings.bytes.failed || document->book.bytes.failed)
        return error_set(err, "out of memory");
    if (len > 0 && count == 0 && document->damage.text[0])
        return error_set(err, "%s", document->damage.text);
    return (ssize_t)count;
}

static uint64_t place_of_member(struct container *container)
{
    (void)container;
    return CONTAINER_UNKNOWN;
}

static uint64_t end_of_document(struct container *container)
{
    struct document *document = (struct document *)container;

    return document->archive && document->archive->end ? document->archive->end(document->archive) : 0;
}

static void close_document(struct container *container)
{
    struct document *document = (struct document *)container;

    if (!document)
        return;
    if (document->archive)
        document->archive->close(document->archive);
    free(document->parts);
    shared_strings_release(&document->strings);
    document_book_release(&document->book);
    buffer_release(&document->folder);
    running_text_release(&document->out);
    free(document);
}

static struct container *open_document(const struct container_sight *sight,
                                       const struct container_watch *watch, struct error *err)
{
    struct document *document = memory_new(sizeof *document, err);

    if (!document)
        return NULL;
    document->container = (struct container){.next = next_member,
                                             .read = read_member,
                                             .place = place_of_member,
                                             .end = end_of_document,
                                             .close = close_document};
    document->sight = *sight;
    if (sight->head_len)
        memcpy(document->head, sight->head, sight->head_len);
    document->sight.head = document->head;
    document->watch = watch;
    document->text.out = &document->out;
    document->text.strings = &document->strings;
    return &document->container;
}

/* ---- recognising it ---- */

static bool has(const void *bytes, size_t len, const char *name)
{
    return memmem(bytes, len, name, strlen(name)) != NULL;
}

static bool has_name(const void *bytes, size_t len)
{
    static const char *const names[] = {
        "[Content_Types].xml",    "word/document",        "xl/workbook",
        "ppt/presentation",       "mimetypeapplication/", "content.xml",
        "META-INF/container.xml",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has(bytes, len, names[i]))
            return true;
    return false;
}

/* By names in the head or, since members come in any order, in the directory at the end. */
static bool matches(const struct container_sight *sight)
{
    uint8_t tail[TAIL];
    const size_t len = sight->size < TAIL ? (size_t)sight->size : TAIL;

    if (sight->head_len < 4 || memcmp(sight->head, "PK\3\4", 4) != 0)
        return false;
    if (has_name(sight->head, sight->head_len))
        return true;
    return !sight->is_carved && content_read(sight->content, sight->size - len, tail, len) == 0 &&
           has_name(tail, len);
}

static const struct container_magic magic[] = {{0, 4, "PK\3\4"}, {0, 0, NULL}};

const struct container_format document_format = {.name = "text",
                                                 .is_second = true,
                                                 .first = "P",
                                                 .magic = magic,
                                                 .matches = matches,
                                                 .open = open_document};
