/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/queue.h"
#include "base/walk.h"
#include "command.h"
#include "formats.h"
#include "options.h"
#include "sketch_flags.h"
#include "terminal.h"

enum {
    OPTION_SPLIT = OPTIONS_SKETCH,
    OPTION_JOBS,
    OPTION_FORMAT,
    OPTION_JSON,
    OPTION_MD5,
    OPTION_SHA256,
    OPTION_NULL,
    OPTION_QUIET,
};

static const struct option_spec sign_options[] = {
    OPTIONS_SKETCH_SPECS,
    {0, "split", "SIZE",
     "coates2011, coates2015: a record for each block of this many bytes (default: no blocks)", NULL},
    {'j', "jobs", "N", "threads (default: one per processor)", NULL},
    {0, "format", "FORM", "output format (default: text)", &formats_sign},
    {0, "json", NULL, "the same as --format json: JSON Lines", NULL},
    {0, "md5", NULL, "add the MD5", NULL},
    {0, "sha256", NULL, "add the SHA-256", NULL},
    {'0', "null", NULL, "read file names, each ended by a zero byte, from standard input", NULL},
    {'q', "quiet", NULL, "show no progress and no warning about skipped files", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum {
    MIN_SPLIT = 64, /* bytes; the records of smaller blocks are far longer than they */
    MAX_SPLIT = 1 << 30,
    MAX_THREADS = 256,
    JOBS_PER_THREAD = 32,     /* keeps the other threads busy while one reads a large file */
    LARGE_RECORD = 1 << 20,   /* bytes of a record whose memory is freed at once */
    MOST_WAITING = 128 << 20, /* bytes of records waiting to be written */
};

struct sign {
    struct sketch_flags flags;
    struct sketch_params params;
    unsigned digests;
    struct format_choice format;
    bool json, names_from_input, quiet;
    uint64_t threads, split; /* split: bytes of a block, or 0 */
    struct progress progress;
    atomic_ullong waiting;    /* bytes of records waiting to be written */
    int status;               /* the worst so far */
    unsigned long long links; /* not followed */
};

/* A file to sign; or a message about one that cannot be signed. */
struct job {
    struct buffer path; /* terminated */
    bool is_input;      /* standard input, of any type */
    bool follow;        /* it may be a symbolic link */
    bool has_message;   /* instead of a result, or about it */
    int status;
    struct error err;
    struct buffer out;
};

/* The state of a thread. */
struct signer {
    struct sign *sign;
    struct sketcher *sketcher;
    struct sketch sketch;
};

/* The jobs in progress.  Without a queue each is done at once. */
struct line {
    struct sign *sign;
    struct queue *queue;
    struct signer *signers;
    struct job *jobs;
    size_t depth, next;
};

/* ---- one file ---- */

static int status_of(enum feed_result result)
{
    switch (result) {
    case FEED_OK:
        return EXIT_DONE;
    case FEED_UNREADABLE:
        return EXIT_PARTIAL;
    case FEED_CHANGED:
        return EXIT_CHANGED;
    default:
        return EXIT_USAGE;
    }
}

/* Opens a regular file.  One found in a folder may have been replaced by a link since, which is not followed.
 */
static int open_file(const char *path, bool follow, struct error *err)
{
    struct stat st;
    int fd = walk_open(path, follow ? 0 : O_NOFOLLOW);

    if (fd < 0)
        return error_errno(err, "%s", path);
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        close(fd);
        return error_set(err, "%s: is %s", path, walk_kind(st.st_mode));
    }
    return fd;
}

struct lines {
    struct buffer *out;
    bool json;
};

/* Adds the line of a sketch. */
static int add_line(void *arg, const struct sketch *sketch, struct error *err)
{
    const struct lines *lines = arg;

    if (lines->json)
        sketch_format_json(sketch, lines->out);
    else
        sketch_format(sketch, lines->out);
    return lines->out->failed ? error_set(err, "out of memory") : 0;
}

static enum feed_result sign_fd(struct signer *signer, struct job *job, int fd)
{
    struct sign *sign = signer->sign;
    struct lines lines = {&job->out, sign->json};
    enum feed_result result;

    if (sign->split)
        return sketch_fd_blocks(signer->sketcher, fd, job->path.data, sign->split, &sign->progress.bytes,
                                &signer->sketch, add_line, &lines, &job->err);
    result =
        sketch_fd(signer->sketcher, fd, job->path.data, &sign->progress.bytes, &signer->sketch, &job->err);
    if (result != FEED_OK || add_line(&lines, &signer->sketch, &job->err) == 0)
        return result;
    error_set(&job->err, "%s: out of memory", job->path.data);
    return FEED_FAILED;
}

static void sign_job(void *state, void *item)
{
    struct signer *signer = state;
    struct sign *sign = signer->sign;
    struct job *job = item;
    enum feed_result result;
    int fd;

    if (job->has_message)
        return;
    fd = job->is_input ? STDIN_FILENO : open_file(job->path.data, job->follow, &job->err);
    result = fd < 0 ? FEED_UNREADABLE : sign_fd(signer, job, fd);
    if (fd >= 0 && !job->is_input)
        close(fd);
    if (result != FEED_OK)
        buffer_release(&job->out); /* blocks before the error */
    job->has_message = result != FEED_OK || sketch_flags_doubt(&signer->sketch, job->path.data, &job->err);
    job->status = status_of(result);
    atomic_fetch_add_explicit(&sign->waiting, job->out.len, memory_order_relaxed);
    atomic_fetch_add_explicit(&sign->progress.count, 1, memory_order_relaxed);
}

/* ---- the line of jobs ---- */

/* A changed file is worse than an unreadable one, and a fault of the environment is worse than both. */
static void note_status(struct sign *sign, int status)
{
    if (status == EXIT_USAGE || (sign->status != EXIT_USAGE && status > sign->status))
        sign->status = status;
}

/* Writes the result of a finished job. */
static void finish_job(struct sign *sign, struct job *job)
{
    note_status(sign, job->status);
    if (job->has_message)
        complain_error(&job->err);
    if (job->out.len && fwrite(job->out.data, 1, job->out.len, stdout) != job->out.len)
        note_status(sign, EXIT_USAGE); /* finish_output shows the error */
    atomic_fetch_sub_explicit(&sign->waiting, job->out.len, memory_order_relaxed);
    if (job->out.room > LARGE_RECORD)
        buffer_release(&job->out);
}

static struct job *new_job(struct line *line, const char *path)
{
    struct job *job = &line->jobs[line->next++ % line->depth];

    if (job->path.failed)
        buffer_release(&job->path);
    buffer_reset(&job->path);
    buffer_reset(&job->out);
    buffer_add(&job->path, path, strlen(path) + 1);
    job->is_input = job->has_message = job->follow = false;
    job->status = EXIT_DONE;
    if (job->path.failed) {
        job->has_message = true;
        job->status = EXIT_USAGE;
        error_set(&job->err, "%s: out of memory", path);
    }
    return job;
}

/*
 * The ring has one slot more than the queue, so the slot of a new job is never in use.  A full queue is
 * drained to half, so that threads wait for each other only once in many jobs.
 */
static void add_job(struct line *line, struct job *job)
{
    size_t left = 0;
    struct job *done;

    if (!line->queue) {
        sign_job(&line->signers[0], job);
        finish_job(line->sign, job);
        return;
    }
    if (queue_full(line->queue)) {
        left = line->depth / 2;
        queue_wait(line->queue, left);
    }
    for (; (left > 0 || atomic_load(&line->sign->waiting) > MOST_WAITING) && (done = queue_pop(line->queue));
         left -= left > 0)
        finish_job(line->sign, done);
    queue_push(line->queue, job);
}

static void add_message(struct line *line, const char *path, int status, const struct error *err)
{
    struct job *job = new_job(line, path);

    job->has_message = true;
    job->status = status;
    job->err = *err;
    add_job(line, job);
}

/* ---- finding files ---- */

static void sign_folder(struct line *line, const char *folder)
{
    struct error err;
    struct walk_item item;
    struct walk *walk = walk_new(folder, &err);
    enum walk_result result;

    if (!walk) {
        add_message(line, folder, EXIT_USAGE, &err);
        return;
    }
    while ((result = walk_next(walk, &item, &err)) != WALK_END) {
        if (result == WALK_FILE)
            add_job(line, new_job(line, item.path));
        else if (result == WALK_ERROR)
            add_message(line, item.path, EXIT_PARTIAL, &err);
        else if (result == WALK_LINK)
            line->sign->links++;
        else if (!line->sign->quiet) {
            error_set(&err, "%s: skipped: is %s", item.path, walk_kind(item.mode));
            add_message(line, item.path, EXIT_DONE, &err);
        }
        if (ferror(stdout))
            break;
    }
    walk_free(walk);
}

/* Signs what the user named: a file, a folder, or a link to one. */
static void sign_operand(struct line *line, const char *path)
{
    struct error err;
    struct stat st;
    struct job *job;
    int fd;

    if (strcmp(path, "-") == 0 && !line->sign->names_from_input) {
        job = new_job(line, path);
        job->is_input = true;
        add_job(line, job);
        return;
    }
    fd = walk_open(path, O_PATH);
    if (fd < 0 || fstat(fd, &st)) {
        error_errno(&err, "%s", path);
        add_message(line, path, EXIT_PARTIAL, &err);
    } else if (S_ISDIR(st.st_mode)) {
        sign_folder(line, path);
    } else if (!S_ISREG(st.st_mode)) {
        error_set(&err, "%s: is %s; only files and folders can be signed", path, walk_kind(st.st_mode));
        add_message(line, path, EXIT_PARTIAL, &err);
    } else {
        job = new_job(line, path);
        job->follow = true;
        add_job(line, job);
    }
    if (fd >= 0)
        close(fd);
}

static void sign_names_from_input(struct line *line)
{
    char *name = NULL;
    size_t room = 0;

    while (getdelim(&name, &room, '\0', stdin) > 0 && !ferror(stdout))
        if (name[0])
            sign_operand(line, name);
    if (ferror(stdin)) {
        complain("standard input: %m");
        note_status(line->sign, EXIT_PARTIAL);
    }
    free(name);
}

static void sign_all(struct line *line, int count, char **operands)
{
    struct job *job;

    if (line->sign->names_from_input)
        sign_names_from_input(line);
    for (int i = 0; i < count && !ferror(stdout); i++)
        sign_operand(line, operands[i]);
    while (line->queue && (job = queue_pop(line->queue)))
        finish_job(line->sign, job);
    if (line->sign->links && !line->sign->quiet)
        complain("%llu symbolic link%s not followed", line->sign->links, plural(line->sign->links));
}

/* ---- set-up ---- */

static int make_signers(struct line *line, struct error *err)
{
    void *states[MAX_THREADS];

    for (unsigned i = 0; i < line->sign->threads; i++) {
        line->signers[i].sign = line->sign;
        line->signers[i].sketcher = sketch_new(&line->sign->params, err);
        if (!line->signers[i].sketcher || sketch_digests(line->signers[i].sketcher, line->sign->digests, err))
            return -1;
        states[i] = &line->signers[i];
    }
    if (line->sign->threads > 1) {
        line->queue = queue_new((unsigned)line->sign->threads, line->depth - 1, sign_job, states, err);
        if (!line->queue)
            return -1;
    }
    return 0;
}

static void release_line(struct line *line)
{
    queue_free(line->queue);
    for (unsigned i = 0; line->signers && i < line->sign->threads; i++) {
        sketch_free(line->signers[i].sketcher);
        sketch_release(&line->signers[i].sketch);
    }
    for (size_t i = 0; line->jobs && i < line->depth; i++) {
        buffer_release(&line->jobs[i].path);
        buffer_release(&line->jobs[i].out);
    }
    free(line->signers);
    free(line->jobs);
}

static int sign_in_line(struct sign *sign, int count, char **operands)
{
    struct line line = {.sign = sign, .depth = sign->threads * JOBS_PER_THREAD + 1};
    struct error err;

    line.signers = calloc(sign->threads, sizeof *line.signers);
    line.jobs = calloc(line.depth, sizeof *line.jobs);
    if (!line.signers || !line.jobs) {
        complain("out of memory");
        sign->status = EXIT_USAGE;
    } else if (make_signers(&line, &err)) {
        complain_error(&err);
        sign->status = EXIT_USAGE;
    } else {
        sign->progress.noun = "file";
        progress_start(&sign->progress, sign->quiet || isatty(STDOUT_FILENO));
        sign_all(&line, count, operands);
        progress_stop();
    }
    release_line(&line);
    return sign->status;
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {OPTION_NULL, offsetof(struct sign, names_from_input)},
        {OPTION_QUIET, offsetof(struct sign, quiet)},
    };
    struct sign *sign = arg;

    if (options_flag(flags, option, sign))
        return 0;
    switch (option) {
    case OPTION_SPLIT:
        return options_number(options, MIN_SPLIT, MAX_SPLIT, &sign->split);
    case OPTION_JOBS:
        return options_number(options, 1, MAX_THREADS, &sign->threads);
    case OPTION_FORMAT:
    case OPTION_JSON:
        return formats_take(&sign->format, options);
    case OPTION_MD5:
        sign->digests |= DIGEST_BIT(DIGEST_MD5);
        return 0;
    case OPTION_SHA256:
        sign->digests |= DIGEST_BIT(DIGEST_SHA256);
        return 0;
    default:
        return sketch_flags_take(&sign->flags, options, option);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct sign sign = {.digests = DIGEST_BIT(DIGEST_SHA1)};
    int operand = 0, status;

    sign.threads = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (uint64_t)processors;
    status = options_read(command, argc, argv, take_option, &sign, &operand);
    if (status != OPTIONS_GO)
        return status;
    if (sketch_flags_params(&sign.flags, command, &sign.params))
        return EXIT_USAGE;
    if (sign.split && !(sketch_uses(sign.params.scheme) & SKETCH_USE_RESIDUE))
        return options_wrong(command, "scheme %s does not use --split",
                             sketch_scheme_name(sign.params.scheme));
    if (operand == argc && !sign.names_from_input)
        return options_wrong(command, "no file or folder given");
    sign.json = sign.format.format && sign.format.format->number == FORMAT_JSON;
    return sign_in_line(&sign, argc - operand, argv + operand);
}

const struct command command_sign = {"sign",
                                     "[options] FILE|FOLDER|-...",
                                     "write a record of each file: SHA-1, and Coates signature or sketch",
                                     sign_options,
                                     run,
                                     NULL,
                                     NULL};
