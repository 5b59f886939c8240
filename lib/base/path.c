/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

const char *path_last(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

char *path_beside(const char *path, const char *name)
{
    const size_t folder = (size_t)(path_last(path) - path), len = strlen(name) + 1;
    char *made = malloc(folder + len);

    if (made) {
        memcpy(made, path, folder);
        memcpy(made + folder, name, len);
    }
    return made;
}
