/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "container/document_inner.h"

/* By rank.  After the beginning there may be a number, and then there is the ending. */
static const struct {
    const char *beginning, *ending;
    enum document_language language;
} ranks[] = {
    {"word/document", ".xml", DOCUMENT_OFFICE},
    {"word/footnotes", ".xml", DOCUMENT_OFFICE},
    {"word/endnotes", ".xml", DOCUMENT_OFFICE},
    {"word/comments", ".xml", DOCUMENT_OFFICE},
    {"word/header", ".xml", DOCUMENT_OFFICE},
    {"word/footer", ".xml", DOCUMENT_OFFICE},
    {"word/diagrams/data", ".xml", DOCUMENT_OFFICE},
    {"xl/sharedStrings", ".xml", DOCUMENT_STRINGS},
    {"xl/worksheets/sheet", ".xml", DOCUMENT_SHEET},
    {"xl/comments", ".xml", DOCUMENT_OFFICE},
    {"xl/threadedComments/threadedComment", ".xml", DOCUMENT_OFFICE},
    {"xl/drawings/drawing", ".xml", DOCUMENT_OFFICE},
    {"ppt/slides/slide", ".xml", DOCUMENT_OFFICE},
    {"ppt/notesSlides/notesSlide", ".xml", DOCUMENT_OFFICE},
    {"ppt/comments/comment", ".xml", DOCUMENT_OFFICE},
    {"ppt/diagrams/data", ".xml", DOCUMENT_OFFICE},
    {"content", ".xml", DOCUMENT_OPEN},
    {"styles", ".xml", DOCUMENT_MARGIN},
    {NULL, ".opf", DOCUMENT_BOOK},
    {NULL, NULL, DOCUMENT_CHAPTER},
};

enum { RANKS = sizeof ranks / sizeof *ranks, CHAPTER = RANKS - 1, BOOK = RANKS - 2 };

static bool ends_with(const char *name, size_t len, const char *ending)
{
    const size_t ending_len = strlen(ending);

    return len > ending_len && strncasecmp(name + len - ending_len, ending, ending_len) == 0;
}

/* As far as it matters here, archives of Windows have backslashes. */
static bool begins_with(const char *name, size_t len, const char *beginning)
{
    const size_t beginning_len = strlen(beginning);

    if (len < beginning_len)
        return false;
    for (size_t i = 0; i < beginning_len; i++)
        if (name[i] != beginning[i] && (name[i] | 0x20) != (beginning[i] | 0x20) &&
            !(name[i] == '\\' && beginning[i] == '/'))
            return false;
    return true;
}

/* False unless the text is a number, or empty. */
static bool read_number(const char *text, size_t len, uint32_t *number)
{
    *number = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || *number > UINT32_MAX / 10 - 1)
            return false;
        *number = *number * 10 + (uint32_t)(text[i] - '0');
    }
    return true;
}

bool document_part_of(const char *name, size_t len, struct document_part *part)
{
    *part = (struct document_part){0};
    for (; part->rank < BOOK; part->rank++) {
        const char *beginning = ranks[part->rank].beginning, *ending = ranks[part->rank].ending;
        const size_t before = strlen(beginning), after = strlen(ending);

        if (len >= before + after && begins_with(name, len, beginning) && ends_with(name, len, ending) &&
            read_number(name + before, len - before - after, &part->number))
            return true;
    }
    return ends_with(name, len, ranks[BOOK].ending);
}

enum document_language document_language_of(const struct document_part *part)
{
    return ranks[part->rank].language;
}

bool document_is_chapter(const char *name, size_t len)
{
    return ends_with(name, len, ".xhtml") || ends_with(name, len, ".html") || ends_with(name, len, ".htm") ||
           ends_with(name, len, ".xml");
}

void document_make_chapter(struct document_part *part, uint32_t number)
{
    *part = (struct document_part){.rank = CHAPTER, .number = number};
}
