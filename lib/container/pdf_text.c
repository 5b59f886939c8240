/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_text.h"

#include <stdlib.h>

#include "base/digest.h"
#include "base/memory.h"
#include "container/pdf.h"
#include "container/pdf_contents.h"
#include "container/pdf_pages.h"

static const char too_much_work[] = "takes too much work to read";

struct pdf_text {
    struct container container;
    struct pdf_scan scan;
    struct pdf_objects objects;
    struct pdf_pages pages;
    struct pdf_show show;
    struct pdf_contents contents;
    struct running_text text;
    struct buffer page; /* its dictionary */
    bool began, in_page, ended;
};

/* Interprets on. -1 if memory runs out. */
static int step(struct pdf_text *text, struct error *err)
{
    struct pdf_value page;
    uint32_t owner;
    int result;

    if (text->in_page) {
        result = pdf_contents_step(&text->contents);
        text->in_page = result > 0;
    } else {
        result = pdf_pages_next(&text->pages, &text->page, &page, &owner, err);
        if (result < 0)
            return -1;
        if (result > 0)
            result = pdf_contents_begin(&text->contents, page, owner);
        else
            text->ended = true;
        text->in_page = !text->ended;
    }
    if (text->ended)
        pdf_layout_end(&text->show.layout);
    return result < 0 || text->text.out.failed ? error_set(err, "out of memory") : 0;
}

/* Interprets up to some text, or to the end. */
static int find_text(struct pdf_text *text, struct error *err)
{
    while (text->text.out.len == 0 && !text->ended)
        if (step(text, err) < 0)
            return -1;
    return 0;
}

static int next(struct container *container, struct container_member *member, struct error *err)
{
    struct pdf_text *text = (struct pdf_text *)container;

    if (text->began)
        return 0;
    text->began = true;
    *member = (struct container_member){.name = "text", .name_len = 4, .size = CONTAINER_UNKNOWN};
    if (text->objects.is_encrypted) {
        member->problem = "it is encrypted";
        return 1;
    }
    if (find_text(text, err) < 0)
        return -1;
    if (text->text.out.len == 0 && text->objects.work_left == 0)
        return error_set(err, "%s", too_much_work);
    return text->text.out.len > 0;
}

/* Why there may be more text than there is here; NULL if there is not. */
static const char *find_problem(const struct pdf_text *text)
{
    if (text->objects.work_left == 0)
        return too_much_work;
    if (text->scan.is_cut)
        return "is cut off";
    return text->contents.is_damaged || text->pages.is_incomplete ? "is damaged" : NULL;
}

static ssize_t read_text(struct container *container, void *into, size_t len, struct error *err)
{
    struct pdf_text *text = (struct pdf_text *)container;
    const char *problem;
    size_t got;

    if (text->objects.is_encrypted)
        return error_set(err, "it is encrypted");
    if (find_text(text, err) < 0)
        return -1;
    got = running_text_take(&text->text, into, len);
    if (got == 0 && len > 0 && (problem = find_problem(text)) != NULL)
        return error_set(err, "%s", problem);
    return (ssize_t)got;
}

static uint64_t end(struct container *container)
{
    return ((const struct pdf_text *)container)->scan.last;
}

static void close_text(struct container *container)
{
    struct pdf_text *text = (struct pdf_text *)container;

    pdf_contents_release(&text->contents);
    pdf_show_release(&text->show);
    pdf_pages_release(&text->pages);
    pdf_objects_release(&text->objects);
    pdf_scan_release(&text->scan);
    running_text_release(&text->text);
    buffer_release(&text->page);
    free(text);
}

static struct container *open_text(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct pdf_text *text = memory_new(sizeof *text, err);

    if (!text)
        return NULL;
    text->container = (struct container){.next = next, .read = read_text, .end = end, .close = close_text};
    text->contents.objects = text->show.objects = &text->objects;
    text->contents.show = &text->show;
    text->show.layout.text = &text->text;
    if (pdf_scan_init(&text->scan, sight, watch, err) < 0 ||
        pdf_objects_init(&text->objects, &text->scan, err) < 0 ||
        pdf_pages_init(&text->pages, &text->objects, err) < 0) {
        close_text(&text->container);
        return NULL;
    }
    return &text->container;
}

static const struct container_magic magic[] = {{0, 5, "%PDF-"}, {0, 0, NULL}};

const struct container_format pdf_text_format = {.name = "text",
                                                 .is_second = true,
                                                 .magic = magic,
                                                 .prepare = digest_prepare,
                                                 .matches = pdf_matches,
                                                 .open = open_text};
