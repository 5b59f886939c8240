/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "command.h"
#include "evidence_flags.h"
#include "evidence_images.h"
#include "ls_report.h"
#include "report/report_account.h"
#include "terminal.h"

enum {
    OPTION_LONG = OPTIONS_EVIDENCE,
    OPTION_SUMMARY,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_BODY,
    OPTION_HASH,
    OPTION_MD5,
    OPTION_SHA256,
    OPTION_HASH_IMAGE,
    OPTION_METADATA,
    OPTION_ACCOUNT,
    OPTION_IMAGES,
    OPTION_QUIET,
};

static const struct option_spec ls_options[] = {
    OPTIONS_EVIDENCE_SPECS,
    {'l', "long", NULL, "write a line for each object, for people", NULL},
    {0, "summary", NULL, "write only volumes and counts, for people (default on a terminal)", NULL},
    {0, "csv", NULL, "write CSV (default if the output is no terminal)", NULL},
    {0, "json", NULL, "write JSON, an object a line", NULL},
    {0, "body", NULL, "write a body file for mactime", NULL},
    {0, "hash", NULL, "read the content and add its SHA-1", NULL},
    {0, "md5", NULL, "add the MD5", NULL},
    {0, "sha256", NULL, "add the SHA-256", NULL},
    {0, "hash-image", NULL,
     "add SHA-1, MD5 and SHA-256 of the whole image, and compare with those stored in it", NULL},
    {0, "metadata", NULL, "list metadata and folders that fill no block of their own, too", NULL},
    {0, "account", NULL, "write which bytes of the image belong to what; they add up to its size", NULL},
    {0, "images", NULL, "also open the disk images in folders, each as evidence of its own", NULL},
    {'q', "quiet", NULL, "show no progress and no notes", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum { MOST_PROBLEMS = 50 };

struct ls {
    struct evidence_options options;
    struct ls_report report;
    unsigned digests; /* of each object */
    bool form_chosen, quiet;
    bool is_account; /* instead of objects */
    struct report_account account;
    struct progress progress;
    uint64_t image_size;
    unsigned long long problems; /* of this evidence */
    unsigned long long damaged;  /* objects that are not whole */
    bool wrong_digest;
};

/* ---- digests of objects: in the workers ---- */

struct hash_state {
    struct digest *digest;
    bool failed;
};

static void *hash_open(void *arg, struct error *err)
{
    const unsigned *kinds = arg;
    struct hash_state *state = calloc(1, sizeof *state);

    if (!state) {
        error_set(err, "out of memory");
        return NULL;
    }
    state->digest = digest_new(*kinds, err);
    if (!state->digest) {
        free(state);
        return NULL;
    }
    return state;
}

static bool hash_begin(void *arg, const struct object *object, struct content *content)
{
    struct hash_state *state = arg;

    (void)object;
    (void)content;
    state->failed = digest_begin(state->digest, NULL) != 0;
    return !state->failed;
}

static void hash_data(void *arg, const void *data, size_t len)
{
    struct hash_state *state = arg;

    if (digest_update(state->digest, data, len, NULL))
        state->failed = true;
}

static void hash_zeros(void *arg, uint64_t len)
{
    inspector_zeros(hash_data, arg, len);
}

static void hash_end(void *arg, struct object *object)
{
    struct hash_state *state = arg;
    struct digest_values values = {0};

    if (!state->failed && digest_final(state->digest, &values, NULL) == 0)
        buffer_add(&object->result, &values, sizeof values);
    else
        object_blame(object, OBJECT_UNREADABLE, "libcrypto failed");
}

/* ---- what is found ---- */

static void take_image(void *arg, const struct evidence_image *image)
{
    struct ls *ls = arg;

    ls->image_size = image->size;
    ls_report_image(&ls->report, image);
}

static void take_volume(void *arg, const struct evidence_volume *volume)
{
    struct ls *ls = arg;

    if (!ls->is_account)
        ls_report_volume(&ls->report, volume);
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct ls *ls = arg;
    struct digest_values values = {0};

    ls->damaged += object->state != OBJECT_WHOLE;
    atomic_fetch_add_explicit(&ls->progress.count, 1, memory_order_relaxed);
    if (ls->is_account)
        return;
    if (object->result.len == sizeof values)
        memcpy(&values, object->result.data, sizeof values);
    ls_report_object(&ls->report, volume, object, &values, paths, count);
}

static void take_account(void *arg, const struct evidence_volume *volume, const struct account_table *table)
{
    struct ls *ls = arg;

    if (ls->is_account && report_account_add(&ls->account, volume->label, table))
        ls->report.line.failed = true;
}

static void take_problem(void *arg, const char *text)
{
    struct ls *ls = arg;

    if (ls->problems++ < MOST_PROBLEMS)
        complain("%s: %s", ls->report.evidence, text);
}

static void take_note(void *arg, const char *text)
{
    struct ls *ls = arg;

    if (!ls->quiet)
        complain("%s: %s", ls->report.evidence, text);
}

static void take_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    struct ls *ls = arg;

    ls_report_whole(&ls->report, ls->image_size, whole, stored);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digest_differing(whole, stored) & DIGEST_BIT(kind)) {
            complain("%s: the %s of the image is not the one stored in it at acquisition",
                     ls->report.evidence, digest_name((enum digest_kind)kind));
            ls->wrong_digest = true;
        }
}

/* ---- each piece of evidence ---- */

static int list_one(struct ls *ls, const char *path)
{
    const struct evidence_sink sink = {.image = take_image,
                                       .volume = take_volume,
                                       .object = take_object,
                                       .account = take_account,
                                       .digests = take_digests,
                                       .problem = take_problem,
                                       .note = take_note,
                                       .arg = ls};
    enum evidence_result result;
    struct error err;

    ls->problems = ls->damaged = 0;
    ls->wrong_digest = false;
    ls_report_evidence(&ls->report, path);
    result = evidence_read(path, &ls->options, &sink, &err);
    if (ls->is_account)
        ls_report_account(&ls->report, &ls->account);
    report_account_reset(&ls->account);
    ls_report_end(&ls->report);
    if (result == EVIDENCE_FAILED)
        complain_error(&err);
    if (ls->problems > MOST_PROBLEMS)
        complain("%s: and %llu problems more of this kind", path, ls->problems - MOST_PROBLEMS);
    if (result == EVIDENCE_PARTIAL && ls->problems == 0)
        complain("%s: %llu objects could not be read in full", path, ls->damaged);
    if (result == EVIDENCE_CHANGED && ls->problems == 0)
        complain("%s: %llu objects could not be read in full, or changed while they were read", path,
                 ls->damaged);
    return ls->wrong_digest && result == EVIDENCE_DONE ? EXIT_PARTIAL : evidence_flags_status(result);
}

static int list_all(struct ls *ls, int count, char **paths)
{
    int worst = EXIT_DONE;

    ls->progress.noun = "objects";
    ls->options.bytes = &ls->progress.bytes;
    ls->report.colours = terminal_colours(STDOUT_FILENO);
    progress_start(&ls->progress, ls->quiet || (ls->report.form != LS_SUMMARY && isatty(STDOUT_FILENO)));
    for (int i = 0; i < count && !ferror(stdout) && !ls->report.line.failed; i++) {
        int status = list_one(ls, paths[i]);

        worst = status > worst ? status : worst;
    }
    progress_stop();
    ls_report_release(&ls->report);
    return worst;
}

/* ---- options ---- */

static int choose_form(struct ls *ls, const struct options *options, enum ls_form form)
{
    if (ls->form_chosen && ls->report.form != form) {
        options_wrong(options->command, "--long, --summary, --csv, --json and --body exclude each other");
        return -1;
    }
    ls->form_chosen = true;
    ls->report.form = form;
    return 0;
}

static int take_option(struct ls *ls, const struct options *options, int option)
{
    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&ls->options, options, option);
    switch (option) {
    case OPTION_LONG:
        return choose_form(ls, options, LS_TABLE);
    case OPTION_SUMMARY:
        return choose_form(ls, options, LS_SUMMARY);
    case OPTION_CSV:
        return choose_form(ls, options, LS_CSV);
    case OPTION_JSON:
        return choose_form(ls, options, LS_JSON);
    case OPTION_BODY:
        return choose_form(ls, options, LS_BODY);
    case OPTION_HASH:
        ls->digests |= DIGEST_BIT(DIGEST_SHA1);
        return 0;
    case OPTION_MD5:
        ls->digests |= DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5);
        return 0;
    case OPTION_SHA256:
        ls->digests |= DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256);
        return 0;
    case OPTION_IMAGES:
        ls->options.images = true;
        return 0;
    case OPTION_HASH_IMAGE:
        ls->options.image_digests = DIGEST_BIT(DIGEST_KINDS) - 1;
        return 0;
    case OPTION_ACCOUNT:
        ls->is_account = true;
        return 0;
    case OPTION_METADATA:
        ls->options.kinds |= OBJECT_BIT(OBJECT_METADATA) | OBJECT_BIT(OBJECT_FOLDER) | OBJECT_DETAILS;
        return 0;
    default:
        ls->quiet = true;
        return 0;
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct ls ls = {.options = evidence_flags_defaults(OBJECT_STORED)};
    const struct inspector inspector = {.open = hash_open,
                                        .begin = hash_begin,
                                        .data = hash_data,
                                        .zeros = hash_zeros,
                                        .end = hash_end,
                                        .arg = &ls.digests};
    struct options options;
    struct evidence_list list;
    int option, operand = 0, status;

    ls.report.form = isatty(STDOUT_FILENO) ? LS_SUMMARY : LS_CSV;
    options_begin(&options, command, argc, argv);
    while ((option = options_next(&options, &operand)) >= 0)
        if (take_option(&ls, &options, option))
            return EXIT_USAGE;
    if (option != OPTIONS_END)
        return option == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (operand == argc)
        return options_wrong(command, "no evidence was named");
    if (evidence_flags_sandbox(&ls.options))
        return EXIT_USAGE;
    if (ls.is_account && (ls.digests || ls.report.form == LS_BODY))
        return options_wrong(
            command, "--account lists no objects: --body, --hash, --md5 and --sha256 do not go with it");
    /* what cannot be read is seen only by reading it */
    ls.options.inspector = ls.is_account ? &inspector_reader : ls.digests ? &inspector : NULL;
    ls.report.is_account = ls.is_account;
    ls.report.digests = ls.digests | ls.options.image_digests;
    status = evidence_images_find(&list, &ls.options, (size_t)(argc - operand), argv + operand)
                 ? EXIT_USAGE
                 : list_all(&ls, (int)list.count, list.paths);
    evidence_images_release(&list);
    return status;
}

const struct command command_ls = {"ls", "[options] IMAGE|FOLDER|FILE...",
                                   "list what is in a disk image: volumes, file systems, objects", ls_options,
                                   run};
