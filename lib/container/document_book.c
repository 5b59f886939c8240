/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "container/document_inner.h"

void document_book_release(struct document_book *book)
{
    buffer_release(&book->bytes);
    free(book->files);
    *book = (struct document_book){0};
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Appends a path as it is written in a URL, up to its fragment. */
static void add_path(struct buffer *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len && text[i] != '#'; i++) {
        const int high = i + 2 < len && text[i] == '%' ? hex_value(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_value(text[i + 2]) : -1;

        buffer_add_char(out, low >= 0 ? (char)(high << 4 | low) : text[i]);
        i += low >= 0 ? 2 : 0;
    }
}

/* <item id="c1" href="Text/c1.xhtml" media-type="application/xhtml+xml"/> */
static void add_file(struct document_book *book, const char *folder, size_t folder_len,
                     const struct markup_token *token)
{
    struct document_file file = {.number = UINT32_MAX};
    size_t id_len, path_len;
    const char *id = markup_attribute(token, "id", &id_len),
               *path = markup_attribute(token, "href", &path_len);

    if (!id || !path || book->count == DOCUMENT_MOST_FILES ||
        book->bytes.len + id_len + folder_len + path_len > DOCUMENT_MOST_FILE_BYTES)
        return;
    if (array_reserve(&book->files, &book->room, book->count + 1)) {
        book->bytes.failed = true;
        return;
    }
    file.id = (uint32_t)book->bytes.len;
    file.id_len = (uint32_t)id_len;
    buffer_add(&book->bytes, id, id_len);
    file.path = (uint32_t)book->bytes.len;
    buffer_add(&book->bytes, folder, folder_len);
    add_path(&book->bytes, path, path_len);
    file.path_len = (uint32_t)(book->bytes.len - file.path);
    book->files[book->count++] = file;
}

static int compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const size_t len = a_len < b_len ? a_len : b_len;
    const int order = len ? memcmp(a, b, len) : 0;

    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int by_id(const void *a, const void *b, void *bytes)
{
    const struct document_file *one = a, *two = b;
    const char *base = bytes;

    return compare(base + one->id, one->id_len, base + two->id, two->id_len);
}

static int by_path(const void *a, const void *b, void *bytes)
{
    const struct document_file *one = a, *two = b;
    const char *base = bytes;

    return compare(base + one->path, one->path_len, base + two->path, two->path_len);
}

static void sort(struct document_book *book, int (*order)(const void *, const void *, void *))
{
    if (book->count > 0 && book->bytes.data)
        qsort_r(book->files, book->count, sizeof *book->files, order, book->bytes.data);
}

/* <itemref idref="c1"/> */
static void add_reference(struct document_book *book, const struct markup_token *token)
{
    size_t len, low = 0, high;
    const char *id = markup_attribute(token, "idref", &len);

    if (!id || !book->bytes.data)
        return;
    if (!book->is_sorted)
        sort(book, by_id);
    book->is_sorted = true;
    high = book->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        struct document_file *file = &book->files[middle];
        const int order = compare(id, len, book->bytes.data + file->id, file->id_len);

        if (order == 0 && file->number == UINT32_MAX)
            file->number = book->next_number++;
        if (order == 0)
            return;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
}

void document_book_token(struct document_book *book, const char *folder, size_t folder_len,
                         const struct markup_token *token)
{
    size_t len;
    const char *name;

    if (token->kind != MARKUP_OPEN && token->kind != MARKUP_EMPTY)
        return;
    name = markup_local_name(token, &len);
    if (len == 4 && memcmp(name, "item", 4) == 0 && !book->is_sorted)
        add_file(book, folder, folder_len, token);
    else if (len == 7 && memcmp(name, "itemref", 7) == 0)
        add_reference(book, token);
}

void document_book_end(struct document_book *book)
{
    sort(book, by_path);
}

uint32_t document_book_number(const struct document_book *book, const char *path, size_t len)
{
    size_t low = 0, high = book->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct document_file *file = &book->files[middle];
        const int order = compare(path, len, book->bytes.data + file->path, file->path_len);

        if (order == 0)
            return file->number;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return UINT32_MAX;
}
