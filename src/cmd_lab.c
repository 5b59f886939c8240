/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "formats.h"
#include "lab/lab_experiments.h"
#include "lab/lab_write.h"
#include "new_folder.h"
#include "options.h"
#include "selftest.h"
#include "terminal.h"

enum {
    LAB_DATA,
    LAB_SEED,
    LAB_QUICK,
    LAB_FORMAT,
    LAB_CSV,
    LAB_JSON,
    LAB_HTML,
    LAB_PLOTS,
    LAB_STORE,
    LAB_OUTPUT,
    LAB_QUIET,
};

static const struct option_spec lab_options[] = {
    {0, "data", "FOLDER", "use the files in this folder (default: generated texts)", NULL},
    {0, "seed", "N", "generate texts and edits from this number (default: 1)", NULL},
    {0, "quick", NULL, "take less time, with less data and fewer repetitions", NULL},
    {0, "format", "FORM", "output format (default: text)", &formats_lab},
    {0, "csv", NULL, "the same as --format csv", NULL},
    {0, "json", NULL, "the same as --format json", NULL},
    {0, "html", NULL, "the same as --format html: a page with all tables and plots", NULL},
    {0, "plots", "FOLDER", "also write each plot as an SVG file in this new folder", NULL},
    {0, "store", "FILE", "coates-unrelated: keep the result in this new file, for kith compare", NULL},
    {0, "output", "FOLDER", "selftest: write the report to this new folder (default: named after the date)",
     NULL},
    {'q', "quiet", NULL, "do not show on a terminal what is running", NULL},
    {0, NULL, NULL, NULL, NULL},
};

struct lab {
    const char *data, *store, *plots, *output;
    uint64_t seed;
    bool quick, quiet, has_seed;
    struct format_choice choice;
    const struct lab_write_form *form;
    bool is_first;   /* no document was written yet */
    bool is_partial; /* an experiment could not be run */
};

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {LAB_QUICK, offsetof(struct lab, quick)},
        {LAB_QUIET, offsetof(struct lab, quiet)},
    };
    struct lab *lab = arg;

    if (options_flag(flags, option, lab))
        return 0;
    switch (option) {
    case LAB_DATA:
        lab->data = options->value;
        return 0;
    case LAB_SEED:
        lab->has_seed = true;
        return options_number(options, 0, UINT64_MAX, &lab->seed);
    case LAB_PLOTS:
        lab->plots = options->value;
        return 0;
    case LAB_STORE:
        lab->store = options->value;
        return 0;
    case LAB_OUTPUT:
        lab->output = options->value;
        return 0;
    default:
        return formats_take(&lab->choice, options);
    }
}

/* ---- names ---- */

static bool is_new_paper(size_t index)
{
    return index == 0 || strcmp(lab_experiments[index]->paper, lab_experiments[index - 1]->paper) != 0;
}

static const char selftest_name[] = "selftest";

/* The names of all experiments, of the papers, "all", and the self-test. */
static const char *operand_name(const void *table, size_t index)
{
    size_t i;

    (void)table;
    for (i = 0; lab_experiments[i]; i++)
        if (index-- == 0)
            return lab_experiments[i]->name;
    for (i = 0; lab_experiments[i]; i++)
        if (is_new_paper(i) && index-- == 0)
            return lab_experiments[i]->paper;
    return index == 0 ? "all" : index == 1 ? selftest_name : NULL;
}

static const struct values operands = {"experiment", "experiments", false, operand_name, NULL};

static bool is_meant(const struct lab_experiment *experiment, const char *name)
{
    return strcmp(name, "all") == 0 || strcmp(name, experiment->name) == 0 ||
           strcmp(name, experiment->paper) == 0;
}

static int list_experiments(void)
{
    for (size_t i = 0; lab_experiments[i]; i++) {
        if (i > 0 && is_new_paper(i))
            say("%s", "");
        if (is_new_paper(i))
            say("%s", lab_experiments[i]->paper);
        say("  %-28s %s", lab_experiments[i]->name, lab_experiments[i]->summary);
        say("  %-28s (%s)", "", lab_experiments[i]->source);
    }
    say("%s", "");
    say("%s", selftest_name);
    say("  %-28s %s", selftest_name, "kith's own error rates on this machine, as a report for a court file");
    return finish_output() ? EXIT_USAGE : EXIT_DONE;
}

/* ---- plots ---- */

static int write_file(int folder, const char *name, const struct buffer *content, struct error *err)
{
    const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    size_t done = 0;
    ssize_t got = 0;

    if (fd < 0)
        return error_errno(err, "%s", name);
    while (done < content->len && (got = write(fd, content->data + done, content->len - done)) > 0)
        done += (size_t)got;
    if (got < 0 || close(fd)) {
        error_errno(err, "%s", name);
        if (got < 0)
            close(fd);
        unlinkat(folder, name, 0); /* part of a file is worse than none */
        return -1;
    }
    return 0;
}

static int write_plots(const struct lab *lab, const struct lab_document *document, struct error *err)
{
    const int folder = open(lab->plots, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct lab_plot *plot;
    int result = folder < 0 ? error_errno(err, "%s", lab->plots) : 0;

    for (size_t i = 0; result == 0 && (plot = lab_document_plot(document, i)); i++) {
        struct buffer content = {0}, name = {0};

        lab_write_svg(plot, &content);
        buffer_printf(&name, "%s.svg", lab_plot_name(plot));
        buffer_add_char(&name, '\0');
        result = content.failed || name.failed ? error_set(err, "out of memory for a plot")
                                               : write_file(folder, name.data, &content, err);
        buffer_release(&content);
        buffer_release(&name);
    }
    if (folder >= 0)
        close(folder);
    return result;
}

/* ---- running ---- */

/* An experiment that the user's files are not suited for does not prevent the others. */
static int run_experiment(struct lab *lab, const struct lab_experiment *experiment, const struct lab_run *run,
                          struct error *err)
{
    struct lab_document *document;
    struct buffer out = {0};
    int result = 0;

    if (!lab->quiet && terminal_width(STDERR_FILENO))
        complain("%s ...", experiment->name);
    document = lab_experiments_run(experiment, run, err);
    if (!document) {
        complain_error(err);
        lab->is_partial = true;
        document = lab_experiments_not_run(experiment, err);
    }
    if (!document)
        return error_set(err, "out of memory");
    lab->form->document(document, lab->is_first, &out);
    lab->is_first = false;
    put_output(&out);
    if (lab->plots)
        result = write_plots(lab, document, err);
    buffer_release(&out);
    lab_document_free(document);
    return result;
}

static void put_frame(const struct lab *lab, bool is_end)
{
    struct buffer out = {0};

    if (is_end)
        lab->form->end(&out);
    else
        lab->form->begin("kith lab: the tables of the papers", &out);
    put_output(&out);
    buffer_release(&out);
}

static int run_named(struct lab *lab, const char *name)
{
    struct error err;
    struct lab_data *data =
        lab->data ? lab_data_read(lab->data, &err) : lab_data_generate(lab->seed, lab->quick, &err);
    struct buffer factors = {0};
    const struct lab_run run = {data, lab->seed, lab->quick, lab->store ? &factors : NULL};
    int result = data ? 0 : -1;

    if (result == 0)
        put_frame(lab, false);
    for (size_t i = 0; result == 0 && lab_experiments[i]; i++)
        if (is_meant(lab_experiments[i], name))
            result = run_experiment(lab, lab_experiments[i], &run, &err);
    if (result == 0 && lab->store && !lab->is_partial)
        result = factors.failed ? error_set(&err, "%s: out of memory", lab->store)
                                : write_file(AT_FDCWD, lab->store, &factors, &err);
    if (result == 0)
        put_frame(lab, true);
    else
        complain_error(&err);
    buffer_release(&factors);
    lab_data_free(data);
    return finish_output() || result || lab->is_partial ? EXIT_USAGE : EXIT_DONE;
}

/* An option without an effect on any of the experiments named is an error.  Generated texts vary with the
 * seed, and are fewer with --quick. */
static int check_uses(const struct command *command, const struct lab *lab, const char *name)
{
    const struct {
        const char *option;
        bool is_given;
        unsigned uses;
    } options[] = {
        {"--data", lab->data, LAB_USE_DATA},
        {"--seed", lab->has_seed, LAB_USE_SEED | (lab->data ? 0 : LAB_USE_DATA)},
        {"--quick", lab->quick, LAB_USE_QUICK | (lab->data ? 0 : LAB_USE_DATA)},
        {"--plots", lab->plots, LAB_USE_PLOTS},
    };
    unsigned uses = 0;

    for (size_t i = 0; lab_experiments[i]; i++)
        if (is_meant(lab_experiments[i], name))
            uses |= lab_experiments[i]->uses;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given && !(options[i].uses & uses))
            return options_wrong(command, "%s has no effect on %s%s", options[i].option, name,
                                 options[i].uses == LAB_USE_PLOTS ? ", which has no plots" : "");
    return 0;
}

/* Whether a file can be created in the folder of this path. */
static bool has_place(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    const bool result = folder && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;

    free(folder);
    return result;
}

/* Nothing is overwritten, and a file needs a place, which had better be said at once. */
static int check_store(const struct command *command, const char *path, const char *name)
{
    static const char stored[] = "coates-unrelated";

    if (strcmp(name, stored) != 0)
        return options_wrong(command, "--store is for %s", stored);
    if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        complain("%s: exists already", path);
        return -1;
    }
    if (!has_place(path)) {
        complain("%s: %s", path, strerror(errno));
        return -1;
    }
    return 0;
}

/* Its report has forms of its own. */
static int run_selftest(const struct command *command, const struct lab *lab)
{
    const struct selftest_options options = {lab->data, lab->output, lab->seed, lab->quick, lab->quiet};

    if (lab->choice.format || lab->plots || lab->store)
        return options_wrong(command,
                             "%s takes no --format, --plots or --store: its report is written to a folder",
                             selftest_name);
    return selftest_run(&options);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct lab lab = {.seed = 1, .form = &lab_write_text, .is_first = true};
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, &lab, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (argc - operand > 1)
        return options_wrong(command, "more than one experiment given");
    if (operand == argc && argc > 1)
        return options_wrong(command, "no experiment given; kith lab lists them");
    if (operand == argc)
        return list_experiments();
    if (options_named_operand(command, &operands, argv[operand]) < 0)
        return EXIT_USAGE;
    if (strcmp(argv[operand], selftest_name) == 0)
        return run_selftest(command, &lab);
    if (lab.output)
        return options_wrong(command, "--output is for %s", selftest_name);
    if (lab.store && check_store(command, lab.store, argv[operand]))
        return EXIT_USAGE;
    if (check_uses(command, &lab, argv[operand]))
        return EXIT_USAGE;
    if (lab.choice.format)
        lab.form = lab.choice.format->writer;
    if (lab.plots && new_folder_make(lab.plots))
        return EXIT_USAGE;
    return run_named(&lab, argv[operand]);
}

const struct command command_lab = {"lab",
                                    "[options] [EXPERIMENT|PAPER|all|selftest]",
                                    "rebuild the tables of the papers, or list them",
                                    lab_options,
                                    run,
                                    &operands,
                                    NULL};
