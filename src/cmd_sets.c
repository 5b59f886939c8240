/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "file_kind.h"
#include "formats.h"
#include "set/refset_repair.h"
#include "set/refset_verify.h"
#include "set/refset_writer.h"
#include "set_flags.h"
#include "sets_combine.h"
#include "sets_report.h"
#include "sets_thin.h"
#include "terminal.h"

enum {
    SETS_OUTPUT = SET_OPTIONS,
    SETS_COMMON,
    SETS_REPAIR,
    SETS_RESEMBLANCE,
    SETS_COVERED,
    SETS_FORMAT,
    SETS_CSV,
    SETS_JSON,
    SETS_QUIET,
};

static const struct option_spec sets_options[] = {
    SET_OPTIONS_SPECS,
    {'o', "output", "SET", "merge, subtract, intersect, thin: the new set", &values_set_path},
    {0, "common", "N", "compact: treat features of more than N files as common (default: 256)", NULL},
    {0, "repair", NULL, "verify: make a new set of all that is sound, and keep the damaged one beside it",
     NULL},
    {0, "resemblance", "R", "thin: least resemblance of a file and its representative (default: 0.5)", NULL},
    {0, "covered", "C", "thin: least share of a file's samples in records that are kept (default: 0.9)",
     NULL},
    {0, "format", "FORM",
     "list: text or csv (default: text on a terminal, else csv); info: text (default) or json; thin: also "
     "csv",
     &formats_sets},
    {0, "csv", NULL, "list, thin: the same as --format csv", NULL},
    {0, "json", NULL, "info, thin: the same as --format json, a line for each set", NULL},
    {'q', "quiet", NULL, "show no progress and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum { MOST_FAULTS = 20 };

struct sets {
    struct set_flags flags;
    const struct command *command;
    const char *output;
    uint32_t common;
    double resemblance, covered;
    bool repair, quiet;
    struct format_choice chosen;
    int format;     /* FORMAT_*, for list and info */
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
    result = sets->format == FORMAT_JSON ? sets_report_json(set, err) : sets_report_info(set, err);
    refset_close(set, NULL);
    return result;
}

static int run_info(struct sets *sets, int count, char **paths)
{
    int status = EXIT_DONE;
    struct error err;

    for (int i = 0; i < count; i++) {
        if (i > 0 && sets->format == FORMAT_TEXT)
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
    result = sets_report_list(set, sets->format == FORMAT_CSV, is_first, err);
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

static int combine(struct sets *sets, enum sets_combination how, int count, char **paths)
{
    const struct sets_combine wanted = {
        .flags = &sets->flags, .output = sets->output, .quiet = sets->quiet, .progress = &sets->progress};

    if (!sets->output)
        return options_wrong(sets->command, "no output set given (-o SET)");
    if (count < 2 && how != SETS_MERGE)
        return options_wrong(sets->command, "two sets or more are needed");
    return sets_combine(&wanted, how, count, paths);
}

static int run_merge(struct sets *sets, int count, char **paths)
{
    return combine(sets, SETS_MERGE, count, paths);
}

static int run_subtract(struct sets *sets, int count, char **paths)
{
    return combine(sets, SETS_SUBTRACT, count, paths);
}

static int run_intersect(struct sets *sets, int count, char **paths)
{
    return combine(sets, SETS_INTERSECT, count, paths);
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
            say("%s: %" PRIu64 " bytes (was %" PRIu64 ")", paths[i], size_of(paths[i]), before);
    }
    return EXIT_DONE;
}

/* ---- thin ---- */

static int run_thin(struct sets *sets, int count, char **paths)
{
    const struct sets_thin thin = {.flags = &sets->flags,
                                   .output = sets->output,
                                   .resemblance = sets->resemblance,
                                   .covered = sets->covered,
                                   .format = sets->format,
                                   .quiet = sets->quiet,
                                   .progress = &sets->progress};

    if (count > 1)
        return options_wrong(sets->command, "thin takes one set");
    return sets_thin(&thin, paths[0]);
}

/* ---- verify ---- */

/* The faults of a set, of which the first are shown. */
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

static void show_repaired(const char *path, const struct refset_repair *repair, unsigned long long losses)
{
    char samples[60] = "", things[60] = "";

    if (repair->lost_samples)
        snprintf(samples, sizeof samples, ", %" PRIu64 " sample%s lost", repair->lost_samples,
                 plural(repair->lost_samples));
    if (losses)
        snprintf(things, sizeof things, ", %llu item%s could not be read", losses, plural(losses));
    say("%s: repaired: %" PRIu64 " of %" PRIu64 " file%s kept%s%s; the damaged set is %s", path, repair->kept,
        repair->had, plural(repair->had), samples, things, repair->damaged);
}

static int repair_one(struct sets *sets, const char *path)
{
    struct faults faults = {.path = path};
    struct refset_repair repair = {.tell = show_fault,
                                   .arg = &faults,
                                   .tool = set_flags_tool,
                                   .now = set_flags_now(),
                                   .count = &sets->progress.count};
    struct error err;
    const int result = refset_repair(&repair, path, &err);

    if (result)
        complain_error(&err);
    else
        show_repaired(path, &repair, faults.count);
    refset_repair_release(&repair);
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
    complain("%s: %d fault%s", path, found, plural((uint64_t)found));
    return sets->repair ? repair_one(sets, path) : EXIT_PARTIAL;
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
    const char *options; /* that it takes, each between blanks; "new" for those that describe a new set */
    const struct values *formats; /* that it writes, if it takes --format */
} actions[] = {
    {"info", run_info, " format csv json quiet ", &formats_sets_info},
    {"list", run_list, " format csv json quiet ", &formats_sets_list},
    {"merge", run_merge, " new output quiet ", NULL},
    {"subtract", run_subtract, " new output quiet ", NULL},
    {"intersect", run_intersect, " new output quiet ", NULL},
    {"verify", run_verify, " repair quiet ", NULL},
    {"compact", run_compact, " common quiet ", NULL},
    {"thin", run_thin, " name kind category output resemblance covered format csv json quiet ",
     &formats_sets},
};

static const char *action_name(const void *table, size_t index)
{
    (void)table;
    return index < sizeof actions / sizeof *actions ? actions[index].name : NULL;
}

static const struct values action_names = {"action", "actions", false, action_name, NULL};

/* EXIT_USAGE after an error was shown. */
static int choose_format(struct sets *sets, const struct action *action)
{
    const struct format *format;
    struct buffer names = {0};

    sets->format = action->run == run_list && !isatty(STDOUT_FILENO) ? FORMAT_CSV : FORMAT_TEXT;
    if (!sets->chosen.format)
        return EXIT_DONE;
    format = formats_find(action->formats, sets->chosen.format->name);
    if (format) {
        sets->format = format->number;
        return EXIT_DONE;
    }
    values_add(action->formats, " or ", &names);
    buffer_add_char(&names, '\0');
    options_wrong(sets->command, "%s cannot be written as %s, only as %s", action->name,
                  sets->chosen.format->name, names.failed ? "" : names.data);
    buffer_release(&names);
    return EXIT_USAGE;
}

static bool allows(const struct action *action, int option)
{
    const char *name = sets_options[option].name;
    char word[32];

    snprintf(word, sizeof word, " %s ", name);
    return strstr(action->options, word) || (option < SET_OPTIONS && strstr(action->options, " new "));
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {SETS_REPAIR, offsetof(struct sets, repair)},
        {SETS_QUIET, offsetof(struct sets, quiet)},
    };
    struct sets *sets = arg;

    sets->given |= 1u << option;
    if (options_flag(flags, option, sets))
        return 0;
    switch (option) {
    case SETS_FORMAT:
    case SETS_CSV:
    case SETS_JSON:
        return formats_take(&sets->chosen, options);
    case SETS_OUTPUT:
        sets->output = options->value;
        return options_check_new(options->command, options->value);
    case SETS_RESEMBLANCE:
        return options_share(options, &sets->resemblance);
    case SETS_COVERED:
        return options_share(options, &sets->covered);
    case SETS_COMMON:
        return options_number32(options, 1, REFSET_MAX_COMMON, &sets->common);
    default:
        return set_flags_take(&sets->flags, options, option);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct sets sets = {.flags = set_flags_none(),
                        .command = command,
                        .resemblance = 0.5,
                        .covered = 0.9,
                        .progress = {.noun = "file"}};
    const struct action *action;
    int operand = 0, number;
    const int status = options_read(command, argc, argv, take_option, &sets, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (operand == argc)
        return options_wrong(
            command, "no action given: info, list, merge, subtract, intersect, verify, compact or thin");
    number = options_named_operand(command, &action_names, argv[operand]);
    if (number < 0)
        return EXIT_USAGE;
    action = &actions[number];
    for (int i = 0; i <= SETS_QUIET; i++)
        if ((sets.given & 1u << i) && !allows(action, i))
            return options_wrong(command, "--%s has no meaning for %s", sets_options[i].name, action->name);
    if (choose_format(&sets, action))
        return EXIT_USAGE;
    if (operand + 1 == argc)
        return options_wrong(command, "no set given");
    for (int i = operand + 1; i < argc; i++)
        if (file_kind_check_set(argv[i]))
            return EXIT_USAGE;
    return action->run(&sets, argc - operand - 1, argv + operand + 1);
}

const struct command command_sets = {
    "sets",
    "info|list|merge|subtract|intersect|verify|compact|thin [options] SET...",
    "describe, list, combine, check, compact and thin reference sets",
    sets_options,
    run,
    &action_names,
    NULL};
