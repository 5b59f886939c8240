/* SPDX-License-Identifier: Apache-2.0 */
#include "audit_known.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/search.h"

struct file {
    uint64_t id;
    size_t first, count; /* of its names */
    bool is_empty;
};

struct name {
    size_t text; /* where it begins */
    bool is_used;
};

struct audit_known {
    struct refset *set;
    bool bare;
    struct file *files; /* sorted by id */
    size_t file_count, file_room;
    struct name *names;
    size_t name_count, name_room;
    struct buffer texts;
};

/* ---- reading the set ---- */

static int add_name(struct audit_known *known, const char *name)
{
    if (array_reserve(&known->names, &known->name_room, known->name_count + 1))
        return -1;
    known->names[known->name_count++] = (struct name){.text = known->texts.len};
    buffer_add(&known->texts, name, strlen(name) + 1);
    return known->texts.failed ? -1 : 0;
}

/* A file without names has an empty one. */
static int add_file(struct audit_known *known, uint64_t id, const struct known *file)
{
    const char *at = file->names.data, *end = at + file->names.len;
    struct file *added;

    if (array_reserve(&known->files, &known->file_room, known->file_count + 1))
        return -1;
    added = &known->files[known->file_count++];
    *added =
        (struct file){.id = id, .first = known->name_count, .is_empty = file->has_size && file->size == 0};
    for (; at < end; at += strlen(at) + 1)
        if (add_name(known, at))
            return -1;
    if (known->name_count == added->first && add_name(known, ""))
        return -1;
    added->count = known->name_count - added->first;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int read_set(struct audit_known *known, struct error *err)
{
    struct refset_reader *reader = refset_reader_new(known->set, false, err);
    int result = reader ? 1 : -1;

    while (result > 0 && (result = refset_reader_next(reader, err)) > 0)
        if (add_file(known, refset_reader_id(reader), refset_reader_known(reader)))
            result = error_set(err, "out of memory for the names of the set");
    refset_reader_free(reader);
    if (known->file_count)
        qsort(known->files, known->file_count, sizeof *known->files, by_id);
    return result;
}

struct audit_known *audit_known_new(struct refset *set, bool bare, struct error *err)
{
    struct audit_known *known = memory_new(sizeof *known, err);

    if (!known)
        return NULL;
    known->set = set;
    known->bare = bare;
    if (read_set(known, err) == 0)
        return known;
    audit_known_free(known);
    return NULL;
}

void audit_known_free(struct audit_known *known)
{
    if (!known)
        return;
    free(known->files);
    free(known->names);
    buffer_release(&known->texts);
    free(known);
}

/* ---- comparing names ---- */

static const struct file *find_file(const struct audit_known *known, uint64_t id)
{
    const size_t at = SEARCH_FIRST(i, 0, known->file_count, known->files[i].id >= id);

    return at < known->file_count && known->files[at].id == id ? &known->files[at] : NULL;
}

/* What is compared: lists of other programs begin names with "./". */
static const char *part_of(const struct audit_known *known, const char *name)
{
    if (known->bare)
        return path_last(name);
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return name;
}

static bool is_name(const struct audit_known *known, const struct name *name, const char *label,
                    const char *path)
{
    const char *wanted = part_of(known, known->texts.data + name->text);
    const size_t label_len = strlen(label);

    if (!*wanted || strcmp(wanted, part_of(known, path)) == 0)
        return true;
    return strncmp(wanted, label, label_len) == 0 && wanted[label_len] == '/' &&
           strcmp(wanted + label_len + 1, path) == 0;
}

bool audit_known_use(struct audit_known *known, uint64_t id, const char *label, const char *path)
{
    const struct file *file = find_file(known, id);
    bool found = false;

    for (size_t i = 0; file && i < file->count; i++) {
        struct name *name = &known->names[file->first + i];

        if (is_name(known, name, label, path))
            name->is_used = found = true;
    }
    if (file && !found)
        known->names[file->first].is_used = true;
    return found;
}

/* ---- members of containers ---- */

/* As nesting_name makes it. */
static bool is_name_in(const struct audit_known *known, const char *name, const struct file *parent)
{
    const size_t len = strlen(name);

    for (size_t i = 0; parent && i < parent->count; i++) {
        const char *outer = known->texts.data + known->names[parent->first + i].text;
        const size_t tail = strlen(outer) + strlen(" of ");

        if (len > tail && strcmp(name + len - strlen(outer), outer) == 0 &&
            strncmp(name + len - tail, " of ", 4) == 0)
            return true;
    }
    return false;
}

static void skip_names(struct audit_known *known, const struct file *file, const struct file *parent,
                       uint64_t *count)
{
    for (size_t i = 0; i < file->count; i++) {
        struct name *name = &known->names[file->first + i];
        const char *text = known->texts.data + name->text;

        if (!name->is_used && (parent ? is_name_in(known, text, parent) : strstr(text, " of ") != NULL)) {
            name->is_used = true;
            ++*count;
        }
    }
}

int audit_known_skip_members(struct audit_known *known, struct refset_search *search, uint64_t *count,
                             struct error *err)
{
    enum { AT_ONCE = 64 };
    uint64_t parents[AT_ONCE];

    *count = 0;
    for (size_t i = 0; i < known->file_count; i++) {
        const struct file *file = &known->files[i];
        uint64_t after = 0;
        size_t found = AT_ONCE;

        if (file->is_empty) /* the set does not note what they are packed in */
            skip_names(known, file, NULL, count);
        while (found == AT_ONCE) {
            if (refset_search_parents(search, file->id, after, parents, AT_ONCE, &found, err))
                return -1;
            for (size_t k = 0; k < found; k++) {
                const struct file *parent = find_file(known, parents[k]);

                if (parent)
                    skip_names(known, file, parent, count);
            }
            after = found ? parents[found - 1] : 0;
        }
    }
    return 0;
}

/* ---- what is missing ---- */

int audit_known_missing(struct audit_known *known,
                        int (*each)(void *arg, const struct known *file, const char *name), void *arg,
                        struct error *err)
{
    struct refset_reader *reader = refset_reader_new(known->set, false, err);
    int result = reader ? 1 : -1, refused = 0;

    while (!refused && result > 0 && (result = refset_reader_next(reader, err)) > 0) {
        const struct file *file = find_file(known, refset_reader_id(reader));

        for (size_t i = 0; file && i < file->count && !refused; i++) {
            const struct name *name = &known->names[file->first + i];

            if (!name->is_used)
                refused = each(arg, refset_reader_known(reader), known->texts.data + name->text);
        }
    }
    refset_reader_free(reader);
    return refused ? refused : result;
}
