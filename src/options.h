/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OPTIONS_H
#define KITH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"

/* Reads a command's options by its table. */

enum { OPTIONS_GO = -1 }; /* not an exit status */

struct options {
    const struct command *command;
    int argc;
    char **argv;
    const struct option_spec *spec; /* of the option found */
    const char *value;              /* that it was given, or NULL */
    char typed[32];                 /* its name as the user wrote it: "-o" or "--offset" */
};

/*
 * Reads all options of the command, whose name is argv[0].  Each is passed to take by its index in the
 * command's table; take returns -1 after it showed an error, and may be NULL if the table is empty.
 *
 * Returns OPTIONS_GO, and the operands are argv[*operand] to argv[argc - 1]; or, after help or an error was
 * shown, the exit status of the command.
 */
int options_read(const struct command *command, int argc, char **argv,
                 int (*take)(void *arg, const struct options *options, int option), void *arg, int *operand);

/* An option that sets a bool at this offset in the struct that take is given as arg. */
struct options_flag {
    int option;
    size_t offset;
};

/* Sets the bool of the option if it is in the list; returns whether it is. */
#define options_flag(flags, option, arg) options_flag_in(flags, sizeof(flags) / sizeof *(flags), option, arg)
bool options_flag_in(const struct options_flag *flags, size_t count, int option, void *arg);

/* The value as a number; -1 after an error was shown. */
int options_number(const struct options *options, uint64_t least, uint64_t most, uint64_t *out);
/* The same for a number of 32 bits. */
int options_number32(const struct options *options, uint64_t least, uint32_t most, uint32_t *out);

/* The same in bytes: k, M, G or T after the number multiplies it by 1024, 1024 * 1024, ... */
int options_size(const struct options *options, uint64_t least, uint64_t most, uint64_t *out);

/* A number from 0 to 1, or a percentage with a '%'; -1 after an error was shown. */
int options_share(const struct options *options, double *out);

/* The index of the text among the option's named values, or -1 after an error was shown that lists them. */
int options_named(const struct options *options, const char *text, size_t len);

/* Sets the bits of the option's named values, which are separated by commas; -1 after an error was shown. */
int options_list(const struct options *options, unsigned *bits);

/* The same as options_named for an operand and these values. */
int options_named_operand(const struct command *command, const struct values *values, const char *text);

/*
 * Checks the name of a case or set that may have to be created.  One that is made of digits only, or begins
 * with '-', is more likely a sector offset or an option in the wrong place; "./" before it says that it is
 * meant.  Its folder must be writable.  Returns 0, also if such a file exists, or -1 after an error was
 * shown.
 */
int options_check_new(const struct command *command, const char *path);

/* Shows an error and where to find help; returns EXIT_USAGE. */
int options_wrong(const struct command *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
