/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/ewf_names.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "base/walk.h"

enum {
    NUMBERED = 99,
    /* Many unrelated files have extensions of three letters (x.LOG, x.TXT), so letters count as a number only
     * if the preceding numbers exist, or nearly all of them. */
    NEARBY = 26,
};

/* The properties of a naming scheme: which characters are fixed, and how the last one counts. */
struct scheme {
    char first;    /* in upper case: E, S, L */
    bool small;    /* written in lower case */
    bool version2; /* followed by an x, which counts up to z */
};

/* The extension of a path, if it is formed like a segment's. */
static const char *extension(const char *path, struct scheme *scheme)
{
    const char *dot = strrchr(path, '.');
    const size_t len = dot ? strlen(dot + 1) : 0;

    if (!dot || dot == path || dot[-1] == '/' || strchr(dot, '/') || (len != 3 && len != 4))
        return NULL;
    for (size_t i = 1; i <= len; i++)
        if (!isalnum((unsigned char)dot[i]))
            return NULL;
    scheme->small = islower((unsigned char)dot[1]) != 0;
    scheme->first = (char)toupper((unsigned char)dot[1]);
    scheme->version2 = len == 4;
    return dot + 1;
}

static unsigned letter(char c, char from)
{
    return (unsigned)(toupper((unsigned char)c) - from);
}

/* first: the letter with which the name of the set's first segment begins. */
static unsigned number_of(const char *text, const struct scheme *scheme, char first)
{
    const char c0 = (char)toupper((unsigned char)text[0]);
    const char *pair = text + (scheme->version2 ? 2 : 1);
    const unsigned turn = scheme->version2 ? letter(text[1], 'X') : letter(c0, first);

    if ((scheme->version2 ? c0 != first || turn > 2 : c0 < first) || strlen(pair) != 2)
        return 0;
    if (isdigit((unsigned char)pair[0]) && isdigit((unsigned char)pair[1]))
        return turn ? 0 : (unsigned)(pair[0] - '0') * 10 + (unsigned)(pair[1] - '0');
    if (!isalpha((unsigned char)pair[0]) || !isalpha((unsigned char)pair[1]))
        return 0;
    return NUMBERED + 1 + turn * 676 + letter(pair[0], 'A') * 26 + letter(pair[1], 'A');
}

/* A name that ends in letters may be any file's; it is assumed to belong to an E set. */
static char first_letter(const char *text, const struct scheme *scheme)
{
    const char *pair = text + (scheme->version2 ? 2 : 1);

    if (isdigit((unsigned char)pair[0]) || scheme->version2)
        return scheme->first;
    return 'E';
}

static bool is_known_letter(char c)
{
    return c == 'E' || c == 'S' || c == 'L';
}

unsigned ewf_names_number(const char *path)
{
    struct scheme scheme;
    const char *text = extension(path, &scheme);
    const char first = text ? first_letter(text, &scheme) : 0;

    return text && is_known_letter(first) ? number_of(text, &scheme, first) : 0;
}

void ewf_names_extension(const char *path, unsigned number, char text[EWF_NAMES_ROOM])
{
    struct scheme scheme = {.first = 'E'};
    const char *old = extension(path, &scheme);
    const char first = old ? first_letter(old, &scheme) : 'E', middle[2] = {scheme.version2 ? 'x' : 0, 0};
    const unsigned more = number > NUMBERED ? number - NUMBERED - 1 : 0, turn = more / 676 % 22;

    if (number <= NUMBERED)
        snprintf(text, EWF_NAMES_ROOM, "%c%s%02u", first, middle, number);
    else if (scheme.version2)
        snprintf(text, EWF_NAMES_ROOM, "%c%c%c%c", first, 'x' + (char)(turn % 3),
                 'A' + (char)(more / 26 % 26), 'A' + (char)(more % 26));
    else
        snprintf(text, EWF_NAMES_ROOM, "%c%c%c", first + (char)turn, 'A' + (char)(more / 26 % 26),
                 'A' + (char)(more % 26));
    for (char *at = text; old && scheme.small && *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

/* ---- the files of a set ---- */

struct ewf_segment {
    unsigned number;
    char name[8];
};

struct found {
    struct ewf_segment *list;
    size_t count, room;
};

static int add_found(struct found *found, unsigned number, const char *name)
{
    if (array_reserve(&found->list, &found->room, found->count + 1))
        return -1;
    found->list[found->count].number = number;
    snprintf(found->list[found->count++].name, sizeof found->list->name, "%s", name);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct ewf_segment *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

/* Lists all names in the folder with the path's stem and scheme. */
static int list_folder(const char *path, const char *text, const struct scheme *scheme, struct found *found)
{
    const char *name = path_last(path), first = first_letter(text, scheme);
    const size_t stem = (size_t)(text - name);
    char *folder = path_folder(path);
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    int failed = !folder;

    while (dir && !failed && (entry = readdir(dir))) {
        struct scheme other;
        const char *its = extension(entry->d_name, &other);
        unsigned number;

        if (!its || (size_t)(its - entry->d_name) != stem || strncmp(entry->d_name, name, stem) != 0 ||
            other.small != scheme->small || other.version2 != scheme->version2)
            continue;
        number = number_of(its, scheme, first);
        if (number)
            failed = add_found(found, number, its);
    }
    if (dir)
        closedir(dir);
    free(folder);
    return failed ? -1 : 0;
}

/* Returns how many of the names found, which are sorted, belong to the set. */
static size_t count_set(const struct found *found)
{
    size_t count = 0;
    unsigned last = 0;

    for (; count < found->count; count++) {
        const unsigned number = found->list[count].number;

        if (number > NUMBERED && (last + NEARBY <= NUMBERED || number > last + NEARBY))
            break;
        last = number;
    }
    return count;
}

static bool is_among(const struct found *found, unsigned number)
{
    const size_t count = count_set(found);

    return count > 0 && number <= found->list[count - 1].number;
}

static char *path_with(const char *path, const char *text, const char *other)
{
    const size_t stem = (size_t)(text - path);
    char *made = malloc(stem + strlen(other) + 1);

    if (made) {
        memcpy(made, path, stem);
        memcpy(made + stem, other, strlen(other) + 1);
    }
    return made;
}

static int give_files(const char *path, const char *text, const struct found *found, char ***files,
                      size_t *count)
{
    *count = count_set(found);
    *files = calloc(*count + 1, sizeof **files);
    for (size_t i = 0; *files && i < *count; i++) {
        (*files)[i] = path_with(path, text, found->list[i].name);
        if ((*files)[i])
            continue;
        while (i > 0)
            free((*files)[--i]);
        free(*files);
        *files = NULL;
    }
    return *files ? 1 : -1;
}

/* The set of a later segment must have its first one. */
static bool has_first(const struct found *found, unsigned number)
{
    return number > 1 && found->count && found->list[0].number == 1 && is_among(found, number);
}

static int find_all(const char *path, const char *text, const struct scheme *scheme, struct found *found)
{
    if (list_folder(path, text, scheme, found))
        return -1;
    if (found->count)
        qsort(found->list, found->count, sizeof *found->list, by_number);
    return 0;
}

bool ewf_names_is_later(const char *path)
{
    struct scheme scheme;
    const char *text = extension(path, &scheme);
    const unsigned number = ewf_names_number(path);
    struct found found = {0};
    const bool later = number > 1 && find_all(path, text, &scheme, &found) == 0 && has_first(&found, number);

    free(found.list);
    return later;
}

int ewf_names_find(const char *path, char ***files, size_t *count, struct error *err)
{
    struct scheme scheme;
    const char *text = extension(path, &scheme);
    const unsigned number = ewf_names_number(path);
    struct found found = {0};
    int result = 0;

    if (!text || !number)
        return 0;
    if (find_all(path, text, &scheme, &found))
        result = error_set(err, "%s: out of memory", path);
    if (result == 0 && has_first(&found, number))
        result = error_set(err, "%s: this is a later segment of a split image; specify the first one, %.*s%s",
                           path, (int)(text - path), path, found.list[0].name);
    /* Three letters alone may be any file's extension. */
    if (result == 0 && number <= NUMBERED && count_set(&found) > 0 &&
        (result = give_files(path, text, &found, files, count)) < 0)
        error_set(err, "%s: out of memory", path);
    free(found.list);
    return result;
}
