/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/path.h"
#include "explain_inner.h"
#include "extract_case.h"
#include "extract_name.h"
#include "shell_quote.h"

enum {
    SECTOR = 512,
    MOST_PIECES = 16, /* of an object, that are read by a dd each */
    MOST_RANGES = 8,  /* shown */
};

/* How the object's bytes get to standard output. */
enum method {
    BY_CAT,     /* a file of the host */
    BY_ICAT,    /* The Sleuth Kit */
    BY_DD,      /* the pieces of a raw image */
    BY_EXTRACT, /* kith extract first */
};

void explain_command(struct explain_text *text, struct buffer *command)
{
    buffer_add_text(text->lines.out, "    $ ");
    buffer_add(text->lines.out, command->data, command->len);
    buffer_add_char(text->lines.out, '\n');
    buffer_inherit(text->lines.out, command);
    buffer_reset(command);
}

void explain_result(struct explain_text *text, const struct digest_values *digests, enum digest_kind kind)
{
    buffer_add_text(text->lines.out, "      prints ");
    escape_hex(text->lines.out, digests->bytes[kind], digest_len(kind));
    buffer_add_char(text->lines.out, '\n');
}

static void quote_path(struct buffer *out, const char *path)
{
    shell_quote_path(out, path, strlen(path));
}

/* ---- reading the object ---- */

/* Not for an image inside another one (evidence.h), which no other tool finds by its path. */
static bool is_one_file(const struct case_evidence *evidence)
{
    return strncmp(evidence->stamp, "1 file,", 7) == 0;
}

/* A raw image in one file: offsets in the file are those on the image. */
static bool is_one_raw_file(const struct case_evidence *evidence)
{
    return evidence->has_image && strcmp(evidence->format, "raw") == 0 && is_one_file(evidence);
}

static bool is_in_pieces(const struct case_object *object)
{
    uint64_t end = 0;

    if (object->runs_cut || object->run_count == 0 || object->run_count > MOST_PIECES ||
        object->flags & (OBJECT_COMPRESSED | OBJECT_RESIDENT))
        return false;
    for (size_t i = 0; i < object->run_count; end += object->runs[i++].len)
        if (object->runs[i].offset != end)
            return false;
    return end == object->size;
}

static bool is_inode(const char *address)
{
    return *address >= '0' && *address <= '9' && strspn(address, "0123456789-") == strlen(address);
}

static bool has_inode(const struct case_object *object)
{
    return object->kind == OBJECT_FILE && is_inode(object->address) && !strchr(object->volume, '/');
}

static bool is_inside(const struct case_evidence *evidence)
{
    return strncmp(evidence->stamp, "inside ", 7) == 0;
}

/* Images in which icat finds files as kith does. */
static bool is_for_icat(const struct case_evidence *evidence)
{
    return is_one_raw_file(evidence) || (strcmp(evidence->format, "E01") == 0 && !is_inside(evidence));
}

static enum method method_of(const struct case_row *row)
{
    const struct case_object *object = &row->object;
    const struct case_evidence *evidence = row->evidence;

    if (object->chunk || object->partial)
        return BY_EXTRACT;
    if (object->flags & OBJECT_HOST)
        return BY_CAT;
    if (has_inode(object) && is_for_icat(evidence))
        return BY_ICAT;
    return is_one_raw_file(evidence) && is_in_pieces(object) ? BY_DD : BY_EXTRACT;
}

/* Whether the evidence is the file itself, and not a folder that has a file of its own name. */
static bool is_file_of_host(const struct case_evidence *evidence, const char *path)
{
    struct stat status;

    return strcmp(path_last(evidence->path), path) == 0 && is_one_file(evidence) &&
           (stat(evidence->path, &status) || !S_ISDIR(status.st_mode));
}

static void add_host_file(struct buffer *out, const struct case_row *row, const char *path)
{
    struct buffer whole = {0};

    buffer_add_text(&whole, row->evidence->path);
    if (!is_file_of_host(row->evidence, path))
        buffer_printf(&whole, "/%s", path);
    shell_quote_path(out, whole.data ? whole.data : "", whole.len);
    buffer_inherit(out, &whole);
    buffer_release(&whole);
}

static void add_dd(struct buffer *out, const char *image, uint64_t start, uint64_t len)
{
    buffer_add_text(out, "dd if=");
    quote_path(out, image);
    buffer_printf(out, " iflag=skip_bytes,count_bytes skip=%" PRIu64 " count=%" PRIu64 " status=none", start,
                  len);
}

static void add_pieces(struct buffer *out, const struct case_row *row)
{
    const struct case_object *object = &row->object;

    if (object->run_count > 1)
        buffer_add_text(out, "{ ");
    for (size_t i = 0; i < object->run_count; i++) {
        add_dd(out, row->evidence->path, object->runs[i].image, object->runs[i].len);
        if (object->run_count > 1)
            buffer_add_text(out, i + 1 < object->run_count ? "; " : "; }");
    }
}

/* The file system that the scan was told; icat finds out others by itself. */
static void add_system(struct buffer *out, const struct case_evidence *evidence)
{
    struct evidence_options options = {.system_type = NULL};
    struct buffer texts = {0};

    if (extract_case_options(&options, evidence->parameters, &texts) == 0 && options.system_type) {
        buffer_add_text(out, "-f ");
        shell_quote(out, options.system_type, strlen(options.system_type));
        buffer_add_char(out, ' ');
    }
    buffer_inherit(out, &texts);
    buffer_release(&texts);
}

/* The start of the volume follows the '@' of its label. */
static void add_icat(struct buffer *out, const struct case_row *row, const char *address)
{
    const char *at = strchr(row->object.volume, '@');
    uint64_t start = 0;

    for (const char *digit = at ? at + 1 : ""; *digit >= '0' && *digit <= '9' && start < INT64_MAX / 20;
         digit++)
        start = start * 10 + (uint64_t)(*digit - '0');
    buffer_add_text(out, "icat ");
    add_system(out, row->evidence);
    if (start)
        buffer_printf(out, "-o %" PRIu64 " ", start / SECTOR);
    quote_path(out, row->evidence->path);
    buffer_add_char(out, ' ');
    shell_quote(out, address, strlen(address));
}

bool explain_add_base(struct buffer *out, const struct case_row *row, const char *address, const char *path)
{
    if (strcmp(address, "-") == 0) {
        buffer_add_text(out, "cat ");
        add_host_file(out, row, path);
        return true;
    }
    /* a colon may be that of a stream, which icat may read otherwise */
    if (!is_inode(address) || !(row->object.flags & OBJECT_ALLOCATED) || strchr(path, ':') ||
        strchr(row->object.volume, '/') || !is_for_icat(row->evidence))
        return false;
    add_icat(out, row, address);
    return true;
}

/* The file that kith extract writes. */
static void add_extracted(struct buffer *out, const struct case_row *row)
{
    const char *path = row->object.path_count ? row->object.paths : "";
    struct buffer number = {0};

    buffer_printf(&number, "%" PRIu64 ".%" PRIu64, row->id.evidence, row->id.object);
    buffer_add_char(&number, '\0');
    buffer_add_text(out, "exhibit/");
    extract_name(out, number.data ? number.data : "", path, strlen(path));
    buffer_inherit(out, &number);
    buffer_release(&number);
}

static void add_object(struct buffer *out, const struct case_row *row)
{
    switch (method_of(row)) {
    case BY_CAT:
        buffer_add_text(out, "cat ");
        add_host_file(out, row, row->object.path_count ? row->object.paths : "");
        break;
    case BY_ICAT:
        add_icat(out, row, row->object.address);
        break;
    case BY_DD:
        add_pieces(out, row);
        break;
    case BY_EXTRACT:
        buffer_add_text(out, "cat ");
        add_extracted(out, row);
        break;
    }
}

static void add_part(struct buffer *out, uint64_t start, uint64_t end)
{
    buffer_printf(out, " | tail -c +%" PRIu64 " | head -c %" PRIu64 " | sha1sum", start + 1, end - start);
}

/* ---- what is verified ---- */

static void put_extract(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    if (method_of(row) != BY_EXTRACT)
        return;
    explain_paragraph(text,
                      "%s, so it is written to a file first. The command compares it with the digest "
                      "in the case.",
                      row->object.kind == OBJECT_MEMBER
                          ? "The object has to be unpacked"
                          : "Other tools cannot read this object from the evidence as it is");
    buffer_add_text(command, "kith extract -d exhibit ");
    quote_path(command, text->case_path);
    buffer_add_char(command, ' ');
    casefile_put_id(command, &row->id);
    explain_command(text, command);
}

static void verify_object(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    if (!(row->object.digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return;
    explain_paragraph(text, "The SHA-1 of the object, to show that it is the one that was examined:");
    add_object(command, row);
    buffer_add_text(command, " | sha1sum");
    explain_command(text, command);
    explain_result(text, &row->object.digests, DIGEST_SHA1);
}

/* By each digest that the set has of the reference. */
static void verify_identical(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    static const char *const programs[DIGEST_KINDS] = {"sha1sum", "md5sum", "sha256sum"},
                             *const names[DIGEST_KINDS] = {"SHA-1", "MD5", "SHA-256"};

    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(row->reference.digests.kinds & DIGEST_BIT(kind)))
            continue;
        explain_paragraph(text, "The %s of the object, which must be that of the reference:", names[kind]);
        add_object(command, row);
        buffer_printf(command, " | %s", programs[kind]);
        explain_command(text, command);
        explain_result(text, &row->reference.digests, (enum digest_kind)kind);
    }
}

/* If the whole reference is proved, its bytes in the object have its SHA-1. */
static void verify_reference(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    const struct finding_range *span = &row->finding.span;

    explain_paragraph(text,
                      "The SHA-1 of bytes %" PRIu64 " to %" PRIu64
                      " of the object, which must be that of the reference:",
                      span->obj_start, span->obj_end);
    add_object(command, row);
    add_part(command, span->obj_start, span->obj_end);
    explain_command(text, command);
    explain_result(text, &row->reference.digests, DIGEST_SHA1);
}

static void verify_ranges(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    const struct finding *finding = &row->finding;

    explain_paragraph(text, "The matching bytes, beside those of the reference, of which you need a copy "
                            "(REFERENCE). The two commands of a pair print the same if all bytes of the "
                            "range are the same; the ends of a range may be inexact:");
    for (size_t i = 0; i < finding->range_count && i < MOST_RANGES; i++) {
        const struct finding_range *range = &finding->ranges[i];

        add_object(command, row);
        add_part(command, range->obj_start, range->obj_end);
        explain_command(text, command);
        buffer_add_text(command, "cat REFERENCE");
        add_part(command, range->ref_start, range->ref_end);
        explain_command(text, command);
    }
    if (finding->range_count > MOST_RANGES)
        explain_paragraph(text, "There are %zu more ranges, which kith report --json lists.",
                          finding->range_count - MOST_RANGES);
}

/* Where the match lies on the image, if it is in one piece there. */
static void put_sector(struct explain_text *text, const struct case_row *row, struct buffer *command)
{
    const struct finding_range *span = &row->finding.span;
    uint64_t image, len;

    if (row->object.flags & OBJECT_HOST || row->object.flags & OBJECT_COMPRESSED ||
        !casefile_on_image(&row->object, span->obj_start, &image, &len))
        return;
    explain_paragraph(text,
                      "On the %simage, the match begins at byte %" PRIu64 " (sector %" PRIu64
                      " of 512 bytes, byte %" PRIu64 " in it).",
                      is_inside(row->evidence) ? "inner " : "", image, image / SECTOR, image % SECTOR);
    if (!is_one_raw_file(row->evidence) || len < span->obj_end - span->obj_start ||
        !finding_is_complete(&row->finding) || row->finding.verdict == VERDICT_IDENTICAL)
        return;
    explain_paragraph(text, "The same bytes directly from the image, without its file system:");
    add_dd(command, row->evidence->path, image, span->obj_end - span->obj_start);
    buffer_add_text(command, " | sha1sum");
    explain_command(text, command);
    explain_result(text, &row->reference.digests, DIGEST_SHA1);
}

void explain_verify(struct explain_text *text, const struct case_row *row)
{
    const bool has_sha1 = row->reference.digests.kinds & DIGEST_BIT(DIGEST_SHA1);
    struct buffer command = {0};

    put_extract(text, row, &command);
    if (row->finding.verdict == VERDICT_IDENTICAL)
        verify_identical(text, row, &command);
    else
        verify_object(text, row, &command);
    if (row->object.kind == OBJECT_MEMBER && method_of(row) == BY_EXTRACT)
        explain_unpack(text, row, &command);
    if (row->finding.verdict != VERDICT_IDENTICAL && has_sha1 && finding_is_complete(&row->finding))
        verify_reference(text, row, &command);
    else if (row->finding.verdict != VERDICT_IDENTICAL && row->finding.proof != PROOF_MEMBERS)
        verify_ranges(text, row, &command);
    put_sector(text, row, &command);
    buffer_release(&command);
}
