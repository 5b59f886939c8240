/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lab/lab_inner.h"

struct lab_document *lab_document_new(const char *name, const char *title, const char *source)
{
    struct lab_document *document = calloc(1, sizeof *document);

    if (!document)
        return NULL;
    document->name = strdup(name);
    document->title = strdup(title);
    if (document->title) /* a heading, whatever it is elsewhere */
        document->title[0] = (char)toupper((unsigned char)document->title[0]);
    document->source = strdup(source);
    if (document->name && document->title && document->source)
        return document;
    lab_document_free(document);
    return NULL;
}

void lab_document_free(struct lab_document *document)
{
    if (!document)
        return;
    for (size_t i = 0; i < document->count; i++) {
        free(document->items[i].text);
        lab_table_free(document->items[i].table);
        lab_plot_free(document->items[i].plot);
    }
    free(document->items);
    free(document->name);
    free(document->title);
    free(document->source);
    free(document);
}

bool lab_failed(const struct lab_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        const struct lab_item *item = &document->items[i];

        if ((item->table && item->table->failed) || (item->plot && item->plot->failed))
            return true;
    }
    return document->failed;
}

/* A new item of the document, or NULL. */
static struct lab_item *add_item(struct lab_document *document, enum lab_item_kind kind)
{
    struct lab_item *item;

    if (array_reserve(&document->items, &document->room, document->count + 1)) {
        document->failed = true;
        return NULL;
    }
    item = &document->items[document->count++];
    *item = (struct lab_item){.kind = kind};
    return item;
}

static __attribute__((format(printf, 3, 0))) void add_text(struct lab_document *document,
                                                           enum lab_item_kind kind, const char *fmt,
                                                           va_list args)
{
    char *text = lab_table_format(fmt, args);
    struct lab_item *item = text ? add_item(document, kind) : NULL;

    if (item)
        item->text = text;
    else
        free(text);
    document->failed |= !item;
}

void lab_heading(struct lab_document *document, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_text(document, LAB_HEADING, fmt, args);
    va_end(args);
}

void lab_remark(struct lab_document *document, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_text(document, LAB_REMARK, fmt, args);
    va_end(args);
}

struct lab_table *lab_table(struct lab_document *document, const char *name, const char *caption,
                            const struct lab_column *columns, size_t count)
{
    struct lab_item *item = add_item(document, LAB_TABLE);
    struct lab_table *table = item ? calloc(1, sizeof *table) : NULL;

    if (!table) {
        document->count -= item != NULL;
        document->failed = true;
        return NULL;
    }
    item->table = table;
    table->columns = columns;
    table->width = count;
    table->name = strdup(name);
    table->caption = strdup(caption);
    document->failed |= !table->name || !table->caption;
    return table;
}

struct lab_plot *lab_plot(struct lab_document *document, const char *name, const char *caption,
                          const struct lab_axes *axes)
{
    struct lab_item *item = add_item(document, LAB_PLOT);
    struct lab_plot *plot = item ? calloc(1, sizeof *plot) : NULL;

    if (!plot) {
        document->count -= item != NULL;
        document->failed = true;
        return NULL;
    }
    item->plot = plot;
    plot->axes = *axes;
    plot->name = strdup(name);
    plot->caption = strdup(caption);
    document->failed |= !plot->name || !plot->caption;
    return plot;
}

const struct lab_plot *lab_document_plot(const struct lab_document *document, size_t index)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->items[i].plot && index-- == 0)
            return document->items[i].plot;
    return NULL;
}
