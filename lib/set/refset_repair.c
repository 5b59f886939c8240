/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "set/refset_copy.h"

/* Copies what is sound into a new file, with the identity of the damaged set. */
static int salvage(struct refset_repair *repair, const char *path, const char *fresh,
                   struct refset_copy *copy, struct error *err)
{
    struct refset *from = refset_open(path, REFSET_READ, err), *to;
    struct refset_writer *writer = NULL;
    int result = -1;

    if (!from)
        return -1;
    repair->had = refset_info(from)->counts.files;
    to = refset_create(fresh, &refset_info(from)->params, repair->tool, repair->now, err);
    if (to) {
        refset_succeed(to, refset_info(from));
        writer = refset_writer_new(to, true, err);
    }
    if (writer && !refset_copy(copy, from, writer, err) && !refset_writer_compact(writer, 0, err))
        result = 0;
    refset_writer_free(writer);
    if (to && refset_close(to, result ? NULL : err))
        result = -1;
    refset_close(from, NULL);
    return result;
}

/* Returns a free name: "PATH.damaged", or that with a number appended. */
static char *name_for_damaged(const char *path)
{
    char *name;

    for (int i = 1;; i++) {
        if ((i == 1 ? asprintf(&name, "%s.damaged", path) : asprintf(&name, "%s.damaged.%d", path, i)) < 0)
            return NULL;
        if (access(name, F_OK) != 0)
            return name;
        free(name);
    }
}

/* Files that a killed writer left beside the set belong to the damaged one; SQLite would apply them to the
 * new one. */
static int move_beside(const char *path, const char *old, const char *suffix, struct error *err)
{
    char *from = NULL, *to = NULL;
    int result = 0;

    if (asprintf(&from, "%s%s", path, suffix) < 0 || asprintf(&to, "%s%s", old, suffix) < 0)
        result = error_set(err, "out of memory");
    else if (rename(from, to) && errno != ENOENT)
        result = error_errno(err, "%s", from);
    free(from);
    free(to);
    return result;
}

static int replace(const char *path, const char *fresh, const char *old, struct error *err)
{
    struct stat st;

    if (stat(path, &st) || chmod(fresh, st.st_mode & 07777) ||
        (geteuid() == 0 && chown(fresh, st.st_uid, st.st_gid)))
        return error_errno(err, "%s", fresh);
    if (link(path, old))
        return error_errno(err, "%s", old);
    if (move_beside(path, old, "-wal", err) || move_beside(path, old, "-journal", err) ||
        move_beside(path, old, "-shm", err))
        return -1;
    return rename(fresh, path) ? error_errno(err, "%s: cannot replace %s", fresh, path) : 0;
}

/* path: with symbolic links resolved; fresh: where the new set is made.  Remains of an earlier repair there
 * are removed. */
static int repair_at(struct refset_repair *repair, const char *named, const char *path, const char *fresh,
                     struct error *err)
{
    struct refset_copy copy = {
        .tell = repair->tell, .forgive = true, .arg = repair->arg, .count = repair->count};
    int result;

    refset_remove(fresh);
    result = refset_is_busy(path, err) ? -1 : salvage(repair, path, fresh, &copy, err);
    repair->kept = copy.added;
    repair->lost_samples = copy.lost_samples;
    if (!result && repair->kept == 0 && repair->had > 0)
        result = error_set(err, "%s: nothing could be recovered; the set was left unchanged", named);
    if (!result)
        result = replace(path, fresh, repair->damaged, err);
    if (result)
        refset_remove(fresh);
    return result;
}

int refset_repair(struct refset_repair *repair, const char *named, struct error *err)
{
    char *path = realpath(named, NULL), *fresh = NULL;
    int result;

    repair->damaged = path ? name_for_damaged(path) : NULL;
    if (!path || !repair->damaged || asprintf(&fresh, "%s.repaired", path) < 0)
        result = error_errno(err, "%s", named);
    else
        result = repair_at(repair, named, path, fresh, err);
    free(path);
    free(fresh);
    return result;
}

void refset_repair_release(struct refset_repair *repair)
{
    free(repair->damaged);
}
