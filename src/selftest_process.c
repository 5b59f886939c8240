/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes the images the same for a seed: fixed times, no settings of the user. */
static const char *const fixed[] = {"LC_ALL=C",
                                    "TZ=UTC",
                                    "SOURCE_DATE_EPOCH=1704164645",
                                    "E2FSPROGS_FAKE_TIME=1704164645",
                                    "MTOOLS_SKIP_CHECK=1",
                                    "MTOOLSRC=/dev/null"};
enum { FIXED = sizeof fixed / sizeof *fixed };

static bool is_fixed(const char *variable)
{
    const char *end = strchr(variable, '=');

    for (size_t i = 0; end && i < FIXED; i++)
        if (strncmp(variable, fixed[i], (size_t)(end - variable) + 1) == 0)
            return true;
    return end && strncmp(variable, "KITH_", 5) == 0;
}

/* The environment with the fixed variables; strings are borrowed. */
static char **make_environment(void)
{
    size_t count = 0, kept = 0;
    char **out;

    while (environ[count])
        count++;
    out = calloc(count + FIXED + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        if (!is_fixed(environ[i]))
            out[kept++] = environ[i];
    for (size_t i = 0; out && i < FIXED; i++)
        out[kept++] = (char *)(uintptr_t)fixed[i]; // NOLINT(performance-no-int-to-ptr): it is not written to
    return out;
}

static int describe(const struct selftest_process *process, posix_spawn_file_actions_t *actions)
{
    int failed = posix_spawn_file_actions_init(actions);

    if (failed)
        return failed;
    failed = posix_spawn_file_actions_addfchdir_np(actions, process->folder);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO,
                                                  process->in ? process->in : "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, process->out,
                                                  O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, process->errors,
                                                  O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (failed)
        posix_spawn_file_actions_destroy(actions);
    return failed;
}

static int wait_for(pid_t child, const char *program, struct error *err)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return error_errno(err, "%s", program);
    if (WIFSIGNALED(status))
        return error_set(err, "%s: killed by signal %d", program, WTERMSIG(status));
    return WEXITSTATUS(status);
}

int selftest_process_run(const struct selftest_process *process, const char *program, const char *const *argv,
                         struct error *err)
{
    char *const *arguments = (char *const *)(uintptr_t)argv; // NOLINT(performance-no-int-to-ptr): as above
    char **environment = make_environment();
    posix_spawn_file_actions_t actions;
    pid_t child;
    int failed;

    if (!environment)
        return error_set(err, "out of memory");
    failed = describe(process, &actions);
    if (!failed) {
        failed = posix_spawn(&child, program, &actions, NULL, arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(environment);
    if (failed) {
        errno = failed;
        return error_errno(err, "%s", program);
    }
    return wait_for(child, program, err);
}

static char *found_in(const char *folder, size_t len, const char *tool)
{
    struct stat st;
    char *path;

    if (len == 0 || folder[0] != '/' || asprintf(&path, "%.*s/%s", (int)len, folder, tool) < 0)
        return NULL;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *selftest_process_find(const char *tool)
{
    static const char *const system_folders[] = {"/usr/sbin", "/sbin", "/usr/bin", "/bin"};
    const char *folders = getenv("PATH");
    char *path = NULL;

    while (folders && *folders && !path) {
        const size_t len = strcspn(folders, ":");

        path = found_in(folders, len, tool);
        folders += len + (folders[len] == ':');
    }
    for (size_t i = 0; !path && i < sizeof system_folders / sizeof *system_folders; i++)
        path = found_in(system_folders[i], strlen(system_folders[i]), tool);
    return path;
}
