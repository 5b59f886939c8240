/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/walk.h"
#include "crew/sandbox.h"
#include "disk/medium.h"
#include "evidence/inside.h"
#include "evidence/reading.h"
#include "evidence/worker.h"

/* Address space of a worker.  Little, because of QUIRK_CLAIMED_SIZE; but libewf keeps a table of all
 * chunks. */
static const uint64_t WORKER_MEMORY = (uint64_t)512 << 20;
enum {
    CONTAINER_BYTES_PER_BYTE = 128,
    PATIENCE = 20, /* a slow disk may take this many times the allowed CPU time */
};

/* ---- detecting changes to the evidence ---- */

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

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A writer can reset the modification time, but not the status change time. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           is_same_time(&a->st_mtim, &b->st_mtim) && is_same_time(&a->st_ctim, &b->st_ctim);
}

static void check_file(struct reading *reading, const char *path, const struct stat *before)
{
    struct stat now;
    char text[5200];

    if (stat(path, &now) == 0 && is_same(&now, before))
        return;
    reading->changed = true;
    snprintf(text, sizeof text, "%s changed while it was read", path);
    reading->sink->problem(reading->sink->arg, text);
}

static void check_snapshot(struct reading *reading, const struct snapshot *snapshot, char *const *files)
{
    for (size_t i = 0; i < snapshot->count; i++)
        check_file(reading, files[i], &snapshot->stats[i]);
    for (size_t i = 0; i < reading->extent_count; i++)
        check_file(reading, reading->extents[i].path, &reading->extents[i].st);
}

/* ---- reading ---- */

static void report_bad(struct reading *reading)
{
    for (size_t i = 0; i < reading->bad.count; i++)
        reading_problem(
            reading,
            "bytes %" PRIu64 " to %" PRIu64 " of the image cannot be read; they were treated as zeros",
            reading->bad.list[i].start, reading->bad.list[i].start + reading->bad.list[i].len - 1);
}

/* Content is read only when it is known what volume it lies in. */
static bool take_stream(void *arg, const void *data, size_t len)
{
    const struct reading *reading = arg;
    const struct evidence_sink *sink = reading->sink;

    return reading->shown.label && sink->stream(sink->arg, &reading->shown, data, len);
}

static struct crew *hire(struct reading *reading, struct worker_setup *setup, const char *const *folders,
                         unsigned workers)
{
    const uint64_t more = (setup->inspector ? setup->inspector->memory : 0) +
                          (setup->opening.mode != OPENING_NO ? OPENING_MEMORY : 0);
    const struct crew_job job = {.start = worker_start,
                                 .work = worker_work,
                                 .arg = setup,
                                 .folders = folders,
                                 .memory = WORKER_MEMORY + setup->bytes / CONTAINER_BYTES_PER_BYTE + more,
                                 .seconds = reading->options->seconds,
                                 .patience = PATIENCE,
                                 .accept = evidence_rules_accept,
                                 .accept_arg = &reading->bounds,
                                 .accept_size = evidence_rules_state,
                                 .no_sandbox = reading->options->no_sandbox,
                                 .stream = reading->sink->stream && setup->inspector ? take_stream : NULL,
                                 .stream_arg = reading,
                                 .stop = reading->options->stop,
                                 .idle = reading->sink->idle,
                                 .idle_arg = reading->sink->arg};

    return crew_new(&job, workers, reading->err);
}

/* No evidence is lost, but the examiner must know. */
static void report_missing(struct reading *reading)
{
    const unsigned missing = crew_missing(reading->crew);
    char text[200];

    if (!missing)
        return;
    snprintf(text, sizeof text, "read without a complete sandbox: this system lacks %s",
             sandbox_lack(missing));
    reading->sink->problem(reading->sink->arg, text);
}

static size_t count_folders(const char *const *folders)
{
    size_t count = 0;

    while (folders && folders[count])
        count++;
    return count;
}

enum { MOST_LISTS = 3 };

/* Joins the lists, each of which may be NULL.  The caller frees the result. */
static const char **join_folders(const char *const *const lists[MOST_LISTS])
{
    const char **all, **at;
    size_t count = 1;

    for (int i = 0; i < MOST_LISTS; i++)
        count += count_folders(lists[i]);
    at = all = calloc(count, sizeof *all);
    for (int i = 0; all && i < MOST_LISTS; i++)
        for (const char *const *list = lists[i]; list && *list; list++)
            *at++ = *list;
    return all;
}

static void end_digest(struct reading *reading)
{
    struct crew *crew = reading->crew;

    reading->crew = reading->digester;
    reading_drain(reading);
    reading->crew = crew;
    crew_free(reading->digester);
    if (!reading->failed && reading->whole.kinds)
        reading->sink->digests(reading->sink->arg, &reading->whole, &reading->stored);
}

static void read_with_crew(struct reading *reading, struct worker_setup *setup, const char *const *folders,
                           void (*read)(struct reading *reading))
{
    struct worker_setup plain = {.files = setup->files,
                                 .count = setup->count,
                                 .type = setup->type,
                                 .object = setup->object,
                                 .object_name = setup->object_name,
                                 .force = setup->force,
                                 .bytes = setup->bytes,
                                 .digests = reading->options->image_digests};
    const char **all = join_folders(
        (const char *const *const[MOST_LISTS]){folders, setup->inspector ? setup->inspector->folders : NULL,
                                               setup->opening.mode != OPENING_NO ? opening_folders : NULL});

    if (all) /* must stay valid as long as the crew */
        reading->crew = hire(reading, setup, all, reading->options->workers);
    else
        reading_out_of_memory(reading);
    if (reading->crew)
        report_missing(reading);
    /* A second process computes the digest of the whole image, because it reads in a different order. */
    if (reading->crew && reading->options->image_digests && read == reading_image) {
        reading->digester = hire(reading, &plain, folders, 1);
        reading->failed |= !reading->digester;
    }
    if (!reading->crew) {
        reading->failed = true;
    } else if (!reading->failed) {
        read(reading);
    }
    if (reading->digester)
        end_digest(reading);
    crew_free(reading->crew);
    free(all);
    report_bad(reading);
}

/* Finds the object that is the image to read. */
static void find_object(struct reading *reading, struct inside *inside, struct worker_setup *setup)
{
    enum evidence_result result = EVIDENCE_FAILED;

    if (inside_begin(inside, reading->path, reading->inner, reading->options, reading->sink, reading->err) ==
        0)
        result = evidence_read(reading->file, &inside->options, &inside->sink, reading->err);
    reading->stopped = reading->options->stop && atomic_load(reading->options->stop);
    reading->failed |= reading->stopped || result == EVIDENCE_FAILED || inside_end(inside, reading->err);
    if (reading->failed)
        return;
    if (inside->object.state == OBJECT_PARTIAL)
        reading_problem(reading, "%.*s: what is missing was treated as zeros",
                        (int)inside->object.problem.len, inside->object.problem.data);
    setup->object = &inside->object;
    setup->object_name = reading->path;
    setup->bytes += inside->object.size < INSIDE_MOST_MEMORY ? inside->object.size : INSIDE_MOST_MEMORY;
    reading->bounds.bytes = inside->object.size;
}

static struct opening_extent extent_of(const struct reading *reading)
{
    const struct evidence_options *options = reading->options;

    return (struct opening_extent){.mode = reading->bounds.opens ? options->opening : OPENING_NO,
                                   .depth = options->depth,
                                   .is_chosen = options->depth_is_chosen};
}

static void read_image(struct reading *reading)
{
    struct inside inside = {.path = NULL};
    struct worker_setup setup = {.type = reading->options->image_type,
                                 .force = reading->options->force,
                                 .inspector = reading->options->inspector,
                                 .opening = extent_of(reading)};
    struct snapshot snapshot = {0};
    char **files =
        medium_files(reading->file, reading->inner ? NULL : setup.type, &setup.count, reading->err);
    char *folder = path_folder(reading->file);
    const char *folders[] = {folder, NULL};

    if (!folder)
        reading_out_of_memory(reading);
    if (!files || take_snapshot(&snapshot, files, setup.count, reading->err))
        reading->failed = true;
    if (!reading->failed) {
        setup.files = files;
        setup.bytes = reading->bounds.bytes = snapshot_bytes(&snapshot);
        if (reading->inner)
            find_object(reading, &inside, &setup);
    }
    if (!reading->failed) {
        reading_allow_members(reading, setup.object ? object_stored(setup.object) : setup.bytes);
        read_with_crew(reading, &setup, folders, reading_image);
        check_snapshot(reading, &snapshot, files);
    }
    inside_release(&inside);
    free(snapshot.stats);
    free(folder);
    medium_files_free(files);
}

/* Reads a folder or a file of the host: the workers need not open anything. */
static void read_host(struct reading *reading, void (*read)(struct reading *reading))
{
    static const char *const none[] = {NULL};
    struct worker_setup setup = {.inspector = reading->options->inspector, .opening = extent_of(reading)};

    read_with_crew(reading, &setup, none, read);
}

static void release(struct reading *reading)
{
    reading_forget_names(reading);
    for (size_t i = 0; i < reading->volume_count; i++)
        free(reading->volumes[i].systems);
    free(reading->volumes);
    free(reading->answer);
    reading_extents_release(reading);
    ranges_release(&reading->bad);
    ranges_release(&reading->found);
    account_free(reading->account);
    buffer_release(&reading->task);
    buffer_release(&reading->paths);
    buffer_release(&reading->member_paths);
    buffer_release(&reading->stored_member);
    object_release(&reading->object);
}

/* ---- defaults for missing callbacks ---- */

static void ignore_image(void *arg, const struct evidence_image *image)
{
    (void)arg;
    (void)image;
}

static void ignore_volume(void *arg, const struct evidence_volume *volume)
{
    (void)arg;
    (void)volume;
}

static void ignore_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                          const char *paths, size_t count)
{
    (void)arg;
    (void)volume;
    (void)object;
    (void)paths;
    (void)count;
}

static void ignore_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    (void)arg;
    (void)whole;
    (void)stored;
}

static void ignore_text(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static struct evidence_sink complete(const struct evidence_sink *sink)
{
    struct evidence_sink whole = *sink;

    whole.image = sink->image ? sink->image : ignore_image;
    whole.volume = sink->volume ? sink->volume : ignore_volume;
    whole.object = sink->object ? sink->object : ignore_object;
    whole.digests = sink->digests ? sink->digests : ignore_digests;
    whole.problem = sink->problem ? sink->problem : ignore_text;
    whole.note = sink->note ? sink->note : ignore_text;
    return whole;
}

/* ---- reading ---- */

enum evidence_result evidence_read(const char *path, const struct evidence_options *options,
                                   const struct evidence_sink *sink, struct error *err)
{
    const struct evidence_sink whole = complete(sink);
    const char *inner = NULL;
    char *outer = inside_file(path, &inner);
    struct reading reading = {
        .path = path,
        .file = outer ? outer : path,
        .inner = inner,
        .options = options,
        .sink = &whole,
        .err = err,
        .allowance = {.most = options->unpacked_most ? options->unpacked_most : ALLOWANCE_LEAST,
                      .spent = options->unpacked_before},
        .bounds = {.seconds = options->seconds,
                   .opens = options->opening != OPENING_NO && options->inspector &&
                            (options->kinds & OBJECT_BIT(OBJECT_MEMBER))}};
    struct stat st;

    if (stat(reading.file, &st)) {
        error_errno(err, "%s", path);
        free(outer);
        return EVIDENCE_FAILED;
    }
    for (size_t i = 0; options->bad && i < options->bad->count; i++)
        if (ranges_insert(&reading.bad, options->bad->list[i].start, options->bad->list[i].len))
            reading_out_of_memory(&reading);
    if (S_ISDIR(st.st_mode)) {
        read_host(&reading, reading_folder);
    } else if (options->as_file && !outer && S_ISREG(st.st_mode)) {
        read_host(&reading, reading_file);
    } else if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) {
        read_image(&reading);
    } else {
        evidence_check(path, NULL, err); /* it fails and says what the file is */
        reading.failed = true;
    }
    release(&reading);
    free(outer);
    return reading.stopped   ? EVIDENCE_STOPPED
           : reading.failed  ? EVIDENCE_FAILED
           : reading.changed ? EVIDENCE_CHANGED
           : reading.partial ? EVIDENCE_PARTIAL
                             : EVIDENCE_DONE;
}
