/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "set/refset_copy.h"
#include "set/refset_search.h"
#include "set/refset_verify.h"
#include "set_flags.h"
#include "sets_report.h"
#include "terminal.h"

enum {
    SETS_OUTPUT = SET_OPTIONS,
    SETS_COMMON,
    SETS_REPAIR,
    SETS_CSV,
    SETS_JSON,
    SETS_QUIET,
};

static const struct option_spec sets_options[] = {
    SET_OPTIONS_SPECS,
    {'o', "output", "SET", "merge, subtract, intersect: the new set", NULL},
    {0, "common", "N", "compact: take features that more than N files have for common (default: 256)", NULL},
    {0, "repair", NULL, "verify: make a new set of all that is sound, and keep the damaged one beside it",
     NULL},
    {0, "csv", NULL, "list: write CSV (default if the output is no terminal)", NULL},
    {0, "json", NULL, "info: write JSON, an object a set", NULL},
    {'q', "quiet", NULL, "show no progress and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum { MOST_FAULTS = 20 };

struct sets {
    struct set_flags flags;
    const struct command *command;
    const char *output;
    uint32_t common;
    bool repair, csv, json, quiet;
    unsigned given; /* a bit for each option that was */
    struct progress progress;
};

/* ---- info, list ---- */

static int show_one(const struct sets *sets, const char *path, struct error *err)
{
    struct refset *set = refset_open(path, REFSET_READ, err);
    int result;

    if (!set)
        return -1;
    result = sets->json ? sets_report_json(set, err) : sets_report_info(set, err);
    refset_close(set, NULL);
    return result;
}

static int run_info(struct sets *sets, int count, char **paths)
{
    int status = EXIT_DONE;
    struct error err;

    for (int i = 0; i < count; i++) {
        if (i > 0 && !sets->json)
            putchar('\n');
        if (show_one(sets, paths[i], &err)) {
            complain_error(&err);
            status = EXIT_USAGE;
        }
    }
    return status;
}

static int list_one(const struct sets *sets, const char *path, bool is_first, struct error *err)
{
    struct refset *set = refset_open(path, REFSET_READ, err);
    int result;

    if (!set)
        return -1;
    result = sets_report_list(set, sets->csv || !isatty(STDOUT_FILENO), is_first, err);
    refset_close(set, NULL);
    return result;
}

static int run_list(struct sets *sets, int count, char **paths)
{
    int status = EXIT_DONE;
    struct error err;

    for (int i = 0; i < count; i++)
        if (list_one(sets, paths[i], i == 0, &err)) {
            complain_error(&err);
            status = EXIT_USAGE;
        }
    return status;
}

/* ---- merge, subtract, intersect ---- */

/* The sets that a new one is made from, and what to look files up in. */
struct input {
    struct refset *set;
    struct refset_search *search; /* NULL in the first one, and when nothing is looked up */
};

struct inputs {
    struct input *list;
    int count;
};

static void close_inputs(struct inputs *inputs)
{
    for (int i = 0; inputs->list && i < inputs->count; i++) {
        refset_search_free(inputs->list[i].search);
        refset_close(inputs->list[i].set, NULL);
    }
    free(inputs->list);
}

static int open_inputs(struct inputs *inputs, bool searched, int count, char **paths, struct error *err)
{
    inputs->list = calloc((size_t)count, sizeof *inputs->list);
    inputs->count = count;
    if (!inputs->list)
        return error_set(err, "out of memory");
    for (int i = 0; i < count; i++) {
        struct input *input = &inputs->list[i];

        input->set = refset_open(paths[i], REFSET_READ, err);
        if (!input->set)
            return -1;
        if (searched && i > 0 && !(input->search = refset_search_new(input->set, REFSET_SEARCH_DIGESTS, err)))
            return -1;
    }
    return 0;
}

/* In how many of the other sets the content is. */
static int found_in(const struct inputs *inputs, const struct known *known, struct error *err)
{
    int found = 0;

    for (int i = 1; i < inputs->count; i++) {
        uint64_t file = 0;

        if (refset_search_digests(inputs->list[i].search, &known->digests, 0, &file, err))
            return -1;
        found += file != 0;
    }
    return found;
}

static int keep_missing(void *arg, const struct known *known, struct error *err)
{
    const int found = found_in(arg, known, err);

    return found < 0 ? -1 : found == 0;
}

static int keep_shared(void *arg, const struct known *known, struct error *err)
{
    const struct inputs *inputs = arg;
    const int found = found_in(inputs, known, err);

    return found < 0 ? -1 : found == inputs->count - 1;
}

/* What the new set is to be: as the first one, with the largest C of those that are copied, and as the
 * options say. */
static int join_params(const struct sets *sets, const struct inputs *inputs, int count,
                       struct refset_params *params, struct error *err)
{
    uint32_t least;

    const struct refset_params named = refset_defaults(sets->output);

    *params = refset_info(inputs->list[0].set)->params;
    memcpy(params->name, named.name, sizeof params->name);
    for (int i = 1; i < count; i++) {
        const struct refset_params *other = &refset_info(inputs->list[i].set)->params;

        if (other->n != params->n)
            return error_set(err, "%s has windows of %u bytes and %s of %u: they cannot be put together",
                             refset_path(inputs->list[0].set), params->n, refset_path(inputs->list[i].set),
                             other->n);
        params->c = other->c > params->c ? other->c : params->c;
    }
    for (int i = 1; i < count && sets->flags.kind < 0; i++)
        if (refset_info(inputs->list[i].set)->params.kind != params->kind)
            return error_set(err, "%s is %s and %s is %s: say with --kind what the new set is",
                             refset_path(inputs->list[0].set), refset_kind_name(params->kind),
                             refset_path(inputs->list[i].set),
                             refset_kind_name(refset_info(inputs->list[i].set)->params.kind));
    least = params->c;
    set_flags_apply(&sets->flags, params);
    if (params->n != refset_info(inputs->list[0].set)->params.n || params->c < least)
        return error_set(
            err, "files that were sampled with -n %u -C %u cannot be made into a set with -n %u -C %u",
            refset_info(inputs->list[0].set)->params.n, least, params->n, params->c);
    return 0;
}

static int copy_inputs(struct sets *sets, const struct inputs *inputs, int count, struct refset_copy *copy,
                       struct refset *to, struct error *err)
{
    struct refset_writer *writer = refset_writer_new(to, true, err);
    int result = writer ? 0 : -1;

    for (int i = 0; i < count && !result; i++) {
        copy->drop_blocks = refset_info(inputs->list[i].set)->params.block != refset_info(to)->params.block;
        if (copy->drop_blocks && !sets->quiet)
            complain("%s: its blocks have another size than the new set's: they are left out",
                     refset_path(inputs->list[i].set));
        result = refset_copy(copy, inputs->list[i].set, writer, err);
    }
    if (!result)
        result = refset_writer_compact(writer, 0, err);
    refset_writer_free(writer);
    return result;
}

static void show_refused(void *arg, const char *text)
{
    (void)arg;
    complain("%s", text);
}

static void show_combined(const struct sets *sets, const struct refset_copy *copy, uint64_t files)
{
    if (!sets->quiet)
        say("%s: %" PRIu64 " files; %" PRIu64 " were the same, %" PRIu64 " were left out", sets->output,
            files, copy->there + copy->extended, copy->left_out + copy->refused);
}

static int refuse_existing(const char *path, struct error *err)
{
    if (access(path, F_OK) != 0)
        return 0;
    errno = EEXIST;
    return error_errno(err, "%s", path);
}

/* The new set gets its name when it is complete. */
static int write_combined(struct sets *sets, const struct inputs *inputs, int count, struct refset_copy *copy,
                          struct error *err)
{
    struct refset_params params;
    struct refset *to;
    char *fresh;
    uint64_t files;
    int result;

    if (join_params(sets, inputs, count, &params, err) || refuse_existing(sets->output, err))
        return -1;
    if (asprintf(&fresh, "%s.unfinished", sets->output) < 0)
        return error_set(err, "out of memory");
    refset_remove(fresh);
    to = refset_create(fresh, &params, set_flags_tool, set_flags_now(), err);
    result = to ? copy_inputs(sets, inputs, count, copy, to, err) : -1;
    files = to ? refset_info(to)->counts.files : 0;
    if (refset_close(to, result ? NULL : err))
        result = -1;
    if (!result && (refuse_existing(sets->output, err) || rename(fresh, sets->output)))
        result = error_errno(err, "%s", sets->output);
    if (result)
        refset_remove(fresh);
    else
        show_combined(sets, copy, files);
    free(fresh);
    return result;
}

static int combine(struct sets *sets, int count, char **paths,
                   int (*keep)(void *arg, const struct known *known, struct error *err))
{
    struct inputs inputs = {0};
    struct refset_copy copy = {.keep = keep,
                               .tell = show_refused,
                               .arg = &inputs,
                               .stop = interrupt_flag(),
                               .count = &sets->progress.count};
    struct error err;
    int result;

    if (!sets->output)
        return options_wrong(sets->command, "where is the new set to be? Say so with -o");
    if (count < 2 && keep)
        return options_wrong(sets->command, "two sets or more must be named");
    interrupt_catch();
    progress_start(&sets->progress, sets->quiet);
    result = open_inputs(&inputs, keep != NULL, count, paths, &err);
    if (!result)
        result = write_combined(sets, &inputs, keep ? 1 : count, &copy, &err);
    progress_stop();
    close_inputs(&inputs);
    if (result < 0)
        complain_error(&err);
    else if (result > 0)
        complain("interrupted; %s was not made", sets->output);
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : copy.refused ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_merge(struct sets *sets, int count, char **paths)
{
    return combine(sets, count, paths, NULL);
}

static int run_subtract(struct sets *sets, int count, char **paths)
{
    return combine(sets, count, paths, keep_missing);
}

static int run_intersect(struct sets *sets, int count, char **paths)
{
    return combine(sets, count, paths, keep_shared);
}

/* ---- compact ---- */

static int compact_one(struct sets *sets, const char *path, struct error *err)
{
    struct refset *set = refset_open(path, REFSET_WRITE, err);
    struct refset_writer *writer = set ? refset_writer_new(set, true, err) : NULL;
    int result = writer ? refset_writer_compact(writer, sets->common, err) : -1;

    refset_writer_free(writer);
    if (refset_close(set, result ? NULL : err))
        result = -1;
    return result;
}

static uint64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static int run_compact(struct sets *sets, int count, char **paths)
{
    struct error err;

    for (int i = 0; i < count; i++) {
        const uint64_t before = size_of(paths[i]);

        if (compact_one(sets, paths[i], &err)) {
            complain_error(&err);
            return EXIT_USAGE;
        }
        if (!sets->quiet)
            say("%s: %" PRIu64 " bytes, before %" PRIu64, paths[i], size_of(paths[i]), before);
    }
    return EXIT_DONE;
}

/* ---- verify ---- */

/* What is wrong with a set; the first of it is shown. */
struct faults {
    const char *path;
    unsigned long long count;
};

static void show_fault(void *arg, const char *text)
{
    struct faults *faults = arg;

    if (faults->count++ >= MOST_FAULTS)
        return;
    if (strncmp(text, faults->path, strlen(faults->path)) == 0)
        complain("%s", text);
    else
        complain("%s: %s", faults->path, text);
}

/* Salvages what is sound into a new file, with the identity, the access rights and the owner of the damaged
 * one. */
static int salvage(const char *path, const char *fresh, struct refset_copy *copy, struct refset_counts *had,
                   struct error *err)
{
    struct refset *from = refset_open(path, REFSET_READ, err), *to;
    struct refset_writer *writer = NULL;
    int result = -1;

    if (!from)
        return -1;
    *had = refset_info(from)->counts;
    to = refset_create(fresh, &refset_info(from)->params, set_flags_tool, set_flags_now(), err);
    if (to) {
        refset_succeed(to, refset_info(from));
        writer = refset_writer_new(to, true, err);
    }
    if (writer && !refset_copy(copy, from, writer, err) && !refset_writer_compact(writer, 0, err))
        result = 0;
    refset_writer_free(writer);
    if (to && refset_close(to, result ? NULL : err))
        result = -1;
    refset_close(from, NULL);
    return result;
}

/* "PATH.damaged", or with a number behind it: a name that is free. */
static char *name_for_damaged(const char *path)
{
    char *name;

    for (int i = 1;; i++) {
        if ((i == 1 ? asprintf(&name, "%s.damaged", path) : asprintf(&name, "%s.damaged.%d", path, i)) < 0)
            return NULL;
        if (access(name, F_OK) != 0)
            return name;
        free(name);
    }
}

/* What a writer that was killed left beside the set belongs to the damaged one; SQLite would apply it to the
 * new one. */
static int move_beside(const char *path, const char *old, const char *suffix, struct error *err)
{
    char *from = NULL, *to = NULL;
    int result = 0;

    if (asprintf(&from, "%s%s", path, suffix) < 0 || asprintf(&to, "%s%s", old, suffix) < 0)
        result = error_set(err, "out of memory");
    else if (rename(from, to) && errno != ENOENT)
        result = error_errno(err, "%s", from);
    free(from);
    free(to);
    return result;
}

static int replace(const char *path, const char *fresh, const char *old, struct error *err)
{
    struct stat st;

    if (stat(path, &st) || chmod(fresh, st.st_mode & 07777) ||
        (geteuid() == 0 && chown(fresh, st.st_uid, st.st_gid)))
        return error_errno(err, "%s", fresh);
    if (link(path, old))
        return error_errno(err, "%s", old);
    if (move_beside(path, old, "-wal", err) || move_beside(path, old, "-journal", err) ||
        move_beside(path, old, "-shm", err))
        return -1;
    return rename(fresh, path) ? error_errno(err, "%s cannot be put in place of %s", fresh, path) : 0;
}

static void show_repaired(const char *path, const char *old, const struct refset_copy *copy,
                          const struct refset_counts *had, unsigned long long losses)
{
    char samples[60] = "", things[60] = "";

    if (copy->lost_samples)
        snprintf(samples, sizeof samples, ", %" PRIu64 " samples were lost", copy->lost_samples);
    if (losses)
        snprintf(things, sizeof things, ", %llu thing%s could not be read", losses, losses == 1 ? "" : "s");
    say("%s: repaired: %" PRIu64 " of %" PRIu64 " files were kept%s%s; the damaged set is %s", path,
        copy->added, had->files, samples, things, old);
}

/* The damaged set is kept under another name.  A new file that a repair before this one left unfinished is
 * removed. */
static int repair(struct sets *sets, const char *named)
{
    char *path = realpath(named, NULL), *old = path ? name_for_damaged(path) : NULL, *fresh = NULL;
    struct faults faults = {.path = named};
    struct refset_copy copy = {
        .tell = show_fault, .forgive = true, .arg = &faults, .count = &sets->progress.count};
    struct refset_counts had;
    struct error err;
    int result = -1;

    if (!path || !old || asprintf(&fresh, "%s.repaired", path) < 0) {
        error_errno(&err, "%s", named);
    } else {
        refset_remove(fresh);
        result = refset_is_busy(path, &err) ? -1 : salvage(path, fresh, &copy, &had, &err);
        if (!result && copy.added == 0 && had.files > 0)
            result = error_set(&err, "%s: nothing of it could be saved; it was left as it is", named);
        if (!result)
            result = replace(path, fresh, old, &err);
        if (result)
            refset_remove(fresh);
    }
    if (result)
        complain_error(&err);
    else
        show_repaired(named, old, &copy, &had, faults.count);
    free(path);
    free(old);
    free(fresh);
    return result ? EXIT_USAGE : EXIT_DONE;
}

static int verify_one(struct sets *sets, const char *path)
{
    struct faults faults = {.path = path};
    struct error err;
    const int found = refset_verify(path, show_fault, &faults, &sets->progress.count, &err);

    if (found < 0) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    if (found == 0) {
        if (!sets->quiet)
            say("%s: sound", path);
        return EXIT_DONE;
    }
    complain("%s: %d fault%s", path, found, found == 1 ? "" : "s");
    return sets->repair ? repair(sets, path) : EXIT_PARTIAL;
}

static int run_verify(struct sets *sets, int count, char **paths)
{
    int worst = EXIT_DONE;

    progress_start(&sets->progress, sets->quiet);
    for (int i = 0; i < count; i++) {
        const int status = verify_one(sets, paths[i]);

        worst = status == EXIT_USAGE || worst == EXIT_USAGE ? EXIT_USAGE : status > worst ? status : worst;
    }
    progress_stop();
    return worst;
}

/* ---- actions ---- */

static const struct action {
    const char *name;
    int (*run)(struct sets *sets, int count, char **paths);
    const char *options; /* that go with it, each between blanks; those of new sets: "new" */
} actions[] = {
    {"info", run_info, " json quiet "},
    {"list", run_list, " csv quiet "},
    {"merge", run_merge, " new output quiet "},
    {"subtract", run_subtract, " new output quiet "},
    {"intersect", run_intersect, " new output quiet "},
    {"verify", run_verify, " repair quiet "},
    {"compact", run_compact, " common quiet "},
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static bool allows(const struct action *action, int option)
{
    const char *name = sets_options[option].name;
    char word[32];

    if (option < SET_OPTIONS)
        name = "new";
    snprintf(word, sizeof word, " %s ", name);
    return strstr(action->options, word);
}

static int take_option(void *arg, const struct options *options, int option)
{
    struct sets *sets = arg;
    uint64_t number = 0;

    sets->given |= 1u << option;
    switch (option) {
    case SETS_OUTPUT:
        sets->output = options->value;
        return 0;
    case SETS_COMMON:
        if (options_number(options, 1, REFSET_MAX_COMMON, &number))
            return -1;
        sets->common = (uint32_t)number;
        return 0;
    case SETS_REPAIR:
        sets->repair = true;
        return 0;
    case SETS_CSV:
        sets->csv = true;
        return 0;
    case SETS_JSON:
        sets->json = true;
        return 0;
    case SETS_QUIET:
        sets->quiet = true;
        return 0;
    default:
        return set_flags_take(&sets->flags, options, option);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct sets sets = {.flags = set_flags_none(), .command = command, .progress = {.noun = "files"}};
    const struct action *action;
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, &sets, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (operand == argc)
        return options_wrong(command,
                             "say what to do: info, list, merge, subtract, intersect, verify or compact");
    action = find_action(argv[operand]);
    if (!action)
        return options_wrong(command, "there is no '%s' for sets", argv[operand]);
    for (int i = 0; i <= SETS_QUIET; i++)
        if ((sets.given & 1u << i) && !allows(action, i))
            return options_wrong(command, "--%s has no meaning for %s", sets_options[i].name, action->name);
    if (operand + 1 == argc)
        return options_wrong(command, "no set was named");
    return action->run(&sets, argc - operand - 1, argv + operand + 1);
}

const struct command command_sets = {
    "sets", "info|list|merge|subtract|intersect|verify|compact [options] SET...",
    "look at reference sets, combine, check and compact them", sets_options, run};
