/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "case_open.h"
#include "command.h"
#include "explain.h"
#include "file_kind.h"
#include "options.h"
#include "terminal.h"

enum { USUAL_WIDTH = 100, LEAST_WIDTH = 60 };

static const struct option_spec explain_options[] = {{0, NULL, NULL, NULL, NULL}};

static unsigned width_of_output(void)
{
    const unsigned width = terminal_width(STDOUT_FILENO);

    return !width ? USUAL_WIDTH : width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

/* Explains a finding.  Returns 1, 0 if there is none with this number, -1 on error. */
static int explain_one(struct casefile *casefile, const char *path, const struct case_finding_id *id,
                       bool is_first, struct error *err)
{
    const struct case_filter filter = {.known = true, .ids = id, .id_count = 1};
    struct case_reader *reader = casefile_reader_new(casefile, &filter, err);
    struct buffer out = {0};
    struct case_row row;
    int result = reader ? casefile_reader_next(reader, &row, err) : -1;

    if (result > 0) {
        if (!is_first)
            buffer_add_text(&out, "\n\n");
        explain(&out, casefile, &row, path, width_of_output());
        put_output(&out);
    }
    buffer_release(&out);
    casefile_reader_free(reader);
    return result;
}

static int explain_all(const char *path, char **numbers, const struct case_finding_id *ids, size_t count)
{
    struct error err;
    bool faulty = false;
    struct casefile *casefile = case_open(path, &faulty, &err);
    int result = casefile ? 1 : -1, status = EXIT_DONE;

    for (size_t i = 0; i < count && result >= 0; i++) {
        result = explain_one(casefile, path, &ids[i], i == 0, &err);
        if (result == 0) {
            complain("%s: there is no finding %s", path, numbers[i]);
            status = EXIT_USAGE;
        }
    }
    if (result < 0)
        complain_error(&err);
    if (casefile)
        casefile_close(casefile, NULL);
    return result < 0 ? EXIT_USAGE : status == EXIT_DONE && faulty ? EXIT_PARTIAL : status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct case_finding_id *ids;
    int operand = 0, status = options_read(command, argc, argv, NULL, NULL, &operand);
    const size_t count = argc - operand > 0 ? (size_t)(argc - operand - 1) : 0;

    if (status != OPTIONS_GO)
        return status;
    if (argc - operand < 2)
        return options_wrong(command, operand == argc ? "no case given"
                                                      : "no finding given: its number, which kith "
                                                        "report lists");
    if (file_kind_check_case(argv[operand]))
        return EXIT_USAGE;
    ids = calloc(count, sizeof *ids);
    if (!ids) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    status = EXIT_DONE;
    for (size_t i = 0; i < count && status == EXIT_DONE; i++)
        if (!casefile_parse_id(argv[operand + 1 + (int)i], &ids[i]))
            status = options_wrong(command, "'%s' is not the number of a finding, such as 1.204.1",
                                   argv[operand + 1 + (int)i]);
    if (status == EXIT_DONE)
        status = explain_all(argv[operand], argv + operand + 1, ids, count);
    free(ids);
    return status;
}

const struct command command_explain = {"explain",
                                        "CASE FINDING...",
                                        "say in words what a finding shows, and how to verify it",
                                        explain_options,
                                        run,
                                        &values_case,
                                        NULL};
