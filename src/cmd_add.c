/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "evidence_run.h"
#include "interrupt.h"
#include "key_flags.h"
#include "nesting.h"
#include "set/refset_writer.h"
#include "set_flags.h"
#include "set_limits.h"
#include "signer.h"
#include "terminal.h"

enum {
    ADD_SET = OPTIONS_EVIDENCE, /* .. SET_OPTIONS of them */
    ADD_KEY = ADD_SET + SET_OPTIONS,
    ADD_NEW_KEY,
    ADD_REQUIRE,
    ADD_MD5,
    ADD_SHA256,
    ADD_NOTE,
    ADD_AS_FILE,
    ADD_QUIET,
};

static const struct option_spec add_options[] = {
    OPTIONS_EVIDENCE_SPECS("file, stream, member", "all"),
    SET_OPTIONS_SPECS,
    {0, "key", "FILE", "sample with the secret key in this file, as the set was or a new set will be",
     &values_file},
    {0, "new-key", "FILE", "make a new secret key, in this new file, for a new set", &values_file},
    {0, "require", "SIZE", "choose C so that a scan finds 95 % of the fragments of this size", NULL},
    {0, "md5", NULL, "keep the MD5 as well", NULL},
    {0, "sha256", NULL, "keep the SHA-256 as well", NULL},
    {0, "note", "TEXT", "a note to keep with the source", NULL},
    {0, "as-file", NULL, "add a disk image itself instead of the files in it", NULL},
    {'q', "quiet", NULL, "show no progress, no notes and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

struct add {
    struct evidence_run run; /* must be first, for the sink */
    struct set_flags flags;
    struct signer_plan plan;
    struct key_flags keys;
    uint64_t require;    /* bytes of fragments that a scan is to find; 0: not given */
    const char *new_key; /* the file to be made; NULL: none */
    const char *note;
    struct refset *set;
    struct refset_writer *writer;
    struct known known;
    char *set_below; /* the path of the set itself below the folder that is read; or NULL */
    bool is_folder, has_source;
    char format[32]; /* of the image */
    struct nesting nesting;
    struct digest_values contents[OBJECT_MOST_LEVELS + 1]; /* of each level; no kinds: it is not in the set */
    uint64_t added, members, extended, there, left_out;    /* files; members: of those added */
    uint64_t boilerplate;
    bool failed; /* the set could not be written: see err */
    struct error err;
};

/* ---- the sink ---- */

static void take_image(void *arg, const struct evidence_image *image)
{
    struct add *add = arg;

    snprintf(add->format, sizeof add->format, "%s", image->format);
}

static void fail(struct add *add)
{
    add->failed = true;
    interrupt_request();
}

static void leave_out(struct add *add, const char *paths, size_t count, const char *why)
{
    struct error text;

    error_set(&text, "%s: not added: %s", count ? paths : "a file without a name", why);
    evidence_run_problem(&add->run, text.text);
    add->left_out++;
}

/* In an image the volume's label comes first, since several volumes may hold the same paths.  The name of a
 * member says what it is packed in. */
static int add_paths(struct add *add, int level, const struct evidence_volume *volume,
                     const struct object *object, const char *paths, size_t count)
{
    struct buffer name = {0};

    for (size_t i = 0; i < count; i++, paths += strlen(paths) + 1) {
        buffer_reset(&name);
        nesting_name(&add->nesting, level, &name);
        if (strcmp(volume->label, "-") != 0)
            buffer_printf(&name, "%s/", volume->label);
        buffer_add(&name, paths, level > 0 ? nesting_outer_len(object, paths) : strlen(paths));
        if (!name.failed)
            known_add_name(&add->known, name.data, name.len);
    }
    buffer_inherit(&add->known.names, &name);
    buffer_release(&name);
    return add->known.names.failed ? error_set(&add->err, "out of memory") : 0;
}

static void count_added(struct add *add, enum refset_added added, int level, const char *paths, size_t count)
{
    switch (added) {
    case REFSET_ADDED:
        add->added++;
        add->members += level > 0;
        break;
    case REFSET_EXTENDED:
        add->extended++;
        break;
    case REFSET_THERE:
        add->there++;
        break;
    case REFSET_REFUSED:
        leave_out(add, paths, count, add->err.text);
        break;
    default:
        fail(add);
        break;
    }
}

/* Adds the source with its first object, which shows whether it is an image. */
static void add_source(struct add *add, const struct object *object)
{
    const bool is_image = !(object->flags & OBJECT_HOST);
    const struct refset_source source = {
        .path = add->run.path,
        .path_len = strlen(add->run.path),
        .kind = is_image         ? "image"
                : add->is_folder ? "folder"
                                 : "file",
        .format = is_image ? add->format : "",
        .time = set_flags_now(),
        .tool = set_flags_tool,
        .note = add->note,
    };

    add->has_source = true;
    if (refset_writer_source(add->writer, &source, &add->err) < 0)
        fail(add);
}

/* The path of the set below the folder, or NULL if it is elsewhere. */
static char *find_set_below(const char *folder, const char *set)
{
    char *whole = realpath(folder, NULL), *there = realpath(set, NULL), *below = NULL;
    const size_t len = whole ? strlen(whole) : 0;

    if (whole && there && strncmp(whole, there, len) == 0 &&
        (there[len] == '/' || (len && whole[len - 1] == '/')))
        below = strdup(there + len + (there[len] == '/'));
    free(whole);
    free(there);
    return below;
}

/* Whether a path is the set, or one of the files that SQLite keeps beside it. */
static bool is_set_itself(const struct add *add, const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    const size_t len = strlen(add->set_below);

    if (strncmp(path, add->set_below, len) != 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(path + len, suffixes[i]) == 0)
            return true;
    return false;
}

/* Notes which container of the set the file is packed in.  Empty files are in many. */
static void link_member(struct add *add, int level)
{
    add->contents[level] = add->known.digests;
    if (level > 0 && add->known.size > 0 && add->contents[level - 1].kinds &&
        refset_writer_link(add->writer, &add->contents[level - 1], &add->contents[level], &add->err))
        fail(add);
}

static void add_object(struct add *add, int level, const struct evidence_volume *volume,
                       const struct object *object, const char *paths, size_t count)
{
    const enum boilerplate_grade grade = add->nesting.levels[level].grade;

    add->contents[level].kinds = 0;
    if (grade == BOILERPLATE_ALL) {
        add->boilerplate++;
        return;
    }
    if (object->state != OBJECT_WHOLE) {
        struct buffer why = object->problem;
        char text[256];

        snprintf(text, sizeof text, "%.*s", (int)(why.len < 200 ? why.len : 200), why.len ? why.data : "");
        leave_out(add, paths, count, text);
        return;
    }
    if (!signer_result(object, &add->known)) {
        leave_out(add, paths, count, "invalid result from worker");
        return;
    }
    if (grade == BOILERPLATE_MARKUP) /* only found if it is identical */
        add->known.has_record = false;
    if (add_paths(add, level, volume, object, paths, count)) {
        fail(add);
        return;
    }
    count_added(add, refset_writer_add(add->writer, &add->known, &add->err), level, paths, count);
    if (!add->failed)
        link_member(add, level);
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct add *add = arg;
    int level;

    atomic_fetch_add_explicit(&add->run.progress.count, 1, memory_order_relaxed);
    if (add->set_below && count && is_set_itself(add, paths))
        return;
    if (!add->failed && !add->has_source)
        add_source(add, object);
    if (add->failed)
        return;
    level = nesting_take(&add->nesting, object);
    if (level >= 0) {
        add_object(add, level, volume, object, paths, count);
        return;
    }
    error_set(&add->err, "out of memory");
    fail(add);
}

static void take_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    struct add *add = arg;

    (void)stored;
    if (!add->failed && (whole->kinds & DIGEST_BIT(DIGEST_SHA256)) &&
        refset_writer_source_sha256(add->writer, whole->bytes[DIGEST_SHA256], &add->err))
        fail(add);
}

/* ---- each path ---- */

static int add_one(void *arg, size_t number, const char *path)
{
    struct add *add = arg;
    const struct evidence_sink sink = {
        .image = take_image, .object = take_object, .digests = take_digests, .arg = add};
    const uint64_t left_out = add->left_out;
    enum evidence_result result;
    struct stat st;
    struct error err;
    int status;

    (void)number;
    add->has_source = false;
    add->is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    add->set_below = add->is_folder ? find_set_below(path, refset_path(add->set)) : NULL;
    result = evidence_run_read(&add->run, path, &sink, &err);
    free(add->set_below);
    status = evidence_run_end(&add->run, result, &err);
    if (result == EVIDENCE_DONE && !add->has_source && !add->is_folder) {
        complain("%s: no files found in it", path);
        return EXIT_PARTIAL;
    }
    if (result == EVIDENCE_DONE && add->left_out > left_out)
        return EXIT_PARTIAL;
    return status;
}

static int add_all(struct add *add, int count, char **paths)
{
    int status;

    add->run.progress.noun = "file";
    add->run.options.stop = interrupt_flag();
    progress_start(&add->run.progress, add->run.quiet);
    status = evidence_run_all(&add->run, (size_t)count, paths, add_one, add);
    if (!add->failed && refset_writer_commit(add->writer, &add->err))
        add->failed = true;
    progress_stop();
    if (add->failed) {
        complain_error(&add->err);
        return EXIT_USAGE;
    }
    return status;
}

static void show_summary(const struct add *add)
{
    const struct refset_counts *counts = &refset_info(add->set)->counts;
    const uint64_t files = add->added - add->members;
    struct error what;

    if (add->members)
        error_set(&what, "%" PRIu64 " file%s and %" PRIu64 " member%s of containers added", files,
                  plural(files), add->members, plural(add->members));
    else
        error_set(&what, "%" PRIu64 " added", add->added);
    say("%s: %s, %" PRIu64 " merged into existing entries, %" PRIu64 " already there, %" PRIu64
        " left out; %" PRIu64 " file%s in total",
        refset_path(add->set), what.text, add->extended, add->there, add->left_out, counts->files,
        plural(counts->files));
    if (add->boilerplate)
        say("%s: %" PRIu64 " member%s of containers not added, since unrelated documents have the same",
            refset_path(add->set), add->boilerplate, plural(add->boilerplate));
}

/* Whether all paths can be read; shows those that cannot. */
static bool all_exist(const struct add *add, int count, char **paths)
{
    bool all = true;
    struct error err;

    for (int i = 0; i < count; i++)
        if (evidence_check(paths[i], add->run.options.image_type, &err)) {
            complain_error(&err);
            all = false;
        }
    return all;
}

static int add_with_writer(struct add *add, int count, char **paths)
{
    const struct refset_params *params = &refset_info(add->set)->params;
    struct error err;
    int status = EXIT_USAGE;

    add->plan.n = params->n;
    add->plan.c = params->c;
    add->plan.block = params->block;
    add->plan.key = add->flags.key;
    add->writer = refset_writer_new(add->set, true, &err);
    if (add->writer)
        status = add_all(add, count, paths);
    else
        complain_error(&err);
    refset_writer_free(add->writer);
    nesting_release(&add->nesting);
    known_release(&add->known);
    return status;
}

static void show_outcome(const struct add *add, int status)
{
    const bool found_any = add->added + add->extended + add->there + add->left_out > 0;

    if (add->run.quiet)
        return;
    if (status == EXIT_DONE || (status != EXIT_USAGE && found_any))
        show_summary(add);
    if (status == EXIT_INTERRUPTED)
        complain("interrupted; what was added is kept; rerun the same command%s to resume",
                 add->new_key ? " with --key instead of --new-key" : "");
}

/* Makes the key that is to be made.  Returns -1 after an error was shown. */
static int make_key(struct add *add, const char *path, bool is_new)
{
    struct error err;

    if (!add->new_key)
        return 0;
    if (!is_new) {
        complain("%s: the set exists already, and its key cannot change", path);
        return -1;
    }
    if (sampler_key_create(add->new_key, &err) == 0) {
        if (sampler_key_load(&add->keys.list[0], add->new_key, &err) == 0) {
            add->flags.key = &add->keys.list[0];
            return 0;
        }
        unlink(add->new_key);
    }
    complain_error(&err);
    return -1;
}

/* Nothing was sampled with a key that was made for a set that was not. */
static void remove_key(const struct add *add)
{
    if (add->new_key)
        unlink(add->new_key);
}

/* Opens or creates the set, which must have the key that was given, and no other.  NULL after an error was
 * shown. */
static struct refset *open_set(struct add *add, const char *path)
{
    const struct refset_params params = refset_defaults(path);
    struct refset *set = set_flags_open(&add->flags, path, &params);
    const uint8_t *id = set ? refset_info(set)->params.key : NULL;
    char text[SAMPLER_KEY_ID_ROOM];

    if (!set || add->flags.key || !sampler_key_is_set(id))
        return set;
    sampler_key_format(text, id);
    complain("%s: is sampled with the secret key %s, which was not given (--key FILE)", path, text);
    refset_close(set, NULL);
    return NULL;
}

static int add_to_set(struct add *add, const char *path, int count, char **paths)
{
    const bool is_new = access(path, F_OK) != 0;
    bool is_useless;
    struct error err;
    int status;

    if (is_new && !all_exist(add, count, paths)) {
        complain("%s: was not created", path);
        return EXIT_PARTIAL;
    }
    if (make_key(add, path, is_new))
        return EXIT_USAGE;
    if (is_new && add->require && set_limits_choose(add->require, add->flags.n, path, &add->flags.c)) {
        remove_key(add);
        return EXIT_USAGE;
    }
    add->set = open_set(add, path);
    if (!add->set) {
        remove_key(add);
        return EXIT_USAGE;
    }
    status = add_with_writer(add, count, paths);
    /* an empty set would look like success */
    is_useless = is_new && refset_info(add->set)->counts.files == 0;
    if (!is_useless)
        show_outcome(add, status);
    if (!is_useless && add->require && status == EXIT_DONE)
        status = set_limits_exit(add->set, add->require);
    if (refset_close(add->set, is_useless ? NULL : &err) && !is_useless) {
        complain_error(&err);
        status = EXIT_USAGE;
    }
    if (is_useless) {
        refset_remove(path);
        remove_key(add);
        complain(status == EXIT_INTERRUPTED ? "interrupted; %s was not created"
                                            : "%s: was not created, since nothing could be added",
                 path);
    }
    return is_useless && status == EXIT_DONE ? EXIT_PARTIAL : status;
}

/* ---- options ---- */

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {ADD_AS_FILE, offsetof(struct add, run.options.as_file)},
        {ADD_QUIET, offsetof(struct add, run.quiet)},
    };
    struct add *add = arg;

    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&add->run.options, options, option);
    if (option < ADD_KEY)
        return set_flags_take(&add->flags, options, option - ADD_SET);
    if (options_flag(flags, option, add))
        return 0;
    switch (option) {
    case ADD_KEY:
        add->flags.key = &add->keys.list[0];
        return key_flags_take(&add->keys, options);
    case ADD_NEW_KEY:
        add->new_key = options->value;
        return options_check_new(options->command, options->value);
    case ADD_REQUIRE:
        return options_size(options, 1, INT64_MAX, &add->require);
    case ADD_MD5:
        add->plan.digests |= DIGEST_BIT(DIGEST_MD5);
        return 0;
    case ADD_SHA256:
        add->plan.digests |= DIGEST_BIT(DIGEST_SHA256);
        return 0;
    default:
        add->note = options->value;
        return 0;
    }
}

static int run_line(struct add *add, const struct command *command, int argc, char **argv)
{
    const struct inspector inspector = signer_inspector(&add->plan);
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, add, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (argc - operand < 2)
        return options_wrong(command, operand == argc ? "no set given" : "no file, folder or image given");
    if (add->keys.count + (add->new_key != NULL) > 1)
        return options_wrong(command, "a set has one key: give --key or --new-key, once");
    if (add->require && add->flags.c)
        return options_wrong(command, "--require chooses C: give it without -C");
    if (options_check_new(command, argv[operand]))
        return EXIT_USAGE;
    add->run.options.inspector = &inspector;
    add->run.options.files_expected = true;
    add->run.options.image_digests = DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256);
    if (evidence_flags_check(&add->run.options, (size_t)(argc - operand - 1), argv + operand + 1) ||
        evidence_flags_sandbox(&add->run.options))
        return EXIT_USAGE;
    interrupt_catch();
    return add_to_set(add, argv[operand], argc - operand - 1, argv + operand + 1);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct add add = {.run.options = evidence_flags_defaults(
                          OBJECT_BIT(OBJECT_FILE) | OBJECT_BIT(OBJECT_STREAM) | OBJECT_BIT(OBJECT_MEMBER)),
                      .flags = set_flags_none(),
                      .plan = {.digests = DIGEST_BIT(DIGEST_SHA1)},
                      .note = ""};
    const int status = run_line(&add, command, argc, argv);

    key_flags_wipe(&add.keys);
    return status;
}

const struct command command_add = {"add",
                                    "[options] SET FILE|FOLDER|IMAGE...",
                                    "add known files to a reference set, or create one",
                                    add_options,
                                    run,
                                    NULL,
                                    NULL};
