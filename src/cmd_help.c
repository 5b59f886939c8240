/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "terminal.h"

static const struct option_spec no_options[] = {{0, NULL, NULL, NULL, NULL}};

static void show_all(void)
{
    puts("kith finds known files and their kin: copies, versions, parts.\n");
    puts("usage: kith COMMAND [options] ...\n");
    for (const struct command *const *at = commands; *at; at++)
        printf("  %-12s %s\n", (*at)->name, (*at)->summary);
    puts("\n  kith COMMAND --help tells a command's options, man kith-COMMAND the rest; kith --version the "
         "version.");
}

static void show_option(const struct option_spec *spec)
{
    char words[64];

    if (spec->letter)
        snprintf(words, sizeof words, "-%c, --%s%s%s", spec->letter, spec->name, spec->argument ? " " : "",
                 spec->argument ? spec->argument : "");
    else
        snprintf(words, sizeof words, "    --%s%s%s", spec->name, spec->argument ? " " : "",
                 spec->argument ? spec->argument : "");
    printf("  %-24s %s\n", words, spec->help);
}

void command_show_help(const struct command *command)
{
    static const struct option_spec help = {'h', "help", NULL, "show this", NULL};

    if (command == &command_help) {
        show_all();
        return;
    }
    printf("usage: kith %s %s\n\n%s\n\n", command->name, command->arguments, command->summary);
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        show_option(spec);
    show_option(&help);
}

static int run(const struct command *command, int argc, char **argv)
{
    const struct command *about;
    int operand = 0;
    const int status = options_read(command, argc, argv, NULL, NULL, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (operand == argc) {
        show_all();
        return EXIT_DONE;
    }
    about = command_find(argv[operand]);
    if (!about || operand + 1 < argc)
        return options_wrong(command, about ? "one command at a time" : "there is no command '%s'",
                             argv[operand]);
    command_show_help(about);
    return EXIT_DONE;
}

const struct command command_help = {"help", "[COMMAND]", "tell the commands, or one command's options",
                                     no_options, run};
