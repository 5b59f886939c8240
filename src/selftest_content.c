/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_content.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "selftest_content_inner.h"

const char *const selftest_class_names[SELFTEST_CLASSES] = {"text", "source", "program", "packed"};
const char *const selftest_size_names[SELFTEST_SIZES] = {"small", "medium", "large"};

enum { KIB = 1024 };

static const size_t least_len[SELFTEST_SIZES + 1] = {4 * KIB, 32 * KIB, 512 * KIB, 8192 * KIB};

size_t selftest_content_wanted(enum selftest_size size, bool quick)
{
    static const size_t wanted[SELFTEST_SIZES] = {20, 10, 3}, quickly[SELFTEST_SIZES] = {4, 2, 1};

    return quick ? quickly[size] : wanted[size];
}

enum selftest_size selftest_content_size(uint64_t len)
{
    enum selftest_size size = SELFTEST_SMALL;

    if (len < least_len[0] || len > least_len[SELFTEST_SIZES])
        return SELFTEST_SIZES;
    while (size < SELFTEST_LARGE && len >= least_len[size + 1])
        size++;
    return size;
}

/* Fills in content->record. */
static int sign(struct selftest_content *content, const uint8_t *data, size_t len, struct error *err)
{
    const struct sampler_params params = sampler_defaults(SAMPLER_GF8);

    if (!content->hasher)
        content->hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), err);
    return !content->hasher || hasher_begin(content->hasher, len, err) ||
                   hasher_update(content->hasher, data, len, err) ||
                   hasher_final(content->hasher, &content->record, err)
               ? -1
               : 0;
}

int selftest_content_is_uniform(struct selftest_content *content, const uint8_t *data, size_t len,
                                struct error *err)
{
    return sign(content, data, len, err) ? -1 : content->record.count == 0;
}

/* Fills in the file, which then owns data and path, also on failure. */
static int describe(struct selftest_content *content, struct selftest_file *file, const char *path,
                    struct error *err)
{
    file->size = selftest_content_size(file->len);
    file->path = path ? strdup(path) : NULL;
    if (path && !file->path)
        return error_set(err, "out of memory");
    if (sign(content, file->data, file->len, err))
        return -1;
    file->is_uniform = content->record.count == 0;
    memcpy(file->sha1, content->record.digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    return 0;
}

static void release_file(struct selftest_file *file)
{
    free(file->data);
    free(file->path);
}

int selftest_content_add(struct selftest_content *content, uint8_t *data, size_t len,
                         enum selftest_class class, const char *path, struct error *err)
{
    struct selftest_file file = {.data = data, .len = len, .class = class};

    if (describe(content, &file, path, err)) {
        release_file(&file);
        return -1;
    }
    if (array_reserve(&content->files, &content->room, content->count + 1)) {
        release_file(&file);
        return error_set(err, "out of memory");
    }
    content->files[content->count++] = file;
    content->bytes += len;
    return 0;
}

int selftest_content_add_stranger(struct selftest_content *content, uint8_t *data, size_t len,
                                  enum selftest_class class, const char *path, struct error *err)
{
    struct selftest_file file = {.data = data, .len = len, .class = class};

    if (describe(content, &file, path, err)) {
        release_file(&file);
        return -1;
    }
    if (array_reserve(&content->strangers, &content->stranger_room, content->stranger_count + 1)) {
        release_file(&file);
        return error_set(err, "out of memory");
    }
    content->strangers[content->stranger_count++] = file;
    return 0;
}

static int by_cell(const void *a, const void *b)
{
    const struct selftest_file *x = a, *y = b;

    if (x->is_uniform != y->is_uniform)
        return x->is_uniform ? 1 : -1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->sha1, y->sha1, DIGEST_SHA1_LEN);
}

void selftest_content_sort(struct selftest_content *content)
{
    if (content->count)
        qsort(content->files, content->count, sizeof *content->files, by_cell);
    for (size_t i = content->count; i-- > 0;) {
        const struct selftest_file *file = &content->files[i];
        struct selftest_cell *cell =
            file->is_uniform ? &content->uniform : &content->cells[file->class][file->size];

        cell->first = i;
        cell->count++;
    }
}

static int add_generated(struct selftest_content *content, enum selftest_class class, enum selftest_size size,
                         struct lab_random *random, struct error *err)
{
    const size_t base = 2 * least_len[size]; /* so a large one has 1 to 2 MiB */
    const size_t len = base + lab_random_below(random, base);
    struct buffer made = {0};

    selftest_content_make(class, random, len, &made);
    if (made.failed) {
        buffer_release(&made);
        return error_set(err, "out of memory");
    }
    return selftest_content_add(content, (uint8_t *)made.data, made.len, class, NULL, err);
}

int selftest_content_generate(struct selftest_content *content, uint64_t seed, bool quick, struct error *err)
{
    struct lab_random random;

    content->is_generated = true;
    lab_random_seed(&random, seed);
    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++)
        for (enum selftest_size size = 0; size < SELFTEST_SIZES; size++)
            for (size_t i = selftest_content_wanted(size, quick); i > 0; i--)
                if (add_generated(content, class, size, &random, err))
                    return -1;
    selftest_content_sort(content);
    return 0;
}

void selftest_content_release(struct selftest_content *content)
{
    for (size_t i = 0; i < content->count; i++)
        release_file(&content->files[i]);
    for (size_t i = 0; i < content->stranger_count; i++)
        release_file(&content->strangers[i]);
    free(content->files);
    free(content->strangers);
    hasher_free(content->hasher);
    record_release(&content->record);
}

void selftest_content_permute(uint8_t *data, size_t len, unsigned number)
{
    for (size_t i = 0; i < len; i++)
        data[i] = (uint8_t)((2 * number + 167) * data[i] + 13);
}

/* A file of the class, if there is any, else of another one. */
static const struct selftest_file *some_file(const struct selftest_content *content,
                                             enum selftest_class class, struct lab_random *random)
{
    size_t first = content->count, count = 0;

    for (enum selftest_size size = 0; size < SELFTEST_SIZES; size++)
        if (content->cells[class][size].count) {
            first = first < content->count ? first : content->cells[class][size].first;
            count += content->cells[class][size].count;
        }
    if (count == 0) {
        first = 0;
        count = content->count;
    }
    return &content->files[first + lab_random_below(random, count)];
}

/* Brings blocks of SHUFFLED bytes into a random order.  They are shorter than a window of any set, so that no
 * sample survives, but long enough for the bytes to vary as they do in the class. */
static void shuffle(uint8_t *data, size_t len, struct lab_random *random)
{
    enum { SHUFFLED = 8 };
    uint8_t block[SHUFFLED];

    for (size_t i = len / SHUFFLED; i > 1; i--) {
        const size_t k = lab_random_below(random, i);

        memcpy(block, data + (i - 1) * SHUFFLED, SHUFFLED);
        memmove(data + (i - 1) * SHUFFLED, data + k * SHUFFLED, SHUFFLED);
        memcpy(data + k * SHUFFLED, block, SHUFFLED);
    }
}

static void add_shuffled(const struct selftest_content *content, enum selftest_class class,
                         struct lab_random *random, size_t len, struct buffer *out)
{
    enum { PIECE = 64 * KIB };

    while (len > 0 && !out->failed) {
        const struct selftest_file *file = some_file(content, class, random);
        size_t piece = file->len < PIECE ? file->len : PIECE;
        uint8_t *at;

        piece = piece < len ? piece : len;
        at = (uint8_t *)buffer_extend(out, piece);
        if (!at)
            return;
        memcpy(at, file->data + lab_random_below(random, file->len - piece + 1), piece);
        shuffle(at, piece, random);
        len -= piece;
    }
}

void selftest_content_foreign(const struct selftest_content *content, enum selftest_class class,
                              struct lab_random *random, size_t len, struct buffer *out)
{
    if (content->is_generated)
        selftest_content_make(class, random, len, out);
    else
        add_shuffled(content, class, random, len, out);
}
