/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "extract_inner.h"

static const char manifest_name[] = "manifest.csv";

static const struct csv_column columns[] = {
    {"file", false}, {"finding", false}, {"evidence", false},   {"volume", false}, {"address", false},
    {"kind", false}, {"path", false},    {"path_hex", false},   {"offset", true},  {"size", true},
    {"sha1", false}, {"sha256", false},  {"unreadable", false}, {"status", false}, {"reason", false}};

static int put_line(struct extract *extract, struct buffer *line)
{
    struct error err;
    int result = 0;

    csv_end_line(line);
    if (line->failed)
        result = error_set(&err, "out of memory");
    else if (fwrite(line->data, 1, line->len, extract->manifest) != line->len || fflush(extract->manifest))
        result = error_errno(&err, "%s/%s", extract->folder, manifest_name);
    buffer_release(line);
    return result ? extract_file_fail(extract, &err) : 0;
}

int extract_manifest_begin(struct extract *extract)
{
    const int fd =
        openat(extract->fd, manifest_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    struct buffer line = {0};
    struct error err;

    extract->manifest = fd < 0 ? NULL : fdopen(fd, "w");
    if (!extract->manifest) {
        error_errno(&err, "%s/%s", extract->folder, manifest_name);
        if (fd >= 0)
            close(fd);
        return extract_file_fail(extract, &err);
    }
    csv_header(&line, columns, sizeof columns / sizeof *columns);
    return put_line(extract, &line);
}

/* As in an address: start and length, separated by blanks. */
static void add_bad(struct buffer *line, const struct ranges *bad)
{
    struct buffer text = {0};

    for (size_t i = 0; i < bad->count; i++)
        buffer_printf(&text, "%s%" PRIu64 "+%" PRIu64, i ? " " : "", bad->list[i].start, bad->list[i].len);
    csv_text(line, &text);
    buffer_release(&text);
}

static void add_file(struct buffer *line, const struct extract_file *file)
{
    csv_number(line, file->start);
    csv_number(line, file->len);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (kind != DIGEST_MD5)
            csv_hex(line, file->values.bytes[kind], digest_len((enum digest_kind)kind));
    add_bad(line, &file->bad);
}

static const char *status_name(enum extract_status status)
{
    static const char *const names[] = {"ok",         "verified",  "partial", "missing",
                                        "unreadable", "too-large", "changed"};

    return names[status];
}

int extract_manifest_add(struct extract *extract, const char *evidence, const struct extract_item *item,
                         const struct extract_file *file, enum extract_status status, const char *reason)
{
    struct buffer line = {0};

    csv_cell(&line, file ? file->name : "");
    csv_cell(&line, item->finding);
    csv_foreign(&line, evidence, strlen(evidence));
    csv_cell(&line, item->volume);
    csv_cell(&line, item->address);
    csv_cell(&line, object_kind_name(item->kind));
    csv_path(&line, item->path, strlen(item->path));
    if (file) {
        add_file(&line, file);
    } else {
        csv_number(&line, 0);
        csv_number(&line, item->size);
        for (int i = 0; i < 3; i++)
            csv_cell(&line, "");
    }
    csv_cell(&line, status_name(status));
    csv_foreign(&line, reason, strlen(reason));
    return put_line(extract, &line);
}
