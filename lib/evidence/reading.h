/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_READING_H
#define KITH_READING_H

/*
 * A piece of evidence that is being read: the parent's side.  Tasks are given to the crew, and what comes
 * back is put together here and told to the sink.
 */

#include <sys/stat.h>

#include "crew/crew.h"
#include "disk/account.h"
#include "disk/disk.h"
#include "disk/filesystem.h"
#include "evidence/evidence_rules.h"
#include "evidence/evidence_sink.h"
#include "evidence/inodes.h"
#include "evidence/names.h"

struct system {
    struct disk_system system;
    char name[40];
    struct filesystem_facts facts;
};

struct volume {
    char label[64];
    char about[128];
    char content[64];
    bool encrypted;
    bool no_files; /* it is empty, or swap space: without a file system nothing is missed */
    uint64_t number, start, len;
    struct system *systems;
    size_t system_count;
};

/* A task's result that is being taken. */
struct taking {
    struct crew_result result;
    uint64_t item_count, item; /* of the task; the latest of which something was told */
    size_t losses_told;
    bool done; /* the worker has counted what it sent */
};

/* A file that the container lists, and reads besides the one that was named. */
struct extent_file {
    char *path;
    struct stat st; /* when it was opened */
};

/* Folders that are to be read. */
struct folder_list {
    uint64_t *inodes;
    size_t count, room;
};

/* The names of a file system while they are read. */
struct folder_reading {
    /* What the names that come now are: none is asked for; of what is in use, or deleted, in folders and
     * records; of files that no folder may name. */
    enum { NAMING_NOTHING, NAMING_FOUND, NAMING_LISTED } phase;
    struct inodes seen;               /* folders that were read, or wait for it */
    struct folder_list next, deleted; /* the next level; and those that wait until all others were read */
    bool is_cut;                      /* there were too many */
};

struct reading {
    const char *path;
    const struct evidence_options *options;
    const struct evidence_sink *sink;
    struct crew *crew;
    struct buffer task; /* that is being made */
    struct object object;
    struct buffer paths;
    uint64_t next_item; /* number of the next item that is given out */
    struct evidence_bounds bounds;
    struct crew *digester; /* of the whole image; NULL: nobody asked for that */
    struct taking taking;
    bool failed;  /* the environment: err tells; nothing more is done */
    bool stopped; /* because the caller wants it: failed, too, so that nothing more is done */
    bool partial, changed;
    bool forgiving; /* what goes wrong now is no problem: deleted folders may be anything */
    struct error *err;

    /* the image */
    char format[32], table[32];
    uint64_t size;
    uint32_t sector_size;
    struct digest_values stored, whole;
    unsigned long long images; /* among the files of the host */
    struct extent_file *extents;
    size_t extent_count;
    struct volume *volumes;
    size_t volume_count;
    /* Answers to what is being asked, until whoever asked takes them: no message changes what is gone
     * through. */
    struct volume *answer; /* volumes of a partition table */
    size_t answer_count;
    struct volume *asked; /* whose systems are asked for; NULL while none are */
    size_t asked_count;
    bool bad_cut;            /* there were too many of: */
    struct ranges bad;       /* what could not be read, as ranges_insert keeps it */
    struct account *account; /* of the part that is being read; NULL: none */
    uint64_t accounted;      /* bytes in parts that were read */

    /* the file system that is being read */
    char label[128];
    const struct system *system;
    struct evidence_volume shown; /* for the sink */
    struct names *names;
    struct folder_reading naming;
    struct inodes all;           /* all inodes, where they do not follow from first and last */
    unsigned long long nameless; /* allocated files that no folder names */
    struct ranges found;         /* stretches that the present tasks find */
};

/*
 * The files of the module, each above the next: reading_image.c, reading_host.c, reading_system.c and
 * reading_names.c say what is read, and in which order; reading_ranges.c reads what is no file;
 * reading_tasks.c gives out the tasks and takes what comes back, by reading_results.c and reading_losses.c;
 * reading_objects.c, reading_folders.c and reading_extents.c put together what the messages say,
 * reading_account.c whose bytes it was, and reading_problem.c reports what was lost.
 */

/* ---- what is read ---- */

/* An image with all that lies in it; the files of a folder; one file; a file system of the present volume. */
void reading_image(struct reading *reading);
void reading_folder(struct reading *reading);
void reading_file(struct reading *reading);
void reading_system(struct reading *reading, const struct system *system);
/* Reads all names of the file system, and makes the list of its inodes, if that is needed. */
void reading_names(struct reading *reading);
void reading_forget_names(struct reading *reading);

/* Reads stretches as objects of their own, cut into handy pieces. */
void reading_ranges(struct reading *reading, enum object_kind kind, const struct range *ranges, size_t count);
/* ... and those between two bytes that no object claims. */
void reading_unclaimed(struct reading *reading, uint64_t start, uint64_t end);

/* ---- tasks: reading_tasks.c ---- */

/*
 * Numbers an item.  False if its content is not wanted, which is asked with its paths; with NULL for them
 * nobody is asked.
 */
bool reading_number(struct reading *reading, const char *paths, size_t count);
/* Begins a task in reading->task; then come its arguments; then it is given out.  Its items, if they have
 * numbers, are those that were numbered last. */
void reading_begin(struct reading *reading, enum evidence_task kind);
void reading_begin_system(struct reading *reading, enum evidence_task kind);
void reading_give(struct reading *reading, const int *fds, unsigned fd_count);
/* Asks for the digests of the image, if they are wanted. */
void reading_give_digest(struct reading *reading);
/* Waits for all tasks. */
void reading_drain(struct reading *reading);

/* ---- what comes back: reading_results.c, reading_losses.c ---- */

/* Takes one message of the present result; the wire is broken if it is none. */
void reading_take_message(struct reading *reading, struct wire *wire);
/* Takes what was lost of the items before one: between the objects that were read, so that numbers never get
 * less. */
void reading_take_losses(struct reading *reading, uint64_t before);
/* Nothing came of the task, which its last loss says. */
bool reading_is_lost(const struct crew_result *result);
/* How many items a task has that give objects; how many numbers these take; and the number of one of them. */
uint64_t reading_item_count(const char *task, size_t len);
uint64_t reading_number_count(const char *task, size_t len);
uint64_t reading_item_number(const struct taking *taking, uint64_t item);

/* Hands an object of the worker's to the sink, with its paths. */
void reading_take_object(struct reading *reading, struct object *object);
/* Keeps a name, and what is to be read because of it. */
void reading_take_name(struct reading *reading, const struct filesystem_name *name);
/* Has a folder read, once; -1 without memory. */
int reading_add_folder(struct reading *reading, uint64_t inode, bool deleted);
/* names: of files in the image's folder, each ended by a zero byte. */
void reading_extents_take(struct reading *reading, const char *names, size_t len);
void reading_extents_release(struct reading *reading);

/* ---- the account: reading_account.c ---- */

/* Whether objects of that kind are handed to the sink. */
bool reading_wants(const struct reading *reading, enum object_kind kind);
/* Whether all claims are needed, and not only those of objects that were asked for. */
bool reading_tracks(const struct reading *reading);

/* A part of the image, with unit as in account.h; closing it checks that all of it is accounted for. */
uint64_t reading_unit(const struct volume *volume, uint64_t start);
void reading_account_open(struct reading *reading, uint64_t start, uint64_t len, uint64_t unit);
void reading_account_close(struct reading *reading, bool was_read);

/* The bytes that an object is stored in are its own; a stretch is there, but not read; one had to be given
 * up; an object was listed. */
void reading_claim(struct reading *reading, const struct object *object);
void reading_claim_range(struct reading *reading, enum object_kind kind, const struct range *range);
void reading_claim_lost(struct reading *reading, uint64_t start, uint64_t len);
void reading_count(struct reading *reading, enum object_kind kind);

/* ---- what was lost: reading_problem.c ---- */

/* With a problem the evidence was read only in part; a note is for whoever reads the report. */
void reading_problem(struct reading *reading, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void reading_note(struct reading *reading, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Nothing more is done. */
void reading_out_of_memory(struct reading *reading);

#endif
