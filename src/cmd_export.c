/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "export_report.h"
#include "file_kind.h"
#include "formats.h"
#include "interrupt.h"
#include "list/kdb.h"
#include "options.h"
#include "set/refset_reader.h"
#include "terminal.h"

enum {
    EXPORT_FORMAT,
    EXPORT_AS_CSV,
    EXPORT_AS_JSON,
    EXPORT_AS_SHA1SUM,
    EXPORT_AS_HASHDEEP,
    EXPORT_AS_KDB,
    EXPORT_OUTPUT,
    EXPORT_QUIET,
};

static const struct option_spec export_options[] = {
    {0, "format", "FORM", "output format (default: csv)", &formats_export},
    {0, "csv", NULL, "the same as --format csv: a row for each file", NULL},
    {0, "json", NULL,
     "the same as --format json: all of the set, as JSON Lines; importing it gives an equal set", NULL},
    {0, "sha1sum", NULL, "the same as --format sha1sum", NULL},
    {0, "hashdeep", NULL, "the same as --format hashdeep", NULL},
    {0, "kdb", NULL, "the same as --format kdb: a hash database of The Sleuth Kit and Autopsy (needs -o)",
     NULL},
    {'o', "output", "FILE", "write to this new file (default: standard output)", &values_file},
    {'q', "quiet", NULL, "show no progress and no warning about omitted files", NULL},
    {0, NULL, NULL, NULL, NULL},
};

struct export
{
    struct export_report report;
    struct format_choice format;
    bool to_kdb, quiet;
    const char *output;
    struct kdb *kdb;
    struct progress progress;
};

static FILE *create(const char *path, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file)
        error_errno(err, "%s", path);
    return file;
}

static void add_source(void *arg, const struct refset_source *source)
{
    export_report_source(arg, source);
}

static int put_file(struct export *export, struct refset_reader *reader, struct error *err)
{
    const struct known *known = refset_reader_known(reader);
    int result;

    if (!export->to_kdb)
        return export_report_file(&export->report, refset_reader_id(reader), refset_reader_source(reader),
                                  known)
                   ? error_set(err, "out of memory")
                   : 0;
    result = kdb_add(export->kdb, &known->digests, known->names.data, known->names.len, err);
    export->report.left_out += result > 0;
    return result < 0 ? -1 : 0;
}

static int put_files(struct export *export, struct refset *set, struct error *err)
{
    const bool with_records =
        !export->to_kdb && (export->report.form == EXPORT_JSON || export->report.form == EXPORT_CSV);
    struct refset_reader *reader = refset_reader_new(set, with_records, err);
    int result = -1;

    while (reader && (result = refset_reader_next(reader, err)) > 0) {
        if (put_file(export, reader, err)) {
            result = -1;
            break;
        }
        atomic_fetch_add_explicit(&export->progress.count, 1, memory_order_relaxed);
        if (export->report.out.to && ferror(export->report.out.to))
            break;
        if (atomic_load(interrupt_flag())) {
            result = error_set(err, "interrupted");
            break;
        }
    }
    refset_reader_free(reader);
    if (result == 0 && export->report.out.line.failed)
        result = error_set(err, "out of memory");
    return result < 0 ? -1 : 0;
}

static void show_left_out(const struct export *export, const char *path)
{
    if (export->quiet)
        return;
    if (export->report.left_out && export->to_kdb)
        complain("%s: %" PRIu64
                 " file%s left out: without an MD5, by which The Sleuth Kit looks files up, or with the same"
                 " one as another file",
                 path, export->report.left_out, plural(export->report.left_out));
    else if (export->report.left_out)
        complain("%s: %" PRIu64 " file%s left out: without a digest, size or name that this format needs",
                 path, export->report.left_out, plural(export->report.left_out));
}

static int export_kdb(struct export *export, struct refset *set, struct error *err)
{
    int result;

    export->kdb = kdb_create(export->output, err);
    if (!export->kdb)
        return -1;
    result = put_files(export, set, err) || kdb_finish(export->kdb, err) ? -1 : 0;
    kdb_free(export->kdb);
    return result;
}

static int export_text(struct export *export, struct refset *set, struct error *err)
{
    int result;

    if (export->report.form == EXPORT_HASHDEEP && !(export->report.digests = refset_common_digests(set, err)))
        return -1;
    export->report.out.to = export->output ? create(export->output, err) : stdout;
    if (!export->report.out.to)
        return -1;
    export->report.exact = export->output != NULL;
    export_report_begin(&export->report, refset_info(set));
    result = refset_sources(set, add_source, &export->report, err) || put_files(export, set, err) ? -1 : 0;
    export_report_release(&export->report);
    if (export->output && (ferror(export->report.out.to) | fclose(export->report.out.to)) && !result)
        result = error_errno(err, "%s", export->output);
    return result;
}

static int run_export(struct export *export, const char *path)
{
    struct error err;
    struct refset *set = refset_open(path, REFSET_READ, &err);
    const bool is_new = export->output && access(export->output, F_OK) != 0;
    int result = -1;

    export->progress.noun = "file";
    progress_start(&export->progress, export->quiet || (!export->output && isatty(STDOUT_FILENO)));
    if (set)
        result = export->to_kdb ? export_kdb(export, set, &err) : export_text(export, set, &err);
    progress_stop();
    refset_close(set, NULL);
    if (result) {
        complain_error(&err);
        if (set && is_new)
            unlink(export->output);
        return atomic_load(interrupt_flag()) ? EXIT_INTERRUPTED : EXIT_USAGE;
    }
    show_left_out(export, path);
    if (export->output && export->report.left_out &&
        export->report.left_out == atomic_load(&export->progress.count)) {
        unlink(export->output);
        complain("%s: was not created, since nothing was exported", export->output);
    }
    return export->report.left_out ? EXIT_PARTIAL : EXIT_DONE;
}

static int take_option(void *arg, const struct options *options, int option)
{
    struct export *export = arg;

    switch (option) {
    case EXPORT_OUTPUT:
        export->output = options->value;
        return options_check_new(options->command, options->value);
    case EXPORT_QUIET:
        export->quiet = true;
        return 0;
    default:
        return formats_take(&export->format, options);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct export export = {.report = {.form = EXPORT_CSV}};
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, &export, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (argc - operand != 1)
        return options_wrong(command, operand == argc ? "no set given" : "only one set can be exported");
    export.to_kdb = export.format.format && export.format.format->number == FORMAT_KDB;
    if (export.format.format && !export.to_kdb)
        export.report.form = (enum export_form) export.format.format->number;
    if (export.to_kdb && !export.output)
        return options_wrong(command, "%s writes a database, which needs a file (-o FILE)",
                             export.format.option);
    if (file_kind_check_set(argv[operand]))
        return EXIT_USAGE;
    if (export.output)
        interrupt_catch();
    return run_export(&export, argv[operand]);
}

const struct command command_export = {"export",
                                       "[options] SET",
                                       "write a reference set as a list: CSV, JSON, sha1sum, hashdeep or kdb",
                                       export_options,
                                       run,
                                       &values_set_path,
                                       NULL};
