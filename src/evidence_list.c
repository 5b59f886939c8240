/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/path.h"
#include "case/casefile.h"
#include "evidence/inside.h"
#include "terminal.h"

struct search {
    struct evidence_list *list;
    const char *folder;
    bool failed;
};

static int add_path(struct evidence_list *list, char *path)
{
    if (!path || array_resize(&list->paths, list->count + 1))
        return -1;
    list->paths[list->count++] = path;
    return 0;
}

static char *join(const char *folder, const char *path)
{
    const size_t len = strlen(folder);
    char *joined = NULL;

    if (asprintf(&joined, "%s%s%s", folder, len && folder[len - 1] == '/' ? "" : "/", path) < 0)
        return NULL;
    return joined;
}

/* An image that was also given by its own path is not read twice. */
static bool is_there(const struct evidence_list *list, const char *path)
{
    struct stat wanted, other;

    if (stat(path, &wanted))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (stat(list->paths[i], &other) == 0 && other.st_dev == wanted.st_dev &&
            other.st_ino == wanted.st_ino)
            return true;
    return false;
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct search *search = arg;
    char *path;

    (void)volume;
    if (!(object->flags & OBJECT_DISK_IMAGE) || count == 0 || search->failed)
        return;
    path = join(search->folder, paths);
    if (path && is_there(search->list, path)) {
        free(path);
    } else if (add_path(search->list, path)) {
        free(path);
        search->failed = true;
    }
}

static int search_folder(struct evidence_list *list, const struct evidence_options *options,
                         const char *folder)
{
    struct search search = {.list = list, .folder = folder};
    /* problems are reported when the folder itself is read */
    const struct evidence_sink sink = {.object = take_object, .arg = &search};
    struct evidence_options looking = *options;
    struct error err;

    looking.kinds = OBJECT_BIT(OBJECT_FILE);
    looking.inspector = NULL;
    looking.image_digests = 0;
    looking.first_item = 0;
    looking.wanted = NULL;
    looking.bytes = NULL;
    if (evidence_read(folder, &looking, &sink, &err) == EVIDENCE_FAILED) {
        complain_error(&err);
        return -1;
    }
    if (search.failed)
        complain("out of memory");
    return search.failed ? -1 : 0;
}

int evidence_list_make(struct evidence_list *list, const struct evidence_options *options, size_t count,
                       char **paths)
{
    struct stat st;

    *list = (struct evidence_list){.given = count};
    for (size_t i = 0; i < count; i++)
        if (add_path(list, paths[i])) {
            complain("out of memory");
            return -1;
        }
    for (size_t i = 0; i < count && options->images; i++)
        if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode) && search_folder(list, options, paths[i]))
            return -1;
    return 0;
}

/* Evidence that is read again for further sets is listed once. */
static int list_case(struct evidence_list *list, struct casefile *casefile, struct error *err)
{
    struct case_evidence evidence;
    int found;

    for (uint64_t number = 1; (found = casefile_evidence(casefile, number, &evidence, err)) > 0; number++) {
        char *path = evidence.again ? NULL : strdup(evidence.path);

        if (evidence.again)
            continue;
        if (!path || add_path(list, path)) {
            free(path);
            return error_set(err, "out of memory");
        }
    }
    return found;
}

int evidence_list_of_case(struct evidence_list *list, const char *path)
{
    struct error err;
    struct casefile *casefile = casefile_open_report(path, &err);
    int result;

    *list = (struct evidence_list){.count = 0};
    result = casefile ? list_case(list, casefile, &err) : -1;
    if (result)
        complain_error(&err);
    casefile_close(casefile, NULL);
    return result;
}

/* ---- checks ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The path with symbolic links resolved, in that of an image inside another one also; or unchanged if there
 * is no such file. */
static char *real_name(const char *path)
{
    const char *object;
    char *outer = inside_file(path, &object), *real = realpath(outer ? outer : path, NULL), *name = NULL;

    if (real && outer)
        name = join(real, object);
    else
        name = strdup(real ? real : path);
    free(outer);
    free(real);
    return name;
}

int evidence_list_check_twice(const struct evidence_list *list)
{
    char **sorted = calloc(list->count, sizeof *sorted);
    bool failed = !sorted;
    int result = 0;

    for (size_t i = 0; i < list->count && !failed; i++)
        failed = !(sorted[i] = real_name(list->paths[i]));
    if (!failed)
        qsort(sorted, list->count, sizeof *sorted, by_name);
    for (size_t i = 1; i < list->count && !failed && !result; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            complain("%s: is given twice", sorted[i]);
            result = -1;
        }
    if (failed)
        complain("out of memory");
    for (size_t i = 0; sorted && i < list->count; i++)
        free(sorted[i]);
    free(sorted);
    return failed ? -1 : result;
}

/* The folder of a path, with symbolic links resolved; NULL if it does not exist. */
static char *real_folder(const char *path)
{
    char *named = path_folder(path), *folder = named ? realpath(named, NULL) : NULL;

    free(named);
    return folder;
}

static bool is_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 &&
           (path[len] == '/' || path[len] == '\0' || folder[len - 1] == '/');
}

int evidence_list_check_output(const struct evidence_list *list, const char *output)
{
    char *folder = output ? real_folder(output) : NULL;
    int result = 0;

    for (size_t i = 0; folder && i < list->count && !result; i++) {
        char *evidence = realpath(list->paths[i], NULL);
        struct stat st;

        if (strcmp(output, list->paths[i]) == 0) {
            complain("%s: is both the output and evidence", output);
            result = -1;
        }
        if (evidence && stat(evidence, &st) == 0 && S_ISDIR(st.st_mode) && is_below(folder, evidence)) {
            complain("%s: lies in %s, which is evidence, and nothing is written to evidence", output,
                     list->paths[i]);
            result = -1;
        }
        free(evidence);
    }
    free(folder);
    return result;
}

uint64_t evidence_list_bytes(const struct evidence_list *list)
{
    uint64_t sum = 0;
    struct stat st;

    for (size_t i = 0; i < list->count; i++) {
        if (stat(list->paths[i], &st) || S_ISDIR(st.st_mode))
            return 0;
        sum += (uint64_t)st.st_size;
    }
    return sum;
}

void evidence_list_release(struct evidence_list *list)
{
    for (size_t i = list->given; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct evidence_list){.count = 0};
}
