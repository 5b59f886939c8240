/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "command.h"
#include "config.h"
#include "terminal.h"

const struct command *const commands[] = {
    &command_scan,   &command_report, &command_ls,   &command_sign,       &command_compare, &command_add,
    &command_import, &command_export, &command_sets, &command_completion, &command_help,    NULL};

const struct command *command_find(const char *name)
{
    for (const struct command *const *at = commands; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

/* A standard descriptor that is closed would be given to the next file that is opened.  What takes its place
 * fails. */
static void occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_USAGE);
}

/* Where stdio has no memory for a buffer of its own, what is written is lost without a word. */
static void give_output_a_buffer(void)
{
    static char buffer[1 << 16];

    setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
}

int main(int argc, char **argv)
{
    const struct command *command;
    const char *name = argc > 1 ? argv[1] : "";
    struct error err;
    int status;

    occupy_standard_descriptors();
    give_output_a_buffer();
    signal(SIGXFSZ, SIG_IGN); /* writing fails then, and that is told */
    if (argc < 2) {
        command_show_help(&command_help);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("kith %s\n", PACKAGE_VERSION);
        return finish_output() ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    command = command_find(name);
    if (!command) {
        complain("there is no command '%s' (see: kith help)", name);
        return EXIT_USAGE;
    }
    if (cpu_check(&err)) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    status = command->run(command, argc - 1, argv + 1);
    return finish_output() ? EXIT_USAGE : status;
}
