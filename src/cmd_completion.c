/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"

static const struct option_spec no_options[] = {{0, NULL, NULL, NULL, NULL}};

static void put_names(const char *separator)
{
    for (const struct command *const *at = commands; *at; at++)
        printf("%s%s", at == commands ? "" : separator, (*at)->name);
}

static void put_values(const struct values *values)
{
    const char *name;

    for (size_t i = 0; values && values->name && (name = values->name(values->table, i)); i++)
        printf("%s%s", i ? " " : "", name);
}

/* ---- bash ---- */

static void put_bash_case(const struct command *command)
{
    printf("    %s)\n        case \"$before\" in\n", command->name);
    for (const struct option_spec *spec = command->options; spec->name; spec++) {
        if (!spec->argument)
            continue;
        printf("            --%s", spec->name);
        if (spec->letter)
            printf(" | -%c", spec->letter);
        printf(") words='");
        put_values(spec->values);
        puts("'; values=1 ;;");
    }
    printf("            *) words='--help");
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        printf(" --%s", spec->name);
    puts("' ;;\n        esac\n        ;;");
}

static void put_bash(void)
{
    puts(
        "# bash completion for kith; made by: kith completion bash\n"
        "_kith()\n"
        "{\n"
        "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" words= values=\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        mapfile -t COMPREPLY < <(compgen -W '");
    put_names(" ");
    puts(" --help --version' -- \"$word\")\n"
         "        return\n"
         "    fi\n"
         "    case \"${COMP_WORDS[1]}\" in");
    for (const struct command *const *at = commands; *at; at++)
        put_bash_case(*at);
    puts("    esac\n"
         "    if [ -n \"$values\" ] || [ \"${word:0:1}\" = - ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "    elif [ \"${COMP_WORDS[1]}\" = help ]; then");
    printf("        mapfile -t COMPREPLY < <(compgen -W '");
    put_names(" ");
    puts("' -- \"$word\")\n"
         "    elif [ \"${COMP_WORDS[1]}\" = completion ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W 'bash zsh' -- \"$word\")\n"
         "    else\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n"
         "}\n"
         "complete -F _kith kith");
}

/* ---- zsh ---- */

static void put_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr(":[]\\", *text))
            putchar('\\');
        if (*text == '\'')
            fputs("'\\'", stdout);
        putchar(*text);
    }
}

static void put_zsh_option(const struct option_spec *spec)
{
    printf("            ");
    if (spec->letter)
        printf("'(-%c --%s)'{-%c,--%s}'", spec->letter, spec->name, spec->letter, spec->name);
    else
        printf("'--%s", spec->name);
    putchar('[');
    put_zsh_text(spec->help);
    putchar(']');
    if (spec->argument) {
        printf(":%s:(", spec->argument);
        put_values(spec->values);
        putchar(')');
    }
    puts("' \\");
}

static void put_zsh(void)
{
    puts("#compdef kith\n"
         "# zsh completion for kith; made by: kith completion zsh\n"
         "_kith()\n"
         "{\n"
         "    local -a names=(");
    for (const struct command *const *at = commands; *at; at++) {
        printf("        '%s:", (*at)->name);
        put_zsh_text((*at)->summary);
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command names\n"
         "        return\n"
         "    fi\n"
         "    local name=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $name in");
    for (const struct command *const *at = commands; *at; at++) {
        printf("    %s)\n        _arguments -s \\\n", (*at)->name);
        for (const struct option_spec *spec = (*at)->options; spec->name; spec++)
            put_zsh_option(spec);
        puts("            '(-h --help)'{-h,--help}'[show help]' \\\n"
             "            '*:file:_files'\n"
             "        ;;");
    }
    puts("    esac\n"
         "}\n"
         "_kith \"$@\"");
}

static int run(const struct command *command, int argc, char **argv)
{
    int operand = 0;
    const int status = options_read(command, argc, argv, NULL, NULL, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (argc - operand == 1 && strcmp(argv[operand], "bash") == 0)
        put_bash();
    else if (argc - operand == 1 && strcmp(argv[operand], "zsh") == 0)
        put_zsh();
    else
        return options_wrong(command, "the shell is bash or zsh");
    return EXIT_DONE;
}

const struct command command_completion = {
    "completion", "bash|zsh", "write the completion for a shell", no_options, run, &values_shells, NULL};
