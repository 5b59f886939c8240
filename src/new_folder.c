/* SPDX-License-Identifier: Apache-2.0 */
#include "new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "terminal.h"

int new_folder_make(const char *path)
{
    const struct dirent *entry;
    DIR *folder;
    bool is_empty = true;

    if (mkdir(path, 0777) == 0)
        return 0;
    folder = errno == EEXIST ? opendir(path) : NULL;
    if (!folder) {
        complain("%s: %m", path);
        return -1;
    }
    while ((entry = readdir(folder)))
        is_empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    if (!is_empty)
        complain("%s: the folder is not empty", path);
    return is_empty ? 0 : -1;
}
