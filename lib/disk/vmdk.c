/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/vmdk.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "disk/format.h"

enum { MOST_EXTENTS = 4096 };

static const struct {
    const char *name;
    enum vmdk_kind kind;
} kinds[] = {{"FLAT", VMDK_FLAT},
             {"VMFS", VMDK_FLAT},
             {"SPARSE", VMDK_SPARSE},
             {"ZERO", VMDK_ZERO},
             {"VMFSSPARSE", VMDK_SPARSE}};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Copies the word at text, as far as it fits; returns what follows. */
static const char *take_word(const char *text, char *word, size_t room)
{
    const size_t len = strcspn(text, " \t\r\n");

    memcpy(word, text, len < room ? len : room - 1);
    word[len < room ? len : room - 1] = '\0';
    return skip_blanks(text + len);
}

static bool is_extent(const char *line)
{
    static const char *const access[] = {"RW", "RDONLY", "NOACCESS"};
    char word[16];

    take_word(line, word, sizeof word);
    for (size_t i = 0; i < sizeof access / sizeof *access; i++)
        if (strcasecmp(word, access[i]) == 0)
            return true;
    return false;
}

static int find_kind(const char *word, enum vmdk_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(word, kinds[i].name) == 0) {
            *kind = kinds[i].kind;
            return 0;
        }
    return -1;
}

/* Parses a quoted name of a file in the same folder. */
static int take_name(const char **text, char **name, const char *path, struct error *err)
{
    const size_t len = **text == '"' ? strcspn(*text + 1, "\"\r\n") : 0;

    if (len == 0 || (*text)[len + 1] != '"')
        return error_set(err, "%s: malformed descriptor: an extent has no name", path);
    *name = strndup(*text + 1, len);
    if (!*name)
        return error_set(err, "%s: out of memory", path);
    if (strpbrk(*name, "/\\") || strcmp(*name, "..") == 0 || strcmp(*name, ".") == 0)
        return error_set(err, "%s: extent %s is in another folder; put it next to the descriptor", path,
                         *name);
    *text = skip_blanks(*text + len + 2);
    return 0;
}

/* ACCESS SECTORS TYPE ["NAME" [FROM]] */
static int parse_extent(struct vmdk_extent *extent, const char *line, const char *path, struct error *err)
{
    char word[32];
    char *end;

    line = take_word(line, word, sizeof word);
    if (strcasecmp(word, "NOACCESS") == 0)
        return error_set(err, "%s: its descriptor marks an extent as inaccessible", path);
    line = take_word(line, word, sizeof word);
    extent->sectors = strtoull(word, &end, 10);
    if (*end || end == word || !isdigit((unsigned char)word[0]) || extent->sectors == 0 ||
        extent->sectors > INT64_MAX / 512)
        return error_set(err, "%s: malformed descriptor: '%s' sectors", path, word);
    line = take_word(line, word, sizeof word);
    if (find_kind(word, &extent->kind))
        return error_set(err,
                         "%s: unsupported VMDK extent of type %s; convert it: qemu-img "
                         "convert -O raw IMAGE OUT",
                         path, word);
    if (extent->kind == VMDK_ZERO)
        return 0;
    if (take_name(&line, &extent->name, path, err))
        return -1;
    take_word(line, word, sizeof word);
    extent->from = strtoull(word, &end, 10);
    return *end || extent->from > INT64_MAX / 512
               ? error_set(err, "%s: malformed descriptor: '%s'", path, word)
               : 0;
}

static int add_extent(struct vmdk_descriptor *descriptor, const char *line, const char *path,
                      struct error *err)
{
    struct vmdk_extent *extents;

    if (descriptor->count % 16 == 0) {
        extents = realloc(descriptor->extents, (descriptor->count + 16) * sizeof *extents);
        if (!extents)
            return error_set(err, "%s: out of memory", path);
        descriptor->extents = extents;
    }
    if (descriptor->count == MOST_EXTENTS)
        return error_set(err, "%s: its descriptor lists more than %d extents", path, MOST_EXTENTS);
    descriptor->extents[descriptor->count] = (struct vmdk_extent){.kind = VMDK_ZERO};
    return parse_extent(&descriptor->extents[descriptor->count++], line, path, err);
}

int vmdk_parse(struct vmdk_descriptor *descriptor, const char *text, const char *path, struct error *err)
{
    *descriptor = (struct vmdk_descriptor){.count = 0};
    for (const char *line = skip_blanks(text); *line; line = skip_blanks(line + strspn(line, "\r\n"))) {
        if (format_names_parent(line, strcspn(line, "\r\n")))
            return error_set(err,
                             "%s: differencing VMDK images are not supported; convert it "
                             "with its parents next to it: qemu-img convert -O raw IMAGE OUT",
                             path);
        if (is_extent(line) && add_extent(descriptor, line, path, err))
            return -1;
        line += strcspn(line, "\r\n");
    }
    return descriptor->count ? 0 : error_set(err, "%s: its descriptor lists no extents", path);
}

void vmdk_release(struct vmdk_descriptor *descriptor)
{
    for (size_t i = 0; i < descriptor->count; i++)
        free(descriptor->extents[i].name);
    free(descriptor->extents);
    *descriptor = (struct vmdk_descriptor){.count = 0};
}
