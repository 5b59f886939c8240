/* SPDX-License-Identifier: Apache-2.0 */
#include "container/unopened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "disk/medium.h"

enum {
    PST_CLIENT = 8,   /* the offset of what kind of file it is */
    PST_HEADER = 564, /* bytes of the smaller one */
    LEAST_DISK = 1 << 20,
    ISO_MARK = 32769, /* ISO 9660 images that also boot from USB sticks have a partition table as well */
};

struct unopened {
    struct container container;
    char problem[160];
    bool is_reported;
};

/* ---- the one member ---- */

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct unopened *unopened = (struct unopened *)container;

    (void)err;
    if (unopened->is_reported)
        return 0;
    *member = (struct container_member){.name = "", .size = CONTAINER_UNKNOWN, .problem = unopened->problem};
    unopened->is_reported = true;
    return 1;
}

static ssize_t read_nothing(struct container *container, void *into, size_t len, struct error *err)
{
    (void)container;
    (void)into;
    (void)len;
    return error_set(err, "is not opened");
}

static void close_unopened(struct container *container)
{
    free(container);
}

static struct container *open_with(const char *problem, struct error *err)
{
    struct unopened *unopened = memory_new(sizeof *unopened, err);

    if (!unopened)
        return NULL;
    unopened->container =
        (struct container){.next = next_member, .read = read_nothing, .close = close_unopened};
    snprintf(unopened->problem, sizeof unopened->problem, "%s", problem);
    return &unopened->container;
}

/* ---- Outlook ---- */

static bool matches_pst(const struct container_sight *sight)
{
    static const char clients[][3] = {"SM", "SO", "AB"};

    if (sight->size < PST_HEADER || memcmp(sight->head, "!BDN", 4) != 0)
        return false;
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (memcmp(sight->head + PST_CLIENT, clients[i], 2) == 0)
            return true;
    return false;
}

static struct container *open_pst(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    (void)sight;
    (void)watch;
    return open_with("Outlook data files are not opened", err);
}

static const struct container_magic magic_pst[] = {{0, 4, "!BDN"}, {0}};

const struct container_format unopened_format_pst = {
    .name = "pst", .first = "!", .magic = magic_pst, .matches = matches_pst, .open = open_pst};

/* ---- disk images ---- */

static bool is_disk(const struct container_sight *sight)
{
    char mark[5];

    if (sight->size < LEAST_DISK || !format_is_table(sight->head, sight->head_len))
        return false;
    return content_read(sight->content, ISO_MARK, mark, sizeof mark) ||
           memcmp(mark, "CD001", sizeof mark) != 0;
}

/* By the head alone: whatever shows only at the end would cost a read of each object. */
static struct format_verdict identify(const struct container_sight *sight)
{
    return format_container(sight->head, sight->head_len, sight->head, 0, sight->size);
}

static bool matches_image(const struct container_sight *sight)
{
    return sight->head_len >= 512 && (identify(sight).format != FORMAT_RAW || is_disk(sight));
}

const char unopened_image_problem[] = "disk images are evidence of their own: extract it, then scan it";

static struct container *open_image(const struct container_sight *sight, const struct container_watch *watch,
                                    struct error *err)
{
    const struct format_verdict verdict = identify(sight);
    char problem[160];

    (void)watch;
    if (medium_reads_content(&verdict))
        return open_with(unopened_image_problem, err);
    snprintf(problem, sizeof problem,
             "disk images are evidence of their own: extract this one (%s), then scan it", verdict.name);
    return open_with(problem, err);
}

const struct container_format unopened_format_image = {
    .name = "image", .is_evidence = true, .matches = matches_image, .open = open_image};
