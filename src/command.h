/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMMAND_H
#define KITH_COMMAND_H

#include "values.h"

/* A command of the program, and the table of all commands. */

enum {
    EXIT_DONE = 0,
    EXIT_MATCH = 1,   /* there are findings, and --fail-on-match was given; or an audit did not pass */
    EXIT_USAGE = 2,   /* wrong usage, or a fault of the environment */
    EXIT_PARTIAL = 3, /* some evidence could not be read, or was not examined */
    EXIT_CHANGED = 4, /* evidence changed while it was being read */
    EXIT_INTERRUPTED = 130,
};

struct option_spec {
    int letter;                  /* 0: none */
    const char *name;            /* NULL ends the list */
    const char *argument;        /* what it takes, for the help; NULL: nothing */
    const char *help;            /* with the default, in parentheses */
    const struct values *values; /* that it takes, if they have names or can be completed; or NULL */
};

struct command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;   /* one line */
    const struct option_spec *options;
    int (*run)(const struct command *command, int argc, char **argv);
    const struct values *operands;  /* what its operands are; NULL: files.  With names: the first operand */
    const struct values *explained; /* values that its output has, listed at the end of the help; or NULL */
};

extern const struct command command_cluster, command_ls, command_sign, command_compare, command_add,
    command_import, command_export, command_sets, command_scan, command_report, command_case, command_audit,
    command_explain, command_extract, command_lab, command_completion, command_help;

/* All commands; NULL ends the list. */
extern const struct command *const commands[];

/* The command of that name, or NULL after an error was shown. */
const struct command *command_find(const char *name);

/* The names of all commands. */
extern const struct values command_names;

void command_show_help(const struct command *command);

#endif
