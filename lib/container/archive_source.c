/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "container/archive_inner.h"

/* ---- the bytes of the content ---- */

enum { SECTOR = 512 };

int archive_window_init(struct archive_window *window, struct content *content,
                        const struct container_watch *watch, struct error *err)
{
    *window = (struct archive_window){.content = content, .watch = watch};
    window->bytes = malloc(ARCHIVE_WINDOW);
    return window->bytes ? 0 : error_set(err, "out of memory");
}

void archive_window_release(struct archive_window *window)
{
    free(window->bytes);
    window->bytes = NULL;
}

/* Content may refuse a range of which one sector is bad. */
static ssize_t read_some(struct content *content, uint64_t offset, void *into, size_t len)
{
    ssize_t got = content->read(content, offset, into, len);

    if (got <= 0 && len > SECTOR)
        got = content->read(content, offset, into, SECTOR - (size_t)(offset % SECTOR));
    return got > 0 && (size_t)got <= len ? got : -1;
}

static void load(struct archive_window *window, uint64_t offset, size_t want)
{
    const uint64_t size = window->content->size, rest = offset < size ? size - offset : 0;
    const size_t len = rest < want ? (size_t)rest : want;

    window->start = offset;
    window->len = 0;
    while (window->len < len) {
        const ssize_t got =
            read_some(window->content, offset + window->len, window->bytes + window->len, len - window->len);

        if (got < 0)
            break;
        window->len += (size_t)got;
    }
    window->watch->progress(window->watch->arg);
}

const uint8_t *archive_window_at(struct archive_window *window, uint64_t offset, size_t least, size_t want,
                                 size_t *len)
{
    const struct content *content = window->content;
    uint64_t skip = offset - window->start;

    if (offset < content->head_len && content->head_len - offset >= least) {
        const size_t left = content->head_len - (size_t)offset, most = want > least ? want : least;

        *len = left < most ? left : most;
        return content->head + offset;
    }
    if (offset < window->start || skip > window->len || window->len - skip < least || window->len == skip) {
        load(window, offset, want > least ? want : least);
        skip = 0;
    }
    *len = window->len - (size_t)skip;
    return *len >= least && *len > 0 ? window->bytes + skip : NULL;
}

uint64_t archive_window_find(struct archive_window *window, uint64_t from, uint64_t to, const char *pair)
{
    while (from < to) {
        size_t len;
        const uint8_t *at = archive_window_at(window, from, 2, ARCHIVE_BLOCK, &len), *found;

        if (!at) {
            from += SECTOR - from % SECTOR;
            continue;
        }
        found = memmem(at, len, pair, 2);
        if (found)
            return from + (uint64_t)(found - at) < to ? from + (uint64_t)(found - at) : to;
        from += len - 1;
    }
    return to;
}

/* ---- what libarchive reads ---- */

static la_ssize_t read_pulled(struct archive *archive, void *arg, const void **block)
{
    struct archive_source *source = arg;
    const ssize_t len = source->pull(source->arg, source->pulled, ARCHIVE_BLOCK);

    (void)archive;
    *block = source->pulled;
    return len > 0 ? (la_ssize_t)len : 0;
}

static la_ssize_t read_source(struct archive *archive, void *arg, const void **block)
{
    struct archive_source *source = arg;
    const uint64_t offset = source->at < source->head_len ? 0 : source->start + source->at - source->head_len;
    size_t len;

    if (source->at < source->head_len) {
        *block = source->head + source->at;
        len = source->head_len - (size_t)source->at;
    } else if (offset >= source->end) {
        return 0;
    } else {
        *block = archive_window_at(source->window, offset, 1, ARCHIVE_BLOCK, &len);
        if (!*block) {
            archive_set_error(archive, EIO, "bytes of it cannot be read");
            return ARCHIVE_FATAL;
        }
        if (len > source->end - offset)
            len = (size_t)(source->end - offset);
    }
    source->at += len;
    return (la_ssize_t)len;
}

static uint64_t source_size(const struct archive_source *source)
{
    return source->head_len + (source->end - source->start);
}

static la_int64_t skip_source(struct archive *archive, void *arg, la_int64_t request)
{
    struct archive_source *source = arg;
    const uint64_t left = source_size(source) - source->at;
    const uint64_t skipped = request < 0 ? 0 : (uint64_t)request < left ? (uint64_t)request : left;

    (void)archive;
    source->at += skipped;
    return (la_int64_t)skipped;
}

static la_int64_t seek_source(struct archive *archive, void *arg, la_int64_t offset, int whence)
{
    struct archive_source *source = arg;
    const uint64_t size = source_size(source);
    la_int64_t to;

    if (size > INT64_MAX ||
        __builtin_add_overflow(offset,
                               whence == SEEK_SET   ? 0
                               : whence == SEEK_CUR ? (la_int64_t)source->at
                                                    : (la_int64_t)size,
                               &to) ||
        to < 0) {
        archive_set_error(archive, EINVAL, "an offset is impossible");
        return ARCHIVE_FATAL;
    }
    source->at = (uint64_t)to < size ? (uint64_t)to : size;
    return (la_int64_t)source->at;
}

/* ---- what libarchive says ---- */

static bool has(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

/* What is common is said in words of ours, which are complete. */
static const char *plain_words(const char *text)
{
    static const struct {
        const char *part, *words;
    } messages[] = {
        {"ZIP bad CRC", "its CRC-32 does not agree"},
        {"checksum error", "its checksum does not agree"},
        {"CRC error", "its checksum does not agree"},
        {"ZIP compressed data is wrong", "its packed size does not agree"},
        {"ZIP uncompressed data is wrong", "its size does not agree"},
        {"ZIP decompression failed (-5)", "it is cut off"},
        {"truncated", "it is cut off"},
        {"premature end", "it is cut off"},
        {"decompression failed", "its packed data is damaged"},
        {"data error", "its packed data is damaged"},
        {"Corrupted", "its packed data is damaged"},
        {"Bad RAR", "its packed data is damaged"},
        {"Damaged", "it is damaged"},
        {"Malformed", "it is damaged"},
        {"encrypt", "it is encrypted"},
        {"Crypto codec", "it is encrypted"},
        {"multivolume", "it continues in another volume"},
        {"memory", "it needs more memory than there is"},
    };

    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (has(text, messages[i].part))
            return messages[i].words;
    return NULL;
}

static int reader_error(const struct archive_reader *reader, struct error *err)
{
    const char *text = archive_error_string(reader->archive), *words;
    size_t len;

    if (!text || !*text)
        return error_set(err, "it is damaged");
    words = archive_errno(reader->archive) == ENOMEM ? plain_words("memory") : plain_words(text);
    if (words)
        return error_set(err, "%s", words);
    for (len = strlen(text); len > 0 && strchr(".\n ", text[len - 1]); len--)
        ;
    return error_set(err, "it cannot be unpacked (libarchive: %.*s)", (int)len, text);
}

int archive_reader_open(struct archive_reader *reader, int (*const *supports)(struct archive *),
                        struct error *err)
{
    reader->archive = archive_read_new();
    if (!reader->archive)
        return error_set(err, "out of memory");
    for (; *supports; supports++)
        if ((*supports)(reader->archive) == ARCHIVE_FATAL)
            return reader_error(reader, err);
    if (reader->source.pull)
        archive_read_set_read_callback(reader->archive, read_pulled);
    else {
        archive_read_set_read_callback(reader->archive, read_source);
        archive_read_set_skip_callback(reader->archive, skip_source);
        archive_read_set_seek_callback(reader->archive, seek_source);
    }
    archive_read_set_callback_data(reader->archive, &reader->source);
    if (archive_read_open1(reader->archive) < ARCHIVE_WARN)
        return reader_error(reader, err);
    return 0;
}

void archive_reader_release(struct archive_reader *reader)
{
    if (reader->archive)
        archive_read_free(reader->archive);
    reader->archive = NULL;
}

int archive_reader_next(struct archive_reader *reader, struct archive_entry **entry, struct error *err)
{
    int result;

    if (reader->result == ARCHIVE_FATAL)
        return error_set(err, "%s", reader->fault.text);
    reader->block_len = 0;
    reader->block_at = reader->at = 0;
    while ((result = archive_read_next_header(reader->archive, entry)) == ARCHIVE_RETRY ||
           result == ARCHIVE_FAILED)
        if (!reader->fault.text[0])
            reader_error(reader, &reader->fault);
    reader->result = ARCHIVE_OK;
    if (result >= ARCHIVE_WARN && result != ARCHIVE_EOF) {
        reader->size = archive_entry_size_is_set(*entry) && archive_entry_size(*entry) > 0
                           ? (uint64_t)archive_entry_size(*entry)
                           : 0;
        return 1;
    }
    if (result == ARCHIVE_FATAL && !reader->fault.text[0])
        reader_error(reader, &reader->fault);
    return reader->fault.text[0] ? error_set(err, "%s", reader->fault.text) : 0;
}

/* The next data; libarchive may return the last of it together with a complaint. */
static void next_block(struct archive_reader *reader)
{
    const void *block = NULL;
    size_t len = 0;
    la_int64_t at = 0;
    const int result = archive_read_data_block(reader->archive, &block, &len, &at);

    if (result < ARCHIVE_WARN || !block)
        len = 0;
    if (result != ARCHIVE_RETRY)
        reader->result = result;
    if (at < 0 || (uint64_t)at < reader->at || (len == 0 && result != ARCHIVE_EOF)) /* data never goes back */
        at = (la_int64_t)reader->at;
    if (result == ARCHIVE_EOF &&
        (uint64_t)at > reader->size) /* a hole at the end; some formats give nonsense */
        at = (la_int64_t)(reader->size > reader->at ? reader->size : reader->at);
    reader->block = block;
    reader->block_len = len;
    reader->block_at = (uint64_t)at;
}

/* Gives what has been unpacked; what a sparse file leaves out is zeros. */
static size_t give(struct archive_reader *reader, uint8_t *into, size_t len)
{
    if (reader->block_at > reader->at) {
        const uint64_t hole = reader->block_at - reader->at;

        len = hole < len ? (size_t)hole : len;
        memset(into, 0, len);
    } else {
        len = reader->block_len < len ? reader->block_len : len;
        memcpy(into, reader->block, len);
        reader->block += len;
        reader->block_len -= len;
        reader->block_at += len;
    }
    reader->at += len;
    return len;
}

ssize_t archive_reader_read(struct archive_reader *reader, void *into, size_t len, struct error *err)
{
    size_t done = 0;

    while (done < len) {
        if (reader->block_len > 0 || reader->block_at > reader->at)
            done += give(reader, (uint8_t *)into + done, len - done);
        else if (reader->result == ARCHIVE_OK)
            next_block(reader);
        else
            break;
    }
    if (done > 0 || reader->result == ARCHIVE_EOF || len == 0)
        return (ssize_t)done;
    if (reader->result == ARCHIVE_FATAL && !reader->fault.text[0])
        reader_error(reader, &reader->fault);
    return reader_error(reader, err);
}
