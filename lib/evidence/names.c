/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/names.h"

#include <stdlib.h>
#include <string.h>

/*
 * The texts lie in chunks, so that growing copies nothing.  Entries of 24 bytes are sorted by inode once;
 * lookups then use binary search.
 */
enum {
    CHUNK_BITS = 20,
    CHUNK_LEN = 1 << CHUNK_BITS,
    MAX_CHUNKS = 1 << (32 - CHUNK_BITS),
    LEN_BYTES = 2,
    MAX_DEPTH = 1 << 15,
    MAX_PATH = 32 << 10,
    MAX_NAMES = 1000,        /* returned for one inode */
    MAX_PATHS_LEN = 1 << 20, /* total length returned for one inode */
};

struct names_entry {
    uint64_t inode, parent;
    uint32_t text; /* chunk number, and position within it */
    uint16_t parent_sequence;
    uint16_t flags;
};

struct use {
    uint64_t inode;
    uint32_t sequence;
    bool allocated;
};

struct names {
    struct names_entry *entries;
    size_t count, room;
    char **chunks;
    size_t chunk_count, chunk_used;
    struct use *uses;
    size_t use_count, use_room;
    uint64_t root;
    /* The path of the folder looked up last: files of the same folder tend to come together. */
    struct buffer folder;
    uint64_t folder_inode;
    uint32_t folder_sequence;
    bool folder_known, folder_lost;
};

struct names *names_new(void)
{
    return calloc(1, sizeof(struct names));
}

void names_free(struct names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->chunk_count; i++)
        free(names->chunks[i]);
    free(names->chunks);
    free(names->entries);
    free(names->uses);
    buffer_release(&names->folder);
    free(names);
}

size_t names_count(const struct names *names)
{
    return names->count;
}

/* ---- adding ---- */

static int new_chunk(struct names *names)
{
    char **chunks, *chunk;

    if (names->chunk_count == MAX_CHUNKS)
        return -1;
    chunks = realloc(names->chunks, (names->chunk_count + 1) * sizeof *chunks);
    if (!chunks)
        return -1;
    names->chunks = chunks;
    chunk = malloc(CHUNK_LEN);
    if (!chunk)
        return -1;
    names->chunks[names->chunk_count++] = chunk;
    names->chunk_used = 0;
    return 0;
}

static int store_text(struct names *names, const char *text, size_t len, uint32_t *place)
{
    uint16_t short_len = (uint16_t)len;
    char *at;

    if ((names->chunk_count == 0 || names->chunk_used + LEN_BYTES + len > CHUNK_LEN) && new_chunk(names))
        return -1;
    at = names->chunks[names->chunk_count - 1] + names->chunk_used;
    memcpy(at, &short_len, LEN_BYTES);
    memcpy(at + LEN_BYTES, text, len);
    *place = (uint32_t)((names->chunk_count - 1) << CHUNK_BITS | names->chunk_used);
    names->chunk_used += LEN_BYTES + len;
    return 0;
}

static const char *text_of(const struct names *names, const struct names_entry *entry, size_t *len)
{
    const char *at = names->chunks[entry->text >> CHUNK_BITS] + (entry->text & (CHUNK_LEN - 1));
    uint16_t short_len;

    memcpy(&short_len, at, LEN_BYTES);
    *len = short_len;
    return at + LEN_BYTES;
}

/* Makes room for one more element.  NULL if out of memory; the list is then unchanged. */
static void *grown(void *list, size_t count, size_t *room, size_t each)
{
    size_t more = *room ? *room + *room / 2 : 256;
    void *bigger;

    if (count < *room)
        return list;
    bigger = realloc(list, more * each);
    if (bigger)
        *room = more;
    return bigger;
}

int names_add(struct names *names, uint64_t inode, uint64_t parent, uint32_t parent_sequence, unsigned flags,
              const char *name, size_t len)
{
    struct names_entry entry = {.inode = inode,
                                .parent = parent,
                                .parent_sequence = (uint16_t)parent_sequence,
                                .flags = (uint16_t)flags};
    struct names_entry *entries = grown(names->entries, names->count, &names->room, sizeof *entries);

    if (entries)
        names->entries = entries;
    if (!entries || store_text(names, name, strnlen(name, len > UINT16_MAX ? UINT16_MAX : len), &entry.text))
        return -1;
    names->entries[names->count++] = entry;
    return 0;
}

int names_set_sequence(struct names *names, uint64_t inode, uint32_t sequence, bool allocated)
{
    struct use *uses = grown(names->uses, names->use_count, &names->use_room, sizeof *uses);

    if (!uses)
        return -1;
    names->uses = uses;
    names->uses[names->use_count++] = (struct use){inode, sequence, allocated};
    return 0;
}

/* ---- sorting ---- */

/* Allocated names first: names_paths stops at the first deleted one. */
static int compare_entries(const void *a, const void *b, void *arg)
{
    const struct names_entry *x = a, *y = b;
    const char *xt, *yt;
    size_t xl, yl;
    int order;

    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    if ((x->flags ^ y->flags) & NAMES_ALLOCATED)
        return x->flags & NAMES_ALLOCATED ? -1 : 1;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->parent_sequence != y->parent_sequence)
        return x->parent_sequence < y->parent_sequence ? -1 : 1;
    xt = text_of(arg, x, &xl);
    yt = text_of(arg, y, &yl);
    order = memcmp(xt, yt, xl < yl ? xl : yl);
    if (order || xl != yl)
        return order ? order : xl < yl ? -1 : 1;
    return (int)x->flags - (int)y->flags;
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;

    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

void names_finish(struct names *names, uint64_t root)
{
    size_t kept = 0;

    names->root = root;
    if (names->count)
        qsort_r(names->entries, names->count, sizeof *names->entries, compare_entries, names);
    if (names->use_count)
        qsort(names->uses, names->use_count, sizeof *names->uses, compare_uses);
    for (size_t i = 0; i < names->count; i++)
        if (kept == 0 || compare_entries(&names->entries[kept - 1], &names->entries[i], names) != 0)
            names->entries[kept++] = names->entries[i];
    names->count = kept;
}

/* ---- finding ---- */

static size_t first_of(const struct names *names, uint64_t inode)
{
    size_t low = 0, high = names->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (names->entries[middle].inode < inode)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool usable(const struct names_entry *entry, bool allocated)
{
    return !allocated || (entry->flags & NAMES_ALLOCATED);
}

bool names_know(const struct names *names, uint64_t inode, bool allocated)
{
    size_t at = first_of(names, inode);

    return at < names->count && names->entries[at].inode == inode && usable(&names->entries[at], allocated);
}

/* An inode's sequence is incremented when it is deleted, skipping 0; so a deleted inode is one ahead of the
 * names that refer to it. */
static bool is_the_use(const struct names *names, uint64_t inode, uint32_t sequence)
{
    const struct use key = {.inode = inode};
    const struct use *use;

    if (sequence == 0 || names->use_count == 0)
        return true;
    use = bsearch(&key, names->uses, names->use_count, sizeof key, compare_uses);
    return use && (use->sequence == sequence ||
                   (!use->allocated && use->sequence == (sequence == UINT16_MAX ? 1 : sequence + 1)));
}

static const struct names_entry *folder_of(const struct names *names, uint64_t inode, uint32_t sequence)
{
    for (size_t i = first_of(names, inode); i < names->count && names->entries[i].inode == inode; i++)
        if (names->entries[i].flags & NAMES_FOLDER)
            return is_the_use(names, inode, sequence) ? &names->entries[i] : NULL;
    return NULL;
}

/* ---- paths ---- */

/* Walking from the file up to the root, appends each name reversed, followed by its slash; the complete path
 * is reversed at the end. */
static void add_reversed(struct buffer *out, const char *text, size_t len)
{
    while (len > 0)
        buffer_add_char(out, text[--len]);
}

static void reverse(char *data, size_t len)
{
    for (size_t i = 0; i < len / 2; i++) {
        char c = data[i];

        data[i] = data[len - 1 - i];
        data[len - 1 - i] = c;
    }
}

/* Finds the path of a folder, with a trailing slash; empty for the root. */
static void find_folder(struct names *names, uint64_t inode, uint32_t sequence, unsigned flags)
{
    struct buffer *path = &names->folder;
    bool lost = (flags & NAMES_TOP) != 0;

    buffer_reset(path);
    for (unsigned depth = 0; !lost && inode != names->root; depth++) {
        const struct names_entry *entry = folder_of(names, inode, sequence);
        const char *text;
        size_t len;

        lost = !entry || depth == MAX_DEPTH;
        if (lost)
            break;
        if (path->len <= MAX_PATH) {
            text = text_of(names, entry, &len);
            buffer_add_char(path, '/');
            add_reversed(path, text, len);
            if (path->len > MAX_PATH)
                add_reversed(path, ".../", 4);
        }
        lost = (entry->flags & NAMES_TOP) != 0;
        inode = entry->parent;
        sequence = entry->parent_sequence;
    }
    if (lost)
        add_reversed(path, "$OrphanFiles/", 13);
    reverse(path->data, path->len);
    names->folder_lost = lost;
}

static void add_path(struct names *names, const struct names_entry *entry, struct buffer *paths, bool *lost)
{
    const char *text;
    size_t len;

    if (!names->folder_known || names->folder_inode != entry->parent ||
        names->folder_sequence != entry->parent_sequence || (entry->flags & NAMES_TOP)) {
        find_folder(names, entry->parent, entry->parent_sequence, entry->flags);
        names->folder_inode = entry->parent;
        names->folder_sequence = entry->parent_sequence;
        names->folder_known = !(entry->flags & NAMES_TOP);
    }
    if (!names->folder_lost)
        *lost = false;
    text = text_of(names, entry, &len);
    buffer_inherit(paths, &names->folder);
    buffer_add(paths, names->folder.data, names->folder.len);
    buffer_add(paths, text, len);
    buffer_add_char(paths, '\0');
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the count NUL-terminated paths that begin at `from`, and removes duplicates. */
static size_t sort_paths(struct buffer *paths, size_t from, size_t count)
{
    size_t len = paths->len - from, kept = 0;
    const char **list = malloc(count * sizeof *list);
    char *copy = malloc(len), *at = copy;

    if (list && copy && !paths->failed) {
        memcpy(copy, paths->data + from, len);
        for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
            list[i] = at;
        qsort(list, count, sizeof *list, compare_texts);
        paths->len = from;
        for (size_t i = 0; i < count; i++)
            if (i == 0 || strcmp(list[i], list[i - 1]) != 0) {
                buffer_add(paths, list[i], strlen(list[i]) + 1);
                kept++;
            }
    }
    if (!list || !copy)
        paths->failed = true;
    free(copy);
    free(list);
    return kept ? kept : count;
}

size_t names_paths(struct names *names, uint64_t inode, bool allocated, struct buffer *paths, bool *lost,
                   bool *more)
{
    size_t count = 0, from = paths->len;

    *lost = true;
    *more = false;
    for (size_t i = first_of(names, inode); i < names->count && names->entries[i].inode == inode; i++) {
        if (!usable(&names->entries[i], allocated))
            break;
        if (count == MAX_NAMES || paths->len - from > MAX_PATHS_LEN) {
            *more = true;
            break;
        }
        add_path(names, &names->entries[i], paths, lost);
        count++;
    }
    if (count > 1)
        count = sort_paths(paths, from, count);
    return count;
}
