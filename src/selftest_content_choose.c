/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/walk.h"
#include "selftest_content_inner.h"

/* Chooses files below the user's folder.  They are only read. */

enum {
    MOST_CANDIDATES = 1 << 20,
    STRANGERS = 100, /* of each class */
    UNIFORM = 20,    /* files of which no samples are taken */
};
#define MOST_READ (UINT64_C(256) << 20) /* bytes, of files that are not chosen, too */

struct candidate {
    char *path;
};

struct chooser {
    struct selftest_content *content;
    struct candidate *candidates;
    size_t count, room;
    size_t wanted[SELFTEST_CLASSES][SELFTEST_SIZES];
    size_t strangers[SELFTEST_CLASSES], uniform; /* wanted */
    uint64_t read;
};

static int add_candidate(struct chooser *chooser, const char *path, struct error *err)
{
    char *copy = strdup(path);

    if (!copy || array_reserve(&chooser->candidates, &chooser->room, chooser->count + 1)) {
        free(copy);
        return error_set(err, "out of memory");
    }
    chooser->candidates[chooser->count++].path = copy;
    return 0;
}

static int list_candidates(struct chooser *chooser, const char *folder, struct error *err)
{
    struct walk *walk = walk_new(folder, err);
    struct walk_item item;
    enum walk_result found;
    int result = walk ? 0 : -1;

    while (result == 0 && chooser->count < MOST_CANDIDATES &&
           (found = walk_next(walk, &item, err)) != WALK_END) {
        if (found == WALK_FILE)
            result = add_candidate(chooser, item.path, err);
        else if (found == WALK_ERROR && strcmp(item.path, folder) == 0)
            result = -1;
        else if (found == WALK_ERROR)
            chooser->content->unreadable++;
    }
    walk_free(walk);
    return result;
}

static void shuffle(struct chooser *chooser, uint64_t seed)
{
    struct lab_random random;

    lab_random_seed(&random, seed);
    for (size_t i = chooser->count; i > 1; i--) {
        const size_t k = lab_random_below(&random, i);
        const struct candidate other = chooser->candidates[i - 1];

        chooser->candidates[i - 1] = chooser->candidates[k];
        chooser->candidates[k] = other;
    }
}

/* ---- classes ---- */

static double entropy(const uint64_t counts[256], size_t len)
{
    double bits = 0;

    for (unsigned i = 0; i < 256; i++)
        if (counts[i])
            bits -= (double)counts[i] / (double)len * log2((double)counts[i] / (double)len);
    return bits;
}

static bool has_source_name(const char *path)
{
    static const char *const endings[] = {".c",    ".h",  ".cc",  ".cpp", ".hpp", ".py", ".js",  ".ts",
                                          ".java", ".go", ".rs",  ".rb",  ".pl",  ".pm", ".sh",  ".php",
                                          ".cs",   ".m4", ".css", ".lua", ".el",  ".S",  ".tcl", ".swift"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* Text has no zeros and nearly no control characters; packed content has nearly eight bits of entropy. */
static enum selftest_class classify(const char *path, const uint8_t *data, size_t len)
{
    uint64_t counts[256] = {0}, control = 0;

    for (size_t i = 0; i < len; i++)
        counts[data[i]]++;
    for (unsigned i = 0; i < 32; i++)
        control += i == '\t' || i == '\n' || i == '\r' || i == '\f' ? 0 : counts[i];
    if (counts[0] == 0 && control <= len / 100)
        return has_source_name(path) ? SELFTEST_SOURCE : SELFTEST_TEXT;
    return entropy(counts, len) > 7.6 ? SELFTEST_PACKED : SELFTEST_PROGRAM;
}

/* ---- reading ---- */

/* The content, to be freed; NULL if the file is not of a wanted length or cannot be read. */
static uint8_t *read_file(struct chooser *chooser, const char *path, size_t *len)
{
    const int fd = walk_open(path, O_NOFOLLOW);
    struct stat st;
    uint8_t *data = NULL;
    size_t at = 0;

    if (fd < 0 || fstat(fd, &st)) {
        chooser->content->unreadable++;
    } else if (S_ISREG(st.st_mode) && selftest_content_size((uint64_t)st.st_size) < SELFTEST_SIZES) {
        *len = (size_t)st.st_size;
        data = malloc(*len);
        while (data && at < *len) {
            const ssize_t got = read(fd, data + at, *len - at);

            if (got <= 0 && !(got < 0 && errno == EINTR))
                break;
            at += got > 0 ? (size_t)got : 0;
        }
        chooser->read += at;
        if (at < *len) {
            chooser->content->unreadable++;
            free(data);
            data = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return data;
}

/* Content that is there twice would be reported under either name. */
static bool is_known(const struct selftest_content *content, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < content->count; i++)
        if (content->files[i].len == len && memcmp(content->files[i].data, data, len) == 0)
            return true;
    return false;
}

static int consider(struct chooser *chooser, const char *path, struct error *err)
{
    size_t len = 0, *wanted;
    uint8_t *data = read_file(chooser, path, &len);
    enum selftest_class class;
    int uniform;

    if (!data)
        return 0;
    class = classify(path, data, len);
    uniform = selftest_content_is_uniform(chooser->content, data, len, err);
    if (uniform < 0 || is_known(chooser->content, data, len)) {
        free(data);
        return uniform < 0 ? -1 : 0;
    }
    wanted = uniform ? &chooser->uniform : &chooser->wanted[class][selftest_content_size(len)];
    if (*wanted > 0) {
        --*wanted;
        return selftest_content_add(chooser->content, data, len, class, path, err);
    }
    /* that nothing is found in a uniform one says nothing */
    if (!uniform && chooser->strangers[class] > 0 && selftest_content_size(len) != SELFTEST_LARGE) {
        chooser->strangers[class]--;
        return selftest_content_add_stranger(chooser->content, data, len, class, path, err);
    }
    free(data);
    return 0;
}

int selftest_content_choose(struct selftest_content *content, const char *folder, uint64_t seed, bool quick,
                            struct error *err)
{
    struct chooser chooser = {.content = content};
    int result = list_candidates(&chooser, folder, err);

    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++) {
        for (enum selftest_size size = 0; size < SELFTEST_SIZES; size++)
            chooser.wanted[class][size] = selftest_content_wanted(size, quick);
        chooser.strangers[class] = quick ? STRANGERS / 10 : STRANGERS;
    }
    chooser.uniform = quick ? UNIFORM / 5 : UNIFORM;
    shuffle(&chooser, seed);
    for (size_t i = 0; result == 0 && i < chooser.count && chooser.read < MOST_READ; i++)
        result = consider(&chooser, chooser.candidates[i].path, err);
    content->candidates = chooser.count;
    for (size_t i = 0; i < chooser.count; i++)
        free(chooser.candidates[i].path);
    free(chooser.candidates);
    if (result == 0 && content->count == 0)
        result = error_set(err, "%s: no file of 4 KiB to 8 MiB that can be read", folder);
    selftest_content_sort(content);
    return result;
}
