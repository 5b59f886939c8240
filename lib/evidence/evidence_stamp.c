/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/walk.h"
#include "disk/medium.h"
#include "evidence/evidence.h"
#include "evidence/inside.h"

/* What can be said of evidence from the outside, without opening it. */

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* The totals over a number of files. */
struct sum {
    uint64_t files, bytes;
    struct timespec written, changed; /* the latest of all */
};

static void add_file(struct sum *sum, const struct stat *st)
{
    sum->files++;
    sum->bytes += (uint64_t)st->st_size;
    if (is_later(&st->st_mtim, &sum->written))
        sum->written = st->st_mtim;
    if (is_later(&st->st_ctim, &sum->changed))
        sum->changed = st->st_ctim;
}

static int sum_files(char *const *files, size_t count, struct sum *sum, struct error *err)
{
    struct stat st;

    for (size_t i = 0; i < count; i++) {
        if (stat(files[i], &st))
            return error_errno(err, "%s", files[i]);
        add_file(sum, &st);
    }
    return 0;
}

static int sum_image(const char *path, const char *image_type, struct sum *sum, struct error *err)
{
    size_t count = 0, extent_count = 0;
    char **files = medium_files(path, image_type, &count, err);
    char **extents = files ? medium_named_extents(path, &extent_count, err) : NULL;
    int result = extents ? sum_files(files, count, sum, err) : -1;

    if (result == 0 && extent_count)
        result = sum_files(extents, extent_count, sum, err);
    medium_files_free(files);
    medium_files_free(extents);
    return result;
}

/* Errors are ignored here: they are reported when the files are read. */
static int sum_folder(const char *path, struct sum *sum, struct error *err)
{
    struct walk *walk = walk_new(path, err);
    struct walk_item item;
    enum walk_result result;
    struct stat st;
    struct error ignored;

    if (!walk)
        return -1;
    while ((result = walk_next(walk, &item, &ignored)) != WALK_END)
        if (result == WALK_FILE && lstat(item.path, &st) == 0)
            add_file(sum, &st);
    walk_free(walk);
    return 0;
}

enum { TIME_LEN = 60 };

static void put_time(char text[TIME_LEN], const struct timespec *time)
{
    char day[40] = "at an unknown time";
    struct tm tm;

    if (gmtime_r(&time->tv_sec, &tm))
        strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text, TIME_LEN, "%s.%09ldZ", day, (long)time->tv_nsec);
}

static void put_stamp(char stamp[EVIDENCE_STAMP_LEN + 1], const struct sum *sum, bool is_inside)
{
    char written[TIME_LEN], changed[TIME_LEN];

    put_time(written, &sum->written);
    put_time(changed, &sum->changed);
    snprintf(stamp, EVIDENCE_STAMP_LEN + 1,
             "%s%" PRIu64 " file%s, %" PRIu64 " bytes, last modified %s, status changed %s",
             is_inside ? "inside " : "", sum->files, sum->files == 1 ? "" : "s", sum->bytes, written,
             changed);
}

static int check_file(const char *path, const char *image_type, struct error *err)
{
    struct stat st;
    struct sum sum = {0};

    if (stat(path, &st) || access(path, S_ISDIR(st.st_mode) ? R_OK | X_OK : R_OK))
        return error_errno(err, "%s", path);
    if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
        return 0;
    if (!S_ISREG(st.st_mode))
        return error_set(err, "%s: is %s; evidence must be an image, a block device, a folder or a file",
                         path, walk_kind(st.st_mode));
    return sum_image(path, image_type, &sum, err);
}

int evidence_check(const char *path, const char *image_type, struct error *err)
{
    const char *object;
    char *outer = inside_file(path, &object);
    struct inside_address address;
    int result = outer ? check_file(outer, NULL, err) : check_file(path, image_type, err);

    if (result == 0 && outer)
        result = inside_parse(&address, path, object, err);
    free(outer);
    return result;
}

static int stamp_file(const char *path, const char *image_type, bool is_inside,
                      char stamp[EVIDENCE_STAMP_LEN + 1], struct error *err)
{
    struct sum sum = {0};
    struct stat st;

    stamp[0] = '\0';
    if (stat(path, &st))
        return error_errno(err, "%s", path);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    if (S_ISREG(st.st_mode) ? sum_image(path, image_type, &sum, err) : sum_folder(path, &sum, err))
        return -1;
    put_stamp(stamp, &sum, is_inside);
    return 0;
}

int evidence_stamp(const char *path, const char *image_type, char stamp[EVIDENCE_STAMP_LEN + 1],
                   struct error *err)
{
    const char *object;
    char *outer = inside_file(path, &object);
    const int result =
        outer ? stamp_file(outer, NULL, true, stamp, err) : stamp_file(path, image_type, false, stamp, err);

    free(outer);
    return result;
}
