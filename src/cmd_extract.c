/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "command.h"
#include "evidence_flags.h"
#include "evidence_list.h"
#include "extract.h"
#include "extract_case.h"
#include "extract_look.h"
#include "file_kind.h"
#include "finding_flags.h"
#include "interrupt.h"

enum {
    EXTRACT_FOLDER = OPTIONS_FINDING,
    EXTRACT_RANGES,
    EXTRACT_EVIDENCE,
    EXTRACT_MAX_SIZE,
    EXTRACT_MAX_TOTAL,
    EXTRACT_IMAGE_TYPE,
    EXTRACT_OFFSET,
    EXTRACT_SYSTEM_TYPE,
    EXTRACT_JOBS,
    EXTRACT_SECONDS,
    EXTRACT_FORCE,
    EXTRACT_NO_SANDBOX,
    EXTRACT_QUIET,
};

#define GIBIBYTE ((uint64_t)1 << 30)

static const struct option_spec extract_options[] = {
    OPTIONS_FINDING_SPECS,
    {'d', "folder", "FOLDER", "write to this folder, which is new or empty", &values_file},
    {0, "ranges", NULL, "of findings, write only the matching bytes, each range to a file", NULL},
    {0, "evidence", "OLD=NEW", "where evidence of the case is now; may be repeated", NULL},
    {0, "max-size", "SIZE", "write no file that is larger (default: 4G)", NULL},
    {0, "max-total", "SIZE", "write nothing if all files together are larger (default: 64G)", NULL},
    {'i', "image-type", "TYPE", "of an image: container format (default: auto-detect)", &values_image_types},
    {'o', "offset", "SECTOR", "of an image: only the volume that starts at this sector (default: all)", NULL},
    {'f', "fs-type", "TYPE", "of an image: file system (default: auto-detect)", &values_file_systems},
    {'j', "jobs", "N", "worker processes (default: one per processor)", NULL},
    {0, "object-seconds", "N",
     "give up on an object after N seconds of processor time without progress (default: 20)", NULL},
    {0, "force", NULL, "read what is left of an image whose container is damaged or incomplete", NULL},
    {0, "no-sandbox", NULL, "read evidence even if this system cannot confine the worker processes", NULL},
    {'q', "quiet", NULL, "show no progress and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

struct command_line {
    const struct command *command;
    struct extract extract;
    struct extract_case of_case;
    const char **moved;
    size_t moved_count;
    const char *of_image; /* an option that a case does not take; NULL: none was given */
};

/* ---- options ---- */

static int take_moved(struct command_line *line, const struct options *options)
{
    if (!strchr(options->value, '=')) {
        options_wrong(line->command, "--evidence takes the path in the case and the new one, as OLD=NEW");
        return -1;
    }
    if (array_resize(&line->moved, line->moved_count + 1)) {
        complain("out of memory");
        return -1;
    }
    line->moved[line->moved_count++] = options->value;
    return 0;
}

/* The option of evidence_flags.h that an option here is; -1: none. */
static int evidence_option(int option)
{
    static const struct {
        int here, there;
    } same[] = {{EXTRACT_IMAGE_TYPE, OPTION_IMAGE_TYPE},
                {EXTRACT_OFFSET, OPTION_OFFSET},
                {EXTRACT_SYSTEM_TYPE, OPTION_SYSTEM_TYPE},
                {EXTRACT_FORCE, OPTION_FORCE},
                {EXTRACT_JOBS, OPTION_JOBS},
                {EXTRACT_SECONDS, OPTION_SECONDS},
                {EXTRACT_NO_SANDBOX, OPTION_NO_SANDBOX}};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].here == option)
            return same[i].there;
    return -1;
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {EXTRACT_RANGES, offsetof(struct command_line, of_case.ranges)},
        {EXTRACT_QUIET, offsetof(struct command_line, extract.run.quiet)},
    };
    struct command_line *line = arg;
    struct extract *extract = &line->extract;

    if (option < OPTIONS_FINDING)
        return finding_flags_take(&line->of_case.selected, options, option);
    if (options_flag(flags, option, line))
        return 0;
    switch (option) {
    case EXTRACT_FOLDER:
        extract->folder = options->value;
        return options_check_new(options->command, options->value);
    case EXTRACT_EVIDENCE:
        return take_moved(line, options);
    case EXTRACT_MAX_SIZE:
        return options_size(options, 1, INT64_MAX, &extract->most);
    case EXTRACT_MAX_TOTAL:
        return options_size(options, 1, INT64_MAX, &extract->most_in_all);
    case EXTRACT_IMAGE_TYPE:
    case EXTRACT_OFFSET:
    case EXTRACT_SYSTEM_TYPE:
    case EXTRACT_FORCE:
        line->of_image = options->spec->name;
        break;
    default:
        break;
    }
    return evidence_flags_take(&extract->run.options, options, evidence_option(option));
}

/* ---- from a case ---- */

/* Operands are numbers of findings, and one may be the evidence. */
static int take_operands(struct command_line *line, char **operands, size_t count,
                         struct case_finding_id *ids)
{
    struct extract_case *of_case = &line->of_case;

    for (size_t i = 0; i < count; i++) {
        if (casefile_parse_id(operands[i], &ids[of_case->id_count]))
            of_case->id_count++;
        else if (of_case->now)
            return options_wrong(line->command, "'%s' is not the number of a finding, such as 1.204.1",
                                 operands[i]);
        else
            of_case->now = operands[i];
    }
    of_case->ids = ids;
    of_case->moved = line->moved;
    of_case->moved_count = line->moved_count;
    return EXIT_DONE;
}

static int check_case(const struct command_line *line)
{
    const struct extract_case *of_case = &line->of_case;
    const bool any = finding_flags_any(&of_case->selected);

    if (line->of_image)
        return options_wrong(line->command, "--%s is an option for images: a case records it",
                             line->of_image);
    if (of_case->id_count && any)
        return options_wrong(line->command,
                             "give either the numbers of findings or options that select some");
    if (!of_case->id_count && !any)
        return options_wrong(line->command,
                             "no finding given: its number (kith report lists them), or options "
                             "that select some, such as --verdict");
    return EXIT_DONE;
}

static int extract_findings(struct command_line *line, char **operands, size_t count)
{
    struct case_finding_id *ids = calloc(count, sizeof *ids);
    int status = EXIT_USAGE;

    if (!ids)
        complain("out of memory");
    else if (file_kind_check_case(operands[0]) == 0)
        status = take_operands(line, operands + 1, count - 1, ids);
    if (ids && status == EXIT_DONE)
        status = check_case(line);
    if (ids && status == EXIT_DONE)
        status = extract_case(&line->extract, &line->of_case, operands[0]);
    free(ids);
    return status;
}

/* ---- from an image ---- */

static int extract_addresses(struct command_line *line, char **operands, size_t count)
{
    struct extract *extract = &line->extract;
    const struct evidence_list evidence = {.paths = operands, .count = 1};
    const struct extract_source source = {.path = operands[0]};
    struct extract_list list = {.count = 0};
    int status;

    if (finding_flags_any(&line->of_case.selected) || line->of_case.ranges || line->moved_count)
        return options_wrong(line->command, "%s is not a case: it has no findings to select", operands[0]);
    if (count < 2)
        return options_wrong(line->command, "no address given (kith ls lists them)");
    if (evidence_flags_check(&extract->run.options, 1, operands) ||
        evidence_list_check_output(&evidence, extract->folder))
        return EXIT_USAGE;
    status = extract_look(&extract->run, operands[0], operands + 1, count - 1, &list);
    if (status == EXIT_DONE && extract_open(extract, &list, 1))
        status = EXIT_USAGE;
    else if (status == EXIT_DONE) {
        status = extract_items(extract, &source, &list);
        status = extract_close(extract) ? EXIT_USAGE : status;
    }
    extract_release(&list);
    return status;
}

/* ---- the command ---- */

static int extract_all(struct command_line *line, char **operands, size_t count)
{
    struct extract *extract = &line->extract;
    int status;

    if (evidence_flags_sandbox(&extract->run.options))
        return EXIT_USAGE;
    interrupt_catch();
    extract->run.options.stop = interrupt_flag();
    extract->run.progress.noun = "file";
    progress_start(&extract->run.progress, extract->run.quiet);
    status = file_kind_is_case(operands[0]) ? extract_findings(line, operands, count)
                                            : extract_addresses(line, operands, count);
    progress_stop();
    if (status == EXIT_INTERRUPTED)
        complain("interrupted; what is complete was kept");
    if (extract->files && !extract->run.quiet)
        say("%s: %" PRIu64 " file%s, %" PRIu64 " bytes; manifest.csv describes them", extract->folder,
            extract->files, plural(extract->files), extract->bytes);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct command_line line = {
        .command = command,
        .extract = {.run = {.options = evidence_flags_defaults(OBJECT_STORED | OBJECT_DETAILS)},
                    .most = 4 * GIBIBYTE,
                    .most_in_all = 64 * GIBIBYTE},
        .of_case = {.command = command}};
    int operand = 0;
    int status = options_read(command, argc, argv, take_option, &line, &operand);

    if (status != OPTIONS_GO)
        ;
    else if (!line.extract.folder)
        status = options_wrong(command, "no folder given to write to (-d FOLDER)");
    else if (operand == argc)
        status = options_wrong(command, "no case and no evidence given");
    else
        status = extract_all(&line, argv + operand, (size_t)(argc - operand));
    free(line.moved);
    return status;
}

const struct command command_extract = {"extract",
                                        "[options] -d FOLDER CASE FINDING...|IMAGE ADDRESS...",
                                        "write the objects of findings to files, with a manifest",
                                        extract_options,
                                        run,
                                        &values_case,
                                        NULL};
