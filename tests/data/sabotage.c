/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into kith lab selftest, it changes a byte of the first object that is scanned (SABOTAGE_FILE, a
 * pattern), so that what was planted and what is reported differ: SABOTAGE=before changes it before the scan,
 * SABOTAGE=after between the scan and the judging.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                           char *const[], char *const[]);
typedef pid_t wait_function(pid_t, int *, int);

static pid_t scan;
static int done;

static void change(const char *when)
{
    const char *wanted = getenv("SABOTAGE"), *pattern = getenv("SABOTAGE_FILE");
    glob_t found;
    char byte;
    int fd;

    if (done || !wanted || !pattern || strcmp(wanted, when) != 0 || glob(pattern, 0, NULL, &found))
        return;
    fd = open(found.gl_pathv[0], O_RDWR);
    if (fd >= 0 && pread(fd, &byte, 1, 1000) == 1) {
        byte = (char)~byte;
        done = pwrite(fd, &byte, 1, 1000) == 1;
    }
    if (fd >= 0)
        close(fd);
    globfree(&found);
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    spawn_function *real = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    const int is_scan = argv[1] && strcmp(argv[1], "scan") == 0;
    int result;

    if (is_scan)
        change("before");
    result = real(child, path, actions, attributes, argv, environment);
    if (is_scan && result == 0)
        scan = *child;
    return result;
}

pid_t waitpid(pid_t child, int *status, int options)
{
    wait_function *real = (wait_function *)dlsym(RTLD_NEXT, "waitpid");
    const pid_t ended = real(child, status, options);

    if (ended > 0 && ended == scan)
        change("after");
    return ended;
}
