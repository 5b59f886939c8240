/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_data.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/walk.h"
#include "lab/lab_text.h"

enum {
    MOST_BYTES = 512 << 20,
    GENERATED = 100,
    GENERATED_QUICK = 12,
};

/* A document with the memory that it is in. */
struct document {
    struct lab_text_file file;
    char *name;
    struct buffer content;
};

struct lab_data {
    struct document *files;
    size_t count, room;
    size_t bytes;
    struct buffer source;
    bool is_generated;
};

void lab_data_free(struct lab_data *data)
{
    if (!data)
        return;
    for (size_t i = 0; i < data->count; i++) {
        free(data->files[i].name);
        buffer_release(&data->files[i].content);
    }
    free(data->files);
    buffer_release(&data->source);
    free(data);
}

size_t lab_data_count(const struct lab_data *data)
{
    return data->count;
}

const struct lab_text_file *lab_data_get(const struct lab_data *data, size_t index)
{
    return &data->files[index].file;
}

bool lab_data_is_generated(const struct lab_data *data)
{
    return data->is_generated;
}

const char *lab_data_source(const struct lab_data *data)
{
    return data->source.data;
}

static int by_length(const void *a, const void *b)
{
    const struct lab_text_file *x = &((const struct document *)a)->file,
                               *y = &((const struct document *)b)->file;

    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Takes the content, which is released on failure, and empties the buffer. */
static int add_file(struct lab_data *data, const char *name, struct buffer *content, struct error *err)
{
    char *copy = strdup(name);
    struct document *document;

    if (content->failed || !copy || array_reserve(&data->files, &data->room, data->count + 1)) {
        free(copy);
        buffer_release(content);
        return error_set(err, "%s: out of memory", name);
    }
    document = &data->files[data->count++];
    document->name = copy;
    document->content = *content;
    document->file = (struct lab_text_file){copy, (const uint8_t *)content->data, content->len};
    data->bytes += content->len;
    *content = (struct buffer){0};
    return 0;
}

/* Sorts the files and completes the source. */
static struct lab_data *finish(struct lab_data *data, struct error *err)
{
    buffer_add_char(&data->source, '\0');
    if (data->source.failed) {
        error_set(err, "out of memory");
        lab_data_free(data);
        return NULL;
    }
    qsort(data->files, data->count, sizeof *data->files, by_length);
    return data;
}

/* ---- a folder ---- */

static int read_all(int fd, const char *path, size_t most, struct buffer *out, struct error *err)
{
    enum { STEP = 1 << 18 };
    ssize_t got;

    do {
        char *to = buffer_extend(out, STEP);

        if (!to)
            return error_set(err, "%s: out of memory", path);
        got = read(fd, to, STEP);
        out->len -= STEP - (size_t)(got > 0 ? got : 0);
        if (out->len > most)
            return error_set(err, "more than %d MiB of files; name a smaller folder", MOST_BYTES >> 20);
    } while (got > 0);
    return got < 0 ? error_errno(err, "%s", path) : 0;
}

static int read_file(struct lab_data *data, const char *path, const char *name, struct error *err)
{
    struct buffer content = {0};
    struct stat st;
    const int fd = walk_open(path, O_NOFOLLOW);
    int result;

    if (fd < 0)
        return error_errno(err, "%s", path);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        result = error_set(err, "%s: is not a regular file any more", path);
    else
        result = read_all(fd, path, MOST_BYTES - data->bytes, &content, err);
    close(fd);
    if (result == 0 && content.len)
        return add_file(data, name, &content, err);
    buffer_release(&content);
    return result;
}

static int read_folder(struct lab_data *data, struct walk *walk, const char *folder, struct error *err)
{
    const size_t skip = strlen(folder);
    struct walk_item item;
    enum walk_result result;

    while ((result = walk_next(walk, &item, err)) != WALK_END) {
        const char *name = item.path + (strlen(item.path) > skip ? skip : 0);

        if (result == WALK_ERROR ||
            (result == WALK_FILE && read_file(data, item.path, name + strspn(name, "/"), err)))
            return -1;
    }
    return data->count ? 0 : error_set(err, "%s: there is no file with content", folder);
}

struct lab_data *lab_data_read(const char *folder, struct error *err)
{
    struct lab_data *data = memory_new(sizeof *data, err);
    struct walk *walk = data ? walk_new(folder, err) : NULL;
    const int result = walk ? read_folder(data, walk, folder, err) : -1;

    walk_free(walk);
    if (result) {
        lab_data_free(data);
        return NULL;
    }
    buffer_printf(&data->source, "%zu file%s of %s", data->count, data->count == 1 ? "" : "s", folder);
    return finish(data, err);
}

/* ---- generated texts ---- */

/*
 * The length of document `index` of `count`.  Figure 1 of Cherkasova et al. shows the lengths of 100 reports
 * in increasing order, 9 to 540 KB and about 50 KB on average (section 4.3): a geometric series over most of
 * them, steeper for the last ones.  Linear between the places of this table.
 */
static size_t generated_len(size_t index, size_t count)
{
    static const struct {
        unsigned percent, kb;
    } places[] = {{0, 9}, {20, 18}, {50, 32}, {80, 60}, {92, 110}, {97, 220}, {100, 540}};
    const size_t at = count > 1 ? index * 10000 / (count - 1) : 0; /* hundredths of a percent */
    size_t i = 1;

    while (at > places[i].percent * 100)
        i++;
    return ((size_t)places[i - 1].kb * 1000) + (size_t)(places[i].kb - places[i - 1].kb) * 1000 *
                                                   (at - places[i - 1].percent * 100) /
                                                   ((places[i].percent - places[i - 1].percent) * 100);
}

static int generate(struct lab_data *data, uint64_t seed, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct lab_random random;
        struct buffer content = {0};
        char name[32];

        lab_random_seed(&random, lab_random_mix(seed) + i);
        lab_text_generate(&random, generated_len(i, count), &content);
        snprintf(name, sizeof name, "text-%03zu", i + 1);
        if (add_file(data, name, &content, err))
            return -1;
    }
    return 0;
}

struct lab_data *lab_data_generate(uint64_t seed, bool quick, struct error *err)
{
    struct lab_data *data = memory_new(sizeof *data, err);

    if (!data || generate(data, seed, quick ? GENERATED_QUICK : GENERATED, err)) {
        lab_data_free(data);
        return NULL;
    }
    data->is_generated = true;
    buffer_printf(&data->source, "%zu generated texts, seed %" PRIu64, data->count, seed);
    return finish(data, err);
}
