/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_READING_H
#define KITH_READING_H

/*
 * The parent's side of reading a piece of evidence: gives tasks to the crew, assembles the results and passes
 * them to the sink.
 */

#include <sys/stat.h>

#include "crew/crew.h"
#include "disk/account.h"
#include "disk/disk.h"
#include "disk/filesystem.h"
#include "evidence/allowance.h"
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
    bool no_files; /* empty, or swap space: it needs no file system */
    uint64_t number, start, len;
    struct system *systems;
    size_t system_count;
};

/* A task's result that is being processed. */
struct taking {
    struct crew_result result;
    uint64_t item_count, item; /* items in the task; the item of the latest object */
    size_t losses_reported;
    bool done; /* the worker has sent its counts */
};

/* A file that the container lists and reads, besides the one given. */
struct extent_file {
    char *path;
    struct stat st; /* when it was opened */
};

/* Folders still to be read. */
struct folder_list {
    uint64_t *inodes;
    size_t count, room;
};

/* State while the names of a file system are being read. */
struct folder_reading {
    /* Where incoming names come from: nothing was asked for; folders and records; a search for files that no
     * folder lists. */
    enum { NAMING_NOTHING, NAMING_FOUND, NAMING_LISTED } phase;
    struct inodes seen;               /* folders that have been read or are queued */
    struct folder_list next, deleted; /* the next level; and deleted folders, which are read last */
    bool is_cut;                      /* there were too many names */
};

struct reading {
    const char *path;
    const char *file;  /* the image's (first) file, or the host's; the same, unless an object is read: */
    const char *inner; /* the image to read is this object of the image in the file; NULL: the latter is */
    const struct evidence_options *options;
    const struct evidence_sink *sink;
    struct crew *crew;
    struct buffer task; /* being built */
    struct object object;
    struct buffer paths; /* of the object that came last, each NUL-terminated */
    size_t path_count;
    bool is_stored;              /* the object that came last, as it is */
    struct buffer member_paths;  /* of a member of it */
    struct buffer stored_member; /* the address of the last one, if it is stored as it is; else empty */
    struct allowance allowance;  /* as far as objects have come */
    uint64_t coming;             /* bytes of the files of the host that were handed out and have not come */
    uint64_t next_item;          /* number to give to the next item */
    struct evidence_bounds bounds;
    struct crew *digester; /* computes the digest of the whole image; NULL: not wanted */
    struct taking taking;
    bool failed;  /* the environment failed, err says why; no further work is done */
    bool stopped; /* at the caller's request; failed is set, too */
    bool partial, changed;
    bool forgiving; /* suppress problems and notes: what is read may be garbage, as in deleted folders */
    struct error *err;

    /* the image */
    char format[32], table[32];
    uint64_t size;
    uint32_t sector_size;
    struct digest_values stored, whole;
    unsigned long long images; /* disk images among the files of the host */
    struct extent_file *extents;
    size_t extent_count;
    struct volume *volumes;
    size_t volume_count;
    /* Answers, held back until the asker takes them, so that no message changes a list while it is being
     * iterated. */
    struct volume *answer; /* volumes of a partition table */
    size_t answer_count;
    struct volume *asked; /* volumes whose file systems were asked for, or NULL */
    size_t asked_count;
    bool bad_cut;            /* there are more unreadable ranges than can be kept */
    struct ranges bad;       /* unreadable ranges, sorted as by ranges_insert */
    struct account *account; /* of the part that is being read, or NULL */
    uint64_t accounted;      /* bytes in the parts read so far */

    /* the file system being read */
    char label[128];
    const struct system *system;
    struct evidence_volume shown; /* for the sink */
    struct names *names;
    struct folder_reading naming;
    struct inodes all;           /* all inodes, where they are not first..last */
    unsigned long long nameless; /* allocated files that no folder lists */
    struct ranges found;         /* ranges found by the current tasks */
};

/*
 * The files of this module, each above the next: reading_image.c, reading_host.c, reading_system.c and
 * reading_names.c decide what is read, and in which order; reading_ranges.c reads what is outside files;
 * reading_tasks.c hands out the tasks and collects the results, using reading_results.c and reading_losses.c;
 * reading_objects.c, reading_folders.c and reading_extents.c assemble what the messages say;
 * reading_account.c records which object each byte belongs to; and reading_problem.c reports what was lost.
 */

/* ---- what is read ---- */

/* Read an image with everything in it; the files of a folder; a single file; a file system of the current
 * volume. */
void reading_image(struct reading *reading);
void reading_folder(struct reading *reading);
void reading_file(struct reading *reading);
void reading_system(struct reading *reading, const struct system *system);
/* Reads all names of the file system, and lists its inodes where that is needed. */
void reading_names(struct reading *reading);
void reading_forget_names(struct reading *reading);

/* Reads ranges as objects of their own, cut into pieces of manageable size. */
void reading_ranges(struct reading *reading, enum object_kind kind, const struct range *ranges, size_t count);
/* The same for ranges that the caller of evidence_read asks for, which are not cut. */
void reading_asked(struct reading *reading, const struct ranges *ranges);
/* The same for the bytes from start to end that no object claims. */
void reading_unclaimed(struct reading *reading, uint64_t start, uint64_t end);

/* ---- tasks: reading_tasks.c ---- */

/*
 * Numbers an item.  Returns whether its content is wanted, asking options->wanted with its paths; if paths is
 * NULL, it is wanted without asking.
 */
bool reading_number(struct reading *reading, const char *paths, size_t count);
/* Begin a task in reading->task; the caller appends its arguments, then hands it out with reading_give.  The
 * items of a numbered task must be the ones that were numbered last. */
void reading_begin(struct reading *reading, enum evidence_task kind);
void reading_begin_system(struct reading *reading, enum evidence_task kind);
void reading_give(struct reading *reading, const int *fds, unsigned fd_count);
/* Starts computing the digests of the image, if wanted. */
void reading_give_digest(struct reading *reading);
/* Waits until all tasks are done. */
void reading_drain(struct reading *reading);

/* ---- results: reading_results.c, reading_losses.c ---- */

/* Processes one message of the current result; sets wire->broken if it is malformed. */
void reading_take_message(struct reading *reading, struct wire *wire);
/* Reports the lost items numbered below `before`: in between the objects that were read, so that item numbers
 * never decrease. */
void reading_take_losses(struct reading *reading, uint64_t before);
/* Returns whether the whole task was lost, as its last loss then says. */
bool reading_is_lost(const struct crew_result *result);
/* Return the number of items in a task that yields objects; how many item numbers these use; the number of
 * one item. */
uint64_t reading_item_count(const char *task, size_t len);
uint64_t reading_number_count(const char *task, size_t len);
uint64_t reading_item_number(const struct taking *taking, uint64_t item);

/* Passes an object from a worker to the sink, with its paths. */
void reading_take_object(struct reading *reading, struct object *object);
/* The same for a member of a container: of the object that was taken last, or of one of its members. */
void reading_take_member(struct reading *reading, struct object *member);
/* Allows for the members of that many bytes of evidence, unless options->unpacked_most does. */
void reading_allow_members(struct reading *reading, uint64_t bytes);
/* Keeps a name, and queues what must be read because of it. */
void reading_take_name(struct reading *reading, const struct filesystem_name *name);
/* Queues a folder for reading, once; -1 if out of memory. */
int reading_add_folder(struct reading *reading, uint64_t inode, bool deleted);
/* names: of files in the image's folder, each NUL-terminated. */
void reading_extents_take(struct reading *reading, const char *names, size_t len);
void reading_extents_release(struct reading *reading);

/* ---- the account: reading_account.c ---- */

/* Returns whether objects of this kind are passed to the sink. */
bool reading_wants(const struct reading *reading, enum object_kind kind);
/* Returns whether all claims are needed, even those of objects that were not selected. */
bool reading_tracks(const struct reading *reading);

/* Begin and end a part of the image; unit as in account.h.  Closing it checks that every byte is accounted
 * for. */
uint64_t reading_unit(const struct volume *volume, uint64_t start);
void reading_account_open(struct reading *reading, uint64_t start, uint64_t len, uint64_t unit);
void reading_account_close(struct reading *reading, bool was_read);

/* Account for: the bytes that an object is stored in; a range that exists but is not read; a range that had
 * to be given up; one more object listed. */
void reading_claim(struct reading *reading, const struct object *object);
void reading_claim_range(struct reading *reading, enum object_kind kind, const struct range *range);
void reading_claim_lost(struct reading *reading, uint64_t start, uint64_t len);
void reading_count(struct reading *reading, enum object_kind kind);

/* ---- problems and notes: reading_problem.c ---- */

/* A problem means that the evidence was only partly read; a note is for information. */
void reading_problem(struct reading *reading, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void reading_note(struct reading *reading, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Fails the reading; no further work is done. */
void reading_out_of_memory(struct reading *reading);

#endif
