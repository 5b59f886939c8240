/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "terminal.h"

static const struct option_spec no_options[] = {{0, NULL, NULL, NULL, NULL}};

enum { INDENT = 29, WIDTH = 79 }; /* of the right column; of both */

static void show_all(void)
{
    puts("kith finds known files, and files related to them, in disk images:\n"
         "copies, variants, embedded files and fragments.\n\n"
         "usage: kith COMMAND [OPTION]... [OPERAND]...\n");
    for (const struct command *const *at = commands; *at; at++)
        printf("  %-12s %s\n", (*at)->name, (*at)->summary);
    puts("\nkith COMMAND --help lists a command's options; man kith-COMMAND describes them.\n"
         "kith --version prints the version.");
}

/* Writes the words of text, broken into lines that start in the right column; the first one is filled up to
 * at. */
static void put_wrapped(const char *text, size_t at)
{
    for (bool is_first = true; *text; is_first = false) {
        const size_t len = strcspn(text, " ");

        if (!is_first && at + 1 + len > WIDTH) {
            printf("\n%*s", INDENT, "");
            at = INDENT;
        } else if (!is_first) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)len, text);
        at += len;
        text += len + (text[len] == ' ');
    }
    putchar('\n');
}

static void put_values(const char *title, const struct values *values)
{
    struct buffer out = {0};

    buffer_printf(&out, "%s: ", title);
    values_add(values, ", ", &out);
    buffer_add_char(&out, '\0');
    printf("%*s", INDENT, "");
    put_wrapped(out.failed ? "" : out.data, INDENT);
    note_output(&out);
    buffer_release(&out);
}

static void show_option(const struct option_spec *spec)
{
    char words[64];
    int len;

    if (spec->letter)
        len = snprintf(words, sizeof words, "  -%c, --%s%s%s", spec->letter, spec->name,
                       spec->argument ? " " : "", spec->argument ? spec->argument : "");
    else
        len = snprintf(words, sizeof words, "      --%s%s%s", spec->name, spec->argument ? " " : "",
                       spec->argument ? spec->argument : "");
    if (len > INDENT - 2)
        printf("%s\n%*s", words, INDENT, "");
    else
        printf("%-*s", INDENT, words);
    put_wrapped(spec->help, INDENT);
    if (spec->values && spec->values->name)
        put_values(spec->values->is_list ? "any of" : "one of", spec->values);
}

void command_show_help(const struct command *command)
{
    static const struct option_spec help = {'h', "help", NULL, "show this help", NULL};

    if (command == &command_help) {
        show_all();
        return;
    }
    printf("usage: kith %s %s\n\n%s\n\n", command->name, command->arguments, command->summary);
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        show_option(spec);
    show_option(&help);
    if (command->explained) {
        putchar('\n');
        put_values(command->explained->many, command->explained);
    }
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
    if (operand + 1 < argc)
        return options_wrong(command, "only one command at a time");
    about = command_find(argv[operand]);
    if (!about)
        return EXIT_USAGE;
    command_show_help(about);
    return EXIT_DONE;
}

const struct command command_help = {"help",     "[COMMAND]", "list the commands, or one command's options",
                                     no_options, run,         &command_names,
                                     NULL};
