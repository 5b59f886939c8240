/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "medium.h"
#include "reading.h"
#include "sandbox.h"
#include "walk.h"

/* What a worker may use: libtsk asks for gigabytes for a file that claims to be huge, and libewf keeps a
 * table of all chunks. */
static const uint64_t WORKER_MEMORY = (uint64_t)512 << 20;
enum { CONTAINER_BYTES_PER_BYTE = 128 };

/* ---- whether it changes ---- */

struct snapshot {
    struct stat *stats;
    size_t count;
};

static int take_snapshot(struct snapshot *snapshot, char *const *files, size_t count, struct error *err)
{
    snapshot->stats = calloc(count, sizeof *snapshot->stats);
    snapshot->count = count;
    if (!snapshot->stats)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (stat(files[i], &snapshot->stats[i]))
            return error_errno(err, "%s", files[i]);
    return 0;
}

static uint64_t snapshot_bytes(const struct snapshot *snapshot)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < snapshot->count; i++)
        sum += (uint64_t)snapshot->stats[i].st_size;
    return sum;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void check_snapshot(struct reading *reading, const struct snapshot *snapshot, char *const *files)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        struct stat now;
        char text[5200];

        if (stat(files[i], &now) == 0 && is_same(&now, &snapshot->stats[i]))
            continue;
        reading->changed = true;
        snprintf(text, sizeof text, "%s changed while it was read", files[i]);
        reading->sink->problem(reading->sink->arg, text);
    }
}

/* What some files are together. */
struct sum {
    uint64_t files, bytes;
    struct timespec last;
};

static void add_file(struct sum *sum, const struct stat *st)
{
    const struct timespec *time = &st->st_mtim;

    sum->files++;
    sum->bytes += (uint64_t)st->st_size;
    if (time->tv_sec > sum->last.tv_sec ||
        (time->tv_sec == sum->last.tv_sec && time->tv_nsec > sum->last.tv_nsec))
        sum->last = *time;
}

static int sum_image(const char *path, const char *image_type, struct sum *sum, struct error *err)
{
    struct snapshot snapshot = {0};
    size_t count = 0;
    char **files = medium_files(path, image_type, &count, err);
    const int result = files ? take_snapshot(&snapshot, files, count, err) : -1;

    for (size_t i = 0; result == 0 && i < count; i++)
        add_file(sum, &snapshot.stats[i]);
    free(snapshot.stats);
    medium_files_free(files);
    return result;
}

/* What cannot be read is told when it is read. */
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

static void put_stamp(char stamp[EVIDENCE_STAMP_LEN + 1], const struct sum *sum)
{
    char day[40] = "at an unknown time";
    struct tm tm;

    if (gmtime_r(&sum->last.tv_sec, &tm))
        strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(stamp, EVIDENCE_STAMP_LEN + 1, "%" PRIu64 " file%s, %" PRIu64 " bytes, last changed %s.%09ldZ",
             sum->files, sum->files == 1 ? "" : "s", sum->bytes, day, (long)sum->last.tv_nsec);
}

int evidence_stamp(const char *path, const char *image_type, char stamp[EVIDENCE_STAMP_LEN + 1],
                   struct error *err)
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
    put_stamp(stamp, &sum);
    return 0;
}

/* ---- reading ---- */

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/* Every worker told what it could not read: once each, in order. */
static void tell_bad(struct reading *reading)
{
    struct ranges *bad = &reading->bad;

    if (bad->count)
        qsort(bad->list, bad->count, sizeof *bad->list, compare_ranges);
    for (size_t i = 0; i < bad->count;) {
        uint64_t start = bad->list[i].start, end = start;

        for (; i < bad->count && bad->list[i].start <= end; i++)
            if (bad->list[i].start + bad->list[i].len > end)
                end = bad->list[i].start + bad->list[i].len;
        reading_problem(
            reading, "bytes %" PRIu64 " to %" PRIu64 " of the image cannot be read; they were taken as zeros",
            start, end - 1);
    }
}

static struct crew *hire(struct reading *reading, struct evidence_setup *setup, const char *const *folders,
                         unsigned workers)
{
    const uint64_t more = setup->inspector ? setup->inspector->memory : 0;
    const struct crew_job job = {.start = evidence_task_start,
                                 .work = evidence_task_work,
                                 .arg = setup,
                                 .folders = folders,
                                 .memory = WORKER_MEMORY + setup->bytes / CONTAINER_BYTES_PER_BYTE + more,
                                 .no_sandbox = true,
                                 .seconds = reading->options->seconds,
                                 .patience = 20,
                                 .stop = reading->options->stop,
                                 .idle = reading->sink->idle,
                                 .idle_arg = reading->sink->arg};

    return crew_new(&job, workers, reading->err);
}

static void tell_missing(struct reading *reading)
{
    unsigned missing = crew_missing(reading->crew);

    if (missing & SANDBOX_NO_LANDLOCK)
        reading->sink->note(reading->sink->arg,
                            "this kernel has no Landlock: the workers' sandbox is weaker");
    if (missing & SANDBOX_NO_SECCOMP)
        reading->sink->note(reading->sink->arg,
                            "this kernel has no seccomp filters: the workers' sandbox is weaker");
}

/* The folder that a file lies in. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static size_t count_folders(const char *const *folders)
{
    size_t count = 0;

    while (folders && folders[count])
        count++;
    return count;
}

/* Those of the evidence, and those of the inspector, which may be NULL; for free. */
static const char **join_folders(const char *const *folders, const char *const *more)
{
    const char **all = calloc(count_folders(folders) + count_folders(more) + 1, sizeof *all), **at = all;

    while (all && folders && *folders)
        *at++ = *folders++;
    while (all && more && *more)
        *at++ = *more++;
    return all;
}

/* A second process for the digest of the whole: it reads in another order than everything else. */
static struct crew *begin_digest(struct reading *reading, struct evidence_setup *setup,
                                 const char *const *folders)
{
    struct crew *crew = hire(reading, setup, folders, 1);
    struct crew_task task;

    reading_begin(reading, TASK_DIGEST);
    task = reading_task(reading, 0, NULL, 0);
    if (crew && crew_push(crew, &task, reading->err)) {
        crew_free(crew);
        crew = NULL;
    }
    return crew;
}

static void end_digest(struct reading *reading, struct crew *digester)
{
    struct crew *crew = reading->crew;

    reading->crew = digester;
    reading_drain(reading);
    reading->crew = crew;
    crew_free(digester);
    if (!reading->failed && reading->whole.kinds)
        reading->sink->digests(reading->sink->arg, &reading->whole, &reading->stored);
}

static void read_with_crew(struct reading *reading, struct evidence_setup *setup, const char *const *folders,
                           void (*read)(struct reading *reading))
{
    struct evidence_setup plain = {.files = setup->files,
                                   .count = setup->count,
                                   .type = setup->type,
                                   .bytes = setup->bytes,
                                   .digests = reading->options->image_digests};
    const char **all = join_folders(folders, setup->inspector ? setup->inspector->folders : NULL);
    struct crew *digester = NULL;

    if (all) /* which the crew needs to its end */
        reading->crew = hire(reading, setup, all, reading->options->workers);
    else
        reading_out_of_memory(reading);
    if (reading->crew)
        tell_missing(reading);
    if (reading->crew && reading->options->image_digests && read == reading_image) {
        digester = begin_digest(reading, &plain, folders);
        if (!digester)
            reading->failed = true;
    }
    if (!reading->crew) {
        reading->failed = true;
    } else if (!reading->failed) {
        read(reading);
    }
    if (digester)
        end_digest(reading, digester);
    crew_free(reading->crew);
    free(all);
    tell_bad(reading);
}

static void read_image(struct reading *reading)
{
    struct evidence_setup setup = {.type = reading->options->image_type,
                                   .inspector = reading->options->inspector};
    struct snapshot snapshot = {0};
    char **files = medium_files(reading->path, setup.type, &setup.count, reading->err);
    char *folder = folder_of(reading->path);
    const char *folders[] = {folder, NULL};

    if (!folder)
        reading_out_of_memory(reading);
    if (!files || take_snapshot(&snapshot, files, setup.count, reading->err))
        reading->failed = true;
    if (!reading->failed) {
        setup.files = files;
        setup.bytes = snapshot_bytes(&snapshot);
        read_with_crew(reading, &setup, folders, reading_image);
        check_snapshot(reading, &snapshot, files);
    }
    free(snapshot.stats);
    free(folder);
    medium_files_free(files);
}

/* A folder or a file of the host: nothing has to be opened by the workers. */
static void read_host(struct reading *reading, void (*read)(struct reading *reading))
{
    static const char *const none[] = {NULL};
    struct evidence_setup setup = {.inspector = reading->options->inspector};

    read_with_crew(reading, &setup, none, read);
}

static void release(struct reading *reading)
{
    reading_forget_names(reading);
    for (size_t i = 0; i < reading->volume_count; i++)
        free(reading->volumes[i].systems);
    free(reading->volumes);
    free(reading->bad.list);
    free(reading->free.list);
    buffer_release(&reading->task);
    buffer_release(&reading->paths);
    object_release(&reading->object);
}

enum evidence_result evidence_read(const char *path, const struct evidence_options *options,
                                   const struct evidence_sink *sink, struct error *err)
{
    struct reading reading = {.path = path, .options = options, .sink = sink, .err = err};
    struct stat st;

    if (stat(path, &st)) {
        error_errno(err, "%s", path);
        return EVIDENCE_FAILED;
    }
    if (S_ISDIR(st.st_mode)) {
        read_host(&reading, reading_folder);
    } else if (options->as_file && S_ISREG(st.st_mode)) {
        read_host(&reading, reading_file);
    } else if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) {
        read_image(&reading);
    } else {
        error_set(err, "%s: is %s; evidence is an image, a block device, a folder or a file", path,
                  walk_kind(st.st_mode));
        reading.failed = true;
    }
    release(&reading);
    return reading.stopped   ? EVIDENCE_STOPPED
           : reading.failed  ? EVIDENCE_FAILED
           : reading.changed ? EVIDENCE_CHANGED
           : reading.partial ? EVIDENCE_PARTIAL
                             : EVIDENCE_DONE;
}

/* ---- names of types ---- */

bool evidence_image_type_known(const char *name)
{
    const char *at = strstr(medium_types, name);
    size_t len = strlen(name);

    return len && at && !strchr(name, ' ') && (at == medium_types || at[-1] == ' ') &&
           (at[len] == ' ' || at[len] == '\0');
}

bool evidence_system_type_known(const char *name)
{
    return disk_type_known(name);
}
