/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "container/pdf_files.h"
#include "container/pdf_objects.h"
#include "container/pdf_scan.h"

enum {
    MOST_BEFORE = 1024, /* bytes before the header that readers put up with */
    AHEAD = 64, /* bytes of a stream that are read to see what it is, if its dictionary does not say so */
    MOST_MAP = 64 << 10,
};

struct pdf {
    struct container container;
    struct pdf_scan scan;
    struct pdf_objects objects;
    struct pdf_files files;
    struct pdf_scan_found found; /* the stream that is the present member; its head is no longer valid */
    struct pdf_objects_plan plan;
    struct pdf_filter *filter; /* NULL before the first read */
    bool is_sure;              /* it begins with the header, which may also stand in a text about PDF */
    bool any;                  /* an object was found */
    uint8_t ahead[AHEAD];      /* the first bytes of the stream, which the filter has yielded already */
    size_t ahead_len, ahead_at;
    struct buffer name;
};

bool pdf_matches(const struct container_sight *sight)
{
    const size_t most = sight->is_carved ? 5 : MOST_BEFORE + 5;
    const uint8_t *at = sight->head, *const end = at + (sight->head_len < most ? sight->head_len : most);

    for (; end - at >= 5 && (at = memchr(at, '%', (size_t)(end - at) - 4)); at++)
        if (memcmp(at, "%PDF-", 5) == 0)
            return true;
    return false;
}

static bool open_filter(struct pdf *pdf, struct error *err)
{
    if (!pdf->filter)
        pdf->filter = pdf_filter_new(pdf->objects.content, pdf->found.data, pdf->found.data_len,
                                     pdf->plan.steps, pdf->plan.count, err);
    return pdf->filter != NULL;
}

/* A map from the codes of a font to Unicode, which has no type. */
static bool is_map(struct pdf *pdf)
{
    struct error err;
    ssize_t got;

    if (pdf->plan.problem || pdf->found.data_len > MOST_MAP || !open_filter(pdf, &err))
        return false;
    got = pdf_filter_read(pdf->filter, pdf->ahead, sizeof pdf->ahead, &err);
    if (got <= 0) /* whoever reads the member gets the error anew */
        pdf_filter_free(pdf->filter);
    if (got <= 0)
        pdf->filter = NULL;
    pdf->ahead_len = got > 0 ? (size_t)got : 0;
    return pdf->ahead_len >= 8 && memcmp(pdf->ahead, "/CIDInit", 8) == 0;
}

/* A suffix for streams that only concern how the document looks, so that their names say so; otherwise "". */
static const char *kind_of(struct pdf *pdf)
{
    const struct pdf_value head = pdf->found.head, type = pdf_lex_get(head, "Type"),
                           subtype = pdf_lex_get(head, "Subtype");

    if (pdf_lex_is_name(type, "XRef"))
        return ".xref";
    if (pdf_lex_get(head, "Length1").text || pdf_lex_is_name(subtype, "Type1C") ||
        pdf_lex_is_name(subtype, "CIDFontType0C") || pdf_lex_is_name(subtype, "OpenType"))
        return ".font";
    if (type.text || subtype.text)
        return pdf_lex_is_name(type, "CMap") ? ".cmap" : "";
    if (pdf_lex_get(head, "N").text && pdf_lex_get(head, "Alternate").text)
        return ".icc";
    return is_map(pdf) ? ".cmap" : "";
}

/* The file's own name if it is an embedded one, or one that is made of its number. */
static void make_name(struct pdf *pdf)
{
    const struct pdf_value type = pdf_lex_get(pdf->found.head, "Type");
    size_t len = 0;
    const char *name = NULL;

    if (!type.text || pdf_lex_is_name(type, "EmbeddedFile"))
        name = pdf_files_find(&pdf->files, pdf->found.number, &len);
    buffer_reset(&pdf->name);
    if (name)
        buffer_add(&pdf->name, name, len);
    else
        buffer_printf(&pdf->name, "%u-%u%s", (unsigned)pdf->found.number, (unsigned)pdf->found.generation,
                      pdf->plan.suffix[0] ? pdf->plan.suffix : kind_of(pdf));
}

static int take_stream(struct pdf *pdf, struct container_member *member, struct error *err)
{
    pdf_filter_free(pdf->filter);
    pdf->filter = NULL;
    pdf->ahead_len = pdf->ahead_at = 0;
    pdf_objects_plan(&pdf->objects, pdf->found.head, pdf->found.number, pdf->found.generation, &pdf->plan);
    make_name(pdf);
    if (pdf->name.failed)
        return error_set(err, "out of memory");
    *member = (struct container_member){.name = pdf->name.data,
                                        .name_len = pdf->name.len,
                                        .size = CONTAINER_UNKNOWN,
                                        .problem = pdf->plan.problem};
    if (pdf->plan.count == 0)
        member->size = pdf->found.data_len;
    return 1;
}

static int next(struct container *container, struct container_member *member, struct error *err)
{
    struct pdf *pdf = (struct pdf *)container;
    int result;

    while ((result = pdf_scan_next(&pdf->scan, &pdf->found, err)) > 0) {
        pdf->any |= !pdf->found.is_trailer;
        if (pdf->found.is_stream && pdf->found.data_len > 0)
            return take_stream(pdf, member, err);
    }
    if (result == 0 && !pdf->any)
        return pdf->is_sure ? error_set(err, "has no objects") : 0;
    if (result == 0 && pdf->scan.is_cut)
        return error_set(err, "is cut off");
    return result;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct pdf *pdf = (struct pdf *)container;

    if (pdf->plan.problem)
        return error_set(err, "%s", pdf->plan.problem);
    if (pdf->ahead_at < pdf->ahead_len) {
        len = len < pdf->ahead_len - pdf->ahead_at ? len : pdf->ahead_len - pdf->ahead_at;
        memcpy(into, pdf->ahead + pdf->ahead_at, len);
        pdf->ahead_at += len;
        return (ssize_t)len;
    }
    return open_filter(pdf, err) ? pdf_filter_read(pdf->filter, into, len, err) : -1;
}

static uint64_t place(struct container *container)
{
    const struct pdf *pdf = (const struct pdf *)container;

    return pdf->plan.count == 0 ? pdf->found.data : CONTAINER_UNKNOWN;
}

static uint64_t end(struct container *container)
{
    return ((const struct pdf *)container)->scan.last;
}

static void close_pdf(struct container *container)
{
    struct pdf *pdf = (struct pdf *)container;

    pdf_filter_free(pdf->filter);
    pdf_files_release(&pdf->files);
    pdf_objects_release(&pdf->objects);
    pdf_scan_release(&pdf->scan);
    buffer_release(&pdf->name);
    free(pdf);
}

static struct container *open_pdf(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct pdf *pdf = memory_new(sizeof *pdf, err);

    if (!pdf)
        return NULL;
    pdf->container = (struct container){next, read_member, place, end, close_pdf};
    if (pdf_scan_init(&pdf->scan, sight, watch, err) < 0 ||
        pdf_objects_init(&pdf->objects, &pdf->scan, err) < 0 ||
        pdf_files_init(&pdf->files, &pdf->objects, err) < 0) {
        close_pdf(&pdf->container);
        return NULL;
    }
    pdf_scan_rewind(&pdf->scan);
    pdf->is_sure = sight->head_len >= 5 && memcmp(sight->head, "%PDF-", 5) == 0;
    return &pdf->container;
}

static const struct container_magic magic[] = {{0, 5, "%PDF-"}, {0, 0, NULL}};

const struct container_format pdf_format = {
    .name = "pdf", .magic = magic, .prepare = digest_prepare, .matches = pdf_matches, .open = open_pdf};
