/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/escape.h"
#include "selftest_images_inner.h"

/* Contents, and where they are put: files by the tools of the file system, the rest into its bytes. */

enum {
    CARRIER_BLOCKS = 2,
    SLACK_REST = 7, /* bytes of a block that stay after the content in its slack */
    KEY = 128,      /* bytes by which content is searched for */
};

/* ---- contents ---- */

static size_t content_len(const struct selftest_image_system *system, enum selftest_images_place place,
                          size_t index)
{
    static const size_t lens[SELFTEST_ITEMS] = {1500, 3000, 6000, 12000, 25000, 48000};
    static const size_t percent[SELFTEST_ITEMS] = {30, 45, 60, 75, 85, 95};

    index %= SELFTEST_ITEMS;
    return place == SELFTEST_SLACK ? system->block * percent[index] / 100 : lens[index];
}

static int hash_content(struct selftest_item *item, struct digest *digest, struct error *err)
{
    struct digest_values values = {0};
    struct buffer hex = {0};

    if (digest_begin(digest, err) || digest_update(digest, item->content.data, item->content.len, err) ||
        digest_final(digest, &values, err))
        return -1;
    escape_hex(&hex, values.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    snprintf(item->sha1, sizeof item->sha1, "%.*s", (int)hex.len, hex.data ? hex.data : "");
    buffer_release(&hex);
    return 0;
}

static int generate_item(const struct selftest_run *run, const struct selftest_image_system *system,
                         enum selftest_images_place place, size_t index, struct selftest_item *item,
                         struct digest *digest, struct error *err)
{
    static const char *const files[SELFTEST_PLACES] = {"active", "deleted", NULL, "slack"};
    const size_t len = content_len(system, place, index);
    struct lab_random random;
    char id[48];

    snprintf(id, sizeof id, "%s/%d/%zu", system->name, (int)place, index);
    random = selftest_run_random(run, id);
    item->class = (enum selftest_class)(index % SELFTEST_CLASSES);
    selftest_content_make(item->class, &random, len, &item->content);
    if (place == SELFTEST_SLACK)
        selftest_content_make(SELFTEST_PACKED, &random,
                              (CARRIER_BLOCKS + 1) * system->block - len - SLACK_REST, &item->carrier);
    if (files[place])
        snprintf(item->file, sizeof item->file, "%s%zu.bin", files[place], index);
    if (item->content.failed || item->carrier.failed)
        return error_set(err, "out of memory");
    return hash_content(item, digest, err);
}

int selftest_images_generate(const struct selftest_run *run, const struct selftest_image_system *system,
                             struct selftest_items *items, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err);
    int result = digest ? 0 : -1;

    items->count = run->quick ? 2 : SELFTEST_ITEMS;
    for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
        for (size_t i = 0; result == 0 && i < items->count; i++)
            result = generate_item(run, system, place, run->quick ? 2 * i + 1 : i, &items->list[place][i],
                                   digest, err);
    digest_free(digest);
    return result;
}

void selftest_images_release(struct selftest_items *items)
{
    for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
        for (size_t i = 0; i < items->count; i++) {
            buffer_release(&items->list[place][i].content);
            buffer_release(&items->list[place][i].carrier);
        }
}

/* ---- files ---- */

/* Writes the files of all places to "tree"; their names go to `names`, which ends with NULL. */
static int write_tree(const struct selftest_run *run, const struct selftest_items *items, const char **names,
                      struct error *err)
{
    char path[64];

    if (selftest_scratch_folder(&run->scratch, "tree", err))
        return -1;
    for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
        for (size_t i = 0; i < items->count; i++) {
            const struct selftest_item *item = &items->list[place][i];
            const struct buffer *content = place == SELFTEST_SLACK ? &item->carrier : &item->content;

            if (!item->file[0])
                continue;
            snprintf(path, sizeof path, "tree/%s", item->file);
            if (selftest_scratch_write(&run->scratch, path, content->data, content->len, err))
                return -1;
            *names++ = item->file;
        }
    *names = NULL;
    return 0;
}

/* Where the content lies in the image, in one piece and only there. */
static int locate(const struct selftest_image *image, const struct buffer *content, const char *what,
                  uint64_t *at, struct error *err)
{
    const uint8_t *found = memmem(image->bytes, image->len, content->data, KEY);
    size_t left;

    if (!found)
        return error_set(err, "%s: %s is not in the image", image->system->name, what);
    left = image->len - (size_t)(found - image->bytes);
    if (left < content->len || memcmp(found, content->data, content->len) != 0)
        return error_set(err, "%s: %s is not in one piece", image->system->name, what);
    if (memmem(found + 1, left - 1, content->data, KEY))
        return error_set(err, "%s: %s is in the image twice", image->system->name, what);
    *at = (uint64_t)(found - image->bytes);
    return 0;
}

static int delete_files(struct selftest_image *image, struct selftest_items *items, struct error *err)
{
    const char *names[SELFTEST_ITEMS + 1] = {NULL};
    int result = 0;

    for (size_t i = 0; i < items->count; i++)
        names[i] = items->list[SELFTEST_DELETED][i].file;
    if (image->system->remove && image->system->remove(image, names, err))
        return -1;
    if (selftest_image_map(image, err))
        return -1;
    if (image->system->block_size(image) != image->system->block)
        return error_set(err, "%s: the blocks have %zu bytes instead of %zu", image->system->name,
                         image->system->block_size(image), image->system->block);
    for (size_t i = 0; result == 0 && i < items->count; i++) {
        const struct selftest_item *item = &items->list[SELFTEST_DELETED][i];
        uint64_t at;

        result = locate(image, &item->content, item->file, &at, err);
        if (result == 0 && image->system->forget)
            result = image->system->forget(image, item->file, at, item->content.len, err);
        if (result == 0 && !image->system->is_free(image, at))
            result = error_set(err, "%s: %s is not deleted", image->system->name, item->file);
    }
    return result;
}

/* ---- slack and unallocated space ---- */

static int plant_slack(struct selftest_image *image, struct selftest_item *item, struct error *err)
{
    const size_t block = image->system->block;
    uint64_t at;

    if (locate(image, &item->carrier, item->file, &at, err))
        return -1;
    at += item->carrier.len;
    if (at % block + item->content.len + SLACK_REST != block || at + item->content.len > image->len)
        return error_set(err, "%s: the slack of %s is not where it should be", image->system->name,
                         item->file);
    memcpy(image->bytes + at, item->content.data, item->content.len);
    return 0;
}

/* Whether blocks from `at` on belong to nothing and hold nothing. */
static bool is_unused(const struct selftest_image *image, uint64_t at, size_t len)
{
    for (uint64_t i = at; i < at + len; i += image->system->block)
        if (i >= image->len || !image->system->is_free(image, i))
            return false;
    for (size_t i = 0; i < len; i++)
        if (at + i >= image->len || image->bytes[at + i])
            return false;
    return true;
}

/* From the end of the image, each after a random number of bytes of its first block. */
static int plant_unallocated(struct selftest_image *image, struct selftest_items *items, struct error *err)
{
    const size_t block = image->system->block;
    struct lab_random random = selftest_run_random(image->run, image->system->name);
    uint64_t end = image->len / block;

    for (size_t i = 0; i < items->count; i++) {
        const struct buffer *content = &items->list[SELFTEST_UNALLOCATED][i].content;
        const size_t blocks = content->len / block + 2;

        do {
            if (end <= blocks)
                return error_set(err, "%s: no free blocks in the image", image->system->name);
            end--;
        } while (!is_unused(image, (end - blocks) * block, blocks * block));
        end -= blocks;
        memcpy(image->bytes + end * block + lab_random_below(&random, block), content->data, content->len);
    }
    return 0;
}

/* ---- all of it ---- */

static int locate_all(const struct selftest_image *image, struct selftest_items *items, struct error *err)
{
    static const char *const what[SELFTEST_PLACES] = {"an active file", "a deleted file",
                                                      "unallocated content", "content in slack"};

    for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
        for (size_t i = 0; i < items->count; i++)
            if (locate(image, &items->list[place][i].content, what[place], &items->list[place][i].at, err))
                return -1;
    return 0;
}

int selftest_images_plant(struct selftest_image *image, struct selftest_items *items, struct error *err)
{
    const char *names[SELFTEST_PLACES * SELFTEST_ITEMS + 1];
    int result = write_tree(image->run, items, names, err);

    image->files = names;
    if (result == 0)
        result = image->system->make(image, err);
    if (result == 0)
        result = delete_files(image, items, err);
    for (size_t i = 0; result == 0 && i < items->count; i++)
        result = plant_slack(image, &items->list[SELFTEST_SLACK][i], err);
    if (result == 0)
        result = plant_unallocated(image, items, err);
    if (result == 0)
        result = locate_all(image, items, err);
    image->files = NULL;
    selftest_scratch_drop(&image->run->scratch, "tree");
    return result;
}
