/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/walk.h"

/*
 * How the segments of a set are named: a stem and an index, written in letters (aa, ab, ...) or as a number
 * with leading zeros up to a width.  image.999 is followed by image.1000: FTK Imager and others simply count
 * on.
 */
struct naming {
    const char *path; /* as given */
    const char *name; /* last component of the path */
    size_t stem_len;  /* within the name; the index follows */
    unsigned width;   /* 0: not named like a segment */
    bool letters;
    char *folder;
    int at; /* descriptor of the folder, or -1 */
};

enum {
    MIN_WIDTH = 2,
    MAX_LETTERS = 3,
    MAX_DIGITS = 5,
    MAX_INDEXES = 100000,
    INDEX_ROOM = 16,
    NEARBY = 26, /* with letters: a lone file within this distance of the last segment belongs to the set */
};

/* ---- indexes ---- */

static size_t power(size_t base, unsigned exponent)
{
    size_t result = 1;

    while (exponent-- > 0)
        result *= base;
    return result;
}

/* Returns how many indexes have the same width as the set's first one. */
static size_t indexes_of_width(const struct naming *naming)
{
    return power(naming->letters ? 26 : 10, naming->width);
}

static size_t index_limit(const struct naming *naming)
{
    return naming->letters ? indexes_of_width(naming) : MAX_INDEXES;
}

static bool all_within(const char *text, size_t len, char first, char last)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < first || text[i] > last)
            return false;
    return true;
}

/* Returns the index for a text; SIZE_MAX if it is not one. */
static size_t index_of(const struct naming *naming, const char *text)
{
    const size_t len = strlen(text);
    size_t index = 0;

    if (naming->letters ? len != naming->width || !all_within(text, len, 'a', 'z')
                        : len < naming->width || len > MAX_DIGITS || !all_within(text, len, '0', '9'))
        return SIZE_MAX;
    if (len > naming->width && *text == '0')
        return SIZE_MAX;
    for (; *text; text++)
        index = naming->letters ? index * 26 + (size_t)(*text - 'a') : index * 10 + (size_t)(*text - '0');
    return index;
}

static void write_index(const struct naming *naming, size_t index, char text[INDEX_ROOM])
{
    if (!naming->letters) {
        snprintf(text, INDEX_ROOM, "%0*zu", (int)naming->width, index);
        return;
    }
    text[naming->width] = '\0';
    for (unsigned i = naming->width; i > 0; i--, index /= 26)
        text[i - 1] = (char)('a' + index % 26);
}

/* ---- files ---- */

/* The path up to the stem, followed by this index; NULL if out of memory. */
static char *path_with(const struct naming *naming, const char *index)
{
    const size_t stem = (size_t)(naming->name - naming->path) + naming->stem_len;
    char *path = malloc(stem + strlen(index) + 1);

    if (!path)
        return NULL;
    memcpy(path, naming->path, stem);
    memcpy(path + stem, index, strlen(index) + 1);
    return path;
}

static char *path_of(const struct naming *naming, size_t index)
{
    char text[INDEX_ROOM];

    write_index(naming, index, text);
    return path_with(naming, text);
}

/* A dangling link counts: opening it will report the error, whereas a set must not silently end before it. */
static bool is_file(const struct naming *naming, const char *name)
{
    struct stat st;

    if (fstatat(naming->at, name, &st, 0) == 0)
        return S_ISREG(st.st_mode);
    return fstatat(naming->at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static bool has_file_called(const struct naming *naming, const char *index)
{
    char name[NAME_MAX + 1];

    if (naming->stem_len + strlen(index) > NAME_MAX)
        return false;
    memcpy(name, naming->name, naming->stem_len);
    memcpy(name + naming->stem_len, index, strlen(index) + 1);
    return is_file(naming, name);
}

static bool has_segment(const struct naming *naming, size_t index)
{
    char text[INDEX_ROOM];

    write_index(naming, index, text);
    return has_file_called(naming, text);
}

static int out_of_memory(const struct naming *naming, struct error *err)
{
    return error_set(err, "%s: out of memory", naming->path);
}

/* path: the file at fault.  path or other may be NULL if memory has run out. */
static int fail_about(const struct naming *naming, const char *path, const char *what, const char *other,
                      struct error *err)
{
    if (!path || !other)
        return out_of_memory(naming, err);
    return error_set(err, "%s: %s, %s", path, what, other);
}

/* ---- analysing a name ---- */

/* GNU split appends letters directly to a prefix.  Many words end like that, so two such files are
 * required. */
static void find_letters(struct naming *naming)
{
    const size_t len = strlen(naming->name);

    naming->letters = true;
    for (naming->width = MAX_LETTERS; naming->width >= MIN_WIDTH; naming->width--) {
        if (len <= naming->width)
            continue;
        naming->stem_len = len - naming->width;
        if (all_within(naming->name + naming->stem_len, naming->width, 'a', 'z') && has_segment(naming, 0) &&
            has_segment(naming, 1))
            return;
    }
    naming->width = 0;
}

static void find_naming(struct naming *naming)
{
    const char *dot = strrchr(naming->name, '.');
    const size_t len = dot ? strlen(dot + 1) : 0;

    if (len >= MIN_WIDTH && len <= MAX_DIGITS && all_within(dot + 1, len, '0', '9'))
        naming->letters = false;
    else if (len >= MIN_WIDTH && len <= MAX_LETTERS && all_within(dot + 1, len, 'a', 'z'))
        naming->letters = true;
    else {
        find_letters(naming);
        return;
    }
    naming->stem_len = (size_t)(dot + 1 - naming->name);
    naming->width = (unsigned)len;
}

/* ---- the first segment ---- */

/*
 * Returns the index of the set's first file, if it is not the given one; SIZE_MAX if there is none.  With
 * letters, only names that follow each other closely belong together: image.gz is not part of image.aa.
 */
static size_t earlier_first(const struct naming *naming, size_t given)
{
    const size_t firsts = naming->letters ? 1 : 2;

    if (naming->letters && given >= NEARBY && !has_segment(naming, given - 1))
        return SIZE_MAX;
    for (size_t first = 0; first < firsts && first < given; first++)
        if (has_segment(naming, first))
            return first;
    return SIZE_MAX;
}

/* image.1000 follows image.999, and so may belong to a set whose width is smaller than its number of digits:
 * width is set accordingly. */
static size_t find_earlier_first(struct naming *naming, size_t given)
{
    size_t first = earlier_first(naming, given);

    if (naming->letters || naming->name[naming->stem_len] == '0')
        return first;
    while (first == SIZE_MAX && naming->width > MIN_WIDTH) {
        naming->width--;
        if (has_segment(naming, indexes_of_width(naming) - 1))
            first = earlier_first(naming, given);
    }
    return first;
}

static int refuse_later(const struct naming *naming, size_t first, struct error *err)
{
    char *path = path_of(naming, first);
    const int result = fail_about(
        naming, naming->path, "this is a later segment of a split image; specify the first one", path, err);

    free(path);
    return result;
}

/* ---- the whole set ---- */

/* Marks the indexes whose files exist. */
static int read_present(const struct naming *naming, bool *present, struct error *err)
{
    const int fd = walk_open(naming->folder, O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    int result = 0;

    if (!dir) {
        result = error_errno(err, "%s", naming->folder);
        if (fd >= 0)
            close(fd);
        return result;
    }
    for (errno = 0; (entry = readdir(dir)); errno = 0)
        if (strncmp(entry->d_name, naming->name, naming->stem_len) == 0) {
            const size_t index = index_of(naming, entry->d_name + naming->stem_len);

            if (index < index_limit(naming) && is_file(naming, entry->d_name))
                present[index] = true;
        }
    if (errno)
        result = error_errno(err, "%s", naming->folder);
    closedir(dir);
    return result;
}

/*
 * Returns a segment that exists although the one at `end` does not; SIZE_MAX if there is none.  Unrelated
 * files have letters after the dot, too, so image.log is no sign of a gap; but neighbouring names are, and
 * near ones.
 */
static size_t later_segment(const struct naming *naming, const bool *present, size_t end)
{
    const size_t width_end = indexes_of_width(naming),
                 limit = end >= width_end ? index_limit(naming) : width_end;

    for (size_t i = end + 1; i < limit; i++)
        if (present[i] && (!naming->letters || i - end < NEARBY || (i + 1 < limit && present[i + 1])))
            return i;
    return SIZE_MAX;
}

static int refuse_hole(const struct naming *naming, size_t missing, size_t later, struct error *err)
{
    char *lost = path_of(naming, missing), *there = path_of(naming, later);
    const int result =
        fail_about(naming, lost, "missing, although the split image has a later segment", there, err);

    free(lost);
    free(there);
    return result;
}

/* Unless told the width, GNU split continues with zaaa after yz, and with 9000 after 89. */
static int refuse_wider(const struct naming *naming, size_t end, struct error *err)
{
    const size_t block = power(naming->letters ? 26 : 10, naming->width - 1);
    const char zero = naming->letters ? 'a' : '0';
    char index[INDEX_ROOM] = "", *path;
    int result;

    memset(index, zero, naming->width + 2);
    index[0] = naming->letters ? 'z' : '9';
    if (end != block * (naming->letters ? 25 : 9) || !has_file_called(naming, index))
        return 0;
    path = path_with(naming, index);
    result =
        path ? error_set(err, "%s: split images whose names become longer are not supported; join the files",
                         path)
             : out_of_memory(naming, err);
    free(path);
    return result;
}

static int add_paths(struct segments *segments, const struct naming *naming, size_t first, size_t end,
                     struct error *err)
{
    segments->paths = calloc(end - first, sizeof *segments->paths);
    for (; segments->paths && segments->count < end - first; segments->count++) {
        segments->paths[segments->count] = path_of(naming, first + segments->count);
        if (!segments->paths[segments->count])
            break;
    }
    return segments->count == end - first ? 0 : out_of_memory(naming, err);
}

static int add_set(struct segments *segments, const struct naming *naming, size_t first, struct error *err)
{
    bool *present = calloc(index_limit(naming), sizeof *present);
    size_t end = first + 1, later;
    int result;

    if (!present)
        return out_of_memory(naming, err);
    result = read_present(naming, present, err);
    if (result && !has_segment(naming, end)) /* the folder may be unreadable to us, but not the file */
        result = add_paths(segments, naming, first, end, err);
    else if (!result) {
        while (end < index_limit(naming) && present[end])
            end++;
        later = later_segment(naming, present, end);
        result = later == SIZE_MAX ? refuse_wider(naming, end, err) : refuse_hole(naming, end, later, err);
        if (!result)
            result = add_paths(segments, naming, first, end, err);
    }
    free(present);
    return result;
}

static int add_alone(struct segments *segments, const struct naming *naming, struct error *err)
{
    segments->paths = calloc(1, sizeof *segments->paths);
    if (segments->paths)
        segments->paths[0] = strdup(naming->path);
    if (!segments->paths || !segments->paths[0])
        return out_of_memory(naming, err);
    segments->count = 1;
    return 0;
}

/* Analyses the name of path; width 0 if it is not a segment's. */
static int open_naming(struct naming *naming, const char *path, struct error *err)
{
    *naming = (struct naming){.path = path, .name = path_last(path), .at = -1};
    naming->folder = path_folder(path);
    if (!naming->folder)
        return out_of_memory(naming, err);
    naming->at = walk_open(naming->folder, O_PATH | O_DIRECTORY);
    if (naming->at >= 0 && is_file(naming, naming->name))
        find_naming(naming);
    return 0;
}

static void close_naming(struct naming *naming)
{
    if (naming->at >= 0)
        close(naming->at);
    free(naming->folder);
}

static size_t given_index(const struct naming *naming)
{
    return index_of(naming, naming->name + naming->stem_len);
}

static int find(struct segments *segments, struct naming *naming, struct error *err)
{
    size_t given, first;

    if (naming->width == 0)
        return add_alone(segments, naming, err);
    given = given_index(naming);
    first = find_earlier_first(naming, given);
    if (first != SIZE_MAX)
        return refuse_later(naming, first, err);
    return given > (naming->letters ? 0 : 1) ? add_alone(segments, naming, err)
                                             : add_set(segments, naming, given, err);
}

int segments_find(struct segments *segments, const char *path, struct error *err)
{
    struct naming naming;
    int result;

    *segments = (struct segments){0};
    result = open_naming(&naming, path, err) || find(segments, &naming, err) ? -1 : 0;
    if (result)
        segments_release(segments);
    close_naming(&naming);
    return result;
}

bool segments_is_later(const char *path)
{
    struct naming naming;
    struct error ignored;
    const bool later = open_naming(&naming, path, &ignored) == 0 && naming.width > 0 &&
                       find_earlier_first(&naming, given_index(&naming)) != SIZE_MAX;

    close_naming(&naming);
    return later;
}

void segments_release(struct segments *segments)
{
    for (size_t i = 0; i < segments->count; i++)
        free(segments->paths[i]);
    free(segments->paths);
    *segments = (struct segments){0};
}
