/* SPDX-License-Identifier: Apache-2.0 */
#include "file_kind.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk/format.h"
#include "terminal.h"

/* ---- recognising ---- */

enum file_kind {
    FILE_KIND_OTHER,      /* none of these, or missing */
    FILE_KIND_UNREADABLE, /* it is there, but its first bytes cannot be read */
    FILE_KIND_FOLDER,
    FILE_KIND_SET,
    FILE_KIND_CASE,
    FILE_KIND_INDEX, /* of fingerprints */
    FILE_KIND_IMAGE, /* with the signature of a container, a partition table or a file system */
    FILE_KIND_TEXT,
};

/* SQLite, Database File Format, 1.3: The Database Header. */
enum { SQLITE_HEADER_LEN = 100, SQLITE_APPLICATION_ID = 68 };

/* Reads the first bytes; fewer if the file is shorter.  -1 on error. */
static ssize_t read_head(int fd, uint8_t *head, size_t len)
{
    size_t got = 0;
    ssize_t more = 0;

    while (got < len && (more = pread(fd, head + got, len - got, (off_t)got)) > 0)
        got += (size_t)more;
    return more < 0 ? -1 : (ssize_t)got;
}

/* A set or a case by comparing fixed bytes, which is safe to do with evidence, too. */
static enum file_kind kind_of_header(int fd)
{
    static const char sqlite[] = "SQLite format 3";
    uint8_t head[SQLITE_HEADER_LEN];
    const uint8_t *id = head + SQLITE_APPLICATION_ID;
    const ssize_t len = read_head(fd, head, sizeof head);

    if (len < 0)
        return FILE_KIND_UNREADABLE;
    if (len < (ssize_t)sizeof head || memcmp(head, sqlite, sizeof sqlite) != 0)
        return FILE_KIND_OTHER;
    return memcmp(id, "KITH", 4) == 0   ? FILE_KIND_SET   /* as refset.c sets it */
           : memcmp(id, "KITC", 4) == 0 ? FILE_KIND_CASE  /* as casefile.c does */
           : memcmp(id, "KITF", 4) == 0 ? FILE_KIND_INDEX /* as fingerprints.c does */
                                        : FILE_KIND_OTHER;
}

static bool is_text(const uint8_t *head, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (head[i] < ' ' && !strchr("\t\n\r\f", head[i] ? head[i] : 1))
            return false;
    return len > 0;
}

static enum file_kind kind_of_bytes(const uint8_t *head, size_t len, uint64_t size)
{
    if (format_container(head, len, head, 0, size).format != FORMAT_RAW || format_system(head, len) ||
        format_is_table(head, len))
        return FILE_KIND_IMAGE;
    return is_text(head, len) ? FILE_KIND_TEXT : FILE_KIND_OTHER;
}

static enum file_kind kind_of_content(int fd, uint64_t size)
{
    uint8_t *head = malloc(FORMAT_HEAD);
    const ssize_t len = head ? read_head(fd, head, FORMAT_HEAD) : -1;
    const enum file_kind kind = len < 0 ? FILE_KIND_OTHER : kind_of_bytes(head, (size_t)len, size);

    free(head);
    return kind;
}

/* The content is parsed only if `identify` is set. */
static enum file_kind kind_of_path(const char *path, bool identify)
{
    /* a FIFO must not be waited for */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum file_kind kind = FILE_KIND_OTHER;
    struct stat st;

    if (fd < 0)
        return FILE_KIND_OTHER;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        kind = FILE_KIND_FOLDER;
    else if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        kind = kind_of_header(fd);
        if (kind == FILE_KIND_OTHER && identify)
            kind = kind_of_content(fd, (uint64_t)st.st_size);
    }
    close(fd);
    return kind;
}

bool file_kind_is_folder(const char *path)
{
    return kind_of_path(path, false) == FILE_KIND_FOLDER;
}

int file_kind_is_set(const char *path)
{
    const enum file_kind kind = kind_of_path(path, false);

    if (kind != FILE_KIND_UNREADABLE)
        return kind == FILE_KIND_SET;
    complain("%s: cannot be read", path);
    return -1;
}

bool file_kind_is_case(const char *path)
{
    return kind_of_path(path, false) == FILE_KIND_CASE;
}

/* ---- messages ---- */

/* Whether the path is "-"; says that this cannot be read from there. */
static bool is_standard_input(const char *path, const char *what)
{
    if (strcmp(path, "-") != 0)
        return false;
    complain("-: %s cannot be read from standard input; name a file (./- for one of this name)", what);
    return true;
}

int file_kind_check_set(const char *path)
{
    if (is_standard_input(path, "a reference set"))
        return -1;
    switch (kind_of_path(path, true)) {
    case FILE_KIND_FOLDER:
        complain("%s: is a folder, not a reference set; kith add SET %s makes a set of its files", path,
                 path);
        return -1;
    case FILE_KIND_CASE:
        complain("%s: is a case, not a reference set; kith report %s reads it", path, path);
        return -1;
    case FILE_KIND_IMAGE:
        complain("%s: is a disk image, not a reference set; kith scan -r SET %s searches it, kith add SET %s"
                 " makes a set of its files",
                 path, path, path);
        return -1;
    case FILE_KIND_TEXT:
        complain(
            "%s: is text, not a reference set; if it is a hash list, kith import SET %s makes a set of it",
            path, path);
        return -1;
    case FILE_KIND_INDEX:
        complain("%s: is an index of fingerprints, not a reference set; kith cluster --index %s lists what "
                 "is alike in it",
                 path, path);
        return -1;
    default:
        return 0;
    }
}

int file_kind_check_case(const char *path)
{
    if (is_standard_input(path, "a case"))
        return -1;
    switch (kind_of_path(path, true)) {
    case FILE_KIND_FOLDER:
        complain("%s: is a folder, not a case; kith scan -r SET --case CASE %s makes a case of it", path,
                 path);
        return -1;
    case FILE_KIND_SET:
        complain("%s: is a reference set, not a case; kith sets info %s describes it", path, path);
        return -1;
    case FILE_KIND_IMAGE:
        complain("%s: is a disk image, not a case; kith scan -r SET --case CASE %s makes a case of it", path,
                 path);
        return -1;
    case FILE_KIND_TEXT:
        complain("%s: is text, not a case", path);
        return -1;
    case FILE_KIND_INDEX:
        complain(
            "%s: is an index of fingerprints, not a case; kith cluster --index %s lists what is alike in it",
            path, path);
        return -1;
    default:
        return 0;
    }
}

int file_kind_check_evidence(const char *path)
{
    if (strcmp(path, "-") == 0) {
        complain("-: evidence cannot be read from standard input, since an image is read at random offsets; "
                 "name a file (./- for one of this name)");
        return -1;
    }
    switch (kind_of_path(path, false)) {
    case FILE_KIND_SET:
        complain("%s: is a reference set, not evidence; kith sets list %s lists its files, and kith scan -r "
                 "%s EVIDENCE searches for them (-i raw reads it as a raw image)",
                 path, path, path);
        return -1;
    case FILE_KIND_CASE:
        complain("%s: is a case, not evidence; kith report %s reads it (-i raw reads it as a raw image)",
                 path, path);
        return -1;
    case FILE_KIND_INDEX:
        complain("%s: is an index of fingerprints, not evidence; kith cluster --index %s lists what is alike "
                 "in it (-i raw reads it as a raw image)",
                 path, path);
        return -1;
    default:
        return 0;
    }
}

int file_kind_check_list(const char *path)
{
    switch (kind_of_path(path, true)) {
    case FILE_KIND_FOLDER:
        complain("%s: is a folder, not a hash list; kith add SET %s adds its files to a set", path, path);
        return -1;
    case FILE_KIND_SET:
        complain("%s: is a reference set, not a hash list; kith sets merge -o NEW %s SET combines it with "
                 "another set",
                 path, path);
        return -1;
    case FILE_KIND_CASE:
        complain("%s: is a case, not a hash list; kith report %s reads it", path, path);
        return -1;
    case FILE_KIND_IMAGE:
        complain("%s: is a disk image, not a hash list; kith add SET %s adds its files to a set", path, path);
        return -1;
    case FILE_KIND_INDEX:
        complain("%s: is an index of fingerprints, not a hash list; kith cluster --index %s lists what is "
                 "alike in it",
                 path, path);
        return -1;
    default:
        return 0;
    }
}
