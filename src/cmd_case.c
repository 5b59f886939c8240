/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/casefile.h"
#include "case_seal.h"
#include "command.h"
#include "context_flags.h"
#include "file_kind.h"
#include "options.h"
#include "set_flags.h"
#include "terminal.h"

enum {
    CASE_SIGN = CASE_CONTEXT_KEYS,
    CASE_VERIFY,
    CASE_SIGNATURE,
    CASE_OPTIONS,
};

static const struct option_spec case_options[] = {
    CONTEXT_FLAGS_SPECS("set: "),
    {0, "sign", "KEY", "seal: sign the seal with this private key (Ed25519, PEM)", &values_file},
    {0, "verify", "KEY", "seal: check the signature with this public key", &values_file},
    {0, "signature", "FILE", "seal: the signature (default: the name of the case and .sig)", &values_file},
    {0, NULL, NULL, NULL, NULL},
};

struct case_line {
    const struct command *command;
    struct context_flags context;
    const char *sign, *verify, *signature; /* NULL: not given */
    unsigned given;                        /* a bit for each option that was */
};

/* ---- set ---- */

static int set_context(const struct case_line *line, const char *path, struct error *err)
{
    struct casefile *casefile = casefile_open_change(path, err);
    int result;

    if (!casefile)
        return -1;
    result = context_flags_set(&line->context, casefile, err);
    return casefile_close(casefile, result ? NULL : err) ? -1 : result;
}

static int run_set(const struct case_line *line, const char *path)
{
    struct error err;

    if (!context_flags_any(&line->context))
        return options_wrong(line->command,
                             "nothing to set: --case-number, --examiner, --organisation or --notes");
    if (set_context(line, path, &err) == 0)
        return EXIT_DONE;
    complain_error(&err);
    return EXIT_USAGE;
}

/* ---- seal ---- */

static int sign_or_verify(const struct case_line *line, const char *path)
{
    char *beside = NULL;
    const char *signature = line->signature;
    int status;

    if (!signature && asprintf(&beside, "%s.sig", path) < 0) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    if (!signature)
        signature = beside;
    status = line->sign ? case_seal_sign(path, line->sign, signature)
                        : case_seal_verify(path, line->verify, signature);
    free(beside);
    return status;
}

static int run_seal(const struct case_line *line, const char *path)
{
    if (line->sign && line->verify)
        return options_wrong(line->command, "--sign and --verify contradict each other");
    if (line->sign || line->verify)
        return sign_or_verify(line, path);
    if (line->signature)
        return options_wrong(line->command, "--signature is an option of --sign and --verify");
    return case_seal_print(path);
}

/* ---- upgrade ---- */

static int upgrade(const char *path, struct error *err)
{
    struct casefile *casefile = casefile_open_change(path, err);
    struct error text;
    int result;

    if (!casefile)
        return -1;
    error_set(&text, "upgraded by %s", set_flags_tool);
    result = casefile_log(casefile, set_flags_now(), text.text, err);
    return casefile_close(casefile, result ? NULL : err) ? -1 : result;
}

static int run_upgrade(const struct case_line *line, const char *path)
{
    struct error err;
    struct casefile *casefile = casefile_open_report(path, &err);

    (void)line;
    if (casefile) {
        casefile_close(casefile, NULL);
        say("%s: needs no upgrade", path);
        return EXIT_DONE;
    }
    if (upgrade(path, &err)) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    say("%s: upgraded", path);
    return EXIT_DONE;
}

/* ---- actions ---- */

static const struct action {
    const char *name;
    int (*run)(const struct case_line *line, const char *path);
    unsigned options; /* a bit for each that it takes */
} actions[] = {
    {"set", run_set, (1u << CASE_CONTEXT_KEYS) - 1},
    {"seal", run_seal, 1u << CASE_SIGN | 1u << CASE_VERIFY | 1u << CASE_SIGNATURE},
    {"upgrade", run_upgrade, 0},
};

static const char *action_name(const void *table, size_t index)
{
    (void)table;
    return index < sizeof actions / sizeof *actions ? actions[index].name : NULL;
}

static const struct values action_names = {"action", "actions", false, action_name, NULL};

static int take_option(void *arg, const struct options *options, int option)
{
    struct case_line *line = arg;

    line->given |= 1u << option;
    if (option < CASE_CONTEXT_KEYS)
        return context_flags_take(&line->context, options, option);
    switch (option) {
    case CASE_SIGN:
        line->sign = options->value;
        return 0;
    case CASE_VERIFY:
        line->verify = options->value;
        return 0;
    default:
        line->signature = options->value;
        return options_check_new(options->command, options->value);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct case_line line = {.command = command};
    int operand = 0, number;
    const int status = options_read(command, argc, argv, take_option, &line, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (operand == argc)
        return options_wrong(command, "no action given: set, seal or upgrade");
    number = options_named_operand(command, &action_names, argv[operand]);
    if (number < 0)
        return EXIT_USAGE;
    for (int i = 0; i < CASE_OPTIONS; i++)
        if (line.given & ~actions[number].options & 1u << i)
            return options_wrong(command, "--%s has no meaning for %s", case_options[i].name,
                                 actions[number].name);
    if (argc - operand != 2)
        return options_wrong(command, argc - operand == 1 ? "no case given" : "more than one case given");
    if (file_kind_check_case(argv[operand + 1]))
        return EXIT_USAGE;
    return actions[number].run(&line, argv[operand + 1]);
}

const struct command command_case = {"case",
                                     "set|seal|upgrade [options] CASE",
                                     "describe a case, sign its seal, and upgrade cases of earlier versions",
                                     case_options,
                                     run,
                                     &action_names,
                                     NULL};
