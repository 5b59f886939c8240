/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_pages.h"

#include <stdlib.h>

#include "base/array.h"

/* Returns whether the object has not been visited before. */
static bool visit(struct pdf_pages *pages, const struct pdf_objects_entry *entry)
{
    const size_t index = (size_t)(entry - pages->objects->entries);
    const uint8_t bit = (uint8_t)(1u << index % 8);
    const bool is_new = !(pages->visited[index / 8] & bit);

    pages->visited[index / 8] |= bit;
    return is_new;
}

static int push(struct pdf_pages *pages, struct pdf_value reference, uint32_t owner)
{
    uint32_t number;

    if (!pdf_lex_reference(reference, &number) || pages->waiting_count == PDF_PAGES_MOST) {
        pages->is_incomplete = true;
        return 0;
    }
    if (array_reserve(&pages->waiting, &pages->waiting_room, pages->waiting_count + 1) < 0)
        return -1;
    pages->waiting[pages->waiting_count++] = (struct pdf_pages_node){number, owner};
    return 0;
}

/* The catalogue by the last trailer, or the last one in the file. */
static const struct pdf_objects_entry *find_root(const struct pdf_objects *objects)
{
    const struct pdf_objects_entry *root =
        objects->has_root ? pdf_objects_find(objects, objects->root) : NULL;

    for (size_t i = objects->count; !root && i-- > 0;)
        if (objects->entries[i].flags & PDF_OBJECTS_CATALOGUE)
            root = &objects->entries[i];
    return root;
}

int pdf_pages_init(struct pdf_pages *pages, struct pdf_objects *objects, struct error *err)
{
    const struct pdf_objects_entry *root = find_root(objects);
    struct buffer buffer = {0};
    int result = 0;

    *pages = (struct pdf_pages){.objects = objects, .is_incomplete = objects->is_incomplete};
    pages->visited = calloc(objects->count / 8 + 1, 1);
    if (!pages->visited)
        return error_set(err, "out of memory");
    if (root)
        result = push(pages, pdf_lex_get(pdf_objects_load(objects, root, &buffer), "Pages"), 0);
    if (buffer.failed)
        result = -1;
    buffer_release(&buffer);
    return result < 0 ? error_set(err, "out of memory") : 0;
}

void pdf_pages_release(struct pdf_pages *pages)
{
    free(pages->waiting);
    free(pages->visited);
    *pages = (struct pdf_pages){0};
}

/* Puts the nodes below this one in front of those that wait. */
static int push_kids(struct pdf_pages *pages, struct pdf_value kids, uint32_t owner)
{
    struct pdf_lex items = pdf_lex_items(kids);
    struct pdf_value kid;
    size_t first = pages->waiting_count, last;

    while (pdf_lex_value(&items, &kid))
        if (push(pages, kid, owner) < 0)
            return -1;
    for (last = pages->waiting_count; first + 1 < last; first++) {
        const struct pdf_pages_node node = pages->waiting[first];

        pages->waiting[first] = pages->waiting[--last];
        pages->waiting[last] = node;
    }
    return 0;
}

/* Follows the tree to the next page; 0 at its end. */
static int follow(struct pdf_pages *pages, struct buffer *into, struct pdf_value *page, uint32_t *owner)
{
    struct buffer for_kids = {0};
    int result = 0;

    while (result == 0 && pages->waiting_count > 0) {
        const struct pdf_pages_node node = pages->waiting[--pages->waiting_count];
        const struct pdf_objects_entry *entry = pdf_objects_find(pages->objects, node.number);
        struct pdf_value kids;

        if (!entry || !visit(pages, entry)) {
            pages->is_incomplete |= !entry;
            continue;
        }
        *page = pdf_objects_load(pages->objects, entry, into);
        *owner = pdf_lex_get(*page, "Resources").text ? node.number : node.owner;
        kids = pdf_objects_get(pages->objects, *page, "Kids", &for_kids);
        if (kids.text)
            result = push_kids(pages, kids, *owner);
        else
            result = page->text ? 1 : 0;
        if (into->failed || for_kids.failed)
            result = -1;
    }
    buffer_release(&for_kids);
    return result;
}

int pdf_pages_next(struct pdf_pages *pages, struct buffer *into, struct pdf_value *page, uint32_t *owner,
                   struct error *err)
{
    struct pdf_objects *objects = pages->objects;
    const int result = follow(pages, into, page, owner);

    if (result < 0)
        return error_set(err, "out of memory");
    if (result > 0) {
        pages->any = true;
        return 1;
    }
    while ((!pages->any || pages->is_incomplete) && pages->next < objects->count) {
        const struct pdf_objects_entry *entry = &objects->entries[pages->next++];

        if (!(entry->flags & PDF_OBJECTS_PAGE) || pdf_objects_find(objects, entry->number) != entry ||
            !visit(pages, entry))
            continue;
        pages->is_incomplete = true;
        *page = pdf_objects_load(objects, entry, into);
        *owner = entry->number;
        if (page->text)
            return 1;
    }
    return into->failed ? error_set(err, "out of memory") : 0;
}
