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
    &command_scan, &command_report,  &command_case,    &command_explain,    &command_extract, &command_audit,
    &command_ls,   &command_sign,    &command_compare, &command_add,        &command_import,  &command_export,
    &command_sets, &command_cluster, &command_lab,     &command_completion, &command_help,    NULL};

static const char *command_name(const void *table, size_t index)
{
    (void)table;
    return commands[index] ? commands[index]->name : NULL;
}

const struct values command_names = {"command", "commands", false, command_name, NULL};

const struct command *command_find(const char *name)
{
    const int found = values_find(&command_names, name, strlen(name));
    const char *nearest = values_nearest(&command_names, name, strlen(name));

    if (found >= 0)
        return commands[found];
    if (values_slips(name, strlen(name), "--version") >= 0)
        nearest = "--version";
    if (nearest)
        complain("unknown command '%s', did you mean %s? (see: kith help)", name, nearest);
    else
        complain("unknown command '%s' (see: kith help)", name);
    return NULL;
}

/* If a standard descriptor is closed, the next file opened would get its number.  This takes its place with
 * one that fails. */
static void occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_USAGE);
}

/* If stdio cannot allocate a buffer, output is lost without an error. */
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
    signal(SIGXFSZ, SIG_IGN); /* so that write fails instead, and the error is reported */
    if (argc < 2) {
        command_show_help(&command_help);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        if (argc > 2) {
            complain("%s takes no arguments", name);
            return EXIT_USAGE;
        }
        printf("kith %s\n", PACKAGE_VERSION);
        return finish_output() ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    command = command_find(name);
    if (!command)
        return EXIT_USAGE;
    if (cpu_check(&err)) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    status = command->run(command, argc - 1, argv + 1);
    return finish_output() ? EXIT_USAGE : status;
}
