/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "command.h"
#include "evidence_flags.h"
#include "evidence_list.h"
#include "extract.h"
#include "extract_look.h"
#include "interrupt.h"

enum {
    EXTRACT_FOLDER = OPTIONS_EVIDENCE,
    EXTRACT_MAX_SIZE,
    EXTRACT_MAX_TOTAL,
    EXTRACT_QUIET,
};

#define GIBIBYTE ((uint64_t)1 << 30)

static const struct option_spec extract_options[] = {
    OPTIONS_EVIDENCE_SPECS("all but image"),
    {'d', "folder", "FOLDER", "write to this folder, which is new or empty", &values_file},
    {0, "max-size", "SIZE", "write no file that is larger (default: 4G)", NULL},
    {0, "max-total", "SIZE", "write nothing if all files together are larger (default: 64G)", NULL},
    {'q', "quiet", NULL, "show no progress and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

static int take_option(void *arg, const struct options *options, int option)
{
    struct extract *extract = arg;

    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&extract->run.options, options, option);
    switch (option) {
    case EXTRACT_FOLDER:
        extract->folder = options->value;
        return options_check_new(options->command, options->value);
    case EXTRACT_MAX_SIZE:
        return options_size(options, 1, INT64_MAX, &extract->most);
    case EXTRACT_MAX_TOTAL:
        return options_size(options, 1, INT64_MAX, &extract->most_in_all);
    default:
        extract->run.quiet = true;
        return 0;
    }
}

static int write_items(struct extract *extract, const char *evidence, const struct extract_list *list)
{
    int status;

    if (extract_open(extract, list, 1))
        return EXIT_USAGE;
    extract->run.progress.noun = "file";
    progress_start(&extract->run.progress, extract->run.quiet);
    status = extract_items(extract, evidence, list, false);
    progress_stop();
    if (extract_close(extract))
        status = EXIT_USAGE;
    if (!extract->run.quiet)
        say("%s: %" PRIu64 " file%s, %" PRIu64 " bytes; manifest.csv describes them", extract->folder,
            extract->files, plural(extract->files), extract->bytes);
    return status;
}

static int extract_addresses(struct extract *extract, char **operands, size_t count)
{
    const struct evidence_list evidence = {.paths = operands, .count = 1};
    struct extract_list list = {.count = 0};
    int status;

    if (evidence_flags_check(&extract->run.options, 1, operands) ||
        evidence_list_check_output(&evidence, extract->folder) ||
        evidence_flags_sandbox(&extract->run.options))
        return EXIT_USAGE;
    interrupt_catch();
    extract->run.options.stop = interrupt_flag();
    status = extract_look(&extract->run, operands[0], operands + 1, count - 1, &list);
    if (status == EXIT_DONE)
        status = write_items(extract, operands[0], &list);
    extract_release(&list);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct extract extract = {.run = {.options = evidence_flags_defaults(OBJECT_STORED | OBJECT_DETAILS)},
                              .most = 4 * GIBIBYTE,
                              .most_in_all = 64 * GIBIBYTE};
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, &extract, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (!extract.folder)
        return options_wrong(command, "no folder given to write to (-d FOLDER)");
    if (operand == argc)
        return options_wrong(command, "no evidence given");
    if (operand + 1 == argc)
        return options_wrong(command, "no address given (kith ls lists them)");
    return extract_addresses(&extract, argv + operand, (size_t)(argc - operand));
}

const struct command command_extract = {"extract",
                                        "[options] -d FOLDER IMAGE|FOLDER|FILE ADDRESS...",
                                        "write objects of evidence to files, with a manifest of digests",
                                        extract_options,
                                        run,
                                        NULL,
                                        NULL};
