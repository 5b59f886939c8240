/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMMAND_H
#define KITH_COMMAND_H

/* A command of the program, and the table that all of them stand in. */

enum {
    EXIT_DONE = 0,
    EXIT_MATCH = 1,   /* something was found, and that was to be told */
    EXIT_USAGE = 2,   /* or the environment */
    EXIT_PARTIAL = 3, /* some of what was asked for could not be read */
    EXIT_CHANGED = 4, /* evidence changed while it was read */
    EXIT_INTERRUPTED = 130,
};

struct option_spec {
    int letter;           /* 0: none */
    const char *name;     /* NULL ends the list */
    const char *argument; /* what it takes, for the help; NULL: nothing */
    const char *help;
    const char *choices; /* the values for completion, separated by blanks; may be NULL */
};

struct command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;   /* one line */
    const struct option_spec *options;
    int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_ls, command_sign, command_compare, command_add, command_import,
    command_export, command_sets, command_scan, command_report, command_completion, command_help;

/* All commands, ends with NULL. */
extern const struct command *const commands[];

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

void command_show_help(const struct command *command);

#endif
