/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_WRITER_INNER_H
#define KITH_REFSET_WRITER_INNER_H

#include <time.h>

#include "sample/repeats.h"
#include "set/refset_index.h"
#include "set/refset_search.h"
#include "set/refset_writer.h"

/* Shared by the parts of the writer, each of which uses only those after it: refset_writer.c;
 * refset_writer_extend.c adds to files that are there; refset_writer_join.c, _files.c, _records.c and
 * _sources.c write the rows; refset_writer_commit.c has the transactions; refset_writer_digests.c has what is
 * not committed yet. */

/* Uncommitted entries of one index. */
struct pending {
    struct keyblock_entry *list;
    size_t count, room;
};

/* Maps keys of pending digests to their entries, numbered from 1, by open addressing.  Made when first
 * needed. */
struct table {
    uint32_t *slots;
    size_t len; /* a power of two */
};

struct writer_source {
    uint64_t id;        /* 0: not written yet */
    struct buffer text; /* kind, format, tool, note, each terminated by a zero byte, then the path */
    size_t path_len;
    bool has_sha256;
    uint8_t sha256[DIGEST_SHA256_LEN];
    int64_t time;
};

enum writer_statement {
    INSERT_SOURCE,
    UPDATE_SOURCE,
    RESUME_SOURCE, /* an interrupted one: its SHA-256 was never set */
    FIND_SOURCE,
    INSERT_FILE,
    UPDATE_FILE,
    DELETE_FILE,
    INSERT_RECORD,
    UPDATE_RECORD,
    LACKS_BLOCKS,
    UPDATE_BLOCKS,
    INSERT_NAME,
    FIND_NAME,
    COUNT_NAMES,
    MOVE_NAMES,
    DELETE_NAMES,
    FIND_MEMBER,
    INSERT_MEMBER,
    MOVE_MEMBERS,
    DELETE_MEMBERS,
    STATEMENTS,
};

struct refset_writer {
    struct refset *set;
    struct refset_search *search; /* searches what was committed */
    bool all_names;
    struct statement *statements[STATEMENTS];
    struct pending pending[REFSET_INDEXES];
    struct table tables[DIGEST_KINDS];
    bool begun, changed;        /* a transaction has begun; it contains something */
    struct refset_info settled; /* as last committed */
    uint64_t next_file;
    time_t since;
    struct writer_source *sources;
    int source_count, source; /* source: index of the current one */
    size_t source_room;
    struct set_file file; /* being extended */
    struct set_file twin; /* being joined with it */
    uint32_t *seen;       /* of a record: hash table from fingerprints to samples */
    size_t seen_len, seen_room;
    struct repeat *repeats;
    size_t repeat_count, repeat_room;
    struct buffer packed, packed_repeats;
};

/* Fills err and returns -1. */
static inline int refset_writer_out_of_memory(const struct refset_writer *writer, struct error *err)
{
    return error_set(err, "%s: out of memory", refset_path(writer->set));
}

/* Begins a transaction if there is none, after committing the current one if it is large. */
int refset_writer_begin(struct refset_writer *writer, struct error *err);
void refset_writer_roll_back(struct refset_writer *writer);

/* Returns the id of the current source, writing its row first if needed; 0 on error. */
uint64_t refset_writer_need_source(struct refset_writer *writer, struct error *err);
void refset_writer_bind_digest(struct statement *statement, int parameter, bool there, const uint8_t *digest,
                               size_t len);

/* Adds an entry to an index, with the next commit. */
int refset_writer_add_entry(struct refset_writer *writer, enum refset_index index, uint64_t key,
                            uint64_t value, struct error *err);
/* Makes the digests of these kinds lead to the file from now on. */
int refset_writer_add_digests(struct refset_writer *writer, const struct digest_values *digests,
                              unsigned kinds, uint64_t file, struct error *err);
void refset_writer_forget_tables(struct refset_writer *writer);
/*
 * Finds a file with this content, other than `except`.  Returns 1 with the file in *file, 0 if there is none,
 * -1 on error.  Digests of kinds that both have must all be equal.  If all files have a SHA-1, other digests
 * are not looked up.
 */
int refset_writer_find(struct refset_writer *writer, const struct digest_values *digests, uint64_t except,
                       struct set_file *file, struct error *err);

/* Writes a record; *first: number of its first sample. */
int refset_writer_insert_record(struct refset_writer *writer, const struct known *known, uint64_t file,
                                uint64_t *first, struct error *err);

/* Adds a name from the source with this id.  Returns 1 if the name is new, 0 if not, -1 on error. */
int refset_writer_add_name(struct refset_writer *writer, uint64_t file, const char *name, size_t len,
                           uint64_t source, struct error *err);
/* Adds all names of `known` except the one that is the file's first.  Returns 1 if any is new, 0 if none is,
 * -1 on error. */
int refset_writer_add_names(struct refset_writer *writer, uint64_t file, const struct known *known,
                            const char *first, size_t first_len, struct error *err);
/* Writes the file's row. */
int refset_writer_update_file(struct refset_writer *writer, const struct set_file *file, struct error *err);
/* Joins writer->file with all files that turn out to have the same content; its id may change. */
int refset_writer_join_twins(struct refset_writer *writer, struct error *err);

/* Add a new file, or what is new about writer->file. */
enum refset_added refset_writer_add_file(struct refset_writer *writer, const struct known *known,
                                         struct error *err);
enum refset_added refset_writer_extend_file(struct refset_writer *writer, const struct known *known,
                                            struct error *err);

#endif
